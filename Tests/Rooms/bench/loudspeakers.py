"""One silent sound card for all rooms: a null sink of PulseAudio with two channels for each, recorded once.

So any program that plays through PulseAudio can be measured, and all rooms are on one axis of time: the frames of the recording.
PulseAudio is reached by its socket in the file system, from any network namespace.
"""

import os
import subprocess
from pathlib import Path

import numpy as np

from .recording import History, Recording

RATE = 44100


class Loudspeakers:
    def __init__(self, rooms, folder):
        self.rooms, self.folder = rooms, Path(folder)
        self.folder.mkdir(parents=True)
        self.server = f"unix:{self.folder}/socket"
        self.environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"} | {
            "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "XDG_CONFIG_HOME": str(folder),
            "PULSE_RUNTIME_PATH": str(folder), "PULSE_STATE_PATH": str(folder), "PULSE_COOKIE": f"{folder}/cookie",
            "PULSE_SERVER": self.server}
        self._pulse = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--log-target=null",
             "--high-priority=yes", "--realtime=yes",
             "-L", f"module-native-protocol-unix socket={self.folder}/socket auth-anonymous=1"],
            env=self.environment, stdin=subprocess.DEVNULL)
        for _ in range(200):
            if self._pulse_answers():
                break
        channels = 2 * rooms
        names = ",".join(f"aux{number}" for number in range(channels))
        self._load("module-null-sink", "sink_name=all", f"rate={RATE}", "format=float32le", f"channels={channels}",
                   f"channel_map={names}")
        for number in range(rooms):
            self._load("module-remap-sink", f"sink_name=room{number}", "master=all", "channels=2", "remix=no",
                       "channel_map=front-left,front-right", f"master_channel_map=aux{2 * number},aux{2 * number + 1}")
        self.recording = self.folder / "all.raw"
        with self.recording.open("wb") as file:
            self._recorder = subprocess.Popen(
                ["parec", "--device=all.monitor", "--raw", "--format=s16le", f"--rate={RATE}", f"--channels={channels}",
                 f"--channel-map={names}", "--latency-msec=200"], env=self.environment, stdout=file)

    def _pulse_answers(self):
        return subprocess.run(["pactl", "info"], env=self.environment, capture_output=True, timeout=30).returncode == 0

    def _load(self, *words):
        subprocess.run(["pactl", "load-module", *words], env=self.environment, check=True, capture_output=True, timeout=30)

    def stop(self):
        """Ends the recording."""
        self._recorder.terminate()
        self._recorder.wait(10)

    def heard(self, number):
        """What was heard in a room; the time is that of the recording, from its beginning."""
        samples = np.fromfile(self.recording, "<i2")
        channels = 2 * self.rooms
        left = samples[:len(samples) // channels * channels].reshape(-1, channels)[:, 2 * number].astype(np.float32) / 32768
        return History([Recording(left, RATE, [0], [0.0])])

    def close(self):
        for process in (self._recorder, self._pulse):
            if process.poll() is None:
                process.terminate()
                process.wait(10)
