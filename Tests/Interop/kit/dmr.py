"""Home Assistant's client: async_upnp_client's DmrDevice, with its events."""

import asyncio
from contextlib import asynccontextmanager

from async_upnp_client.aiohttp import AiohttpNotifyServer, AiohttpRequester
from async_upnp_client.client_factory import UpnpFactory
from async_upnp_client.profiles.dlna import DmrDevice

from .waiting import PATIENCE


class Player:
    """DmrDevice with a notify server, and a way to wait for what it was told."""

    def __init__(self, dmr):
        self.dmr = dmr
        self.told = asyncio.Condition()
        dmr.on_event = lambda service, variables: asyncio.ensure_future(self._tell())

    async def _tell(self):
        async with self.told:
            self.told.notify_all()

    async def until(self, condition, what, timeout=8):
        async with self.told:
            try:
                await asyncio.wait_for(self.told.wait_for(condition), timeout * PATIENCE)
            except TimeoutError:
                raise AssertionError(f"no event within {timeout} s said: {what}; "
                                     f"state {self.dmr.transport_state}") from None

    async def until_state(self, state, timeout=8):
        await self.until(lambda: self.dmr.transport_state == state, state, timeout)


@asynccontextmanager
async def connect(device, address):
    """A player that is subscribed and has its initial events."""
    requester = AiohttpRequester(timeout=15)
    server = AiohttpNotifyServer(requester, source=(address, 0))
    await server.async_start_server()
    built = await UpnpFactory(requester).async_create_device(device.location)
    dmr = DmrDevice(built, server.event_handler)
    player = Player(dmr)
    await dmr.async_subscribe_services(auto_resubscribe=False)
    await player.until(lambda: dmr.transport_state is not None and dmr.volume_level is not None, "the initial events")
    yield player
    await dmr.async_unsubscribe_services()
    await server.async_stop_server()
