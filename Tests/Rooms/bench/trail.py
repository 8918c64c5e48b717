"""Where in the source each moment of a recording is; so, what is missing in it, doubled, or silent.

The left channel is cut into short blocks; each is looked for near the place where the one before was found, and in the whole
source where that fails (behind a seek, a joint, a loss).
"""

from dataclasses import dataclass, field

import numpy as np

_BLOCK, _HOP, _REACH = 512, 441, 512
#: Of perfect likeness. Noise and other noise have about 0.2 where they are most alike.
ALIKE = 0.7
#: Blocks in which one frame too few or too many shows fully.
_SPAN = 5
#: Milliseconds that are looked at together.
_CHUNK = 20_000
#: Below this share of the source's level, a millisecond is a hole.
_HOLE = 0.5


@dataclass
class Hole:
    """Silence, or something near it, where the source isn't silent."""

    at: float
    #: Seconds.
    length: float


@dataclass
class Jump:
    """Frames of the source that are left out (positive) or played again (negative)."""

    at: float
    frames: float


@dataclass
class Trail:
    """Blocks by the time of their middle (CLOCK_MONOTONIC, seconds)."""

    rate: int
    times: np.ndarray
    #: The place in the source, in frames, with fraction; only where `is_alike`.
    places: np.ndarray
    likeness: np.ndarray
    holes: list = field(default_factory=list)
    jumps: list = field(default_factory=list)

    @property
    def is_alike(self):
        return self.likeness >= ALIKE

    @property
    def missing(self):
        return sum(round(jump.frames) for jump in self.jumps if jump.frames > 0)

    @property
    def doubled(self):
        return -sum(round(jump.frames) for jump in self.jumps if jump.frames < 0)

    @property
    def begin(self):
        """When sound begins."""
        return float(self.times[self.is_alike][0])

    @property
    def end(self):
        return float(self.times[self.is_alike][-1])

    def between(self, begin, end):
        """The same, of what lies between two times."""
        inside = (self.times >= begin) & (self.times <= end)
        return Trail(self.rate, self.times[inside], self.places[inside], self.likeness[inside],
                     [hole for hole in self.holes if begin <= hole.at <= end],
                     [jump for jump in self.jumps if begin <= jump.at <= end])

    def without(self, spans):
        """The same, without defects in the spans (begin, end)."""
        def kept(defects):
            return [each for each in defects if not any(begin <= each.at <= end for begin, end in spans)]
        return Trail(self.rate, self.times, self.places, self.likeness, kept(self.holes), kept(self.jumps))


class Source:
    """What was played: the left channel of one or more tracks, one behind the other."""

    def __init__(self, *tracks):
        self.samples = np.concatenate(tracks)
        self.starts = np.cumsum([0, *[len(track) for track in tracks]])
        self._padded = np.pad(self.samples, 2 * _BLOCK)

    def around(self, places, before, length):
        """Pieces from `before` samples ahead of each place; zeros outside."""
        first = np.clip(np.asarray(places) - before + 2 * _BLOCK, 0, len(self._padded) - length)
        return np.lib.stride_tricks.sliding_window_view(self._padded, length)[first]

    def search(self, piece):
        """Where `piece` is, wherever that may be: the place of its first sample, and the likeness."""
        best, chunk = (0, 0.0), 1 << 19
        norm = float(np.linalg.norm(piece))
        size = chunk * 2
        if norm < 1e-6 or len(piece) > chunk:
            return best
        spectrum = np.fft.rfft(piece, size).conj()
        for start in range(0, max(1, len(self.samples) - len(piece) + 1), chunk):
            part = self.samples[start:start + chunk + len(piece)]
            wave = np.fft.irfft(np.fft.rfft(part, size) * spectrum, size)[:chunk]
            top = int(np.argmax(wave))
            found = part[top:top + len(piece)]
            alike = float(wave[top] / (norm * max(1e-9, np.linalg.norm(found))))
            if alike > best[1]:
                best = start + top, alike
        return best


def follow(recording, source):
    """The trail of a recording."""
    times, places, likeness = [], [], []
    shift = None
    for run in recording.runs:
        begin, end = (int(each) for each in recording.bounds(run))
        starts = np.arange(begin, end - _BLOCK, _HOP)
        for chunk in np.array_split(starts, max(1, len(starts) // 50)):
            if len(chunk) == 0:
                continue
            piece = recording.samples[int(chunk[0]):int(chunk[-1]) + _BLOCK]
            blocks = np.lib.stride_tricks.sliding_window_view(piece, _BLOCK)[chunk - chunk[0]]
            found = (chunk * 0.0, chunk * 0.0)
            if shift is not None:
                found = _near(source, blocks, chunk + shift)
            found = _again(source, recording, chunk, blocks, found)
            good = found[1] >= ALIKE
            if good.any():
                shift = int(round(float((found[0] - chunk)[good][-1])))
            times.append(recording.time_of(chunk + _BLOCK / 2, run))
            places.append(found[0] + _BLOCK / 2)
            likeness.append(found[1])
    trail = Trail(recording.rate, *(np.concatenate(each) if each else np.zeros(0) for each in (times, places, likeness)))
    if trail.is_alike.any():
        _find_jumps(trail, recording)
        _find_holes(trail, recording, source)
    return trail


def follow_all(history, source):
    """The trail of all that a room has recorded at the source's rate."""
    trails = [follow(each, source) for each in history.recordings]
    return Trail(trails[0].rate, *(np.concatenate([getattr(trail, name) for trail in trails])
                                   for name in ("times", "places", "likeness")),
                 [hole for trail in trails for hole in trail.holes], [jump for trail in trails for jump in trail.jumps])


def _again(source, recording, chunk, blocks, found):
    """Looks anew for blocks that weren't found where they were expected: behind the first that fails, the sound goes on
    elsewhere, or isn't there."""
    places, likeness = found
    tried = 0
    index = 0
    while tried < 4:
        loud = blocks.std(axis=1) > 1e-3
        lost = np.flatnonzero((likeness < ALIKE) & loud & (np.arange(len(chunk)) >= index))
        # A single block may hold a joint; three in a row don't.
        run = next((each for each in lost if {each + 1, each + 2} <= set(lost)), None)
        if run is None:
            break
        tried += 1
        piece = recording.samples[int(chunk[run + 1]):int(chunk[run + 1]) + 2 * _BLOCK]
        place, alike = source.search(piece)
        if alike >= ALIKE:
            near = _near(source, blocks, chunk + (place - int(chunk[run + 1])))
            better = near[1] > likeness
            places, likeness = np.where(better, near[0], places), np.where(better, near[1], likeness)
        index = run + 3
    return places, likeness


def _near(source, blocks, places):
    """Place and likeness of each block near where it is expected."""
    size = 2 * _BLOCK + 2 * _REACH
    hann = np.hanning(_BLOCK).astype(np.float32)
    wide = source.around(places, _REACH, _BLOCK + 2 * _REACH)
    weighted = blocks * hann
    wave = np.fft.irfft(np.fft.rfft(wide, size) * np.fft.rfft(weighted, size).conj(), size)[:, :2 * _REACH + 1]
    top = np.clip(np.argmax(wave, axis=1), 1, 2 * _REACH - 1)
    row = np.arange(len(blocks))
    before, peak, after = wave[row, top - 1], wave[row, top], wave[row, top + 1]
    curve = before - 2 * peak + after
    part = np.where(np.abs(curve) > 1e-12, 0.5 * (before - after) / np.where(curve == 0, 1, curve), 0).clip(-1, 1)
    peak = peak - 0.25 * (before - after) * part
    match = np.lib.stride_tricks.sliding_window_view(wide, _BLOCK, axis=1)[row, top]
    energy = np.sqrt((hann * blocks ** 2).sum(axis=1) * (hann * match ** 2).sum(axis=1))
    return places + top - _REACH + part, np.where(energy > 1e-6, peak / np.maximum(energy, 1e-6), 0).clip(0, 1)


def _find_jumps(trail, recording):
    """Steps of place against time that a steady pace doesn't explain."""
    good = trail.is_alike
    times, places = trail.times[good], trail.places[good]
    if len(times) < 3 * _SPAN:
        return
    ahead = places - times * recording.rate
    step, span = ahead[_SPAN:] - ahead[:-_SPAN], times[_SPAN:] - times[:-_SPAN]
    # What is steady: the median of half a second around.
    half = 25
    pace = np.median(np.lib.stride_tricks.sliding_window_view(np.pad(step / span, half, mode="edge"), 2 * half + 1), axis=1)
    # Where blocks between weren't found, the pace may have changed meanwhile.
    odd = np.abs(step - pace * span) > 0.65 + recording.rate * 200e-6 * np.maximum(0, span - 0.15)
    index = 0
    while index < len(odd):
        if not odd[index]:
            index += 1
            continue
        last = index
        while last + 1 < len(odd) and odd[last + 1]:
            last += 1
        frames = ahead[last + _SPAN] - ahead[index] - pace[index] * (times[last + _SPAN] - times[index])
        if abs(frames) >= 0.65:
            trail.jumps.append(Jump(float(times[(index + last + _SPAN) // 2]), float(frames)))
        index = last + _SPAN + 1


def _find_holes(trail, recording, source):
    """Milliseconds that are much more silent than the source where they are, between the first sound and the last."""
    length = recording.rate // 1000
    good = trail.is_alike
    for run in recording.runs:
        begin, end = (int(each) for each in recording.bounds(run))
        count = (end - begin) // length
        if count == 0:
            continue
        heard = np.concatenate([
            _level(recording.samples[at:min(at + _CHUNK * length, begin + count * length)], length)
            for at in range(begin, begin + count * length, _CHUNK * length)])
        times = recording.time_of(begin + (np.arange(count) + 0.5) * length, run)
        # The place of each millisecond: by the nearest block that was found, and the time between.
        nearest = np.clip(np.searchsorted(trail.times[good], times), 1, good.sum() - 1)
        left = np.abs(trail.times[good][nearest - 1] - times) <= np.abs(trail.times[good][nearest] - times)
        nearest = np.where(left, nearest - 1, nearest)
        place = trail.places[good][nearest] + (times - trail.times[good][nearest]) * recording.rate
        first = np.round(place - length / 2).astype(np.int64)
        expected = np.concatenate([np.sqrt((source.around(each, 0, length) ** 2).mean(axis=1))
                                   for each in np.array_split(first, len(first) // _CHUNK + 1)])
        # The first block that is alike may begin before the sound, the last one may end behind it.
        edge = _BLOCK / recording.rate
        inside = (times > trail.begin + edge) & (times < trail.end - edge) & (first >= 0) & (first < len(source.samples) - length)
        hollow = inside & (expected > 1e-3) & (heard < _HOLE * expected)
        _collect(trail, hollow, times, length / recording.rate)


def _level(samples, length):
    return np.sqrt((samples.reshape(-1, length) ** 2).mean(axis=1))


def _collect(trail, hollow, times, length):
    """Neighbours within 15 ms are one hole."""
    for index in np.flatnonzero(hollow):
        last = trail.holes[-1] if trail.holes else None
        if last is not None and 0 <= times[index] - (last.at + last.length) < 0.015:
            last.length = times[index] + length / 2 - last.at
        else:
            trail.holes.append(Hole(float(times[index] - length / 2), length))
