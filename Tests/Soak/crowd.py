"""What all have in common that do something of their own while actions are called."""

import random
import threading
from collections import Counter


class Crowd:
    """Does `count` things in a thread of its own, as fast as `progress()` goes; what `name` does is in `_work`."""

    def __init__(self, name, world, seed, count, progress):
        self.name = name
        self.world = world
        self.dice = random.Random(f"{seed} {name}")
        self.count = count
        self.progress = progress
        self.failures = Counter()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self._thread.start()

    def join(self):
        self._thread.join()

    def _run(self):
        try:
            self._work()
        except Exception as error:  # a mistake of the test must not look like success
            self.failures[f"{self.name} themselves: {type(error).__name__}: {error}"] += 1
            raise
