// The files of the page, as read-only data: they take no memory until one is read.
#pragma once
#include <stddef.h>

int cpage_count(void);

/// The name of the file at `index`, as in its address: "app.js".
const char *cpage_name(int index);

/// Its bytes.
const unsigned char *cpage_bytes(int index, long *length);
