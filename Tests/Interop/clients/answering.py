"""What the drivers in Python have in common: lines of standard input become calls, each answered by one line."""

import sys


def answer(calls):
    for line in sys.stdin:
        name, _, argument = line.rstrip("\n").partition(" ")
        try:
            result = calls[name](*([argument] if argument else []))
            print("ok", "" if result is None else result, flush=True)
        except Exception as error:  # whatever the library raises is what the test wants to know
            print("error", f"{type(error).__name__}: {error}".replace("\n", " "), flush=True)
