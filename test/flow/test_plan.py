"""test_plan.py - plans: two of keys, rate and memory give the third, and a build keeps what its plan said."""
import re

from flow import Flow, lines, main


class Plans(Flow):
    def plan(self, *words):
        return {row["kind"]: row for row in self.json("plan", "--json", *words)}

    def test_what_is_built_is_what_was_planned(self):
        rows = self.plan("--keys", "20k", "--fpr", "1%")
        keys = lines(*range(20000))
        for kind in ["bloom-filter", "fuse-filter", "ribbon-filter", "golomb-filter", "split-block-bloom-filter"]:
            self.made(keys, "--kind", kind, "--fpr", "1%")
            told = self.json("info", "--json", "set.umbel")
            self.assertLess(abs(told["size_in_bits"] / 8 / rows[kind]["bytes"] - 1), 0.02, kind)
            self.assertLessEqual(rows[kind]["fpr"], 0.01)

    def test_smallest_first(self):
        rows = list(self.plan("--keys", "1M").values())
        self.assertEqual(rows, sorted(rows, key=lambda row: row["bytes"]))
        self.assertGreater(len(rows), 10)

    def test_the_third_of_three(self):
        keys, rate = 1_000_000, 0.01
        wanted = self.plan("--keys", keys, "--fpr", rate)
        for kind in ["bloom-filter", "fuse-filter", "split-block-bloom-filter"]:
            size = wanted[kind]["bytes"]
            by_size = self.plan("--keys", keys, "--memory", size)
            self.assertLessEqual(by_size[kind]["bytes"], size)
            self.assertLess(abs(by_size[kind]["fpr"] / wanted[kind]["fpr"] - 1), 0.01)
            # Segments of a fuse graph grow in steps, so that sizes do not rise evenly with keys.
            self.assertLess(abs(self.plan("--memory", size, "--fpr", rate)[kind]["keys"] / keys - 1), 0.01)
            per_key = self.plan("--keys", keys, "--bits-per-key", 8 * size / keys)
            self.assertAlmostEqual(per_key[kind]["fpr"], by_size[kind]["fpr"], 6)
        rates = [row["fpr"] for row in self.plan("--keys", keys, "--memory", "1M").values()]
        self.assertEqual(rates, sorted(rates))

    def test_units(self):
        same = self.plan("--keys", "1000000", "--fpr", "0.001")
        for keys, rate in [("1e6", "1e-3"), ("1M", "0.1%"), ("1000k", "1 in 1000"), ("1M", "1/1000")]:
            self.assertEqual(self.plan("--keys", keys, "--fpr", rate), same)
        self.assertEqual(self.plan("--keys", "1M", "--memory", "2MiB"), self.plan("--keys", "1M", "--memory", "2097152"))
        self.assertEqual(self.plan("--keys", "1M", "--memory", "2MB"), self.plan("--keys", "1M", "--memory", "2000000"))

    def test_needs(self):
        kinds = {row["kind"]: row for row in self.json("kinds", "--json")}
        for need, trait, has in [("--grow", "static", False), ("--merge", "mergeable", True)]:
            offered = self.plan("--keys", "1M", need)
            self.assertTrue(offered)
            for kind in offered:
                self.assertEqual(kinds[kind][trait], has, (need, kind))
        self.assertEqual({kinds[kind]["family"] for kind in self.plan("--keys", "1M", "--values", "4")}, {"map"})
        self.assertEqual(set(self.plan("--keys", "1M", "--values", "4", "--assign")),
                         {"mutable-bloomier-map", "indexed-map"})
        exact = self.plan("--keys", "1k", "--exact", "--universe", "100k")
        self.assertEqual({kinds[kind]["exact"] for kind in exact}, {True})
        self.assertIsNone(exact["exact-set"]["fpr"])
        trusted, untrusted = self.plan("--keys", "1M"), self.plan("--keys", "1M", "--untrusted")
        self.assertEqual(set(trusted) - set(untrusted), {"parquet-filter"})  # its hash is its own
        self.assertIn("--key-file", self.umbel("plan", "--keys", "1M", "--untrusted").stdout.decode())

    def test_why_the_others_were_left_out(self):
        kinds = {row["kind"]: row for row in self.json("kinds", "--json")}
        for needs in [["--erase"], ["--erase", "--merge"], ["--expand"], ["--window"], ["--forget"], ["--values", "4"],
                      ["--fpr", "1e-9", "--grow"], ["--untrusted"]]:
            rows = self.plan("--keys", "1M", "--why", *needs)
            self.assertEqual(set(rows), set(kinds), "each kind is offered, or left out for a reason")
            offered = self.plan("--keys", "1M", *needs)
            self.assertEqual({kind for kind in rows if "left_out" not in rows[kind]}, set(offered))
            self.assertEqual({kind: rows[kind] for kind in offered}, offered)
            self.assertTrue(all(rows[kind]["left_out"] for kind in set(rows) - set(offered)))
        rows = self.plan("--keys", "1M", "--erase", "--merge", "--why")
        shown = self.umbel("plan", "--keys", "1M", "--erase", "--merge", "--why").stdout.decode()
        for kind in rows:
            self.assertRegex(shown, rf"(?m)^{kind} +{re.escape(rows[kind].get('left_out', '1,000,000'))}")
        self.assertEqual(rows["fuse-filter"]["left_out"], "does not erase, does not merge")
        self.assertEqual(rows["cuckoo-filter"]["left_out"], "does not merge")
        self.assertIn("may answer no", rows["removable-bloom-filter"]["left_out"])
        self.assertIn("reach", self.plan("--keys", "1M", "--fpr", "1e-12", "--why")["cuckoo-filter"]["left_out"])
        nobody = self.umbel("plan", "--keys", "1M", "--erase", "--expand", "--merge", "--why")
        self.assertEqual(nobody.returncode, 1)
        self.assertIn("expandable-filter", nobody.stdout.decode())

    def test_what_erases_is_smaller_than_a_bloom_filter_from_where_it_should(self):
        # From log2(1/rate) = 5.7 and 8.1 on, where whole bits of a slot allow for it; and never below.
        for x in range(4, 13):
            rows = list(self.plan("--keys", "10M", "--fpr", f"2^-{x}", "--grow"))
            for kind, crossing in [("quotient-filter", 5.7), ("cuckoo-filter", 8.1)]:
                self.assertEqual(rows.index(kind) < rows.index("bloom-filter"), x > crossing, (kind, x))

    def test_errors(self):
        for words, parts in [([], ["--keys", "--fpr", "--memory"]),
                             (["--fpr", "1%"], ["--keys", "--memory"]),
                             (["--keys", "1M", "--fpr", "1%", "--memory", "1M"], ["leave one out"]),
                             (["--bits-per-key", "8"], ["--keys"]),
                             (["--keys", "1M", "--exact"], ["--universe"]),
                             (["--keys", "1M", "--universe", "2M"], ["--exact"]),
                             (["--keys", "1M", "--values", "65"], ["--values", "65"]),
                             (["--keys", "1e12", "--memory", "1k"], ["no kind"]),
                             (["--keys", "-1"], ["--keys", "-1"])]:
            self.assert_refused(self.umbel("plan", *words), *parts)


if __name__ == "__main__":
    main()
