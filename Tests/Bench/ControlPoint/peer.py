"""Finds media servers, or lists a container, by async-upnp-client, where python has it:

    peer.py find COUNT
    peer.py browse LOCATION CONTAINER PAGE

Prints one line of JSON.
"""

import asyncio
import json
import resource
import sys
import time
from pathlib import Path

from async_upnp_client.aiohttp import AiohttpRequester
from async_upnp_client.client_factory import UpnpFactory
from async_upnp_client.profiles.dlna import DmsDevice
from async_upnp_client.search import async_search


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1000


def field(path, name):
    return int(dict(line.split(":", 1) for line in Path(path).read_text().splitlines()[1:])[name].split()[0])


def report(before, first, total, count):
    print(json.dumps({"first": first, "all": total, "cpu": used() - before, "count": count,
                      "peak": field("/proc/self/status", "VmHWM"), "dirty": field("/proc/self/smaps_rollup", "Private_Dirty")}))


async def find(count):
    before, start = used(), time.monotonic()
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
    report(before, min(times.values()), max(times.values()), len(times))
    search.cancel()


async def browse(location, container, page):
    factory = UpnpFactory(AiohttpRequester(timeout=60), non_strict=True)
    server = DmsDevice(await factory.async_create_device(location), None)
    before, start = used(), time.monotonic()
    first, count, total = None, 0, 1
    while count < total:
        answer = await server.async_browse_direct_children(container, "*", count, page, "")
        first = first or (time.monotonic() - start) * 1000
        # What it has read of each is asked for once.
        count += sum(bool(item.title) for item in answer.result)
        total = answer.total_matches
    report(before, first, (time.monotonic() - start) * 1000, count)


words = sys.argv[2:]
asyncio.run(find(int(words[0])) if sys.argv[1] == "find" else browse(words[0], words[1], int(words[2])))
