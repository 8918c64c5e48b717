#include "CSoupGuard.h"

#include <gio/gio.h>

typedef gboolean (*close_function)(GInputStream *, GCancellable *, GError **);
static close_function close_stream;
static void (*finalize_session)(GObject *);

/// Skips closing a stream whose message is over: that has been done already.
static gboolean checked_close(GInputStream *stream, GCancellable *cancellable, GError **error) {
  GObject *message = NULL;
  g_object_get(stream, "message", &message, NULL);
  if (message) {
    // The first field of a message's private data is its I/O state, NULL once the message is over. If another version
    // of libsoup keeps something else there, it isn't NULL, and nothing changes.
    void **carrier = g_type_instance_get_private((GTypeInstance *)message, g_type_from_name("SoupMessage"));
    gboolean is_over = carrier && *carrier == NULL;
    g_object_unref(message);
    if (is_over) return TRUE;
  }
  return close_stream(stream, cancellable, error);
}

/// Frees what GObject's own finalize would free. If that has run, nothing is left, and nothing happens.
static void complete_finalize(GObject *session) {
  finalize_session(session);
  g_datalist_clear(&session->qdata);
}

/// The class `name`, for the first caller, which must leave `is_done` with 1. NULL if there is nothing to do, or
/// nothing to be done yet: types are registered on first use.
static gpointer class_to_mend(const char *name, gsize *is_done) {
  if (g_atomic_pointer_get(is_done)) return NULL;
  GType type = g_type_from_name(name);
  return type && g_once_init_enter(is_done) ? g_type_class_ref(type) : NULL;
}

void csoupguard_fix_stream_close(void) {
  static gsize is_done = 0;
  if (g_atomic_pointer_get(&is_done) || !g_type_from_name("SoupMessage")) return;
  GInputStreamClass *class = class_to_mend("SoupClientInputStream", &is_done);
  if (!class) return;
  close_stream = class->close_fn;
  class->close_fn = checked_close;
  g_once_init_leave(&is_done, 1);
}

void csoupguard_fix_session_finalize(void) {
  static gsize is_done = 0;
  GObjectClass *class = class_to_mend("GstSoupSession", &is_done);
  if (!class) return;
  finalize_session = class->finalize;
  class->finalize = complete_finalize;
  g_once_init_leave(&is_done, 1);
}
