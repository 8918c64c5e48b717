"""The pictures of README: Now and Library on a phone. INTEROP_PICTURES_README=1 writes them anew to Config/pictures."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from kit import browser as browsers, media_libraries, netns, sound
from kit.api import API, base
from kit.waiting import until
from playwright.sync_api import expect

PLACE = Path(__file__).parents[3] / "Config" / "pictures"
ALBUMS = [
    ("Ida Sørensen", "Nordic Mornings", ["First Light", "Frost on the Pane", "Harbour", "The Long Road to Bodø", "Kelp", "Slow Ferry"], "0x2b4a5e", "0xe9c46a"),
    ("The Vireo Quartet", "Kind of Green", ["So Far", "Freddie’s Bird", "Blue in the Canopy", "All Leaves", "Olive Sketches"], "0x56681f", "0xdfe8b5"),
    ("Königin Strom", "Stadtlichter", ["Nachtbus", "Leuchtreklame", "Letzte Bahn"], "0x1d1a3a", "0xf25f5c"),
    ("Lucía Ferrer", "Canciones del Agua", ["Río Abajo", "Espuma", "La Orilla"], "0x0b6e99", "0xa8dadc"),
    ("Camille Aubert", "Études d’hiver", ["No. 1 in E minor", "No. 2 “Les flocons”"], "0x8d99ae", "0xf8f9fa"),
    ("Moss & Wire", "Tidal Patterns", ["Ebb", "Neap", "Spring"], "0x264653", "0x2a9d8f"),
]


def cover(path, dark, light):
    """A picture for an album: a gradient between its two colours."""
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
                    f"gradients=s=640x640:c0={dark}:c1={light}:x0=60:y0=620:x1=560:y1=40:d=1", "-frames:v", "1", "-q:v", "4", str(path)],
                   check=True, timeout=30)


@pytest.fixture
def shelf(tmp_path):
    music = tmp_path / "music"
    music.mkdir()
    for artist, name, titles, dark, light in ALBUMS:
        folder = music / artist / name
        folder.mkdir(parents=True)
        cover(folder / "cover.jpg", dark, light)
        piece = tmp_path / "tone.wav"
        piece.write_bytes(sound.wav(sound.tone(217, 330, level=0.1)))
        for number, title in enumerate(titles, 1):
            tags = {"title": title, "artist": artist, "album": name, "track": number, "genre": "Folk"}
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", str(piece), "-i", str(folder / "cover.jpg"), "-map", "0:a", "-map", "1:v",
                            "-c:v", "copy", "-disposition:v", "attached_pic", *[word for key, value in tags.items() for word in ("-metadata", f"{key}={value}")],
                            str(folder / f"{number:02}.flac")], check=True, timeout=60)
    return music


def test_pictures_of_now_and_library(shelf, launch, own_host, cable, tmp_path, tabs):
    assert shutil.which("minidlnad"), "minidlnad isn't installed; make test-packages does that"
    speaker = launch(own_host, friendly_name="Living room", settings={"volume": {"initial": 42}})
    server = media_libraries.MiniDLNA(own_host, cable, tmp_path / "minidlna", shelf)
    try:
        api = API(base(speaker.location(cable)))
        until(lambda: any(one["isThere"] for one in api.get("servers")["servers"]), 15, "the server", step=0.2)
        udn = next(one["udn"] for one in api.get("servers")["servers"])

        def found():
            answer = api.ask("GET", f"servers/{udn}/search?q=Blue+in+the+Canopy")
            return answer.status == 200 and answer.json["objects"]
        until(found, 30, "the scan", step=0.3)
        until(lambda: len(api.get(f"servers/{udn}/search?q=Spring&kind=track")["objects"]) > 0, 30, "the whole scan", step=0.3)
        tab = tabs(api.base, "library/servers", **browsers.PHONE)
        tab.main.get_by_role("link").filter(has_text="Shelf").click()
        for name in ("Music", "Album"):
            tab.main.get_by_role("link", name=name).first.click()
        expect(tab.main.locator("h1")).to_have_text("Album")
        expect(tab.main.get_by_role("link").filter(has_text="Tidal Patterns")).to_be_visible()
        tab.main.get_by_role("link").filter(has_text="Kind of Green").click()
        tab.button("Play all", tab.main).click()
        api.wait(lambda player: player["state"] == "playing")
        tab.page.go_back()
        expect(tab.main.locator("h1")).to_have_text("Album")
        # The message of what was done has gone, and the covers have come.
        tab.button("Close", tab.message).click()
        until(lambda: tab.main.locator(".art.shown").count() >= 4, 10, "covers")
        expect(tab.page.get_by_role("link", name="So Far")).to_be_visible()
        tab.page.wait_for_timeout(400)
        library = tab.page.screenshot()
        tab.link("now")
        expect(tab.main.locator(".stage .art.shown").first).to_be_visible()
        api.tell("PATCH", "player", {"position": 83})
        until(lambda: "1:2" in tab.main.locator(".times").inner_text(), 5, "the place")
        tab.page.wait_for_timeout(400)
        now = tab.page.screenshot()
        for name, picture in (("now", now), ("library", library)):
            assert picture[:4] == b"\x89PNG" and len(picture) > 20_000
            if os.environ.get("INTEROP_PICTURES_README"):
                PLACE.mkdir(exist_ok=True)
                (PLACE / f"{name}.png").write_bytes(picture)
    finally:
        server.close()
