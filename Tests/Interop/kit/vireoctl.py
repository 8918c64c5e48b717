"""The command line, run as people run it: in the phone's network, with a home of its own."""

import json
import os
import signal
import subprocess
from pathlib import Path

from .waiting import PATIENCE, Feed, Reader

ROOT = Path(__file__).resolve().parents[3]
#: Exit statuses, as the manual has them.
OK, REFUSED, USAGE, NO_INPUT, NO_DEVICE, UNREACHABLE, TIMED_OUT, NONSENSE, NOT_ALLOWED, INTERRUPTED = (
    0, 1, 64, 66, 68, 69, 75, 76, 77, 130)


def program():
    """The program; None where it isn't built."""
    given = os.environ.get("VIREOCTL")
    places = [Path(given)] if given else [ROOT / ".build" / kind / "vireoctl" for kind in ("release", "debug")]
    places = [place if place.is_absolute() else ROOT / place for place in places]
    return next((place for place in places if place.exists()), None)


class Vireoctl:
    """`options` stand before every command, as in `-r Kitchen`."""

    def __init__(self, home, *options):
        self.home = Path(home)
        self.options = [str(option) for option in options]

    def with_options(self, *options):
        return Vireoctl(self.home, *self.options, *options)

    def _environment(self):
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"}

    def run(self, *words, timeout=30):
        return subprocess.run(
            [str(program()), *self.options, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL,
            timeout=timeout * PATIENCE, env=self._environment())

    def in_shell(self, redirection, *words):
        """Run by a shell, with a redirection."""
        return subprocess.run(
            ["/bin/sh", "-c", f'exec "$0" "$@" {redirection}', str(program()), *self.options, *map(str, words)],
            capture_output=True, text=True, timeout=30 * PATIENCE, env=self._environment())

    def __call__(self, *words, status=OK):
        """What it prints, without the last line end."""
        done = self.run(*words)
        assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
        assert "\x1b" not in done.stdout + done.stderr
        return done.stdout.rstrip("\n")

    def json(self, *words):
        return json.loads(self("--json", *words))

    def watch(self, *words):
        return Watching([str(program()), *self.options, *map(str, words)], self._environment())


class Watching:
    """A command that goes on; its lines are in `lines`."""

    def __init__(self, command, environment):
        self.lines = Feed(lambda: self._reader.catch_up())
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment)
        rest = b""

        def take():
            nonlocal rest
            data = os.read(self.process.stdout.fileno(), 65536)
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self.lines.append(line.decode())
            return bool(data)
        self._reader = Reader(self.process.stdout.fileno(), take, self.process.stdout.close)

    def stop_reading(self):
        self._reader.close()

    def interrupt(self):
        """Ctrl-C; the exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(5 * PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
