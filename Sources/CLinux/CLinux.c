#define _GNU_SOURCE
#include "CLinux.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>

int clinux_trim_heap(void) { return malloc_trim(0); }

void clinux_name_thread(const char *name) {
  char text[16];
  snprintf(text, sizeof text, "%s", name);
  pthread_setname_np(pthread_self(), text);
}

int clinux_keep_datagrams_with_prefix(int socket, const char prefix[4]) {
  const unsigned char *p = (const unsigned char *)prefix;
  unsigned int word = (unsigned int)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
  struct sock_filter program[] = {
      // The filter sees the UDP header of 8 bytes first.
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 8),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, word, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0xffff),
      BPF_STMT(BPF_RET | BPF_K, 0),
  };
  struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
  return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

const char *clinux_library_path(const void *symbol) {
  Dl_info library;
  return dladdr(symbol, &library) != 0 ? library.dli_fname : NULL;
}
