#include "ServerFaults.h"

#include <gio/gio.h>

static char *server_of(GUri *uri) {
  if (!uri || !g_uri_get_host(uri)) return NULL;
  int port = g_uri_get_port(uri);
  if (port <= 0) port = g_ascii_strcasecmp(g_uri_get_scheme(uri), "https") == 0 ? 443 : 80;
  char *host = g_ascii_strdown(g_uri_get_host(uri), -1);
  char *server = g_strdup_printf("%s:%d", host, port);
  g_free(host);
  return server;
}

/// The server that `message` asks, which the caller frees; NULL if it asks none.
static char *server_asked(GObject *message) {
  GUri *uri = NULL;
  g_object_get(message, "uri", &uri, NULL);
  char *server = server_of(uri);
  if (uri) g_uri_unref(uri);
  return server;
}

/// Forgets what was found of `server`, and returns the last of it, or 0.
static unsigned take(ServerFaults *faults, char *server) {
  unsigned flags = 0;
  g_mutex_lock(&faults->lock);
  for (size_t index = 0; index < G_N_ELEMENTS(faults->found); index++) {
    if (g_strcmp0(faults->found[index].server, server) != 0) continue;
    if (!flags) flags = faults->found[index].flags;
    g_clear_pointer(&faults->found[index].server, g_free);
  }
  g_mutex_unlock(&faults->lock);
  return flags;
}

void csoupguard_note(ServerFaults *faults, GObject *message, unsigned flags) {
  char *server = server_asked(message);
  if (!server) return;
  g_mutex_lock(&faults->lock);
  size_t last = G_N_ELEMENTS(faults->found) - 1;
  g_free(faults->found[last].server);
  for (size_t index = last; index > 0; index--) faults->found[index] = faults->found[index - 1];
  faults->found[0].server = server;
  faults->found[0].flags = flags;
  g_mutex_unlock(&faults->lock);
}

void csoupguard_forget(ServerFaults *faults, GObject *message) {
  char *server = server_asked(message);
  if (server) take(faults, server);
  g_free(server);
}

unsigned csoupguard_take(ServerFaults *faults, const char *text) {
  GUri *uri = g_uri_parse(text, G_URI_FLAGS_NON_DNS | G_URI_FLAGS_PARSE_RELAXED, NULL);
  char *server = server_of(uri);
  if (uri) g_uri_unref(uri);
  unsigned flags = server ? take(faults, server) : 0;
  g_free(server);
  return flags;
}
