// SQLite's interface for Swift, with functions for macros that Swift can't import.
#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT, a number cast to a function pointer, makes SQLite copy the value. An empty value may come with a
// null pointer, which SQLite would store as NULL.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, length > 0 ? text : "", length, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
  return sqlite3_bind_blob(statement, index, length > 0 ? bytes : "", length, SQLITE_TRANSIENT);
}
