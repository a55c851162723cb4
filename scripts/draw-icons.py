#!/usr/bin/env python3
"""Draws the icons of maps that a new server has: templates/images/icons.json.

They are our own, under the names that maps made for Zabbix ask for: each shape is some polygons on a
field of 96 by 96, drawn in five sizes with smooth edges and written as a PNG with a palette. Needs
nothing but Python:

    scripts/draw-icons.py            writes the file
    scripts/draw-icons.py DIRECTORY  writes PNG files too, to look at
"""

import base64
import json
import math
import struct
import sys
import zlib
from pathlib import Path

SIZES = (24, 48, 64, 96, 128)
FIELD = 96
# Lines of a pixel that are looked at; across, coverage is exact.
LINES = 4

DARK, BODY, MID, LIGHT, PALE = "38536f", "4a78a8", "7ba2c9", "bcd3e8", "eef4fa"
GREEN, AMBER, RED, BRICK, GREY = "3fa56b", "e0a030", "c8503c", "b5563f", "8593a3"


def polygon(color, *points):
    return color, list(points)


def box(color, x, y, w, h, r=0):
    if r == 0:
        return polygon(color, (x, y), (x + w, y), (x + w, y + h), (x, y + h))
    points = []
    for cx, cy, start in ((x + w - r, y + r, -90), (x + w - r, y + h - r, 0), (x + r, y + h - r, 90), (x + r, y + r, 180)):
        for step in range(7):
            angle = math.radians(start + 15 * step)
            points.append((cx + r * math.cos(angle), cy + r * math.sin(angle)))
    return color, points


def disc(color, cx, cy, rx, ry=None):
    ry = rx if ry is None else ry
    turns = [2 * math.pi * it / 40 for it in range(40)]
    return color, [(cx + rx * math.cos(it), cy + ry * math.sin(it)) for it in turns]


def line(color, x1, y1, x2, y2, width=4):
    length = math.hypot(x2 - x1, y2 - y1) or 1
    dx, dy = (y2 - y1) / length * width / 2, (x1 - x2) / length * width / 2
    return polygon(color, (x1 + dx, y1 + dy), (x2 + dx, y2 + dy), (x2 - dx, y2 - dy), (x1 - dx, y1 - dy))


def arrow(color, x1, y1, x2, y2, width=5, head=9):
    length = math.hypot(x2 - x1, y2 - y1) or 1
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    bx, by = x2 - ux * head, y2 - uy * head
    tip = polygon(color, (x2, y2), (bx - uy * head * 0.8, by + ux * head * 0.8), (bx + uy * head * 0.8, by - ux * head * 0.8))
    return [line(color, x1, y1, bx + ux, by + uy, width), tip]


def framed(x, y, w, h, r=4, color=BODY):
    return [box(DARK, x, y, w, h, r), box(color, x + 3, y + 3, w - 6, h - 6, max(r - 2, 1))]


def lamps(x, y, *colors):
    return [disc(color, x + 9 * at, y, 3) for at, color in enumerate(colors)]


def unit(x, y, w, h, n_lamps=2):
    """A device as it is seen in a rack."""
    drawn = [box(DARK, x, y, w, h, 2), box(BODY, x + 2, y + 2, w - 4, h - 4, 1)]
    slots = int((w - 40) // 8)
    drawn += [box(DARK, x + 7 + 8 * at, y + h / 2 - min(h / 5, 5), 4, min(2 * h / 5, 10)) for at in range(slots)]
    return drawn + [disc(GREEN if at == 0 else AMBER, x + w - 10 - 8 * at, y + h / 2, min(3, h / 5)) for at in range(n_lamps)]


def deep(shapes, x, y, w, h, d=10):
    """A box in space around a front."""
    top = polygon(LIGHT, (x, y), (x + d, y - d), (x + w + d, y - d), (x + w, y))
    side = polygon(MID, (x + w, y), (x + w + d, y - d), (x + w + d, y + h - d), (x + w, y + h))
    outline = polygon(DARK, (x - 1, y), (x + d - 1, y - d - 2), (x + w + d + 2, y - d - 2), (x + w + d + 2, y + h - d + 1), (x + w, y + h + 2), (x - 1, y + h))
    return [outline, top, side, *shapes]


def screen(x, y, w, h):
    return [box(DARK, x, y, w, h, 4), box(PALE, x + 4, y + 4, w - 8, h - 8, 1), box(MID, x + 4, y + h / 2, w - 8, h / 2 - 4),
            line(BODY, x + 10, y + h - 12, x + w / 2, y + 12, 3), line(BODY, x + w / 2, y + 12, x + w - 10, y + h / 2, 3)]


def cloud(color=LIGHT):
    parts = [(30, 56, 20), (48, 40, 24), (68, 54, 20)]
    drawn = [disc(DARK, x, y, r + 3) for x, y, r in parts] + [box(DARK, 22, 54, 54, 25, 12)]
    return drawn + [disc(color, x, y, r) for x, y, r in parts] + [box(color, 24, 52, 50, 24, 11)]


def puck(color=BODY):
    """What routers are drawn as: a flat cylinder."""
    return [disc(DARK, 48, 62, 43, 21), box(DARK, 5, 40, 86, 22), disc(color, 48, 61, 40, 18), box(color, 8, 40, 80, 21),
            disc(DARK, 48, 38, 43, 21), disc(MID, 48, 37, 40, 18)]


def crossing(color=PALE):
    return [*arrow(color, 42, 33, 20, 29, 4, 8), *arrow(color, 54, 41, 76, 45, 4, 8),
            *arrow(color, 72, 28, 56, 34, 4, 8), *arrow(color, 24, 46, 40, 40, 4, 8)]


def lock(x, y):
    return [disc(DARK, x, y - 4, 10), disc(PALE, x, y - 4, 6), box(DARK, x - 13, y - 4, 26, 21, 3), box(AMBER, x - 10, y - 1, 20, 15, 2), disc(DARK, x, y + 5, 3)]


def symbol(*inner):
    return [disc(DARK, 48, 48, 43), disc(BODY, 48, 48, 39), *inner]


def four_arrows(color=PALE):
    return [*arrow(color, 40, 40, 22, 22), *arrow(color, 56, 56, 74, 74), *arrow(color, 76, 20, 58, 38), *arrow(color, 20, 76, 38, 58)]


def handset(y=30):
    return [box(DARK, 14, y, 68, 13, 6), box(DARK, 12, y + 2, 20, 18, 5), box(DARK, 64, y + 2, 20, 18, 5)]


def keys(x, y):
    return [box(PALE, x + 10 * c, y + 9 * r, 7, 6, 1) for r in range(3) for c in range(3)]


def exchange(label=None):
    drawn = [*framed(10, 16, 76, 66), *[box(DARK, 20 + 15 * at, 26, 10, 22, 1) for at in range(4)], *lamps(22, 62, GREEN, GREEN, AMBER)]
    return drawn + [box(PALE, 54, 56, 24, 14, 2)] + (label or [])


def disks(n=4):
    return [shape for at in range(n) for shape in (box(DARK, 18 + 15.5 * at, 24, 13, 44, 2), box(LIGHT, 20 + 15.5 * at, 26, 9, 34, 1), disc(GREEN, 24.5 + 15.5 * at, 64, 2))]


def array():
    return [*framed(10, 16, 76, 62), *disks()]


def house():
    roof = [polygon(DARK, (48, 8), (92, 48), (82, 52), (14, 52), (4, 48)), polygon(BRICK, (48, 14), (84, 47), (12, 47))]
    return [box(DARK, 16, 44, 64, 44), box(PALE, 20, 46, 56, 38), *roof, box(DARK, 40, 58, 17, 27), box(BODY, 43, 61, 11, 23), box(MID, 24, 56, 11, 11), box(MID, 62, 56, 11, 11)]


def wall():
    drawn = [box(DARK, 8, 14, 80, 68, 2)]
    for row in range(4):
        shift = -10 if row % 2 else 0
        for at in range(5):
            left, right = max(11, 11 + shift + at * 20), min(85, 11 + shift + at * 20 + 17)
            if left < right:
                drawn.append(box(BRICK if (row + at) % 3 else RED, left, 17 + 16 * row, right - left, 13))
    return drawn


def rack(door=False):
    drawn = [box(DARK, 22, 3, 52, 90, 3), box(GREY, 26, 7, 44, 82, 1)]
    drawn += [shape for at in range(9) for shape in (box(DARK, 28, 9 + 9 * at, 40, 7), box(BODY, 29, 10 + 9 * at, 38, 5), disc(GREEN, 63, 12.5 + 9 * at, 1.5))]
    if door:
        drawn += [box("a9bccf", 26, 7, 44, 82, 1), *[line(DARK, 32, 14 + 7 * at, 62, 14 + 7 * at, 2) for at in range(10)], box(DARK, 64, 42, 3, 12)]
    return drawn


def tower(x=28, y=6, w=40, h=84):
    return [*framed(x, y, w, h), box(DARK, x + 8, y + 10, w - 16, 6, 1), box(DARK, x + 8, y + 20, w - 16, 6, 1),
            *[line(DARK, x + 8, y + h - 12 - 6 * at, x + w - 8, y + h - 12 - 6 * at, 2) for at in range(4)], *lamps(x + w / 2 - 4, y + 38, GREEN, AMBER)]


def satellite():
    return [line(DARK, 12, 84, 84, 12, 4), *[polygon(color, *[(48 + s * (a + dx) + 0, 48 - s * (a - dx)) for a, dx in corners]) for s in (1, -1)
            for color, corners in ((DARK, ((13, -12), (37, -12), (37, 12), (13, 12))), (BODY, ((16, -9), (34, -9), (34, 9), (16, 9))))],
            disc(DARK, 48, 48, 16), disc(LIGHT, 48, 48, 12), disc(AMBER, 48, 48, 5)]


def antenna():
    bowl = [disc(DARK, 44, 42, 34), disc(LIGHT, 44, 42, 30), disc(PALE, 40, 38, 22)]
    return [polygon(DARK, (36, 62), (60, 62), (72, 92), (24, 92)), polygon(GREY, (40, 64), (56, 64), (66, 88), (30, 88)), *bowl, line(DARK, 44, 42, 80, 12, 5), disc(RED, 80, 12, 7)]


def network():
    ends = [(18, 18), (78, 18), (18, 78), (78, 78)]
    return [*[line(DARK, 48, 48, x, y, 5) for x, y in ends], *[s for x, y in ends for s in framed(x - 14, y - 11, 28, 22, 3, MID)], disc(DARK, 48, 48, 17), disc(GREEN, 48, 48, 13)]


def adapter():
    return [box(DARK, 6, 20, 8, 64, 1), *framed(12, 28, 76, 44, 3, GREEN), box(DARK, 24, 38, 22, 22, 1), box(GREY, 27, 41, 16, 16), box(DARK, 56, 38, 22, 9, 1), *[box(AMBER, 24 + 8 * at, 72, 5, 10) for at in range(7)]]


def battery():
    return [*tower(20, 8, 56, 80)[:2], box(DARK, 30, 18, 36, 18, 2), box("9fd8b8", 33, 21, 30, 12, 1), polygon(AMBER, (52, 42), (34, 64), (46, 64), (42, 82), (62, 58), (50, 58))]


def saker(x, y):
    """The head of a falcon, plainly."""
    return [polygon(AMBER, (x, y), (x + 22, y + 3), (x + 30, y + 15), (x + 20, y + 12), (x + 16, y + 24), (x + 2, y + 22)), disc(DARK, x + 17, y + 8, 2.5)]


def printer():
    return [box(DARK, 26, 8, 44, 30, 2), box(PALE, 29, 11, 38, 26, 1), *framed(8, 32, 80, 36), box(DARK, 22, 54, 52, 34, 2), box(PALE, 25, 57, 46, 28, 1), line(MID, 31, 65, 65, 65, 3), line(MID, 31, 73, 57, 73, 3), *lamps(70, 42, GREEN)]


ICONS = {
    "Cloud": cloud(),
    "Crypto-router": [*puck(), *crossing(), *lock(72, 66)],
    "Crypto-router_symbol": symbol(*four_arrows(), *lock(48, 46)),
    "Disk_array_2D": array(),
    "Disk_array_3D": deep([*framed(4, 22, 76, 62), *[(c, [(x - 6, y + 6) for x, y in p]) for c, p in disks()]], 4, 22, 76, 62),
    "Firewall": wall(),
    "House": house(),
    "Hub": [*framed(6, 32, 84, 34), *[box(DARK, 15 + 14 * at, 46, 10, 9, 1) for at in range(5)], *lamps(19, 40, GREEN, GREEN, AMBER)],
    "IP_PBX": exchange([*handset(4)]),
    "IP_PBX_symbol": symbol(*[(PALE, p) for _, p in handset(34)], *keys(34, 56)),
    "Modem": [line(DARK, 74, 8, 66, 44, 4), *framed(8, 42, 80, 32, 6), *lamps(20, 58, GREEN, GREEN, AMBER, GREY), box(PALE, 60, 54, 18, 8, 1)],
    "Network": network(),
    "Network_adapter": adapter(),
    "Notebook": [*screen(16, 14, 64, 48), polygon(DARK, (14, 62), (82, 62), (94, 80), (2, 80)), polygon(LIGHT, (18, 65), (78, 65), (86, 76), (10, 76)), box(GREY, 38, 70, 20, 4, 1)],
    "PBX": exchange(),
    "Phone": [polygon(DARK, (20, 40), (76, 40), (90, 86), (6, 86)), polygon(BODY, (23, 44), (73, 44), (85, 82), (11, 82)), *handset(22), *keys(35, 52)],
    "Printer": printer(),
    "Rack_42": rack(),
    "Rack_42_with_door": rack(True),
    "Router": [*puck(), *crossing()],
    "Router_symbol": symbol(*four_arrows()),
    "SAN": [*cloud(MID), *[s for at in range(3) for s in (disc(DARK, 48, 66 - 11 * at, 17, 7), disc(PALE, 48, 65 - 11 * at, 14, 5))]],
    "Satellite": satellite(),
    "Satellite_antenna": antenna(),
    "Server": tower(),
    "Switch": [*framed(4, 30, 88, 38), *arrow(PALE, 40, 42, 14, 42), *arrow(PALE, 56, 42, 82, 42), *arrow(PALE, 14, 56, 40, 56), *arrow(PALE, 82, 56, 56, 56)],
    "UPS": battery(),
    "UPS_rackmountable_2D": [*unit(4, 34, 88, 28, 2), box("9fd8b8", 38, 41, 24, 13, 1)],
    "UPS_rackmountable_3D": deep([*unit(2, 40, 82, 28, 2), box("9fd8b8", 34, 47, 24, 13, 1)], 2, 40, 82, 28),
    "Video_terminal": [*screen(12, 8, 72, 58), box(DARK, 40, 64, 16, 12), box(DARK, 26, 76, 44, 8, 3)],
    "Workstation": [*screen(4, 14, 56, 46), box(DARK, 26, 58, 12, 10), box(DARK, 14, 68, 36, 6, 2), *tower(62, 8, 30, 76), box(LIGHT, 6, 78, 52, 8, 2)],
    "Zabbix_server_2D": [*tower(16, 6, 46, 84), *framed(50, 50, 42, 40, 5, PALE), *saker(55, 58)],
    "Zabbix_server_3D": deep([*tower(8, 14, 46, 78), *framed(46, 52, 42, 40, 5, PALE), *saker(51, 60)], 8, 14, 46, 78),
}
for n in range(1, 6):
    height = 10 + 9 * n
    ICONS[f"Rackmountable_{n}U_server_2D"] = unit(4, 48 - height / 2, 88, height)
    ICONS[f"Rackmountable_{n}U_server_3D"] = deep(unit(2, 54 - height / 2, 82, height), 2, 54 - height / 2, 82, height)


def draw(shapes, size):
    """Rows of (r, g, b, a), each 0 to 1, colors multiplied by alpha."""
    rows = [[[0.0, 0.0, 0.0, 0.0] for _ in range(size)] for _ in range(size)]
    scale = size / FIELD
    for color, points in shapes:
        rgb = [int(color[at:at + 2], 16) / 255 for at in (0, 2, 4)]
        points = [(x * scale, y * scale) for x, y in points]
        edges = [(a, b) if a[1] < b[1] else (b, a) for a, b in zip(points, points[1:] + points[:1]) if a[1] != b[1]]
        if not edges:
            continue
        first, last = max(0, int(min(a[1] for a, _ in edges))), min(size - 1, int(max(b[1] for _, b in edges)))
        for row in range(first, last + 1):
            cover = [0.0] * size
            for part in range(LINES):
                y = row + (part + 0.5) / LINES
                cuts = sorted(a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) for a, b in edges if a[1] <= y < b[1])
                for left, right in zip(cuts[::2], cuts[1::2]):
                    left, right = max(left, 0.0), min(right, float(size))
                    for at in range(int(left), min(size, math.ceil(right))):
                        cover[at] += (min(right, at + 1) - max(left, at)) / LINES
            for pixel, covered in zip(rows[row], cover):
                if covered > 0:
                    covered = min(covered, 1.0)
                    for at in range(3):
                        pixel[at] = rgb[at] * covered + pixel[at] * (1 - covered)
                    pixel[3] = covered + pixel[3] * (1 - covered)
    return rows


def indexed(rows):
    """Rows of numbers and the palette that they are of, as fine as 256 colors allow."""
    for steps in (31, 15, 11, 7):
        def near(value):
            return round(round(value * steps) / steps * 255)
        written = [[tuple(near(min(1, it[at] / it[3])) for at in range(3)) + (near(it[3]),) if near(it[3]) else (0, 0, 0, 0) for it in row] for row in rows]
        palette = sorted({it for row in written for it in row}, key=lambda it: (it[3], it))
        if len(palette) <= 256:
            number = {color: at for at, color in enumerate(palette)}
            return [[number[it] for it in row] for row in written], palette
    raise ValueError("too many colors")


def png(rows):
    numbers, palette = indexed(rows)
    bits = next(it for it in (1, 2, 4, 8) if len(palette) <= 1 << it)
    lines = b""
    for row in numbers:
        text = "".join(f"{it:0{bits}b}" for it in row)
        text += "0" * (-len(text) % 8)
        lines += b"\0" + bytes(int(text[at:at + 8], 2) for at in range(0, len(text), 8))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    size = len(rows)
    alphas = bytes(it[3] for it in palette if it[3] < 255)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, bits, 3, 0, 0, 0))
            + chunk(b"PLTE", bytes(part for it in palette for part in it[:3])) + chunk(b"tRNS", alphas)
            + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def main():
    images = []
    for name, shapes in sorted(ICONS.items()):
        for size in SIZES:
            file = png(draw(shapes, size))
            images.append({"name": f"{name}_({size})", "imagetype": "1", "encodedImage": base64.b64encode(file).decode()})
            if len(sys.argv) > 1:
                Path(sys.argv[1], f"{name}_{size}.png").write_bytes(file)
    path = Path(__file__).parent.parent / "templates" / "images" / "icons.json"
    lines = ",\n".join(json.dumps(it) for it in images)
    path.write_text('{"zabbix_export": {"version": "7.0", "images": [\n' + lines + "\n]}}\n")
    print(f"{len(images)} images, {path.stat().st_size} bytes")


main()
