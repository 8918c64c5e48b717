"""What the rooms play: noise of a known seed that repeats nowhere, so that each moment of a recording has one place in it."""

import numpy as np

#: Hertz. Converters keep all of it, so that what is heard is exactly what was played, wherever they were at work.
BAND = (200, 15_000)
#: Of full scale.
LEVEL = 0.12
_PIECE = 30


def make(seconds, rate=44100, seed=1):
    """Frames of two channels of 16-bit integers, each channel a noise of its own."""
    generator = np.random.default_rng(seed)
    pieces, left = [], round(seconds * rate)
    while left > 0:
        size = _PIECE * rate
        frequency = np.fft.rfftfreq(size, 1 / rate)
        keep = (frequency >= BAND[0]) & (frequency <= BAND[1])
        channels = []
        for _ in range(2):
            spectrum = np.fft.rfft(generator.standard_normal(size, dtype=np.float32))
            spectrum[~keep] = 0
            wave = np.fft.irfft(spectrum, size)
            channels.append(wave[:left] / wave.std() * LEVEL * 32767)
        pieces.append(np.stack(channels, 1).round().clip(-32768, 32767).astype(np.int16))
        left -= size
    return np.concatenate(pieces)


def left(samples):
    """The left channel on the scale of 1."""
    return samples[:, 0].astype(np.float32) / 32768
