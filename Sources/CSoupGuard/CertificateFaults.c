#include "CertificateFaults.h"

#include <gio/gio.h>

#include "SoupMessage.h"

/// A server whose certificate was refused, as `host:port`.
typedef struct {
  char *server;
  unsigned flags;
} Fault;

/// Newest first; only a few tracks are opened at a time.
static Fault faults[8];
static GMutex lock;

static char *server_of(GUri *uri) {
  if (!uri || !g_uri_get_host(uri)) return NULL;
  int port = g_uri_get_port(uri);
  char *host = g_ascii_strdown(g_uri_get_host(uri), -1);
  char *server = g_strdup_printf("%s:%d", host, port > 0 ? port : 443);
  g_free(host);
  return server;
}

static void note(char *server, unsigned flags) {
  g_mutex_lock(&lock);
  g_free(faults[G_N_ELEMENTS(faults) - 1].server);
  for (size_t index = G_N_ELEMENTS(faults) - 1; index > 0; index--) faults[index] = faults[index - 1];
  faults[0] = (Fault){server, flags};
  g_mutex_unlock(&lock);
}

/// libsoup asks whether to accept a certificate that GIO rejects.
static gboolean certificate_refused(
    GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
  (void)hint;
  (void)data;
  if (count < 3) return TRUE;
  GUri *uri = NULL;
  g_object_get(g_value_get_object(&values[0]), "uri", &uri, NULL);
  char *server = server_of(uri);
  if (uri) g_uri_unref(uri);
  if (server) note(server, g_value_get_flags(&values[2]));
  return TRUE;
}

void csoupguard_note_certificates(void) {
  static gsize is_done = 0;
  if (!g_once_init_enter(&is_done)) return;
  csoupguard_listen(csoupguard_library(), "accept-certificate", certificate_refused);
  g_once_init_leave(&is_done, 1);
}

unsigned csoupguard_take_certificate_fault(const char *text) {
  GUri *uri = g_uri_parse(text, G_URI_FLAGS_NON_DNS | G_URI_FLAGS_PARSE_RELAXED, NULL);
  char *server = server_of(uri);
  if (uri) g_uri_unref(uri);
  if (!server) return 0;
  unsigned flags = 0;
  g_mutex_lock(&lock);
  for (size_t index = 0; index < G_N_ELEMENTS(faults); index++) {
    if (g_strcmp0(faults[index].server, server) != 0) continue;
    if (!flags) flags = faults[index].flags;
    g_clear_pointer(&faults[index].server, g_free);
  }
  g_mutex_unlock(&lock);
  g_free(server);
  return flags;
}
