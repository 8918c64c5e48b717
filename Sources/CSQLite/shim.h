// What Swift needs of SQLite: its interface, and macros made callable.
#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a number cast to a function pointer: SQLite makes its own copy. What is empty may come without
// an address, which SQLite would take for NULL.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, length > 0 ? text : "", length, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
  return sqlite3_bind_blob(statement, index, length > 0 ? bytes : "", length, SQLITE_TRANSIENT);
}
