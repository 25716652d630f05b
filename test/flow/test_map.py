"""test_map.py - builds a map from a table and queries its values."""
import os
import select
import subprocess

from flow import TOOL, Flow, lines, main

BIRDS = b"wren\tsmall\nkite\tlarge\nrobin\tsmall\nheron\tlarge\nswan\thuge\nfinch\tsmall\n"
SIZES = b"wren\t10\nkite\t60\nrobin\t14\nheron\t90\n"


def table(pairs, delimiter="\t"):
    return lines(*(f"{key}{delimiter}{value}" for key, value in pairs))


class Maps(Flow):
    def mapped(self, given, *words, name="map.umbel"):
        return self.made(given, "--map", *words, name=name)

    def test_every_map_kind_gives_back_every_line(self):
        maps = self.kinds_that(output="value")
        self.assertIn("binary-fuse-map", maps)
        texts = table((f"key {i}", ["red", "green", "blue", "sea green"][i * i % 7 % 4]) for i in range(5000))
        numbers = table((f"key {i}", i % 8) for i in range(5000))
        keys = lines(*(f"key {i}" for i in range(5000)))
        others = lines(*(f"stone {i}" for i in range(5000)))
        for kind in maps:
            for given in [texts, numbers]:
                with self.subTest(kind):
                    path = self.mapped(given, "--kind", kind, "--fpr", "1%")
                    for how in [[], ["--mmap"]]:
                        done = self.umbel("get", *how, path, given=keys)
                        self.assertEqual((done.returncode, done.stdout), (0, given))
                    self.assertEqual(self.umbel("query", path, given=keys).stdout, keys)
                    passed = int(self.umbel("get", "-c", path, given=others).stdout)
                    self.assertLess(passed, 50 + 5 * 50 ** 0.5)  # 5000 at 1%, five standard deviations

    def test_without_a_kind_the_smallest_is_chosen_and_named(self):
        done = self.umbel("build", "--map", "-o", "x", given=BIRDS)
        self.assertEqual(done.returncode, 0)
        chosen = self.json("info", "--json", "x")["kind"]
        self.assertIn(chosen.encode(), done.stderr)
        self.assertIn(b"smallest", done.stderr)
        rows = table((f"key {i}", i % 5) for i in range(20_000))
        sizes = {}
        for kind in self.kinds_that(output="value"):
            sizes[kind] = self.json("build", "-q", "--json", "--map", "--kind", kind, "-o", "x",
                                    self.file("rows", rows))["planned_bits_per_key"]
        made = self.json("build", "-q", "--json", "--map", "-o", "x", self.file("rows", rows))
        self.assertEqual(made["planned_bits_per_key"], min(sizes.values()))

    def test_forms_of_a_matrix(self):
        for form in ["grouped", "tabulated", "exact", "dense"]:
            with self.subTest(form=form):
                path = self.mapped(BIRDS, "--kind", "matrix-map", "--form", form)
                facts = self.json("info", "--json", path)
                self.assertIn({"name": "form", "value": form}, facts["fields"])
                keys = b"".join(line.split(b"\t")[0] + b"\n" for line in BIRDS.splitlines())
                self.assertEqual(self.umbel("get", path, given=keys).stdout, BIRDS)
        self.assert_refused(self.umbel("build", "-o", "x", "--kind", "matrix-filter", "--form", "dense",
                                       given=lines(*range(5000))), "4096", "grouped")

    def test_unlike_values_are_coded_and_the_note_says_why(self):
        rare = ["blue", "green", "grey"]
        shapes = {"coded_small": lambda i: ["red", "green", "blue", "grey"][min(3, (i & -i).bit_length() - 1)],
                  "dominant": lambda i: rare[i // 40 % 3] if i % 40 == 0 else "red",
                  "escape": None, "plain": None, "coded": None}
        for form, value in shapes.items():
            value = value or shapes["coded_small"]
            rows = table((f"key {i}", value(i)) for i in range(1, 20_001))
            chosen = ["--kind", "coded-map", "--form", form] if form in ("escape", "plain", "coded") else []
            done = self.umbel("build", "--map", "--fpr", "1%", "-o", "x", *chosen, given=rows)
            self.assertEqual(done.returncode, 0)
            if not chosen:
                for word in ["coded-map", form, "entropy", "bits per key"]:
                    self.assertIn(word.encode(), done.stderr)
            keys = lines(*(f"key {i}" for i in range(1, 20_001)))
            for how in [[], ["--mmap"]]:
                self.assertEqual(self.umbel("get", *how, "x", given=keys).stdout, rows)
        quiet = self.json("build", "-q", "--json", "--map", "-o", "x", self.file("rows", rows))
        self.assertAlmostEqual(quiet["bits_per_key"] / quiet["planned_bits_per_key"], 1, delta=0.02)

    def test_found_others_counts_and_status(self):
        path = self.mapped(BIRDS, "--fpr", "2^-30")
        asked = lines("stone", "kite", "pebble", "wren")
        self.assertEqual(self.umbel("get", path, given=asked).stdout, b"kite\tlarge\nwren\tsmall\n")
        self.assertEqual(self.umbel("get", "-v", path, given=asked).stdout, lines("stone", "pebble"))
        self.assertEqual(self.umbel("get", "-c", path, given=asked + asked).stdout, b"4\n")
        self.assertEqual(self.umbel("get", "-vc", path, given=asked).stdout, b"2\n")
        self.assertEqual(self.umbel("get", "-q", path, given=asked).stdout, b"")
        for flags in [[], ["-q"], ["-c"]]:
            self.assertEqual(self.umbel("get", *flags, path, "stone", "kite").returncode, 0)
            self.assertEqual(self.umbel("get", *flags, path, "stone").returncode, 1)
            self.assertEqual(self.umbel("get", *flags, path, given=b"").returncode, 1)
            self.assertEqual(self.umbel("get", "-v", *flags, path, "kite").returncode, 1)
            self.assertEqual(self.umbel("get", "-v", *flags, path, "stone").returncode, 0)

    def test_keys_as_arguments_from_a_file_or_from_a_pipe(self):
        path = self.mapped(BIRDS, "--fpr", "2^-30")
        self.assertEqual(self.umbel("get", path, "swan", "wren", "swan").stdout,
                         b"swan\thuge\nwren\tsmall\nswan\thuge\n")
        keys = self.file("keys", lines("swan", "stone", "wren"))
        self.assertEqual(self.umbel("get", "-f", keys, path).stdout, b"swan\thuge\nwren\tsmall\n")
        self.assertEqual(self.umbel("get", path, "[wren,kite]").returncode, 1)  # what a parser might take for a list
        odd = self.mapped(b"-v\tminus\n", name="odd.umbel")
        self.assertEqual(self.umbel("get", odd, "--", "-v").stdout, b"-v\tminus\n")
        words = [TOOL, "build", "-q", "--map", self.file("birds", BIRDS)]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as build:
            done = self.umbel("get", "-", "kite", stdin=build.stdout)
        self.assertEqual((build.returncode, done.stdout), (0, b"kite\tlarge\n"))

    def test_a_slow_producer_sees_every_answer_at_once(self):
        path = self.mapped(BIRDS, "--fpr", "2^-30")
        process = subprocess.Popen([TOOL, "get", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        for given, said in [(b"kite\n", b"kite\tlarge\n"), (b"stone\nwren\nro", b"wren\tsmall\n"),
                            (b"bin\n", b"robin\tsmall\n")]:
            process.stdin.write(given)
            ready, _, _ = select.select([process.stdout], [], [], 5)
            self.assertEqual(os.read(process.stdout.fileno(), 1000) if ready else None, said)
        process.stdin.close()
        self.assertEqual(process.wait(10), 0)
        process.stdout.close()

    def test_what_goes_in_comes_out(self):
        cases = {  # values as they are written: an integer is what a program would write, anything else is text
            "integers": [0, 7, 12345, 2**40],
            "leading zeros": ["007", "7", "07"],
            "signs and points": ["+1", "-1", "1.0", "1e3"],
            "too large for 64 bits": [2**64 - 1, 2**64],
            "empty": ["", "x"],
            "only empty": [""],
            "delimiters inside": ["a\tb", "\t", "a\t"],
            "one late text": [1, 2, 3, "many"],
        }
        for name, values in cases.items():
            with self.subTest(name):
                given = table((f"key {i}", values[i * len(values) // 300]) for i in range(300))
                path = self.mapped(given)
                self.assertEqual(self.umbel("get", path, given=lines(*(f"key {i}" for i in range(300)))).stdout, given)
                texts = {s["name"] for s in self.json("info", "--json", path)["sections"]} & {"texts"}
                self.assertEqual(texts, set() if name == "integers" else {"texts"})
        rare = b"".join(b"key %d\t%b\n" % (i, bytes([i + 11])) for i in range(240))  # any byte but the line end
        self.assertEqual(self.umbel("get", self.mapped(rare), "key 0").stdout, b"key 0\t\x0b\n")
        long = b"a\t" + b"x" * 700_000 + b"\nb\ty\n"
        self.assertEqual(self.umbel("get", self.mapped(long), "a", "b").stdout, long)

    def test_empty_keys_nul_ends_and_numbers(self):
        path = self.mapped(b"\tnothing\nx\tsomething\n", "--fpr", "2^-30")
        self.assertEqual(self.umbel("get", path, given=b"\n").stdout, b"\tnothing\n")
        path = self.mapped(b"a\nb\tc\nd\0e\tf\0", "-0", "--fpr", "2^-30")
        self.assertEqual(self.umbel("get", "-0", path, given=b"a\nb\0x\0e\0").stdout, b"a\nb\tc\nd\0e\tf\0")
        path = self.mapped(b"42\tx\n-1\ty\n", "--key-type", "u64", "--fpr", "2^-30")
        self.assertEqual(self.umbel("get", "--key-type", "u64", path, "042", "7").stdout, b"042\tx\n")
        self.assert_refused(self.umbel("get", "--key-type", "u64", path, "42", "x"), "argument:2", '"x"')

    def test_delimiters(self):
        for word, byte in [(",", b","), (":", b":"), ("\\t", b"\t"), (" ", b" ")]:
            given = b"wren%bsmall %b bird\n" % (byte, byte)
            path = self.mapped(given, "-d", word)
            self.assertEqual(self.umbel("get", path, "wren").stdout, b"wren\tsmall %b bird\n" % byte)
            self.assertEqual(self.umbel("get", "-d", word, path, "wren").stdout, given)
        for bad in ["", "ab", "é"]:
            self.assert_refused(self.umbel("build", "--map", "-d", bad, "-o", "x", given=BIRDS), "--delimiter")

    def test_order_repeats_memory_and_threads_change_nothing(self):
        rows = [f"key {i}\t{['x', 'y', 'zz'][i % 7 % 3]}" for i in range(60_000)]
        for given in [rows, [row.replace("x", "1").replace("y", "2").replace("zz", "3") for row in rows]]:
            first = self.mapped(lines(*given)).read_bytes()
            self.assertEqual(first, self.mapped(lines(*reversed(given)), "--threads", 2).read_bytes())
            self.assertEqual(first, self.mapped(lines(*given, *given[::3]), "--threads", 1).read_bytes())
            self.assertEqual(first, self.mapped(lines(*given), "--memory", "1M").read_bytes())

    def test_texts_are_numbered_by_falling_frequency_then_bytes(self):
        path = self.mapped(b"a\trare\nb\tcommon\nc\tcommon\nd\tbetween\ne\tanother\ne\tanother\ne\tanother\n")
        data = path.read_bytes()
        self.assertIn(b"commonanotherbetweenrare", data)

    def test_secret_keys(self):
        secret = self.file("secret", b"sixteen secrets!")
        path = self.mapped(BIRDS, "--key-file", secret)
        self.assertEqual(self.umbel("get", "--key-file", secret, path, "kite").stdout, b"kite\tlarge\n")
        self.assert_refused(self.umbel("get", path, "kite"), "--key-file")

    def test_no_lines_and_one_line(self):
        for words in [[], ["--value-type", "string"], ["--value-type", "u64"]]:
            self.assertEqual(self.umbel("get", self.mapped(b"", *words), given=BIRDS).returncode, 1)
        self.assertEqual(self.umbel("get", self.mapped(b"a\tb"), "a").stdout, b"a\tb\n")

    def test_value_bits_and_types(self):
        path = self.mapped(SIZES, "--value-bits", "12", "--kind", "binary-fuse-map")
        self.assertIn({"name": "value_bits", "value": 12}, self.json("info", "--json", path)["fields"])
        self.assertIn({"name": "value_bits", "value": 7},
                      self.json("info", "--json", self.mapped(SIZES, "--kind", "binary-fuse-map"))["fields"])
        path = self.mapped(SIZES, "--value-type", "string")
        self.assertIn({"name": "texts", "value": 4}, self.json("info", "--json", path)["fields"])
        self.assertEqual(self.umbel("get", path, "heron").stdout, b"heron\t90\n")

    def test_reports(self):
        said = self.umbel("build", "-v", "--map", "-o", "x", given=BIRDS).stderr.decode()
        self.assertIn("3 different values", said)
        said = self.umbel("build", "-v", "--map", "-o", "x", given=SIZES).stderr.decode()
        self.assertIn("integers of 7 bits", said)
        out = self.json("build", "-q", "--json", "--map", "-o", "x", self.file("birds", BIRDS + BIRDS))
        self.assertEqual((out["lines"], out["keys"], out["value_bits"], out["texts"]), (12, 6, 2, 3))


class Quotes(Flow):
    """Between other delimiters than tabs, keys and values are fields of a table, as with --field."""

    def pairs(self, given, *words):
        path = self.made(given, "--map", "-d", ",", "--fpr", "1e-9", *words)
        return lambda *keys: self.umbel("get", path, *keys).stdout

    def test_keys_and_values_in_quotes(self):
        get = self.pairs(b'"doe, jane",7\n"a ""b""",8\r\n"",9\nplain,10\n')
        self.assertEqual(get("doe, jane", 'a "b"', "", "plain"), b'doe, jane\t7\na "b"\t8\n\t9\nplain\t10\n')
        self.assertEqual(get('"doe', '"doe, jane"', '"a ""b"""'), b"")
        get = self.pairs(b'x,"one, two"\r\ny,"say ""no"""\nz,""\nu,a,b\nv,a"b\nw,a,"b"\n')
        self.assertEqual(get("x", "y", "z", "u", "v", "w"),
                         b'x\tone, two\ny\tsay "no"\nz\t\nu\ta,b\nv\ta"b\nw\ta,"b"\n')
        # Integers in quotes are integers: what they were for does not matter to a map.
        path = self.made(b'a,"1"\nb,2\n', "--map", "-d", ",", "--value-type", "u64")
        self.assertEqual(self.umbel("get", path, "a", "b").stdout, b"a\t1\nb\t2\n")

    def test_fields_that_contain_line_ends(self):
        get = self.pairs(b'"a\nb",1\nc,2\n')
        self.assertEqual(get("c"), b"c\t2\n")
        path = self.made(b'a,"one\r\ntwo"\r\nb,three\r\n', "--map", "-d", ",")
        self.assertEqual(self.umbel("get", path, "a", "b").stdout, b"a\tone\r\ntwo\nb\tthree\n")

    def test_quotes_between_tabs_are_bytes(self):
        path = self.made(b'"a\t1\nb"\t2\n', "--map", "--fpr", "1e-9")
        self.assertEqual(self.umbel("get", path, '"a', 'b"').stdout, b'"a\t1\nb"\t2\n')

    def test_line_numbers_count_the_lines_inside_fields(self):
        def refused(given, *parts, words=()):
            self.assert_refused(self.umbel("build", "--map", "-d", ",", "-o", "x", *words, given=given), *parts)

        long = b'"a\nb\nc",1\n"d\ne",2\n'
        refused(long + b"x\n", "standard input:6", '","')
        refused(long + b"x,300\n", "standard input:6", "9 bits", words=["--value-bits", "8"])
        refused(long + b"x,y\n", "standard input:6", "integer", words=["--value-type", "u64"])
        refused(long + b'"a\nb\nc",5\n', "standard input:6", "standard input:1", "5", "1")
        path = self.file("table", long + b"f,1\n" + b'"d\ne",3\n')
        self.assert_refused(self.umbel("build", "--map", "-d", ",", "-o", "x", path),
                            f"{path}:7", f"{path}:4", 'key "d\\x0ae"')
        other = self.file("other", b"g,1\n")
        self.assert_refused(self.umbel("build", "--map", "-d", ",", "-o", "x", path, other, path), f"{path}:7")

    def test_what_is_no_pair(self):
        for given, *parts in [(b'"a,1\nb,2\n', "standard input:1", "quote"), (b'"a"\n', "standard input:1", '","'),
                              (b'a,"b",c\n', "standard input:1", "more behind", '"b"'),
                              (b'a,1\nb,"c\n', "standard input:2", "quote")]:
            self.assert_refused(self.umbel("build", "--map", "-d", ",", "-o", "x", given=given), *parts)


class MapErrors(Flow):
    def refused(self, given, *parts, words=()):
        self.assert_refused(self.umbel("build", "--map", "-o", "x", *words, given=given), *parts)
        self.assertFalse((self.here / "x").exists())

    def test_lines_that_are_no_pairs(self):
        self.refused(b"wren\tsmall\nkite large\n", "standard input:2", "a tab", '"kite large"', "--delimiter")
        self.refused(b"wren\tsmall\n\n", "standard input:2", '""')
        self.refused(b"wren\tsmall\n", "standard input:1", '","', words=["-d", ","])
        self.refused(b"1\tx\ntwo\ty\n", "standard input:2", "integer", '"two"', words=["--key-type", "u64"])

    def test_values_that_do_not_fit(self):
        self.refused(b"a\t1\nb\t300\nc\t2\n", "standard input:2", "300", "9 bits", "8", words=["--value-bits", "8"])
        self.refused(b"a\tx\nb\ty\nc\tz\n", "--value-bits", "3 different values", "2 bits", words=["--value-bits", "1"])
        self.refused(b"a\t1\nb\tx\n", "standard input:2", "integer", '"x"', words=["--value-type", "u64"])
        self.refused(b"a\t18446744073709551615\n", "--value-bits", words=["--kind", "binary-fuse-map"])  # 72 bits with a check
        for bits in ["0", "65", "-1", "x"]:
            self.refused(b"a\t1\n", "--value-bits", words=["--value-bits", bits])
        self.refused(b"a\t1\n", "--value-type", words=["--value-type", "int"])

    def test_options_that_do_not_belong(self):
        self.refused(SIZES, "binary-fuse-filter", "is a set", "binary-fuse-map", words=["--kind", "binary-fuse-filter"])
        self.refused(SIZES, "--bits-per-key", words=["--bits-per-key", "12"])
        for words in [["--value-bits", "8"], ["--value-type", "u64"]]:
            self.assert_refused(self.umbel("build", "-o", "x", *words, given=SIZES), words[0], "--map")
        self.assert_refused(self.umbel("build", "-o", "x", "--kind", "binary-fuse-map", given=SIZES), "binary-fuse-map", "--map")

    def test_get_wants_a_map_and_keys(self):
        path = self.made(SIZES)
        self.assert_refused(self.umbel("get", path, "wren"), "set.umbel", "cannot get", "binary-fuse-filter",
                            "umbel query")
        self.assert_refused(self.umbel("get", "-"), "standard input")
        self.assert_refused(self.umbel("get"), "MAP")
        self.assert_refused(self.umbel("get", "none.umbel", "x"), "none.umbel")
        self.assert_refused(self.umbel("get", "-f", "keys", path, "x"), "KEY")
        self.assert_refused(self.umbel("get", self.file("text", SIZES), "x"), "text")


class Conflicts(Flow):
    """One key with two values: an error that names what can be named, however the lines came and wherever they wait."""
    MANY = [f"key {i}\t{i % 5}" for i in range(100_000)]

    def refused(self, *parts, words=(), **more):
        self.assert_refused(self.umbel("build", "--map", "-o", "x", *words, **more), *parts)
        self.assertFalse((self.here / "x").exists())

    def test_a_file_is_read_again_to_name_the_key(self):
        for first, second in [(b"7", b"8"), (b"small", b"large"), (b"7", b"large")]:
            path = self.file("table", b"kite\t%b\nwren\t%b\nrobin\t%b\nwren\t%b\n" % (first, first, first, second))
            self.refused(f"{path}:4", f"{path}:2", 'key "wren"', first.decode(), second.decode(), words=[path])
            with open(path, "rb") as standard:
                self.refused("standard input:4", "standard input:2", 'key "wren"', words=[], stdin=standard)
            with open(path, "rb") as standard:  # not from its beginning
                standard.seek(len(b"kite\t%b\n" % first))
                self.refused("standard input:3", "standard input:1", 'key "wren"', words=["-"], stdin=standard)

    def test_a_pipe_gives_the_lines(self):
        self.refused("standard input:3", "standard input:1", "5", "6", given=b"wren\t5\nkite\t5\nwren\t6\n")

    def test_among_several_files(self):
        one, two = self.file("one", b"a\t1\nb\t2\n"), self.file("two", b"c\t1\na\t3\n")
        empty = self.file("empty", b"")
        self.refused("two:2", "one:1", 'key "a"', "3", "1", words=[one, empty, two])
        self.refused("two:2", "standard input:1", 'key "a"', words=["-", empty, two], given=b"a\t1\n")
        # Of two lines one can be read again.
        self.refused("standard input:1", "one:1", 'key "a"', words=[one, "-"], given=b"a\t5\n")

    def test_in_memory_and_on_disk_the_first_conflict_is_the_one(self):
        rows = self.MANY + ["key 77\t4", "key 5\t3", "key 5\t2"]
        path = self.file("table", lines(*rows))
        for words in [[], ["--memory", "1M"], ["--threads", "1"], ["--memory", "1M", "--threads", "2"]]:
            self.refused("table:100001", "table:78", 'key "key 77"', "4", "2", words=[*words, path])
            self.refused("standard input:100001", "standard input:78", words=words, given=lines(*rows))

    def test_the_same_value_again_is_no_conflict(self):
        path = self.made(b"a\t1\na\t1\na\t1\n" * 1000, "--map")
        self.assertEqual(self.umbel("get", path, "a").stdout, b"a\t1\n")
        self.refused("standard input:3001", "standard input:1", given=b"a\t1\n" * 3000 + b"a\t2\n")

    def test_keys_are_shown_safely(self):
        path = self.file("table", b"\x1b[31m\xff\t1\n\x1b[31m\xff\t2\n")
        self.refused('key "\\x1b[31m\\xff"', words=[path])


class Exact(Flow):
    def test_no_error_on_the_universe(self):
        kinds = self.kinds_that(exact=True)
        if not kinds:
            words = ["build", "--exact", "--universe", self.file("u", b"a\n"), "-o", "x"]
            self.assert_refused(self.umbel(*words), "no kind")
            self.skipTest("this build has no exact kind")
        everything = [f"key {i}" for i in range(20_000)]
        members, others = lines(*everything[::17]), lines(*(k for i, k in enumerate(everything) if i % 17))
        all_keys = self.file("all", lines(*everything))
        rest = self.file("rest", others)
        alone = ["--universe-without-members"]
        for kind in [[], *(["--kind", k] for k in kinds)]:
            for universe in [all_keys, rest]:
                with self.subTest(kind=kind, universe=universe):
                    path = self.made(members, "--exact", "--universe", universe, *kind, *(alone if universe == rest else []))
                    self.assertEqual(self.umbel("query", path, all_keys).stdout, members)
                    self.assertEqual(self.umbel("query", "-v", path, all_keys).stdout, others)

    def test_the_smallest_is_chosen(self):
        if not {"exact-set", "exact-cascade-set"} <= set(self.kinds_that(exact=True)):
            self.skipTest("this build has no choice of exact kinds")
        universe = self.file("universe", lines(*range(50_000)))
        for members, chosen in [(20, "exact-set"), (20_000, "exact-set"), (49_000, "exact-set")]:
            with self.subTest(members):
                words = ["build", "--exact", "--universe", universe, "-o", "chosen"]
                done = self.umbel(*words, given=lines(*range(members)))
                self.assertIn(f"building an {chosen} (smallest for {members:,} members of 50,000 keys", done.stderr.decode())
                facts = self.json("info", "--json", "chosen")
                self.assertEqual(facts["kind"], chosen)
                for other in self.kinds_that(exact=True):
                    path = self.made(lines(*range(members)), "--exact", "--universe", universe, "--kind", other)
                    self.assertLessEqual(facts["size_in_bits"], self.json("info", "--json", path)["size_in_bits"])

    def test_what_belongs_together(self):
        some = self.file("some", b"a\nb\n")
        refused = [(["--exact"], "--universe"), (["--universe", some], "--exact"),
                   (["--exact", "--universe", "-"], "standard input"),
                   (["--exact", "--universe", some, "--map"], "--map"),
                   (["--exact", "--universe", some, "--fpr", "1%"], "--fpr"),
                   (["--exact", "--universe", some, "--kind", "binary-fuse-filter"], "binary-fuse-filter")]
        for words, part in refused:
            self.assert_refused(self.umbel("build", "-o", "x", *words, given=b"a\n"), part)


main()
