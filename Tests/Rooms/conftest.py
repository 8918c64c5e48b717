"""Where the bench and the kit of the interoperability tests are."""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Interop")]


def pytest_configure(config):
    if os.environ.get("VIREO_PRIVATE_NETWORK") != "1":
        raise pytest.UsageError("run these tests with Tests/Rooms/run: they need a network of their own")
