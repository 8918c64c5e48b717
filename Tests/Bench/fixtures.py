"""Music to measure with: made anew for each run, by the encoders that are installed."""

import array
import math
import shutil
import struct
import subprocess

RATE = 44100


def samples(seconds, rate=RATE):
    """A chord under a slow beat with a little noise: neither silence nor the hardest case for a decoder."""
    values = array.array("h")
    state = 12345
    for index in range(int(seconds * rate)):
        at = index / rate
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        hiss = (state >> 16) / 32768 - 0.5
        beat = 0.6 + 0.4 * math.sin(2.3 * at)
        tone = math.sin(1382.3 * at) + 0.6 * math.sin(2073.5 * at) + 0.4 * math.sin(3110.2 * at)
        left = int(9000 * beat * (tone + 0.1 * hiss))
        values.append(left)
        values.append(int(left * 0.8 + 300 * hiss))
    return values


def wav(values, rate=RATE):
    data = values.tobytes()
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 2, rate, rate * 4, 4, 16,
                       b"data", len(data))
    return head + data


def mp3(folder, name, values):
    """A file of MP3 with LAME's tag; None without LAME."""
    if shutil.which("lame") is None:
        return None
    source, target = folder / f"{name}.wav", folder / f"{name}.mp3"
    source.write_bytes(wav(values))
    subprocess.run(["lame", "--quiet", "-b", "192", source, target], check=True, timeout=120)
    return target


def make(folder, seconds):
    """{"WAV": (file, MIME), …} for the formats whose encoder is there."""
    values = samples(seconds)
    source = folder / "music.wav"
    source.write_bytes(wav(values))
    made = {"WAV": (source, "audio/wav")}
    if shutil.which("flac"):
        target = folder / "music.flac"
        subprocess.run(["flac", "--silent", "-f", "-5", "-o", target, source], check=True, timeout=120)
        made["FLAC"] = (target, "audio/flac")
    encoded = mp3(folder, "music", values)
    if encoded:
        made["MP3"] = (encoded, "audio/mpeg")
    return made


def halves(folder, seconds=8):
    """(the left channel of one piece, where it was cut, the files of both halves as MP3), or None without LAME.

    The tones are closer together than in the music, so that no moment sounds like another.
    """
    count = int(seconds * RATE)
    values, state, low = array.array("h"), 99, 0.0
    for _ in range(count):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        low += 0.12 * ((state >> 16) / 16384 - 1 - low)
        values.append(int(24000 * low))
        values.append(values[-1])
    cut = count // 2 + 311  # no whole number of MP3 frames
    parts = [mp3(folder, f"half{number}", part) for number, part in enumerate((values[:2 * cut], values[2 * cut:]))]
    return None if None in parts else (values[::2], cut, parts)
