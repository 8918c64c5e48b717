#define _GNU_SOURCE
#include "CLinux.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>

int clinux_trim_heap(void) { return malloc_trim(0); }

void clinux_name_thread(const char *name) {
  char text[16];
  snprintf(text, sizeof text, "%s", name);
  pthread_setname_np(pthread_self(), text);
}
