"""What is off by default: what it costs when it is on, and that a week of listens is small and soon sent."""

import json
import sqlite3
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path

import process
from kit.report_server import ReportServer
from subjects import Bench

LISTENS = 5_000
MBID = "b1a9c0e9-d987-4042-ae91-78d6a3267d69"


def token(folder):
    path = Path(folder) / "token"
    path.write_text("secret\n")
    path.chmod(0o600)
    return path


def reports(url, folder):
    return {"reports": {"enabled": True}, "reports.listenbrainz": {"url": url, "token-file": token(folder)}}


def idle(bench, choices, rounds, seconds):
    """{name of a choice: (private dirty in MiB, wake-ups a minute)} when idle, medians of several starts in turn."""
    values = {name: [] for name in choices}
    for _ in range(rounds):
        for name, settings in choices.items():
            bench.subject.settings = {key: dict(table) for key, table in settings.items()}
            bench.start()
            [wake_ups] = process.idle([bench], seconds).values()
            values[name].append((bench.subject.memory()["Private_Dirty"] / 1024, wake_ups))
            bench.stop()
    return {name: tuple(map(statistics.median, zip(*seen))) for name, seen in values.items()}


def week(bench, folder):
    """(MiB of state, s until all were sent) of the listens of a week in which the server was away."""
    server = ReportServer(bench.link.phone)
    try:
        bench.subject.settings = reports(server.base, folder)
        bench.start()
        bench.stop()
        state = bench.subject.folder / "state" / "state.db"
        now = int(time.time() * 1000)
        with closing(sqlite3.connect(state)) as database, database:
            for seq in range(1, LISTENS + 1):
                body = {"i": f"{seq:032x}", "s": "playlist", "t": f"Song {seq} of a long week (remastered)", "a": "An artist",
                        "b": "An album", "n": 1, "d": 240_000, "mr": MBID, "mb": MBID, "mt": MBID, "ma": [MBID]}
                database.execute("INSERT INTO reports VALUES (?, 'listenbrainz', 'heard', 'another-boot', ?, ?, ?)",
                                 (seq, seq * 1000, now - (LISTENS + 1 - seq) * 100_000, json.dumps(body)))
        size = state.stat().st_size / (1 << 20)
        begun = time.monotonic()
        bench.start()
        while (sent := sum(len(call.json["payload"]) for call in server.calls.items)) < LISTENS:
            if time.monotonic() - begun > 120:
                raise RuntimeError(f"only {sent} of {LISTENS} listens were sent")
            time.sleep(0.1)
        return size, time.monotonic() - begun
    finally:
        server.close()


def add_rows(result, failures, kind, folder, quick, say):
    """Measures the renderer of `kind` alone and adds its rows to the table."""
    bench = Bench(kind, folder / "extras")

    def add(label, unit, value, digits=1, target=""):
        result.add(label, unit, {bench.name: value}, digits, target)
    try:
        with tempfile.TemporaryDirectory() as secrets:
            choices = {"nothing": {}, "reports": reports(f"http://{bench.link.phone}:9", secrets)}
            say("… idle with what is off by default")
            bench.start()  # finds out what this host can decode; the later starts remember
            process.wait_settled([bench])
            bench.stop()
            values = idle(bench, choices, 1 if quick else 3, 10 if quick else 60)
            base = values.pop("nothing")
            add("idle wake-ups a minute, all off", "", base[1], 0, "0")
            for name, (dirty, wake_ups) in values.items():
                add(f"{name} on: adds to idle private dirty", "MiB", dirty - base[0], 2)
                add(f"{name} on: idle wake-ups a minute", "", wake_ups, 0, "0")
            say("… a week of listens")
            size, seconds = week(bench, secrets)
            add(f"{LISTENS:,} listens: state", "MiB", size, 1, "4")
            add(f"{LISTENS:,} listens: sent in", "s", seconds, 1, "60")
    except Exception as error:  # the other figures count all the same
        failures.append(f"what is off by default, of {bench.name}: {error!r}")
    finally:
        bench.close()
