"""The kit's own stopwatch: what it leaves out, and what it doesn't."""

import pytest
from kit.waiting import Processors, Stopwatch, held_up, longest_wait

MS = 1_000_000
BEFORE = Processors(used=50 * MS, threads={"1": (30 * MS, 10 * MS), "2": (20 * MS, 0)})


@pytest.mark.parametrize("used, threads, held, waited", [
    # Nobody waited.
    (70, {"1": (50, 10), "2": (20, 0)}, 0, 0),
    # Another program had the processor for 40 ms.
    (55, {"1": (35, 50), "2": (20, 0)}, 40, 40),
    # Its own second thread had it all the time that the first one waited.
    (95, {"1": (35, 50), "2": (60, 0)}, 0, 40),
    # For 15 ms of that another program did.
    (80, {"1": (35, 50), "2": (45, 0)}, 15, 40),
    # So did a thread that has ended meanwhile.
    (80, {"1": (35, 50)}, 15, 40),
    # One that has begun meanwhile waited for others.
    (52, {"1": (30, 10), "2": (20, 0), "3": (2, 30)}, 30, 30)])
def test_only_what_others_caused_is_left_out(used, threads, held, waited):
    now = Processors(used * MS, {thread: (ran * MS, wait * MS) for thread, (ran, wait) in threads.items()})
    assert held_up(BEFORE, now) == held * MS
    assert longest_wait(BEFORE, now) == waited * MS


def test_the_kernel_counts(renderer):
    """Without its counts nothing would ever be left out, and nobody would know."""
    now = Processors.of(renderer.pid)
    assert now.used > 0 and any(ran > 0 for ran, _ in now.threads.values())
    assert sum(ran for ran, _ in now.threads.values()) <= Processors.of(renderer.pid).used
    assert Stopwatch(renderer.pid).seconds < 1
