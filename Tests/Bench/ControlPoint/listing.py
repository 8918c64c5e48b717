"""How long each takes to list what MiniDLNA has, beside the server's own time."""

import subprocess
from pathlib import Path

import measured
from table import markdown

HERE = Path(__file__).resolve().parent
#: Objects in a page, for all.
PAGE = 200


def table(programs, environment, shelf, rounds):
    """The table, and the most private memory that 10,000 items add, in KiB, by who lists them."""
    lines = [["what is listed, by whom", "first page, ms", "all, ms", "above the server alone, ms", "CPU, ms", "memory at most, MiB", "its own, MiB"]]
    grown = {}
    for count, folder in shelf.folders.items():
        library = [programs.bench, "browse", shelf.location, folder, str(PAGE)]
        command = [programs.vireoctl, "browse", shelf.location, "Browse Folders", str(count)]
        printed = subprocess.run(command, capture_output=True, env=environment, check=True).stdout
        if printed.count(b"\n") != count:
            raise RuntimeError(f"vireoctl lists {printed.count(bytes([10]))} of {count}")
        clients = {
            "nobody: plain sockets": lambda: shelf.bare(count, PAGE),
            "Vireo's ControlPoint, page by page": lambda: measured.told([*library, "pages"]),
            "Vireo's ControlPoint, all kept": lambda: measured.told([*library, "whole"]),
            "vireoctl browse, launch to end": lambda: measured.timed(command, environment) | measured.memory(command, environment),
        }
        if programs.python:
            clients["async-upnp-client"] = lambda: measured.told(
                [programs.python, HERE / "peer.py", "browse", shelf.location, folder, str(PAGE)])
        if programs.gupnp:
            clients["GUPnP and GUPnP-AV"] = lambda: measured.told(
                [programs.gupnp, "browse", shelf.phone, shelf.udn, folder, str(PAGE)])
        figures = measured.by_turns(clients, rounds)
        alone = figures["nobody: plain sockets"]["all"]
        for name, one in figures.items():
            if one.get("count", count) != count:
                raise RuntimeError(f"{name} lists {one['count']} of {count}")
            above = f"{one['all'] - alone:,.0f}" if "all" in one and "server" not in one else "—"
            lines.append([f"{count:,} items, {name}", measured.cell(one, "first"), measured.cell(one, "all"), above,
                          measured.cell(one, "cpu"), measured.cell(one, "peak", 1, 1024), measured.cell(one, "dirty", 1, 1024)])
            if "server" in one:
                lines[-1][4] = f"{one['server']:,.0f} (the server's)"
    # What is kept as a whole isn't what is meant.
    grown["Vireo's ControlPoint"] = figures["Vireo's ControlPoint, page by page"]["grown"]
    idle = measured.memory([programs.vireoctl, "devices", "--interface", "lo", "--timeout", "0.5", "--quiet"], environment)
    grown["vireoctl browse"] = figures["vireoctl browse, launch to end"]["dirty"] - idle["dirty"]
    return markdown(lines), grown
