"""A wall clock of a process, which can be set, and a kernel that never says that it is right."""

import subprocess
from pathlib import Path

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)

#: What the kernel says of a clock that nobody keeps in step. (Where these tests run it may be kept in step.)
NEVER_SET = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

int adjtimex(struct timex *clock) {
  memset(clock, 0, sizeof *clock);
  clock->status = STA_UNSYNC;
  return TIME_ERROR;
}

int access(const char *path, int mode) {
  if (strcmp(path, "/run/systemd/timesync/synchronized") == 0) {
    errno = ENOENT;
    return -1;
  }
  int (*real)(const char *, int) = (int (*)(const char *, int))dlsym(RTLD_NEXT, "access");
  return real(path, mode);
}
"""


class Clock:
    """The wall clock of a process, which can be set; the one that only runs on is left alone, as a real clock that is
    set leaves it alone."""

    def __init__(self, folder, is_never_set=False):
        self.file = folder / "clock"
        self.set(0)
        libraries = [str(FAKETIME)]
        if is_never_set:
            source, library = folder / "never_set.c", folder / "never_set.so"
            source.write_text(NEVER_SET)
            subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True, capture_output=True, timeout=60)
            libraries.insert(0, str(library))
        self.environment = {
            "LD_PRELOAD": " ".join(libraries), "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_RESET": "1"}

    def set(self, hours):
        """So many hours off the real time."""
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"{hours:+d}h\n")
        fresh.rename(self.file)
