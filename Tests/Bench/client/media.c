// media HOST FILE TYPE [FILE TYPE …]
//
// A media server: the files below /0, /1 and so on, whatever is behind that, whole or from a byte on. Writes "port N" to standard
// output, and ends with standard input.
#include "net.h"
#include <sys/mman.h>
#include <sys/stat.h>

struct file { const char *data, *type; size_t size; };
// `head` and then the rest of a file, up to `end`, go out as the peer takes them.
struct peer { size_t got, at, end, head_at, head_size; const struct file *file; int closes; char data[8192], head[512]; };

static struct file files[16];
static struct peer *peers[DESCRIPTORS];
static int file_count, poll_fd;

static void answer(struct peer *peer) {
  const char *path = memchr(peer->data, '/', 16);
  int number = path ? atoi(path + 1) : -1, head_only = strncmp(peer->data, "HEAD", 4) == 0;
  peer->closes = says_close(peer->data, peer->got);
  peer->at = peer->end = 0;
  if (number < 0 || number >= file_count || (!head_only && strncmp(peer->data, "GET ", 4) != 0)) {
    peer->head_size = sprintf(peer->head, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  const struct file *file = peer->file = &files[number];
  const char *range = field(peer->data, peer->got, "Range: bytes=");
  char *rest = NULL;
  peer->end = file->size;
  if (range) {
    peer->at = strtoul(range, &rest, 10);
    if (*rest == '-' && rest[1] >= '0' && rest[1] <= '9') peer->end = strtoul(rest + 1, NULL, 10) + 1;
    if (peer->end > file->size) peer->end = file->size;
    if (peer->at > peer->end) peer->at = peer->end;
  }
  char place[96] = "";
  if (range) sprintf(place, "Content-Range: bytes %zu-%zu/%zu\r\n", peer->at, peer->end - 1, file->size);
  peer->head_size = sprintf(
      peer->head, "HTTP/1.1 %s\r\nContent-Type: %s\r\nAccept-Ranges: bytes\r\n%sContent-Length: %zu\r\n\r\n",
      range ? "206 Partial Content" : "200 OK", file->type, place, peer->end - peer->at);
  if (head_only) peer->at = peer->end;
}

// False when the connection has ended.
static int send_more(int fd, struct peer *peer) {
  while (peer->head_at < peer->head_size || peer->at < peer->end) {
    size_t head = peer->head_size - peer->head_at, body = peer->end - peer->at;
    ssize_t sent = head ? send(fd, peer->head + peer->head_at, head, MSG_NOSIGNAL | (body ? MSG_MORE : 0))
                        : send(fd, peer->file->data + peer->at, body, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN;
    *(head ? &peer->head_at : &peer->at) += sent;
  }
  peer->got = peer->head_at = peer->head_size = 0;
  return !peer->closes;
}

static int serve(int fd, uint32_t events) {
  struct peer *peer = peers[fd];
  if (events & (EPOLLERR | EPOLLHUP)) return 0;
  if (peer->head_size == 0) {
    ssize_t got = recv(fd, peer->data + peer->got, sizeof peer->data - peer->got, 0);
    if (got <= 0) return got < 0 && errno == EAGAIN;
    peer->got += got;
    if (!memmem(peer->data, peer->got, "\r\n\r\n", 4)) return peer->got < sizeof peer->data;
    answer(peer);
  }
  if (!send_more(fd, peer)) return 0;
  struct epoll_event event = {.events = peer->head_size ? EPOLLOUT : EPOLLIN, .data.fd = fd};
  epoll_ctl(poll_fd, EPOLL_CTL_MOD, fd, &event);
  return 1;
}

int main(int count, char **arguments) {
  if (count < 4) return 64;
  for (int at = 2; at + 1 < count && file_count < 16; at += 2) {
    int fd = open(arguments[at], O_RDONLY);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0) die(arguments[at]);
    void *data = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (data == MAP_FAILED) die(arguments[at]);
    files[file_count++] = (struct file){.data = data, .type = arguments[at + 1], .size = status.st_size};
  }
  poll_fd = epoll_create1(0);
  int listener = listen_on(arguments[1], "0");
  struct sockaddr_in address;
  socklen_t length = sizeof address;
  getsockname(listener, (struct sockaddr *)&address, &length);
  watch(poll_fd, listener, EPOLLIN);
  watch(poll_fd, 0, EPOLLIN);
  printf("port %d\n", ntohs(address.sin_port));
  fflush(stdout);
  struct epoll_event events[EVENTS];
  for (;;) {
    int ready = epoll_wait(poll_fd, events, EVENTS, -1);
    for (int number = 0; number < ready; number += 1) {
      int fd = events[number].data.fd, client, one = 1;
      if (fd == 0) return 0;
      if (fd != listener) {
        if (!serve(fd, events[number].events)) close(fd);
        continue;
      }
      while ((client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        if (client >= DESCRIPTORS) {
          close(client);
          continue;
        }
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (!peers[client]) peers[client] = malloc(sizeof **peers);
        memset(peers[client], 0, sizeof **peers);
        watch(poll_fd, client, EPOLLIN);
      }
    }
  }
}
