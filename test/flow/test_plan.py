"""test_plan.py - plans: two of keys, rate and memory give the third, and a build keeps its plan."""
import os
import pathlib
import re
import shlex
import subprocess

from flow import Flow, lines, main

# Plans of sets by rate and by size, of maps, of exact sets, with and without a secret key.
SETTINGS = [["--keys", "3000", "--fpr", "1%", "--forget"],
            ["--keys", "3000", "--memory", "4000", "--forget"],
            ["--keys", "3000", "--bits-per-key", "12.7", "--untrusted"],
            ["--memory", "4K", "--fpr", "0.001"],
            ["--keys", "3000", "--values", "4", "--untrusted"],
            ["--keys", "1000", "--exact", "--universe", "3000"]]


class Plans(Flow):
    def plan(self, *words):
        return {row["kind"]: row for row in self.json("plan", "--json", *words)}

    def test_what_is_built_is_what_was_planned(self):
        rows = self.plan("--keys", "20k", "--fpr", "1%")
        keys = lines(*range(20000))
        for kind in ["bloom-filter", "binary-fuse-filter", "ribbon-filter", "golomb-coded-set", "split-block-bloom-filter"]:
            self.made(keys, "--kind", kind, "--fpr", "1%")
            told = self.json("info", "--json", "set.umbel")
            self.assertLess(abs(told["size_in_bits"] / 8 / rows[kind]["bytes"] - 1), 0.02, kind)
            self.assertLessEqual(rows[kind]["fpr"], 0.01)

    def test_smallest_first(self):
        rows = list(self.plan("--keys", "1M").values())
        self.assertEqual(rows, sorted(rows, key=lambda row: row["bytes"]))
        self.assertGreater(len(rows), 10)

    def test_kinds_of_equal_rate_in_one_size_are_listed_smallest_first(self):
        rows = self.plan("--keys", "1e9", "--memory", "1GiB")
        ribbon, fuse = rows["ribbon-filter"], rows["binary-fuse4-filter"]
        self.assertEqual(f"{ribbon['fpr']:.3e}", f"{fuse['fpr']:.3e}")
        self.assertLess(ribbon["bits_per_key"], fuse["bits_per_key"] - 0.4)
        self.assertLess(list(rows).index("ribbon-filter"), list(rows).index("binary-fuse4-filter"))

    def test_the_order_is_the_one_the_guide_states(self):
        # Sizes and keys as they are, rates as they are printed; the list of kinds decides last.
        listed = [row["kind"] for row in self.json("kinds", "--json")]

        def size_first(row):
            return row["bits_per_key"], float(f"{row['fpr']:.3e}"), row["lines"], listed.index(row["kind"])

        def rate_first(row):
            return float(f"{row['fpr']:.3e}"), *size_first(row)

        def keys_first(row):
            return -row["keys"], *size_first(row)

        for words, place in [(["--keys", "1M", "--fpr", "1%"], size_first),
                             (["--keys", "1234567", "--fpr", "1 in 1000", "--forget"], size_first),
                             (["--keys", "300", "--fpr", "2^-9"], size_first),
                             (["--keys", "1M", "--values", "8"], size_first),
                             (["--keys", "1e9", "--memory", "1GiB"], rate_first),
                             (["--keys", "1e9", "--memory", "1GiB", "--grow"], rate_first),
                             (["--keys", "3000", "--memory", "4K"], rate_first),
                             (["--keys", "1M", "--bits-per-key", "12.5"], rate_first),
                             (["--memory", "64M", "--fpr", "1%"], keys_first),
                             (["--memory", "1K", "--fpr", "2^-8"], keys_first)]:
            for first, more in [(place, []), (lambda row: (row["lines"], *place(row)), ["--fastest"])]:
                rows = list(self.plan(*words, *more).values())
                self.assertGreater(len(rows), 5)
                self.assertEqual([row["kind"] for row in rows],
                                 [row["kind"] for row in sorted(rows, key=first)], words + more)

    def test_one_kind_is_recommended_with_a_reason(self):
        for words, why in [(["--keys", "10M", "--fpr", "1%"], "it is the smallest"),
                           (["--keys", "10M", "--memory", "16M"], "it has the lowest false positive rate in this size"),
                           (["--memory", "16M", "--fpr", "1%"], "it holds the most keys"),
                           (["--keys", "10M", "--fastest"], "a query reads the fewest cache lines")]:
            rows = self.json("plan", "--json", *words)
            text = self.umbel("plan", *words).stdout.decode()
            told, command, line, rest = re.fullmatch(r"(.*?)\n\n  (.*?)\n  (.*?)\n\n(kind .*)", text, re.S).groups()
            told = " ".join(told.split())
            self.assertTrue(told.startswith(f"Recommended: {rows[0]['kind']}, because {why}"), told)
            self.assertIn(f"of {len(rows)} kinds", told)
            self.assertEqual((command, line), (rows[0]["command"], rows[0]["cpp"]))
            # Under the headings of `umbel kinds`, the best first in each.
            groups = list(dict.fromkeys(row["group"] for row in rows))
            self.assertEqual(re.findall(r"(?m)^([A-Z][a-z ]+)$", rest), groups)
            rows.sort(key=lambda row: groups.index(row["group"]))
            self.assertEqual(re.findall(r"(?m)^([a-z0-9-]+) ", rest)[1:], [row["kind"] for row in rows])

    def test_the_command_builds_what_was_planned(self):
        keys = [f"key {i}" for i in range(3000)]
        self.file("keys.txt", lines(*keys))
        self.file("all.txt", lines(*keys))
        self.file("members.txt", lines(*keys[:1000]))
        self.file("pairs.tsv", lines(*(f"{key}\t{i % 16}" for i, key in enumerate(keys))))
        self.file("secret.key", b"00112233445566778899aabbccddeeff")
        built = set()
        for words in SETTINGS:
            for row in self.json("plan", "--json", *words):
                program, *command = shlex.split(row["command"])
                self.assertEqual((program, command[0]), ("umbel", "build"))
                self.file("keys.txt", lines(*keys[:row["keys"]]))  # of rates near its limit a kind holds few
                done = self.umbel(*command, "-q")
                self.assertEqual((done.returncode, done.stderr), (0, b""), row["command"])
                told = self.json("info", "--json", command[command.index("-o") + 1])
                self.assertEqual(told["kind"], row["kind"])
                if "--memory" in words and "--fpr" not in words:
                    # The size of a Golomb-coded set varies with its keys.
                    room = 1.02 if row["kind"] == "golomb-coded-set" else 1
                    self.assertLessEqual(told["size_in_bits"], room * 8 * 4000, row["command"])
                built.add(row["kind"])
        kinds = {row["kind"] for row in self.json("kinds", "--json")}
        self.assertEqual(kinds - built, {"meta-map", "perfect-hash"})

    def test_the_lines_of_cpp_compile(self):
        programs = {row["cpp"] for words in SETTINGS for row in self.json("plan", "--json", *words)}
        headers = {line.split("  // ")[1] for line in programs}
        self.assertGreater(len(headers), 50)
        text = "".join(f"#include <{header}>\n" for header in sorted(headers))
        text += ("#include <cstdint>\n#include <string>\n#include <utility>\n#include <vector>\n"
                 "const std::vector<std::string> keys, list, universe;\n"
                 "const std::vector<std::pair<std::string, std::uint64_t>> pairs;\nconst umbel::secret_key secret{};\n")
        text += "".join(f"void f{i}() {{ {line}\n}}\n" for i, line in enumerate(sorted(programs)))
        source = self.file("lines.cpp", text.encode())
        include = pathlib.Path(os.environ["UMBEL_SOURCE_DIR"]) / "include"
        done = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", f"-I{include}", source],
                              capture_output=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[:4000])

    def test_the_third_of_three(self):
        keys, rate = 1_000_000, 0.01
        wanted = self.plan("--keys", keys, "--fpr", rate)
        for kind in ["bloom-filter", "binary-fuse-filter", "split-block-bloom-filter"]:
            size = wanted[kind]["bytes"]
            by_size = self.plan("--keys", keys, "--memory", size)
            self.assertLessEqual(by_size[kind]["bytes"], size)
            self.assertLess(abs(by_size[kind]["fpr"] / wanted[kind]["fpr"] - 1), 0.01)
            # Segments of a fuse graph grow in steps, so that sizes do not rise evenly with keys.
            self.assertLess(abs(self.plan("--memory", size, "--fpr", rate)[kind]["keys"] / keys - 1), 0.01)
            per_key = self.plan("--keys", keys, "--bits-per-key", 8 * size / keys)
            self.assertAlmostEqual(per_key[kind]["fpr"], by_size[kind]["fpr"], 6)

    # A table of tags that is too small for the keys is not offered: a build would find it full.
    def test_what_is_offered_for_a_size_takes_all_keys(self):
        static = {row["kind"]: row["static"] for row in self.json("kinds", "--json")}
        keys, built = lines(*range(3000)), 0
        for size in [500, 950, 1500, 2048, 3072]:
            for kind, row in self.plan("--keys", 3000, "--memory", size, "--forget").items():
                # No set that keeps all its keys errs more rarely than 2^-bits.
                if "certainty" not in row["gives_up"]:
                    self.assertGreaterEqual(row["fpr"], 2 ** -row["bits_per_key"] * 0.999, (kind, size))
                if not static[kind]:
                    self.made(keys, "--kind", kind, "--bits-per-key", 8 * size / 3000)
                    built += 1
        self.assertGreater(built, 60)

    def test_memory_is_never_exceeded(self):
        for keys in [7, 1234, 61_234, 999_983]:
            for per_key in [4.3, 8.59, 13.7, 33.1]:
                size = int(keys * per_key / 8)
                rows = self.plan("--keys", keys, "--memory", size)
                self.assertGreater(len(rows), 0 if keys < 1000 else 20, (keys, size))
                for kind, row in rows.items():
                    self.assertLessEqual(row["bytes"], size, (kind, keys))

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
                         {"mutable-bloomier-filter", "indexed-map"})
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
        self.assertEqual(rows["binary-fuse-filter"]["left_out"], "does not erase, does not merge")
        self.assertEqual(rows["cuckoo-filter"]["left_out"], "does not merge")
        self.assertIn("may answer no", rows["removable-bloom-filter"]["left_out"])
        self.assertIn("reach", self.plan("--keys", "1M", "--fpr", "1e-12", "--why")["cuckoo-filter"]["left_out"])
        nobody = self.umbel("plan", "--keys", "1M", "--erase", "--expand", "--merge", "--why")
        self.assertEqual(nobody.returncode, 1)
        self.assertIn("expandable-filter", nobody.stdout.decode())

    def test_what_erases_is_smaller_than_a_bloom_filter_from_where_it_should(self):
        # From log2(1/rate) = 5.7 and 8.1 on, where whole bits of a slot allow for it; and never
        # below.
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
