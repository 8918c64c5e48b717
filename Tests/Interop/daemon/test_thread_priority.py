"""The threads that feed the sound device come first where the system allows it, and it plays where it doesn't."""

import os
from pathlib import Path

import pytest
from kit import sound
from kit.gena import Subscription
from kit.media_server import MediaServer
from kit.subject import chosen
from kit.upnp import AVT

#: Takes away both ways to real-time priority: the right to it, and the limit below which everybody may.
REFUSED = ["prlimit", "--rtprio=0:0", "--nice=0:0", "setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"]


def may_be_first():
    """Whether a process may give itself real-time priority here."""
    child = os.fork()
    if child == 0:
        try:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(10))
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def policies(subject, prefix):
    """How the threads whose names begin so are scheduled."""
    found = []
    for task in Path(f"/proc/{subject.pid}/task").iterdir():
        try:
            if (task / "comm").read_text().startswith(prefix):
                found.append(os.sched_getscheduler(int(task.name)) & ~os.SCHED_RESET_ON_FORK)
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended meanwhile
    return found


def plays(subject, cable):
    """Plays something, and leaves it playing."""
    device = subject.device(cable)
    server = MediaServer(cable.phone)
    try:
        with Subscription(device.services[AVT].event, cable.phone) as events:
            events.initial()
            device.set_uri(server.add("/x.wav", sound.wav(sound.noise(20, seed=60)), "audio/wav"))
            device.play()
            events.wait_change("TransportState", "PLAYING", 10)
    finally:
        server.close()


@pytest.fixture(autouse=True)
def only_vireod():
    if chosen().name != "vireod":
        pytest.skip("a matter of Vireo's own threads")


def test_the_sound_device_comes_first(own_host, launch):
    if not may_be_first():
        pytest.skip("real-time priority isn't allowed here")
    cable = own_host.link()
    subject = launch(own_host)
    plays(subject, cable)
    assert policies(subject, "appsrc") == [os.SCHED_RR]
    assert set(policies(subject, "")) == {os.SCHED_RR, os.SCHED_OTHER}
    assert os.SCHED_RR not in policies(subject, "vireo") + policies(subject, "queue2"), "control and decoding can wait"


def test_without_permission_it_plays_all_the_same(own_host, launch):
    cable = own_host.link()
    subject = launch(own_host, start=False)
    command = subject.command
    subject.command = lambda: [*REFUSED, *command()]
    subject.start()
    plays(subject, cable)
    assert set(policies(subject, "")) == {os.SCHED_OTHER}
    lines = [line for line in subject.log.items if "without real-time priority" in line]
    assert len(lines) == 1, "told once"
