"""A room: a vireod on a machine of its own, that records what it plays, and when."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from kit.openhome import Speaker, udn
from kit.subject import Vireod
from kit.waiting import until

from .recording import History, Recording


class Room(Vireod):
    """`ppm`: how much faster than the machine its sound device plays. `ahead`: seconds by which its CLOCK_MONOTONIC is ahead
    of the tests'."""

    def __init__(self, house, number, folder, ppm=0, ahead=0, settings=None, **options):
        self.house, self.number, self.port = house, number, house.ports[number]
        self.ppm, self.ahead = ppm, ahead
        folder = Path(folder)
        self.times = folder / "times"
        merged = {"audio": {"output": f"file:{folder}/recording.wav?ppm={ppm:+d}&times={folder}/times", "release-after": "1h"}}
        for table, values in (settings or {}).items():
            merged.setdefault(table, {}).update(values)
        super().__init__(house.hosts[number], folder, friendly_name=f"Room {number}", settings=merged, **options)
        self.speaker = None

    def _trusting(self):
        return ["unshare", "--time", "--monotonic", str(self.ahead), "--"] if self.ahead else []

    def start(self):
        super().start()
        self.speaker = None
        return self

    def ready(self):
        """Waits until it is found, and returns it."""
        if self.speaker is None:
            self.speaker = Speaker.of(self, self.port)
        return self

    def join(self, uri, metadata=""):
        """As control points do it: the sender, then Play."""
        self.speaker.action("Receiver", "SetSender", Uri=uri, Metadata=metadata)
        self.speaker.action("Receiver", "Play")

    def leave_group(self):
        self.speaker.action("Receiver", "Stop")

    @property
    def receiver_state(self):
        return self.speaker.action("Receiver", "TransportState")["Value"]

    def wait_receiver(self, state, timeout=5):
        until(lambda: self.receiver_state == state, timeout, f"room {self.number} to be {state}")

    def sender(self):
        """The URI by which others hear this room, and the metadata with it."""
        metadata = self.speaker.action("Sender", "Metadata")["Value"]
        start = metadata.index("ohz://")
        return metadata[start:metadata.index("<", start)], metadata

    def _takes(self):
        """Its recordings and their times. The device is opened more than once: it begins new files then."""
        for number in range(10_000):
            suffix = f".{number}" if number else ""
            wav, times = (path.with_name(path.name + suffix) for path in (self.recording, self.times))
            if not wav.exists():
                return
            if times.exists() and times.stat().st_size > 0 and wav.stat().st_size > 44:
                yield wav, times

    def history(self):
        """All that it has recorded."""
        return History([Recording.read(*take, ahead=self.ahead) for take in self._takes()])

    def heard(self):
        """What it has recorded last."""
        return Recording.read(*list(self._takes())[-1], ahead=self.ahead)

    def usage(self):
        """What it costs so far: seconds of a processor, and memory now, in kB."""
        memory = self.memory()
        return {"cpu": self.processor_seconds(), "rss": memory["Rss"],
                "private": memory["Private_Dirty"] + memory["Private_Clean"], "dirty": memory["Private_Dirty"]}

    def keep(self, folder):
        """Copies what is worth looking at later."""
        target = Path(folder) / f"room-{self.number}"
        target.mkdir(parents=True, exist_ok=True)
        for path in (path for take in self._takes() for path in take):
            shutil.copy(path, target / path.name)
        (target / "log").write_text("\n".join(self.log.items))


class ScriptedHost:
    """A sender of Songcast that isn't a vireod (`kit/songcast.py`), in a process of its own at the bridge's address."""

    def __init__(self, house, wav, **options):
        import json
        self._json = json
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "sender.py"), house.address, str(wav), json.dumps(options)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.uri = self._ask()["uri"]

    def _ask(self, line=None):
        if line:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        return self._json.loads(self._process.stdout.readline())

    def wait_listeners(self, count):
        until(lambda: self._ask("listeners")["listeners"] >= count, 5, f"{count} listeners")

    def play(self):
        """Plays to the end; when the first frame was sent, seconds of CLOCK_MONOTONIC, and what has been sent again."""
        return self._ask("play")

    def close(self):
        self._process.stdin.close()
        self._process.wait(5)
        self._process.stdout.close()


def kept():
    return os.environ.get("ROOMS_KEEP")
