// Servers that send something else than HTTP, which GStreamer's HTTP source doesn't tell from servers that are away.
#pragma once

#include <glib.h>

/// Starts to record which servers send something, but no answer in HTTP: another protocol, TLS where none is expected or
/// none where it is, or a head without end. Call it for each new source; it costs nothing later. With any libsoup but
/// version 3 nothing is recorded.
void csoupguard_note_answers(void);

/// Whether the server of `uri` did so. Each case is returned once.
gboolean csoupguard_take_answer_fault(const char *uri);
