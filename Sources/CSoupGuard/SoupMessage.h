// Access to all messages of libsoup.
#pragma once

#include <glib-object.h>

/// libsoup 3, once the HTTP source has loaded it; otherwise NULL. Nothing here links to it.
void *csoupguard_library(void);

/// Calls `hook` whenever a message emits `signal`; never with another version of libsoup.
void csoupguard_listen(void *library, const char *signal, GSignalEmissionHook hook);
