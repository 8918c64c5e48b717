"""A whole Home Assistant in a folder of its own, told over HTTP what its person taps on."""

import asyncio
import json
import time
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
from kit.waiting import PATIENCE
from program import Program

HASS = Path(__file__).parent / ".venv/bin/hass"
BASE = "http://127.0.0.1:8123"
CLIENT = f"{BASE}/"
CONFIGURATION = """
homeassistant:
  name: Test
  latitude: 0
  longitude: 0
  elevation: 0
  unit_system: metric
  time_zone: UTC
  country: DE
http:
  server_host: 127.0.0.1
ssdp:
media_source:
repairs:
logger:
  default: warning
  logs:
    homeassistant.components.dlna_dmr: debug
    homeassistant.components.openhome: debug
    homeassistant.components.sonos: debug
    homeassistant.components.ssdp: info
"""
#: All that its first pages ask is answered already, but for who its person is. Before that, some integrations take what they
#: discover without asking.
ONBOARDING = {"version": 4, "minor_version": 1, "key": "onboarding",
              "data": {"done": ["core_config", "analytics", "integration"]}}


async def eventually(condition, timeout, what, step=0.1):
    """Asks until the answer is truthy, and returns that."""
    deadline = time.monotonic() + timeout * PATIENCE
    while True:
        value = await condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise AssertionError(f"not within {timeout} s: {what}")
        await asyncio.sleep(step)


@asynccontextmanager
async def running(factory):
    """One that has begun, in a folder of its own of pytest's factory; it ends with the block."""
    home = HomeAssistant(factory.mktemp("home-assistant") / "config")
    try:
        await home.begin()
        yield home
    finally:
        await home.close()


class HomeAssistant:
    """Started by `begin`, and then its own discovery finds what there is."""

    def __init__(self, folder):
        folder.mkdir()
        (folder / "configuration.yaml").write_text(CONFIGURATION)
        (folder / ".storage").mkdir()
        (folder / ".storage/onboarding").write_text(json.dumps(ONBOARDING))
        self.program = Program(folder, HASS, "--config", folder, "--skip-pip", "--log-no-color")
        self.session = None

    async def begin(self):
        self.session = aiohttp.ClientSession(BASE)

        async def onboarding():
            assert self.program.is_running(), "Home Assistant ended"
            try:
                return await self._post("/api/onboarding/users", {
                    "client_id": CLIENT, "name": "Test", "username": "test", "password": "test", "language": "en"})
            except aiohttp.ClientConnectionError:
                return None
        code = (await eventually(onboarding, 120, "Home Assistant's first page"))["auth_code"]
        async with self.session.post("/auth/token", data={
                "grant_type": "authorization_code", "code": code, "client_id": CLIENT}) as answer:
            token = (await answer.json())["access_token"]
        await self.session.close()
        self.token = token
        self.session = aiohttp.ClientSession(BASE, headers={"Authorization": f"Bearer {token}"})

    async def close(self):
        if self.session:
            await self.session.close()
        await asyncio.to_thread(self.program.close)

    async def _post(self, path, content):
        async with self.session.post(path, json=content) as answer:
            answer.raise_for_status()
            return await answer.json()

    async def _ask(self, kind, **content):
        """One question over the WebSocket."""
        async with self.session.ws_connect("/api/websocket") as socket:
            await socket.receive_json()
            await socket.send_json({"type": "auth", "access_token": self.token})
            assert (await socket.receive_json())["type"] == "auth_ok"
            await socket.send_json({"id": 1, "type": kind, **content})
            answer = await socket.receive_json()
            assert answer["success"], answer
            return answer["result"]

    async def start_flow(self, integration):
        """What comes of it when its person adds the integration by hand."""
        return await self._post("/api/config/config_entries/flow", {"handler": integration})

    async def issues(self):
        """What it asks its person to repair, as (integration, issue)."""
        return {(issue["domain"], issue["issue_id"]) for issue in (await self._ask("repairs/list_issues"))["issues"]}

    async def entities(self, integration):
        """The registered entities by the ends of their unique ids, each with whether it is in use."""
        return {entity["unique_id"].rpartition("-")[2]: entity for entity in await self._ask("config/entity_registry/list")
                if entity["platform"] == integration}

    async def browse(self, entity, kind=None, identity=None):
        """What its media browser shows there, by title."""
        place = {"media_content_type": kind, "media_content_id": identity} if kind else {}
        shown = await self._ask("media_player/browse_media", entity_id=entity, **place)
        return {child["title"]: child for child in shown["children"]}

    async def add(self, integration):
        """Confirms what the integration has discovered; returns the entity that has come of it."""
        before = await self._players()

        async def discovered():
            flows = await self._ask("config_entries/flow/progress")
            return next((flow["flow_id"] for flow in flows if flow["handler"] == integration), None)
        flow = await eventually(discovered, 60, f"a device that {integration} has discovered")
        result = await self._post(f"/api/config/config_entries/flow/{flow}", {})
        assert result["type"] == "create_entry", result

        async def ready():
            return next((name for name, state in (await self._players()).items()
                         if name not in before and state != "unavailable"), None)
        return await eventually(ready, 30, f"an entity of {integration}")

    async def _players(self):
        async with self.session.get("/api/states") as answer:
            states = await answer.json()
        return {state["entity_id"]: state["state"] for state in states if state["entity_id"].startswith("media_player.")}

    async def state(self, entity):
        async with self.session.get(f"/api/states/{entity}") as answer:
            return await answer.json()

    async def until(self, entity, state, timeout=15):
        async def is_so():
            return (await self.state(entity))["state"] == state
        await eventually(is_so, timeout, f"{entity} shows {state}")

    async def refresh(self, entity, state=None, timeout=15):
        """What it polls for it asks now, and again until that is `state`."""
        async def asked():
            await self._post("/api/services/homeassistant/update_entity", {"entity_id": entity})
            now = (await self.state(entity))["state"]
            return now == state if state else now != "unavailable"
        await eventually(asked, timeout, f"{entity} shows {state or 'what it is'}")

    async def until_attribute(self, entity, name, value, timeout=15):
        """`value` may be a function that says whether it is so."""
        wanted = value if callable(value) else lambda shown: shown == value

        async def is_so():
            return wanted((await self.state(entity))["attributes"].get(name))
        try:
            await eventually(is_so, timeout, f"{entity} shows the right {name}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it shows {await self.state(entity)}") from error

    async def call(self, entity, service, domain="media_player", **data):
        return await self._post(f"/api/services/{domain}/{service}", {"entity_id": entity, **data})

    async def cast(self, entity, uri):
        await self.call(entity, "play_media", media_content_type="music", media_content_id=uri)
