"""test_page.py - the page of `umbel plan --html` in a real browser: its numbers are the library's, and it fits a phone."""
import html
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from flow import TOOL, Flow, main

BROWSER = ["chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
# What a test wants to know is computed in the page and left in its last element, where --dump-dom finds it.
LOOK = """<script>
{ const say = () => (%s);
  const answer = document.body.appendChild(document.createElement("pre"));
  answer.id = "answer";
  try { answer.textContent = JSON.stringify(say()); } catch (e) { answer.textContent = JSON.stringify(String(e.stack)); } }
</script>"""


class Page(Flow):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="umbel-page-") as scratch:
            page = pathlib.Path(scratch) / "plan.html"
            done = subprocess.run([TOOL, "plan", "--html", page], capture_output=True, timeout=100)
            if (done.returncode, done.stdout, done.stderr) != (0, b"", b""):
                raise AssertionError(done)
            cls.text = page.read_text()

    def ask(self, question, fragment="", *flags):
        """The value of a JavaScript expression in the page, as a browser with these flags shows it."""
        page = self.here / "asked.html"
        page.write_text(self.text + LOOK % question)
        done = subprocess.run([*BROWSER, *flags, f"--user-data-dir={self.here}/browser", "--dump-dom",
                               f"file://{page}#{fragment}"], capture_output=True, timeout=60)
        found = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout.decode(), re.S)
        self.assertTrue(found, done.stderr.decode()[-2000:])
        return json.loads(html.unescape(found[1]))

    def test_it_is_one_file(self):
        self.assertNotRegex(self.text, r"""(?i)(src|href)\s*=|@import|url\(|fetch\(|https?://""")
        self.assertLess(len(self.text), 2_000_000)

    # Every kind at a thousand settings of the sliders (some of them, unless there is time): what the page shows is what
    # `umbel plan` says.
    def test_its_numbers_are_the_librarys(self):
        shown = self.ask("({keys: data.keys, rates: data.rates, kinds: Object.fromEntries(data.kinds.map(kind => [kind.name, "
                         "data.keys.map((_, k) => data.rates.map((_, r) => planned(kind, k, r)))]))})")
        settings = [(k, r) for k in range(len(shown["keys"])) for r in range(len(shown["rates"]))]
        self.assertGreaterEqual(len(settings), 1000)
        settings = random.Random(6).sample(settings, 1000 if "UMBEL_LONG" in os.environ else 100)

        def said(setting, *needs):
            keys, rate = shown["keys"][setting[0]], shown["rates"][setting[1]]
            done = self.umbel("plan", "--keys", keys, "--fpr", repr(rate), "--json", *needs)
            return {row["kind"]: row for row in json.loads(done.stdout)} if done.returncode == 0 else {}

        with ThreadPoolExecutor(2) as crew:
            answers = list(crew.map(lambda s: {**said(s, "--forget"), **said(s, "--values", "8")}, settings))
        compared = 0
        for (k, r), rows in zip(settings, answers):
            for kind, plans in shown["kinds"].items():
                plan, row = plans[k][r], rows.get(kind)
                self.assertEqual(plan is None, row is None, (kind, shown["keys"][k], shown["rates"][r]))
                if plan is None:
                    continue
                self.assertAlmostEqual(plan["bits"], row["bits_per_key"], delta=0.0006)
                self.assertAlmostEqual(plan["fpr"] / row["fpr"], 1, delta=0.0006)
                self.assertEqual(plan["probes"], row["probes"])
                compared += 1
        self.assertGreater(compared, len(settings) // 2 * len(shown["kinds"]))
        offered = {row["kind"] for rows in answers for row in rows.values()}
        self.assertEqual(set(shown["kinds"]), offered)

    def test_its_table_is_the_plan(self):
        for fragment, words in [("keys=1e7&rate=0.0078125", []),
                                ("keys=1e7&rate=0.0078125&grows&merges", ["--grow", "--merge"]),
                                ("keys=1e7&rate=0.0078125&order=fastest", ["--fastest"]),
                                ("keys=1e7&rate=0.0078125&map", ["--values", "8"])]:
            shown = self.ask("[...document.querySelectorAll('#offers tr')].map(row => row.cells[0].textContent)", fragment)
            rows = self.json("plan", "--keys", "10M", "--fpr", "0.0078125", "--json", *words)
            bits = {row["kind"]: round(row["bits_per_key"], 3) for row in rows}  # the page has no more digits to sort by
            lines = {row["kind"]: row["lines"] if "fastest" in fragment else 0 for row in rows}
            self.assertEqual(sorted(shown), sorted(bits), fragment)
            self.assertEqual([(lines[k], bits[k]) for k in shown], sorted((lines[k], bits[k]) for k in shown), fragment)

    def test_moving_a_slider_moves_everything(self):
        before, after = self.ask("""(() => {
            const see = () => [document.getElementById("summary").textContent, document.getElementById("rate-plot").innerHTML,
                               document.getElementById("growth-plot").innerHTML, location.hash];
            const first = see();
            rate.value = +rate.value + 7; rate.dispatchEvent(new Event("input", { bubbles: true }));
            return [first, see()]; })()""")
        for one, other in zip(before, after):
            self.assertNotEqual(one, other)

    def test_its_plots_are_drawn(self):
        drawn = self.ask("""({rates: document.querySelectorAll("#rate-plot path.curve").length,
            growth: document.querySelectorAll("#growth-plot path.curve").length,
            dots: document.querySelectorAll("#all-plot circle").length,
            bound: document.querySelectorAll("#rate-plot path.bound").length,
            rows: document.querySelectorAll("#offers tr").length,
            empty: [...document.querySelectorAll("path")].filter(p => !p.getAttribute("d")).length,
            wrong: /NaN|Infinity|undefined/.test(document.body.innerHTML.replace(/<script[^]*?<\\/script>/g, ""))})""")
        self.assertEqual((drawn["rates"], drawn["dots"], drawn["bound"]), (drawn["rows"], drawn["rows"], 1))
        self.assertGreater(drawn["growth"], 8)
        self.assertEqual((drawn["empty"], drawn["wrong"]), (0, False))

    def test_it_fits_a_phone(self):
        wide, room = self.ask("[document.documentElement.scrollWidth, innerWidth]", "", "--window-size=500,844")
        self.assertLessEqual(wide, room)
        columns = self.ask("getComputedStyle(document.querySelector('.plots')).gridTemplateColumns.split(' ').length", "",
                           "--window-size=500,844")
        self.assertEqual(columns, 1)

    def test_it_is_dark_in_the_dark(self):
        paper = "getComputedStyle(document.body).backgroundColor"
        self.assertEqual(self.ask(paper, "", "--blink-settings=preferredColorScheme=1"), "rgb(255, 255, 255)")
        self.assertEqual(self.ask(paper, "", "--blink-settings=preferredColorScheme=0"), "rgb(15, 19, 24)")

    def test_what_does_not_go_with_a_page_is_refused(self):
        self.assert_refused(self.umbel("plan", "--html", "a.html", "--json"), "--html")
        self.assert_refused(self.umbel("plan", "--html", "missing/a.html"), "missing")


main()
