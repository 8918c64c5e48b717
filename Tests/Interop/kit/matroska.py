"""Matroska files with one track of Vorbis, whose times say what a test wants them to."""

import struct


def packets(ogg):
    """The packets of an Ogg file with one stream."""
    position, found, rest = 0, [], b""
    while position < len(ogg):
        assert ogg[position:position + 4] == b"OggS"
        sizes = ogg[position + 27:position + 27 + ogg[position + 26]]
        position += 27 + len(sizes)
        for size in sizes:
            rest += ogg[position:position + size]
            position += size
            if size < 255:
                found.append(rest)
                rest = b""
    return found


def element(number, *contents):
    """An element of EBML. A size of eight bytes is right for every length."""
    payload = b"".join(contents)
    return number.to_bytes((number.bit_length() + 7) // 8, "big") + struct.pack(">Q", 1 << 56 | len(payload)) + payload


def uint(number, value):
    return element(number, struct.pack(">Q", value))


def vorbis_track(ogg, rate=44100, scale=1_000_000, duration=1000.0, cluster=0, step=20, block=None):
    """The sound of `ogg` in one cluster that begins at `cluster`, its packets `step` apart, each lasting `block`, all in units
    of `scale` nanoseconds."""
    first, second, third, *sound = packets(ogg)

    def lacing(size):
        return b"\xff" * (size // 255) + bytes([size % 255])

    def piece(index, packet):
        head = b"\x81" + struct.pack(">h", min(index * step, 0x7FFF))
        if block is None:
            return element(0xA3, head, b"\x80", packet)
        return element(0xA0, element(0xA1, head, b"\0", packet), uint(0x9B, block))
    return b"".join([
        element(0x1A45DFA3, element(0x4282, b"matroska"), uint(0x4287, 4), uint(0x4285, 2)),
        element(
            0x18538067,
            element(0x1549A966, uint(0x2AD7B1, scale), element(0x4489, struct.pack(">d", duration))),
            element(0x1654AE6B, element(
                0xAE, uint(0xD7, 1), uint(0x73C5, 1), uint(0x83, 2), element(0x86, b"A_VORBIS"),
                element(0x63A2, b"\x02", lacing(len(first)), lacing(len(second)), first, second, third),
                element(0xE1, element(0xB5, struct.pack(">d", rate)), uint(0x9F, 2)))),
            element(0x1F43B675, uint(0xE7, cluster), *[piece(*pair) for pair in enumerate(sound)])),
    ])
