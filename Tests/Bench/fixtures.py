"""Music to measure with: made anew for each run, by the encoders that are installed."""

import array
import math
import shutil
import struct
import subprocess


def wav(seconds, rate=44100):
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
    data = values.tobytes()
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 2, rate, rate * 4, 4, 16,
                       b"data", len(data))
    return head + data


def make(folder, seconds):
    """{"WAV": (bytes, MIME), …} for the formats whose encoder is there."""
    source = folder / "music.wav"
    source.write_bytes(wav(seconds))
    made = {"WAV": (source.read_bytes(), "audio/wav")}
    if shutil.which("flac"):
        target = folder / "music.flac"
        subprocess.run(["flac", "--silent", "-f", "-5", "-o", target, source], check=True)
        made["FLAC"] = (target.read_bytes(), "audio/flac")
    if shutil.which("lame"):
        target = folder / "music.mp3"
        subprocess.run(["lame", "--quiet", "-b", "192", source, target], check=True)
        made["MP3"] = (target.read_bytes(), "audio/mpeg")
    return made
