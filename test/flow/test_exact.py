"""test_exact.py - exact sets and their universe: swapped lists are detected, and the number of keys
on either side is reported.
"""
from flow import Flow, lines, main

KINDS = ["exact-set", "exact-cascade-set"]


class Exact(Flow):
    def setUp(self):
        super().setUp()
        self.file("all", lines(*range(1000)))
        self.file("members", lines(*range(10)))
        self.file("others", lines(*range(10, 1000)))

    def test_swapped_lists_are_refused(self):
        for kind in [[], *(["--kind", k] for k in KINDS)]:
            done = self.umbel("build", "-q", "--exact", *kind, "--universe", "members", "all", "-o", "out")
            self.assert_refused(done, "990 of the 1,000 members are not in members", "swapped",
                                "--universe-without-members")
        self.assert_folder_holds("all", "members", "others")

    def test_a_universe_of_non_members_must_be_said_to_be_one(self):
        done = self.umbel("build", "-q", "--exact", "--universe", "others", "members", "-o", "out")
        self.assert_refused(done, "10 of the 10 members are not in others", "--universe-without-members")
        for kind in KINDS:
            self.made(lines(*range(10)), "--kind", kind, "--universe", "others", "--universe-without-members", name="a")
            self.made(lines(*range(10)), "--kind", kind, "--universe", "all", name="b")
            self.assertEqual((self.here / "a").read_bytes(), (self.here / "b").read_bytes())
        self.assert_refused(self.umbel("build", "--universe-without-members", "-o", "x", given=b"a\n"), "--universe FILE")

    def test_both_sides_are_counted(self):
        words = ["build", "--exact", "--universe", "all", "members", "-o", "out"]
        self.assertIn(b"10 keys that are members, 990 that are not", self.umbel(*words).stderr)
        out = self.json(*words, "-q", "--json")
        self.assertEqual((out["members"], out["non_members"], out["expected_fpr"]), (10, 990, 0))

    def test_nothing_left_to_reject_is_a_warning(self):
        done = self.umbel("build", "--exact", "--universe", "all", "all", "-o", "out")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"warning: the universe holds no other key than the members", done.stderr)
        self.assertNotIn(b"warning", self.umbel("build", "--exact", "--universe", "all", "members", "-o", "out").stderr)

    def test_a_kind_says_that_the_set_is_exact(self):
        for kind in KINDS:
            path = self.made(lines(*range(10)), "--kind", kind, "--universe", "all")
            self.assertEqual(self.umbel("query", path, "all").stdout, lines(*range(10)))
            self.assert_refused(self.umbel("build", "--kind", kind, "-o", "x", given=b"a\n"), "--universe FILE")
            for option in ["--fpr", "--bits-per-key"]:
                done = self.umbel("build", "--kind", kind, "--universe", "all", option, "0.5", "-o", "x", given=b"1\n")
                self.assert_refused(done, option.strip("-"))
        self.assert_refused(self.umbel("build", "--kind", "binary-fuse-filter", "--universe", "all", "-o", "x", given=b"a\n"),
                            "--universe", "--exact")

    def test_info_promises_no_error_on_the_universe(self):
        for kind in KINDS:
            path = self.made(lines(*range(10)), "--kind", kind, "--universe", "all")
            text = self.umbel("info", path).stdout.decode()
            self.assertRegex(text, r"(?m)^false positives +none on its universe")
            self.assertRegex(text, r"(?m)^members +10$")
            self.assertRegex(text, r"(?m)^non-members +990$")
            out = self.json("info", "--json", path)
            self.assertEqual((out["expected_fpr"], out["universe"]), (0, 1000))


main()
