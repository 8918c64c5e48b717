// What Swift can't reach of GStreamer itself: macros and variadic functions.
#pragma once
#include <gst/audio/audio.h>
#include <gst/gst.h>
