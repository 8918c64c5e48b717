"""Runs the vireod that is installed in the Debian system ROOT, and casts a sound to it: `unshare --net cast.py ROOT`."""

import http.server
import math
import os
import re
import struct
import subprocess
import sys
import threading
import time
import urllib.request
import wave
from io import BytesIO
from pathlib import Path

SECONDS = 2


def sound():
    """A tone, as WAV."""
    file = BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((2, 2, 44100, 0, "NONE", ""))
        for frame in range(44100 * SECONDS):
            sample = int(9000 * math.sin(2 * math.pi * 440 * frame / 44100))
            writer.writeframesraw(struct.pack("<hh", sample, sample))
    return file.getvalue()


class Media(http.server.BaseHTTPRequestHandler):
    body = sound()

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "audio/wav")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def soap(base, action, arguments=""):
    kind = "urn:schemas-upnp-org:service:AVTransport:1"
    body = ('<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
            f'<u:{action} xmlns:u="{kind}"><InstanceID>0</InstanceID>{arguments}</u:{action}></s:Body></s:Envelope>')
    request = urllib.request.Request(f"{base}/AVTransport/control", body.encode(), {
        "Content-Type": 'text/xml; charset="utf-8"', "SOAPACTION": f'"{kind}#{action}"'})
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.read().decode()


def main():
    root = Path(sys.argv[1])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    media = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Media)
    threading.Thread(target=media.serve_forever, daemon=True).start()
    (root / "tmp/test.toml").write_text(
        '[network]\ninterfaces = ["lo"]\n[audio]\noutput = "file:/tmp/heard.wav"\n[volume]\ninitial = 100\n'
        '[metrics]\nenabled = true\n')
    daemon = subprocess.Popen(
        ["chroot", str(root), "/usr/bin/vireod", "--config", "/tmp/test.toml", "--state-dir", "/tmp/state"],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"}, stderr=subprocess.PIPE, text=True)
    try:
        port = None
        for line in daemon.stderr:
            print("     " + line, end="")
            if found := re.search(r", port (\d+)$", line):
                port = found[1]
                break
        assert port, "vireod ended before it was ready"
        lines = threading.Thread(target=lambda: [print("     " + line, end="") for line in daemon.stderr], daemon=True)
        lines.start()
        host = f"http://127.0.0.1:{port}"
        with urllib.request.urlopen(f"{host}/status", timeout=10) as response:
            base = f"{host}/{re.search(r'uuid:([^<]*)', response.read().decode())[1]}"
        uri = f"http://127.0.0.1:{media.server_address[1]}/tone.wav"
        soap(base, "SetAVTransportURI", f"<CurrentURI>{uri}</CurrentURI><CurrentURIMetaData></CurrentURIMetaData>")
        soap(base, "Play", "<Speed>1</Speed>")
        deadline = time.monotonic() + 30
        while "STOPPED" not in soap(base, "GetTransportInfo"):
            assert time.monotonic() < deadline, "it doesn't end"
            time.sleep(0.1)
        with urllib.request.urlopen(f"{host}/metrics", timeout=10) as response:
            assert "\nvireo_tracks_started_total 1\n" in response.read().decode(), "nothing was heard"
    finally:
        daemon.terminate()
        code = daemon.wait(10)
    assert code == 0, f"it ended with {code}"
    heard = (root / "tmp/heard.wav").read_bytes()
    assert max(abs(value) for value, in struct.iter_unpack("<h", heard[44:44 + 40000])) > 8000, "it played silence"


if __name__ == "__main__":
    main()
