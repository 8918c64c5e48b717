#include "CSoupGuard.h"

#include <dlfcn.h>
#include <gio/gio.h>

#include "SoupMessage.h"

static gpointer (*response_headers)(gpointer message);
static const char *(*header)(gpointer headers, const char *name);
static void (*remove_header)(gpointer headers, const char *name);

/// A message's headers have come, and libsoup has taken from them how much to read.
static gboolean forget_packed_length(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
  (void)hint, (void)count, (void)data;
  gpointer headers = response_headers(g_value_get_object(&values[0]));
  const char *coding = headers ? header(headers, "Content-Encoding") : NULL;
  if (coding && g_ascii_strcasecmp(coding, "identity") != 0) remove_header(headers, "Content-Length");
  return TRUE;
}

void csoupguard_fix_content_length(void) {
  static gsize is_done = 0;
  if (!g_once_init_enter(&is_done)) return;
  // Without libsoup 3 there is nothing to fix.
  void *library = csoupguard_library();
  if (library) {
    response_headers = (gpointer(*)(gpointer))dlsym(library, "soup_message_get_response_headers");
    header = (const char *(*)(gpointer, const char *))dlsym(library, "soup_message_headers_get_one");
    remove_header = (void (*)(gpointer, const char *))dlsym(library, "soup_message_headers_remove");
    if (response_headers && header && remove_header) {
      csoupguard_listen(library, "got-headers", forget_packed_length);
    }
  }
  g_once_init_leave(&is_done, 1);
}
