"""How far apart two rooms are: what one plays, found in what the other plays, on the axis of one clock.

Windows of a second, half overlapping; generalized cross-correlation with phase transform (GCC-PHAT), and a parabola through its
peak. Each window is made of short blocks that are cut where the clock says, so that two devices of different pace don't smear
the peak, and their cross-spectra are added before the transform.
"""

from dataclasses import dataclass

import numpy as np

from .noise import BAND

WINDOW, HOP = 1.0, 0.5
_BLOCK, _OVERSAMPLING = 8192, 4
#: Seconds that the peak may be away from where it was expected; beyond, the whole window is searched.
_NEAR = 0.01
#: No two clocks part faster.
_MOST_DRIFT = 1e-3
#: Of a perfect peak. Two windows without anything in common have some hundredths.
ALIKE = 0.4


@dataclass
class Offsets:
    """By how many seconds the second room is later than the first, by the middle of each window; NaN: they have nothing in
    common there, or one of them is silent or stands still."""

    times: np.ndarray
    values: np.ndarray
    likeness: np.ndarray

    def filled(self, first, second):
        """Windows without a peak get the median offset of the two rooms' trails (`trail.Trail`), where those know it: while a
        room hurries to where it should be, no window has one offset."""
        values, likeness = self.values.copy(), self.likeness.copy()
        good, other = first.is_alike, second.is_alike
        for index in np.flatnonzero(np.isnan(values)):
            begin, end = self.times[index] - WINDOW / 2, self.times[index] + WINDOW / 2
            one = good & (first.times >= begin - 1) & (first.times <= end + 1)
            two = other & (second.times >= begin) & (second.times <= end)
            if one.sum() < 100 or two.sum() < 25 or (np.diff(first.places[one]) <= 0).any():
                continue
            heard = np.interp(second.places[two], first.places[one], first.times[one], np.nan, np.nan)
            apart = second.times[two] - heard
            if np.isnan(apart).mean() < 0.5:
                values[index], likeness[index] = np.nanmedian(apart), ALIKE
        return Offsets(self.times, values, likeness)

    @property
    def known(self):
        return self.values[~np.isnan(self.values)]

    def between(self, begin, end):
        """Those whose whole window lies between two times."""
        inside = (self.times - WINDOW / 2 >= begin) & (self.times + WINDOW / 2 <= end)
        return Offsets(self.times[inside], self.values[inside], self.likeness[inside])

    def without(self, spans):
        """Those whose window touches none of the spans (begin, end)."""
        keep = np.ones(len(self.times), bool)
        for begin, end in spans:
            keep &= (self.times + WINDOW / 2 <= begin) | (self.times - WINDOW / 2 >= end)
        return Offsets(self.times[keep], self.values[keep], self.likeness[keep])

    def size(self, share):
        """Quantile of the offsets' size, in microseconds."""
        return float(np.quantile(np.abs(self.known), share) * 1e6) if len(self.known) else float("nan")

    @property
    def mean(self):
        """Microseconds."""
        return float(np.mean(self.known) * 1e6) if len(self.known) else float("nan")

    @property
    def drift(self):
        """Millionths: how fast the offset grows."""
        known = ~np.isnan(self.values)
        if known.sum() < 3:
            return float("nan")
        return float(np.polyfit(self.times[known], self.values[known], 1)[0] * 1e6)

    @property
    def unknown(self):
        """The share of windows without an offset."""
        return float(np.isnan(self.values).mean()) if len(self.values) else 1.0


def offsets(first, second, begin=None, end=None, most=0.5):
    """Compares two recordings. `most`: seconds that they may be apart."""
    assert first.rate == second.rate, "resample one of them first"
    begin = max(first.begin, second.begin) if begin is None else begin
    end = min(first.end, second.end) if end is None else end
    times, values, likeness = [], [], []
    guess, slope = 0.0, 0.0
    for start in np.arange(begin, end - WINDOW, HOP):
        found, alike = _fine(first, second, start, guess, slope)
        if alike < ALIKE:
            coarse = _coarse(first, second, start, most)
            if coarse is not None:
                found, alike = _fine(first, second, start, coarse, 0)
        if alike >= ALIKE:
            # What parts slowly is followed within the window, too: that keeps the peak sharp.
            slope = (found - guess) / HOP if values and abs(found - guess) < _MOST_DRIFT * HOP else 0.0
            found, alike = _fine(first, second, start, found, slope)
            guess = found
        times.append(start + WINDOW / 2)
        values.append(found if alike >= ALIKE else np.nan)
        likeness.append(alike)
    return Offsets(np.array(times), np.array(values), np.array(likeness))


def all_offsets(first, second, begin=None, end=None, most=0.5):
    """As ``offsets``, of two rooms' histories, wherever both play at one rate."""
    parts = []
    for one in first.recordings:
        for other in second.recordings:
            start = max(one.begin, other.begin, one.begin if begin is None else begin)
            stop = min(one.end, other.end, one.end if end is None else end)
            if one.rate == other.rate and stop - start > WINDOW:
                parts.append(offsets(one, other, start, stop, most))
    parts.sort(key=lambda part: part.times[0] if len(part.times) else 0)
    return Offsets(*(np.concatenate([getattr(part, name) for part in parts]) if parts else np.zeros(0)
                     for name in ("times", "values", "likeness")))


def _weights(size, rate):
    frequency = np.fft.rfftfreq(size, 1 / rate)
    return (frequency >= BAND[0]) & (frequency <= BAND[1])


def _fine(first, second, start, guess, slope):
    """The offset of a window near `guess`, which changes by `slope` in a second, and how much alike the two are (1: the
    same)."""
    rate = first.rate
    size = 2 * _BLOCK
    hann = np.hanning(_BLOCK).astype(np.float32)
    turn = -2j * np.pi * np.fft.rfftfreq(size, 1 / rate)
    total = 0
    for at in np.linspace(start, start + WINDOW - (_BLOCK + 2) / rate, int(WINDOW * rate / _BLOCK * 2)):
        expected = guess + slope * (at + _BLOCK / rate / 2 - start - WINDOW / 2)
        one, other = first.part(at, _BLOCK), second.part(at + expected, _BLOCK)
        if one is None or other is None:
            continue
        # The blocks begin at whole frames, so not exactly `guess` apart. What is compared is what is heard at their
        # middles, since their paces may differ.
        rest = other[1] - one[1] - expected
        total = total + np.fft.rfft(other[0] * hann, size) * np.fft.rfft(one[0] * hann, size).conj() * np.exp(turn * rest)
    return _peak(total, size, rate, guess, _NEAR)


def _coarse(first, second, start, most):
    """The offset of a window, to about a frame; None if there is nothing to compare."""
    length, reach = int(WINDOW * first.rate), int(most * first.rate)
    one, other = first.spread(start, length), second.spread(start - reach / first.rate, length + 2 * reach)
    if not one.any() or not other.any():
        return None
    size = 1 << (2 * length + 2 * reach).bit_length()
    cross = np.fft.rfft(other, size) * np.fft.rfft(one, size).conj()
    near = np.fft.irfft(_whitened(cross, size, first.rate), size)[:2 * reach + 1]
    return (int(np.argmax(near)) - reach) / first.rate


def _whitened(cross, size, rate):
    magnitude = np.abs(cross)
    white = np.where(magnitude > 1e-12 * (magnitude.max() or 1), cross / np.maximum(magnitude, 1e-30), 0)
    return white * _weights(size, rate)


def _peak(cross, size, rate, guess, reach):
    if np.isscalar(cross) or not np.abs(cross).max() > 1e-6:
        return np.nan, 0.0
    fine = size * _OVERSAMPLING
    wave = np.fft.irfft(_whitened(cross, size, rate), fine) * _OVERSAMPLING
    reach = int(reach * rate * _OVERSAMPLING)
    near = np.concatenate([wave[-reach:], wave[:reach + 1]])
    top = int(np.argmax(near))
    if top in (0, len(near) - 1):
        return np.nan, 0.0
    before, peak, after = near[top - 1:top + 2]
    place = top + 0.5 * (before - after) / (before - 2 * peak + after)
    perfect = 2 * _weights(size, rate).sum() / size
    return guess + (place - reach) / (rate * _OVERSAMPLING), float(peak / perfect)
