// Loaded into emulated programs. The emulator knows older options for multicast only.
#define _GNU_SOURCE
#include <netinet/in.h>
#include <sys/syscall.h>
#include <unistd.h>

static int set(int socket, int level, int option, const void *value, socklen_t length) {
  return (int)syscall(SYS_setsockopt, socket, level, option, value, length);
}

int setsockopt(int socket, int level, int option, const void *value, socklen_t length) {
  // Nobody else joins groups in the tests.
  if (level == IPPROTO_IP && option == IP_MULTICAST_ALL) return 0;
  if (option != MCAST_JOIN_GROUP && option != MCAST_LEAVE_GROUP) return set(socket, level, option, value, length);
  const struct group_req *wanted = value;
  int joins = option == MCAST_JOIN_GROUP;
  if (level == IPPROTO_IP) {
    struct ip_mreqn group = {.imr_ifindex = (int)wanted->gr_interface};
    group.imr_multiaddr = ((const struct sockaddr_in *)&wanted->gr_group)->sin_addr;
    return set(socket, level, joins ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP, &group, sizeof group);
  }
  struct ipv6_mreq group = {.ipv6mr_interface = wanted->gr_interface};
  group.ipv6mr_multiaddr = ((const struct sockaddr_in6 *)&wanted->gr_group)->sin6_addr;
  return set(socket, level, joins ? IPV6_JOIN_GROUP : IPV6_LEAVE_GROUP, &group, sizeof group);
}
