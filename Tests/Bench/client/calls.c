// calls HOST PORT REQUEST-FILE CONNECTIONS MILLISECONDS kept|fresh
//
// Sends the request over and over, each connection one at a time, and writes
// "p50 p99 (µs) calls-per-second calls failures connections". It spins rather than sleeps, so that waking up isn't part of
// what is measured. "fresh" takes a new connection for each call, and its making counts.
#include "net.h"

struct call {
  int open, sent;
  double begun;
  size_t size;
  char data[BUFFER];
};

static struct call *calls[DESCRIPTORS];
static int poll_fd;
static long connections, failures;

static void begin(const struct sockaddr_in *to, double started) {
  int fd = begin_connect(to);
  if (fd < 0 || fd >= DESCRIPTORS) {
    failures += 1;
    if (failures > 100000) die("connect");
    return begin(to, started);
  }
  connections += 1;
  if (!calls[fd]) calls[fd] = malloc(sizeof **calls);
  *calls[fd] = (struct call){.open = 1, .begun = started};
  watch(poll_fd, fd, EPOLLOUT);
}

static void rearm(int fd, uint32_t events) {
  struct epoll_event event = {.events = events, .data.fd = fd};
  epoll_ctl(poll_fd, EPOLL_CTL_MOD, fd, &event);
}

static int compare(const void *one, const void *two) {
  double a = *(const float *)one, b = *(const float *)two;
  return (a > b) - (a < b);
}

int main(int count, char **arguments) {
  if (count != 7) return 64;
  struct sockaddr_in to = address_of(arguments[1], arguments[2]);
  size_t size, most = 4 << 20, done = 0;
  const char *request = whole_file(arguments[3], &size);
  int fresh = strcmp(arguments[6], "fresh") == 0;
  float *times = malloc(most * sizeof *times);
  poll_fd = epoll_create1(0);
  double start = now_us(), end = start + atof(arguments[5]) * 1000;
  for (int number = 0; number < atoi(arguments[4]); number += 1) begin(&to, now_us());
  struct epoll_event events[EVENTS];
  while (now_us() < end && done < most) {
    int ready = epoll_wait(poll_fd, events, EVENTS, 0);
    for (int number = 0; number < ready; number += 1) {
      int fd = events[number].data.fd;
      struct call *call = calls[fd];
      if (!call->sent) {
        if (events[number].events & (EPOLLERR | EPOLLHUP) || send(fd, request, size, MSG_NOSIGNAL) != (ssize_t)size) {
          failures += 1;
          close(fd);
          begin(&to, now_us());
          continue;
        }
        call->sent = 1;
        rearm(fd, EPOLLIN);
        continue;
      }
      ssize_t got = recv(fd, call->data + call->size, BUFFER - call->size, 0);
      if (got < 0 && errno == EAGAIN) continue;
      if (got > 0) call->size += got;
      int closed = got <= 0;
      if (!closed && !message_size(call->data, call->size)) continue;
      // Without a length, the end of the connection is the end of the answer.
      int good = call->size > 12 && memcmp(call->data + 8, " 200", 4) == 0;
      int unused = closed && call->size == 0;
      if (good) times[done++] = now_us() - call->begun; else if (!unused || fresh) failures += 1;
      if (closed || fresh || says_close(call->data, call->size)) {
        // A kept connection that was closed before the answer: once more, and the lost time counts.
        double started = unused && !fresh ? call->begun : now_us();
        close(fd);
        begin(&to, started);
      } else {
        call->size = 0;
        call->begun = now_us();
        if (send(fd, request, size, MSG_NOSIGNAL) != (ssize_t)size) {
          close(fd);
          begin(&to, call->begun);
        }
      }
    }
  }
  double seconds = (now_us() - start) / 1e6;
  if (!done) return 1;
  qsort(times, done, sizeof *times, compare);
  printf("%.2f %.2f %.1f %zu %ld %ld\n", times[done / 2], times[done * 99 / 100], done / seconds, done, failures,
         connections);
  return 0;
}
