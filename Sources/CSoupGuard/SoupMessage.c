#include "SoupMessage.h"

#include <dlfcn.h>

void *csoupguard_library(void) { return dlopen("libsoup-3.0.so.0", RTLD_LAZY | RTLD_NOLOAD); }

void csoupguard_listen(void *library, const char *signal, GSignalEmissionHook hook) {
  // There is no other way to get the type of messages before the first one is made.
  GType (*type_of_messages)(void) = library ? (GType (*)(void))dlsym(library, "soup_message_get_type") : NULL;
  gpointer class = type_of_messages ? g_type_class_ref(type_of_messages()) : NULL;
  guint number = class ? g_signal_lookup(signal, G_TYPE_FROM_CLASS(class)) : 0;
  if (number) g_signal_add_emission_hook(number, 0, hook, NULL, NULL);
}
