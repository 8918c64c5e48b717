"""Whether anybody opens a file."""

import ctypes
import os
import select

#: sys/inotify.h
IN_OPEN = 0x20


class Opened:
    """True as soon as anybody, in whatever namespace, has opened the file `path` since this was made."""

    def __init__(self, path):
        self._library = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0 or self._library.inotify_add_watch(
                self._descriptor, os.fsencode(path), IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), f"{path} can't be watched")

    def __bool__(self):
        return bool(select.select([self._descriptor], [], [], 0)[0])

    def close(self):
        os.close(self._descriptor)
