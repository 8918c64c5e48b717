// The hook of Swift's concurrency runtime that lets a program run the runtime's jobs itself.
#pragma once

/// Passes every job meant for Swift's own thread pool to `enqueue`. Call it once, before the first task is created.
void cconcurrency_set_enqueue_hook(void (*enqueue)(void *job));
