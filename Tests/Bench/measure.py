"""The measurements. Each takes a running renderer and gives figures; the client is as light as Python allows."""

import re
import select
import shutil
import socket
import statistics
import subprocess
import threading
import time

from kit import gena, http, ssdp, upnp
from kit.subject import switches
from kit.upnp import AVT, RC


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def starts(bench, rounds):
    """ms from the launch to the first ssdp:alive and to the first answer to a GET of the description; MiB when idle.

    No other renderer may run meanwhile: it would take its share of the libraries that both map.
    """
    bench.start()
    address, port, target, netloc = http.split(bench.location)
    request = http.build("GET", target, {"Host": netloc, "Connection": "close"})
    alive, answered = [], []
    for _ in range(rounds):
        bench.subject.terminate()
        with ssdp.Listener(bench.link.phone_interface) as listener:
            begun = time.monotonic()
            bench.subject.start()
            while True:
                try:
                    with http.Connection(address, port, timeout=5) as connection:
                        connection.send(request)
                        if connection.receive().status == 200:
                            answered.append((time.monotonic() - begun) * 1000)
                            break
                except OSError:
                    if time.monotonic() - begun > 15:
                        raise
                time.sleep(0.001)  # the kernel refuses the connection at once; this only keeps the core free
            alive.append((listener.wait_alive(bench.subject.uuid).at - begun) * 1000)
    wait_settled([bench])
    values = bench.subject.memory()
    return {"alive": statistics.median(alive), "description": statistics.median(answered),
            "pss": values["Pss"] / 1024, "dirty": values["Private_Dirty"] / 1024}


def wait_settled(benches):
    """Until the announcements are over: three seconds without any from anybody."""
    listeners = [ssdp.Listener(bench.link.phone_interface) for bench in benches]
    try:
        quiet = time.monotonic()
        seen = [0] * len(listeners)
        deadline = time.monotonic() + 20
        while time.monotonic() - quiet < 3 and time.monotonic() < deadline:
            now = [len(listener.messages) for listener in listeners]
            if now != seen:
                seen, quiet = now, time.monotonic()
            time.sleep(0.1)
    finally:
        for listener in listeners:
            listener.close()


def idle(benches, seconds):
    """Wake-ups a minute of each, watched at the same time."""
    wait_settled(benches)
    before = [switches(bench.subject.pid) for bench in benches]
    time.sleep(seconds)  # the interval that is measured
    after = [switches(bench.subject.pid) for bench in benches]
    # A thread that is new counts from nothing; one that has ended counts no more.
    return [sum(count - old.get(task, 0) for task, count in new.items()) * 60 / seconds
            for old, new in zip(before, after)]


def call_bytes(device, service, action, **arguments):
    address, port, target, netloc = http.split(device.services[service].control)
    body = upnp.envelope(service, action, {"InstanceID": 0, **arguments})
    return (address, port), http.build("POST", target, {
        "Host": netloc, "Content-Type": 'text/xml; charset="utf-8"', "SOAPACTION": f'"{service}#{action}"'}, body)


def latency(bench, rounds):
    """ms of GetTransportInfo on a connection that is kept (where it is), and on a new one each time."""
    device = upnp.Device(bench.location)
    address, request = call_bytes(device, AVT, "GetTransportInfo")
    fresh, kept = [], []
    for _ in range(rounds):
        begun = time.perf_counter()
        with http.Connection(*address) as connection:
            connection.send(request)
            connection.receive()
        fresh.append((time.perf_counter() - begun) * 1000)
    connection = http.Connection(*address)
    for _ in range(rounds):
        begun = time.perf_counter()
        try:
            connection.send(request)
            connection.receive()
        except OSError:
            connection.close()
            connection = http.Connection(*address)
            continue
        kept.append((time.perf_counter() - begun) * 1000)
    connection.close()
    result = {"fresh50": percentile(fresh, 0.5), "fresh99": percentile(fresh, 0.99)}
    if len(kept) > rounds // 2:
        result.update(kept50=percentile(kept, 0.5), kept99=percentile(kept, 0.99))
    return result


def throughput(bench, folder, connections, seconds, get=False):
    """(calls a second, µs of processor time per call), by wrk; None without it."""
    if shutil.which("wrk") is None:
        return None
    device = upnp.Device(bench.location)
    url = bench.location if get else device.services[AVT].control
    command = ["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", "--timeout", "5s"]
    if not get:
        body = upnp.envelope(AVT, "GetTransportInfo", {"InstanceID": 0}).decode()
        script = folder / "call.lua"
        script.write_text(
            'wrk.method = "POST"\n'
            f"wrk.body = [==[{body}]==]\n"
            'wrk.headers["Content-Type"] = "text/xml; charset=\\"utf-8\\""\n'
            f'wrk.headers["SOAPACTION"] = "\\"{AVT}#GetTransportInfo\\""\n')
        command += ["-s", str(script)]
    before = bench.subject.processor_seconds()
    output = subprocess.run([*command, url], capture_output=True, text=True, timeout=seconds + 30).stdout
    used = bench.subject.processor_seconds() - before
    count = int(re.search(r"(\d+) requests in", output)[1])
    errors = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    if count == 0 or (errors and int(errors[1]) > count // 100):
        return None
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])
    return rate, used / count * 1e6


class Subscribers:
    """Many subscribers behind one listening socket, served by one loop that does as little as it can."""

    ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    def __init__(self, device, address, count):
        self.url = device.services[RC].event
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((address, 0))
        self.listener.listen(1024)
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.poll = select.epoll()
        self.poll.register(self.listener, select.EPOLLIN)
        self.open = {}
        self.heard = set()
        self.wanted = None
        self.last = 0.0
        self._stop = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self.sids = []
        for number in range(count):
            answer = gena.subscribe(self.url, f"http://{address}:{self.port}/{number}")
            if answer.status == 200:
                self.sids.append(answer["SID"])

    def _run(self):
        while not self._stop:
            for descriptor, _ in self.poll.poll(0.2):
                if descriptor == self.listener.fileno():
                    try:
                        while True:
                            client, _ = self.listener.accept()
                            client.setblocking(False)
                            self.open[client.fileno()] = [client, b""]
                            self.poll.register(client, select.EPOLLIN)
                    except BlockingIOError:
                        continue
                entry = self.open[descriptor]
                try:
                    data = entry[0].recv(65536)
                except OSError:
                    data = b""
                entry[1] += data
                if data and b"</e:propertyset>" not in entry[1]:
                    continue
                if data:
                    try:
                        entry[0].send(self.ANSWER)
                    except OSError:
                        pass
                    if self.wanted is not None and any(form in entry[1] for form in self.wanted):
                        self.heard.add(entry[1][8:entry[1].index(b" ", 8)])
                        self.last = time.monotonic()
                self.poll.unregister(descriptor)
                entry[0].close()
                del self.open[descriptor]

    def expect(self, volume):
        self.heard = set()
        self.wanted = [f"val={quote}{volume}{quote}".encode() for quote in ("&quot;", '"', "&#34;")]

    def wait(self, timeout):
        """When the last subscriber heard of it, and how many didn't within the time."""
        deadline = time.monotonic() + timeout
        while len(self.heard) < len(self.sids) and time.monotonic() < deadline:
            time.sleep(0.002)  # the loop above takes the time; this only waits for it
        return self.last, len(self.sids) - len(self.heard)

    def close(self):
        for sid in self.sids:
            try:
                gena.unsubscribe(self.url, sid)
            except OSError:
                break
        self._stop = True
        self._thread.join(2)
        self.listener.close()


def fan_out(bench, count, rounds):
    """(ms from SetVolume to the last of `count` subscribers, median; events lost at worst; subscribers refused)."""
    device = upnp.Device(bench.location)
    device.set_volume(100)
    subscribers = Subscribers(device, bench.link.phone, count)
    refused = count - len(subscribers.sids)
    times, lost = [], 0
    try:
        for number in range(rounds):
            time.sleep(0.5)  # so that no moderation of the change before is measured
            volume = 10 + number
            address, request = call_bytes(device, RC, "SetVolume", Channel="Master", DesiredVolume=volume)
            subscribers.expect(volume)
            begun = time.monotonic()
            with http.Connection(*address) as connection:
                connection.send(request)
                connection.receive()
            last, missing = subscribers.wait(4)
            lost = max(lost, missing)
            if subscribers.heard:
                times.append((last - begun) * 1000)
    finally:
        subscribers.close()
        device.set_volume(100)
    return (statistics.median(times) if times else None), lost, refused


def first_event(bench, rounds):
    """ms from sending SUBSCRIBE to the arrival of the initial event, median."""
    device = upnp.Device(bench.location)
    address, port, target, netloc = http.split(device.services[RC].event)
    times = []
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((bench.link.phone, 0))
        listener.listen(16)
        listener.settimeout(5)
        callback = f"<http://{bench.link.phone}:{listener.getsockname()[1]}/>"
        request = http.build("SUBSCRIBE", target, {
            "Host": netloc, "CALLBACK": callback, "NT": "upnp:event", "TIMEOUT": "Second-300"})
        for _ in range(rounds):
            with http.Connection(address, port) as connection:
                begun = time.perf_counter()
                connection.send(request)
                client, _ = listener.accept()
                client.recv(65536)
                times.append((time.perf_counter() - begun) * 1000)
                client.send(Subscribers.ANSWER)
                client.close()
                sid = connection.receive()["SID"]
            gena.unsubscribe(device.services[RC].event, sid)
    return statistics.median(times)


def first_sample(bench, uri, rounds):
    """ms from sending SetAVTransportURI to the first byte of sound (Play follows at once), median."""
    device = upnp.Device(bench.location)
    times = []
    for _ in range(rounds):
        bench.drain.wait_quiet()
        bench.drain.expect()
        begun = time.monotonic()
        device.set_uri(uri)
        device.play()
        at = bench.drain.wait(10)
        if at is None:
            raise RuntimeError(f"{bench.name} plays nothing of {uri}")
        times.append((at - begun) * 1000)
        device.stop()
    return statistics.median(times)


def playing(benches, uris, seconds):
    """(processor seconds per minute of sound, resident peak in MiB) of each; all play at the same time."""
    devices = [upnp.Device(bench.location) for bench in benches]
    for bench, device, uri in zip(benches, devices, uris):
        bench.drain.expect()
        device.set_uri(uri)
        device.play()
    for bench in benches:
        if bench.drain.wait(10) is None:
            raise RuntimeError(f"{bench.name} plays nothing")
    time.sleep(1)  # the start isn't what is measured
    before = [(bench.subject.processor_seconds(), bench.drain.total) for bench in benches]
    time.sleep(seconds)  # the interval that is measured
    result = []
    for bench, (processor, total) in zip(benches, before):
        heard = (bench.drain.total - total) / (44100 * 4)
        used = bench.subject.processor_seconds() - processor
        with open(f"/proc/{bench.subject.pid}/status") as file:
            peak = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) / 1024
        result.append((used * 60 / heard if heard > seconds / 2 else None, peak))
    for device in devices:
        device.stop()
    return result
