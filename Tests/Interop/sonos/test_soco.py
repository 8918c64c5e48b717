"""SoCo's own integration tests, unmodified (`install` fetches them)."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / ".soco"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_socos_own_tests(zone_link, playing):
    suites = sorted(FOLDER.glob("soco-*/tests"))
    assert suites, "Tests/Interop/sonos/install fetches them, which Tests/Interop/run calls"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", suites[-1] / "test_integration.py",
         "--ip", zone_link.speaker, "-q", "--tb=short"],
        cwd=suites[-1].parent, capture_output=True, text=True, timeout=580, check=False)
    assert run.returncode == 0, run.stdout[-8000:]
