#include "CConcurrency.h"

// As the runtime declares it. A reference by name, since in a static runtime nothing can be looked up at run time.
typedef __attribute__((swiftcall)) void (*original_function)(void *job);
typedef __attribute__((swiftcall)) void (*hook_function)(void *job, original_function original);
extern hook_function swift_task_enqueueGlobal_hook;

static void (*taker)(void *job);

static __attribute__((swiftcall)) void take(void *job, original_function original) {
  (void)original;
  taker(job);
}

void cconcurrency_take_over(void (*enqueue)(void *job)) {
  taker = enqueue;
  swift_task_enqueueGlobal_hook = take;
}
