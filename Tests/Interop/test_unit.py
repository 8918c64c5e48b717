"""The systemd unit as it is written; Tests/Packaging runs it."""

import json
import re
import shutil
import subprocess

import pytest
from kit.subject import ROOT

pytestmark = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze isn't there")

UNIT = ROOT / "systemd/vireo.service"
# systemd 252 doesn't say which settings these are about.
NAMES = {"RootDirectory=/RootImage=": "RootDirectory="}


def analyze(unit, *arguments):
    return subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", *arguments, str(unit)], check=False, text=True,
        capture_output=True, timeout=60).stdout


def exposure(unit=UNIT):
    return float(re.search(r"Overall exposure level for \S+: ([\d.]+)", analyze(unit))[1])


def open_points():
    """The settings that leave something open."""
    rows = json.loads(analyze(UNIT, "--json=short"))
    names = {row["name"] for row in rows if float(row["exposure"] or 0) > 0}
    return {NAMES.get(name, re.sub(r"=.*", "=", name)) for name in names}


def test_the_unit_is_shut_as_far_as_it_says():
    found = exposure()
    assert found <= 2.0
    assert f"finds an exposure of {found} " in UNIT.read_text(), "the unit's comment names another figure"
    assert f"(`systemd-analyze security`: {found})" in (ROOT / "README.md").read_text()


def test_every_opening_has_its_reason():
    named = set()
    for names in re.findall(r"# Exception \(([^)]*)\):", UNIT.read_text()):
        named.update(name.strip() for name in names.split(","))
    assert len(open_points()) > 5
    assert open_points() - named == set(), "these are open without a reason"
    assert named - open_points() == set(), "these aren't open at all"


def test_a_unit_that_is_less_shut_is_noticed(tmp_path):
    worse = tmp_path / "vireo.service"
    worse.write_text(UNIT.read_text().replace("PrivateUsers=yes\n", "").replace("CapabilityBoundingSet=\n", ""))
    assert exposure(worse) > 2.0


def complaints(text, folder):
    unit = folder / "vireo.service"
    unit.write_text(text.replace("/usr/bin/vireod", "/bin/true"))
    said = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], check=False, text=True, capture_output=True,
                          timeout=60).stderr
    return [line for line in said.splitlines() if str(unit) in line]


def test_systemd_understands_all_of_it(tmp_path):
    assert complaints(UNIT.read_text(), tmp_path) == []
    assert complaints(UNIT.read_text().replace("PrivateUsers=", "PrivateUser="), tmp_path) != []
