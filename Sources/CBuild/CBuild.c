#include "CBuild.h"

// A file of its own, so that another commit compiles nothing else anew.
const char *cbuild_commit(void) {
#ifdef VIREO_COMMIT
  return VIREO_COMMIT;
#else
  return "";
#endif
}
