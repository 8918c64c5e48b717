#include "CCurl.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// What we need of libcurl's interface, whose numbers never change, so that its headers aren't needed.
enum {
  OPT_WRITEDATA = 10001,
  OPT_URL = 10002,
  OPT_PROXY = 10004,
  OPT_USERAGENT = 10018,
  OPT_HTTPHEADER = 10023,
  OPT_XFERINFODATA = 10057,
  OPT_CAINFO = 10065,
  OPT_OPENSOCKETDATA = 10164,
  OPT_WRITEFUNCTION = 20011,
  OPT_OPENSOCKETFUNCTION = 20163,
  OPT_XFERINFOFUNCTION = 20219,
  OPT_NOPROGRESS = 43,
  OPT_NOSIGNAL = 99,
  OPT_TIMEOUT_MS = 155,
  OPT_CONNECTTIMEOUT_MS = 156,
  OPT_PROTOCOLS = 181,
  INFO_RESPONSE_CODE = 0x200002,
  INFO_REDIRECT_URL = 0x10001f,
  GLOBAL_DEFAULT = 3,
  PROTOCOL_HTTPS = 2,
};

struct curl_sockaddr {
  int family, socktype, protocol;
  unsigned int addrlen;
  struct sockaddr addr;
};

static int (*global_init)(long);
static void *(*easy_init)(void);
static int (*easy_setopt)(void *, int, ...);
static int (*easy_perform)(void *);
static int (*easy_getinfo)(void *, int, ...);
static void (*easy_cleanup)(void *);
static void *(*slist_append)(void *, const char *);
static void (*slist_free_all)(void *);

static int is_loaded;

static void load(void) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define FIND(name) \
  name = (__typeof__(name))dlsym(library, "curl_" #name); \
  if (name == NULL) return;
  FIND(global_init)
  FIND(easy_init)
  FIND(easy_setopt)
  FIND(easy_perform)
  FIND(easy_getinfo)
  FIND(easy_cleanup)
  FIND(slist_append)
  FIND(slist_free_all)
  is_loaded = global_init(GLOBAL_DEFAULT) == 0;
}

static size_t took(char *bytes, size_t size, size_t count, void *reader) {
  ccurl_reader *to = reader;
  return to->take(to->context, (const unsigned char *)bytes, (long)(size * count)) ? size * count : 0;
}

static int stops(void *reader, long long total, long long now, long long sent_total, long long sent) {
  (void)total, (void)now, (void)sent_total, (void)sent;
  ccurl_reader *to = reader;
  return !to->goes_on(to->context);
}

static int opened(void *reader, int purpose, struct curl_sockaddr *peer) {
  (void)purpose;
  ccurl_reader *to = reader;
  int may = 0;
  if (peer->family == AF_INET) {
    const struct sockaddr_in *address = (const void *)&peer->addr;
    may = to->may_connect(to->context, (const void *)&address->sin_addr, 4, ntohs(address->sin_port));
  } else if (peer->family == AF_INET6) {
    const struct sockaddr_in6 *address = (const void *)&peer->addr;
    may = to->may_connect(to->context, (const void *)&address->sin6_addr, 16, ntohs(address->sin6_port));
  }
  return may ? socket(peer->family, peer->socktype | SOCK_CLOEXEC, peer->protocol) : -1;
}

int ccurl_get(const char *url, const char *agent, const char *authorities, long connect, long whole, ccurl_reader reader,
              char **location) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  *location = NULL;
  pthread_once(&once, load);
  if (!is_loaded) return 0;
  void *easy = easy_init();
  if (easy == NULL) return 0;
  void *fields = slist_append(NULL, "Accept: image/*");
  easy_setopt(easy, OPT_URL, url);
  easy_setopt(easy, OPT_PROTOCOLS, (long)PROTOCOL_HTTPS);
  // A proxy of the environment would connect where it likes.
  easy_setopt(easy, OPT_PROXY, "");
  easy_setopt(easy, OPT_NOSIGNAL, 1L);
  easy_setopt(easy, OPT_USERAGENT, agent);
  easy_setopt(easy, OPT_HTTPHEADER, fields);
  if (authorities != NULL) easy_setopt(easy, OPT_CAINFO, authorities);
  easy_setopt(easy, OPT_CONNECTTIMEOUT_MS, connect);
  easy_setopt(easy, OPT_TIMEOUT_MS, whole);
  easy_setopt(easy, OPT_NOPROGRESS, 0L);
  easy_setopt(easy, OPT_XFERINFOFUNCTION, stops);
  easy_setopt(easy, OPT_XFERINFODATA, (void *)&reader);
  easy_setopt(easy, OPT_OPENSOCKETFUNCTION, opened);
  easy_setopt(easy, OPT_OPENSOCKETDATA, (void *)&reader);
  easy_setopt(easy, OPT_WRITEFUNCTION, took);
  easy_setopt(easy, OPT_WRITEDATA, (void *)&reader);
  long status = 0;
  if (easy_perform(easy) == 0) {
    char *target = NULL;
    easy_getinfo(easy, INFO_RESPONSE_CODE, &status);
    if (easy_getinfo(easy, INFO_REDIRECT_URL, &target) == 0 && target != NULL) *location = strdup(target);
  }
  slist_free_all(fields);
  easy_cleanup(easy);
  return (int)status;
}
