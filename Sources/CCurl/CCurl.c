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
  OPT_POSTFIELDS = 10015,
  OPT_USERAGENT = 10018,
  OPT_HTTPHEADER = 10023,
  OPT_HEADERDATA = 10029,
  OPT_XFERINFODATA = 10057,
  OPT_CAINFO = 10065,
  OPT_OPENSOCKETDATA = 10164,
  OPT_WRITEFUNCTION = 20011,
  OPT_HEADERFUNCTION = 20079,
  OPT_OPENSOCKETFUNCTION = 20163,
  OPT_XFERINFOFUNCTION = 20219,
  OPT_NOPROGRESS = 43,
  OPT_POSTFIELDSIZE = 60,
  OPT_NOSIGNAL = 99,
  OPT_TIMEOUT_MS = 155,
  OPT_CONNECTTIMEOUT_MS = 156,
  OPT_PROTOCOLS = 181,
  INFO_RESPONSE_CODE = 0x200002,
  INFO_REDIRECT_URL = 0x10001f,
  GLOBAL_DEFAULT = 3,
  PROTOCOL_HTTP = 1,
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
static const char *(*easy_strerror)(int);
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
  FIND(easy_strerror)
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

static int is_there(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return is_loaded;
}

// What all transfers have in common; NULL where there is no libcurl.
static void *prepared(const char *url, const char *agent, const char *authorities, long connect, long whole, long protocols,
                      ccurl_reader *reader) {
  if (!is_there()) return NULL;
  void *easy = easy_init();
  if (easy == NULL) return NULL;
  easy_setopt(easy, OPT_URL, url);
  easy_setopt(easy, OPT_PROTOCOLS, protocols);
  // A proxy of the environment would connect where it likes.
  easy_setopt(easy, OPT_PROXY, "");
  easy_setopt(easy, OPT_NOSIGNAL, 1L);
  easy_setopt(easy, OPT_USERAGENT, agent);
  if (authorities != NULL) easy_setopt(easy, OPT_CAINFO, authorities);
  easy_setopt(easy, OPT_CONNECTTIMEOUT_MS, connect);
  easy_setopt(easy, OPT_TIMEOUT_MS, whole);
  easy_setopt(easy, OPT_NOPROGRESS, 0L);
  easy_setopt(easy, OPT_XFERINFOFUNCTION, stops);
  easy_setopt(easy, OPT_XFERINFODATA, (void *)reader);
  easy_setopt(easy, OPT_OPENSOCKETFUNCTION, opened);
  easy_setopt(easy, OPT_OPENSOCKETDATA, (void *)reader);
  easy_setopt(easy, OPT_WRITEFUNCTION, took);
  easy_setopt(easy, OPT_WRITEDATA, (void *)reader);
  return easy;
}

int ccurl_get(const char *url, const char *agent, const char *authorities, long connect, long whole, ccurl_reader reader,
              char **location) {
  *location = NULL;
  void *easy = prepared(url, agent, authorities, connect, whole, PROTOCOL_HTTPS, &reader);
  if (easy == NULL) return 0;
  void *fields = slist_append(NULL, "Accept: image/*");
  easy_setopt(easy, OPT_HTTPHEADER, fields);
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

static size_t heard(char *bytes, size_t size, size_t count, void *answer) {
  ccurl_answer *to = answer;
  to->field(to->context, (const unsigned char *)bytes, (long)(size * count));
  return size * count;
}

int ccurl_post(const char *url, const char *agent, const char *const *fields, const unsigned char *body, long length,
               long time, int is_plain, ccurl_reader reader, ccurl_answer answer, const char **trouble) {
  *trouble = NULL;
  void *easy = prepared(url, agent, NULL, time, time, is_plain ? PROTOCOL_HTTP : PROTOCOL_HTTPS, &reader);
  if (easy == NULL) return -1;
  // Nobody is asked whether the body may be sent.
  void *list = slist_append(NULL, "Expect:");
  for (; *fields != NULL; fields++) list = slist_append(list, *fields);
  easy_setopt(easy, OPT_HTTPHEADER, list);
  easy_setopt(easy, OPT_POSTFIELDSIZE, length);
  easy_setopt(easy, OPT_POSTFIELDS, body);
  easy_setopt(easy, OPT_HEADERFUNCTION, heard);
  easy_setopt(easy, OPT_HEADERDATA, (void *)&answer);
  long status = 0;
  int code = easy_perform(easy);
  if (code == 0) {
    easy_getinfo(easy, INFO_RESPONSE_CODE, &status);
  } else {
    *trouble = easy_strerror(code);
  }
  slist_free_all(list);
  easy_cleanup(easy);
  return (int)status;
}
