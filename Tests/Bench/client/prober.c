// prober HOST PORT REQUEST-FILE SOURCE
//
// Somebody who behaves, at the address SOURCE: sends the request every two milliseconds, by turns on a connection that is kept
// and on a new one, until its input ends. Then it writes "answered failed longest-kept longest-new", the longest waits in
// µs: from sending or from beginning to connect to the end of the answer. It ends a wait after 10 s.
#include "net.h"
#include <poll.h>

static char data[BUFFER];
static struct sockaddr_in to, from;
static const char *request;
static size_t size;

static int connected(void) {
  struct timeval patience = {.tv_sec = 10};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
  if (fd < 0) die("socket");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (bind(fd, (struct sockaddr *)&from, sizeof from) == 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0) return fd;
  close(fd);
  return -1;
}

// 1 when it was answered with 200.
static int call(int fd) {
  size_t filled = 0;
  if (fd < 0 || send(fd, request, size, MSG_NOSIGNAL) != (ssize_t)size) return 0;
  do {
    ssize_t count = recv(fd, data + filled, BUFFER - filled, 0);
    if (count <= 0) return 0;
    filled += count;
  } while (message_size(data, filled) == 0);
  return filled > 12 && memcmp(data + 9, "200", 3) == 0;
}

int main(int arguments_count, char **arguments) {
  if (arguments_count != 5) return 64;
  to = address_of(arguments[1], arguments[2]);
  from = address_of(arguments[4], "0");
  request = whole_file(arguments[3], &size);
  struct pollfd input = {.fd = 0, .events = POLLIN};
  long answered = 0, failed = 0;
  double longest[2] = {0, 0};
  int kept = -1;
  for (int fresh = 0; poll(&input, 1, 2) == 0; fresh = !fresh) {
    double begun = now_us();
    int fd = fresh ? connected() : kept;
    if (fd < 0) fd = connected();
    int done = call(fd);
    double waited = now_us() - begun;
    if (waited > longest[fresh]) longest[fresh] = waited;
    *(done ? &answered : &failed) += 1;
    kept = fresh ? kept : done ? fd : -1;
    if ((fresh || !done) && fd >= 0) close(fd);
  }
  printf("%ld %ld %.0f %.0f\n", answered, failed, longest[0], longest[1]);
  return 0;
}
