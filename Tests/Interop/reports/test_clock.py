"""Clocks that are wrong, set, and set back: what was heard has its true date, or none is made up."""

import time

import pytest
from kit.clock import FAKETIME, Clock
from kit.waiting import until

pytestmark = pytest.mark.skipif(FAKETIME is None, reason="faketime isn't installed")

#: Before any Vireo was built.
PAST = -24 * 365 * 30


@pytest.fixture
def clock(tmp_path):
    return Clock(tmp_path, is_never_set=True)


@pytest.fixture
def boot(tmp_path):
    """The kernel's name for this run of the machine: a file that stands in its place."""
    file = tmp_path / "boot_id"

    def set_to(number):
        file.write_text(f"{number:08x}-0000-4000-8000-000000000000\n")
        return {"/proc/sys/kernel/random/boot_id": file}
    return set_to


def close_to(first, second):
    return abs(first - second) < 20


def test_a_machine_without_a_time_service_reports(listen, listenbrainz, server, clock):
    """Its kernel never says that the clock is set, but it is later than the build."""
    listen(listenbrainz, environment=clock.environment).hear("A song")
    until(lambda: server.titles() == ["A song"], 15, "the listen")
    assert close_to(server.listens()[0][1], time.time())


def test_a_boot_without_a_clock_waits_until_it_is_set(listen, listenbrainz, server, clock, rows):
    clock.set(PAST)
    listener = listen(listenbrainz, environment=clock.environment)
    begun = time.time()
    listener.hear("One", "Two")
    until(lambda: [row[4] for row in rows(listener.subject) or []] == [None, None], 15, "two listens without a date")
    assert not server.titles()
    clock.set(0)
    # Whatever is heard next, it looks at the clock.
    listener.hear("Three")
    until(lambda: server.titles() == ["One", "Two", "Three"], 20, "all of them, now that the time is known")
    assert close_to(server.listens()[0][1], begun)
    dates = [at for _, at in server.listens()]
    assert dates == sorted(dates)


def test_it_looks_at_the_clock_by_itself(listen, listenbrainz, server, clock):
    clock.set(PAST)
    listener = listen(listenbrainz, environment=clock.environment)
    listener.hear("One")
    clock.set(0)
    until(lambda: server.titles() == ["One"], 65, "the listen, though nothing happens")


def test_a_boot_that_never_knew_the_time_is_dropped_with_a_word(listen, listenbrainz, server, clock, boot, rows):
    clock.set(PAST)
    listener = listen(listenbrainz, environment=clock.environment, files=boot(1))
    listener.hear("Lost", "Lost, too")
    until(lambda: len(rows(listener.subject) or []) == 2, 15, "two listens without a date")
    # Vireo is started again, and the machine isn't: they still wait.
    listener.subject.terminate()
    listener.subject.start()
    listener.again().hear("Lost as well")
    until(lambda: len(rows(listener.subject) or []) == 3, 15, "three of them")
    listener.subject.terminate()
    boot(2)
    clock.set(0)
    listener.subject.start()
    listener.subject.log.wait(lambda line: "3 reports of what was heard are dropped" in line, 15, "a word about it")
    listener.again().hear("Found")
    until(lambda: server.titles() == ["Found"], 20, "what came after")


def test_a_boot_whose_clock_was_set_in_time_is_kept(listen, listenbrainz, server, clock, boot, rows):
    """It was set behind the last song, and the machine was switched off before anything could be sent."""
    server.refuse()
    clock.set(PAST)
    listener = listen(listenbrainz, environment=clock.environment, files=boot(1))
    begun = time.time()
    listener.hear("One")
    until(lambda: len(rows(listener.subject) or []) == 1, 15, "a listen without a date")
    clock.set(0)
    listener.subject.terminate()
    assert close_to(rows(listener.subject)[0][4] / 1000, begun)
    boot(2)
    server.open()
    listener.subject.start()
    until(lambda: server.titles() == ["One"], 20, "the listen")
    assert close_to(server.listens()[0][1], begun)


def test_a_clock_that_is_set_forward_and_back(listen, listenbrainz, server, clock, rows):
    """What was heard with the wrong clock gets its true date with the right one."""
    server.refuse()
    listener = listen(listenbrainz, environment=clock.environment)
    begun = time.time()
    listener.hear("One")
    clock.set(48)
    listener.hear("Two")
    until(lambda: len(rows(listener.subject) or []) == 2, 15, "two listens")
    clock.set(0)
    listener.hear("Three")
    until(lambda: len(rows(listener.subject) or []) == 3, 15, "three listens")
    until(lambda: all(close_to(row[4] / 1000, begun + 10) for row in rows(listener.subject) or [[0] * 5]), 15, "true dates")
    server.open()
    listener.link.down()
    time.sleep(1)  # as long as the cable is pulled out
    listener.link.up()
    until(lambda: server.titles() == ["One", "Two", "Three"], 40, "all of them")
    assert all(close_to(at, begun + 10) for _, at in server.listens())


def test_a_clock_that_went_wrong_over_a_restart_waits(listen, listenbrainz, server, clock, rows):
    """Earlier than what the state knows: it can't be right, until it is."""
    listener = listen(listenbrainz, environment=clock.environment)
    listener.hear("One")
    until(lambda: server.titles() == ["One"], 15, "the listen")
    listener.subject.terminate()
    clock.set(-24)
    listener.subject.start()
    listener.again().hear("Two")
    until(lambda: [row[4] for row in rows(listener.subject) or []] == [None], 15, "a listen that waits")
    clock.set(0)
    listener.hear("Three")
    until(lambda: server.titles() == ["One", "Two", "Three"], 20, "all of them")
    assert all(close_to(at, time.time()) for _, at in server.listens()[1:])
