"""Media servers on the loopback that answer a search at once, or after so many seconds: `devices.py COUNT [SECONDS]`.

Says `ready` when they do, and `answered TIME` behind each search.
"""

import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KIND = "urn:schemas-upnp-org:device:MediaServer:1"
DIRECTORY = "urn:schemas-upnp-org:service:ContentDirectory:1"
SCPD = (b'<?xml version="1.0"?><scpd xmlns="urn:schemas-upnp-org:service-1-0"><specVersion><major>1</major><minor>0</minor>'
        b"</specVersion><actionList/><serviceStateTable/></scpd>")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        body = SCPD if self.path == "/scpd.xml" else f"""<?xml version="1.0"?>
<root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>0</minor></specVersion><device>
<deviceType>{KIND}</deviceType><friendlyName>Server {self.path[1:]}</friendlyName><manufacturer>M</manufacturer>
<modelName>N</modelName><UDN>uuid:bench-{self.path[1:]}</UDN><serviceList><service><serviceType>{DIRECTORY}</serviceType>
<serviceId>urn:upnp-org:serviceId:ContentDirectory</serviceId><SCPDURL>/scpd.xml</SCPDURL><controlURL>/control</controlURL>
<eventSubURL>/event</eventSubURL></service></serviceList></device></root>""".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128


def main():
    count = int(sys.argv[1])
    delay = float(sys.argv[2]) if len(sys.argv) > 2 else 0
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind(("239.255.255.250", 1900))
    listener.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                        struct.pack("4s4s", socket.inet_aton("239.255.255.250"), socket.inet_aton("127.0.0.1")))
    print("ready", flush=True)
    answers = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    while True:
        data, address = listener.recvfrom(4096)
        if not data.startswith(b"M-SEARCH") or KIND.encode() not in data:
            continue
        time.sleep(delay)
        begun = time.monotonic()
        for number in range(count):
            if count > 50:  # As many at once don't fit into a socket's buffer.
                time.sleep(0.001)
            answers.sendto(
                (f"HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=1800\r\nEXT:\r\nSERVER: L/1 UPnP/1.0 B/1\r\nST: {KIND}\r\n"
                 f"LOCATION: http://127.0.0.1:{server.server_port}/{number}\r\nUSN: uuid:bench-{number}::{KIND}\r\n\r\n"
                 ).encode(), address)
        print(f"answered {begun}", flush=True)


main()
