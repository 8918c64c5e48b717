#include "CBuild.h"

// A separate file, so that a new commit recompiles nothing else.
const char *cbuild_commit(void) {
#ifdef VIREO_COMMIT
  return VIREO_COMMIT;
#else
  return "";
#endif
}

const char *cbuild_version(void) {
#ifdef VIREO_COMMIT
  return CBUILD_VERSION " (" VIREO_COMMIT ")";
#else
  return CBUILD_VERSION;
#endif
}

long cbuild_time(void) {
#ifdef VIREO_BUILD_TIME
  return VIREO_BUILD_TIME;
#else
  return 1793491200L;  // November 2026
#endif
}
