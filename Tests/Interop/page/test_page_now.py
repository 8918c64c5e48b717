"""Now playing, driven as people do: cast, transport, seek, volume, source, standby; by mouse, touch and keys."""

import re
import subprocess
import time

import pytest
from kit import browser as browsers, openhome, sound
from kit.api import API, base
from kit.upnp import Device, didl
from kit.waiting import Stopwatch, until
from playwright.sync_api import expect

SIZES = {"laptop": {}, "phone": browsers.PHONE}


@pytest.fixture(params=SIZES)
def any_tab(request, tabs, api):
    """A tab of either size."""
    return tabs(api.base, **SIZES[request.param])


def test_the_shell_names_the_speaker_before_any_script(tabs, api):
    tab = tabs(api.base, None, java_script_enabled=False, reduced_motion="no-preference")
    tab.page.goto(tab.base)
    expect(tab.page.locator("header")).to_contain_text("Kitchen")
    # The skeleton is seen when it takes longer.
    expect(tab.page.locator("main .boot")).to_have_css("animation-delay", "0.3s")
    expect(tab.page.get_by_role("navigation").get_by_role("link")).to_have_text(list(browsers.SCREENS.values()))


def test_nothing_to_play_says_what_to_do(any_tab):
    expect(any_tab.main).to_contain_text("Nothing here yet")
    expect(any_tab.main.get_by_role("link", name="Library")).to_be_visible()
    expect(any_tab.main.get_by_role("link", name="Radio")).to_be_visible()
    expect(any_tab.main).to_contain_text("cast from your phone")
    any_tab.main.get_by_role("link", name="Library").click()
    expect(any_tab.page).to_have_url(re.compile("#/library"))


def test_what_plays_is_seen(any_tab, api, songs):
    api.play(*songs)
    expect(any_tab.main.locator(".title")).to_have_text("Zebra")
    expect(any_tab.main.locator(".artist")).to_have_text("First Band")
    expect(any_tab.main.locator(".album")).to_have_text("First Album")
    expect(any_tab.button("Pause")).to_be_enabled()
    expect(any_tab.main).to_contain_text("FLAC")
    expect(any_tab.main).to_contain_text("44.1 kHz")
    expect(any_tab.main.locator(".later")).to_contain_text("Army of Me")
    expect(any_tab.page).to_have_title(re.compile("Zebra"))


def test_everything_is_in_reach_on_a_phone(phone, api, songs):
    api.play(*songs)
    links = phone.page.get_by_role("navigation", name="Screens").get_by_role("link")
    expect(links).to_have_count(6)
    wanted = [*links.all(), *(phone.button(name, phone.page.get_by_role("group", name="Transport")) for name in ("Pause", "Next", "Previous"))]
    for place in ("now", "queue", "library", "radio", "rooms", "system"):
        phone.link(place)
        for element in [*wanted, *([phone.button("Stop"), phone.slider("Volume"), phone.slider("Position")] if place == "now" else [])]:
            expect(element).to_be_visible()
            expect(element).to_be_in_viewport(ratio=0.9)
            box = element.bounding_box()
            assert box["width"] >= 24 and box["height"] >= 24, f"{element} is {box['width']}x{box['height']} on {place}"
        assert phone.page.evaluate("() => document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("way", ["mouse", "touch", "keys"])
def test_transport(tabs, api, songs, way):
    tab = tabs(api.base, **(browsers.PHONE if way == "touch" else {}))

    def press(name):
        button = tab.button(name, tab.main)
        expect(button).to_be_enabled()
        if way == "keys":
            tab.tab_to(button)
            tab.page.keyboard.press("Enter")
        elif way == "touch":
            button.tap()
        else:
            button.click()

    api.play(*songs)
    expect(tab.main.locator(".title")).to_have_text("Zebra")
    press("Next")
    expect(tab.main.locator(".title")).to_have_text("Army of Me")
    press("Pause")
    api.wait(lambda player: player["state"] == "paused")
    press("Play")
    api.wait(lambda player: player["state"] == "playing")
    press("Previous")
    until(lambda: api.player["track"]["title"] in ("Zebra", "Army of Me"), 5, "a track before")
    press("Shuffle")
    expect(tab.button("Shuffle", tab.main)).to_have_attribute("aria-pressed", "true")
    press("Repeat")
    expect(tab.button("Repeat", tab.main)).to_have_attribute("aria-pressed", "true")
    assert api.player["shuffle"] and api.player["repeat"]
    press("Mute")
    expect(tab.button("Mute", tab.main)).to_have_attribute("aria-pressed", "true")
    assert api.player["muted"]
    press("Stop")
    api.wait(lambda player: player["state"] == "stopped")


def test_single_keys_and_how_they_are_switched_off(tab, api, songs):
    api.play(*songs)
    expect(tab.main.locator(".title")).to_have_text("Zebra")
    tab.page.keyboard.press("n")
    expect(tab.main.locator(".title")).to_have_text("Army of Me")
    tab.page.keyboard.press(" ")
    api.wait(lambda player: player["state"] == "paused")
    tab.page.keyboard.press("+")
    api.wait(lambda player: player["volume"] == 52)
    tab.page.keyboard.press("m")
    api.wait(lambda player: player["muted"])
    tab.page.keyboard.press("?")
    expect(tab.page.get_by_role("dialog")).to_contain_text("Play or pause")
    tab.page.keyboard.press("Escape")
    expect(tab.page.get_by_role("dialog")).to_have_count(0)
    tab.page.keyboard.press("6")
    tab.main.get_by_role("checkbox", name="Single keys").uncheck()
    tab.page.keyboard.press("m")
    tab.link("now")
    tab.page.keyboard.press("2")
    time.sleep(0.3)  # in which nothing must happen
    assert api.player["muted"]
    expect(tab.page).to_have_url(re.compile("#/now"))


def test_a_seek_by_the_slider_is_heard(tab, api, songs):
    api.play(songs[0])
    slider = tab.slider("Position", tab.main)
    expect(slider).to_be_enabled()
    box = slider.bounding_box()
    tab.page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] / 2)
    player = api.wait(lambda player: player["position"]["seconds"] > 20)
    assert 26 < player["position"]["seconds"] < 35
    until(lambda: 26 < int(slider.input_value()) < 40, 3, "the slider at the new place")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"\d+ seconds of 1 minute"))


def test_a_seek_by_keys(tab, api, songs):
    api.play(songs[0])
    slider = tab.slider("Position", tab.main)
    expect(slider).to_be_enabled()
    tab.tab_to(slider)
    for _ in range(20):
        tab.page.keyboard.press("ArrowRight")
    api.wait(lambda player: player["position"]["seconds"] > 15)
    tab.link("now")
    tab.main.locator("h1").focus()
    before = api.player["position"]["seconds"]
    tab.page.keyboard.press("ArrowRight")
    api.wait(lambda player: player["position"]["seconds"] > before + 8)


def test_a_seek_by_touch(phone, api, songs):
    api.play(songs[0])
    slider = phone.slider("Position", phone.main)
    expect(slider).to_be_enabled()
    box = slider.bounding_box()
    phone.page.touchscreen.tap(box["x"] + box["width"] * 0.75, box["y"] + box["height"] / 2)
    api.wait(lambda player: 38 < player["position"]["seconds"] < 52)


def test_position_moves_while_it_plays_and_stands_while_it_does_not(tab, api, songs):
    api.play(songs[0])
    slider = tab.slider("Position", tab.main)
    until(lambda: int(slider.input_value()) >= 2, 6, "2 seconds")
    api.tell("POST", "player/pause")
    expect(tab.button("Play", tab.main)).to_be_visible()
    first = slider.input_value()
    time.sleep(1.3)  # in which nothing must happen
    assert abs(int(slider.input_value()) - int(first)) <= 1


def test_a_station_can_not_be_sought_and_says_why(tab, api, page_media, tmp_path):
    uri = page_media.add("/live", sound.mp3(sound.noise(4, seed=8), folder=tmp_path), "audio/mpeg", mode="icy", rate=24000, titles=("A song",))
    api.play({"uri": uri, "title": "A live thing"})
    api.wait(lambda player: player["state"] == "playing")
    slider = tab.slider("Position", tab.main)
    expect(slider).to_be_visible()
    expect(slider).to_be_disabled()
    reason = api.player["seekReason"]
    assert reason
    expect(tab.main).to_contain_text(reason)
    expect(slider).to_have_accessible_description(reason)


def test_volume_by_slider_buttons_and_wheel(tab, api, songs):
    api.play(songs[0])
    slider = tab.slider("Volume", tab.main)
    slider.fill("30")
    api.wait(lambda player: player["volume"] == 30)
    tab.button("Louder", tab.main).click()
    api.wait(lambda player: player["volume"] == 32)
    tab.button("Quieter", tab.main).click()
    api.wait(lambda player: player["volume"] == 30)
    slider.hover()
    tab.page.mouse.wheel(0, -100)
    api.wait(lambda player: player["volume"] == 32)
    tab.tab_to(slider)
    tab.page.keyboard.press("ArrowRight")
    api.wait(lambda player: player["volume"] == 33)


def test_own_volume_changes_do_not_jump_back(tab, api, songs):
    """While the slider is dragged, and until the speaker has taken the last value, no older one is shown."""
    api.play(songs[0])
    slider = tab.slider("Volume", tab.main)
    expect(slider).to_be_enabled()
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    tab.page.evaluate("""() => {
      window.shown = [];
      const slider = document.querySelector('main input[aria-label=Volume]');
      const look = () => { window.shown.push(Number(slider.value)); requestAnimationFrame(look); };
      look();
    }""")
    y = box["y"] + box["height"] / 2
    tab.page.mouse.move(box["x"] + box["width"] * 0.5, y)
    tab.page.mouse.down()
    for step in range(40):
        tab.page.mouse.move(box["x"] + box["width"] * (0.5 + 0.01 * step), y)
    tab.page.mouse.up()
    until(lambda: abs(api.player["volume"] - int(slider.input_value())) == 0 and api.player["volume"] > 80, 5, "the speaker to have the volume of the slider")
    tab.page.wait_for_timeout(500)  # in which nothing must happen
    shown = tab.page.evaluate("() => window.shown")
    begun = next(index for index, value in enumerate(shown) if value > 50)
    back = [(one, other) for one, other in zip(shown[begun:], shown[begun + 1:]) if other < one]
    assert not back, f"it jumped back: {back[:5]}"
    # What others set afterwards is shown.
    api.tell("PATCH", "player", {"volume": 20})
    until(lambda: slider.input_value() == "20", 2, "another's volume")


def test_the_slider_ends_at_the_limit_and_says_so(own_host, cable, launch, tabs):
    subject = launch(own_host, settings={"volume": {"limit": 60, "initial": 30}})
    tab = tabs(base(subject.location(cable)))
    slider = tab.slider("Volume")
    expect(slider).to_have_attribute("max", "60")
    expect(tab.page.locator("body")).to_contain_text("Limited to 60")
    tab.tab_to(slider)
    tab.page.keyboard.press("End")
    API(tab.base).wait(lambda player: player["volume"] == 60)


def test_source_and_standby(tab, api, songs):
    api.play(songs[0])
    tab.main.get_by_role("combobox", name="Source").select_option(label="Radio")
    api.wait(lambda player: player["source"] == "radio")
    tab.button("Standby", tab.main).click()
    api.wait(lambda player: player["standby"])
    enabled = tab.main.locator("button:visible:enabled, input:visible:enabled, select:visible:enabled")
    expect(enabled).to_have_count(1)
    expect(enabled).to_have_accessible_name("Standby")
    tab.button("Standby", tab.main).click()
    api.wait(lambda player: not player["standby"])
    expect(tab.main.get_by_role("combobox", name="Source")).to_be_enabled()


def test_a_track_that_fails_says_why(tab, api, page_media, songs):
    page_media.refuse("/missing.flac")
    api.play({"uri": page_media.base + "/missing.flac", "title": "Missing"})
    player = api.wait(lambda player: player.get("failure"))
    expect(tab.main).to_contain_text(player["failure"]["detail"])
    again, skip = tab.button("Try again", tab.main), tab.button("Skip", tab.main)
    expect(again).to_be_visible()
    expect(skip).to_be_visible()
    page_media.add("/missing.flac", sound.flac(sound.noise(20, seed=9)), "audio/flac")
    again.click()
    api.wait(lambda player: player["state"] == "playing" and "failure" not in player)
    expect(again).to_have_count(0)


def test_no_sound_device_says_the_key_to_set(own_host, cable, launch, tabs, served):
    subject = launch(own_host, settings={"audio": {"output": "alsa:nothing-of-that-name", "mixer": None}})
    tab = tabs(base(subject.location(cable)))
    API(tab.base).play(served.add("/a.wav", sound.wav(sound.noise(2)), "audio/wav"))
    expect(tab.main).to_contain_text("[audio]")


#: An ALSA device that one program at a time can have, as a sound card: who has it holds the lock of a file.
EXCLUSIVE = """
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <unistd.h>
char __snd_pcm_exclusive_open_dlsym_pcm_001;
int snd_pcm_open(void **, const char *, int, int);
int _snd_pcm_exclusive_open(void **pcm, const char *name, void *root, void *configuration, int stream, int mode) {
  int lock = open(LOCK, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return -errno;
  int isHeld = flock(lock, LOCK_EX | LOCK_NB) != 0;
  close(lock);
  return isHeld ? -EBUSY : snd_pcm_open(pcm, "null", stream, mode);
}
"""


def test_a_device_that_another_program_has(own_host, cable, launch, tabs, served, tmp_path):
    """Its words are those of the log, and it plays by itself once the other has left it."""
    library, lock = tmp_path / "exclusive.so", tmp_path / "lock"
    subprocess.run(["cc", "-shared", "-fPIC", f'-DLOCK="{lock}"', "-x", "c", "-", "-o", library, "-l:libasound.so.2"], check=True,
                   text=True, input=EXCLUSIVE)
    subject = launch(own_host, start=False, settings={"audio": {"output": "alsa:exclusive", "mixer": None}, "playback": {"patience": "60s"}})
    (subject.folder / ".asoundrc").write_text(f'pcm_type.exclusive {{ lib "{library}" }}\npcm.exclusive {{ type exclusive }}\n')
    other = subprocess.Popen(["flock", lock, "sh", "-c", "echo has it; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "has it\n"
        subject.start()
        tab = tabs(base(subject.location(cable)))
        api = API(tab.base)
        api.play(served.add("/a.wav", sound.wav(sound.noise(60)), "audio/wav"))
        expect(tab.main).to_contain_text("alsa:exclusive")
        expect(tab.main).to_contain_text("is being used by another application")
        problem = api.player["sound"]["problem"]
        expect(tab.main).to_contain_text(problem)
        assert any(problem in line for line in subject.log.since(0))
        mark = subject.log.mark()
    finally:
        other.stdin.close()
        other.wait(10)
        other.stdout.close()
    # It is tried anew every 5 seconds.
    subject.log.wait(lambda line: "The sound device alsa:exclusive is there." in line, 12, "the device", since=mark)
    api.wait(lambda player: "problem" not in player["sound"])
    expect(tab.main).not_to_contain_text("alsa:exclusive")


def test_who_took_over_is_said(tab, api, songs, page_subject, page_link):
    api.play(songs[0])
    expect(tab.main.locator(".title")).to_have_text("Zebra")
    device = Device(page_subject.shared_location)
    device.set_uri(songs[1]["uri"], didl("Cast by a phone", songs[1]["uri"]))
    device.play()
    expect(tab.main.locator(".title")).to_have_text("Cast by a phone")
    expect(tab.message).to_contain_text(page_link.phone)
    expect(tab.main).to_contain_text("Chosen by")
    device.stop()


def test_two_pages_and_a_control_point_agree_within_200_ms(tab, tabs, api, openhome_beside, page_link, songs, page_subject):
    other = tabs(api.base, **browsers.PHONE)
    api.play(*songs)
    with openhome.Watch(openhome_beside, page_link.phone) as watch:
        for screen in (tab, other):
            expect(screen.button("Pause", screen.main)).to_be_enabled()
            screen.page.evaluate("""() => {
              const slider = document.querySelector('main input[aria-label=Volume]');
              window.seen = {};
              const look = () => { window.seen[slider.value] ??= Date.now(); setTimeout(look, 2); };
              look();
            }""")
        late = []
        for volume in range(31, 41):
            since = watch.events.mark()
            watch_began = time.time()
            clock = Stopwatch(page_subject.pid)
            api.tell("PATCH", "player", {"volume": volume})
            watch.wait("Volume", "Volume", volume, since=since)
            heard = clock.seconds
            for screen in (tab, other):
                screen.page.wait_for_function("(value) => window.seen[value]", arg=str(volume))
            seen = [screen.page.evaluate("(value) => window.seen[value]", str(volume)) / 1000 - watch_began for screen in (tab, other)]
            late.append((round(heard, 3), *(round(value, 3) for value in seen)))
        # A machine that does something else now and then may be late; the pages may not be.
        good = [row for row in late if max(row) <= 0.2]
        assert len(good) >= 8, late
