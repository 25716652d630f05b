"""test_page.py - the page of `umbel plan --html`, in a real browser."""

import json
import math
import os
import pathlib
import random
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from browser import Browser
from flow import PATIENCE, SETS, TOOL, Flow, main

WIDTHS = [400, 1200]
PARTS = ["kind", "command", "cpp"]
# More kinds in colour than the column of labels has room for.
MANY = "keys=1000000&rate=0.004" + "".join(
    f"&with={kind}"
    for kind in SETS
    if kind.endswith(("bloom-filter", "quotient-filter", "block-filter", "xor-filter"))
)
# Settings that stretch the page: few and many keys, rates at both ends, little memory, maps, many
# kinds in colour, and needs that no kind meets.
SETTINGS = [
    "",
    "all",
    "keys=100&rate=0.5",
    "keys=10000000000&rate=1.1641532182693481e-10&all",
    "keys=1000000&memory=1048576",
    "keys=1000000000&memory=1073741824&all",
    "keys=1000000&rate=0.01&map",
    "keys=10000000&rate=0.0001&grows&merges",
    "keys=1000000&memory=131072",
    "keys=1000000&rate=0.01&ages&map",
    "keys=1000000&rate=0.004&order=fastest&forgets"
    "&with=split-block-bloom-filter&with=two-choice-bloom-filter",
    MANY,
]
# What a reader sees of a plot: its series, their names in it, and where everything stands.
PLOTS = """[...document.querySelectorAll("svg")].map(svg => {
    const box = e => {
        const b = e.getBoundingClientRect();
        return [b.left, b.top, b.right, b.bottom]; };
    const pick = (what, from = svg) => [...from.querySelectorAll(what)];
    return { id: svg.id, box: box(svg), titles: pick(".axis-title").map(t => t.textContent),
             ticks: pick("text:not(.name):not(.axis-title)").map(t => t.textContent),
             texts: pick("text").map(t => ({ text: t.textContent, box: box(t) })),
             series: pick(".series").map(g => ({
                 kind: g.dataset.kind, rest: g.classList.contains("rest"),
                 label: g.getAttribute("aria-label"),
                 curve: pick("path", g).every(p => p.getAttribute("d")),
                 color: getComputedStyle(g).getPropertyValue("--color"),
                 dot: pick("circle", g).length > 0 })),
             names: pick("text.name").map(t => ({
                 kind: t.dataset.kind, text: t.textContent, box: box(t) })) }; })"""
ROWS = """[...document.querySelectorAll("#offers tr:not(.group)")].map(row => row.cells[0].textContent)"""


def overlap(a, b):
    """How far two boxes reach into each other, in pixels."""
    return min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])


def contrast(one, other):
    """WCAG 2.2's contrast ratio of two colours, each [red, green, blue] of 255."""

    def light(color):
        parts = [c / 255 for c in color]
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted([light(one), light(other)], reverse=True)
    return (high + 0.05) / (low + 0.05)


class Page(Flow):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="umbel-page-", ignore_cleanup_errors=True)
        cls.addClassCleanup(scratch.cleanup)
        cls.page = pathlib.Path(scratch.name) / "plan.html"
        done = subprocess.run([TOOL, "plan", "--html", cls.page], capture_output=True, timeout=PATIENCE)
        if (done.returncode, done.stdout, done.stderr) != (0, b"", b""):
            raise AssertionError(done)
        cls.browser = Browser(f"{scratch.name}/browser")
        cls.addClassCleanup(cls.browser.close)

    def show(self, fragment="", page=None, **window):
        self.browser.show(f"file://{page or self.page}#{fragment}", **window)
        return self.browser

    def tip(self, x=0, y=0):
        """The words at the pointer, whether they are inside the window, and how far from (x, y)."""
        return self.browser.ask(
            """(() => { const tip = [...document.querySelectorAll(".tip")].find(tip => !tip.hidden);
            if (!tip) return null;
            const box = tip.getBoundingClientRect();
            const away = (v, low, high) => Math.max(0, low - v, v - high);
            return { away: Math.hypot(away(%f, box.left, box.right), away(%f, box.top, box.bottom)),
                     text: tip.innerText, name: tip.querySelector("strong").textContent,
                     inside: box.left >= 0 && box.right <= innerWidth }; })()""" % (x, y)
        )

    def on_screen(self, plot, kind):
        """Scrolls to a plot; where on the screen the middle of a kind's curve, or its dot, is."""
        return self.browser.ask(f"""(() => {{ const svg = $("{plot}");
            svg.scrollIntoView({{ block: "center" }});
            const g = svg.querySelector('.series[data-kind="{kind}"]');
            const path = g.querySelector("path");
            const dot = g.querySelector("circle"), box = svg.getBoundingClientRect();
            const at = path ? path.getPointAtLength(path.getTotalLength() * .7)
                            : {{ x: +dot.getAttribute("cx"), y: +dot.getAttribute("cy") }};
            return [box.left + at.x, box.top + at.y]; }})()""")

    def test_it_is_one_file_that_loads_nothing(self):
        text = self.page.read_text()
        self.assertNotRegex(text, r"""(?i)(src|href)\s*=|@import|url\(|fetch\(|https?://""")
        self.assertLess(len(text), 3_000_000)
        self.show("all")
        self.browser.press("Tab")
        asked = {address.split("#")[0] for address in self.browser.requests}
        self.assertTrue(
            all(address.startswith("file://") and address.endswith(".html") for address in asked),
            asked,
        )

    # Every kind at many settings of the sliders (more, if there is time): what the page has is what
    # `umbel plan` says.
    def test_its_numbers_are_the_tools(self):
        shown = self.show().ask(
            """({keys: data.keys, rates: data.rates, sizes: data.sizes,
            maps: data.kinds.filter(kind => kind.map).map(kind => kind.name),
            by_rate: Object.fromEntries(data.kinds.map(kind => [kind.name,
                data.keys.map((_, k) => data.rates.map((_, r) =>
                    ({ ...planned(kind, k, r), kind: 0 })))])),
            by_size: Object.fromEntries(data.kinds.filter(kind => !kind.map).map(kind => [kind.name,
                data.keys.map((_, k) => data.sizes[k].map((_, s) =>
                    ({ ...fitted(kind, k, s), kind: 0 })))]))})"""
        )
        by_rate = [
            ("by_rate", k, r) for k in range(len(shown["keys"])) for r in range(len(shown["rates"]))
        ]
        by_size = [
            ("by_size", k, s) for k, row in enumerate(shown["sizes"]) for s in range(len(row))
        ]
        self.assertGreaterEqual(len(by_rate), 1000)
        self.assertGreaterEqual(len(by_size), 700)
        some = 1000 if "UMBEL_LONG" in os.environ else 60
        settings = random.Random(6).sample(by_rate, some) + random.Random(7).sample(
            by_size, min(some, len(by_size))
        )

        def said(setting, *needs):
            table, k, i = setting
            given = (
                ["--fpr", repr(shown["rates"][i])]
                if table == "by_rate"
                else ["--memory", shown["sizes"][k][i]]
            )
            done = self.umbel("plan", "--keys", shown["keys"][k], *given, "--json", *needs)
            return (
                {row["kind"]: row for row in json.loads(done.stdout)}
                if done.returncode == 0
                else {}
            )

        def both(setting):
            return {
                **said(setting, "--forget"),
                **(said(setting, "--values", "8") if setting[0] == "by_rate" else {}),
            }

        with ThreadPoolExecutor(2) as crew:
            answers = list(crew.map(both, settings))
        compared = {"by_rate": 0, "by_size": 0}
        for (table, k, i), rows in zip(settings, answers):
            for kind, plans in shown[table].items():
                plan, row = plans[k][i], rows.get(kind)
                where = (kind, table, shown["keys"][k], i)
                self.assertEqual("bits" not in plan, row is None, where)
                if row is None:
                    continue
                self.assertEqual(-(-plan["bits"] // 8), row["bytes"], where)
                self.assertAlmostEqual(plan["perKey"], row["bits_per_key"], 9, where)
                self.assertEqual(plan["fpr"], float(f"{row['fpr']:.3e}"), where)
                self.assertGreater(plan["fpr"], 0, where)
                self.assertEqual(
                    (plan["probes"], plan["lines"]), (row["probes"], row["lines"]), where
                )
                compared[table] += 1
        for table, count in compared.items():
            self.assertGreater(count, some // 2 * len(shown[table]), table)
        offered = {row["kind"] for rows in answers for row in rows.values()}
        self.assertEqual(set(shown["by_rate"]), offered)

    def test_no_plan_is_below_the_bound(self):
        below = self.show().ask(
            """data.kinds.filter(kind => !kind.forgets).flatMap(kind => data.keys.flatMap((_, k) =>
            [...data.rates.map((_, r) => planned(kind, k, r)),
             ...data.sizes[k].map((_, s) => fitted(kind, k, s))]
                .filter(plan => plan && plan.perKey * 1.001 <
                    (kind.map ? data.value_bits : 0) - Math.log2(plan.fpr))
                .map(plan => [kind.name, plan.keys, plan.perKey, plan.fpr])))"""
        )
        self.assertEqual(below, [])

    # The command that the page shows lists the same kinds in the same order, and under the same
    # headings. What it says to build the recommended kind with is what the tool says.
    def test_it_recommends_what_the_tool_lists_first(self):
        for fragment, needs in [
            ("keys=1e7&rate=0.0078125", ""),
            ("keys=1e7&rate=0.0078125&grows&merges", "--grow --merge"),
            ("keys=1e7&rate=0.0078125&order=fastest", "--fastest"),
            ("keys=1e7&rate=0.0078125&map", "--values 8"),
            ("keys=1e9&memory=1073741824", ""),
            ("keys=1e9&memory=1073741824&order=fastest", "--fastest"),
            ("keys=3000&memory=3072&grows&forgets", "--grow --forget"),
            ("keys=1e6&memory=2097152&erases", "--erase"),
        ]:
            pick, rows, headings, command, build, line = self.show(fragment + "&all").ask(
                f"""[$("pick").textContent, {ROWS},
                [...document.querySelectorAll("#offers .group")].map(row => row.textContent),
                ...["command", "build", "cpp"].map(id => $(id).textContent)]"""
            )
            program, *words = command.split()
            self.assertEqual((program, words[0]), ("umbel", "plan"))
            self.assertEqual(
                float(words[words.index("--keys") + 1]),
                float(re.search("keys=([^&]*)", fragment)[1]),
            )
            self.assertTrue(command.endswith(needs), command)
            listed = self.json(*words, "--json")
            self.assertEqual((pick, build, line), tuple(listed[0][part] for part in PARTS), command)
            groups = list(dict.fromkeys(row["group"] for row in listed))
            self.assertEqual(headings, groups, command)
            listed.sort(key=lambda row: groups.index(row["group"]))
            self.assertEqual(rows, [row["kind"] for row in listed], command)

    def test_it_starts_where_the_command_line_says(self):
        words = ["--keys", "61234", "--memory", "70001", "--grow", "--fastest"]
        done = self.umbel("plan", "--html", "size.html", *words)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        pick, command = self.show(page=self.here / "size.html").ask(
            """[$("pick").textContent, $("command").textContent]"""
        )
        self.assertEqual(command, "umbel plan " + " ".join(words))
        self.assertEqual(pick, self.json("plan", *words, "--json")[0]["kind"])

    # By the keyboard, as somebody without a mouse would.
    def test_the_memory_slider_gives_the_rate(self):
        def said():
            return self.browser.ask(
                """({given: options.elements.given.value, hash: location.hash,
                rate: $("rate-said").value, memory: $("memory-said").value,
                shown: +$("command").textContent.split("--memory ")[1],
                pick: $("pick").textContent})"""
            )

        self.show("keys=1000000&rate=0.00390625")
        self.assertEqual(said()["given"], "rate")
        self.assertRegex(said()["memory"], r"^takes .* MiB|^takes .* KiB")
        self.browser.ask("memory.focus()")
        rates, sizes = [], []
        for key in ["ArrowRight"] * 8:
            self.browser.press(key)
            now = said()
            self.assertEqual(now["given"], "memory")
            self.assertIn("memory=", now["hash"])
            first = self.json("plan", "--keys", "1000000", "--memory", now["shown"], "--json")[0]
            self.assertEqual(now["pick"], first["kind"])
            self.assertTrue(now["rate"].startswith("gives "), now["rate"])
            rates.append(float(re.search(r"1 in ([\d,]+)", now["rate"])[1].replace(",", "")))
            self.assertAlmostEqual(rates[-1] * first["fpr"], 1, delta=0.01)
            sizes.append(now["shown"])
        self.assertEqual(sizes, sorted(set(sizes)))
        self.assertEqual(rates, sorted(rates))
        self.assertGreater(rates[-1], 8 * rates[0])
        # The size stays as it is while keys change, and moving the rate asks for a rate again.
        before = said()
        self.browser.ask("keys.focus()")
        self.browser.press("ArrowRight")
        self.assertEqual(said()["shown"], before["shown"])
        self.assertNotEqual(said()["rate"], before["rate"])
        self.browser.ask("rate.focus()")
        self.browser.press("ArrowRight")
        self.assertEqual(said()["given"], "rate")

    def test_moving_a_slider_moves_everything(self):
        see = """["summary", "figures", "rate-plot", "growth-plot", "all-plot", "offers"].map(
                     id => document.getElementById(id).innerHTML).concat(location.hash)"""
        self.show()
        before = self.browser.ask(see)
        self.browser.ask("rate.focus()")
        for _ in range(4):
            self.browser.press("ArrowRight")
        for one, other in zip(before, self.browser.ask(see)):
            self.assertNotEqual(one, other)

    # At every width and setting the page is as wide as the window, and nothing sticks out of its
    # plot.
    def test_nothing_overflows(self):
        for width in [320, *WIDTHS]:
            for fragment in SETTINGS:
                self.show(fragment, width=width, height=900)
                self.assertEqual(
                    self.browser.ask("[document.documentElement.scrollWidth, innerWidth]"),
                    [width, width],
                    fragment,
                )
                out = self.browser.ask("""[...document.querySelectorAll("main *")].filter(e => {
                    const box = e.getBoundingClientRect();
                    return !e.closest("svg") && box.width &&
                           (box.left < -.5 || box.right > innerWidth + .5);
                    }).map(e => e.outerHTML.slice(0, 90))""")
                self.assertEqual(out, [], (width, fragment))
                beyond = self.browser.ask(
                    """(() => { const table = document.querySelector("table");
                    return table.offsetWidth - table.parentNode.clientWidth
                           + 2 * parseFloat(getComputedStyle(table.parentNode).paddingLeft); })()"""
                )
                self.assertLessEqual(beyond, 0.5, (width, fragment))
                for plot in self.browser.ask(PLOTS):
                    for text in plot["texts"]:
                        left, top, right, bottom = text["box"]
                        self.assertGreaterEqual(
                            left, plot["box"][0] - 1, (width, fragment, plot["id"], text)
                        )
                        self.assertLessEqual(
                            right, plot["box"][2] + 1, (width, fragment, plot["id"], text)
                        )
                        self.assertGreaterEqual(
                            top, plot["box"][1] - 2, (width, fragment, plot["id"], text)
                        )
                        self.assertLessEqual(
                            bottom, plot["box"][3] + 2, (width, fragment, plot["id"], text)
                        )

    def test_axes_have_titles_with_units(self):
        titles = {
            "rate-plot": ["False positive rate (log scale)", "Size (bits per key)"],
            "all-plot": ["Cache lines read by a query", "Size (bits per key)"],
            "growth-plot": ["False positive rate (log scale)", "Keys inserted / keys planned"],
        }
        for width in WIDTHS:
            plots = {plot["id"]: plot for plot in self.show(width=width).ask(PLOTS)}
            self.assertEqual({name: plot["titles"] for name, plot in plots.items()}, titles)
            self.assertTrue(all(len(plot["ticks"]) >= 6 for plot in plots.values()), plots)
        plots = {plot["id"]: plot for plot in self.show("keys=1000000&memory=1048576").ask(PLOTS)}
        self.assertEqual(
            plots["all-plot"]["titles"],
            ["Cache lines read by a query", "False positive rate (log scale)"],
        )

    def test_what_is_drawn_is_named(self):
        for width in WIDTHS:
            for fragment in [
                one
                for one in SETTINGS
                if "all" not in one
                and "memory=131072" not in one
                and "ages&map" not in one
                and one != MANY
            ]:
                plots = {plot["id"]: plot for plot in self.show(fragment, width=width).ask(PLOTS)}
                where = (width, fragment)
                pick = self.browser.ask("""$("pick").textContent""")
                rated = [one["kind"] for one in plots["rate-plot"]["series"]]
                self.assertIn("bound", rated)
                self.assertIn(pick, rated)
                self.assertLessEqual(len(rated), 9)
                for plot in plots.values():
                    drawn = [one["kind"] for one in plot["series"]]
                    self.assertEqual(
                        sorted(one["kind"] for one in plot["names"]),
                        sorted(drawn),
                        (where, plot["id"]),
                    )
                    self.assertTrue(
                        all(one["text"].startswith(one["kind"]) for one in plot["names"])
                    )
                    self.assertTrue(
                        all(
                            one["curve"] and one["dot"] and not one["rest"]
                            for one in plot["series"]
                        )
                    )
                    # One colour each, so that a name and its curve belong together.
                    self.assertEqual(
                        len({one["color"] for one in plot["series"]}),
                        len(drawn),
                        (where, plot["id"]),
                    )
                    for i, one in enumerate(plot["names"]):
                        for other in plot["names"][:i]:
                            self.assertLessEqual(
                                min(overlap(one["box"], other["box"])), 1, (where, plot["id"])
                            )
                # The recommended one and those after it, in the order of the table.
                rows = self.browser.ask(ROWS)
                self.assertEqual(
                    set(rated)
                    - {"bound", "bloom-filter", *re.findall("with=([^&]*)", fragment)}
                    - set(rows[:4]),
                    set(),
                    where,
                )
                self.assertEqual(set(rows[:4]) - set(rated), set(), where)

    # The rest of them is named by the pointer, as test_the_kind_at_the_pointer_is_named holds.
    def test_of_many_kinds_as_many_are_labelled_as_there_is_room_for(self):
        for width in WIDTHS:
            for more in ["", "&order=fastest"]:
                plot = self.show(MANY + more, width=width).ask(PLOTS)[0]
                pick = self.browser.ask("""$("pick").textContent""")
                drawn = {one["kind"] for one in plot["series"]}
                named = [one["kind"] for one in plot["names"]]
                self.assertGreaterEqual(len(drawn), 20)
                self.assertGreaterEqual(len(named), 14)
                self.assertLess(len(named), len(drawn))
                self.assertLessEqual({"bound", pick}, set(named))
                for i, one in enumerate(plot["names"]):
                    for other in plot["names"][:i]:
                        self.assertLessEqual(min(overlap(one["box"], other["box"])), 1)

    def test_nothing_is_drawn_wrong(self):
        for fragment in SETTINGS:
            text = self.show(fragment).ask("document.querySelector('main').innerHTML")
            self.assertNotRegex(text, r"NaN|Infinity|undefined|\bnull\b", fragment)

    def test_the_other_kinds_appear_on_demand(self):
        for width in WIDTHS:
            self.show(width=width, touch=width < 500)
            kinds = {row["kind"] for row in self.json("plan", "--keys", "1M", "--json")}
            few = self.browser.ask(ROWS)
            self.assertLess(len(few), 9)
            self.assertLess(len(self.browser.ask(PLOTS)[0]["series"]), 8)
            x, y = self.browser.ask(
                """(() => { const button = $("all");
                button.scrollIntoView({ block: "center" });
                const box = button.getBoundingClientRect();
                return [box.left + box.width / 2, box.top + box.height / 2]; })()"""
            )
            self.browser.tap(x, y) if width < 500 else self.browser.click(x, y)
            self.assertEqual(set(self.browser.ask(ROWS)), kinds)
            for plot in self.browser.ask(PLOTS)[:2]:
                drawn = {one["kind"] for one in plot["series"]} - {"bound"}
                if (
                    plot["id"] == "rate-plot"
                ):  # a kind that is far beyond all others is told of below it
                    told = self.browser.ask("$('rate-caption').textContent")
                    drawn |= {kind for kind in kinds if f" {kind} " in told.partition("Beyond")[2]}
                    self.assertGreater(len(plot["series"]), len(kinds) - 3)
                self.assertEqual(drawn, kinds, plot["id"])
                self.assertTrue(
                    all(one["label"].startswith(one["kind"] + ": ") for one in plot["series"])
                )
            # A name in the table draws its kind in colour, and again takes it away.
            press = """(() => {
                const b = document.querySelector('#offers button[data-kind="%s"]');
                b.focus();
                b.click();
                const series = document.querySelector('#rate-plot .series[data-kind="%s"]');
                return [series.classList.contains("rest"),
                        document.activeElement.dataset.kind]; })()""" % (
                ("quotient-filter",) * 2
            )
            self.assertEqual(self.browser.ask(press), [False, "quotient-filter"])
            self.assertIn("with=quotient-filter", self.browser.ask("location.hash"))
            self.assertEqual(self.browser.ask(press), [True, "quotient-filter"])

    def test_the_kind_at_the_pointer_is_named(self):
        for width, fragment in [
            (width, fragment) for width in WIDTHS for fragment in ["", "all", MANY]
        ]:
            self.show(fragment, width=width)
            for plot in self.browser.ask(
                "[...document.querySelectorAll('svg')].map(svg => svg.id)"
            ):
                kinds = self.browser.ask(
                    f"[...document.querySelectorAll('#{plot} .series')].map(g => g.dataset.kind)"
                )
                self.assertGreater(len(kinds), 3, plot)
                named = set()
                for kind in kinds:
                    x, y = self.on_screen(plot, kind)
                    self.browser.point(x, y)
                    tip = self.tip(x, y)
                    self.assertTrue(tip and tip["inside"], (width, plot, kind, tip))
                    self.assertLess(tip["away"], 60, (width, plot, kind, tip))
                    named.add(tip["name"])
                    self.assertEqual(
                        self.browser.ask(f"document.querySelectorAll('#{plot} .hot').length"), 1
                    )
                # Where two lie on each other one of them is named.
                self.assertGreaterEqual(
                    len(named), len(kinds) * 2 // 3, (width, fragment, plot, set(kinds) - named)
                )
                self.browser.point(2, 2)
                self.assertIsNone(self.tip())

    def test_a_finger_names_it_too(self):
        self.show(width=400, touch=True)
        x, y = self.on_screen("rate-plot", "bloom-filter")
        self.browser.tap(x, y)
        self.assertEqual(self.tip()["name"], "bloom-filter")
        self.assertIn("bits per key", self.tip()["text"])

    def test_the_keyboard_names_every_kind(self):
        self.show("all")
        kinds = self.browser.ask("[...document.querySelectorAll('#rate-plot .series')].length")
        self.browser.ask("document.querySelector('#options [name=order]:checked').focus()")
        self.browser.press("Tab")
        self.assertEqual(self.tip()["name"], "bound")
        named = {self.tip()["name"]}
        for _ in range(kinds - 1):
            self.browser.press("ArrowDown")
            named.add(self.tip()["name"])
        self.assertEqual(len(named), kinds)
        while self.tip()["name"] != "bloom-filter":
            self.browser.press("ArrowUp")
        one = self.tip()
        self.browser.press("ArrowRight")
        other = self.tip()
        self.assertEqual((one["name"], other["name"]), ("bloom-filter",) * 2)
        self.assertNotEqual(one["text"], other["text"])
        spoken = self.browser.ask("$('spoken').textContent")
        self.assertTrue(spoken.startswith(other["name"] + ": "), spoken)
        self.browser.press("Escape")
        self.assertIsNone(self.tip())

    def test_every_control_has_a_name(self):
        self.show()
        bare = self.browser.ask(
            """[...document.querySelectorAll("input, button, [tabindex]")].filter(e =>
            !(e.getAttribute("aria-label") || (e.labels && e.labels.length) ||
              e.textContent.trim())).map(e => e.outerHTML)"""
        )
        self.assertEqual(bare, [])
        self.assertEqual(
            self.browser.ask(
                "[keys, rate, memory].map(s => s.getAttribute('aria-valuetext').length > 0)"
            ),
            [True] * 3,
        )

    # Words and curves in colour have a contrast of 4.5 : 1 with what they stand on, the others of
    # 3 : 1 (WCAG 2.2, 1.4.3 and 1.4.11).
    def test_it_can_be_read_in_light_and_dark(self):
        paint = """Object.fromEntries(["page", "card", "ink", "soft", "rest", "c0", "c1", "c2",
            "c3", "c4", "c5", "c6", "c7"].map(name => {
            const probe = document.body.appendChild(document.createElement("i"));
            probe.style.color = `var(--${name})`;
            const said = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
            probe.remove();
            return [name, said]; }))"""
        for dark in [False, True]:
            colors = self.show(dark=dark).ask(paint)
            self.assertEqual(contrast(colors["page"], [0, 0, 0]) < 4, dark)
            for name in set(colors) - {"page", "card"}:
                for ground in ["page", "card"]:
                    self.assertGreaterEqual(
                        contrast(colors[name], colors[ground]),
                        3 if name == "rest" else 4.5,
                        (name, ground, dark),
                    )

    def test_columns_by_width(self):
        for width, columns in [(400, 1), (1200, 2)]:
            found = self.show(width=width).ask(
                "getComputedStyle(document.querySelector('main'))"
                ".gridTemplateColumns.split(' ').length"
            )
            self.assertEqual(found, columns)
        self.assertEqual(
            math.floor(self.browser.ask("$('rate-plot').clientWidth") / 100),
            7,
        )

    def test_a_window_that_changes_its_size_is_drawn_anew(self):
        self.show(width=1200)
        self.browser.call(
            "Emulation.setDeviceMetricsOverride",
            width=400,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.browser.settle()
        self.assertEqual(self.browser.ask("document.documentElement.scrollWidth"), 400)
        plot = self.browser.ask(PLOTS)[0]
        self.assertTrue(all(text["box"][2] <= 400 for text in plot["texts"]), plot)

    def test_what_does_not_go_with_a_page_is_refused(self):
        for words in [
            ["--json"],
            ["--why"],
            ["--exact"],
            ["--fpr", "1%", "--memory", "1M"],
            ["--bits-per-key", "9"],
            ["--keys", "0"],
            ["--values", "8", "--memory", "1M"],
        ]:
            self.assert_refused(self.umbel("plan", "--html", "a.html", *words), words[0])
        self.assert_refused(self.umbel("plan", "--html", "missing/a.html"), "missing")
        self.assert_folder_holds()


main()
