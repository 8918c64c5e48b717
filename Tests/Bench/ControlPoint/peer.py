"""Finds COUNT media servers by async-upnp-client: `peer.py COUNT`, where python has it. Prints one line of JSON."""

import asyncio
import json
import resource
import sys
import time
from pathlib import Path

from async_upnp_client.aiohttp import AiohttpRequester
from async_upnp_client.client_factory import UpnpFactory
from async_upnp_client.search import async_search


async def main():
    count = int(sys.argv[1])
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.monotonic()
    factory = UpnpFactory(AiohttpRequester(), non_strict=True)
    times = {}
    tasks = []
    done = asyncio.Event()

    async def create(location):
        device = await factory.async_create_device(location)
        times.setdefault(device.udn, (time.monotonic() - start) * 1000)
        if len(times) == count:
            done.set()

    async def heard(headers):
        tasks.append(asyncio.create_task(create(headers["location"])))

    search = asyncio.create_task(async_search(
        heard, timeout=3, search_target="urn:schemas-upnp-org:device:MediaServer:1", source=("127.0.0.1", 0)))
    await asyncio.wait_for(done.wait(), 20)
    after = resource.getrusage(resource.RUSAGE_SELF)
    search.cancel()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]
    dirty = int(dict(line.split(":", 1) for line in lines)["Private_Dirty"].split()[0])
    print(json.dumps({"first": min(times.values()), "all": max(times.values()), "cpu": cpu * 1000, "dirty": dirty}))


asyncio.run(main())
