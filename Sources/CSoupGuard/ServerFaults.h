// What was last found wrong with servers; for use in this module.
#pragma once

#include <glib-object.h>

/// The last few servers of which something was found, newest first; only a few tracks are opened at a time.
typedef struct {
  struct {
    /// `host:port`.
    char *server;
    unsigned flags;
  } found[8];
  GMutex lock;
} ServerFaults;

/// Notes `flags` of the server that `message` asks.
void csoupguard_note(ServerFaults *faults, GObject *message, unsigned flags);

/// Forgets what was found of the server that `message` asks.
void csoupguard_forget(ServerFaults *faults, GObject *message);

/// What was last found of the server of `text`, an address, or 0. It is forgotten.
unsigned csoupguard_take(ServerFaults *faults, const char *text);
