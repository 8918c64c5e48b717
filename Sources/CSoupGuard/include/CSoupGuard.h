// Works around faults of GStreamer's HTTP source and libsoup: a crash, a memory leak, a wrong length, and
// (HeaderText.c, which needs no call) names that lose letters.
#pragma once

#include "AnswerFaults.h"
#include "CertificateFaults.h"

/// Fixes libsoup's stream class, once it is registered. Call it on the data's thread; later calls cost nothing.
///
/// `souphttpsrc` of GStreamer 1.22 drops its stream on one thread while the cancelled read still holds it on another.
/// If the read is last to drop it, the stream is closed after its message is over, and libsoup 3.2 looks for the
/// message's connection at address 0: about once in 3000 tracks that are stopped while they load. Newer GStreamer
/// closes the stream on one thread only; libsoup 3.6 (Debian 13) has the same layout and still looks there.
void csoupguard_fix_stream_close(void);

/// Fixes `souphttpsrc`'s session class, once registered. Call it before a source is stopped; later calls cost nothing.
///
/// Each source has a session, whose finalize, in GStreamer 1.22, doesn't chain up to GObject's own. What that would
/// free is leaked: 32 and 16 bytes, with which GObject held back the notifications of an object that is being
/// destroyed.
void csoupguard_fix_session_finalize(void);

/// Makes `souphttpsrc` ignore the compressed length of an answer. Call it for each new source; it costs nothing later.
///
/// libsoup decompresses what a server sends compressed, requested or not, but the header still states the compressed
/// length, and GStreamer 1.22 ends the stream there.
void csoupguard_fix_content_length(void);
