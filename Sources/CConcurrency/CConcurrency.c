#include "CConcurrency.h"

#include <limits.h>
#include <time.h>

// As the runtime declares it. Linked by name, since a static runtime has no symbols to look up at run time.
typedef __attribute__((swiftcall)) void (*original_function)(void *job);
typedef __attribute__((swiftcall)) void (*hook_function)(void *job, original_function original);
extern hook_function swift_task_enqueueGlobal_hook;

static void (*taker)(void *job);

static __attribute__((swiftcall)) void take(void *job, original_function original) {
  (void)original;
  taker(job);
}

void cconcurrency_set_enqueue_hook(void (*enqueue)(void *job)) {
  taker = enqueue;
  swift_task_enqueueGlobal_hook = take;
}

typedef __attribute__((swiftcall)) void (*delay_original)(unsigned long long delay, void *job);
typedef __attribute__((swiftcall)) void (*delay_function)(
    unsigned long long delay, void *job, delay_original original);
extern delay_function swift_task_enqueueGlobalWithDelay_hook;

typedef __attribute__((swiftcall)) void (*deadline_original)(
    long long seconds, long long nanoseconds, long long tolerance, long long tolerance_nanoseconds, int clock,
    void *job);
typedef __attribute__((swiftcall)) void (*deadline_function)(
    long long seconds, long long nanoseconds, long long tolerance, long long tolerance_nanoseconds, int clock,
    void *job, deadline_original original);
extern deadline_function swift_task_enqueueGlobalWithDeadline_hook;

static void (*late_taker)(long long nanoseconds, void *job);

static __attribute__((swiftcall)) void take_delayed(
    unsigned long long delay, void *job, delay_original original) {
  (void)original;
  late_taker(delay > LLONG_MAX ? LLONG_MAX : (long long)delay, job);
}

static __attribute__((swiftcall)) void take_until(
    long long seconds, long long nanoseconds, long long tolerance, long long tolerance_nanoseconds, int clock,
    void *job, deadline_original original) {
  (void)tolerance, (void)tolerance_nanoseconds, (void)original;
  // The runtime's numbers: 1 is the clock that goes on while the host sleeps.
  struct timespec now;
  clock_gettime(clock == 1 ? CLOCK_BOOTTIME : CLOCK_MONOTONIC, &now);
  long long left;
  if (__builtin_sub_overflow(seconds, (long long)now.tv_sec, &left) ||
      __builtin_mul_overflow(left, 1000000000LL, &left) ||
      __builtin_add_overflow(left, nanoseconds - now.tv_nsec, &left))
    left = seconds < 0 ? 0 : LLONG_MAX;
  late_taker(left < 0 ? 0 : left, job);
}

void cconcurrency_set_delay_hook(void (*enqueue)(long long nanoseconds, void *job)) {
  late_taker = enqueue;
  swift_task_enqueueGlobalWithDelay_hook = take_delayed;
  swift_task_enqueueGlobalWithDeadline_hook = take_until;
}
