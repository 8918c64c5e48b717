"""The page's API, asked as a script would ask it."""

import http.client
import json
from urllib.parse import urlsplit

from .waiting import until


def base(location):
    """Where the pages and the API are, from the address of a description."""
    parts = urlsplit(location)
    return f"{parts.scheme}://{parts.netloc}"


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class API:
    """`base`: where the speaker is, http://ADDRESS:PORT."""

    def __init__(self, base):
        self.base = base
        self.host = urlsplit(base).netloc

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.host, timeout=20)
        fields = dict(headers or {})
        if body is not None:
            fields.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, (bytes, str)) else json.dumps(body)
        try:
            connection.request(method, path if path.startswith("/") else f"/api/v1/{path}", body, fields)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def get(self, path):
        answer = self.ask("GET", path)
        assert answer.status == 200, f"GET {path}: {answer.status} {answer.body[:300]!r}"
        return answer.json

    def tell(self, method, path, body=None, headers=None):
        """A command that must be taken."""
        answer = self.ask(method, path, body, headers)
        assert answer.status in (200, 204), f"{method} {path}: {answer.status} {answer.body[:300]!r}"
        return answer.json if answer.body else None

    @property
    def player(self):
        return self.get("player")

    @property
    def queue(self):
        return self.get("queue")

    def play(self, *uris, how="now", **more):
        items = [uri if isinstance(uri, dict) else {"uri": uri} for uri in uris]
        return self.tell("POST", "play", {"items": items, "how": how, **more})

    def tracks(self, ids):
        """The tracks of the queue with these ids."""
        found = []
        for first in range(0, len(ids), 100):
            found += self.get("queue/tracks?ids=" + ",".join(map(str, ids[first:first + 100])))["tracks"]
        return found

    def titles(self):
        return [track["title"] for track in self.tracks(self.queue["ids"])]

    def wait(self, condition, timeout=8, what="the player"):
        """The player, once the condition holds for it."""
        def asked():
            player = self.player
            return player if condition(player) else None
        return until(asked, timeout, what, step=0.05)

    def fresh(self):
        """Awake, stopped, on an empty queue, in order, at half volume."""
        if self.player["standby"]:
            self.tell("PATCH", "player", {"standby": False})
        self.ask("POST", "player/stop")
        self.tell("PATCH", "player", {"source": "playlist", "repeat": False, "shuffle": False, "muted": False, "volume": 50, "balance": 0})
        self.ask("POST", "player/stop")
        self.tell("DELETE", "queue")
        for pin in self.get("pins")["pins"]:
            self.tell("DELETE", f"pins/{pin['slot']}")
