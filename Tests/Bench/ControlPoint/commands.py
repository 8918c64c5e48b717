"""What takes a user's time: `vireoctl status` of a renderer on this machine, and the first device shown."""

import json
import os
import statistics
import subprocess
import tempfile
import time

import finding
import measured

UDN = "6f3dfd3e-0000-4a4b-8c8d-000000000001"


class Renderer:
    """Our daemon on this machine, as others see it. `location`: of its description."""

    def __init__(self, programs, environment, folder):
        folder.mkdir()
        (folder / "vireo.toml").write_text(
            f'[device]\nuuid = "{UDN}"\nname = "Bench"\n[audio]\noutput = "file:{folder}/sound.wav"\n')
        registry = os.path.join(tempfile.gettempdir(), f"vireo-interop-{os.getuid()}.registry")
        self.process = subprocess.Popen(
            [programs.vireod, "--config", folder / "vireo.toml", "--state-dir", folder / "state", "--log-level", "warning"],
            stdin=subprocess.DEVNULL, env={**os.environ, "HOME": str(folder), "GST_REGISTRY": registry})
        self.location = self._find([programs.vireoctl, "devices", "--json"], environment)

    @staticmethod
    def _find(command, environment):
        """Also makes vireoctl know it, as it does what it has seen before."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            found = json.loads(subprocess.run(command, capture_output=True, env=environment, check=True).stdout)
            if len(found) > 1:  # with its OpenHome half
                return next(device["url"] for device in found if UDN in device["udn"])
        raise RuntimeError("vireod isn't found")

    def close(self):
        self.process.terminate()
        self.process.wait(10)


def status(programs, environment, folder, rounds):
    """ms from launch to end by how the renderer is named, medians."""
    renderer = Renderer(programs, environment, folder / "renderer")
    try:
        figures = measured.by_turns(
            {words: lambda name=name: measured.timed([programs.vireoctl, "-r", name, "status"], environment)
             for words, name in {"by URL": renderer.location, "by name": "Bench"}.items()}, rounds,
            time_of=statistics.median)
    finally:
        renderer.close()
    return {words: one["all"] for words, one in figures.items()}


def shown(programs, environment, seconds, rounds):
    """ms from the launch of `vireoctl devices` to its first line, and from the device's answer: medians."""
    whole, behind = [], []
    for _ in range(rounds):
        with finding.Devices(1, seconds) as devices:
            begun = time.monotonic()
            process = subprocess.Popen([programs.vireoctl, "devices", "--servers", "--interface", "lo"], env=environment,
                                       stdout=subprocess.PIPE, text=True)
            line = process.stdout.readline()
            seen = time.monotonic()
            process.kill()
            process.wait()
            process.stdout.close()
            if "Server 0" not in line:
                raise RuntimeError(f"vireoctl shows {line!r}")
            whole.append((seen - begun) * 1000)
            behind.append((seen - devices.answered()) * 1000)
    return statistics.median(whole), statistics.median(behind)
