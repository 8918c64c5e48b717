#pragma once

// Takes all jobs of Swift's global executor.
void cconcurrency_set_enqueue_hook(void (*enqueue)(void *job));

// Takes those that are to run after a time, as Task.sleep makes them.
void cconcurrency_set_delay_hook(void (*enqueue)(long long nanoseconds, void *job));
