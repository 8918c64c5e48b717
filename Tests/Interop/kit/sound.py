"""Signals that show every lost, doubled or moved sample; files made of them; and recordings read back."""

import struct
import subprocess

import numpy as np


def noise(seconds, rate=44100, bits=16, channels=2, seed=1, level=0.4):
    """Noise that repeats nowhere, as integers of `bits` bits, shape (samples, channels)."""
    generator = np.random.default_rng(seed)
    top = (1 << (bits - 1)) * level
    return generator.integers(-int(top), int(top), size=(round(seconds * rate), channels), dtype=np.int32)


def tone(seconds, frequency, rate=44100, bits=16, channels=2, level=0.4, phase=0.0):
    """A sine, as integers."""
    at = np.arange(round(seconds * rate)) / rate
    value = np.round(np.sin(2 * np.pi * frequency * at + phase) * level * ((1 << (bits - 1)) - 1)).astype(np.int32)
    return np.repeat(value[:, None], channels, axis=1)


def music(seconds, rate=44100, bits=16, channels=2, seed=1):
    """Something a lossy codec likes: sliding tones under a slow beat, different in each channel and second."""
    at = np.arange(round(seconds * rate)) / rate
    columns = []
    for channel in range(channels):
        base = 220 * 2 ** (((seed * 7 + channel * 5) % 12) / 12)
        sweep = np.sin(2 * np.pi * (base * at + 90 * at * at + 3 * np.sin(2 * np.pi * 1.7 * at + channel)))
        upper = 0.5 * np.sin(2 * np.pi * (base * 3.01 * at + 40 * np.sin(at * 1.3 + seed)))
        beat = 0.65 + 0.35 * np.sin(2 * np.pi * (2.3 + 0.1 * seed) * at + channel)
        columns.append((sweep + upper) / 1.5 * beat * 0.5)
    return np.round(np.stack(columns, axis=1) * ((1 << (bits - 1)) - 1)).astype(np.int32)


def rising(seconds, rate=44100):
    """A tone that rises by 100 Hz each second, so that its pitch tells where in it something is; see `places`."""
    time = np.arange(int(seconds * rate)) / rate
    values = np.round(np.sin(2 * np.pi * (500 * time + 50 * time * time)) * 0.4 * 32767).astype(np.int32)
    return np.repeat(values[:, None], 2, axis=1)


def places(recording):
    """From which seconds of `rising` a recording is, wherever that doesn't follow from what was before."""
    values, width = recording.samples[:, 0] / 2 ** 31, recording.rate // 12
    found, last = [], None
    for start in range(0, len(values) - width, recording.rate // 20):
        piece = values[start:start + width]
        if np.abs(piece).max() < 0.01:
            last = None
            continue
        pitch = np.argmax(np.abs(np.fft.rfft(piece * np.hanning(width), 1 << 16))) * recording.rate / (1 << 16)
        place = (pitch - 500) / 100 - width / recording.rate / 2
        if last is None or abs(place - last - 0.05) > 0.2:
            found.append(place)
        last = place
    return found


def wav(samples, rate=44100, bits=16):
    """A WAV file's bytes."""
    if bits == 16:
        data = samples.astype("<i2").tobytes()
    elif bits == 24:
        wide = samples.astype("<i4").reshape(-1)
        data = wide.view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    else:
        raise ValueError(bits)
    channels = samples.shape[1]
    block = channels * bits // 8
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, channels, rate,
                       rate * block, block, bits, b"data", len(data))
    return head + data


def _pipe(command, data):
    done = subprocess.run(command, input=data, capture_output=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr.decode(errors='replace')[-400:]}")
    return done.stdout


def flac(samples, rate=44100, bits=16, tags=()):
    """`tags` are pairs of names and values."""
    named = [f"--tag={name}={value}" for name, value in dict(tags).items()]
    return _pipe(["flac", "--silent", "--stdout", "-5", *named, "-"], wav(samples, rate, bits))


def flac_in_ogg(samples, rate=44100):
    return _pipe(["flac", "--silent", "--stdout", "--ogg", "-5", "-"], wav(samples, rate))


def mp3(samples, rate=44100, folder=None, quality=("-b", "192")):
    """By LAME, through files, so that the delay and padding in its tag are right."""
    source, target = folder / "lame-in.wav", folder / "lame-out.mp3"
    source.write_bytes(wav(samples, rate))
    _pipe(["lame", "--quiet", *quality, str(source), str(target)], b"")
    return target.read_bytes()


def m4a(samples, rate=44100, folder=None, codec="aac"):
    source, target = folder / "aac-in.wav", folder / "aac-out.m4a"
    source.write_bytes(wav(samples, rate))
    # Edit lists count in the movie's time scale; the usual milliseconds can't name a sample.
    _pipe(["ffmpeg", "-v", "error", "-y", "-i", str(source), "-c:a", codec, "-movie_timescale", str(rate),
           "-movflags", "+faststart", str(target)], b"")
    return target.read_bytes()


def encoded(samples, suffix, *options, rate=44100, bits=16, folder=None):
    """A file of this suffix, by ffmpeg with these options."""
    source, target = folder / "encoded-in.wav", folder / f"encoded{suffix}"
    source.write_bytes(wav(samples, rate, bits))
    _pipe(["ffmpeg", "-v", "error", "-y", "-i", str(source), *options, str(target)], b"")
    return target.read_bytes()


def picture(suffix, encoder, folder):
    """A test picture that moves for a second, without any sound, or one that doesn't move."""
    target = folder / f"picture{suffix}"
    frames = ["-frames:v", "1"] if encoder in ("png", "mjpeg") else ["-pix_fmt", "yuv420p"]
    _pipe(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=300x300:rate=10:duration=1", *frames,
           "-c:v", encoder, str(target)], b"")
    return target.read_bytes()


def film(samples, suffix, video, audio, rate=44100, folder=None):
    """A moving test picture with sound, by ffmpeg's encoders of these names."""
    source, target = folder / "film-in.wav", folder / f"film{suffix}"
    source.write_bytes(wav(samples, rate))
    scale_of_time = ["-movie_timescale", str(rate)] if suffix == ".mp4" else []
    _pipe(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc=size=64x48:rate=10:duration={len(samples) / rate}",
           "-i", str(source), "-c:v", video, "-pix_fmt", "yuv420p", "-c:a", audio, *scale_of_time, str(target)], b"")
    return target.read_bytes()


def with_cover(data, suffix, folder):
    """The same file with a picture of its cover in it."""
    source, cover, target = folder / f"bare{suffix}", folder / "picture.png", folder / f"covered{suffix}"
    source.write_bytes(data)
    picture(".png", "png", folder)
    _pipe(["ffmpeg", "-v", "error", "-y", "-i", str(source), "-i", str(cover), "-map", "0", "-map", "1", "-c", "copy",
           "-disposition:v", "attached_pic", str(target)], b"")
    return target.read_bytes()


def opus(samples, rate=48000):
    return _pipe(["opusenc", "--quiet", "--bitrate", "160", "-", "-"], wav(samples, rate))


def vorbis(samples, rate=44100):
    return _pipe(["oggenc", "--quiet", "-q", "6", "-o", "-", "-"], wav(samples, rate))


def reference_decode(data, suffix, folder):
    """What ffmpeg, which heeds encoder delay and padding, makes of it: 32-bit scale integers and the rate."""
    source, target = folder / f"reference{suffix}", folder / "reference.wav"
    source.write_bytes(data)
    _pipe(["ffmpeg", "-v", "error", "-y", "-i", str(source), "-c:a", "pcm_s16le", str(target)], b"")
    return read(target)


class Recording:
    """What came out of the renderer."""

    def __init__(self, samples, rate, bits, kind, complete, surplus=0):
        #: Integers on the scale of 32 bits, shape (samples, channels).
        self.samples = samples
        self.rate = rate
        self.bits = bits
        self.kind = kind
        #: The header's lengths agree with the file's.
        self.complete = complete
        #: Bytes behind the samples that the header speaks of.
        self.surplus = surplus

    def __len__(self):
        return len(self.samples)

    @property
    def seconds(self):
        return len(self.samples) / self.rate


def scale(samples, bits):
    """Integers of `bits` bits on the scale of 32 bits."""
    return samples.astype(np.int64) << (32 - bits)


def read(path):
    """Reads PCM of 16, 24 or 32 bits and 32-bit float, also with a header that was never finished."""
    data = path.read_bytes() if hasattr(path, "read_bytes") else path
    if data[:4] != b"RIFF":
        raise AssertionError(f"not a WAV file: {data[:16]!r} ({len(data)} bytes)")
    position = 12
    form = None
    while position + 8 <= len(data):
        name, length = struct.unpack_from("<4sI", data, position)
        position += 8
        if name == b"fmt ":
            kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", data, position)
            if kind == 0xFFFE:
                kind = struct.unpack_from("<H", data, position + 24)[0]
            form = (kind, channels, rate, bits)
        elif name == b"data":
            kind, channels, rate, bits = form
            left = len(data) - position
            complete = length <= left and length > 0
            body = data[position:position + (length if complete else left)]
            block = channels * bits // 8
            body = body[:len(body) // block * block]
            if kind == 3:
                values = np.frombuffer(body, "<f4" if bits == 32 else "<f8").astype(np.float64)
                samples = np.round(values * (1 << 31)).astype(np.int64)
            elif bits == 16:
                samples = np.frombuffer(body, "<i2").astype(np.int64) << 16
            elif bits == 24:
                raw = np.frombuffer(body, np.uint8).reshape(-1, 3)
                wide = np.zeros((len(raw), 4), np.uint8)
                wide[:, 1:] = raw
                samples = wide.reshape(-1).view("<i4").astype(np.int64)
            elif bits == 32:
                samples = np.frombuffer(body, "<i4").astype(np.int64)
            else:
                raise AssertionError(f"recording has {bits} bits")
            return Recording(samples.reshape(-1, channels), rate, bits, kind, complete, max(0, left - length))
        position += length + (length & 1)
    raise AssertionError("a WAV file without data")
