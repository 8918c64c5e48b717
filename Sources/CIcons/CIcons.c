#include "CIcons.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char icon48[] = {
#embed "../../Config/icon/vireo-48.png"
};
static const unsigned char icon120[] = {
#embed "../../Config/icon/vireo-120.png"
};
static const unsigned char icon256[] = {
#embed "../../Config/icon/vireo-256.png"
};

static const struct {
  const unsigned char *bytes;
  long length;
} icons[] = {
    {icon48, sizeof icon48},
    {icon120, sizeof icon120},
    {icon256, sizeof icon256},
};

int cicons_count(void) { return sizeof icons / sizeof icons[0]; }

const unsigned char *cicons_bytes(int index, long *length) {
  if (index < 0 || index >= cicons_count()) return NULL;
  *length = icons[index].length;
  return icons[index].bytes;
}
