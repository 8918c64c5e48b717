"""Metadata is the text of strangers: markup, other directions, endless titles, addresses that are none."""

import re

import pytest
from kit import browser as browsers, sound
from kit.api import base
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


def test_names_of_devices_are_text_too(own_host, cable, launch, tabs):
    from kit.api import base
    name = "<img src=x onerror=alert(1)> & \"Küche\" \u202eabc"
    subject = launch(own_host, friendly_name=name)
    tab = tabs(base(subject.location(cable)))
    expect(tab.page.locator("header")).to_contain_text("<img src=x onerror=alert(1)> & \"Küche\"")
    assert tab.page.locator("img[src=x]").count() == 0
