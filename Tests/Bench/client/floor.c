// floor HOST PORT ANSWER-FILE COUNT HOST PORT NOTIFY-FILE
//
// What nobody can beat here: a server without any logic. It answers every request with the bytes of a file, and then, when
// COUNT isn't 0, sends that many messages, each on a connection of its own, as "NOTIFY /NUMBER " and the bytes of the other file.
#include "net.h"

static char buffer[BUFFER];
static char kind[DESCRIPTORS];  // 0: a client, 1: a subscriber that isn't connected yet, 2: one that owes its answer
static int name[DESCRIPTORS];

int main(int arguments_count, char **arguments) {
  if (arguments_count != 8) return 64;
  size_t size, notify_size;
  const char *answer = whole_file(arguments[3], &size), *notify = whole_file(arguments[7], &notify_size);
  int count = atoi(arguments[4]), poll_fd = epoll_create1(0), listener = listen_on(arguments[1], arguments[2]);
  struct sockaddr_in to = address_of(arguments[5], arguments[6]);
  watch(poll_fd, listener, EPOLLIN);
  printf("ready\n");
  fflush(stdout);
  struct epoll_event events[EVENTS];
  for (;;) {
    int ready = epoll_wait(poll_fd, events, EVENTS, -1);
    for (int number = 0; number < ready; number += 1) {
      int fd = events[number].data.fd;
      if (fd == listener) {
        int client, one = 1;
        while ((client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
          setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
          kind[client] = 0;
          watch(poll_fd, client, EPOLLIN);
        }
      } else if (kind[fd] == 1) {
        int length = sprintf(buffer, "NOTIFY /%d ", name[fd]);
        memcpy(buffer + length, notify, notify_size);
        if (send(fd, buffer, length + notify_size, MSG_NOSIGNAL) < 0) close(fd);
        kind[fd] = 2;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
        epoll_ctl(poll_fd, EPOLL_CTL_MOD, fd, &event);
      } else if (recv(fd, buffer, BUFFER, 0) <= 0 || kind[fd] == 2) {
        close(fd);
      } else {
        if (send(fd, answer, size, MSG_NOSIGNAL) < 0) close(fd);
        for (int subscriber = 0; subscriber < count; subscriber += 1) {
          int next = begin_connect(&to);
          if (next < 0 || next >= DESCRIPTORS) continue;
          kind[next] = 1;
          name[next] = subscriber;
          watch(poll_fd, next, EPOLLOUT);
        }
      }
    }
  }
}
