"""test_sets.py - operations on saved sets: merge, intersect, estimate, add, verify."""
import os

from flow import Flow, lines, main

LEFT, RIGHT = range(0, 6000), range(4000, 10000)


def numbers(some):
    return lines(*(f"key {i}" for i in some))


class Sets(Flow):
    def room(self, some, name, kind="bloom-filter", *words):
        """A filter with room for 20,000 keys of 12 bits, however few it is given."""
        return self.made(numbers(some), "--kind", kind, "--keys", "20k", "--bits-per-key", 12, *words, name=name)

    def answers(self, path, some, *words):
        return int(self.umbel("query", "-c", *words, path, given=numbers(some)).stdout)

    def test_merge_is_the_filter_of_all(self):
        for kind in ["bloom-filter", "split-block-bloom-filter", "blocked-bloom-filter"]:
            self.room(LEFT, "left", kind)
            self.room(RIGHT, "right", kind)
            self.room(range(10000), "all", kind)
            done = self.umbel("merge", "left", "right", "-o", "both")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
            self.assertEqual((self.here / "both").read_bytes(), (self.here / "all").read_bytes(), kind)
            piped = self.umbel("merge", "left", "right").stdout
            self.assertEqual(piped, (self.here / "all").read_bytes())

    def test_intersect_keeps_what_is_in_both(self):
        self.room(LEFT, "left")
        self.room(RIGHT, "right")
        self.assertEqual(self.umbel("intersect", "left", "right", "-o", "both").returncode, 0)
        self.assertEqual(self.answers("both", range(4000, 6000)), 2000)
        # A non-member passes if it passes both: at 40 bits per key and 8 probes, of 8,000 keys of
        # one side alone, hardly any.
        self.assertLess(self.answers("both", list(range(4000)) + list(range(6000, 10000))), 20)

    def test_appendable_takes_any_number_of_keys(self):
        done = self.umbel("build", "--appendable", "--fpr", "1%", "-o", "log", given=numbers(range(100)))
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"scalable-bloom-filter", done.stderr)
        for first, last in [(100, 1000), (1000, 20_000), (20_000, 60_000)]:
            self.assertEqual(self.umbel("add", "log", given=numbers(range(first, last))).returncode, 0)
            self.assertEqual(self.answers("log", range(last)), last)
            self.assertLess(self.json("info", "--json", "log")["expected_fpr"], 0.01)
        others = self.answers("log", range(100_000, 200_000))
        self.assertLess(others, 1000 + 5 * 1000 ** 0.5)
        self.assert_refused(self.umbel("build", "--appendable", "--kind", "binary-fuse-filter", given=b"a\n"), "--appendable")

    def test_what_does_not_fit_is_said_of_its_file(self):
        self.room(LEFT, "left")
        self.made(numbers(RIGHT), "--kind", "bloom-filter", "--bits-per-key", 12, name="other-size")
        self.room(RIGHT, "other-seed", "bloom-filter", "--seed", "7")
        self.made(numbers(RIGHT), name="fixed")
        before = (self.here / "left").read_bytes()
        for other in ["other-size", "other-seed", "fixed"]:
            self.assert_refused(self.umbel("merge", "left", other, "-o", "out"), "cannot merge: left ", f", {other} ")
        self.assert_refused(self.umbel("merge", "fixed", "fixed", "-o", "out"), "binary-fuse-filter", "merge")
        self.assert_refused(self.umbel("merge", "left", "missing", "-o", "out"), "missing")
        self.assertEqual((self.here / "left").read_bytes(), before)
        self.assert_folder_holds("left", "other-size", "other-seed", "fixed")

    def test_estimate(self):
        self.room(LEFT, "left")
        self.room(RIGHT, "right")
        out = self.json("estimate", "--json", "left", "right")
        for file, true in zip(out["files"], [6000, 6000]):
            self.assertFalse(file["counted"])
            self.assertLess(abs(file["keys"]["value"] - true), 6 * file["keys"]["standard_error"] + 1)
        [pair] = out["pairs"]
        self.assertEqual((pair["first"], pair["second"]), ("left", "right"))
        error = sum(each["keys"]["standard_error"] for each in out["files"]) + pair["union"]["standard_error"]
        self.assertLess(abs(pair["union"]["value"] - 10000), 6 * error)
        self.assertLess(abs(pair["intersection"] - 2000), 6 * error)
        self.assertAlmostEqual(pair["jaccard"], pair["intersection"] / pair["union"]["value"], 9)
        table = self.umbel("estimate", "left", "right").stdout.decode()
        self.assertIn("Jaccard", table)
        self.made(numbers(LEFT), name="fixed")
        [file] = self.json("estimate", "--json", "fixed")["files"]
        self.assertEqual((file["counted"], file["keys"]["value"]), (True, 6000))

    def test_add(self):
        self.room(range(10000), "all")
        self.room(LEFT, "seen")
        first = (self.here / "seen").read_bytes()
        done = self.umbel("add", "seen", "-", "-o", "more", "--json", given=numbers(range(6000, 10000)))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b'"lines": 4000', done.stdout)
        self.assertEqual((self.here / "seen").read_bytes(), first)
        self.assertEqual((self.here / "more").read_bytes(), (self.here / "all").read_bytes())
        self.assertEqual(self.umbel("add", "seen", given=numbers(range(6000, 10000))).returncode, 0)
        self.assertEqual((self.here / "seen").read_bytes(), (self.here / "all").read_bytes())

    def test_room_is_for_kinds_that_grow(self):
        self.assert_refused(self.umbel("build", "--keys", "5k", "-o", "out", given=b"x\n"), "--keys", "binary-fuse-filter")
        self.assert_refused(self.umbel("build", "--keys", "5k", "--map", "-o", "out", given=b"x\t1\n"), "--keys")
        one = self.made(lines("x"), "--kind", "bloom-filter", "--keys", "5k", "--fpr", "1%", name="one").stat().st_size
        many = self.made(numbers(range(5000)), "--kind", "bloom-filter", "--fpr", "1%", name="many").stat().st_size
        self.assertEqual(one, many)

    def test_erase(self):
        for kind in self.kinds_that(erases=True, false_negatives=False):
            with self.subTest(kind):
                path = self.made(numbers(range(2000)), "--kind", kind, "--keys", "20k", "--fpr", "0.1%", name=kind)
                first = path.read_bytes()
                out = self.json("erase", kind, self.file("gone", numbers(range(500))), "-o", "fewer", "--json")
                self.assertEqual((out["kind"], out["lines"], out["erased"]), (kind, 500, 500))  # with so much room
                self.assertLess(out["expected_fpr"], out["fpr_before"])
                self.assertEqual(path.read_bytes(), first)
                self.assertEqual(self.answers("fewer", range(500, 2000)), 1500)
                self.assertLess(self.answers("fewer", range(500)), 8)  # half of them at 0.1 %: 0.5 and ten deviations
                done = self.umbel("erase", kind, "-q", given=numbers(range(100_000, 100_001)))
                self.assertEqual((done.returncode, done.stdout, done.stderr), (1, b"", b""))
                self.assertEqual(path.read_bytes(), first)
        self.made(numbers(LEFT), name="fixed")
        self.room(LEFT, "plain")
        for name in ["fixed", "plain"]:
            self.assert_refused(self.umbel("erase", name, given=b"x\n"), f"{name}: cannot erase keys: a", "does not erase", "--erase")
        self.assert_refused(self.umbel("erase", "-", given=b"x\n"), "FILTER")

    def test_add_refuses_what_is_static(self):
        self.made(numbers(LEFT), name="fixed")
        before = (self.here / "fixed").read_bytes()
        self.assert_refused(self.umbel("add", "fixed", given=b"x\n"), "fixed: cannot add keys: a binary-fuse-filter is static", "Build it again")
        self.assertEqual((self.here / "fixed").read_bytes(), before)
        self.assert_refused(self.umbel("add", "-", given=b"x\n"), "FILTER")

    def test_add_keeps_the_file_when_input_is_missing(self):
        self.room(LEFT, "seen")
        before = (self.here / "seen").read_bytes()
        self.file("some", numbers(RIGHT))
        self.assert_refused(self.umbel("add", "seen", "some", "missing"), "missing")
        self.assertEqual((self.here / "seen").read_bytes(), before)
        self.assert_folder_holds("seen", "some")

    def test_verify(self):
        self.room(LEFT, "whole")
        data = bytearray((self.here / "whole").read_bytes())
        data[-9] ^= 4
        self.file("bent", data)
        self.file("cut", data[:-100])
        done = self.umbel("verify", "whole")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b"whole: ok, bloom-filter", done.stdout)
        done = self.umbel("verify", "bent", "whole", "cut")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines()[0].split(b":")[0], b"whole")
        for name in [b"bent", b"cut"]:
            self.assertIn(b"umbel: " + name + b": ", done.stderr)
        done = self.umbel("verify", "--json", "bent", "whole")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b'"ok": false', done.stdout)
        self.assertEqual(self.umbel("verify", "-q", "whole").stdout, b"")
        self.assert_refused(self.umbel("verify", "missing"), "missing")
        self.assertEqual(self.umbel("verify", "-", given=(self.here / "whole").read_bytes()).returncode, 0)

    def test_keyed_sets_need_their_key(self):
        self.file("key", os.urandom(16))
        self.room(LEFT, "left", "bloom-filter", "--key-file", "key")
        self.room(LEFT, "same", "bloom-filter", "--key-file", "key")
        for words in [["merge", "left", "same", "-o", "out"], ["estimate", "left"], ["verify", "left"], ["add", "left"]]:
            self.assert_refused(self.umbel(*words), "left: ", "--key-file")
            self.assertEqual(self.umbel(*words, "--key-file", "key").returncode, 0, words)


if __name__ == "__main__":
    main()
