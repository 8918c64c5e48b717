"""What is told of a run: a row for people, and a line of JSON for the tables."""

import json
import os
import time


def row(scenario, room, offsets, trail=None, **more):
    """The figures of one member. Offsets in microseconds."""
    figures = {"scenario": scenario, "room": room, "windows": len(offsets.values), "unknown": round(offsets.unknown, 4),
               "p50": round(offsets.size(0.5), 1), "p95": round(offsets.size(0.95), 1), "max": round(offsets.size(1), 1),
               "mean": round(offsets.mean, 1), "drift_ppm": round(offsets.drift, 3)}
    if trail is not None:
        figures |= {"holes": len(trail.holes), "hole_ms": round(1000 * float(sum(hole.length for hole in trail.holes)), 1),
                    "jumps": len(trail.jumps), "missing": trail.missing, "doubled": trail.doubled}
    return figures | more


def tell(figures):
    """Prints a row, and adds it to ROOMS_FIGURES."""
    words = [f"{name} {value}" for name, value in figures.items() if name not in ("scenario", "room")]
    print(f"\n{figures['scenario']}, room {figures['room']}: {', '.join(words)}", end="", flush=True)
    path = os.environ.get("ROOMS_FIGURES")
    if path:
        with open(path, "a") as file:
            file.write(json.dumps({"at": int(time.time()), **figures}) + "\n")
    return figures
