"""A scripted Songcast sender as a process: `sender.py ADDRESS WAV OPTIONS`; told on its input what to do (`ScriptedHost`)."""

import json
import os
import sys
import wave
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Interop"))
from kit.songcast import Sender  # noqa: E402


def main():
    address, path, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    with wave.open(path) as file:
        samples = numpy.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(20))
    except OSError:
        pass
    sender = Sender(address, **options)
    print(json.dumps({"uri": sender.zone_uri}), flush=True)
    for line in sys.stdin:
        if line.strip() == "play":
            began = sender.play(samples)
            print(json.dumps({"began": began, "resent": sender.resent, "asked": sender.kinds(7)}), flush=True)
        else:
            print(json.dumps({"listeners": len(sender.listeners)}), flush=True)
    sender.close()


if __name__ == "__main__":
    main()
