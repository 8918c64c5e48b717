// What both programs say of themselves.
#pragma once

/// The only statement of the version; the Makefile and the packages read it here.
#define CBUILD_VERSION "0.1.0"

/// The abbreviated commit that this was built from, with "-dirty" if there were uncommitted changes; "" when unknown.
const char *cbuild_commit(void);

/// The version for people: "0.1.0 (4e213b4a0f6c)", with the commit if it was known at build time.
const char *cbuild_version(void);

/// When this was built, or at least not before when: seconds since 1970.
long cbuild_time(void);
