"""Everything that the description of the page's API allows, and much that it doesn't, against a daemon that runs."""

import os
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from kit import http

HERE = Path(__file__).parent / "schemathesis"
PROGRAM = HERE / ".venv/bin/st"
#: How many of each kind are made up.
EXAMPLES = int(os.environ.get("API_EXAMPLES", "60"))


@pytest.mark.timeout(900)
def test_the_description_is_the_truth(speaker, oh_renderer):
    assert PROGRAM.exists(), "schemathesis isn't installed; Tests/Interop/clients/install does that"
    base = f"http://{urlsplit(speaker.location).netloc}"
    done = subprocess.run(
        [PROGRAM, "--config-file", HERE / "schemathesis.toml", "run", f"{base}/api/openapi.json", "--url", base,
         "--phases", "examples,coverage,fuzzing", "--checks", "all",
         # The schema alone can't say which tracks there are, or what the queue's token is.
         "--exclude-checks", "positive_data_acceptance", "--max-examples", str(EXAMPLES),
         # A stream of events doesn't end.
         "--exclude-path", "/api/v1/events", "--request-timeout", "20", "--seed", "1",
         "--generation-database", "none", "--suppress-health-check", "all", "--no-color"],
        capture_output=True, text=True, timeout=850)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert oh_renderer.is_running()
    assert http.get(f"{base}/api/v1/player").status == 200
