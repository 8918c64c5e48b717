#include "CSoupGuard.h"

#include <gio/gio.h>

typedef gboolean (*close_function)(GInputStream *, GCancellable *, GError **);
static close_function original;

/// Closing a stream whose message is over is done already.
static gboolean checked_close(GInputStream *stream, GCancellable *cancellable, GError **error) {
  GObject *message = NULL;
  g_object_get(stream, "message", &message, NULL);
  if (message) {
    // The first thing in a message's private part is what carries it; NULL once it is over. Where another version of
    // libsoup keeps something else there, that isn't NULL, and nothing changes.
    void **carrier = g_type_instance_get_private((GTypeInstance *)message, g_type_from_name("SoupMessage"));
    gboolean is_over = carrier && *carrier == NULL;
    g_object_unref(message);
    if (is_over) return TRUE;
  }
  return original(stream, cancellable, error);
}

void csoupguard_install(void) {
  static gsize is_done = 0;
  if (g_atomic_pointer_get(&is_done)) return;
  // Not registered before the first answer.
  GType type = g_type_from_name("SoupClientInputStream");
  if (!type || !g_type_from_name("SoupMessage") || !g_once_init_enter(&is_done)) return;
  GInputStreamClass *class = g_type_class_ref(type);
  original = class->close_fn;
  class->close_fn = checked_close;
  g_once_init_leave(&is_done, 1);
}
