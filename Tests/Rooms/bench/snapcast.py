"""Snapcast as Debian has it, in the same namespaces: a server in room 0, a client in each room."""

import os
import subprocess
import threading
from pathlib import Path

from kit.subject import Subject

CONFIGURATION = """[server]
datadir = {folder}
[http]
enabled = false
[tcp]
enabled = false
[stream]
source = pipe://{folder}/fifo?name=noise&sampleformat=44100:16:2&mode=create
{options}
[logging]
sink = file:{folder}/server.log
"""


class Process(Subject):
    """Either program. It is as a `Subject` is, so that what it costs is read in the same way."""

    name = "snapcast"

    def __init__(self, house, number, folder, words, environment=None):
        self._words = words
        self.number = number
        super().__init__(house.hosts[number], folder, environment=environment)

    def command(self):
        return self._words


class Snapcast:
    """`options`: lines of the server's section `[stream]`."""

    def __init__(self, house, loudspeakers, folder, options=""):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        configuration = self.folder / "snapserver.conf"
        configuration.write_text(CONFIGURATION.format(folder=self.folder, options=options))
        self.server = Process(house, 0, self.folder / "server", ["snapserver", "--config", configuration])
        self.clients = [
            Process(house, number, self.folder / f"client-{number}",
                    ["snapclient", "--host", house.ports[0].speaker, "--hostID", f"room{number}", "--player", "pulse",
                     "--soundcard", f"room{number}", "--logsink", "stdout"],
                    environment={"PULSE_SERVER": loudspeakers.server,
                                 "PULSE_COOKIE": loudspeakers.environment["PULSE_COOKIE"]})
            for number in range(loudspeakers.rooms)]

    def play(self, wav, header=44):
        """Gives the samples of a WAV file to the server, at the pace at which it wants them."""
        def give():
            with open(wav, "rb") as source, open(self.folder / "fifo", "wb") as fifo:
                source.seek(header)
                while piece := source.read(65536):
                    fifo.write(piece)
        thread = threading.Thread(target=give, daemon=True)
        thread.start()
        return thread

    @property
    def processes(self):
        return [self.server, *self.clients]

    def close(self):
        for process in self.processes:
            process.kill()
