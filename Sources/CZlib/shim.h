// zlib for Swift, with a function for a macro that Swift can't import.
#pragma once
#include <zlib.h>

// Begins a stream in gzip's format (RFC 1952). Level 1…9.
static inline int czlib_begin_gzip(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
