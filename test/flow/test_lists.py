"""test_lists.py - real lists through build, query, verify, merge and convert.

A dictionary, and the names of all files of installed packages.
"""
import glob
import pathlib

from flow import Flow, lines, main

WORDS = pathlib.Path("/usr/share/dict/american-english-huge")
FILES = "/var/lib/dpkg/info/*.list"
KINDS = ["binary-fuse-filter", "ribbon-filter", "split-block-bloom-filter", "golomb-coded-set"]


def names():
    """Every file of every installed package, once."""
    out = set()
    for path in glob.glob(FILES):
        out.update(pathlib.Path(path).read_bytes().splitlines())
    return sorted(out)


class Lists(Flow):
    def through(self, keys):
        """Builds, queries, verifies, merges and converts. Non-members that look like the keys pass at
        the planned rate."""
        self.assertGreater(len(keys), 20_000)
        text, non_members = lines(*keys), lines(*(key + b" (not here)" for key in keys))
        most = len(keys) * 0.01
        for kind in KINDS:
            path = self.made(text, "--kind", kind, "--fpr", "1%")
            self.assertEqual(self.umbel("query", path, given=text).stdout, text, kind)
            self.assertEqual(self.umbel("query", "-v", "-c", path, given=text).stdout, b"0\n", kind)
            passed = int(self.umbel("query", "-c", path, given=non_members).stdout)
            self.assertLess(passed, most + 5 * most ** 0.5 + 0.05 * most, kind)
            self.assertEqual(self.umbel("verify", path).returncode, 0)
        half = len(keys) // 2
        for name, part in [("left", keys[:half]), ("right", keys[half:]), ("all", keys)]:
            self.made(lines(*part), "--kind", "bloom-filter", "--scheme", "dcso", "--keys", len(keys),
                      "--fpr", "1%", name=name)
        self.assertEqual(self.umbel("merge", "left", "right", "-o", "both").returncode, 0)
        self.assertEqual((self.here / "both").read_bytes(), (self.here / "all").read_bytes())
        for words in [["both", "--to", "dcso", "-o", "theirs"], ["theirs", "-o", "back"]]:
            self.assertEqual(self.umbel("convert", *words).returncode, 0)
        # A DCSO file does not record how keys were made, so the headers differ. The section table
        # after the header holds all other checksums.
        self.assertEqual((self.here / "back").read_bytes()[128:], (self.here / "all").read_bytes()[128:])
        self.assertEqual(self.umbel("query", "back", given=text).stdout, text)

    def test_a_dictionary(self):
        self.through(sorted(set(WORDS.read_bytes().splitlines())))

    def test_file_names(self):
        self.through(names())


main()
