#include "CConcurrency.h"

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
