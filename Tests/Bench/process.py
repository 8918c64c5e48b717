"""What a renderer costs while nobody uses it: start, memory, wake-ups."""

import os
import re
import statistics
import time

from kit import http, ssdp


def get_bytes(url):
    """((address, port), a GET of the URL)"""
    address, port, target, netloc = http.split(url)
    return (address, port), http.build("GET", target, {"Host": netloc, "Connection": "close"})


def wait_answer(address, request, begun, patience=15):
    """ms from `begun` to the first complete answer to a GET that is tried each millisecond."""
    while True:
        try:
            with http.Connection(*address, timeout=5) as connection:
                connection.send(request)
                if connection.receive().status == 200:
                    return (time.monotonic() - begun) * 1000
        except OSError:
            if time.monotonic() - begun > patience:
                raise
        time.sleep(0.001)  # the kernel refuses the connection at once; this only keeps the core free


def starts(bench, rounds):
    """ms from the launch to the first ssdp:alive and to the first answer to a GET of the description; MiB when idle.

    No other renderer may run meanwhile: it would take its share of the libraries that both map.
    """
    bench.start()
    address, request = get_bytes(bench.location)
    alive, answered = [], []
    for _ in range(rounds):
        bench.stop()
        with ssdp.Listener(bench.link.phone_interface) as listener:
            begun = time.monotonic()
            bench.subject.start()
            answered.append(wait_answer(address, request, begun))
            alive.append((listener.wait_alive(bench.subject.uuid).at - begun) * 1000)
    wait_settled([bench])
    values = bench.subject.memory()
    return {"alive": statistics.median(alive), "description": statistics.median(answered),
            "pss": values["Pss"] / 1024, "dirty": values["Private_Dirty"] / 1024}


def wake_ups(pid):
    """Times that each thread has gone to sleep so far, by thread."""
    result = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/status") as file:
                result[task] = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.MULTILINE)[1])
        except FileNotFoundError:
            pass
    return result


def wait_settled(benches):
    """Until the announcements are over: five seconds without any from anybody."""
    listeners = [ssdp.Listener(bench.link.phone_interface) for bench in benches]
    try:
        quiet = time.monotonic()
        seen = [0] * len(listeners)
        deadline = time.monotonic() + 20
        while time.monotonic() - quiet < 5 and time.monotonic() < deadline:
            now = [len(listener.messages) for listener in listeners]
            if now != seen:
                seen, quiet = now, time.monotonic()
            time.sleep(0.1)
    finally:
        for listener in listeners:
            listener.close()


def idle(benches, seconds):
    """Wake-ups a minute, by name; all are watched at the same time."""
    wait_settled(benches)
    before = [wake_ups(bench.subject.pid) for bench in benches]
    time.sleep(seconds)  # the interval that is measured
    after = [wake_ups(bench.subject.pid) for bench in benches]
    # A thread that is new counts from nothing; one that has ended counts no more.
    return {bench.name: sum(count - old.get(task, 0) for task, count in new.items()) * 60 / seconds
            for bench, old, new in zip(benches, before, after)}
