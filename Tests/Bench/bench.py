"""The order of the measurements."""

import os
import platform
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

import fixtures
import measure
import playlist
import subjects
import table
from kit.media_server import MediaServer


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(options, readme):
    kinds = subjects.available(options.only)
    if not kinds:
        say("Tests/Bench: neither vireod (build it, or set VIREOD) nor gmediarender (apt install gmediarender) is here")
        return 1
    missing = {"vireod", "gmediarender"} - {kind.name for kind in kinds}
    if missing and not options.only:
        say(f"Tests/Bench: {', '.join(missing)} isn't here; measuring without")
    with tempfile.TemporaryDirectory(prefix="vireo-bench-") as folder:
        result, failures = measure_all(kinds, Path(folder), options.quick, options.part)
    text = f"{result.markdown()}\n\n{circumstances(options.quick)}"
    print(text)
    for failure in failures:
        say(f"not measured: {failure}")
    if not options.no_write and not options.quick and not options.only and options.part == "all":
        table.write(readme, text)
    return 1 if failures else 0


def circumstances(quick):
    def first(command):
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=20).stdout.strip().splitlines()[0]
        except (OSError, IndexError, subprocess.TimeoutExpired):
            return "unknown"
    processor = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                      if line.startswith("model name")), platform.machine())
    quality = " Quick run: not for comparison." if quick else ""
    return (f"{date.today().isoformat()}, {os.cpu_count()} cores ({processor}), Linux {platform.release()}, "
            f"{first(['gst-launch-1.0', '--version'])}, {first(['gmediarender', '--version'])}.{quality}")


def measure_all(kinds, folder, quick, part):
    result, failures = table.Table([kind.name for kind in kinds]), []
    if part in ("all", "renderer"):
        measure_renderers(kinds, folder, quick, result, failures)
    for kind in kinds:
        if part in ("all", "playlist") and issubclass(kind, subjects.Vireod):
            playlist.add_rows(result, failures, kind, folder, quick, say)
    return result, failures


def measure_renderers(kinds, folder, quick, result, failures):
    names = [kind.name for kind in kinds]
    benches = [subjects.Bench(kind, folder / kind.name) for kind in kinds]

    def each(what, work):
        """Figures by name; a measurement that fails is named and the others go on."""
        say(f"… {what}")
        values = {}
        for bench in benches:
            try:
                values[bench.name] = work(bench)
            except Exception as error:  # whatever a renderer does wrong, the others are still measured
                failures.append(f"{what} of {bench.name}: {error!r}")
                if not bench.subject.is_running():
                    say(f"{bench.name} died during: {what}")
                    bench.start()
        return values

    def column(values, key):
        return {name: value[key] for name, value in values.items() if value is not None and value.get(key) is not None}

    try:
        def alone(bench):
            try:
                return measure.starts(bench, 3 if quick else 9)
            finally:
                bench.subject.terminate()

        starts = each("start and memory", alone)
        for bench in benches:
            bench.start()
        say("… idle")
        ups = dict(zip(names, measure.idle(benches, 10 if quick else 60)))
        result.add("start to first ssdp:alive", "ms", column(starts, "alive"))
        result.add("start to description", "ms", column(starts, "description"))
        result.add("idle PSS", "MiB", column(starts, "pss"))
        result.add("idle private dirty", "MiB", column(starts, "dirty"))
        result.add("idle wake-ups a minute", "", ups, 0)

        latency = each("latency", lambda bench: measure.latency(bench, 300 if quick else 2000))
        result.add("GetTransportInfo, new connection, p50", "ms", column(latency, "fresh50"), 2)
        result.add("GetTransportInfo, new connection, p99", "ms", column(latency, "fresh99"), 2)
        result.add("GetTransportInfo, kept connection, p50", "ms", column(latency, "kept50"), 2)
        result.add("GetTransportInfo, kept connection, p99", "ms", column(latency, "kept99"), 2)
        seconds = 1 if quick else 4
        per_call = {}
        for connections in (1, 8, 32):
            rates = each(f"{connections} connections",
                         lambda bench: measure.throughput(bench, folder, connections, seconds))
            rates = {name: value for name, value in rates.items() if value}
            result.add(f"SOAP calls a second, {connections} connection{'s'[:connections > 1]}", "k",
                       {name: value[0] / 1000 for name, value in rates.items()})
            per_call = {name: value[1] for name, value in rates.items()}
        result.add("CPU per SOAP call", "µs", per_call, 0)
        gets = each("GET", lambda bench: measure.throughput(bench, folder, 8, seconds, get=True))
        result.add("CPU per GET of the description", "µs", {name: v[1] for name, v in gets.items() if v}, 0)

        result.add("SUBSCRIBE to initial event", "ms",
                   each("first event", lambda bench: measure.first_event(bench, 50 if quick else 300)), 2)
        for count in (1, 10, 100, 500):
            values = each(f"{count} subscribers",
                          lambda bench: measure.fan_out(bench, count, 3 if quick or count == 500 else 8))
            notes = {name: ", ".join(filter(None, [f"{v[1]} lost" * bool(v[1]), f"{v[2]} refused" * bool(v[2])]))
                     for name, v in values.items()}
            result.add(f"SetVolume to the last of {count} subscriber{'s'[:count > 1]}", "ms",
                       {name: v[0] for name, v in values.items()}, 1,
                       {name: f"({note})" for name, note in notes.items() if note})

        length = 20 if quick else 45
        say("… music")
        music = fixtures.make(folder, length)
        servers = {bench.name: MediaServer(bench.link.phone) for bench in benches}
        uris = {kind: {name: server.add(f"/music.{kind.lower()}", data, mime) for name, server in servers.items()}
                for kind, (data, mime) in music.items()}
        for kind in music:
            values = each(f"first sample of {kind}",
                          lambda bench: measure.first_sample(bench, uris[kind][bench.name], 5 if quick else 15))
            result.add(f"SetAVTransportURI + Play to first sample, {kind}", "ms", values)
        peaks = {}
        for kind in [kind for kind in ("FLAC", "MP3") if kind in music]:
            say(f"… playing {kind}")
            try:
                used = measure.playing(benches, [uris[kind][name] for name in names], length - (12 if quick else 10))
            except Exception as error:  # as above
                failures.append(f"playing {kind}: {error!r}")
                continue
            result.add(f"CPU seconds per minute of {kind}", "", {n: u[0] for n, u in zip(names, used)}, 2)
            peaks = {n: u[1] for n, u in zip(names, used)}
        result.add("resident peak", "MiB", peaks)
        for server in servers.values():
            server.close()
    finally:
        for bench in benches:
            bench.close()
