// What the programs of the benchmark share: sockets, a clock, and just enough HTTP to know where a message ends.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 65536, EVENTS = 256, DESCRIPTORS = 4096 };

static inline void die(const char *what) {
  perror(what);
  exit(1);
}

// CLOCK_MONOTONIC in µs.
static inline double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static inline struct sockaddr_in address_of(const char *host, const char *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(port))};
  if (inet_pton(AF_INET, host, &address.sin_addr) != 1) die(host);
  return address;
}

// A socket on its way to `to`, not waited for.
static inline int begin_connect(const struct sockaddr_in *to) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
  if (fd < 0) die("socket");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(fd, (const struct sockaddr *)to, sizeof *to) < 0 && errno != EINPROGRESS) {
    close(fd);
    return -1;
  }
  return fd;
}

static inline int listen_on(const char *host, const char *port) {
  struct sockaddr_in address = address_of(host, port);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 4096) < 0) die("listen");
  return fd;
}

static inline void watch(int poll, int fd, uint32_t events) {
  struct epoll_event event = {.events = events, .data.fd = fd};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) < 0) die("epoll_ctl");
}

static inline char *whole_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *data = malloc(1 << 20);
  if (!file || !data) die(path);
  *size = fread(data, 1, 1 << 20, file);
  fclose(file);
  return data;
}

// The value of a header field, or NULL; `name` is written ": " included.
static inline const char *field(const char *head, size_t size, const char *name) {
  size_t length = strlen(name);
  for (const char *line = head; (line = memchr(line, '\n', size - (line - head))); ) {
    line += 1;
    if ((size_t)(head + size - line) < length) return NULL;
    if (strncasecmp(line, name, length) == 0) return line + length;
  }
  return NULL;
}

// Bytes of the first message in `data`; 0 when it isn't complete, or ends with the connection.
static inline size_t message_size(const char *data, size_t size) {
  const char *end = memmem(data, size, "\r\n\r\n", 4);
  if (!end) return 0;
  size_t head = end + 4 - data;
  const char *length = field(data, head, "Content-Length: ");
  if (!length) length = field(data, head, "Content-Length:");
  if (length) {
    size_t total = head + strtoul(length, NULL, 10);
    return total <= size ? total : 0;
  }
  if (field(data, head, "Transfer-Encoding: chunked")) {
    const char *last = memmem(end, size - (end - data), "\r\n0\r\n\r\n", 7);
    return last ? (size_t)(last + 7 - data) : 0;
  }
  return strncmp(data, "HTTP/", 5) == 0 ? 0 : head;  // a request without length has no body
}

// True when the message says that the connection ends behind it.
static inline int says_close(const char *data, size_t size) {
  const char *end = memmem(data, size, "\r\n\r\n", 4);
  size_t head = end ? (size_t)(end + 4 - data) : size;
  const char *value = field(data, head, "Connection: ");
  if (value) return strncasecmp(value, "close", 5) == 0;
  return memmem(data, head < 64 ? head : 64, "HTTP/1.0", 8) != NULL;
}
