// Keeps the elements that play a track from opening anything but HTTP.
#pragma once

#include <gst/gst.h>

/// Registers an element that takes precedence over every source of this host, for all schemes except `http` and
/// `https`. It never opens anything: when it is started, it reports the address and fails.
///
/// Demuxers of lists (HLS, DASH) have GStreamer make a source for any address that the list names,
/// partly outside of any pipeline, where nothing can check it. So the choice of the source is the one place where they
/// can all be stopped. A source that is made by name, as ours are, isn't affected.
///
/// Call it once, after `gst_init`. Returns FALSE if GStreamer refuses.
gboolean csourceguard_install(void);

/// The refused address that `message` reports (see `csourceguard_install`), which the caller frees with `g_free`; NULL
/// for any other message. The message's source is an element of the pipeline that wanted the address.
char *csourceguard_refused_address(GstMessage *message);
