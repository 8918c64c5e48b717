"""What a process takes of memory for itself."""

import threading
from pathlib import Path


def anonymous(pid):
    """kB that are no file's: code and constants come and go with the page cache, and nobody has to pay for them."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0])


class Peak:
    """The most of it while this is entered: `kb`, and `before`."""

    #: Seconds between two looks.
    STEP = 0.002

    def __init__(self, pid):
        self.pid = pid
        self.before = self.kb = anonymous(pid)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def growth(self):
        return self.kb - self.before

    def _run(self):
        try:
            while not self._over.wait(self.STEP):
                self.kb = max(self.kb, anonymous(self.pid))
        except (OSError, IndexError):
            pass  # the process is gone, or on its way

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()
