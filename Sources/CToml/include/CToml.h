// TOML, parsed by toml++ and returned as plain data.
//
// A document is one array of nodes in pre-order. Each node names its parent by index, so the caller can build any tree
// from it without further calls. Nothing here throws, and there is no state besides the document.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ctoml_kind {
  ctoml_kind_table,
  ctoml_kind_array,
  ctoml_kind_string,
  ctoml_kind_integer,
  ctoml_kind_float,
  ctoml_kind_boolean,
  /// Dates and times: recognised, but their value isn't read.
  ctoml_kind_date,
};

/// Line and column, counted from 1; 0 when unknown.
struct ctoml_position {
  uint32_t line;
  uint32_t column;
};

struct ctoml_node {
  int32_t kind;
  /// Index of the table or array that holds this node; -1 for the root table.
  int32_t parent;
  /// UTF-8, not terminated; NULL inside arrays and for the root.
  const char *key;
  size_t key_length;
  struct ctoml_position key_position;
  struct ctoml_position value_position;
  /// Set for strings: UTF-8, not terminated, may contain NUL.
  const char *text;
  size_t text_length;
  int64_t integer;
  double number;
  bool boolean;
};

struct ctoml_document;

/// Parses `length` bytes. NULL only when memory has run out.
struct ctoml_document *ctoml_parse(const char *bytes, size_t length);
void ctoml_free(struct ctoml_document *document);

/// NULL when the document was parsed; otherwise the error message, with its place in `position`.
const char *ctoml_error(const struct ctoml_document *document, struct ctoml_position *position);

/// All nodes, the root table first; none after an error. Valid until the document is freed.
const struct ctoml_node *ctoml_nodes(const struct ctoml_document *document, size_t *count);

#ifdef __cplusplus
}
#endif
