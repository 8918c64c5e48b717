// What the page consists of, as read-only data: it takes no memory until some of it is read.
#pragma once
#include <stddef.h>

typedef struct {
  // As in addresses: "app.js".
  const char *name;
  const unsigned char *bytes;
  long length;
} cpage_asset;

/// The file at `index`; its name is NULL beyond the last one.
cpage_asset cpage_at(int index);
