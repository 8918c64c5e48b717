"""The API of the page, as scripts use it: plain requests."""

from urllib.parse import quote, urlsplit

import requests

from .waiting import until


class Refused(AssertionError):
    """An answer that isn't a success."""

    def __init__(self, response):
        self.status = response.status_code
        self.problem = response.json() if "json" in response.headers.get("Content-Type", "") else {}
        super().__init__(f"{response.status_code} {response.text[:500]}")


class PageAPI:
    """What a speaker's page can be asked."""

    def __init__(self, location):
        """`location`: of any of its descriptions."""
        parts = urlsplit(location)
        self.base = f"{parts.scheme}://{parts.netloc}"

    def ask(self, method, path, json=None, timeout=30, **query):
        response = requests.request(
            method, f"{self.base}/api/v1{path}", params=query or None, json=json, timeout=timeout)
        if response.status_code >= 300:
            raise Refused(response)
        return response.json() if response.content else None

    def get(self, path, **query):
        return self.ask("GET", path, **query)

    def post(self, path, json=None):
        return self.ask("POST", path, json)

    def patch(self, path, json):
        return self.ask("PATCH", path, json)

    # MARK: Media servers

    def server(self, name=None):
        """The UDN of the first server, or the one of that name, once it is found."""
        def found():
            servers = self.get("/servers")["servers"]
            return next((server for server in servers if server["isThere"] and name in (None, server["name"])), None)
        return until(found, 10, f"a media server {name or ''}")["udn"]

    def objects(self, udn, folder=None, **query):
        """A page of a folder."""
        if folder is not None:
            query["id"] = folder
        return self.get(f"/servers/{quote(udn)}/objects", **query)

    def whole(self, udn, folder=None, count=50):
        """All objects of a folder, page by page, and how often was asked."""
        found, asked = [], 0
        while True:
            page = self.objects(udn, folder, start=len(found), count=count)
            asked += 1
            assert page["start"] == len(found)
            found += page["objects"]
            if page["isEnd"]:
                return found, asked
            assert page["objects"] and asked < 500

    def folder(self, udn, title):
        """The id of the first folder of that title, wherever it is."""
        waiting, seen = [None], set()
        while waiting:
            place = waiting.pop(0)
            if place in seen:
                continue
            seen.add(place)
            for entry in self.whole(udn, place)[0]:
                if entry["kind"] in ("track", "other"):
                    continue
                if entry["title"] == title:
                    return entry["id"]
                waiting.append(entry["id"])
        raise AssertionError(f"no folder {title}")

    # MARK: This speaker

    def queue(self):
        """The titles of the queue."""
        ids = self.get("/queue")["ids"]
        tracks = []
        for begin in range(0, len(ids), 100):
            tracks += self.get("/queue/tracks", ids=",".join(map(str, ids[begin:begin + 100])))["tracks"]
        return [track["title"] for track in tracks]

    def playing(self):
        """What is played, by its title; None if nothing is."""
        player = self.get("/player")
        return player.get("track", {}).get("title") if player["state"] == "playing" else None

    # MARK: Renderers

    def renderer(self, udn):
        return self.get(f"/renderers/{quote(udn)}")
