"""test_help.py - help, lists and messages that a newcomer can act on."""
import re

from flow import Flow, lines, main

KIND_GROUPS = ["Sets that grow", "Sets that erase", "Static sets", "Maps", "Exact", "For networks"]
GROUPS = ["Build and query", "Change and combine", "Inspect", "Choose and measure", "Shell and manual"]


class Help(Flow):
    def commands(self):
        text = self.umbel("--help").stdout.decode()
        return re.findall(r"(?m)^  ([a-z]+) {2,}", text[:text.index("\nOptions:")])

    def test_the_overview(self):
        text = self.umbel("--help").stdout.decode()
        parts = ["Usage: umbel COMMAND", *(f"\n{group}:\n" for group in GROUPS), "\nKinds of sets and maps",
                 "\nOptions:\n", "\nExamples:\n"]
        places = [text.index(part) for part in parts]
        self.assertEqual(places, sorted(places))
        self.assertTrue(text.startswith(parts[0]))
        self.assertEqual(len(text[places[-1]:].strip().splitlines()), 5)  # a heading and four examples
        self.assertEqual(len(self.commands()), 18)
        for line in text[:places[-2]].splitlines():
            if re.match(r"  [a-z]+ {2,}", line):
                self.assertTrue(line.endswith("."), f"a whole sentence: {line}")

    def test_the_kinds_to_consider_first_are_grouped_as_in_the_list(self):
        text = self.umbel("--help").stdout.decode()
        told = text.split("\nKinds of sets and maps")[1].split("\nOptions:")[0]
        named = re.findall(r"(?m)^  ([A-Z][a-z ]*?)  +(.*)$", told)
        self.assertEqual([group for group, _ in named], KIND_GROUPS)
        grouped = {row["kind"]: row["group"] for row in self.json("kinds", "--json")}
        for group, first in named[:-1]:
            kinds = [word.strip(";") for word in first.split() if word.strip(";") in grouped]
            self.assertTrue(kinds, group)
            self.assertEqual({grouped[kind] for kind in kinds}, {group})

    def test_help_fits_80_columns_and_ends_its_sentences(self):
        for words in [["--help"], ["kinds"], *([c, "--help"] for c in self.commands())]:
            text = self.umbel(*words).stdout.decode()
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)
        for command in self.commands():
            text = self.umbel(command, "--help").stdout.decode()
            self.assertTrue(text.startswith(f"Usage: umbel {command} [OPTIONS]"), text)
            told = text.split("\n\n")[1]
            self.assertTrue(told.endswith("."), told)

    def test_no_word_that_a_newcomer_must_guess(self):
        texts = [self.umbel("--help"), self.umbel("man"), self.umbel("kinds"), self.umbel("kinds", "--wide")]
        texts += [self.umbel(command, "--help") for command in self.commands()]
        for text in texts:
            for word in ["stranger", "others may be", "now and then", "who ", "wish", "dear", "sheet"]:
                self.assertNotIn(word, text.stdout.decode().lower().replace("whole", ""))

    def test_the_manual_has_every_summary_whole(self):
        page = self.umbel("man").stdout.decode().replace("\\-", "-")
        for command in self.commands():
            told = self.umbel(command, "--help").stdout.decode().split("\n\n")[1]
            self.assertIn(" ".join(told.split())[:60].replace("`", "\\(ga"), page)


class Kinds(Flow):
    def test_a_list_with_headings_and_sentences(self):
        text = self.umbel("kinds").stdout.decode()
        rows = {row["kind"]: row for row in self.json("kinds", "--json")}
        for kind, row in rows.items():
            self.assertRegex(text, rf"(?m)^  {kind}\b")
            self.assertTrue(row["summary"].endswith("."), row)
            self.assertIn(row["summary"].replace(" ", ""), re.sub(r"\s", "", text))
        headings = re.findall(r"(?m)^[A-Z][^.\n]*$", text.split("In brackets")[0])
        self.assertEqual([heading.split(":")[0] for heading in headings], KIND_GROUPS)
        for group, listed in zip(KIND_GROUPS, re.split(r"(?m)^[A-Z][^.\n]*$", text.split("In brackets")[0])[1:]):
            told = set(re.findall(r"(?m)^  ([a-z0-9-]+) {2}", listed))
            self.assertEqual(told, {kind for kind, row in rows.items() if row["group"] == group})
            self.assertTrue(told or group == "For networks")
        entry = re.search(r"(?ms)^  quotient-filter .*?\)", text).group(0)
        self.assertIn("(add, erase, merge, count, can be full)", " ".join(entry.split()))
        self.assertNotIn(" - ", text.split("In brackets")[0].replace("n - 1", ""))

    def test_the_table_is_still_there(self):
        wide = self.umbel("kinds", "--wide").stdout.decode()
        self.assertTrue(wide.startswith("kind "))
        self.assertRegex(wide, r"(?m)^bloom-filter +set +boolean +- ")


class Messages(Flow):
    def bloom(self, name, *words, kind="bloom-filter"):
        self.made(lines(*range(100)), "--kind", kind, *words, name=name)

    def test_merge_names_both_files_and_the_remedy(self):
        self.bloom("mon", "--keys", "1000", "--fpr", "1%")
        self.bloom("tue", "--keys", "100", "--fpr", "1%")
        self.bloom("seed", "--keys", "1000", "--fpr", "1%", "--seed", "7")
        self.bloom("tags", "--keys", "1000", "--fpr", "1%", kind="quotient-filter")
        self.bloom("wed", "--keys", "1000", "--fpr", "1%", "--probes", "3")
        self.bloom("thu", "--keys", "1000", "--fpr", "1%", "--scheme", "enhanced")
        self.made(lines(1), name="fixed")
        for other, parts in [("tue", [r"mon has [\d,]+ bits, tue has [\d,]+\. Build both with the same --keys and --fpr"]),
                             ("seed", [r"mon was built with --seed 0, seed with --seed 7", "same --seed"]),
                             ("tags", [r"mon holds a bloom-filter, tags holds a quotient-filter", "same --kind"]),
                             ("wed", [r"mon has [\d,]+ bits, wed has [\d,]+\. .* --keys and --fpr and the same --probes$"]),
                             ("thu", [r"same --(scheme|keys)"])]:
            for verb in ["merge", "intersect"]:
                done = self.umbel(verb, "mon", other, "-o", "out")
                self.assert_refused(done, f"cannot {verb}: ")
                for part in parts:
                    self.assertRegex(done.stderr.decode(), part)
        self.assert_refused(self.umbel("merge", "fixed", "fixed", "-o", "out"), "a binary-fuse-filter does not merge", "--merge")
        self.assert_refused(self.umbel("estimate", "mon", "tue"), "cannot compare: mon has", "tue has")

    def test_what_is_refused_is_named_as_the_command_line_has_it(self):
        for words, says in [(["--fpr", "7"], "--fpr: expected a rate between 0 and 1"),
                            (["--fpr", "1e-30"], "--fpr: rates below 2^-64"),
                            (["--map", "--kind", "cascade-map", "--value-bits", "9"], "--value-bits: a cascade-map"),
                            (["--kind", "bloom-filter", "--scheme", "double"], "--scheme: double hashing needs"),
                            (["--kind", "binary-fuse-filter", "--probes", "3"], "--probes: "),
                            (["--kind", "ribbon-filter", "--preset", "no"], "--preset: "),
                            (["--map", "--kind", "coded-map", "--form", "no"], "--form: ")]:
            done = self.umbel("build", "-q", "-o", "x", *words, given=b"a\t1\nb\t2\n")
            self.assert_refused(done, f"umbel: {says}")

    def test_a_full_filter_says_how_much_room_it_needs(self):
        self.bloom("seen", "--keys", "1000", "--fpr", "1%", kind="cuckoo-filter")
        before = (self.here / "seen").read_bytes()
        done = self.umbel("add", "seen", given=lines(*range(10_000, 22_000)))
        self.assert_refused(done, "cuckoo-filter is full after", "of 12,000 keys", "Build it with --keys 12100 or more")
        self.assertEqual((self.here / "seen").read_bytes(), before)

    def test_what_is_built_and_how_to_choose_another(self):
        done = self.umbel("build", "-o", "x", given=b"a\n")
        self.assertIn(b"building a binary-fuse-filter (default for a fixed list; use --kind to choose another)", done.stderr)
        done = self.umbel("build", "--map", "-o", "x", given=b"a\t1\nb\t2\n")
        self.assertRegex(done.stderr.decode(), r"building an? [a-z-]+-map .*use --kind to choose another")

    def test_erase_warns_in_plain_words(self):
        shown = " ".join(self.umbel("erase", "--help").stdout.decode().split())
        self.assertIn("Erase only keys that were added; erasing another key can remove one that was.", shown)

    def test_info_tells_choices_by_name(self):
        for words, field, name in [(["--kind", "bloom-filter", "--scheme", "enhanced"], "scheme", "enhanced"),
                                   (["--kind", "ribbon-filter", "--preset", "compact"], "preset", "compact"),
                                   (["--kind", "perfect-hash", "--preset", "levels"], "form", "levels"),
                                   (["--kind", "matrix-filter", "--form", "exact"], "form", "exact")]:
            path = self.made(lines(*range(1000)), *words)
            self.assertRegex(self.umbel("info", path).stdout.decode(), rf"(?m)^  {field} +{name}$")
            self.assertIn({"name": field, "value": name}, self.json("info", "--json", path)["fields"])
        path = self.made(b"".join(b"%d\t%d\n" % (i, i % 7 == 0) for i in range(1000)), "--map", "--kind", "coded-map",
                         "--form", "dominant")
        self.assertIn({"name": "form", "value": "dominant"}, self.json("info", "--json", path)["fields"])


main()
