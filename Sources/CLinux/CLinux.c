#define _GNU_SOURCE
#include "CLinux.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <malloc.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int argument_count;
static char **arguments;

// glibc calls constructors with main's arguments.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}

const char *clinux_argument(int index) {
  return index >= 0 && index < argument_count ? arguments[index] : NULL;
}

int clinux_trim_heap(void) { return malloc_trim(0); }

// Read-only segments are identical to the file, unless the code itself was relocated (text relocations).
static int unmap_constant_pages(struct dl_phdr_info *object, size_t size, void *page) {
  (void)size;
  for (int number = 0; number < object->dlpi_phnum; number += 1) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[number];
    if (segment->p_type != PT_DYNAMIC) continue;
    for (const ElfW(Dyn) *entry = (void *)(object->dlpi_addr + segment->p_vaddr); entry->d_tag != DT_NULL; entry += 1)
      if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL)) return 0;
  }
  uintptr_t mask = *(long *)page - 1;
  for (int number = 0; number < object->dlpi_phnum; number += 1) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[number];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    // Only whole pages: the neighbouring segment may share the others.
    uintptr_t start = (object->dlpi_addr + segment->p_vaddr + mask) & ~mask;
    uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_filesz) & ~mask;
    if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

void clinux_drop_code_pages(void) {
  long page = sysconf(_SC_PAGESIZE);
  dl_iterate_phdr(unmap_constant_pages, &page);
}

void clinux_limit_heaps(void) {
  mallopt(M_ARENA_MAX, 2);
  // By default glibc raises these thresholds with the largest block freed, and then keeps up to 64 MB for good.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 2 << 20);
}

void clinux_name_thread(const char *name) {
  char text[16];
  snprintf(text, sizeof text, "%s", name);
  pthread_setname_np(pthread_self(), text);
}

int clinux_schedule_thread(int priority) {
  struct sched_param parameters = {.sched_priority = priority};
  int policy = priority > 0 ? SCHED_RR : SCHED_OTHER;
  return sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &parameters);
}

int clinux_keep_datagrams_with_prefix(int socket, const char prefix[4]) {
  const unsigned char *p = (const unsigned char *)prefix;
  unsigned int word = (unsigned int)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
  struct sock_filter program[] = {
      // The filter sees the UDP header (8 bytes) first.
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

int clinux_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

int clinux_spawn(char *const arguments[], char *const environment[], int output) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  int error = posix_spawn_file_actions_init(&files);
  if (error != 0) return -error;
  error = posix_spawnattr_init(&attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(&files);
    return -error;
  }
  pid_t process = 0;
  error = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  if (error == 0) error = posix_spawnattr_setpgroup(&attributes, 0);
  if (error == 0) error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (error == 0) error = posix_spawnattr_setsigmask(&attributes, &none);
  if (error == 0)
    error = posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  if (error == 0) error = posix_spawn(&process, arguments[0], &files, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? process : -error;
}

int clinux_process_descriptor(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int clinux_await_process(int process) {
  siginfo_t information;
  int result;
  do result = waitid(P_PID, (id_t)process, &information, WEXITED | WNOWAIT);
  while (result != 0 && errno == EINTR);
  return result;
}

int clinux_reap(int process) {
  int status = 0;
  pid_t result;
  do result = waitpid(process, &status, 0);
  while (result < 0 && errno == EINTR);
  if (result < 0) return 0;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int clinux_open_datagrams(unsigned address, unsigned short port, int shared) {
  int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  int on = 1, off = 0, room = 1 << 20;
  struct sockaddr_in name = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
  if ((shared && setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0) ||
      setsockopt(descriptor, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof off) < 0 ||
      setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) < 0 ||
      bind(descriptor, (struct sockaddr *)&name, sizeof name) < 0) {
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
  }
  // The kernel may allow less; that is enough for some tenths of a second.
  setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  return descriptor;
}

int clinux_join_group(int socket, unsigned group, unsigned address, int hops) {
  struct ip_mreqn request = {.imr_multiaddr.s_addr = htonl(group), .imr_address.s_addr = htonl(address)};
  if (setsockopt(socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request) < 0 && errno != EADDRINUSE)
    return -1;
  return clinux_send_groups_from(socket, address, hops);
}

int clinux_send_groups_from(int socket, unsigned address, int hops) {
  struct ip_mreqn request = {.imr_address.s_addr = htonl(address)};
  if (setsockopt(socket, IPPROTO_IP, IP_MULTICAST_IF, &request, sizeof request) < 0) return -1;
  return setsockopt(socket, IPPROTO_IP, IP_MULTICAST_TTL, &hops, sizeof hops);
}

int clinux_connect_datagrams(int socket, unsigned address, unsigned short port) {
  struct sockaddr_in name = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
  return connect(socket, (struct sockaddr *)&name, sizeof name);
}

long clinux_send_datagram(int socket, const void *bytes, unsigned long count, unsigned address, unsigned short port) {
  struct sockaddr_in name = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
  return sendto(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&name, sizeof name);
}

long clinux_send_group(int socket, const void *bytes, unsigned long count, unsigned address, unsigned short port,
                       unsigned source) {
  struct sockaddr_in name = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
  union {
    char bytes[CMSG_SPACE(sizeof(struct in_pktinfo))];
    struct cmsghdr aligned;
  } control = {0};
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_name = &name,
                           .msg_namelen = sizeof name,
                           .msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = IPPROTO_IP;
  header->cmsg_type = IP_PKTINFO;
  header->cmsg_len = CMSG_LEN(sizeof(struct in_pktinfo));
  // The kernel takes the interface that has this address.
  struct in_pktinfo from = {.ipi_spec_dst.s_addr = htonl(source)};
  memcpy(CMSG_DATA(header), &from, sizeof from);
  return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int clinux_send_to_all(int socket, const void *bytes, unsigned long count, const unsigned *addresses,
                       const unsigned short *ports, int receivers) {
  enum { most = 64 };
  struct sockaddr_in names[most];
  struct mmsghdr messages[most];
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  if (receivers > most) receivers = most;
  for (int i = 0; i < receivers; i++) {
    names[i] = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(ports[i]), .sin_addr.s_addr = htonl(addresses[i])};
    messages[i] = (struct mmsghdr){.msg_hdr = {.msg_name = &names[i],
                                               .msg_namelen = sizeof names[i],
                                               .msg_iov = &part,
                                               .msg_iovlen = 1}};
  }
  int done = 0, sent = 0;
  // An error is about one receiver; the others get it all the same.
  while (done < receivers) {
    int some = sendmmsg(socket, messages + done, receivers - done, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (some > 0) sent += some;
    done += some > 0 ? some : 1;
  }
  return sent;
}

unsigned clinux_wait_readable(const int *descriptors, int count, long long nanoseconds) {
  enum { most = 16 };
  struct pollfd polled[most];
  if (count > most) count = most;
  for (int i = 0; i < count; i++) polled[i] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000LL, .tv_nsec = nanoseconds % 1000000000LL};
  if (ppoll(polled, count, nanoseconds < 0 ? NULL : &limit, NULL) <= 0) return 0;
  unsigned readable = 0;
  for (int i = 0; i < count; i++)
    if (polled[i].revents) readable |= 1u << i;
  return readable;
}

static long long nanoseconds(struct timespec time) { return time.tv_sec * 1000000000LL + time.tv_nsec; }

long clinux_receive_datagram(int socket, void *bytes, unsigned long room, unsigned *address, unsigned short *port,
                             long long *arrival) {
  struct sockaddr_in name = {0};
  union {
    char bytes[CMSG_SPACE(sizeof(struct timespec))];
    struct cmsghdr aligned;
  } control;
  struct iovec part = {.iov_base = bytes, .iov_len = room};
  struct msghdr message = {.msg_name = &name,
                           .msg_namelen = sizeof name,
                           .msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof control};
  long count = recvmsg(socket, &message, MSG_DONTWAIT);
  if (count < 0) return -1;
  *address = ntohl(name.sin_addr.s_addr);
  *port = ntohs(name.sin_port);
  struct timespec real, monotonic;
  clock_gettime(CLOCK_REALTIME, &real);
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  *arrival = nanoseconds(monotonic);
  for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item)) {
    if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_TIMESTAMPNS) continue;
    struct timespec stamp;
    memcpy(&stamp, CMSG_DATA(item), sizeof stamp);
    long long age = nanoseconds(real) - nanoseconds(stamp);
    if (age >= 0 && age < 200000000LL) *arrival -= age;
  }
  return message.msg_flags & MSG_TRUNC ? 0 : count;
}

int clinux_clock_is_set(void) {
  struct timex clock;
  memset(&clock, 0, sizeof clock);
  int state = adjtimex(&clock);
  if (state >= 0 && state != TIME_ERROR && (clock.status & STA_UNSYNC) == 0) return 1;
  // A sandbox may forbid the question. systemd's time service leaves this file once it has set the clock.
  return access("/run/systemd/timesync/synchronized", F_OK) == 0;
}
