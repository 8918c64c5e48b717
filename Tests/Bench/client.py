"""The client's programs, in C, since Python would measure itself: built anew for each run, and asked for figures."""

import shutil
import subprocess
import threading
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "client"
_built = {}


def program(name, folder, *options):
    """The path of a program of client/, built when it is first asked for."""
    if name not in _built:
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            raise RuntimeError("a C compiler is needed")
        subprocess.run([compiler, "-O2", *options, "-o", folder / name, SOURCES / f"{name}.c"], check=True, timeout=120)
        _built[name] = folder / name
    return _built[name]


def library(name, folder):
    """The same of what a renderer is preloaded with."""
    return program(name, folder, "-shared", "-fPIC")


def file_of(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return path


class Calls:
    """What `calls` says of one request that was sent over and over; times in ms."""

    def __init__(self, folder, address, request, connections, milliseconds, fresh=False):
        command = [program("calls", folder), *map(str, address), file_of(folder, "request", request), str(connections),
                   str(milliseconds), "fresh" if fresh else "kept"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=milliseconds / 1000 + 30)
        if done.returncode != 0:
            raise RuntimeError(f"no call was answered {done.stderr.strip()}")
        p50, p99, rate, calls, failures, opened = map(float, done.stdout.split())
        if failures > calls / 100:
            raise RuntimeError(f"{failures:.0f} of {calls:.0f} calls failed")
        self.p50, self.p99, self.rate, self.calls = p50 / 1000, p99 / 1000, rate, calls
        #: False when the renderer closes connections that the client would keep.
        self.keeps = opened < calls / 2


class Media:
    """A media server at `address` with files, given as (path, MIME); `uris` in the same order."""

    def __init__(self, folder, address, files):
        words = [word for path, mime in files for word in (path, mime)]
        self._process = subprocess.Popen([program("media", folder), address, *words], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)
        port = self._process.stdout.readline().split()[1]
        self.uris = [f"http://{address}:{port}/{number}/{path.name}" for number, (path, _) in enumerate(files)]

    def close(self):
        self._process.kill()
        self._process.wait(10)
        self._process.stdin.close()
        self._process.stdout.close()


def cast(folder, address, requests):
    """Sends one after the other; when it began, in seconds of `time.monotonic`."""
    files = [file_of(folder, f"cast{number}", request) for number, request in enumerate(requests)]
    done = subprocess.run([program("cast", folder), *map(str, address), *files], capture_output=True, text=True, timeout=30)
    if done.returncode != 0:
        raise RuntimeError(f"a request was refused {done.stderr.strip()}")
    return float(done.stdout)


class Subscribers:
    """`subscribers`, running: the receiving end of any number of subscriptions."""

    def __init__(self, folder, address, ports=1):
        self.folder = folder
        self._process = subprocess.Popen([program("subscribers", folder), address, str(ports)], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True, bufsize=1)
        self.ports = self._line(10).split()[1:]
        self.address = address

    def _line(self, timeout):
        # A renderer may keep the program busy for as long as it likes, but not us.
        timer = threading.Timer(timeout, self._process.kill)
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if not line:
            raise RuntimeError("the subscribers' program is gone")
        return line

    def _ask(self, timeout, *words):
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        return [float(word) for word in self._line(timeout).split()]

    def url(self, number):
        return f"http://{self.address}:{self.ports[number % len(self.ports)]}/{number}"

    def fire(self, address, request, count, seconds, texts):
        """(ms to the last subscriber, subscribers that heard, messages)"""
        microseconds, heard, messages = self._ask(
            seconds + 20, "fire", *address, file_of(self.folder, "fire", request), count, seconds * 1000, *texts)
        return microseconds / 1000, int(heard), int(messages)

    def burst(self, address, requests, texts):
        """(messages that came, whether the last of them had a text, ms that the requests took)"""
        messages, last, microseconds = self._ask(
            60, "burst", *address, file_of(self.folder, "burst", b"".join(requests)), len(requests), *texts)
        return int(messages), bool(last), microseconds / 1000

    def first(self, address, subscribe, unsubscribe, rounds):
        """ms from SUBSCRIBE to the first event, median"""
        microseconds, done = self._ask(60, "first", *address, file_of(self.folder, "subscribe", subscribe),
                                       file_of(self.folder, "unsubscribe", unsubscribe), rounds)
        if done < rounds / 2:
            raise RuntimeError(f"{done:.0f} of {rounds} first events came")
        return microseconds / 1000

    def close(self):
        self._process.kill()
        self._process.wait(10)
        self._process.stdin.close()
        self._process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
