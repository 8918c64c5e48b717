// The hook that Swift's concurrency runtime has for whoever wants to run its jobs.
#pragma once

/// Has `enqueue` get every job that Swift would give to its own pool of threads. To be called once, before the first
/// task is made.
void cconcurrency_take_over(void (*enqueue)(void *job));
