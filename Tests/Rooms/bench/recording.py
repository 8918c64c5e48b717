"""What a room has played, and when: a WAV file of the `file:` output with its times beside it."""

import struct
from pathlib import Path

import numpy as np

_KINDS = {(1, 16): ("<i2", 2.0 ** 15), (1, 24): (None, 2.0 ** 23), (1, 32): ("<i4", 2.0 ** 31), (3, 32): ("<f4", 1.0), (3, 64): ("<f8", 1.0)}


class Recording:
    """Samples of the left channel on the scale of 1, and the time of each frame, in seconds of CLOCK_MONOTONIC.

    The times come as lines, one for each block: the number of its first frame, and when that is heard. Between the lines of
    one run the device played steadily; where it was paused or stopped, a new run begins."""

    #: A block may be this much off the pace of the one before, as a share of its length and in seconds.
    SHARE, SLACK = 2e-3, 20e-6

    def __init__(self, samples, rate, frames, times, late=None):
        self.samples, self.rate = samples, rate
        self.frames, self.times = np.asarray(frames, np.int64), np.asarray(times, float)
        #: By how many seconds each block came later than it was heard.
        self.late = np.zeros(len(self.frames)) if late is None else np.asarray(late, float)
        steps, spans = np.diff(self.frames) / rate, np.diff(self.times)
        breaks = np.flatnonzero(np.abs(spans - steps) > self.SHARE * steps + self.SLACK) + 1
        ends = [*breaks, len(self.frames)]
        #: Runs without a break, as ranges of lines.
        self.runs = [(begin, end) for begin, end in zip([0, *breaks], ends) if end > begin]

    @classmethod
    def read(cls, wav, times, ahead=0.0):
        """`ahead`: seconds by which the room's monotonic clock is ahead of the tests' own."""
        samples, rate = read_left(wav)
        lines = np.loadtxt(times, dtype=np.int64, ndmin=2)
        if len(lines) == 0:
            raise AssertionError(f"{wav} has no times")
        # The last line may be older than the last samples, or newer.
        lines = lines[lines[:, 0] < len(samples)]
        assert set(lines[:, 2]) == {rate}, f"other rates: {set(lines[:, 2])}"
        return cls(samples, rate, lines[:, 0], lines[:, 1] / 1e9 - ahead, lines[:, 3] / 1e9)

    def bounds(self, run):
        """First frame of a run, and the one behind its last."""
        begin, end = run
        return self.frames[begin], self.frames[end] if end < len(self.frames) else len(self.samples)

    def _beyond(self, run):
        """The lines of a run, and one more at the pace of its last ones, behind its last frame."""
        begin, end = run
        frames, times = self.frames[begin:end], self.times[begin:end]
        last = self.bounds(run)[1]
        span = times[-1] - times[0]
        pace = span / (frames[-1] - frames[0]) if len(frames) > 1 and span > 0 else 1 / self.rate
        return np.append(frames, last), np.append(times, times[-1] + (last - frames[-1]) * pace)

    def time_of(self, frames, run):
        return np.interp(frames, *self._beyond(run))

    def find(self, time):
        """The run in which something is heard at `time`, and the frame, with its fraction; None if there is none."""
        line = int(np.searchsorted(self.times, time, "right")) - 1
        for run in self.runs:
            if run[0] <= line < run[1]:
                frames, times = self._beyond(run)
                return (run, float(np.interp(time, times, frames))) if time < times[-1] else None
        return None

    def part(self, time, length):
        """`length` samples from the first frame at or behind `time`, and when the middle one is heard; None unless all
        were played in one go."""
        found = self.find(time)
        if found is None:
            return None
        run, place = found
        first = int(np.ceil(place - 1e-6))
        if first + length > self.bounds(run)[1]:
            return None
        return self.samples[first:first + length], float(self.time_of(first + length / 2, run))

    def spread(self, begin, length):
        """`length` samples from the time `begin` on, each about where it is heard, and silence between the runs."""
        result = np.zeros(length, np.float32)
        for run in self.runs:
            frames, times = self._beyond(run)
            if times[-1] <= begin or times[0] >= begin + length / self.rate:
                continue
            first = int(np.interp(begin, times, frames))
            at = max(0, round((float(self.time_of(first, run)) - begin) * self.rate))
            count = min(length - at, int(frames[-1]) - first)
            if count > 0:
                result[at:at + count] = self.samples[first:first + count]
        return result

    @property
    def begin(self):
        return float(self.times[0])

    @property
    def end(self):
        return float(self._beyond(self.runs[-1])[1][-1])


class Left:
    """The left channel of a WAV file on the scale of 1, read as it is wanted: recordings of hours don't fit into memory."""

    def __init__(self, path, place, form, scale, channels, length):
        self._path, self._place, self._form, self._scale, self._channels = path, place, form, scale, channels
        self._block, self._length = channels * np.dtype(form).itemsize if form else channels * 3, length
        self._map = np.memmap(path, np.uint8, "r", offset=place) if length else np.zeros(0, np.uint8)

    def __len__(self):
        return self._length

    def __getitem__(self, span):
        begin, end, _ = span.indices(self._length)
        raw = self._map[begin * self._block:max(begin, end) * self._block]
        if self._form:
            return (raw.view(self._form).reshape(-1, self._channels)[:, 0] / np.float32(self._scale)).astype(np.float32)
        three = raw.reshape(-1, self._channels, 3)[:, 0, :].astype(np.int32)
        values = (three[:, 0] | three[:, 1] << 8 | three[:, 2] << 16) << 8 >> 8
        return (values / np.float32(self._scale)).astype(np.float32)


def read_left(path):
    """The left channel of a WAV file, whose header may never have been finished, and its rate."""
    path = Path(path)
    with path.open("rb") as file:
        head = file.read(4096)
    if head[:4] != b"RIFF":
        raise AssertionError(f"{path} is no WAV file")
    place, form = 12, None
    while True:
        name, length = struct.unpack_from("<4sI", head, place)
        place += 8
        if name == b"fmt ":
            kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", head, place)
            if kind == 0xFFFE:
                kind = struct.unpack_from("<H", head, place + 24)[0]
            form = kind, channels, rate, bits
        elif name == b"data":
            break
        place += length + (length & 1)
    kind, channels, rate, bits = form
    form, scale = _KINDS[kind, bits]
    return Left(path, place, form, scale, channels, (path.stat().st_size - place) // (channels * bits // 8)), rate


class History:
    """All that a room has recorded, one recording after the other: each start, and each rate, has one of its own."""

    def __init__(self, recordings):
        self.recordings = sorted((each for each in recordings if len(each.frames)), key=lambda each: each.begin)

    @property
    def begin(self):
        return self.recordings[0].begin

    @property
    def end(self):
        return max(each.end for each in self.recordings)

    @property
    def latest(self):
        """By how many seconds a block came too late at most."""
        return max(float(each.late.max()) for each in self.recordings)
