"""What the Debian package says it needs; Tests/Packaging builds and installs it."""

import re

from kit.subject import ROOT


def makefile(name):
    """A list of packages of the Makefile."""
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    return set(re.search(rf"^{name} := (.*)$", text, re.M)[1].split())


def control(*fields):
    """The packages that fields of debian/control name, alternatives included, without versions and variables."""
    text = "\n".join(line for line in (ROOT / "debian/control").read_text().splitlines() if not line.startswith("#"))
    found = set()
    for field in fields:
        value = re.search(rf"^{field}: (.*(?:\n .*)*)", text, re.M)[1]
        found.update(re.sub(r"\(.*\)", "", name).strip() for name in re.split(r"[,|]", value) if "${" not in name)
    return found


def test_what_a_build_needs_is_said_twice_and_the_same():
    assert control("Build-Depends") - {"debhelper-compat"} == makefile("BUILD_PACKAGES")


def test_the_package_names_all_that_make_run_installs():
    # GStreamer's plugins depend on one of two versions of libsoup themselves.
    assert makefile("RUN_PACKAGES") - {"libsoup-3.0-0"} <= control("Depends", "Recommends", "Suggests")


def test_sound_is_no_matter_of_taste():
    """Without a plugin that makes sound it would install, and be silent."""
    depends = re.search(r"^Depends: (.*(?:\n .*)*)", (ROOT / "debian/control").read_text(), re.M)[1]
    ways = [choice for choice in depends.split(",") if "gstreamer1.0-alsa" in choice]
    assert len(ways) == 1 and "gstreamer1.0-pulseaudio" in ways[0] and "gstreamer1.0-pipewire" in ways[0]
