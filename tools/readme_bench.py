#!/usr/bin/env python3
"""readme_bench.py - rewrites the measurements of README.md and doc/benchmarks.md, and their plots,
from bench/results/*.json.

    build/umbel bench --keys 1M --json >bench/results/2030-01-31-1e6.json   # and so on for each size
    tools/readme_bench.py                # rewrites
    tools/readme_bench.py --check        # changes nothing; fails if it would

Rows               The newest of each (kind, keys, bits per key); only results of the machine that
                   the newest file names.
Pages              The text between the two marker lines is replaced; the rest is not touched.
README.md          The ten kinds of CHOSEN, at the size most kinds were measured at, and the first
                   plot.
doc/benchmarks.md  Every row, both plots, and the commands.
doc/plot/          space-time.svg   space over the bound against time per non-member in batches, at
                                    that size
                   batch-miss.svg   the same time against the number of keys, if there are two sizes
                                    or more
                   Both label the sets of NAMED; there is no room for all labels.
"""
import html
import json
import math
import pathlib
import statistics
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- bench table -->", "<!-- /bench table -->"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 780, 590, 64, 230, 60, 56
INKS = ["#0969da", "#bc4c00", "#8250df", "#1a7f37", "#cf222e", "#9a6700"]
NAMED = ["bloom-filter", "split-block-bloom-filter", "blocked-bloom-filter", "two-line-bloom-filter", "prefix-filter",
         "cuckoo-filter", "vector-quotient-filter", "quotient-filter", "selected-bloom-filter", "golomb-coded-set",
         "xor-filter", "binary-fuse-filter", "binary-fuse4-filter", "ribbon-filter", "matrix-filter"]
CHOSEN = ["bloom-filter", "split-block-bloom-filter", "blocked-bloom-filter", "prefix-filter", "cuckoo-filter",
          "quotient-filter", "golomb-coded-set", "binary-fuse-filter", "ribbon-filter", "binary-fuse-map"]
WIDEST = 2.0  # times the bound
STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .title { font-size: 16px; font-weight: 600 }
.small { font-size: 11.5px; fill: #59636e } .middle { text-anchor: middle } .end { text-anchor: end }
.grid { stroke: #d1d9e0 } .other { fill: #a8b1bb } .limit { stroke: #818b98; stroke-dasharray: 6 4; fill: none }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .small { fill: #9198a1 } .grid { stroke: #3d444d } }
</style>
"""


def load():
    """(newest file's facts, commands, rows) of all results from its machine."""
    files = [json.loads(path.read_text()) for path in sorted((ROOT / "bench/results").glob("*.json"))]
    files = sorted((f for f in files if f.get("rows")), key=lambda f: f["date"])
    if not files:
        return None, [], []
    files = [f for f in files if f["machine"]["cpu"] == files[-1]["machine"]["cpu"]]
    rows, commands = {}, {}
    for file in files:
        for row in file["rows"]:
            if row.get("key_length"):  # keys that are text
                continue
            key = row["kind"], row["keys"], round(row["bits_per_key"])
            rows[key] = row
            commands[key] = " ".join(["umbel", *file["command"].split()[1:]])
    order = sorted(rows, key=lambda key: key[1])  # kinds stay in the order they were measured in
    return files[-1], list(dict.fromkeys(commands[key] for key in order)), [rows[key] for key in order]


def over_bound(row):
    """Of a set. A map also pays for its values, which a row does not tell apart."""
    return None if row["kind"].endswith("-map") else row["overhead"]


def count(n):
    power = round(math.log10(n)) if n else 0
    return f"10^{power}" if n == 10**power and power >= 4 else f"{n:,}"


def rate(row):
    """None of a kind that takes every key and so has no rate, as a perfect hash does."""
    return None if row["fpr"] >= 1 else row["fpr"]


def ns(row, name):
    return "-" if row.get(name) is None else f"{row[name]:.1f}"


def space(row):
    return [f"{row['bits_per_key']:.2f}", f"{100 * rate(row):.3g} %" if rate(row) is not None else "-"]


def table(rows):
    out = ["| keys | kind | bits per key | false positives | x bound | build | cold build | insert | hit | miss "
           "| batch hit | batch miss | line read |", "|" + "---|" * 2 + "---:|" * 11]
    for r in rows:
        bound = f"{over_bound(r):.3f}" if over_bound(r) else "-"
        times = ["build_ns", "build_cold_ns", "batch_insert_ns", "hit_ns", "miss_ns", "batch_hit_ns", "batch_miss_ns",
                 "line_read_ns"]
        out.append("| " + " | ".join([count(r["keys"]), r["kind"], *space(r), bound] + [ns(r, t) for t in times]) + " |")
    return "\n".join(out)


def short_table(rows):
    out = ["| kind | bits per key | false positives | build | hit | miss | batch hit | batch miss |",
           "|---|" + "---:|" * 7]
    by_kind = {r["kind"]: r for r in rows}
    for kind in CHOSEN:
        if kind in by_kind:
            times = ["build_ns", "hit_ns", "miss_ns", "batch_hit_ns", "batch_miss_ns"]
            out.append("| " + " | ".join([kind, *space(by_kind[kind])] + [ns(by_kind[kind], t) for t in times]) + " |")
    return "\n".join(out)


def usual_size(rows):
    sizes = [r["keys"] for r in rows]
    return max(set(sizes), key=lambda n: (sizes.count(n), n))


def text(x, y, look, words):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{look}">{html.escape(words)}</text>\n'


def line(x1, y1, x2, y2, look):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {look}/>\n'


class canvas:
    """Two scales, a grid with numbers, and labels in a column at the right that never overlap."""

    def __init__(self, title, note, x, y, x_range, y_range, x_log):
        self.x_range, self.y_range, self.x_log = x_range, y_range, x_log
        self.title, self.labels = title, []
        self.svg = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
                    f'height="{HEIGHT}" role="img">\n<title>{html.escape(title)}</title>\n{STYLE}')
        self.svg += text(LEFT, 24, "title", title) + text(LEFT, 42, "small", note)
        self.svg += text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, "middle", x)
        self.svg += (f'<text transform="translate(18 {(TOP + HEIGHT - BOTTOM) / 2:.1f}) rotate(-90)" class="middle">'
                     f"{html.escape(y)}</text>\n")
        for at in self.ticks(x_range, x_log):
            self.svg += line(self.x(at), TOP, self.x(at), HEIGHT - BOTTOM, 'class="grid"')
            self.svg += text(self.x(at), HEIGHT - BOTTOM + 18, "small middle", count(int(at)) if x_log else f"{at:g}")
        for at in self.ticks(y_range, True):
            self.svg += line(LEFT, self.y(at), WIDTH - RIGHT, self.y(at), 'class="grid"')
            self.svg += text(LEFT - 8, self.y(at) + 4, "small end", f"{at:g}")

    @staticmethod
    def ticks(limits, logarithmic):
        if logarithmic:
            powers = range(math.floor(math.log10(limits[0])), math.ceil(math.log10(limits[1])) + 1)
            steps = (1, 2, 5) if limits[1] / limits[0] < 500 else (1,)
            marks = [step * 10.0**power for power in powers for step in steps]
        else:
            marks = [round(limits[0] + i / 10, 1) for i in range(math.ceil((limits[1] - limits[0]) * 10) + 1)]
        return [at for at in marks if limits[0] <= at <= limits[1]]

    def x(self, value):
        low, high = self.x_range
        part = math.log(value / low) / math.log(high / low) if self.x_log else (value - low) / (high - low)
        return LEFT + part * (WIDTH - RIGHT - LEFT)

    def y(self, value):
        low, high = self.y_range
        return HEIGHT - BOTTOM - math.log(value / low) / math.log(high / low) * (HEIGHT - BOTTOM - TOP)

    def label(self, x, y, ink, name, figures):
        self.labels.append([y, x, ink, name, figures])

    def save(self, name):
        self.labels.sort()
        heights = []
        for y, *_ in self.labels:  # push down from the top, then up from the bottom
            heights.append(max(y, heights[-1] + 30 if heights else TOP + 6))
        floor = HEIGHT - BOTTOM - 10
        for i in reversed(range(len(heights))):
            heights[i] = floor = min(heights[i], floor)
            floor -= 30
        for at, (y, x, ink, title, figures) in zip(heights, self.labels):
            edge = WIDTH - RIGHT + 14
            self.svg += line(x, y, edge - 4, at - 4, 'class="grid"')
            self.svg += f'<text x="{edge}" y="{at:.1f}" style="fill: {ink}">{html.escape(title)}</text>\n'
            self.svg += text(edge, at + 14, "small", figures)
        return self.title, name, self.svg + "</svg>\n"


def reach(values, spare=1.5):
    return min(values) / spare, max(values) * spare


def space_time(rows, inks):
    keys = usual_size(rows)
    rows = [r for r in rows if r["keys"] == keys and over_bound(r) and r["overhead"] < WIDEST and r["batch_miss_ns"] > 0
            and r["fpr"] < 1]
    page = canvas(f"Space and time of {count(keys)} keys",
                  f"lower left is better; no set lies left of 1; grey: other sets, those beyond {WIDEST:g} left out",
                  "bits per key / log2(1 / false positive rate)", "ns per key, batched misses", (1.0, WIDEST),
                  reach([t for r in rows for t in (r["batch_miss_ns"], r["line_read_ns"])]), False)
    for r in sorted(rows, key=lambda r: r["kind"] in inks):
        at = page.x(r["overhead"]), page.y(r["batch_miss_ns"])
        look = f'fill="{inks[r["kind"]]}"' if r["kind"] in inks else 'class="other"'
        page.svg += f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="5" {look}/>\n'
        if r["kind"] in inks:
            figures = f"{r['bits_per_key']:.2f} bits, {100 * r['fpr']:.3g} %, {r['batch_miss_ns']:.1f} ns"
            page.label(*at, inks[r["kind"]], r["kind"], figures)
    return page.save("space-time.svg")


def batch_miss(rows, inks):
    rows = [r for r in rows if r["kind"] in inks and r["batch_miss_ns"] > 0]
    times = [t for r in rows for t in (r["batch_miss_ns"], r["line_read_ns"])]
    sizes = sorted({r["keys"] for r in rows})
    page = canvas("A batched miss, by number of keys", "dashed: one random cache line of an array as large",
                  "keys", "ns per key", reach(sizes, 1.2), reach(times), True)

    def draw(points, look):
        page.svg += '<polyline points="' + " ".join(f"{page.x(n):.1f},{page.y(t):.1f}" for n, t in points) + f'" {look}/>\n'

    draw([(n, statistics.median(r["line_read_ns"] for r in rows if r["keys"] == n)) for n in sizes], 'class="limit"')
    for kind in inks:
        mine = [(r["keys"], r["batch_miss_ns"]) for r in rows if r["kind"] == kind]
        if mine:
            draw(mine, f'stroke="{inks[kind]}" stroke-width="2" fill="none"')
            page.label(page.x(mine[-1][0]), page.y(mine[-1][1]), inks[kind], kind,
                       f"{mine[-1][1]:.1f} ns at {count(mine[-1][0])}")
    return page.save("batch-miss.svg")


def shown(plot, folder):
    return f"![{plot[0]}]({folder}{plot[1]})"


def blocks(facts, commands, rows):
    """What each page shows, and the plots."""
    if not rows:
        none = "No results are stored in `bench/results/` yet."
        return {"README.md": none, "doc/benchmarks.md": none}, []
    inks = {kind: INKS[i % len(INKS)] for i, kind in enumerate(NAMED)}
    machine = facts["machine"]
    made = (f"{machine['cpu']}, one core, g++ {machine['compiler']}, umbel {facts['version']}, {facts['date'][:10]}. "
            "Keys are 64-bit integers; times are nanoseconds per key, medians.")
    plots = [space_time(rows, inks)]
    if len({r["keys"] for r in rows}) > 1:
        plots.append(batch_miss(rows, inks))
    keys = usual_size(rows)
    at_size = [r for r in rows if r["keys"] == keys]
    lines = "\n".join(textwrap.wrap(f"{count(keys)} keys. {made}", 100))
    how = "\n".join(textwrap.wrap(made, 100)) + "\n\n" + "\n".join(["Made by `tools/readme_bench.py` from the results of:", ""]
                                                                  + [f"- `{command}`" for command in commands])
    return {"README.md": "\n\n".join([lines, short_table(at_size), shown(plots[0], "doc/plot/")]),
            "doc/benchmarks.md": "\n\n".join([how, *(shown(plot, "plot/") for plot in plots), table(rows)])}, plots


def main():
    pages, plots = blocks(*load())
    files = {ROOT / "doc/plot" / name: svg for _, name, svg in plots}
    for page, block in pages.items():
        before, _, rest = (ROOT / page).read_text().partition(BEGIN)
        _, marker, after = rest.partition(END)
        if not marker:
            raise SystemExit(f"{page}: expected the lines {BEGIN} and {END}")
        files[ROOT / page] = f"{before}{BEGIN}\n{block}\n{END}{after}"
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        sys.exit("\n".join(f"{path.relative_to(ROOT)}: differs from bench/results; run tools/readme_bench.py"
                           for path in stale) or None)
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(files[path])


if __name__ == "__main__":
    main()
