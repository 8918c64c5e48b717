// HTTP and HTTPS through libcurl, which is loaded on first use, so that whoever needs none doesn't pay for it.
#pragma once

typedef struct {
  void *context;
  /// Whether an address (4 or 16 bytes in network order) may be connected to.
  int (*may_connect)(void *context, const unsigned char *address, int length, int port);
  /// Takes a piece of the body; returns 0 to give up.
  int (*take)(void *context, const unsigned char *bytes, long count);
  /// Asked about once a second; returns 0 to give up.
  int (*goes_on)(void *context);
} ccurl_reader;

/// Gets what is at `url` (https only), without following redirects; blocks. Threads may call it at the same time.
///
/// Returns the status, or 0 if nothing came: no libcurl, no connection, no valid certificate, too slow. `location` becomes
/// where a redirect leads, which the caller frees, or NULL. `authorities` is a file of certificates that are trusted, or NULL
/// for the system's. `connect` and `whole` are milliseconds.
int ccurl_get(const char *url, const char *agent, const char *authorities, long connect, long whole, ccurl_reader reader,
              char **location);

typedef struct {
  void *context;
  /// Takes a line of the answer's head, with its end.
  void (*field)(void *context, const unsigned char *bytes, long count);
} ccurl_answer;

/// Posts `body` to `url`, without following redirects; blocks, `time` milliseconds at most. Threads may call it at the same
/// time.
///
/// `fields` are lines of the head ("Name: value") and end with NULL. The address must be https, or http if `is_plain`.
/// Returns the status; 0 if no whole answer came, and `trouble` then says why (a constant); -1 without libcurl.
int ccurl_post(const char *url, const char *agent, const char *const *fields, const unsigned char *body, long length,
               long time, int is_plain, ccurl_reader reader, ccurl_answer answer, const char **trouble);
