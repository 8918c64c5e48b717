"""One run: what is measured, of whom, and what is written about it."""

import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import extras
import floor
import holdups
import hostile
import playlist
import renderers
import subjects
import table
import uploads
import zone


#: Seconds after which nothing new is begun but the parts of Vireo alone, so that a renderer that hangs can't make a run endless.
LONGEST = 11 * 60


def say(text):
    print(text, file=sys.stderr, flush=True)


class Run:
    """The renderers, what has been found out, and what couldn't be."""

    def __init__(self, kinds, folder, options):
        self.benches = [subjects.Bench(kind, folder / kind.name) for kind in kinds]
        self.folder = folder
        self.quick = options.quick
        self.deadline = time.monotonic() + LONGEST
        self.result = table.Table([bench.name for bench in self.benches])
        self.failures = []

    def each(self, what, work, wants=None):
        """(figures by name, marks by name): a measurement that fails is named in a footnote, and the others go on."""
        say(f"… {what}")
        values, marks = {}, {}
        for bench in self.benches:
            if wants is not None and not wants(bench):
                continue
            try:
                if time.monotonic() > self.deadline:
                    raise RuntimeError("no time was left")
                values[bench.name] = work(bench)
            except Exception as error:  # whatever a renderer does wrong, the others are still measured
                reason = str(error) or type(error).__name__
                marks[bench.name] = self.result.note(f"{bench.name}, {what}: {reason}")
                self.fail(bench, what, error)
        return values, marks

    def fail(self, bench, what, error):
        self.failures.append((bench.name, f"{what} of {bench.name}: {error!r}"))
        if not bench.subject.is_running():
            say(f"{bench.name} died during: {what}")

    def restart(self, names=None):
        """New processes for all, or for those named."""
        for bench in self.benches:
            if names is None or bench.name in names:
                try:
                    bench.start()
                except Exception as error:  # its rows will say so
                    say(f"{bench.name} doesn't start: {error!r}")

    def close(self):
        for bench in self.benches:
            try:
                bench.close()
            except Exception as error:  # nothing is measured any more
                say(f"closing {bench.name}: {error!r}")


def run(options, readme):
    kinds, missing = subjects.available(options.only)
    if not kinds:
        say("Tests/Bench: no renderer is here: build vireod, or set VIREOD; apt install gmediarender")
        return 1
    if missing:
        say(f"Tests/Bench: {', '.join(missing)} isn't here; measuring without")
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="vireo-bench-", ignore_cleanup_errors=True) as folder:
        parts, failures = measure_all(kinds, Path(folder), options)
    if missing:
        parts.append(f"Not installed, and so without a column: {', '.join(missing)}.")
    parts.append(circumstances(kinds, options.quick, time.monotonic() - begun))
    text = "\n\n".join(part for part in parts if part)
    print(text)
    for _, failure in failures:
        say(f"not measured: {failure}")
    if not options.no_write and not options.quick and not options.only and options.part == "all":
        table.write(readme, text)
    # What another renderer can't do is in the table; it is no failure of this run.
    return 1 if any(name == kinds[0].title for name, _ in failures) else 0


def circumstances(kinds, quick, seconds):
    def first(command):
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=20).stdout.strip().splitlines()[0]
        except (OSError, IndexError, subprocess.TimeoutExpired):
            return "unknown"
    processor = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                      if line.startswith("model name")), platform.machine())
    versions = ", ".join(first([kind.binary(), "--version"]).split(";")[0] for kind in kinds)
    quality = " Quick run: not for comparison." if quick else ""
    return (f"{date.today().isoformat()}, {os.cpu_count()} cores ({processor}), Linux {platform.release()}, "
            f"{first(['gst-launch-1.0', '--version'])}; {versions}. {seconds / 60:.0f} minutes.{quality}")


def measure_all(kinds, folder, options):
    """(parts of what is written, failures as (renderer, text))"""
    measures = Run(kinds, folder, options)
    extra = []
    try:
        if options.part in ("all", "renderer"):
            renderers.measure(measures)
        ours = next((bench for bench in measures.benches if isinstance(bench.subject, subjects.Vireod)), None)
        if options.part in ("all", "hostile") and ours is not None:
            say("… hostile input")
            failures = []
            extra.append(hostile.measure(ours, folder, failures))
            measures.failures += [(ours.name, failure) for failure in failures]
        if options.part in ("all", "holdups") and ours is not None:
            say("… who asks for much")
            failures = []
            extra.append(holdups.measure(ours, folder, failures, options.row))
            measures.failures += [(ours.name, failure) for failure in failures]
        if options.part in ("all", "renderer"):
            try:
                extra.append(floor.measure(folder, 500 if options.quick else 2000))
            except Exception as error:  # the table is good without it
                measures.failures.append(("floor", f"floor: {error!r}"))
    finally:
        measures.close()
    for part, rows in (("playlist", playlist), ("extras", extras), ("uploads", uploads), ("zone", zone)):
        if options.part not in ("all", part):
            continue
        for kind in kinds:
            if issubclass(kind, subjects.Vireod):
                failures = []
                rows.add_rows(measures.result, failures, kind, folder, options.quick, say)
                measures.failures += [(kind.title, failure) for failure in failures]
    return [measures.result.markdown(), measures.result.notes(), *extra], measures.failures
