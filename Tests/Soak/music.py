"""What is played: good files, short ones, broken ones, servers that misbehave, stations that break off."""

import shutil
import subprocess

import fixtures
from kit.media_server import MediaServer

NEVER = 1 << 30


def wav(seconds, rate=fixtures.RATE):
    return fixtures.wav(fixtures.samples(seconds, rate), rate)


def encoded(folder, name, *command):
    """What an encoder makes of the WAV file; None where it isn't installed."""
    if shutil.which(command[0]) is None:
        return None
    target = folder / name
    subprocess.run([*map(str, command), str(target)], check=True, capture_output=True)
    return target.read_bytes()


class Music:
    """A media server on the phone. `addresses` are those that callers cast, `stations` those of the presets."""

    def __init__(self, address, folder):
        self.server = server = MediaServer(address)
        # Nobody reads these, and there will be many.
        server.requests.append = lambda request: None
        source = folder / "source.wav"
        wave = wav(2)
        source.write_bytes(wave)
        tiny = wav(0.05)
        flac = encoded(folder, "music.flac", "flac", "--silent", "-f", source, "-o")
        mp3 = encoded(folder, "music.mp3", "lame", "--quiet", "-b", "128", source)
        opus = encoded(folder, "music.opus", "opusenc", "--quiet", source)
        self.reference = server.add("/reference.wav", wav(0.8), "audio/wav")

        good = [server.add("/long.wav", wave, "audio/wav"), server.add("/tiny.wav", tiny, "audio/wav"),
                server.add("/44.wav", wav(0.4, 48000), "audio/wav")]
        for name, data, mime in (("flac", flac, "audio/flac"), ("mp3", mp3, "audio/mpeg"), ("opus", opus, "audio/ogg")):
            if data:
                good.append(server.add(f"/music.{name}", data, mime))
                server.add(f"/cut.{name}", data[:len(data) // 3], mime)
                server.add(f"/damaged.{name}", data[:900] + bytes(range(256)) * 40 + data[9000:], mime)
        bad = [f"{server.base}{path}" for path in server.resources if path.startswith(("/cut", "/damaged"))]
        for mode, after in (("stall", 30_000), ("stall", 0), ("reset", 20_000), ("reset", 0), ("short", 50_000), ("long", 0),
                            ("no-range", 0)):
            bad.append(server.add(f"/{mode}-{after}.wav", wave, "audio/wav", mode=mode, after=after))
        bad += [
            server.add("/slow.wav", wave, "audio/wav", mode="slow", rate=60_000),
            server.add("/empty.wav", b"", "audio/wav"), server.add("/head.wav", wave[:44], "audio/wav"),
            server.add("/noise.mp3", bytes(range(256)) * 200, "audio/mpeg"),
            server.add("/page.mp3", b"<html><body>Log in first</body></html>" * 20, "text/html"),
            server.refuse("/gone.wav"), server.refuse("/down.wav", "503 Service Unavailable"),
            server.redirect("/moved.wav", f"{server.base}/tiny.wav"), server.redirect("/circle", f"{server.base}/circle"),
            f"http://{address}:9/closed.wav", "http://10.77.250.250/nowhere.wav", "http://no-such-host.example/x.wav",
            "https://" + server.base[7:] + "/tiny.wav", "file:///etc/passwd", "ftp://10.0.0.1/x", "no address", "",
            f"{server.base}/{'x' * 3000}", "http://[::1/", server.base + "/tiny.wav#part",
        ]
        sound = mp3 or wave
        rate = 16_000 if mp3 else 176_400
        mime = "audio/mpeg" if mp3 else "audio/wav"
        self.stations = [
            server.add(f"/station-{number}", sound, mime, mode="icy", rate=rate, after=after, drops=drops,
                       titles=tuple(f"Song {n}" for n in range(50)), station=f"Station {number}")
            for number, (after, drops) in enumerate([(NEVER, 0), (40_000, NEVER), (20_000, NEVER), (60_000, 5)])]
        lists = [server.add("/list.m3u", f"#EXTM3U\n{self.stations[1]}\n".encode(), "audio/x-mpegurl"),
                 server.add("/list.pls", f"[playlist]\nFile1={self.stations[0]}\n".encode(), "audio/x-scpls"),
                 server.add("/circle.m3u", f"{server.base}/circle.m3u\n".encode(), "audio/x-mpegurl")]
        # Most of what is cast is good, or nothing would ever be heard.
        self.addresses = good * 8 + bad + self.stations + lists

    def close(self):
        self.server.go_on()
        self.server.close()
