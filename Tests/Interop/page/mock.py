#!/usr/bin/env python3
"""A stand-in for the daemon behind the page: it serves the page's files and a scripted API.

The page is worked on and looked at against it, and tests reach states with it that are hard to reach with a daemon:

    python3 Tests/Interop/page/mock.py [PORT]        # then open http://localhost:PORT/

Nothing but the standard library is needed. What the API is, `Sources/Page/openapi.json` says.
"""

import hashlib
import json
import random
import struct
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

ASSETS = Path(__file__).parents[3] / "Sources" / "Page" / "Assets"
ICONS = Path(__file__).parents[3] / "Config" / "icon"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".png": "image/png"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
SERVER = "uuid:4d696e69-444c-164e-9d41-000000000001"
PLAIN = "uuid:4d696e69-444c-164e-9d41-000000000002"

ALBUMS = [
    ("Nordic Mornings", "Ida Sørensen", 2019, ["First Light", "Frost on the Pane", "Harbour", "The Long Road to Bodø", "Kelp", "Slow Ferry", "Gulls", "Home by Dark"]),
    ("Kind of Green", "The Vireo Quartet", 1961, ["So Far", "Freddie’s Bird", "Blue in the Canopy", "All Leaves", "Olive Sketches"]),
    ("Stadtlichter", "Königin Strom", 2022, ["Nachtbus", "Leuchtreklame", "Letzte Bahn", "Regen auf Asphalt", "Späti", "Morgenrot"]),
    ("Canciones del Agua", "Lucía Ferrer", 2015, ["Río Abajo", "Espuma", "La Orilla", "Marea Alta", "Lluvia Fina", "Sal", "Nana del Faro"]),
    ("Études d’hiver", "Camille Aubert", 2008, ["No. 1 in E minor", "No. 2 “Les flocons”", "No. 3 in G", "No. 4 “Le feu”", "No. 5 in A minor", "No. 6 “Dégel”"]),
    ("Tidal Patterns", "Moss & Wire", 2024, ["Ebb", "Neap", "Spring", "Slack Water", "Undertow"]),
    ("Live at the Old Mill", "Harper Lane Trio", 1998, ["Introduction", "Willow", "Stone Bridge", "Encore"]),
    ("Songs for Small Rooms", "Ada Whitlock", 2021, ["Kettle", "Window Seat", "Paper Lamp", "Stairs", "Wednesday", "Radiator", "Key Under the Mat"]),
]
STATIONS = ["FIP", "Radio Paradise", "Deutschlandfunk Kultur", "BBC Radio 3", "NPO Klassiek", "Radio Swiss Jazz", "SomaFM Groove Salad", "Rai Radio Tre"]


def uid(text):
    return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)


def key(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def picture(name, size=480):
    """A cover as PNG: a gradient, some discs and hills, all chosen by the name."""
    dice = random.Random(name)
    hue = dice.random()

    def colour(shift, light, strength=0.5):
        import colorsys
        return tuple(int(255 * part) for part in colorsys.hls_to_rgb((hue + shift) % 1, light, strength))

    top, low, disc = colour(0, 0.3, 0.5), colour(0.09, 0.66, 0.62), colour(0.5, 0.74, 0.72)
    hills = [(dice.uniform(0.55, 0.9), dice.uniform(0.02, 0.1), dice.uniform(1, 3.2), dice.uniform(0, 6), colour(0.03 * n, 0.2 + 0.07 * n, 0.4)) for n in (2, 1, 0)]
    hills.sort(key=lambda hill: hill[0])
    import math
    cx, cy, radius = dice.uniform(0.3, 0.7) * size, dice.uniform(0.25, 0.5) * size, dice.uniform(0.1, 0.24) * size
    lines = [[int(size * (base + height * math.sin(phase + waves * math.pi * x / size))) for x in range(size)] for base, height, waves, phase, _ in hills]
    rows = []
    for y in range(size):
        share = y / size
        sky = bytes(int(a + (b - a) * share) for a, b in zip(top, low))
        row = bytearray(sky * size)
        reach = radius * radius - (y - cy) ** 2
        if reach > 0:
            left, right = max(0, int(cx - reach ** 0.5)), min(size, int(cx + reach ** 0.5))
            row[left * 3:right * 3] = bytes(disc) * (right - left)
        for heights, hill in zip(lines, hills):
            if y >= min(heights):
                fill = bytes(hill[4])
                for x in range(size):
                    if heights[x] <= y:
                        row[x * 3:x * 3 + 3] = fill
        rows.append(b"\0" + bytes(row))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"".join(rows), 6)) + chunk(b"IEND", b""))


class Refusal(Exception):
    """A request that is refused: status, word, and what is wrong."""

    def __init__(self, status, kind, detail):
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail


class Mock:
    """The speaker: its sections, what clients do to them, and who follows."""

    def __init__(self, port=0, name="Living Room"):
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.boot = 1
        self.fingerprint = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(ASSETS.iterdir()))).hexdigest()[:12]
        self.art = {}
        self.tracks = {}
        self.ids = 0
        self.undo = None
        self.requests = []  # (method, path, body), for tests
        self.refusals = {}  # (method, path) -> Refusal or seconds to wait
        self.streams = 16
        self.open_streams = 0
        self.echo = 0.0  # how late events are
        self.library = self._library()
        self.reports = self._reports()
        self.songs = []  # of phones, the last first
        self.sections = {
            "player": {
                "name": name, "state": "stopped", "standby": False, "source": "playlist",
                "sources": [{"id": "playlist", "name": "Playlist", "isVisible": True}, {"id": "radio", "name": "Radio", "isVisible": True},
                            {"id": "upnp-av", "name": "UPnP AV", "isVisible": True}],
                "position": {"seconds": 0.0, "age": 0}, "actions": [], "repeat": False, "shuffle": False, "volume": 34, "volumeLimit": 100,
                "decibels": -24.5, "muted": False, "balance": 0, "sound": {"isOpen": False, "name": "alsa:hw:DAC", "mixer": "software, 24 bit with dither"},
                "access": "control"},
            "uploads": {"enabled": True, "songs": 0, "bytes": 0, "limit": 1_000_000_000, "coming": 0, "types": ["audio/flac", "audio/mpeg"]},
            "queue": {"token": "0", "ids": [], "current": 0, "seconds": 0.0, "limit": 10000},
            "radio": {"presets": [{"id": n + 1, "title": title, "uri": f"http://stations.example/{n}", **({"art": self.cover(title)} if n % 3 == 1 else {})} for n, title in enumerate(STATIONS)],
                      "current": 0, "songs": []},
            "pins": {"size": 12, "pins": []},
            "servers": {"servers": [
                {"udn": SERVER, "name": "Music on the shelf", "model": "MiniDLNA 1.3.0", "seen": 12, "isThere": True, "canSearch": True},
                {"udn": PLAIN, "name": "Gerbera", "model": "Gerbera 1.1.0", "seen": 340, "isThere": True, "canSearch": False},
                {"udn": "uuid:old", "name": "Old NAS", "model": "Twonky 8", "seen": 7300, "isThere": False, "canSearch": False}], "isSearching": False},
            "renderers": {"renderers": [
                {"udn": "uuid:self", "name": name, "model": "Vireo", "kind": "openhome", "isSelf": True, "seen": 0, "isThere": True, "state": "stopped", "volume": 34, "muted": False},
                {"udn": "uuid:kitchen", "name": "Kitchen", "model": "Vireo", "kind": "openhome", "isSelf": False, "seen": 30, "isThere": True, "state": "playing", "title": "Paper Lamp", "artist": "Ada Whitlock", "volume": 22, "muted": False},
                {"udn": "uuid:tv", "name": "Television", "model": "Bravia", "kind": "av", "isSelf": False, "seen": 8, "isThere": True, "state": "stopped", "volume": 15, "muted": True},
                {"udn": "uuid:bath", "name": "Bathroom", "model": "Moode", "kind": "av", "isSelf": False, "seen": 4000, "isThere": False}], "isSearching": False},
            "rooms": {"rooms": [
                {"udn": "uuid:self", "name": name, "isSelf": True, "isThere": True, "canSend": True, "canReceive": True, "state": "stopped", "volume": 34, "muted": False},
                {"udn": "uuid:kitchen", "name": "Kitchen", "isSelf": False, "isThere": True, "canSend": True, "canReceive": True, "state": "playing", "title": "Paper Lamp", "artist": "Ada Whitlock", "volume": 22, "muted": False}],
                "isSearching": False},
            "playlists": {"playlists": [], "limit": 200, "isKept": True},
            "system": self._system(name),
            "party": {"isRunning": False, "guests": 0, "requests": []},
        }
        self.guests = {}  # of the party: token -> id and name
        self.room_figures = {}  # by the UDN of a room that listens; what isn't there is well in step
        self.versions = {section: 1 for section in self.sections}
        self.started = time.monotonic()
        self.anchor = time.monotonic()
        self.port = port
        self.server = None
        self.start()

    # ---- Life ----

    def start(self):
        mock = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do(self):
                mock.answer(self)

            do_GET = do_HEAD = do_POST = do_PATCH = do_DELETE = do_PUT = do_OPTIONS = do

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 64

            def handle_error(self, request, client_address):
                pass

        self.server = Server(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_address[1]
        self.stopping = False
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def stop(self):
        """The daemon is gone: all connections end."""
        with self.changed:
            self.stopping = True
            self.changed.notify_all()
        self.server.shutdown()
        self.server.server_close()
        for _ in range(40):
            if not self.open_streams:
                break
            time.sleep(0.05)

    def restart(self, fingerprint=None):
        self.boot += 1
        self.fingerprint = fingerprint or self.fingerprint
        self.start()

    # ---- State ----

    def set(self, section="player", **members):
        """Changes members of a section (None removes them) and tells all pages."""
        with self.changed:
            for name, value in members.items():
                if value is None:
                    self.sections[section].pop(name, None)
                else:
                    self.sections[section][name] = value
            if section == "player" and ({"position", "state"} & set(members)):
                self.anchor = time.monotonic()
            self.versions[section] += 1
            self.changed.notify_all()

    def section(self, name):
        with self.lock:
            value = {"version": self.versions[name], **self.sections[name]}
            if name == "player":
                value["position"] = {"seconds": value["position"]["seconds"], "age": int(1000 * (time.monotonic() - self.anchor)) if value["state"] == "playing" else 0}
            if name == "system":
                value["uptime"] = int(time.monotonic() - self.started) + 90000
            return value

    def position(self):
        position = self.sections["player"]["position"]["seconds"]
        return position + (time.monotonic() - self.anchor if self.sections["player"]["state"] == "playing" else 0)

    def cover(self, name):
        self.art[key(name)] = name
        return f"/art/{key(name)}"

    def _track(self, album, index):
        title, artist, _, titles = album
        return {"uri": f"http://nas.local:8200/MediaItems/{uid(title) % 1000 + index}.flac", "title": titles[index], "artist": artist, "album": title,
                "seconds": float(120 + uid(titles[index]) % 240), "art": self.cover(title)}

    def _library(self):
        """Containers and tracks by their ids."""
        tree = {"0": {"title": "Music on the shelf", "children": ["albums", "artists", "folders", "big", "empty", "odd"], "parent": None}}

        def add(name, parent, **what):
            tree[name] = {"id": name, "parent": parent, "children": [], "isPlayable": True, **what}
        for name, title in (("albums", "Albums"), ("artists", "Artists"), ("folders", "Folders"), ("big", "All 10,000 tracks"), ("empty", "Nothing in here"), ("odd", "Odd names")):
            add(name, "0", title=title, kind="folder")
        for album in ALBUMS:
            title, artist = album[0], album[1]
            name = f"album$/{title}"
            add(name, "albums", title=title, artist=artist, kind="album", art=self.cover(title), count=len(album[3]))
            tree["albums"]["children"].append(name)
            person = f"artist$/{artist}"
            add(person, "artists", title=artist, kind="artist", count=1)
            tree["artists"]["children"].append(person)
            tree[person]["children"] = [name]
            for index, track in enumerate(album[3]):
                item = f"{name}/{index}"
                details = self._track(album, index)
                add(item, name, kind="track", number=index + 1, **details)
                tree[name]["children"].append(item)
        for number in range(10000):
            album = ALBUMS[number % len(ALBUMS)]
            details = self._track(album, number // len(ALBUMS) % len(album[3]))
            add(f"big/{number}", "big", kind="track", **{**details, "title": f"{details['title']} {number + 1}"})
        tree["big"]["children"] = [f"big/{number}" for number in range(10000)]
        odd = ["<img src=x onerror=\"document.title='hacked'\">", "مرحبا بالعالم", "x" * 4000, "‮reversed", "</script><script>alert(1)</script>", "👩‍👩‍👧‍👦 family", "  "]
        for index, title in enumerate(odd):
            add(f"odd/{index}", "odd", title=title, artist="<b>bold</b>", album="javascript:alert(1)", kind="track", uri="http://x/", seconds=10.0)
        add("odd/film", "odd", title="A film", kind="other", uri="http://x/", isPlayable=False)
        tree["odd"]["children"] = [f"odd/{index}" for index in range(len(odd))] + ["odd/film"]
        for parent in ("albums", "artists", "folders", "big", "empty", "odd"):
            tree[parent]["count"] = len(tree[parent]["children"])
        return tree

    def _system(self, name):
        return {
            "name": name, "vireo": "0.9.2", "uptime": 90000, "addresses": ["http://192.168.1.20:49494/", "http://living-room.local:49494/"],
            "checks": [
                {"name": "Multicast", "state": "ok", "detail": "Searches of others arrive on eth0."},
                {"name": "Sound device", "state": "ok", "detail": "alsa:hw:DAC opens at 44.1, 48, 96 and 192 kHz."},
                {"name": "Firewall", "state": "warning", "detail": "UDP from port 1900 is dropped on wlan0, so media servers there aren’t found.", "cure": "Allow UDP from port 1900: nft add rule inet filter input udp sport 1900 accept"},
                {"name": "Name", "state": "ok", "detail": "No other renderer of this network is called Living Room."},
                {"name": "Clock", "state": "ok", "detail": "The clock is set."},
                {"name": "Decoders", "state": "ok", "detail": "FLAC, MP3, AAC, Ogg Vorbis, Opus, WAV, AIFF, ALAC."}],
            "interfaces": [{"name": "eth0", "addresses": ["192.168.1.20", "fe80::dea6:32ff:fe01:203"], "isUsed": True},
                           {"name": "docker0", "addresses": ["172.17.0.1"], "isUsed": False, "detail": "a bridge of containers"}],
            "subscribers": [{"address": "192.168.1.31", "services": ["AVTransport", "RenderingControl"], "agent": "BubbleUPnP"}, {"address": "192.168.1.9", "services": ["Product", "Playlist", "Info", "Time", "Volume"]}],
            "pages": 1, "decoders": ["audio/flac", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/x-wav"],
            "sound": {"isOpen": True, "name": "alsa:hw:DAC", "mixer": "software, 24 bit with dither"},
            "settings": [{"key": "name", "value": name, "where": "/etc/vireo.toml:3"}, {"key": "network.port", "value": "49494", "where": "default"},
                         {"key": "sound.device", "value": "alsa:hw:DAC", "where": "/etc/vireo.toml:9"}, {"key": "sound.buffer", "value": "200ms", "where": "default"},
                         {"key": "page.access", "value": "control", "where": "default"}],
            "configuration": "/etc/vireo.toml", "udns": ["uuid:9b1c8c5e-1f5e-5b4e-8a57-2f6f1f2f3a4b"]}

    def _reports(self):
        sent = [("listenbrainz", "now", "Harbour", 20), ("listenbrainz", "heard", "Frost on the Pane", 260), ("webhook", "ended", "Frost on the Pane", 25)]
        return {
            "enabled": True, "clock": True,
            "servers": [{"name": "listenbrainz", "address": "https://api.listenbrainz.org", "state": "ready", "waiting": 0, "lost": 0, "refused": 0},
                        {"name": "webhook", "address": "http://192.168.1.5/", "state": "waiting", "detail": "it answers 500", "next": 45, "waiting": 12, "lost": 0,
                         "refused": 0}],
            "sent": [{"server": server, "event": event, "title": title, "artist": "Ida Sørensen", "album": "Nordic Mornings", "age": age}
                     for server, event, title, age in sent]}

    # ---- What is done to it ----

    def fill(self, tracks=None, count=None):
        """A queue, its first track playing."""
        if count:
            tracks = [self.library[f"big/{n}"] for n in range(count)]
        tracks = tracks or [self._track(album, index) for album in ALBUMS[:3] for index in range(len(album[3]))]
        with self.lock:
            self.sections["queue"]["ids"] = [self.new(track) for track in tracks]
            self.play_id(self.sections["queue"]["ids"][0])
            self.queue_changed()
        return self

    def new(self, track):
        self.ids += 1
        kept = {name: track[name] for name in ("uri", "title", "artist", "album", "seconds", "art") if track.get(name) is not None}
        self.tracks[self.ids] = {"id": self.ids, "title": kept.get("uri", "?").rsplit("/", 1)[-1], **kept}
        return self.ids

    def queue_changed(self, undo=None):
        queue = self.sections["queue"]
        self.set("queue", token=str(self.versions["queue"] + 1), seconds=sum(self.tracks[one].get("seconds", 0) for one in queue["ids"]), undo=undo)

    def play_id(self, one, state="playing"):
        queue = self.sections["queue"]
        queue["current"] = one
        ids = queue["ids"]
        index = ids.index(one)
        after = ids[index + 1] if index + 1 < len(ids) else None
        self.set(state=state, source="playlist", track=self.tracks[one], next=self.tracks.get(after), position={"seconds": 0.0, "age": 0}, failure=None, seekReason=None,
                 format={"codec": "FLAC", "sampleRate": 44100, "bitDepth": 16, "channels": 2, "bitRate": 0, "isLossless": True, "bitPerfect": "The volume is applied in software, with dither."},
                 actions=self.actions(state, index, len(ids)), caster={"address": "192.168.1.50", "isPage": True})
        self.set("queue")
        self.set("radio", current=0, songs=[])

    @staticmethod
    def actions(state, index=0, count=1):
        return (["pause"] if state == "playing" else ["play"]) + ["stop", "seek"] + (["next"] if index + 1 < count else []) + ["previous"]

    def play_station(self, one, song="Billie Holiday – Strange Fruit"):
        station = next(preset for preset in self.sections["radio"]["presets"] if preset["id"] == one)
        self.set("radio", current=one, songs=[{"text": song, "age": 5}, {"text": "Nina Simone – Feeling Good", "age": 210}, {"text": "Chet Baker – Almost Blue", "age": 480}])
        self.set(state="playing", source="radio", track={"uri": station["uri"], "title": song.split(" – ")[-1], "artist": song.split(" – ")[0], "station": station["title"], "isLive": True,
                                                        **({"art": station["art"]} if "art" in station else {})},
                 next=None, position={"seconds": 0.0, "age": 0}, actions=["pause", "stop", "next", "previous"], seekReason="A live stream can’t be sought.",
                 format={"codec": "AAC", "sampleRate": 48000, "channels": 2, "bitRate": 128000, "isLossless": False}, failure=None)

    def perform(self, verb):
        player, queue = self.sections["player"], self.sections["queue"]
        if verb == "toggle":
            verb = "pause" if player["state"] == "playing" else "play"
        if verb not in player["actions"]:
            raise Refusal(409, "not-possible", f"{verb.capitalize()} isn't possible now.")
        ids = queue["ids"]
        index = ids.index(queue["current"]) if queue["current"] in ids else 0
        if verb in ("play", "pause", "stop"):
            position = 0.0 if verb == "stop" else self.position()
            state = {"play": "playing", "pause": "paused", "stop": "stopped"}[verb]
            if player["source"] == "radio":
                actions = (["pause", "stop"] if state == "playing" else ["play"]) + ["next", "previous"]
            else:
                actions = self.actions(state, index, len(ids))
            self.set(state=state, actions=actions, position={"seconds": position, "age": 0}, failure=None)
        elif player["source"] == "radio":
            presets = [preset["id"] for preset in self.sections["radio"]["presets"]]
            place = presets.index(self.sections["radio"]["current"]) + (1 if verb == "next" else -1)
            self.play_station(presets[place % len(presets)])
        else:
            self.play_id(ids[max(0, min(len(ids) - 1, index + (1 if verb == "next" else -1)))], player["state"])

    def found(self, item):
        """The tracks of an item of /play."""
        if "uri" in item:
            return [item]
        if "preset" in item:
            raise Refusal(422, "out-of-range", "Not here.")
        thing = self.library.get(item.get("object"))
        if not thing:
            raise Refusal(404, "not-found", "There is no such object.")
        if not thing["children"]:
            return [thing] if thing.get("uri") else []
        return [track for child in thing["children"] for track in self.found({"object": child})]

    # ---- HTTP ----

    def answer(self, request):
        length = int(request.headers.get("Content-Length") or 0)
        raw = request.rfile.read(length)
        parts = urlsplit(request.path)
        path, query = parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()}
        try:
            is_file = request.headers.get("Content-Type") == "application/octet-stream"
            body = raw if is_file else json.loads(raw) if raw else None
            self.requests.append((request.command, request.path, body))
            fault = self.refusals.get((request.command, path))
            if isinstance(fault, Refusal):
                raise fault
            if fault:
                time.sleep(fault)
            if path == "/api/v1/events":
                return self.stream(request, query)
            status, headers, content = self.file(path) if not path.startswith("/api/") else self.api(request, path, query, body)
        except Refusal as refusal:
            status = refusal.status
            headers = {"Content-Type": "application/problem+json"}
            content = json.dumps({"type": refusal.kind, "title": "Refused", "status": status, "detail": refusal.detail}).encode()
        request.send_response(status)
        for name, value in {**headers, "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}.items():
            request.send_header(name, value)
        if status != 204:
            request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(content)

    def file(self, path):
        if path == "/":
            shell = (ASSETS / "index.html").read_text()
            shell = shell.replace("{{name}}", self.sections["player"]["name"]).replace("{{ui}}", f"/ui/{self.fingerprint}")
            return 200, {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache"}, shell.encode()
        if path == "/manifest.webmanifest":
            return 200, {"Content-Type": "application/manifest+json"}, json.dumps({"name": "Vireo", "start_url": "/", "display": "standalone"}).encode()
        if path.startswith("/art/") and path[5:] in self.art:
            return 200, {"Content-Type": "image/png", "Cache-Control": "private, max-age=31536000, immutable"}, self.cached(path[5:])
        if path == "/status":
            return 200, {"Content-Type": "text/html"}, b"<!doctype html><title>Status</title>Status"
        if path.startswith(f"/ui/{self.fingerprint}/"):
            name = path.rsplit("/", 1)[1]
            found = ASSETS / name
            if name.startswith("icon-"):
                found = ICONS / "vireo-256.png"
            if found.is_file():
                return 200, {"Content-Type": TYPES[found.suffix], "Cache-Control": "public, max-age=31536000, immutable"}, found.read_bytes()
        raise Refusal(404, "not-found", "There is no such thing.")

    pictures = {}

    def cached(self, name):
        if name not in self.pictures:
            self.pictures[name] = picture(self.art[name])
        return self.pictures[name]

    def stream(self, request, query):
        names = query.get("sections", "player,queue").split(",")
        with self.lock:
            if self.open_streams >= self.streams:
                raise Refusal(503, "too-many", "Too many pages are open.")
            self.open_streams += 1
        try:
            request.send_response(200)
            request.send_header("Content-Type", "text/event-stream")
            request.send_header("Cache-Control", "no-store")
            request.send_header("Connection", "close")
            request.end_headers()
            request.wfile.write(b"retry: 1000\n\n")
            request.close_connection = True
            sent, boot = {}, self.boot
            beat = time.monotonic()
            while not self.stopping and boot == self.boot:
                with self.changed:
                    due = [name for name in names if sent.get(name) != self.versions[name]]
                    if not due:
                        self.changed.wait(1)
                        due = [name for name in names if sent.get(name) != self.versions[name]]
                if due and sent and self.echo:
                    time.sleep(self.echo)
                if self.stopping:
                    return
                for name in due:
                    value = self.section(name)
                    sent[name] = value["version"]
                    request.wfile.write(f"id: {boot}.{value['version']}\nevent: {name}\ndata: {json.dumps(value)}\n\n".encode())
                if time.monotonic() - beat > 20:
                    beat = time.monotonic()
                    request.wfile.write(b": \n\n")
                request.wfile.flush()
        except OSError:
            pass
        finally:
            with self.lock:
                self.open_streams -= 1

    def api(self, request, path, query, body):
        with self.lock:
            steps = [unquote(step) for step in path.removeprefix("/api/v1/").split("/")]
            value = self.operation(request, request.command, steps, query, body)
            if value is None:
                return 204, {"Vireo-Version": str(self.versions["player"])}, b""
            return 200, {"Content-Type": "application/json", "Cache-Control": "no-store"}, json.dumps(value).encode()

    def operation(self, request, method, steps, query, body):
        player, queue = self.sections["player"], self.sections["queue"]
        match [method, *steps]:
            case ["GET", ("player" | "queue" | "radio" | "pins" | "servers" | "renderers" | "rooms" | "party" | "uploads" | "system") as name]:
                return self.section(name)
            case [_, "party", *rest]:
                return self.party(method, rest, body, request.headers.get("Vireo-Guest"))
            case ["PATCH", "player"]:
                return self.change(body)
            case ["POST", "player", verb]:
                return self.perform(verb)
            case ["GET", "queue", "tracks"]:
                return {"tracks": [self.tracks[int(one)] for one in query["ids"].split(",") if int(one) in self.tracks]}
            case ["POST", "queue", "undo"]:
                if not self.undo:
                    raise Refusal(409, "not-possible", "There is nothing to take back.")
                queue["ids"], queue["current"] = self.undo
                self.undo = None
                return self.queue_changed()
            case ["POST", "queue", "tracks", one, "play"]:
                return self.play_id(int(one))
            case ["DELETE" | "POST", "queue", *_]:
                if request.headers.get("If-Match") not in (None, queue["token"]):
                    raise Refusal(412, "changed", "The queue has changed meanwhile.")
                return self.edit(method, steps[1:], body)
            case ["POST", "play"]:
                return self.play(body)
            case ["POST", "radio", "check"]:
                good = body["uri"].startswith("http")
                return {"isPlayable": good, "detail": "An MP3 stream of 128 kbit/s." if good else "Only http and https addresses can be played.", **({"title": "Radio Meuh"} if good else {})}
            case ["POST", "radio", one, "play"]:
                return self.play_station(int(one))
            case [_, "pins", *rest]:
                return self.pin(method, rest, query, body)
            case ["POST", "servers", "search"]:
                return self.set("servers", isSearching=True)
            case ["GET", "servers", udn, "objects"]:
                return self.objects(udn, query)
            case ["GET", "servers", udn, "search"]:
                return self.search(udn, query)
            case [_, "renderers", udn, *verb]:
                return self.renderer(udn, verb, body)
            case ["GET", "rooms", "reports"]:
                return self.room_reports()
            case ["GET", "rooms", "next"]:
                after = queue["ids"].index(queue["current"]) + 1 if queue["current"] in queue["ids"] else 0
                return {"titles": [{"title": self.tracks[one]["title"], "artist": self.tracks[one]["artist"]} for one in queue["ids"][after:after + 10]]}
            case [_, "rooms", udn, verb]:
                return self.room(udn, verb, body)
            case ["POST" | "DELETE" | "GET", "uploads", *_]:
                return self.uploads(method, steps[1:], query, body)
            case ["GET", "reports"]:
                return self.reports
            case ["POST", "reports", "pause"]:
                if body["for"] == "album" and not player.get("track", {}).get("album"):
                    raise Refusal(409, "no-album", "What plays names no album; pause the reports for an hour.")
                self.reports["pause"] = {"album": player["track"]["album"]} if body["for"] == "album" else {"seconds": 3600}
                return self.reports
            case ["POST", "reports", "resume"]:
                self.reports.pop("pause", None)
                return self.reports
            case ["GET", "system", "log"]:
                return {"lines": [{"age": 340, "level": "warning", "text": "sound: alsa:hw:DAC was away for 12 s"}, {"age": 86000, "level": "error", "text": "http://nas.local:8200/MediaItems/22.flac: the server closed the connection"}]}
        raise Refusal(404, "not-found", "There is no such thing.")

    def change(self, body):
        player = self.sections["player"]
        for name, value in (body or {}).items():
            if name == "position":
                if "seek" not in player["actions"]:
                    raise Refusal(409, "not-possible", "The track can't be sought.")
                self.set(position={"seconds": float(value), "age": 0})
            elif name == "volume":
                volume = min(value, player["volumeLimit"])
                self.set(volume=volume, decibels=round((volume - 100) * 0.4, 1))
            elif name == "source" and value == "radio":
                self.play_station(1)
            elif name == "standby":
                self.set(standby=value, state="stopped", actions=[] if value else self.actions("stopped") if player.get("track") else [])
            else:
                self.set(**{name: value})

    def edit(self, method, steps, body):
        queue = self.sections["queue"]
        before = (list(queue["ids"]), queue["current"])
        ids = queue["ids"]
        if method == "DELETE" and not steps:
            undo, ids = f"removing {len(ids)} tracks", []
        elif method == "DELETE":
            undo, ids = "removing a track", [one for one in ids if one != int(steps[1])]
        elif steps == ["remove"]:
            undo, ids = f"removing {len(body['ids'])} tracks", [one for one in ids if one not in set(body["ids"])]
        else:
            ids = [one for one in ids if one not in set(body["ids"])]
            place = ids.index(body["after"]) + 1 if body["after"] else 0
            undo, ids = "moving", ids[:place] + body["ids"] + ids[place:]
        self.undo = before
        queue["ids"] = ids
        if queue["current"] not in ids:
            queue["current"] = ids[0] if ids else 0
            if ids:
                self.play_id(ids[0], "stopped")
            else:
                self.set(track=None, next=None, state="stopped", actions=[], format=None)
        self.queue_changed(undo)

    def play(self, body):
        if pin := body["items"][0].get("pin"):
            one = next((one for one in self.sections["pins"]["pins"] if one["id"] == pin), None)
            if not one:
                raise Refusal(404, "not-found", "There is no such favourite.")
            self.set(state="playing", source="radio", track={"uri": one["uri"], "title": one["title"], "isLive": True}, actions=["stop"])
            return {"added": 1, "left": 0}
        tracks = [track for item in body["items"] for track in self.found(item)]
        if body.get("where"):
            return {"added": len(tracks), "left": 0}
        queue = self.sections["queue"]
        self.undo = (list(queue["ids"]), queue["current"])
        new = [self.new(track) for track in tracks]
        ids = queue["ids"]
        place = ids.index(queue["current"]) + 1 if queue["current"] in ids else 0
        how = body.get("how", "now")
        if how == "replace":
            queue["ids"] = new
        elif how == "end":
            queue["ids"] = ids + new
        else:
            queue["ids"] = ids[:place] + new + ids[place:]
        self.queue_changed(f"adding {len(new)} tracks")
        if new and (how in ("now", "replace") or not self.sections["player"].get("track")):
            self.play_id(new[0], "playing" if how in ("now", "replace") else "stopped")
        return {"added": len(new), "left": 0}

    def pin(self, method, steps, query, body):
        """Favourites: POST keeps one, PUT and DELETE a slot, move and swap."""
        pins = {one["slot"]: one for one in self.sections["pins"]["pins"]}
        match [method, *steps]:
            case ["POST"] | ["PUT", _]:
                free = [slot for slot in range(1, 13) if slot not in pins] if method == "POST" else [int(steps[0])]
                if not free:
                    raise Refusal(409, "pins-full", "All 12 favourites are taken; remove one first.")
                preset = next((one for one in self.sections["radio"]["presets"] if one["id"] == body.get("preset")), {})
                self.ids += 1
                made = {"slot": free[0], "id": self.ids, "mode": "server" if "server" in body else "url", "type": "stream", "shuffle": False,
                        "uri": body.get("uri") or preset.get("uri") or "server://object", "title": body.get("title") or preset.get("title") or "What plays"}
                for name, value in (("art", body.get("art") or preset.get("art")), ("description", body.get("description"))):
                    if value:
                        made[name] = value
                pins[free[0]] = made
            case ["DELETE", slot]:
                if str(pins.get(int(slot), {}).get("id")) != query.get("id", str(pins.get(int(slot), {}).get("id"))) or int(slot) not in pins:
                    raise Refusal(404, "not-found", "There is no such favourite.")
                del pins[int(slot)]
                made = None
            case ["POST", "move"]:
                slots = [pins.get(slot) for slot in range(1, 13)]
                one = next(one for one in pins.values() if one["id"] == body["id"])
                slots.insert(body["slot"] - 1, slots.pop(one["slot"] - 1))
                pins = {slot: {**one, "slot": slot} for slot, one in enumerate(slots, 1) if one}
                made = None
            case _:
                raise Refusal(404, "not-found", "There is no such thing.")
        self.set("pins", pins=[pins[slot] for slot in sorted(pins)])
        return made

    def objects(self, udn, query):
        if udn not in (SERVER, PLAIN):
            raise Refusal(404, "not-found", "There is no such server.")
        folder = self.library.get(query.get("id", "0"))
        if not folder:
            raise Refusal(404, "not-found", "There is no such folder.")
        start, count = int(query.get("start", 0)), int(query.get("count", 50))
        path, above = [], folder.get("parent")
        while above:
            path.insert(0, {"id": above, "title": self.library[above]["title"]})
            above = self.library[above]["parent"]
        return self.part([self.library[one] for one in folder["children"]], start, count, title=folder["title"], path=path)

    @staticmethod
    def part(things, start, count, **more):
        names = ("id", "title", "kind", "artist", "album", "seconds", "count", "number", "art", "isPlayable")
        objects = [{name: thing[name] for name in names if thing.get(name) is not None} for thing in things[start:start + count]]
        return {"objects": objects, "start": start, "total": len(things), "isEnd": start + count >= len(things), **more}

    def search(self, udn, query):
        if udn != SERVER:
            raise Refusal(409, "no-search", "This server offers no search.")
        words = query["q"].lower()
        found = [thing for name, thing in self.library.items() if name != "0" and thing["kind"] in ({query["kind"]} if "kind" in query else {"track", "album", "artist"})
                 and not name.startswith("big/") and words in f"{thing['title']} {thing.get('artist', '')}".lower()]
        return self.part(found, int(query.get("start", 0)), int(query.get("count", 50)))

    def renderer(self, udn, verb, body):
        found = next((one for one in self.sections["renderers"]["renderers"] if one["udn"] == udn), None)
        if not found:
            raise Refusal(404, "not-found", "There is no such renderer.")
        if verb == ["cast"]:
            return {"added": len(self.sections["queue"]["ids"]), "left": 0}
        if verb:
            found["state"] = {"play": "playing", "pause": "paused", "stop": "stopped"}[verb[0]]
        else:
            self.set_room(udn, **body)
        self.set("renderers")

    # ---- Rooms that play together ----

    def add_room(self, udn, name, **more):
        """Another room that sends and receives."""
        with self.lock:
            self.sections["renderers"]["renderers"].append({"udn": udn, "name": name, "model": "Vireo", "kind": "openhome", "isSelf": False, "seen": 3, "isThere": True, "state": "stopped", "volume": 40, "muted": False})
            self.sections["rooms"]["rooms"].append({"udn": udn, "name": name, "isSelf": False, "isThere": True, "canSend": True, "canReceive": True, "state": "stopped", "volume": 40, "muted": False, **more})
            self.set("renderers")
            self.set("rooms")

    def room_of(self, udn):
        found = next((one for one in self.sections["rooms"]["rooms"] if one["udn"] == udn), None)
        if not found:
            raise Refusal(404, "not-found", "There is no such room.")
        return found

    def set_room(self, udn, **members):
        """Changes a room, and what is shown of it elsewhere; None removes a member."""
        with self.lock:
            shown = [one for part in ("rooms", "renderers") for one in self.sections[part][part] if one["udn"] == udn]
            for one in shown:
                for name, value in members.items():
                    if value is not None and (name in ("volume", "muted") or one in self.sections["rooms"]["rooms"]):
                        one[name] = value
                    elif value is None:
                        one.pop(name, None)
            volume = {name: value for name, value in members.items() if name in ("volume", "muted")}
            if udn == "uuid:self" and volume:
                self.set(**volume)
            self.set("renderers")
            self.set("rooms")

    def room(self, udn, verb, body):
        found = self.room_of(udn)
        if verb == "join":
            host = self.room_of(body["host"])
            self.set_room(udn, host=host["udn"], hostName=host["name"], state="playing" if host["state"] == "playing" else "waiting")
        elif verb == "leave":
            self.set_room(udn, host=None, hostName=None, state="stopped")
        else:
            group = [found, *(one for one in self.sections["rooms"]["rooms"] if one.get("host") == udn)]
            step = body["volume"] - found["volume"] if "volume" in body else body.get("step", 0)
            for one in group:
                self.set_room(one["udn"], volume=max(0, min(100, one["volume"] + step)), muted=body.get("muted", one["muted"]))

    # ---- The party ----

    def start_party(self, mode="add", code="ABCDEFGH"):
        self.guests = {}
        self.set("party", isRunning=True, mode=mode, code=code, address="http://192.0.2.7:49494/", seconds=8 * 3600, votes=True, guests=0, requests=[])
        return self.section("party")

    def party(self, method, rest, body, token):
        party = self.sections["party"]
        requests = party["requests"]
        if method == "POST" and not rest:
            return self.start_party(body["mode"])
        if not party["isRunning"]:
            raise Refusal(404, "no-party", "There is no party.")
        one = next((one for one in requests if rest[1:] and one["id"] == int(rest[1])), None)
        guest = self.guests.get(token)
        match [method, *rest]:
            case ["PATCH"]:
                self.set("party", **body)
                return self.section("party")
            case ["DELETE"]:
                return self.set("party", isRunning=False, mode=None, code=None, seconds=None, votes=None, guests=0, requests=[])
            case ["POST", "guests"]:
                if body["code"] != party["code"]:
                    raise Refusal(403, "wrong-code", "That isn't the code of the party.")
                number = len(self.guests) + 1
                self.guests[f"token-{number}"] = {"id": number, "name": body.get("name") or None, "left": 10, "voted": set()}
                self.set("party", guests=number)
                return {"token": f"token-{number}", **self.guest(f"token-{number}")}
            case ["PATCH", "requests", _]:
                one["state"] = "queued" if body["decision"] == "accept" else "refused"
                return self.set("party", requests=requests)
        if not guest:
            raise Refusal(403, "unknown-guest", "The speaker doesn't know this guest.")
        match [method, *rest]:
            case ["GET", "guest"]:
                return self.guest(token)
            case ["POST", "requests"]:
                if not guest["left"]:
                    raise Refusal(429, "too-many-requests", "You have requested many songs; try again in 2 min.")
                guest["left"] -= 1
                found = self.found(body)[0]
                requests.append({"id": len(requests) + 1, "guest": guest["id"], **({"name": guest["name"]} if guest["name"] else {}), "title": found["title"],
                                 "artist": found["artist"], "votes": 0, "next": body.get("next", False), "state": "asked" if party["mode"] == "ask" else "queued"})
                self.set("party", requests=requests)
                return requests[-1]
            case [("POST" | "DELETE"), "requests", _, "vote"]:
                (guest["voted"].add if method == "POST" else guest["voted"].discard)(one["id"])
                one["votes"] += 1 if method == "POST" else -1
                return self.set("party", requests=requests)
            case ["DELETE", "requests", _]:
                return self.set("party", requests=[other for other in requests if other is not one])
        raise Refusal(404, "not-found", "There is no such thing.")

    def guest(self, token):
        guest = self.guests[token]
        return {"id": guest["id"], "left": guest["left"], "wait": 0 if guest["left"] else 120, "nextWait": 0, "voted": sorted(guest["voted"]),
                **({"name": guest["name"]} if guest["name"] else {})}

    def uploads(self, method, steps, query, body):
        needed = {self.tracks[one].get("uri") for one in self.sections["queue"]["ids"]}
        match [method, *steps]:
            case ["GET", "songs"]:
                start = int(query.get("start", 0))
                songs = [{**song, "isNeeded": song["uri"] in needed} for song in self.songs]
                return {"songs": songs[start:start + int(query.get("count", 100))], "total": len(songs)}
            case ["POST"]:
                if not body.startswith(b"fLaC"):
                    raise Refusal(415, "not-audio", "This isn't an audio file.")
                name = query["name"]
                song = {"key": f"{len(self.songs) + 1:032x}", "name": name, "title": name.rsplit(".", 1)[0], "type": "audio/flac", "bytes": len(body),
                        "age": 0, "unused": 0, "uri": f"http://speaker/uploads/{len(self.songs) + 1:032x}.flac"}
                self.songs.insert(0, song)
                if query.get("how", "keep") != "keep":
                    self.play({"items": [song], "how": query["how"]})
                self.uploads_changed()
                return {"key": song["key"], "uri": song["uri"], "type": "audio/flac", "state": "kept" if query.get("how", "keep") == "keep" else "queued"}
            case ["POST", "list"]:
                names = [line for line in body["text"].splitlines() if line and not line.startswith("#")]
                found = [song for name in names for song in self.songs if song["name"] == name]
                missing = [name for name in names if name not in {song["name"] for song in self.songs}]
                if found:
                    self.play({"items": found, "how": body["how"]})
                return {"added": len(found), "missing": missing, "left": len(missing)}
            case ["DELETE"]:
                self.songs = [song for song in self.songs if song["uri"] in needed]
                self.uploads_changed()
                return self.section("uploads")
            case ["DELETE", key]:
                self.songs = [song for song in self.songs if song["key"] != key]
                return self.uploads_changed()
        raise Refusal(404, "not-found", "There is no such thing.")

    def uploads_changed(self):
        self.set("uploads", songs=len(self.songs), bytes=sum(song["bytes"] for song in self.songs))

    def room_reports(self):
        def figures(udn):
            return {"state": "playing", "offset": -84, "p95": 190, "rate": 12400, "loss": 0, "buffer": 120000, "lost": 0, "repaired": 3, "seen": 0, **self.room_figures.get(udn, {})}
        rooms = self.sections["rooms"]["rooms"]
        listeners = [one for one in rooms if one.get("host") == "uuid:self"]
        answer = {"sending": bool(listeners), "listeners": [{"address": f"192.168.1.{30 + n}", "udn": one["udn"], "name": one["name"], **figures(one["udn"])} for n, one in enumerate(listeners)]}
        if rooms[0].get("host"):
            answer["listening"] = figures("uuid:self")
        return answer


if __name__ == "__main__":
    mock = Mock(port=int(sys.argv[1]) if len(sys.argv) > 1 else 8123).fill()
    print(mock.url, flush=True)
    threading.Event().wait()
