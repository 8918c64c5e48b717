"""Metadata is the text of strangers: markup, other directions, endless titles, addresses that are none."""

import re
import subprocess

import pytest
from kit import browser as browsers, sound
from kit.api import API, base
from kit.media_server import MediaServer
from kit.tls import Authority
from kit.waiting import until
from playwright.sync_api import expect

HOSTILE = {
    "markup": "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>",
    "entities": "&lt;b&gt;&amp;nbsp;&#x27; {{name}} ${1} %s",
    "right to left": "\u05e9\u05d9\u05e8 \u202e3:05 gnos\u202c \u0627\u0644\u0623\u063a\u0646\u064a\u0629",
    "4 kB": "Long " * 800,
    "4 kB without a space": "W" * 4000,
    "controls": "a\u0085b\u2028c\u200bd\ufeffe\U0001f3b5",
    "zalgo": "Z" + "\u0335\u0489\u034f" * 200,
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("size", ["laptop", "phone"])
def test_hostile_metadata(tabs, api, songs, openhome_beside, page_media, kind, size):
    """It is seen as text, breaks no layout, and runs nothing; the policy has nothing to forbid."""
    text = HOSTILE[kind]
    tab = tabs(api.base, **(browsers.PHONE if size == "phone" else {}))
    page_media.add("/x.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "image/svg+xml")
    api.play({**songs[0], "title": text, "artist": text, "album": text}, {**songs[1], "title": text}, how="now")
    api.wait(lambda player: player["state"] == "playing")
    width = tab.page.viewport_size["width"]
    for place in ("now", "queue", "library", "rooms"):
        tab.link(place)
        expect(tab.page.get_by_role("navigation", name="Screens")).to_be_visible()
        if place == "now":
            until(lambda: tab.main.locator(".title").text_content().strip()[:20] == text.strip()[:20], 5, "the title as it is")
            assert tab.main.locator(".title bdi").get_attribute("dir") == "auto"
            expect(tab.button("Pause", tab.main)).to_be_in_viewport()
            expect(tab.slider("Volume", tab.main)).to_be_in_viewport()
        if place == "queue":
            expect(tab.rows).to_have_count(2)
            until(lambda: tab.titles()[0][:20] == text.strip()[:20], 5, "the title as it is")
            assert max(row.bounding_box()["height"] for row in tab.rows.all()) < 140
        assert tab.page.evaluate("() => document.documentElement.scrollWidth") <= width, f"{place} is wider than the window"
        assert tab.page.locator("main img[src=x], main script, main b b, footer script").count() == 0
    assert "owned" not in tab.page.title() or kind == "markup" and tab.page.title().startswith("<img")
    assert tab.page.evaluate("() => document.title") != "owned"


def test_pictures_come_through_the_speaker_alone(tab, api, songs, page_media, tmp_path):
    """A picture of another host is fetched by the speaker; what is no picture isn't shown, and nothing else is asked."""
    page_media.add("/cover.png", sound.picture(".png", "png", tmp_path), "image/png")
    page_media.add("/not.png", b"<html><script>1</script></html>", "image/png")
    tab.expects("status of (404|502|504)")
    api.play({**songs[0], "art": f"{page_media.base}/cover.png"})
    image = tab.main.locator(".stage .art:not(.glow) img")
    expect(image).to_have_attribute("src", re.compile("^/art/"))
    until(lambda: image.evaluate("node => node.naturalWidth") > 0, 5, "the picture")
    for art in (f"{page_media.base}/not.png", "javascript:alert(1)", "data:text/html,<script>1</script>", "file:///etc/passwd"):
        api.ask("POST", "play", {"items": [{**songs[1], "art": art, "title": f"With {art[:8]}"}], "how": "now"})
        tab.page.wait_for_timeout(150)
    expect(image).to_have_count(0)


def shows(tab):
    """Whether the picture of what plays is seen."""
    return tab.main.locator(".stage .art.shown:not(.glow) img").evaluate_all("nodes => nodes.some((node) => node.naturalWidth > 0)")


@pytest.fixture
def secure(cable, tmp_path):
    """A server that speaks TLS and has a cover, and a file with whom to trust for it."""
    authority = Authority(tmp_path, "trusted")
    server = MediaServer(cable.phone, authority.context(cable.phone))
    server.add("/cover.png", sound.picture(".png", "png", tmp_path), "image/png")
    server.authorities = authority.certificate
    yield server
    server.close()


@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "untrusted"])
def test_pictures_over_tls(own_host, cable, launch, tabs, served, secure, trusted):
    subject = launch(own_host, authorities=secure.authorities if trusted else None)
    tab = tabs(base(subject.location(cable)))
    tab.expects("status of 404")
    api = API(tab.base)
    api.play({"uri": served.add("/a.flac", sound.flac(sound.noise(30)), "audio/flac"), "title": "A", "art": f"{secure.base}/cover.png"})
    address = api.wait(lambda player: player["track"].get("art"))["track"]["art"]
    assert address.startswith("/art/")
    assert api.ask("GET", address).status == (200 if trusted else 404)
    if trusted:
        until(lambda: shows(tab), 5, "the picture")
    else:
        expect(tab.main.locator(".title")).to_have_text("A")
        assert not shows(tab)
        assert not secure.requests.items, "it was asked for something all the same"


def test_without_libcurl_a_placeholder_is_seen(own_host, cable, launch, tabs, served, secure, tmp_path):
    """Pictures over TLS are missing then, and nothing else is."""
    subject = launch(own_host, start=False)
    listed = subprocess.run(["/sbin/ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    libraries = re.findall(r"libcurl\.so\.4 .*=> (\S+)", listed)
    assert libraries, "libcurl isn't there at all"
    hide = 'for one in $0; do mount --bind /dev/null "$one" || exit; done; exec "$@"'
    command = subject.command
    subject.command = lambda: ["unshare", "--mount", "sh", "-c", hide, " ".join(libraries), *command()]
    subject.start()
    tab = tabs(base(subject.location(cable)))
    tab.expects("status of 404")
    api = API(tab.base)
    song = {"uri": served.add("/a.flac", sound.flac(sound.noise(30)), "audio/flac"), "title": "A"}
    api.play({**song, "art": f"{secure.base}/cover.png"})
    expect(tab.main.locator(".title")).to_have_text("A")
    address = api.wait(lambda player: player["track"].get("art"))["track"]["art"]
    assert api.ask("GET", address).status == 404
    assert not shows(tab)
    # The drawn cover stands in.
    expect(tab.main.locator(".stage .art:not(.glow)")).to_be_visible()
    api.play({**song, "title": "B", "art": served.add("/cover.png", sound.picture(".png", "png", tmp_path), "image/png")})
    until(lambda: shows(tab), 5, "a picture that needs no TLS")
    assert subject.is_running()


def test_names_of_devices_are_text_too(own_host, cable, launch, tabs):
    from kit.api import base
    name = "<img src=x onerror=alert(1)> & \"Küche\" \u202eabc"
    subject = launch(own_host, friendly_name=name)
    tab = tabs(base(subject.location(cable)))
    expect(tab.page.locator("header")).to_contain_text("<img src=x onerror=alert(1)> & \"Küche\"")
    assert tab.page.locator("img[src=x]").count() == 0
