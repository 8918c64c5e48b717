"""A short soak: the same as `make soak`, with few actions; see Tests/Soak/README.md."""

import random
import sys
from pathlib import Path

import pytest
from kit.subject import chosen

TESTS = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(chosen().name != "vireod", reason="it knows vireod's log and figures")
def test_a_short_soak_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(TESTS / "Bench")
    monkeypatch.syspath_prepend(TESTS / "Soak")
    from soak import Soak

    soak = Soak(actions=1000, seed=random.randrange(1 << 32), folder=tmp_path, silence=5, rounds=1, outages=1)
    assert soak.run() == []
