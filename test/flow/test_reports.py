"""test_reports.py - help, version, and all tables, as text and as JSON."""
import json
import os
import subprocess
import xml.etree.ElementTree

from flow import FORGETFUL, SETS, TOOL, Flow, lines, main, not_sanitized

COMMANDS = ["build", "query", "get", "info", "verify", "add", "erase", "merge", "intersect", "estimate", "compress",
            "decompress", "kinds", "plan", "bench", "completion", "man"]


class Reports(Flow):
    def test_help_opens_with_the_usage(self):
        for words in [["--help"], ["-h"], ["help"]]:
            done = self.umbel(*words)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            for command in COMMANDS:
                self.assertIn(f"\n  {command} ", done.stdout.decode())
        for command in COMMANDS:
            done = self.umbel(command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertTrue(done.stdout.startswith(f"Usage: umbel {command} ".encode()), done.stdout)
            examples = done.stdout.decode().split("\nExamples:\n")[1].split("\n\n")[0]
            self.assertIn(f"  umbel {command}", examples)
            self.assertEqual(self.umbel("help", command).stdout, done.stdout)
        self.assertEqual(self.umbel().returncode, 2)

    def test_version(self):
        self.assertRegex(self.umbel("--version").stdout.decode(), r"^umbel \d+\.\d+\.\d+\n$")

    def test_kinds(self):
        rows = {row["kind"]: row for row in self.json("kinds", "--json")}
        for row in rows.values():
            for member in ["counts", "erases", "popularity_aware", "false_negatives", "static", "mergeable",
                           "windowed", "expands", "order_dependent", "may_fill", "exact", "assigns", "adapts"]:
                self.assertIsInstance(row[member], bool)
        for kind in SETS:
            self.assertEqual((rows[kind]["family"], rows[kind]["output"]), ("set", "boolean"))
        self.assertEqual({k for k in rows if rows[k]["false_negatives"]},
                         {*FORGETFUL, "removable-bloom-filter", "aging-bloom-filter"})
        self.assertEqual({k for k in rows if rows[k]["popularity_aware"]}, {"variable-bloom-filter", "weighted-bloom-filter"})
        self.assertEqual((rows["binary-fuse-map"]["family"], rows["binary-fuse-map"]["output"]), ("map", "value"))
        self.assertEqual((rows["meta-map"]["family"], rows["meta-map"]["output"]), ("map", "numbers"))
        self.assertEqual([k for k in SETS if rows[k]["static"]], ["best-of-bloom-filter", "selected-bloom-filter",
                                                                  "golomb-coded-set", "hash-list-filter", "xor-filter",
                                                                  "binary-fuse-filter", "binary-fuse4-filter",
                                                                  "adaptive-cuckoo-filter", "sparse-filter",
                                                                  "ribbon-filter", "matrix-filter", "perfect-filter"])
        self.assertEqual((rows["perfect-hash"]["family"], rows["perfect-hash"]["output"]), ("set", "index"))
        self.assertEqual([k for k in rows if rows[k]["assigns"]], ["mutable-bloomier-filter", "indexed-map"])
        self.assertEqual([k for k in rows if rows[k]["adapts"]], ["telescoping-filter", "adaptive-cuckoo-filter"])
        table = self.umbel("kinds", "--wide").stdout.decode()
        for kind in rows:
            self.assertIn(f"\n{kind} ", table)

    @not_sanitized("a sanitized tool does not measure")
    def test_bench(self):
        words = ["bench", "--kinds", "split-block-bloom-filter,binary-fuse-filter", "--keys", "10k"]
        out = self.json(*words, "--json")
        self.assertLessEqual({"rows", "machine", "date", "version", "command"}, set(out))
        self.assertIn("--keys 10k", out["command"])
        grows, static = out["rows"]
        for row in out["rows"]:
            self.assertEqual(row["keys"], 10_000)
            self.assertIsNone(row["key_length"])
            for member in ["bits_per_key", "fpr", "overhead", "build_ns", "build_cold_ns", "hit_ns", "miss_ns",
                           "batch_hit_ns", "batch_miss_ns", "line_read_ns"]:
                self.assertGreater(row[member], 0, member)
        self.assertEqual([row["kind"] for row in out["rows"]], ["split-block-bloom-filter", "binary-fuse-filter"])
        self.assertAlmostEqual(grows["bits_per_key"], 12, delta=0.1)
        self.assertGreater(grows["batch_insert_ns"], 0)
        self.assertAlmostEqual(static["fpr"], 1 / 256, delta=0.0003)
        self.assertIsNone(static["batch_insert_ns"])

    @not_sanitized("a sanitized tool does not measure")
    def test_bench_of_texts(self):
        kinds = ["binary-fuse-filter", "parquet-filter", "cuckoo-filter", "binary-fuse-map", "exact-set"]
        out = self.json("bench", "--kinds", ",".join(kinds), "--keys", "10k", "--key-length", "8,20,100,0", "--json")
        self.assertEqual([(row["key_length"], row["kind"]) for row in out["rows"]],
                         [(length, kind) for length in [8, 20, 100, None] for kind in kinds])
        for row in out["rows"]:
            for member in ["build_ns", "hit_ns", "miss_ns", "batch_hit_ns", "batch_miss_ns"]:
                self.assertGreater(row[member], 0, member)
            self.assertEqual(row["build_cold_ns"] is None, row["key_length"] is not None)
            if row["kind"] in ["binary-fuse-filter", "binary-fuse-map"]:
                self.assertAlmostEqual(row["fpr"], 1 / 256, delta=0.001)
            elif row["kind"] == "exact-set":
                self.assertEqual(row["fpr"], 0)
            else:
                self.assertTrue(0 < row["fpr"] < 0.01, row)

    @not_sanitized("a sanitized tool does not measure")
    def test_bench_of_texts_for_people(self):
        text = self.umbel("bench", "--kinds", "parquet-filter", "--keys", "1k", "--key-length", "20,0").stdout.decode()
        self.assertEqual([line.split(" on ")[0] for line in text.splitlines() if " keys of " in line],
                         ["1,000 keys of 20 bytes", "1,000 keys of 64 bits"])
        self.assertEqual(text.count("\nparquet-filter "), 2)

    def test_bench_refuses_lengths_that_it_cannot_measure(self):
        for length in ["7", "5000", "20,7"]:
            self.assert_refused(self.umbel("bench", "--key-length", length),
                                "--key-length: expected 8 to 4096 bytes, or 0 for 64-bit integers, found")
        self.assert_refused(self.umbel("bench", "--key-length", ""), "--key-length: expected ")
        self.assert_refused(self.umbel("bench", "--key-length", "20,"), "--key-length: expected ")
        self.assert_refused(self.umbel("bench", "--key-length", "8,20", "--plot", "x.svg"),
                            "--plot: expected one --key-length, found 2")

    @not_sanitized("a sanitized tool does not measure")
    def test_bench_for_people_with_a_plot(self):
        done = self.umbel("bench", "--kinds", "bloom-filter,binary-fuse-filter", "--keys", "1e3", "--bits-per-key", "10",
                          "--plot", "plot.svg")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn("\nbloom-filter ", done.stdout.decode())
        plot = xml.etree.ElementTree.parse(self.here / "plot.svg").getroot()
        words = "".join(plot.itertext())
        for part in ["bloom-filter", "binary-fuse-filter", "one random cache line", "prefers-color-scheme: dark"]:
            self.assertIn(part, words)
        self.assertEqual(len(plot.findall("{http://www.w3.org/2000/svg}circle")), 2)
        self.assert_folder_holds("plot.svg")

    def test_info_of_fields_that_are_no_whole_numbers(self):
        path = self.made(lines(*range(100)), "--kind", "scalable-bloom-filter", "--fpr", "0.02")
        fields = self.json("info", "--json", path)["fields"]
        self.assertIn({"name": "fpr", "value": 0.02}, fields)
        self.assertIn({"name": "tightening", "value": 0.85}, fields)
        self.assertRegex(self.umbel("info", path).stdout.decode(), r"(?m)^  tightening +0\.85$")

    def test_info(self):
        keys = lines(*range(20_000))
        for kind in SETS:
            path = self.made(keys, "--kind", kind, *([] if kind == "parquet-filter" else ["--seed", "7"]))
            out = self.json("info", "--json", path)
            version = 2 if kind in ("two-line-bloom-filter", "matrix-filter") else 1
            self.assertEqual((out["kind"], out["version"], out["keyed"]), (kind, version, False))
            self.assertEqual(out["seed"], 0 if kind == "parquet-filter" else 7)
            # The first of many stages to come; entries that are as long as they will ever be.
            least = {"scalable-bloom-filter": 0.0003, "taffy-cuckoo-filter": 0.00005}.get(kind, 0.001)
            self.assertTrue(least < out["expected_fpr"] < 0.005, out)
            self.assertGreater(out["bytes"] * 8, out["size_in_bits"])
            self.assertTrue(out["fields"] and out["sections"])
            if out["keys"]:  # some kinds know, some can tell, some have forgotten
                self.assertAlmostEqual(out["keys"], 20_000, delta=100)  # but for those taken for others
                self.assertAlmostEqual(out["bits_per_key"], out["size_in_bits"] / out["keys"])
            elif out["cardinality"]:
                about = out["cardinality"]
                self.assertAlmostEqual(about["value"], 20_000, delta=5 * about["standard_error"])
            text = self.umbel("info", path).stdout.decode()
            self.assertIn(kind, text)
            self.assertRegex(text, r"\(1 in [\d,]+\)")

    def test_json_of_strange_file_names(self):
        made = self.made(lines("wren")).read_bytes()
        for name in [b'quote" and \\', bytes(range(1, 32)), b"\x7f", "é\u2028\U0001f426".encode(), b"\xff\xfe",
                     b"cut \xe2\x82", b"surrogate \xed\xa0\x80", b"long slash \xc0\xaf", b"beyond \xf4\x90\x80\x80",
                     b"broken \xf0\x9f\x98x"]:
            (self.here / os.fsdecode(name)).write_bytes(made)
            done = subprocess.run([TOOL, "info", "--json", name], capture_output=True, cwd=self.here)
            self.assertEqual(json.loads(done.stdout.decode())["file"], name.decode(errors="replace"))

    def test_info_of_a_keyed_file(self):
        key = self.file("key", b"sixteen secrets!")
        path = self.made(lines("wren"), "--key-file", key)
        out = self.json("info", "--json", path)
        self.assertTrue(out["keyed"])
        self.assertNotIn("keys", out)  # what needs the key is left out
        self.assertIn("--key-file", self.umbel("info", path).stdout.decode())
        self.assertEqual(self.json("info", "--json", "--key-file", key, path)["keys"], 1)

    def test_build_reports_what_was_planned_and_what_came_out(self):
        for kind in SETS:
            out = self.json("build", "-q", "--json", "--kind", kind, "--fpr", "1%", "-o", "x",
                            self.file("keys", lines(*range(50_000))))
            self.assertEqual((out["kind"], out["lines"]), (kind, 50_000))
            self.assertAlmostEqual(out["bits_per_key"] / out["planned_bits_per_key"], 1, delta=0.02)
            self.assertLess(out["expected_fpr"] / out["planned_fpr"], 1.1)
            if kind != "two-choice-bloom-filter":  # planned for growth key by key: a build errs less
                self.assertGreater(out["expected_fpr"] / out["planned_fpr"], 0.9)

    def test_many_repeats_are_pointed_out(self):
        done = self.umbel("build", "-v", "--kind", "bloom-filter", "-o", "x", given=lines(*range(1000)) * 9)
        self.assertIn(b"sort -u", done.stderr)

    def test_info_from_a_pipe(self):
        build = subprocess.Popen([TOOL, "build", "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        build.stdin.write(lines("wren"))
        build.stdin.close()
        done = self.umbel("info", "-", stdin=build.stdout)
        self.assertIn(b"binary-fuse-filter", done.stdout)
        build.stdout.close()
        self.assertEqual(build.wait(), 0)


main()
