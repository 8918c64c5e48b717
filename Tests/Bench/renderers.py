"""What every renderer is measured by, in order."""

import time
from contextlib import contextmanager

import control
import fixtures
import process
import sound
from client import Media


def column(values, key):
    return {name: value[key] for name, value in values.items() if value.get(key) is not None}


def measure(run):
    at_rest(run)
    actions(run)
    events(run)
    music(run)


def at_rest(run):
    def alone(bench):
        try:
            return process.starts(bench, 3 if run.quick else 9)
        finally:
            bench.stop()

    starts, marks = run.each("start and memory", alone)
    for bench in run.benches:
        if bench.killed and bench.name not in marks:
            marks[bench.name] = run.result.note(
                f"{bench.name} had to be killed {bench.killed} of {bench.stopped} times: it doesn't leave on SIGTERM")
    run.result.add("start to first ssdp:alive", "ms", column(starts, "alive"), 1, "25", marks)
    run.result.add("start to description", "ms", column(starts, "description"), 1, "25")
    run.result.add("idle PSS", "MiB", column(starts, "pss"), 1, "1.4 × gmediarender")
    run.result.add("idle private dirty", "MiB", column(starts, "dirty"), 1, "gmediarender's")
    values, marks = run.each("starting", lambda bench: bench.start() and True)
    here = [bench for bench in run.benches if values.get(bench.name)]
    ups = process.idle(here, 10 if run.quick else 60)
    run.result.add("idle wake-ups a minute", "", ups, 0, "0", marks)


def actions(run):
    milliseconds = 700 if run.quick else 4000
    latency, marks = run.each(
        "latency", lambda bench: control.latency(bench.ensure(), run.folder, milliseconds))
    closes = {name: run.result.note(f"{name} closes each connection behind its answer")
              for name, (_, kept) in latency.items() if not kept.keeps}
    for label, index, target in (("new", 0, "0.10, ½ of gmediarender's"), ("kept", 1, "0.10")):
        for part in ("p50", "p99"):
            values = {name: getattr(calls[index], part) for name, calls in latency.items()
                      if index == 0 or calls[1].keeps}
            run.result.add(f"GetTransportInfo, 1 {label} connection, {part}", "ms", values, 3,
                           target if part == "p50" else "", marks if index == 0 else {**marks, **closes})
    for connections in (8, 32):
        loads, marks = run.each(
            f"{connections} connections",
            lambda bench: control.throughput(bench.ensure(), run.folder, connections, milliseconds))
        for part in ("p50", "p99"):
            run.result.add(f"GetTransportInfo, {connections} connections, {part}", "ms",
                           {name: getattr(calls, part) for name, (calls, _) in loads.items()}, 2, "", marks)
        if connections == 8:
            continue
        run.result.add("SOAP calls a second, 1 connection", "k",
                       {name: calls[calls[1].keeps].rate / 1000 for name, calls in latency.items()})
        run.result.add("SOAP calls a second, 32 connections", "k",
                       {name: calls.rate / 1000 for name, (calls, _) in loads.items()}, 1, "30", marks)
        run.result.add("CPU per SOAP call", "µs", {name: used for name, (_, used) in loads.items()}, 0, "30", marks)
    gets, marks = run.each("GET", lambda bench: control.throughput(bench.ensure(), run.folder, 8, milliseconds, get=True))
    run.result.add("CPU per GET of the description", "µs", {name: used for name, (_, used) in gets.items()}, 0, "15", marks)


def events(run):
    values, marks = run.each(
        "first event", lambda bench: control.first_event(bench.ensure(), run.folder, 50 if run.quick else 300))
    run.result.add("SUBSCRIBE to initial event", "ms", values, 2, "0.25", marks)
    for count, target in ((1, "1"), (10, "2"), (100, "8"), (500, "50, none lost")):
        fan_out(run, count, 1, target)
    fan_out(run, 100, 100, "")
    values, marks = run.each(
        "40 quick changes", lambda bench: control.quick_changes(bench.ensure(), run.folder))
    marks.update({name: "(the last is missing)" for name, (_, last) in values.items() if not last})
    run.result.add("events of 40 quick changes", "", {name: count for name, (count, _) in values.items()}, 0, "far below 40",
                   marks)


def fan_out(run, count, ports, target):
    what = f"{count} subscriber{'s'[:count > 1]}" + " with a port each" * (ports > 1)
    rounds = 3 if run.quick else 5 if count == 500 else 10
    values, marks = run.each(
        what, lambda bench: control.fan_out(bench.ensure(), run.folder, count, rounds, ports))
    for name, (_, lost, refused) in values.items():
        found = [f"{lost} lost"] * bool(lost) + [f"{refused} refused"] * bool(refused)
        if found:
            marks[name] = f"({', '.join(found)})"
    run.result.add(f"SetVolume to the last of {what}", "ms", {name: taken for name, (taken, _, _) in values.items()}, 1,
                   target, marks)
    # Who has lost events may be busy with that for half a minute, which isn't what the next row is about.
    run.restart({name for name, (_, lost, _) in values.items() if lost})


@contextmanager
def serving(run, files):
    """{name of a renderer: URIs of the files on its phone}"""
    servers = {bench.name: Media(run.folder, bench.link.phone, files) for bench in run.benches}
    try:
        yield {name: server.uris for name, server in servers.items()}
    finally:
        for server in servers.values():
            server.close()


def music(run):
    length = 20 if run.quick else 45
    made = fixtures.make(run.folder, length)
    run.restart()
    with serving(run, list(made.values())) as served:
        uris = {kind: {name: each[number] for name, each in served.items()} for number, kind in enumerate(made)}
        for kind, target in (("WAV", "8"), ("FLAC", "7"), ("MP3", "10")):
            if kind in made:
                values, marks = run.each(
                    f"first sample of {kind}", lambda bench: sound.first_sample(
                        bench.ensure(), run.folder, uris[kind][bench.name], 5 if run.quick else 21))
                run.result.add(f"SetAVTransportURI + Play to first sample, {kind}", "ms", values, 1, target, marks)
        values, marks = run.each(
            "Play to PLAYING", lambda bench: control.told_playing(
                bench.ensure(), run.folder, uris["WAV"][bench.name], 3 if run.quick else 15))
        run.result.add("Play to PLAYING at a subscriber", "ms", values, 1, "10", marks)
        peaks, peak_marks = {}, {}
        for kind, target in (("FLAC", "0.20"), ("MP3", "0.55")):
            if kind in made:
                used, marks = play_together(run, kind, uris[kind], length - (12 if run.quick else 10))
                run.result.add(f"CPU seconds per minute of {kind}", "", {n: u[0] for n, u in used.items()}, 2, target, marks)
                peaks.update({name: peak for name, (_, peak) in used.items()})
                peak_marks = marks
        run.result.add("resident peak", "MiB", peaks, 1, "40", peak_marks)
    joints(run)


def play_together(run, kind, uris, seconds):
    playing, marks = run.each(f"playing {kind}", lambda bench: sound.Playing(bench.ensure(), uris[bench.name]))
    time.sleep(seconds)  # the interval that is measured
    used, more = run.each(f"processor time of {kind}", lambda bench: playing[bench.name].end(),
                          wants=lambda bench: bench.name in playing)
    return used, {**marks, **more}


def joints(run):
    made = fixtures.halves(run.folder)
    if made is None:
        return
    original, cut, parts = made
    with serving(run, [(part, "audio/mpeg") for part in parts]) as uris:
        values, marks = run.each(
            "the joint of two MP3s", lambda bench: sound.play_joint(bench.ensure(), *uris[bench.name], original, cut))
    texts = {}
    for name, (extra, silence) in values.items():
        texts[name] = "exact" if extra == 0 else f"click ({extra:+d} samples, {silence} of silence)"
    run.result.add("joint of two MP3s (LAME)", "", texts, 0, "exact", marks)
