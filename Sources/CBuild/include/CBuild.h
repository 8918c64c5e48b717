// Facts that only the build system knows.
#pragma once

/// The abbreviated commit that this was built from, with "-dirty" if there were uncommitted changes; "" when unknown.
const char *cbuild_commit(void);
