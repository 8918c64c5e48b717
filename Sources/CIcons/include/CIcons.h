// The icons, in read-only data: they cost no memory until somebody asks for one.
#pragma once
#include <stddef.h>

int cicons_count(void);

/// The PNG at `index`, from small to large; NULL beyond the last.
const unsigned char *cicons_bytes(int index, long *length);
