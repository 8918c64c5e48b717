"""The network that the daemon lives in, and who else is on it; it goes away and comes back."""

import threading
import time

from kit import netns, openhome, ssdp
from kit.upnp import Device
from kit.waiting import until

#: How soon both devices have to be found after the network is back.
FOUND_WITHIN = 5


class World:
    def __init__(self):
        self.host = netns.Host()
        self.link = self.host.link()
        prefix = self.link.phone.rsplit(".", 1)[0]
        #: Addresses of well-behaved callers, and of everybody else.
        self.people = [f"{prefix}.{n}" for n in range(11, 15)]
        self.guests = [f"{prefix}.{n}" for n in range(21, 27)]
        self.nobody = f"{prefix}.240:80"
        self.second_address = f"{prefix}.9"
        for address in self.people + self.guests:
            netns.sh("ip", "addr", "add", f"{address}/24", "dev", self.link.phone_interface)
        self.speaker_address = self.link.speaker
        #: Grows whenever the network goes away: what went wrong meanwhile is nobody's fault.
        self.generation = 0
        self.outages = []
        self.slowest_return = 0.0
        self._online = threading.Event()
        self.uuid = self.netloc = self.address = None

    def found(self, uuid):
        """Looks for both devices as control points do: (MediaRenderer, OpenHome device)."""
        self.uuid = uuid
        wanted = {ssdp.RENDERER: uuid, openhome.SOURCE: openhome.udn(uuid)}
        with ssdp.Search(self.link) as search:
            def locations():
                for target in wanted:
                    try:
                        search.send(ssdp.search_request(target))
                    except OSError:
                        return None  # no network yet
                time.sleep(0.5)  # as patient as a control point
                answers = [m for m in search.messages.items
                           if m.is_response and f"//{self.speaker_address}:" in (m["LOCATION"] or "")]
                found = [next((m["LOCATION"] for m in answers if m["ST"] == target and m.of(udn)), None)
                         for target, udn in wanted.items()]
                return found if all(found) else None
            first, second = until(locations, FOUND_WITHIN, f"both devices are found at {self.speaker_address}")
        device, speaker = Device(first), openhome.Speaker(second)
        self.netloc = device.location.split("/")[2]
        host, port = self.netloc.rsplit(":", 1)
        self.address = (host, int(port))
        self._online.set()
        return device, speaker

    @property
    def is_online(self):
        return self._online.is_set()

    def wait_online(self):
        """The generation, once the network is there."""
        self._online.wait()
        return self.generation

    def was_away(self, begun, ended):
        return any(begun <= back and gone <= ended for gone, back in self.outages)

    def outage(self, kind, abort):
        """Takes the network away in one of several ways, brings it back, and waits until both devices are found."""
        self._online.clear()
        self.generation += 1
        gone = time.monotonic()
        # Known before anybody looks, and until they are found again.
        self.outages.append((gone, float("inf")))
        if kind == "link":
            self.link.down()
        elif kind == "cable":
            self.link.unplug()
        elif kind == "address":
            self.link.remove_address(self.speaker_address)
        abort()
        time.sleep(1)  # how long the network is away
        if kind == "link":
            self.link.up()
        elif kind == "cable":
            self.link.plug()
        else:
            other = self.link.speaker if self.speaker_address == self.second_address else self.second_address
            self.link.add_address(other)
            self.speaker_address = other
        back = time.monotonic()
        devices = self.found(self.uuid)
        self.slowest_return = max(self.slowest_return, time.monotonic() - back)
        self.outages[-1] = (gone, time.monotonic())
        return devices

    def close(self):
        self.host.close()
