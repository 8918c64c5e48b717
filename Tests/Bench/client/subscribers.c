// subscribers HOST PORTS
//
// Many subscribers behind one port or several, which are written to standard output as "ports N N …". Every NOTIFY is answered with 200;
// the connection stays open unless the renderer closes it or says that it will. Commands on standard input, one answer each:
//
//   fire HOST PORT FILE COUNT MS TEXT...  sends the request in FILE; waits until COUNT subscribers (by path) have got a NOTIFY
//                                         with one of the texts: "µs-to-the-last subscribers messages"
//   first HOST PORT FILE FILE ROUNDS      SUBSCRIBE to the first bytes of the event: "median-µs rounds". The second file is an
//                                         UNSUBSCRIBE up to "SID: "
//   burst HOST PORT FILE COUNT TEXT...    sends COUNT requests of equal length, one behind the other's answer, and waits until
//                                         nothing has come for a second: "messages last-one-has-a-text µs-for-the-requests"
#include "net.h"
#include <poll.h>

static const char ANSWER[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
static const char LAST[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

struct peer { size_t size; char data[BUFFER]; };

static struct peer *peers[DESCRIPTORS];
static char heard[DESCRIPTORS], listens[DESCRIPTORS];
static int poll_fd, subscribers, messages, matches_last;
static double last_heard, any_heard;
static char *texts[8];

static void take(const char *message, size_t size) {
  any_heard = now_us();
  messages += 1;
  matches_last = 0;
  for (char **text = texts; *text; text += 1)
    if (memmem(message, size, *text, strlen(*text))) matches_last = 1;
  int number = size > 8 ? atoi(message + 8) : 0;  // "NOTIFY /17 …"
  if (!matches_last || number < 0 || number >= DESCRIPTORS || heard[number]) return;
  heard[number] = 1;
  subscribers += 1;
  last_heard = any_heard;
}

static void serve(int fd) {
  struct peer *peer = peers[fd];
  ssize_t got = recv(fd, peer->data + peer->size, BUFFER - peer->size, 0);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) {
    close(fd);
    return;
  }
  peer->size += got;
  size_t size;
  while ((size = message_size(peer->data, peer->size))) {
    take(peer->data, size);
    int closes = says_close(peer->data, size);
    if (send(fd, closes ? LAST : ANSWER, (closes ? sizeof LAST : sizeof ANSWER) - 1, MSG_NOSIGNAL) < 0) closes = 1;
    if (closes) {
      close(fd);
      return;
    }
    memmove(peer->data, peer->data + size, peer->size -= size);
  }
}

// Serves what has come; true when it is standard input.
static int turn(int timeout) {
  struct epoll_event events[EVENTS];
  int ready = epoll_wait(poll_fd, events, EVENTS, timeout), input = 0;
  for (int number = 0; number < ready; number += 1) {
    int fd = events[number].data.fd;
    if (fd == 0) {
      input = 1;
    } else if (listens[fd]) {
      int client;
      while ((client = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        if (client >= DESCRIPTORS) {
          close(client);
          continue;
        }
        if (!peers[client]) peers[client] = malloc(sizeof **peers);
        peers[client]->size = 0;
        watch(poll_fd, client, EPOLLIN);
      }
    } else {
      serve(fd);
    }
  }
  return input;
}

static void expect(char *rest) {
  memset(heard, 0, sizeof heard);
  subscribers = messages = matches_last = 0;
  last_heard = any_heard = now_us();
  int count = 0;
  for (char *text = strtok(rest, " \n"); text && count < 7; text = strtok(NULL, " \n")) texts[count++] = text;
  texts[count] = NULL;
}

static void wait_also_for(int fd, short what) {
  struct pollfd both[] = {{.fd = poll_fd, .events = POLLIN}, {.fd = fd, .events = what}};
  poll(both, 2, 100);
  turn(0);
}

// Sends a request on a connection of its own, and serves the subscribers until its answer has come.
static size_t call(const struct sockaddr_in *to, const char *request, size_t size, char *answer) {
  int fd = begin_connect(to), sent = 0;
  size_t got = 0;
  for (double end = now_us() + 5e6; now_us() < end; wait_also_for(fd, sent ? POLLIN : POLLOUT)) {
    if (!sent) sent = send(fd, request, size, MSG_NOSIGNAL) == (ssize_t)size;
    ssize_t more = sent ? recv(fd, answer + got, BUFFER - got, 0) : -1;
    if (more > 0) got += more;
    if (more == 0 || message_size(answer, got)) break;
  }
  close(fd);
  return got;
}

static int compare(const void *one, const void *two) {
  double a = *(const double *)one, b = *(const double *)two;
  return (a > b) - (a < b);
}

static void fire(const struct sockaddr_in *to, const char *request, size_t size, int count, double ms, char *rest) {
  static char answer[BUFFER];
  expect(rest);
  double begun = now_us();
  call(to, request, size, answer);
  while (subscribers < count && now_us() < begun + ms * 1000) turn(20);
  printf("%.1f %d %d\n", last_heard - begun, subscribers, messages);
}

static void first(const struct sockaddr_in *to, const char *file, const char *second, int rounds) {
  static char answer[BUFFER], farewell[BUFFER];
  size_t size, length;
  char *subscribe = whole_file(file, &size), *unsubscribe = whole_file(second, &length), none[] = "";
  double *times = calloc(rounds, sizeof *times);
  int done = 0;
  for (int number = 0; number < rounds; number += 1) {
    expect(none);
    double begun = now_us();
    size_t got = call(to, subscribe, size, answer);
    while (!messages && now_us() < begun + 2e6) turn(20);
    const char *sid = field(answer, got, "SID: ");
    if (!messages || !sid) continue;
    times[done++] = any_heard - begun;
    int name = strcspn(sid, "\r\n");
    memcpy(farewell, unsubscribe, length);
    int total = length + sprintf(farewell + length, "%.*s\r\n\r\n", name, sid);
    call(to, farewell, total, answer);
  }
  qsort(times, done, sizeof *times, compare);
  printf("%.1f %d\n", done ? times[done / 2] : 0, done);
}

static void burst(const struct sockaddr_in *to, const char *requests, size_t size, int count, char *rest) {
  static char answer[BUFFER];
  expect(rest);
  double begun = now_us();
  for (int number = 0; number < count; number += 1) call(to, requests + size / count * number, size / count, answer);
  double taken = now_us() - begun;
  any_heard = now_us();
  while (now_us() < any_heard + 1e6) turn(20);
  printf("%d %d %.1f\n", messages, matches_last, taken);
}

int main(int count, char **arguments) {
  if (count != 3) return 64;
  poll_fd = epoll_create1(0);
  watch(poll_fd, 0, EPOLLIN);
  printf("ports");
  for (int ports = atoi(arguments[2]); ports > 0; ports -= 1) {
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    int listener = listen_on(arguments[1], "0");
    if (listener >= DESCRIPTORS) die("ports");
    listens[listener] = 1;
    getsockname(listener, (struct sockaddr *)&address, &length);
    watch(poll_fd, listener, EPOLLIN);
    printf(" %d", ntohs(address.sin_port));
  }
  printf("\n");
  fflush(stdout);
  char line[1024], verb[16], host[64], port[16], file[256];
  for (;;) {
    if (!turn(-1)) continue;
    // One command is given at a time, so nothing is left in the buffer of standard input.
    if (!fgets(line, sizeof line, stdin)) return 0;
    int at = 0;
    if (sscanf(line, "%15s %63s %15s %255s %n", verb, host, port, file, &at) < 4) return 64;
    struct sockaddr_in to = address_of(host, port);
    char second[256] = "";
    int number = 0, next = 0;
    size_t size;
    char *data = whole_file(file, &size);
    double ms = 0;
    if (strcmp(verb, "fire") == 0 && sscanf(line + at, "%d %lf %n", &number, &ms, &next) >= 2)
      fire(&to, data, size, number, ms, line + at + next);
    else if (strcmp(verb, "burst") == 0 && sscanf(line + at, "%d %n", &number, &next) >= 1)
      burst(&to, data, size, number, line + at + next);
    else if (strcmp(verb, "first") == 0 && sscanf(line + at, "%255s %d", second, &number) == 2)
      first(&to, file, second, number);
    else
      return 64;
    free(data);
    fflush(stdout);
  }
}
