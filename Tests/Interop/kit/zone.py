"""Searches for zones of the Sonos class, in the very bytes that a test gives."""

import socket
import time

from . import ssdp

ZONE = "urn:schemas-upnp-org:device:ZonePlayer:1"


def ask(link, text, to=ssdp.GROUP, seconds=3, enough=None):
    """The answers to a search, in the very bytes that are given, of that many seconds; or as soon as there are `enough`."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as phone:
        phone.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        phone.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(link.phone))
        phone.bind((link.phone, 0))
        start = time.monotonic()
        phone.sendto(text.encode(), (to, 1900))
        answers = []
        while (left := start + seconds - time.monotonic()) > 0:
            phone.settimeout(left)
            try:
                data, source = phone.recvfrom(4096)
            except TimeoutError:
                break
            message = ssdp.parse(data, source)
            message.after = time.monotonic() - start
            answers.append(message)
            if len(answers) == enough:
                break
        return answers


def search(target=ZONE):
    return f'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 1\r\nST: {target}\r\n\r\n'
