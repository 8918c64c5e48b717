// cast HOST PORT REQUEST-FILE [REQUEST-FILE …]
//
// Sends the requests, each on a connection of its own behind the answer to the one before, and writes when it began, in seconds of
// CLOCK_MONOTONIC. Fails when an answer isn't "200".
#include "net.h"
#include <poll.h>

static void wait_for(int fd, short what) {
  struct pollfd one = {.fd = fd, .events = what};
  if (poll(&one, 1, 5000) != 1) die("poll");
}

int main(int count, char **arguments) {
  if (count < 4) return 64;
  struct sockaddr_in to = address_of(arguments[1], arguments[2]);
  static char answer[BUFFER];
  double begun = 0;
  for (int number = 3; number < count; number += 1) {
    size_t size, got = 0;
    char *request = whole_file(arguments[number], &size);
    if (!begun) begun = now_us();
    int fd = begin_connect(&to);
    wait_for(fd, POLLOUT);
    if (send(fd, request, size, MSG_NOSIGNAL) != (ssize_t)size) die("send");
    while (!message_size(answer, got)) {
      wait_for(fd, POLLIN);
      ssize_t more = recv(fd, answer + got, BUFFER - got, 0);
      if (more <= 0) break;
      got += more;
    }
    close(fd);
    if (got < 13 || memcmp(answer + 8, " 200", 4) != 0) return 1;
  }
  printf("%.6f\n", begun / 1e6);
  return 0;
}
