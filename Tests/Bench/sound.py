"""From a URI to sound: how soon, at what cost, and whether two MP3 files join without a seam."""

import array
import re
import statistics
import time

from client import cast
from control import call_bytes
from kit.upnp import AVT

RATE = 44100


def first_sample(bench, folder, uri, rounds):
    """ms from sending SetAVTransportURI to the first byte of sound (Play follows at once), median."""
    device = bench.renderer()
    address, set_uri = call_bytes(device, AVT, "SetAVTransportURI", close=True, CurrentURI=uri, CurrentURIMetaData="")
    _, play = call_bytes(device, AVT, "Play", close=True, Speed=1)
    times = []
    for _ in range(rounds):
        bench.drain.wait_quiet()
        bench.drain.expect()
        begun = cast(folder, address, [set_uri, play])
        at = bench.drain.wait(10)
        if at is None:
            raise RuntimeError(f"{bench.name} plays nothing of {uri}")
        times.append((at - begun) * 1000)
        device.stop()
    return statistics.median(times)


class Playing:
    """Processor time and memory of one renderer while it plays, in two steps, so that all may play at the same time."""

    def __init__(self, bench, uri):
        self.bench = bench
        self.device = bench.renderer()
        bench.drain.expect()
        self.device.set_uri(uri)
        self.device.play()
        if bench.drain.wait(10) is None:
            raise RuntimeError("plays nothing")
        time.sleep(1)  # the start isn't what is measured
        self.before = bench.subject.processor_seconds(), bench.drain.total, time.monotonic()

    def end(self):
        """(processor seconds per minute of sound, resident peak in MiB)"""
        processor, total, begun = self.before
        used = self.bench.subject.processor_seconds() - processor
        heard = (self.bench.drain.total - total) / (RATE * 4)
        seconds = time.monotonic() - begun
        with open(f"/proc/{self.bench.subject.pid}/status") as file:
            peak = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) / 1024
        self.device.stop()
        if heard < seconds / 2:
            raise RuntimeError(f"{heard:.1f} s of sound came in {seconds:.1f} s")
        return used * 60 / heard, peak


def left_channel(data):
    samples = array.array("h")
    samples.frombytes(bytes(data[:len(data) // 4 * 4]))
    return samples[::2]


def place(recording, piece, start, end):
    """Where in recording[start:end] the piece fits best, and how well (1 is perfectly)."""
    energy = sum(value * value for value in piece)
    best, at = 0.0, None
    for offset in range(max(0, start), min(end, len(recording) - len(piece))):
        window = recording[offset:offset + len(piece)]
        power = sum(value * value for value in window)
        if not power:
            continue
        fit = sum(map(int.__mul__, window, piece)) / (power * energy) ** 0.5
        if fit > best:
            best, at = fit, offset
    return at, best


def joint(recording, original, cut):
    """(samples too many between two halves that were cut at `cut`, the longest silence there), of left channels.

    What is 0.5 s before and behind the cut is looked for in what was heard; the distance should be a second.
    """
    half, length = RATE // 2, 600
    before, behind = original[cut - half:][:length], original[cut + half:][:length]
    start = next((index for index, value in enumerate(recording) if abs(value) > 200), 0)
    first, fits = place(recording, before, start + cut - half - 4000, start + cut - half + 4000)
    second, fits2 = place(recording, behind, (first or 0) + RATE - 4000, (first or 0) + RATE + 8000)
    if first is None or second is None or min(fits, fits2) < 0.9:
        raise RuntimeError(f"the sound around the joint isn't found again ({fits:.2f}, {fits2:.2f})")
    silence = longest = 0
    for value in recording[first:second]:
        silence = silence + 1 if abs(value) < 100 else 0
        longest = max(longest, silence)
    return second - first - RATE, longest


def play_joint(bench, one, two, original, cut):
    """`joint` of two files, the second given as the next while the first plays."""
    device = bench.renderer()
    bench.drain.wait_quiet()
    bench.drain.kept = bytearray()
    try:
        bench.drain.expect()
        device.set_uri(one)
        device.play()
        if bench.drain.wait(10) is None:
            raise RuntimeError("plays nothing")
        device.avt("SetNextAVTransportURI", NextURI=two, NextURIMetaData="")
        time.sleep(1)
        bench.drain.wait_quiet(0.7, len(original) / RATE + 5)
        return joint(left_channel(bench.drain.kept), original, cut)
    finally:
        bench.drain.kept = None
        device.stop()
