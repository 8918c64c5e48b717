"""Kodi on a screen that nobody sees, told over JSON-RPC what its person taps on."""

import json
import shutil
import socket
import threading
import time
from itertools import count

from kit.waiting import PATIENCE, Feed, until
from program import Program

SETTINGS = {
    "services.upnp": "true",
    # The controller ("play using") comes with the server only.
    "services.upnpserver": "true",
    "services.upnpcontroller": "true",
    "services.zeroconf": "false",
    "services.wsdiscovery": "false",
    # No add-on looks for a newer version of itself.
    "general.addonupdates": "2",
}


class Kodi:
    def __init__(self, folder):
        data = folder / ".kodi/userdata"
        data.mkdir(parents=True)
        lines = "".join(f'<setting id="{name}">{value}</setting>' for name, value in SETTINGS.items())
        (data / "guisettings.xml").write_text(f'<settings version="2">{lines}</settings>')
        # Its own loudspeaker: without one it looks for one twice a second.
        (folder / ".asoundrc").write_text("pcm.!default { type null }\nctl.!default { type null }\n")
        self.folder = folder
        self.program = self.socket = None
        self.screen = Program(folder, shutil.which("Xvfb"), "-displayfd", "1", "-screen", "0", "640x480x24",
                              "-nolisten", "tcp")
        self.numbers = count(1)
        self.answers = Feed()

    def begin(self):
        number = self.screen.log.wait(str.isdigit, 20, "a screen of Xvfb")
        self.program = Program(self.folder, shutil.which("kodi"), "--standalone", DISPLAY=f":{number}", KODI_AE_SINK="ALSA")

        def connected():
            assert self.program.is_running(), "Kodi ended"
            try:
                return socket.create_connection(("127.0.0.1", 9090), 5)
            except OSError:
                return None
        self.socket = until(connected, 60, "Kodi's JSON-RPC")
        self.socket.settimeout(None)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        decoder, text = json.JSONDecoder(), ""
        while data := self.socket.recv(65536):
            text += data.decode()
            while text := text.lstrip():
                try:
                    message, end = decoder.raw_decode(text)
                except ValueError:
                    break
                self.answers.append(message)
                text = text[end:]

    def call(self, method, **parameters):
        number = next(self.numbers)
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        self.socket.sendall(json.dumps(request).encode())
        answer = self.answers.wait(lambda message: message.get("id") == number, 30, f"an answer to {method}")
        assert "result" in answer, f"{method}: {answer}"
        return answer["result"]

    def find(self, name):
        """Waits until its own discovery has found the renderer."""
        until(lambda: name in [player["name"] for player in self.call("Player.GetPlayers")], 60, f"Kodi finds {name}", 0.2)

    def cast(self, uri, name):
        """Play using …"""
        self.call("Player.Open", item={"file": uri}, options={"playername": name})

    def press(self, action):
        self.call("Input.ExecuteAction", action=action)

    def is_true(self, condition):
        return self.call("XBMC.GetInfoBooleans", booleans=[condition])[condition]

    def stop(self):
        """It asks whether the renderer is to stop too, or to be left alone; yes."""
        yes = "Control.HasFocus(11)"
        self.press("stop")
        until(lambda: self.is_true("Window.IsActive(yesnodialog)"), 10, "Kodi's question")
        until(lambda: self.is_true(yes) or self.press("left"), 10, "its button Yes", 0.2)
        self.press("select")

    def close(self):
        if self.socket:
            self.socket.close()
        if self.program:
            self.program.close()
            log = self.folder / ".kodi/temp/kodi.log"
            if log.exists():
                print(*log.read_text(errors="replace").splitlines()[-60:], sep="\n")
        self.screen.close()
