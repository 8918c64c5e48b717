// The icons, as read-only data: they take no memory until one is read.
#pragma once
#include <stddef.h>

int cicons_count(void);

/// The PNG at `index`, from small to large; NULL beyond the last one.
const unsigned char *cicons_bytes(int index, long *length);
