// Mends what GStreamer's HTTP source and libsoup do wrong: a crash, and memory that is lost.
#pragma once

/// Mends libsoup's stream class, once it is there; to be called in the thread that data comes in. Costs nothing later.
///
/// `souphttpsrc` of GStreamer 1.22 drops its stream in one thread while the read that was cancelled still holds it in
/// another. If that one is last, the stream is closed after its message is over, and libsoup 3.2 looks for the
/// message's connection at address 0: about once in 3000 tracks that are stopped while they load. Newer GStreamer
/// closes the stream in one thread only; libsoup 3.6 (Debian 13) is laid out alike and still looks there.
void csoupguard_mend_stream(void);

/// Mends `souphttpsrc`'s session class, once it is there; to be called before a source is stopped. Costs nothing later.
///
/// Each source has a session, whose finalize, in GStreamer 1.22, doesn't go on to GObject's own. What that would free is
/// lost for good: 32 and 16 bytes, by which GObject held back the notifications of an object on its way out.
void csoupguard_mend_session(void);
