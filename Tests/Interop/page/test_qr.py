"""The QR codes that the page draws, read by a decoder that isn't ours."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy
import zxingcpp

ASSETS = Path(__file__).parents[3] / "Sources" / "Page" / "Assets"
CODE = "/#/party/ABCD2345"


def rows(texts, tmp_path):
    """The modules of the code of each text, as the page makes them."""
    shutil.copy(ASSETS / "qr.js", tmp_path / "qr.mjs")
    script = f"import {{ rows }} from '{tmp_path}/qr.mjs'; console.log(JSON.stringify({json.dumps(texts)}.map((text) => rows(text) ?? null)))"
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def read(modules):
    """What a decoder makes of it."""
    picture = numpy.kron(1 - numpy.pad(numpy.array(modules), 4), numpy.ones((3, 3))) * 255
    found = zxingcpp.read_barcodes(picture.astype(numpy.uint8))
    assert len(found) == 1 and found[0].ec_level == "M"
    return found[0].text


def test_every_length_is_read(tmp_path):
    text = f"http://192.168.178.99:49494{CODE}?abcdefghijklmnopqrstuvwxyz{'0123456789' * 9}"
    texts = [text[:length] for length in range(1, 107)]
    made = rows(texts, tmp_path)
    assert [read(one) for one in made] == texts
    assert sorted({len(one) for one in made}) == [21, 25, 29, 33, 37, 41]


def test_addresses_as_they_are(tmp_path):
    texts = [f"http://{host}:{port}{CODE}" for host in ("10.0.0.1", "192.168.100.200", "[2001:db8:1234:5678:9abc:def0:1234:5678]", "vireo.local",
                                                        "living-room-speaker.home.arpa") for port in (80, 49494)]
    texts += [f"https://music.example{CODE}", "äöü €"]
    assert [read(one) for one in rows(texts, tmp_path)] == texts


def test_what_is_too_long_has_none(tmp_path):
    assert rows(["x" * 107, "€" * 36], tmp_path) == [None, None]
