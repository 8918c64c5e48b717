"""Comparison of a recording with what should have been heard, telling where and how they differ."""

import numpy as np


def _locate(piece, whole):
    """Index in `whole` where the samples of `piece` begin, or None."""
    first = piece[0]
    for index in np.flatnonzero((whole[:len(whole) - len(piece) + 1] == first).all(axis=1)):
        if np.array_equal(whole[index:index + len(piece)], piece):
            return int(index)
    return None


def diagnose(recorded, expected, piece=256):
    """In words, how the recording differs: moved, lost or doubled samples, silence, other values."""
    notes = [f"{len(recorded)} samples recorded, {len(expected)} expected"]
    position, shift = 0, None
    while position + piece <= len(recorded) and len(notes) < 12:
        found = _locate(recorded[position:position + piece], expected)
        if found is None:
            length = 1
            while (position + length < len(recorded)
                   and not recorded[position + length].any() and not recorded[position].any()):
                length += 1
            if length > piece // 2:
                notes.append(f"{length} samples of silence at {position}")
                position += length
            else:
                notes.append(f"at {position}: samples that are nowhere in the source")
                position += piece
            continue
        if found - position != shift:
            shift = found - position
            notes.append(f"from {position} on: the source from {found} (shift {shift})")
        position += piece
    return "; ".join(notes)


def assert_identical(recorded, expected, lead=0):
    """Every sample, from the first to the last, is the source's. `lead` allows that many zero samples before."""
    if lead and len(recorded) > len(expected):
        extra = len(recorded) - len(expected)
        if extra <= lead and not recorded[:extra].any():
            recorded = recorded[extra:]
    if recorded.shape == expected.shape and np.array_equal(recorded, expected):
        return
    if recorded.shape[1:] != expected.shape[1:]:
        raise AssertionError(f"{recorded.shape[1]} channels recorded, {expected.shape[1]} expected")
    raise AssertionError("the recording isn't the source: " + diagnose(recorded, expected))


#: The sound fades out before a pause or stop, and in behind a pause, in this part of a second.
FADES_PER_SECOND = 50


def _fading(rate):
    """Factors of the samples that fade out, the last one being silent. Read backwards without it, they fade in."""
    part = np.arange(1, rate // FADES_PER_SECOND + 1) / (rate // FADES_PER_SECOND)
    return 1 - part * part * (3 - 2 * part)


def _is_scaled(recorded, expected, factors, bits):
    """Whether the samples are the source's times `factors`, within rounding and dither."""
    if not len(recorded) == len(expected) == len(factors):
        return False
    return bool(np.abs(recorded - expected * factors[:, None]).max() <= 2 << (32 - bits))


def _fade_at(recorded, expected, at, factors, bits):
    """Where a fade begins whose first sample that differs from the source's is at `at`; None when it isn't one."""
    for start in range(at, max(-1, at - 100), -1):
        if _is_scaled(recorded[start:start + len(factors)], expected[start:start + len(factors)], factors, bits):
            return start
    return None


def assert_paused(recorded, expected, pauses, rate=44100, bits=16):
    """Every sample is the source's but for that many pauses: out and in again, nothing lost in between."""
    if recorded.shape != expected.shape:
        raise AssertionError("the recording isn't the source: " + diagnose(recorded, expected))
    factors = np.concatenate([_fading(rate), 1 - _fading(rate)])
    places, at = [], 0
    while True:
        different = np.flatnonzero((recorded[at:] != expected[at:]).any(axis=1))
        if not len(different):
            break
        place = _fade_at(recorded, expected, at + int(different[0]), factors, bits)
        if place is None or place < at:
            raise AssertionError(f"at {at + different[0]}: no pause; " + diagnose(recorded, expected))
        places.append(place)
        at = place + len(factors)
    if len(places) != pauses:
        raise AssertionError(f"{len(places)} pauses are heard, at {places}")


def without_fade(recorded, expected, rate=44100, bits=16):
    """The recording without the fade at its end; what is before is the source's, to the sample."""
    factors = _fading(rate)
    start = len(recorded) - len(factors)
    if start < 0 or not _is_scaled(recorded[start:], expected[start:len(recorded)], factors, bits):
        raise AssertionError("the end doesn't fade: " + diagnose(recorded, expected))
    assert_identical(recorded[:start], expected[:start])
    return recorded[:start]


def assert_sought(recorded, expected, target, latest=6 * 44100):
    """The source from its beginning up to some sample before `latest`, and from `target` to its end."""
    length = min(len(recorded), len(expected))
    different = np.flatnonzero((recorded[:length] != expected[:length]).any(axis=1))
    assert len(different), "the seek had no effect"
    cut = int(different[0])
    assert cut < latest, "the seek came too late to tell anything"
    assert_identical(recorded[cut:], expected[target:])


def contains(recorded, expected):
    """Whether `expected` is somewhere in the recording without a break."""
    return _locate(expected, recorded) is not None


def _fades_out(recorded, begin, piece, tracks, end, rate):
    """Whether the samples up to `end` are what follows `piece`, recorded from `begin` on, in its track, fading out."""
    index, place, length = piece
    factors = _fading(rate)
    if not 0 < end - (begin + length) <= len(factors) + 2:
        return False
    return _fade_at(recorded[begin:end + 2], tracks[index][place:], length, factors, 16) is not None


def heard(recorded, tracks, shortest=64, rate=44100):
    """What a recording is made of, in order: (index of the track, its sample where the piece begins, length).

    Tracks are noise, so that two samples name their place. Silence isn't listed; anything else that is in none of
    the tracks raises, save a piece's end that fades out.
    """
    def keys(samples):
        flat = (samples >> 16).astype(np.uint64) & np.uint64(0xFFFF)
        frame = (flat[:, 0] << np.uint64(16)) | flat[:, 1]
        return (frame[:-1] << np.uint64(32)) | frame[1:]
    if len(recorded) < 2:
        return []
    known = np.concatenate([keys(track) for track in tracks])
    owner = np.concatenate([np.full(len(track) - 1, index) for index, track in enumerate(tracks)])
    place = np.concatenate([np.arange(len(track) - 1) for track in tracks])
    order = np.argsort(known)
    wanted = keys(recorded)
    at = order[np.minimum(np.searchsorted(known, wanted, sorter=order), len(order) - 1)]
    found = known[at] == wanted
    pieces, begin, count = [], 0, len(wanted)
    # The line that a sample lies on: constant while one track goes on without a break.
    line = np.where(found, place[at] - np.arange(count), 1 << 40)
    who = np.where(found, owner[at], -1)
    breaks = np.flatnonzero((np.diff(line) != 0) | (np.diff(who) != 0)) + 1
    for start, end in zip(np.concatenate([[0], breaks]), np.concatenate([breaks, [count]])):
        if who[start] >= 0 and end - start + 1 >= shortest:
            pieces.append((int(who[start]), int(place[at[start]]), int(end - start + 1)))
            begin = int(start)
        elif (end - start > shortest and recorded[start + 1:end].any()
              and not (pieces and _fades_out(recorded, begin, pieces[-1], tracks, end, rate))):
            raise AssertionError(f"at {start}: {end - start} samples that are in no track")
    return pieces


def signal_to_noise(recorded, expected):
    """dB, aligned at 0, over the length both have."""
    length = min(len(recorded), len(expected))
    truth = expected[:length].astype(np.float64)
    error = recorded[:length].astype(np.float64) - truth
    power = float((error ** 2).mean())
    return 200.0 if power == 0 else 10 * np.log10(float((truth ** 2).mean()) / power)


def best_shift(recorded, expected, reach=3000):
    """The shift of the recording (in samples, positive = late) at which it resembles the source most."""
    length = min(len(recorded), len(expected))
    size = 1 << (length + reach).bit_length()
    left = np.fft.rfft(recorded[:length, 0].astype(np.float64), size)
    right = np.fft.rfft(expected[:length, 0].astype(np.float64), size)
    correlation = np.fft.irfft(left * np.conj(right), size)
    around = np.concatenate([correlation[-reach:], correlation[:reach + 1]])
    return int(np.argmax(around)) - reach


def assert_decoded(recorded, expected, minimum=60.0, largest=None, surplus=0):
    """A lossy stream: exactly as long as the reference decoder's result, at the same place, and nearly the same.

    `largest` bounds the error of each single sample, in steps of 16 bits; `surplus` allows that many samples more.
    """
    if len(expected) < len(recorded) <= len(expected) + surplus:
        recorded = recorded[:len(expected)]
    if len(recorded) != len(expected):
        raise AssertionError(
            f"{len(recorded)} samples recorded, {len(expected)} expected ({len(recorded) - len(expected):+d}); "
            f"best shift {best_shift(recorded, expected)}, "
            f"signal to noise there {signal_to_noise(recorded, expected):.1f} dB")
    quality = signal_to_noise(recorded, expected)
    if quality < minimum:
        raise AssertionError(
            f"signal to noise is {quality:.1f} dB, wanted {minimum}; best shift {best_shift(recorded, expected)}")
    if largest is not None:
        error = np.abs(recorded - expected).max(axis=1)
        worst = int(np.argmax(error))
        if error[worst] > largest << 16:
            raise AssertionError(f"at {worst} the sample is off by {error[worst] >> 16} steps of 16 bits")


def frequency(samples, rate):
    """Hz of the strongest tone of the first channel."""
    values = samples[:, 0].astype(np.float64)
    windowed = values * np.hanning(len(values))
    spectrum = np.abs(np.fft.rfft(windowed))
    peak = int(np.argmax(spectrum[1:])) + 1
    if 0 < peak < len(spectrum) - 1:
        left, middle, right = np.log(spectrum[peak - 1:peak + 2] + 1e-30)
        peak = peak + 0.5 * (left - right) / (left - 2 * middle + right)
    return peak * rate / len(values)


def steepest(samples):
    """The largest step between neighbouring samples, as part of full scale."""
    return float(np.abs(np.diff(samples.astype(np.float64), axis=0)).max()) / (1 << 31)


def silences(samples, shortest=64):
    """(start, length) of each run of zero samples of at least that length."""
    quiet = np.concatenate([[False], ~samples.any(axis=1), [False]])
    edges = np.flatnonzero(np.diff(quiet.astype(np.int8)))
    return [(int(a), int(b - a)) for a, b in zip(edges[::2], edges[1::2]) if b - a >= shortest]


def first_match(recorded, start, wanted, tolerance):
    """Where in `recorded`, from `start` on, a stretch like `wanted` begins."""
    end = len(recorded) - len(wanted)
    near = np.flatnonzero((abs(recorded[start:end] - wanted[0]) <= tolerance).all(axis=1)) + start
    for at in near:
        if (abs(recorded[at:at + len(wanted)] - wanted) <= tolerance).all():
            return int(at)
    raise AssertionError("the wanted sound isn't in the recording")


def segments(recorded, whole, targets, rate, tolerance):
    """Checks that `recorded` is `whole` from the beginning, then from each of `targets` (seconds), each to the sample."""
    cut, since = 0, 0
    for target in [*targets, None]:
        here = len(recorded) if target is None else first_match(
            recorded, cut, whole[target * rate:target * rate + 2000], tolerance)
        played = recorded[cut:here]
        apart = abs(played - whole[since:since + len(played)])
        assert (apart <= tolerance).all(), f"from {since / rate} s on it isn't what belongs there, before {target} s"
        cut, since = here, None if target is None else target * rate
