#!/usr/bin/env python3
"""Draws Vireo's icon, a red-eyed vireo on a twig, as PNG of several sizes; for home screens also without rounded corners.

Shapes are closed paths of lines and cubic Bézier curves on a field of 100 x 100, painted one over the other
on a grid finer than the pixels, then averaged. Nothing but Python's standard library is needed.
"""

import struct
import sys
import zlib
from pathlib import Path

ACROSS, DOWN = 8, 8  # samples per pixel

SKY, SKY_EDGE = (222, 234, 229), (203, 220, 214)
TWIG, LEG = (122, 88, 62), (86, 92, 104)
OLIVE, WING, FEATHER = (124, 140, 58), (96, 110, 44), (70, 82, 34)
BELLY, SHADE = (253, 252, 244), (226, 230, 206)
CAP, CAP_EDGE = (116, 128, 138), (58, 66, 74)
BILL, RED, PUPIL = (66, 74, 84), (206, 34, 28), (24, 12, 12)

# Each: colour, then a path: M x y, L x y, C x1 y1 x2 y2 x y.
SHAPES = [
    (SKY_EDGE, "M 20 1 L 80 1 C 92 1 99 8 99 20 L 99 80 C 99 92 92 99 80 99 L 20 99 C 8 99 1 92 1 80 "
               "L 1 20 C 1 8 8 1 20 1"),
    (SKY, "M 20 3 L 80 3 C 91 3 97 9 97 20 L 97 80 C 97 91 91 97 80 97 L 20 97 C 9 97 3 91 3 80 "
          "L 3 20 C 3 9 9 3 20 3"),
    # twig and feet
    (TWIG, "M 2.5 82 C 30 89 62 87 97.5 78 L 97.5 82.5 C 62 92 30 94 2.5 86.5"),
    (LEG, "M 48 76 L 51 76 L 53 89 L 49.5 89"),
    (LEG, "M 57 74 L 60 74 L 62 88 L 58.5 88"),
    # tail and body
    (FEATHER, "M 26 56 L 5 78 C 7 81 10 84 13 85 L 38 70"),
    (OLIVE, "M 79 36 C 79 22 69 13 57 13 C 45 13 38 21 36 31 C 32 42 22 52 16 64 C 22 72 38 80 52 79 "
            "C 70 77 82 62 81 46 C 81 42 80 39 79 36"),
    # white below
    (SHADE, "M 80 40 C 74 46 64 45 55 45 C 54 56 48 66 24 71 C 32 78 44 80 52 79 C 70 77 82 62 81 46"),
    (BELLY, "M 80 40 C 76 45 68 45 59 46 C 61 58 52 69 34 74.5 C 41 78 47 79.5 52 79 C 70 77 82 62 81 46"),
    # wing
    (WING, "M 38 40 C 50 41 58 50 52 60 C 47 68 30 71 11 79 C 18 66 26 52 38 40"),
    (FEATHER, "M 51 61 C 44 66 30 69 11 79 C 24 67 38 64 52 58"),
    (FEATHER, "M 44 51 C 36 57 26 63 18 70 C 26 61 34 54 42 48"),
    # head: cap, dark edge, white brow, dark line through the eye
    (CAP, "M 79 34 C 78 21 69 13 57 13 C 47 13 40 18 37 27 C 50 23 66 25 79 34"),
    (CAP_EDGE, "M 79.5 36 C 66 24 50 23 37 27 L 36.6 29.5 C 50 26 66 28 79.5 38"),
    (BELLY, "M 79.5 37 C 66 27 50 25.5 36.6 29.5 L 36 33.5 C 50 30 66 32 79.5 40"),
    (CAP_EDGE, "M 80 39 C 66 32 52 33 38 36 L 38 37.5 C 52 37.5 66 38 80 42"),
    (BILL, "M 78 34.5 C 84 34 91 36 95 40 C 95 41.5 94.5 42.5 93.5 43.5 C 89 42.5 84 43.5 79 44"),
    (CAP_EDGE, "M 79 39.6 L 93.5 41 L 93.5 41.8 L 79 40.8"),
    # eye
    (BELLY, "circle 66 35.5 7.0"),
    (RED, "circle 66 35.5 6.0"),
    (PUPIL, "circle 66 35.5 3.0"),
    (BELLY, "circle 67.6 33.6 1.2"),
]


def circle(x, y, radius):
    """A circle as four Bézier curves."""
    k = 0.5523 * radius
    r = radius
    return (f"M {x + r} {y} C {x + r} {y + k} {x + k} {y + r} {x} {y + r} "
            f"C {x - k} {y + r} {x - r} {y + k} {x - r} {y} C {x - r} {y - k} {x - k} {y - r} {x} {y - r} "
            f"C {x + k} {y - r} {x + r} {y - k} {x + r} {y}")


def polygon(path):
    """The corners of `path`, curves cut into short lines."""
    words = path.split()
    if words[0] == "circle":
        words = circle(*map(float, words[1:])).split()
    points = []
    while words:
        command, words = words[0], words[1:]
        count = 6 if command == "C" else 2
        numbers, words = [float(word) for word in words[:count]], words[count:]
        if command != "C":
            points.append(tuple(numbers))
            continue
        (ax, ay), (bx, by, cx, cy, dx, dy) = points[-1], numbers
        for step in range(1, 33):
            t = step / 32
            u = 1 - t
            points.append((u * u * u * ax + 3 * u * u * t * bx + 3 * u * t * t * cx + t * t * t * dx,
                           u * u * u * ay + 3 * u * u * t * by + 3 * u * t * t * cy + t * t * t * dy))
    return points


def square(scale):
    """The shapes for systems that cut their own corners: sky everywhere, and the bird smaller in the middle."""
    def placed(colour, path):
        # The twig still reaches both edges.
        across = 1.1 if colour == TWIG else scale
        return [(50 + (x - 50) * across, 50 + (y - 50) * scale) for x, y in polygon(path)]

    return [(SKY, [(0, 0), (100, 0), (100, 100), (0, 100)])] + [
        (colour, placed(colour, path)) for colour, path in SHAPES[2:]]


def draw(size, drawing=None):
    """Rows of RGBA bytes."""
    drawing = drawing or [(colour, polygon(path)) for colour, path in SHAPES]
    shapes = [(index + 1, points) for index, (_, points) in enumerate(drawing)]
    palette = [(0, 0, 0, 0)] + [(*colour, 1) for colour, _ in drawing]
    width = size * ACROSS
    rows = []
    for pixel_row in range(size):
        samples = []
        for line in range(DOWN):
            y = (pixel_row * DOWN + line + 0.5) * 100 / (size * DOWN)
            samples.append(bytearray(width))
            for index, points in shapes:
                crossings = sorted(
                    ax + (y - ay) * (bx - ax) / (by - ay)
                    for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1]) if (ay <= y) != (by <= y))
                for left, right in zip(crossings[::2], crossings[1::2]):
                    first = max(0, min(width, round(left * width / 100)))
                    last = max(first, min(width, round(right * width / 100)))
                    samples[-1][first:last] = bytes([index]) * (last - first)
        row = bytearray()
        for column in range(size):
            total = [0, 0, 0, 0]
            for line in samples:
                for index in line[column * ACROSS:(column + 1) * ACROSS]:
                    for channel, value in enumerate(palette[index]):
                        total[channel] += value
            covered = total[3]
            row += bytes(round(value / covered) for value in total[:3]) if covered else bytes(3)
            row.append(round(255 * covered / (ACROSS * DOWN)))
        rows.append(bytes(row))
    return rows


def png(rows):
    """`rows` as a PNG file; each row with the filter that leaves the smallest numbers."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    data = b""
    above = bytes(len(rows[0]))
    for row in rows:
        left = bytes(4) + row[:-4]
        choices = [row, bytes((a - b) & 255 for a, b in zip(row, left)),
                   bytes((a - b) & 255 for a, b in zip(row, above))]
        costs = [sum(min(value, 256 - value) for value in choice) for choice in choices]
        kind = costs.index(min(costs))
        data += bytes([kind]) + choices[kind]
        above = row
    header = struct.pack(">IIBBBBB", len(rows[0]) // 4, len(rows), 8, 6, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data, 9))
            + chunk(b"IEND", b""))


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for size in (48, 120, 192, 256, 512):
        (folder / f"vireo-{size}.png").write_bytes(png(draw(size)))
    (folder / "vireo-180.png").write_bytes(png(draw(180, square(0.92))))
    (folder / "vireo-maskable-512.png").write_bytes(png(draw(512, square(0.74))))
