"""Fixtures: a house of rooms, and noise for it."""

import os
import random
import sys
import wave
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Interop")]

from bench import noise  # noqa: E402
from bench.house import House  # noqa: E402
from bench.room import Room  # noqa: E402
from kit import media_server, netns  # noqa: E402

#: Seconds of noise, rooms that listen, how often something is done, seconds of the soak (0: none), and where what is random begins.
SECONDS = float(os.environ.get("ROOMS_SECONDS") or 25)
MEMBERS = int(os.environ.get("ROOMS_MEMBERS") or 2)
ACTIONS = int(os.environ.get("ROOMS_ACTIONS") or 6)
SOAK = int(os.environ.get("ROOMS_SOAK") or 0)
SEED = int(os.environ.setdefault("ROOMS_SEED", str(random.randrange(1 << 31))))


def pytest_configure(config):
    if os.environ.get("VIREO_PRIVATE_NETWORK") != "1":
        raise pytest.UsageError("run these tests with Tests/Rooms/run: they need a network of their own")
    if hasattr(config, "workerinput"):
        netns.enter_own()
    if Room.binary() is None:
        raise pytest.UsageError("vireod isn't there; build it, or set VIREOD to its path")


def pytest_report_header(config):
    return f"subject: {Room.binary()}; {SECONDS:g} s, {MEMBERS} members, seed {SEED}"


@pytest.fixture
def house():
    """Makes a house; it ends with the test."""
    made = []

    def make(rooms, **options):
        made.append(House(rooms, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def rooms(tmp_path, request):
    """Starts rooms; they end with the test, and their logs are shown if it fails."""
    started = []

    def start(house, number, **options):
        room = Room(house, number, tmp_path / f"room-{number}", **options)
        started.append(room)
        return room

    yield start
    for room in started:
        try:
            room.terminate()
        finally:
            room.kill()
    if os.environ.get("ROOMS_KEEP"):
        for room in started:
            room.keep(Path(os.environ["ROOMS_KEEP"]) / request.node.name)
    assert all(room.crash() is None for room in started)


@pytest.fixture(scope="session")
def noises(tmp_path_factory):
    """Noise by length, rate and seed: its frames, and a WAV file of it."""
    folder, made = tmp_path_factory.mktemp("noise"), {}

    def make(seconds, rate=44100, seed=SEED):
        key = seconds, rate, seed
        if key not in made:
            samples = noise.make(seconds, rate, seed)
            path = folder / f"{seconds:g}-{rate}-{seed}.wav"
            with wave.open(str(path), "wb") as file:
                file.setparams((2, 2, rate, 0, "NONE", ""))
                file.writeframes(samples.tobytes())
            made[key] = samples, path
        return made[key]

    return make


@pytest.fixture
def media(house):
    """Makes a media server at the bridge of a house."""
    made = []

    def make(place):
        made.append(media_server.MediaServer(place.address))
        return made[-1]

    yield make
    for each in made:
        each.close()
