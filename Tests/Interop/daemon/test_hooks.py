"""When the owner's programs are told that it plays, and that it doesn't: an amplifier ends up as the player does."""

import signal

import pytest
from kit import sound
from kit.openhome import Speaker
from kit.programs import lines, lives
from kit.subject import chosen, stored
from kit.waiting import until

pytestmark = pytest.mark.skipif(chosen().name != "vireod", reason="a matter of vireod's configuration")


def amplifier(log, off_delay="1h", **more):
    """Hooks that write their names behind each other."""
    hook = ["/bin/sh", "-c", f'echo "$VIREO_HOOK" >> {log}']
    return {"hooks": {"off-delay": off_delay} | {f"on-{name}": hook for name in ("play", "pause", "stop")} | more}


def tone(served, name="/a.wav"):
    return served.add(name, sound.wav(sound.tone(30, 440)), "audio/wav")


@pytest.mark.parametrize("way", ["playing", "paused", "in the delay"])
def test_the_end_of_the_daemon_is_the_end_of_the_music(own_host, cable, launch, served, tmp_path, way):
    """Its last program is done to the end, though it takes longer than all the rest."""
    log = tmp_path / "hooks"
    slow = ["/bin/sh", "-c", f"sleep 1; echo $VIREO_HOOK $VIREO_STATE done >> {log}"]
    subject = launch(own_host, settings=amplifier(log, **{"on-stop": slow}))
    device = subject.device(cable)
    device.set_uri(tone(served))
    device.play()
    until(lambda: lines(log) == ["on-play"], 15, "the hook on-play")
    told = ["on-play"]
    if way == "paused":
        until(lambda: device.state() == "PLAYING", 15, "sound")
        device.avt("Pause")
        told.append("on-pause")
        until(lambda: lines(log) == told, 15, "the hook on-pause")
    elif way == "in the delay":
        device.stop()
    assert subject.terminate() == 0
    assert lines(log) == [*told, "on-stop stopped done"]


def test_an_end_without_music_runs_nothing(own_host, cable, launch, tmp_path):
    log = tmp_path / "hooks"
    subject = launch(own_host, settings=amplifier(log))
    subject.device(cable)
    assert subject.terminate() == 0
    assert lines(log) == []


def test_what_follows_at_once_switches_nothing_off(own_host, cable, launch, served, tmp_path):
    """Another station, Stop and Play, a cast over a playlist: on-play once, and on-stop when it is silent for long."""
    log = tmp_path / "hooks"
    subject = launch(own_host, settings=amplifier(log))
    device, speaker = subject.device(cable), Speaker.of(subject, cable)
    for name in ("/a.wav", "/b.wav"):
        device.set_uri(tone(served, name))
        device.play()
        until(lambda: device.state() == "PLAYING", 15, "sound")
        device.stop()
    speaker.insert(tone(served, "/c.wav"))
    speaker.playlist("Play")
    until(lambda: speaker.state_of() == "Playing", 15, "the playlist")
    device.set_uri(tone(served, "/d.wav"))
    device.play()
    until(lambda: device.state() == "PLAYING", 15, "the cast")
    device.stop()
    speaker.product("SetStandby", Value=1)
    until(lambda: lines(log)[-1:] == ["on-stop"], 15, "the hook on-stop, which standby doesn't hold up")
    assert lines(log) == ["on-play", "on-stop"]


def test_silence_that_lasts_is_told(own_host, cable, launch, served, tmp_path):
    log = tmp_path / "hooks"
    subject = launch(own_host, settings=amplifier(log, "300ms"))
    device = subject.device(cable)
    device.set_uri(tone(served))
    device.play()
    until(lambda: lines(log) == ["on-play"], 15, "the hook on-play")
    device.stop()
    until(lambda: lines(log) == ["on-play", "on-stop"], 15, "the hook on-stop")


def test_a_pause_that_lasts_is_silence(own_host, cable, launch, served, tmp_path):
    log = tmp_path / "hooks"
    subject = launch(own_host, settings=amplifier(log, "0s") | {"playback": {"pause-release": "500ms"}})
    device = subject.device(cable)
    device.set_uri(tone(served))
    device.play()
    until(lambda: device.state() == "PLAYING", 15, "sound")
    device.avt("Pause")
    until(lambda: lines(log) == ["on-play", "on-pause", "on-stop"], 15, "on-pause, then on-stop")
    device.play()
    until(lambda: lines(log) == ["on-play", "on-pause", "on-stop", "on-play"], 15, "on-play")


def test_play_is_told_before_the_sound(own_host, cable, launch, tmp_path):
    """An amplifier may need longer than a server, and a converter may have its power from it: nobody answers here."""
    log = tmp_path / "hooks"
    subject = launch(own_host, settings=amplifier(log) | {"playback": {"patience": "1h"}})
    device = subject.device(cable)
    device.set_uri(f"http://{cable.phone}:9/a.wav")
    device.play()
    until(lambda: lines(log) == ["on-play"], 15, "the hook on-play")
    assert device.state() == "TRANSITIONING"
    device.stop()
    assert subject.terminate() == 0
    assert lines(log) == ["on-play", "on-stop"]


def test_a_killed_daemon_switches_off_when_it_is_back(own_host, cable, launch, served, tmp_path):
    log = tmp_path / "hooks"
    subject = launch(own_host, settings=amplifier(log, "300ms"))
    device = subject.device(cable)
    device.set_uri(tone(served))
    device.play()
    until(lambda: lines(log) == ["on-play"], 15, "the hook on-play")
    state, copy = subject.folder / "state", tmp_path / "copy"
    until(lambda: stored(state, copy, "owes-stop") == 1, 15, "it is on the disk that on-stop is owed")
    subject.kill()
    subject.start()
    until(lambda: lines(log) == ["on-play", "on-stop"], 15, "the hook on-stop")
    # What was told is not told again by the next one.
    assert subject.terminate() == 0
    subject.start()
    subject.device(cable)
    assert subject.terminate() == 0
    assert lines(log) == ["on-play", "on-stop"]


def test_a_reload_while_it_plays_tells_new_hooks(own_host, cable, launch, served, tmp_path):
    log = tmp_path / "hooks"
    subject = launch(own_host)
    device = subject.device(cable)
    device.set_uri(tone(served))
    device.play()
    until(lambda: device.state() == "PLAYING", 15, "sound")
    subject.settings |= amplifier(log)
    subject.write_configuration()
    subject.signal(signal.SIGHUP)
    until(lambda: lines(log) == ["on-play"], 15, "the hook on-play")
    assert subject.terminate() == 0
    assert lines(log) == ["on-play", "on-stop"]


def stubborn(folder, pids):
    """A program that doesn't listen to SIGTERM, nor does its child."""
    for name, more in (("child", ""), ("stubborn", f"{folder}/child &\n")):
        script = folder / name
        script.write_text(f"#!/bin/sh\ntrap '' TERM\necho $$ >> {pids}\n{more}while :; do sleep 600; done\n")
        script.chmod(0o755)
    return script


@pytest.mark.parametrize("kind", ["on-volume", "on-play", "on-stop", "mixer"])
def test_no_program_outlives_the_daemon(own_host, cable, launch, served, tmp_path, kind):
    """It and its child ignore SIGTERM. One that is in the way of on-stop is ended; on-stop itself gets some seconds."""
    pids, log = tmp_path / "pids", tmp_path / "hooks"
    script = stubborn(tmp_path, pids)
    settings = amplifier(log, "0s", timeout="60s")
    if kind == "mixer":
        settings["audio"] = {"mixer": f"command:{script}"}
    else:
        settings["hooks"][kind] = [str(script)]
    subject = launch(own_host, settings=settings)
    device = subject.device(cable)
    if kind == "on-volume":
        device.set_volume(7)
    elif kind != "mixer":
        device.set_uri(tone(served))
        device.play()
        if kind == "on-stop":
            until(lambda: device.state() == "PLAYING", 15, "sound")
            device.stop()
    until(lambda: len(lines(pids)) == 2, 15, "the program and its child")
    assert all(lives(pid) for pid in lines(pids))
    assert subject.terminate() == 0
    until(lambda: not any(lives(pid) for pid in lines(pids)), 5, "both to be gone")
    if kind == "on-play":
        assert lines(log) == ["on-stop"], "the amplifier is off nevertheless"
