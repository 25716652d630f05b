#!/usr/bin/env python3
"""draw.py - makes the drawings at the top of guide pages: what a key does in each structure.

    tools/draw.py [FOLDER]      writes doc/figure/<name>.svg, or FOLDER/<name>.svg

Drawings are computed: each function builds a tiny structure of its kind and draws its contents, so
a drawing cannot show what the structure does not do. Drawings are 360 units wide, the width of a
phone, with no letter below 12 units, and have colours for light and dark pages.
"""

import hashlib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH, LEFT, RIGHT = 360, 12, 348
STYLE = """text { font: 13px system-ui, sans-serif; fill: #1f2328 } .title { font-size: 15px; font-weight: 600 }
.small { font-size: 12px; fill: #59636e } .code { font: 12px ui-monospace, monospace }
.middle { text-anchor: middle } .end { text-anchor: end }
.cell { fill: none; stroke: #818b98 } .faint { fill: none; stroke: #d1d9e0 }
.one { fill: #ddf4ff; stroke: #0969da } .two { fill: #fff1e5; stroke: #bc4c00 }
.blue { fill: #0969da } .red { fill: #bc4c00 } .bold { font-weight: 600 }
.way { fill: none; stroke: #818b98; stroke-width: 1.5 } .dashed { stroke-dasharray: 4 3 }
.way.one { fill: none; stroke: #0969da } .way.two { fill: none; stroke: #bc4c00 }
.head { fill: #818b98 } .head.one { fill: #0969da; stroke: none } .head.two { fill: #bc4c00; stroke: none }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .small { fill: #9198a1 } .cell { stroke: #656c76 } .faint { stroke: #3d444d }
.one { fill: #10305a; stroke: #4493f8 } .two { fill: #47260c; stroke: #f0883e }
.blue { fill: #79b8ff } .red { fill: #f0883e }
.way.one { stroke: #4493f8 } .way.two { stroke: #f0883e }
.head.one { fill: #4493f8 } .head.two { fill: #f0883e } }"""


def draw(key, what, below):
    """A number below `below` that `key` draws for `what`: a stand-in for the library's hash."""
    return int.from_bytes(hashlib.sha256(f"{key}/{what}".encode()).digest()[:8], "little") % below


class picture:
    def __init__(self, title, told):
        self.title, self.told, self.parts, self.bottom = title, told, [], 0
        self.text(LEFT, 20, title, "title")

    def grow(self, y):
        self.bottom = max(self.bottom, y)

    def text(self, x, y, words, kind=""):
        words = str(words).replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{words}</text>'
        )
        self.grow(y + 8)

    def cell(self, x, y, width, height, words="", kind="cell", ink=""):
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" class="{kind}"/>'
        )
        if words != "":
            self.text(x + width / 2, y + height / 2 + 4.5, words, f"code middle {ink}".strip())
        self.grow(y + height + 6)

    def arrow(self, x1, y1, x2, y2, kind=""):
        """A line from one point to another, with a head at its end."""
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        bx, by = x2 - 7 * dx, y2 - 7 * dy
        self.parts.append(
            f'<path d="M{x1:.1f} {y1:.1f}L{bx:.1f} {by:.1f}" class="{f"way {kind}".strip()}"/>'
        )
        corners = f"{x2:.1f},{y2:.1f} {bx - 3.5 * dy:.1f},{by + 3.5 * dx:.1f} {bx + 3.5 * dy:.1f},{by - 3.5 * dx:.1f}"
        self.parts.append(
            f'<polygon points="{corners}" class="{f"head {kind}".strip().replace(" dashed", "")}"/>'
        )

    def svg(self):
        height = round(self.bottom + 4)
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
                f"<title>{self.title}</title>",
                f"<desc>{self.told}</desc>",
                f"<style>\n{STYLE}\n</style>",
                *self.parts,
                "</svg>",
                "",
            ]
        )


def bloom_filter():
    out = picture(
        "Bloom filter: a key sets k bits",
        "Two keys set three bits each; a third finds a clear bit.",
    )
    bits, wide = 24, 14
    places = {
        key: sorted({draw(key, probe, bits) for probe in range(3)}) for key in ("ant", "bee", "cat")
    }
    held = set(places["ant"]) | set(places["bee"])
    top = 92
    for key, x, kind in (("ant", 100, "one"), ("bee", 260, "two")):
        out.text(x, 48, f"insert {key}", "middle bold " + ("blue" if kind == "one" else "red"))
        for place in places[key]:
            out.arrow(x, 54, LEFT + wide * (place + 0.5), top - 2, kind)
    for place in range(bits):
        kind = "one" if place in places["ant"] else "two" if place in places["bee"] else "cell"
        out.cell(LEFT + wide * place, top, wide, 22, int(place in held), kind)
    missing = [place for place in places["cat"] if place not in held]
    assert missing and len(missing) < 3, "the example shows a bit that is set and one that is clear"
    for place in places["cat"]:
        out.arrow(180, 152, LEFT + wide * (place + 0.5), top + 24, "dashed")
    out.text(180, 168, "may it contain cat?", "middle bold")
    out.text(180, 188, f"bit {missing[0]} is clear: certainly not in", "middle")
    out.text(180, 206, "all three set: in, or a false positive", "small middle")
    return out


def blocked_bloom_filter():
    out = picture(
        "Blocked: all bits of a key in one block", "Each key marks bits of a single block."
    )
    blocks, across, down, wide, top = 4, 6, 4, 12, 96
    step = (RIGHT - LEFT - across * wide) / (blocks - 1)
    held = {}
    for key, x, kind, block in (("ant", 96, "one", 1), ("bee", 264, "two", 2)):
        marks = []
        while len(marks) < 4:
            mark = draw(key, f"mark{len(marks)}", across * down)
            marks += [(mark + len(marks)) % (across * down)]
        held |= {(block, mark): kind for mark in marks}
        out.text(x, 48, f"insert {key}", "middle bold " + ("blue" if kind == "one" else "red"))
        out.arrow(x, 54, LEFT + step * block + across * wide / 2, top - 4, kind)
    for block in range(blocks):
        for bit in range(across * down):
            x, y = LEFT + step * block + wide * (bit % across), top + wide * (bit // across)
            out.cell(x, y, wide, wide, "", held.get((block, bit), "faint"))
        out.cell(LEFT + step * block, top, across * wide, down * wide)
        out.text(
            LEFT + step * block + across * wide / 2,
            top + down * wide + 18,
            f"block {block}",
            "small middle",
        )
    out.text(180, 190, "A query reads one block: one cache line.", "middle")
    return out


def solve_fuse(keys, segments, size, salt):
    """The cells of a tiny binary fuse filter, or nothing if this salt's graph does not peel."""
    cells_of = {
        key: [
            (draw(key, f"start{salt}", segments - 2) + i) * size + draw(key, f"at{i}{salt}", size)
            for i in range(3)
        ]
        for key in keys
    }
    left, order = set(keys), []
    while left:
        alone = next(
            (
                (key, cell)
                for key in sorted(left)
                for cell in cells_of[key]
                if sum(cell in cells_of[other] for other in left) == 1
            ),
            None,
        )
        if not alone:
            return None
        order.append(alone)
        left.remove(alone[0])
    cells = [0] * (segments * size)
    for key, cell in reversed(order):
        cells[cell] = draw(key, "tag", 256)
        for other in cells_of[key]:
            cells[cell] ^= cells[other] if other != cell else 0
    return cells, cells_of


def binary_fuse_filter():
    out = picture(
        "Binary fuse: three cells XOR to the tag",
        "The XOR of three cells in neighbouring segments is the tag.",
    )
    keys = ["ant", "bee", "cow", "dog", "elk", "fox", "gnu", "hen", "owl"]
    segments, size, wide, top = 4, 4, 21, 92
    cells, cells_of = next(
        solved for salt in range(1000) if (solved := solve_fuse(keys, segments, size, salt))
    )
    asked = "dog"
    out.text(180, 48, f"is {asked} in?", "middle bold blue")
    for cell in cells_of[asked]:
        out.arrow(180, 54, LEFT + wide * (cell + 0.5), top - 2, "one")
    for cell, value in enumerate(cells):
        out.cell(
            LEFT + wide * cell,
            top,
            wide,
            24,
            f"{value:02x}",
            "one" if cell in cells_of[asked] else "cell",
        )
    for segment in range(segments):
        x = LEFT + wide * size * segment
        out.parts.append(f'<path d="M{x + 2:g} {top + 30}v5h{wide * size - 4:g}v-5" class="way"/>')
        out.text(x + wide * size / 2, top + 50, f"segment {segment}", "small middle")
    values = [cells[cell] for cell in cells_of[asked]]
    tag = draw(asked, "tag", 256)
    assert values[0] ^ values[1] ^ values[2] == tag
    out.text(
        180, 170, " xor ".join(f"{value:02x}" for value in values) + f" = {tag:02x}", "code middle"
    )
    out.text(180, 190, f"{tag:02x} is the tag of {asked}: in", "middle")
    out.text(180, 208, "any other value: certainly not in", "small middle")
    return out


def band(keys, slots, width, salt):
    """Rows of a ribbon's equations by their starts, those that reduce to others, and what
    elimination leaves."""
    rows, taken, bumped = [], {}, []
    for key in sorted(keys, key=lambda key: draw(key, f"start{salt}", slots - width + 1)):
        start = draw(key, f"start{salt}", slots - width + 1)
        row = (
            [0] * start
            + [1]
            + [draw(key, f"bit{i}{salt}", 2) for i in range(1, width)]
            + [0] * (slots - width - start)
        )
        reduced, right = row[:], draw(key, "tag", 2)
        while 1 in reduced and (lead := reduced.index(1)) in taken:
            reduced = [a ^ b for a, b in zip(reduced, taken[lead][0])]
            right ^= taken[lead][1]
        if 1 in reduced:
            taken[reduced.index(1)] = (reduced, right)
        else:
            bumped.append(key)  # the equation is implied by other rows, or contradicts them
        rows.append((key, start, row))
    return rows, taken, bumped


def ribbon_filter():
    out = picture(
        "Ribbon: the parity of chosen slots",
        "Rows of a band of equations, and the slots that solve them.",
    )
    slots, width, wide, top, left = 15, 6, 18, 44, 64
    keys = ("ant", "bee", "cow", "dog", "elk", "fox", "gnu", "hen")
    rows, taken, bumped = next(
        found for salt in range(1000) if len((found := band(keys, slots, width, salt))[2]) == 1
    )
    solution = [0] * slots
    for lead in sorted(taken, reverse=True):
        row, right = taken[lead]
        solution[lead] = (
            right ^ sum(a & b for a, b in zip(row[lead + 1 :], solution[lead + 1 :])) % 2
        )
    asked = next(key for key, start, row in rows if key not in bumped and start >= 4)
    for line, (key, start, row) in enumerate(rows):
        y = top + 22 * line
        kind = "two" if key in bumped else "one" if key == asked else "cell"
        ink = "bold " + {"two": "red", "one": "blue"}.get(kind, "") if kind != "cell" else ""
        out.text(left - 8, y + 15, key, f"end {ink}".strip())
        for slot in range(start, start + width):
            out.cell(left + wide * slot, y, wide, 20, row[slot], kind)
        if key in bumped:
            out.text(left + wide * start - 8, y + 15, "bumped", "end red")
    y = top + 22 * len(rows) + 14
    out.text(left - 8, y + 15, "slots", "end bold")
    for slot in range(slots):
        chosen = dict((key, row) for key, start, row in rows)[asked][slot]
        out.cell(left + wide * slot, y, wide, 20, solution[slot], "one" if chosen else "cell")
    chosen = [
        solution[slot] for slot, bit in enumerate(dict((k, r) for k, s, r in rows)[asked]) if bit
    ]
    assert sum(chosen) % 2 == draw(asked, "tag", 2)
    out.text(
        180,
        y + 44,
        f"{asked}: " + " xor ".join(map(str, chosen)) + f" = {sum(chosen) % 2}",
        "code middle",
    )
    out.text(180, y + 64, f"the bit of {asked}'s fingerprint: in", "middle")
    out.text(180, y + 82, f"{bumped[0]} does not fit: it goes to the next layer", "small middle")
    return out


def cuckoo_filter():
    out = picture(
        "Cuckoo: a tag moves to make room",
        "Both buckets of a new key are full, so a tag moves to its other bucket.",
    )
    buckets, slots, wide, tall, top, left = 8, 4, 34, 24, 44, 116
    table = [[] for _ in range(buckets)]
    tag = lambda key: draw(key, "tag", 255) + 1
    other = lambda bucket, tag: bucket ^ (draw(tag, "other", buckets - 1) + 1)
    full = None
    for number in range(100):  # insert keys until both buckets of one are full
        key = f"key {number}"
        first = draw(key, "bucket", buckets)
        homes = (first, other(first, tag(key)))
        room = [bucket for bucket in homes if len(table[bucket]) < slots]
        if not room:
            movers = [
                (bucket, slots - 1)
                for bucket in homes
                if len(table[other(bucket, table[bucket][-1])]) < slots
            ]
            if movers:
                full = (key, homes, movers[0])
                break
            continue
        table[min(room, key=lambda bucket: len(table[bucket]))].append(tag(key))
    key, homes, (bucket, slot) = full
    evicted = table[bucket][slot]
    to = other(bucket, evicted)
    place = lambda b, s: (left + wide * s, top + tall * b)
    for b in range(buckets):
        out.text(left - 8, top + tall * b + 16.5, b, "small end")
        for s in range(slots):
            kind = "two" if (b, s) == (bucket, slot) else "cell"
            out.cell(
                *place(b, s), wide, tall, f"{table[b][s]:02x}" if s < len(table[b]) else "", kind
            )
    new = tag(key)
    middle = top + tall * buckets / 2
    out.text(LEFT, middle - 8, "insert", "bold blue")
    out.text(LEFT, middle + 8, f"tag {new:02x}", "code blue")
    for home in homes:
        out.arrow(LEFT + 54, middle - 4, left - 20, top + tall * (home + 0.5), "one")
    x, y = place(bucket, slot)
    x2, y2 = place(to, len(table[to]))
    side = left + wide * slots + 24
    out.parts.append(
        f'<path d="M{x + wide:g} {y + tall / 2:g}H{side}V{y2 + tall / 2:g}H{x2 + wide / 2 + 13:g}" class="way two"/>'
    )
    tip, level = x2 + wide / 2 + 6, y2 + tall / 2
    out.parts.append(
        f'<polygon points="{tip:g},{level:g} {tip + 7:g},{level - 3.5:g} {tip + 7:g},{level + 3.5:g}" class="head two"/>'
    )
    out.text(side + 6, (y + y2 + tall) / 2, f"{evicted:02x}", "code red")
    out.text(side + 6, (y + y2 + tall) / 2 + 16, "moves", "red")
    bottom = top + tall * buckets
    out.text(180, bottom + 24, f"Buckets {homes[0]} and {homes[1]} of the key are full.", "middle")
    out.text(180, bottom + 42, f"Tag {evicted:02x} goes to its other bucket, {to};", "middle")
    out.text(180, bottom + 60, f"tag {new:02x} takes its slot in bucket {bucket}.", "middle")
    return out


def quotient_filter():
    out = picture(
        "Quotient filter: runs in sorted order",
        "Fingerprints split into a home slot and a remainder.",
    )
    slots, wide, left, top = 11, 22, 104, 96
    prints = sorted(
        (draw(key, "home", 9), draw(key, "rest", 256))
        for key in ("ant", "bee", "cow", "dog", "elk", "fox", "gnu")
    )
    homes = sorted({home for home, rest in prints})
    at, free, ends = {}, 0, set()
    for home in homes:  # a run begins at its home, or behind the run before it
        run = [rest for h, rest in prints if h == home]
        free = max(free, home)
        for rest in run:
            at[free] = (home, rest)
            free += 1
        ends.add(free - 1)
    moved = [slot for slot, (home, rest) in at.items() if slot != home]
    assert moved and free <= slots
    shown = max(
        (home for home in homes if any(at[slot][0] == home for slot in moved)),
        key=lambda home: sum(h == home for h, rest in prints),
    )
    run = [slot for slot in sorted(at) if at[slot][0] == shown]
    x = lambda slot: left + wide * slot
    out.text(LEFT, 46, f"ask for home {shown}, remainder {at[run[-1]][1]:02x}", "bold blue")
    out.arrow(x(shown) + wide / 2, 54, x(shown) + wide / 2, top - 22, "one")
    for slot in range(slots):
        out.text(x(slot) + wide / 2, top - 6, slot, "small middle")
        out.cell(x(slot), top, wide, 22, int(slot in homes), "one" if slot == shown else "cell")
        out.cell(
            x(slot), top + 26, wide, 22, int(slot in ends), "one" if slot == run[-1] else "cell"
        )
        out.cell(
            x(slot),
            top + 52,
            wide,
            22,
            f"{at[slot][1]:02x}" if slot in at else "",
            "one" if slot in run else "cell",
        )
    for line, words in enumerate(("home taken", "run ends", "remainder")):
        out.text(left - 8, top + 26 * line + 15.5, words, "end")
    taken = homes.index(shown) + 1
    nth = {1: "first", 2: "second", 3: "third"}.get(taken, f"{taken}th")
    out.text(180, top + 98, f"Home {shown} is the {nth} that is taken,", "middle")
    out.text(180, top + 116, f"so its run is the {nth}: it ends in slot {run[-1]}.", "middle")
    out.text(180, top + 134, "Runs that meet move to the right.", "small middle")
    return out


def scalable_bloom_filter():
    out = picture(
        "Scalable: a full filter gets a larger one",
        "Stages of growing size; inserts go to the newest, queries to all.",
    )
    top, tall, width, left, tightening = 68, 26, 40, 70, 0.85
    shares = [
        100 * (1 - tightening) * tightening**stage for stage in range(4)
    ]  # [ABPH07]; they add up to 100
    out.text(LEFT, 48, "A query asks each stage; an insert goes to the last.")
    for stage, words in enumerate(("full", "full", "takes keys", "added when stage 3 is full")):
        y = top + stage * 38
        kind = ("cell", "cell", "one", "faint dashed")[stage]
        wide = min(width * 2**stage, RIGHT - left)
        out.cell(left, y, wide, tall, words, kind)
        out.text(
            left - 8, y + 17, f"stage {stage + 1}", "end" + (" bold blue" if stage == 2 else "")
        )
        if stage < 3:
            out.text(left + wide + 8, y + 17, f"{shares[stage]:.1f} % of the rate", "small")
    y = top + 4 * 38
    sums = " + ".join(f"{share:.1f}" for share in shares)
    out.text(180, y + 12, f"{sums} + ... = 100 %:", "middle")
    out.text(180, y + 30, "all stages together keep the rate asked for.", "middle")
    return out


def taffy_cuckoo_filter():
    out = picture(
        "Taffy: a table doubles without its keys",
        "When a table doubles, every entry's tag gives a bit to its bucket number.",
    )
    top, tall, wide = 66, 26, 78
    entries = [
        (bucket, draw(key, "tag", 16)) for bucket, key in ((0, "ant"), (2, "bee"), (3, "elk"))
    ]
    before = {bucket: tag for bucket, tag in entries}
    after = {bucket * 2 + (tag >> 3): tag & 7 for bucket, tag in entries}
    old, new = 66, 258
    out.text(old + wide / 2, top - 12, "4 buckets", "middle bold")
    out.text(new + wide / 2, top - 12, "8 buckets", "middle bold")
    middle = top + tall * 4
    start = middle - tall * 2
    for bucket in range(4):
        y = start + tall * bucket
        out.text(old - 8, y + 17, f"{bucket:02b}", "code end")
        out.cell(
            old,
            y,
            wide,
            tall,
            f"{before[bucket]:04b}" if bucket in before else "",
            "one" if bucket in before else "cell",
        )
    for bucket in range(8):
        y = top + tall * bucket
        out.text(new - 8, y + 17, f"{bucket:03b}", "code end")
        out.cell(
            new,
            y,
            wide,
            tall,
            f"{after[bucket]:03b}" if bucket in after else "",
            "one" if bucket in after else "cell",
        )
    for bucket, tag in entries:
        to = bucket * 2 + (tag >> 3)
        out.arrow(
            old + wide + 4, start + tall * (bucket + 0.5), new - 36, top + tall * (to + 0.5), "one"
        )
    bucket, tag = entries[0]
    y = top + tall * 8
    out.text(180, y + 26, f"Bucket {bucket:02b}, tag {tag:04b}: the tag's first bit goes", "middle")
    out.text(
        180,
        y + 44,
        f"to the bucket, {bucket:02b}{tag >> 3}, and {tag & 7:03b} stays as tag.",
        "middle",
    )
    out.text(180, y + 62, "Tags begin longer than the rate needs.", "small middle")
    return out


DRAWINGS = [
    bloom_filter,
    blocked_bloom_filter,
    binary_fuse_filter,
    ribbon_filter,
    cuckoo_filter,
    quotient_filter,
    scalable_bloom_filter,
    taffy_cuckoo_filter,
]


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "doc/figure"
    folder.mkdir(parents=True, exist_ok=True)
    for each in DRAWINGS:
        (folder / f"{each.__name__.replace('_', '-')}.svg").write_text(each().svg())


main()
