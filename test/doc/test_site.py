"""test_site.py - the site of `make doc`: it is made, no link of it is dead, and just the names in
doc/undocumented.txt lack a comment; and the checks that say so find what they look for."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["UMBEL_SOURCE_DIR"])
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
import doc
import doc_reference


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.made.cleanup)
        cls.folder = pathlib.Path(cls.made.name) / "site"
        cls.result = subprocess.run(
            [sys.executable, ROOT / "tools/doc.py", cls.folder], capture_output=True, text=True
        )

    def page(self, name):
        return (self.folder / name).read_text()

    def test_has_no_dead_link_and_no_new_name_without_a_comment(self):
        self.assertEqual(self.result.returncode, 0, self.result.stderr)

    def test_has_every_document(self):
        documents = [
            *ROOT.glob("doc/guide/*.md"),
            *ROOT.glob("doc/theory/*.md"),
            ROOT / "doc/format.md",
            ROOT / "CHANGELOG.md",
        ]
        for path in documents:
            self.assertTrue(
                (self.folder / path.relative_to(ROOT)).with_suffix(".html").is_file(), path
            )

    def test_has_a_page_for_every_kind_with_its_verbs(self):
        names = re.findall(
            r"^UMBEL_KIND\(\w+, (\w+),",
            (ROOT / "include/umbel/any/variants.hpp").read_text(),
            re.MULTILINE,
        )
        self.assertGreater(len(names), 40)
        for name in names:
            page = self.page(f"reference/{name}.html")
            self.assertIn("<h2>Members</h2>", page)
            # Verbs come from core/keyed.hpp, through bases and aliases.
            self.assertRegex(
                page, r'<div class="member"><code>[^<]*\b(may_contain|contains|find|index)\(', name
            )

    def test_shows_the_verbs_that_a_class_has_and_no_others(self):
        grows, fixed = self.page("reference/cuckoo_filter.html"), self.page(
            "reference/binary_fuse_filter.html"
        )
        self.assertIn("erase_batch", grows)
        self.assertNotIn("erase", fixed)
        self.assertNotIn("insert_batch", fixed)
        self.assertIn("may_contain_batch", fixed)
        self.assertIn("find_batch", self.page("reference/ribbon_map.html"))
        self.assertIn("Threads.", grows)
        self.assertIn("The members of", self.page("reference/bloom_filter.html"))

    def test_finds_dead_links(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "a.html").write_text(
                '<h1 id="one"></h1><a href="#one"></a><a href="#two"></a><a href="b.html"></a>'
                '<a href="a.html#one"></a><a href="a.html#none"></a><img src="c.svg">'
            )
            dead = [line.split()[-1] for line in doc.dead_links(folder)]
        self.assertEqual(dead, ["#two", "b.html", "a.html#none", "c.svg"])

    def test_finds_what_has_no_comment(self):
        with tempfile.NamedTemporaryFile("w", suffix=".hpp") as file:
            file.write("""class x {
  // Says one.
  int one();
  int two();
  // Says three.
  bool three(int) {
    // not four
  }
  void three_batch();
  int five;  // says five
  int six;

  int seven();
};
""")
            file.flush()
            said = lambda line, name: doc_reference.comment_of(pathlib.Path(file.name), line, name)
            self.assertEqual(said(3, "one"), "Says one.")
            self.assertEqual(said(4, "two"), "")
            self.assertEqual(said(6, "three"), "Says three.")
            self.assertEqual(said(9, "three_batch"), "Says three.")
            self.assertEqual(said(10, ""), "says five")
            self.assertEqual(said(11, ""), "")
            self.assertEqual(said(13, "seven"), "")


unittest.main()
