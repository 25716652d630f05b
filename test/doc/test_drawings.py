"""test_drawings.py - the drawings of the guide are what tools/draw.py makes, each opens a page, and
a phone can show it."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(os.environ["UMBEL_SOURCE_DIR"])
KEPT = ROOT / "doc/figure"


class Drawings(unittest.TestCase):
    def test_are_what_the_program_makes(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "tools/draw.py", folder], check=True)
            made = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
        kept = {path.name: path.read_bytes() for path in KEPT.iterdir()}
        self.assertGreater(len(made), 0)
        self.assertEqual(made, kept, "run tools/draw.py")

    def test_each_opens_a_page(self):
        for path in sorted(KEPT.iterdir()):
            page = ROOT / "doc/guide" / f"{path.stem}.md"
            before = page.read_text().split(f"](../figure/{path.name})")
            self.assertEqual(len(before), 2, f"{page} shows {path.name} once")
            self.assertNotIn("\n## ", before[0], f"{page} opens with it")

    def test_fit_a_phone(self):
        for path in sorted(KEPT.iterdir()):
            drawing = xml.etree.ElementTree.parse(path).getroot()  # well formed
            left, top, width, height = map(float, drawing.get("viewBox").split())
            self.assertEqual((left, top, width), (0, 0, 360), path.name)
            style = drawing.find("{*}style").text
            sizes = [float(size) for size in re.findall(r"([\d.]+)px", style)]
            self.assertGreaterEqual(min(sizes), 12, path.name)
            self.assertIn("prefers-color-scheme: dark", style)
            for text in drawing.iter("{*}text"):
                kind = (text.get("class") or "").split()
                advance = (
                    8.2 if "title" in kind else 7.3 if "code" in kind else 6.7
                )  # wider than most letters
                wide, x = advance * len(text.text), float(text.get("x"))
                start = x - wide / 2 if "middle" in kind else x - wide if "end" in kind else x
                self.assertGreaterEqual(start, 0, f"{path.name}: {text.text}")
                self.assertLessEqual(start + wide, width, f"{path.name}: {text.text}")


unittest.main()
