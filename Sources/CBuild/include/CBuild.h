// What only the build knows.
#pragma once

/// The commit that this was built from, abbreviated, with "-dirty" when there was more; "" when nobody said.
const char *cbuild_commit(void);
