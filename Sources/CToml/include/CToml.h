// TOML, read by toml++ and handed out as plain data.
//
// A document is one array of nodes in pre-order: every node names its parent by index, so a reader builds
// whatever tree it likes and needs no further calls. Nothing here throws, and nothing is kept but the document.
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
  /// Dates and times: known to be there, never read.
  ctoml_kind_date,
};

/// Counted from 1; 0 when unknown.
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
  /// Set for strings: UTF-8, not terminated, may hold NUL.
  const char *text;
  size_t text_length;
  int64_t integer;
  double number;
  bool boolean;
};

struct ctoml_document;

/// Parses `length` bytes. Never NULL, save when memory has run out.
struct ctoml_document *ctoml_parse(const char *bytes, size_t length);
void ctoml_free(struct ctoml_document *document);

/// NULL when the document was read; otherwise what is wrong with it, and where.
const char *ctoml_error(const struct ctoml_document *document, struct ctoml_position *position);

/// All nodes, the root table first; none after an error. Valid until the document is freed.
const struct ctoml_node *ctoml_nodes(const struct ctoml_document *document, size_t *count);

#ifdef __cplusplus
}
#endif
