"""Songs from phones: what one of 500 MB costs in memory, and what it costs to be able to take some."""

import http.client
import json
import socket
import statistics
from urllib.parse import urlsplit

import process
from kit import memory
from subjects import Bench

SIZE = 500_000_000
BEGINNING = b"fLaC" + b"\0" * 60
PIECE = b"\x55" * 65536


def send(host, size):
    """Sends a song that is never in memory as a whole; its key."""
    address, port = host.rsplit(":", 1)
    with socket.create_connection((address, int(port)), timeout=60) as connection:
        connection.sendall(f"POST /api/v1/uploads?name=song.flac HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/octet-stream\r\n"
                           f"Content-Length: {size}\r\n\r\n".encode() + BEGINNING)
        left = size - len(BEGINNING)
        while left:
            left -= connection.send(PIECE[:left])
        response = http.client.HTTPResponse(connection)
        response.begin()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"status {response.status}: {body[:200]!r}")
        return json.loads(body)["key"]


def fetch(host, key):
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", f"/uploads/{key}")
    response, count = connection.getresponse(), 0
    while data := response.read(1 << 20):
        count += len(data)
    connection.close()
    return count


def idle(bench, folder, rounds):
    """{taking songs or not: private dirty in MiB when idle}, medians of several starts in turn."""
    values = {False: [], True: []}
    for _ in range(rounds):
        for enabled, seen in values.items():
            bench.subject.settings = {"uploads": {"enabled": enabled, "directory": folder}}
            bench.start()
            process.wait_settled([bench])
            seen.append(bench.subject.memory()["Private_Dirty"] / 1024)
            bench.stop()
    return {enabled: statistics.median(seen) for enabled, seen in values.items()}


def add_rows(result, failures, kind, folder, quick, say):
    """Measures the renderer of `kind` alone and adds its rows to the table."""
    bench = Bench(kind, folder / "uploads")
    kept = folder / "uploads" / "kept"

    def add(label, value, target):
        result.add(label, "MiB", {bench.name: value}, 2, target)
    try:
        say("… songs from phones")
        values = idle(bench, kept, 1 if quick else 3)
        add("taking songs from phones adds to idle private dirty", values[True] - values[False], "0.2")
        bench.subject.settings = {"uploads": {"enabled": True, "directory": kept}}
        bench.start()
        process.wait_settled([bench])
        host = urlsplit(bench.location).netloc
        size = SIZE // 10 if quick else SIZE
        with memory.Peak(bench.subject.pid) as peak:
            key = send(host, size)
        add("an upload of 500 MB adds at most", peak.growth / 1024, "2")
        with memory.Peak(bench.subject.pid) as peak:
            if fetch(host, key) != size:
                raise RuntimeError("the song came back shorter than it was")
        add("500 MB fetched from it add at most", peak.growth / 1024, "2")
        bench.stop()
    except Exception as error:  # the other figures count all the same
        failures.append(f"songs from phones: {error!r}")
    finally:
        bench.close()
