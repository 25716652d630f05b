"""test_build_query.py - builds a filter from a list and queries it."""
import subprocess

from flow import FORGETFUL, SETS, TOOL, Flow, lines, main

BIRDS = lines("wren", "robin", "heron", "kite")
OTHERS = lines(*(f"stone {i}" for i in range(2000)))


class BuildAndQuery(Flow):
    def test_every_set_kind_finds_every_key_and_keeps_the_order(self):
        keys = lines(*(f"key {i}" for i in range(5000)))
        for kind in SETS:
            with self.subTest(kind):
                path = self.made(keys, "--kind", kind, "--fpr", "1%")
                for how in [[], ["--mmap"]]:
                    done = self.umbel("query", *how, path, given=keys)
                    self.assertEqual((done.returncode, done.stdout), (0, keys))
                passed = int(self.umbel("query", "-c", path, given=OTHERS).stdout)
                self.assertLess(passed, 20 + 5 * 20 ** 0.5)  # 2000 at 1%, five standard deviations

    def test_sets_that_may_forget_do_so_as_little_as_they_should(self):
        keys = lines(*(f"key {i}" for i in range(5000)))
        for kind in FORGETFUL:
            with self.subTest(kind):
                path = self.made(keys, "--kind", kind, "--fpr", "1%")
                found = int(self.umbel("query", "-c", path, given=keys).stdout)
                if kind == "generalized-bloom-filter":  # a quarter of the oldest, half that on average; they come by digest
                    self.assertTrue(4200 < found < 4600, found)
                else:  # no bit was cleared yet
                    self.assertEqual(found, 5000)
                self.assertLess(int(self.umbel("query", "-c", path, given=OTHERS).stdout), 20 + 5 * 20 ** 0.5)

    def test_every_scheme_finds_every_key(self):
        keys = lines(*(f"key {i}" for i in range(20000)))
        for scheme in ["triple", "independent", "double", "extended", "enhanced", "triple-modular", "partitioned", "rng",
                       "chunks", "pairwise", "h3", "crc", "dcso"]:
            with self.subTest(scheme):
                path = self.made(keys, "--kind", "bloom-filter", "--scheme", scheme, "--fpr", "1%")
                self.assertEqual(self.umbel("query", path, given=keys).stdout, keys)
                passed = int(self.umbel("query", "-c", path, given=OTHERS).stdout)
                self.assertLess(passed, 20 + 5 * 20 ** 0.5)
        done = self.umbel("build", "--kind", "bloom-filter", "--scheme", "enhancd", "-o", "x", given=keys)
        self.assertIn(b"did you mean enhanced?", done.stderr)
        done = self.umbel("build", "--kind", "golomb-coded-set", "--scheme", "double", "-o", "x", given=keys)
        self.assertIn(b"scheme: a golomb-coded-set offers no choice; leave it out", done.stderr)

    def test_probes_are_as_many_as_asked_for(self):
        path = self.made(BIRDS, "--kind", "bloom-filter", "--bits-per-key", "20", "--probes", "3")
        self.assertRegex(self.umbel("info", path).stdout, rb"probes +3\n")
        for bad in ["0", "1025", "x"]:
            self.assertEqual(self.umbel("build", "--probes", bad, "-o", "x", given=BIRDS).returncode, 2)

    def test_without_a_kind_it_says_which_and_why(self):
        done = self.umbel("build", "-o", "x.umbel", given=BIRDS)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"binary-fuse-filter", done.stderr)
        self.assertEqual(self.umbel("build", "-q", "-o", "x.umbel", given=BIRDS).stderr, b"")

    def test_one_pipe(self):
        birds, asked = self.file("birds", BIRDS), self.file("asked", lines("kite", "stone", "wren"))
        with subprocess.Popen([TOOL, "build", "-q", "--fpr", "2^-30", birds], stdout=subprocess.PIPE) as build:
            query = self.umbel("query", "-", asked, stdin=build.stdout)
        self.assertEqual((build.returncode, query.returncode, query.stdout), (0, 0, lines("kite", "wren")))

    def test_exit_status_tells_found_from_none(self):
        path = self.made(BIRDS, "--fpr", "2^-30")
        for flags in [[], ["-q"], ["-c"]]:
            self.assertEqual(self.umbel("query", *flags, path, given=lines("stone", "kite")).returncode, 0)
            self.assertEqual(self.umbel("query", *flags, path, given=lines("stone")).returncode, 1)
            self.assertEqual(self.umbel("query", *flags, path).returncode, 1)
            self.assertEqual(self.umbel("query", "-v", *flags, path, given=lines("kite")).returncode, 1)
            self.assertEqual(self.umbel("query", "-v", *flags, path, given=lines("stone")).returncode, 0)

    def test_invert_count_quiet(self):
        path = self.made(BIRDS, "--fpr", "2^-30")
        asked = lines("stone", "kite", "pebble", "wren")
        self.assertEqual(self.umbel("query", path, given=asked).stdout, lines("kite", "wren"))
        self.assertEqual(self.umbel("query", "-v", path, given=asked).stdout, lines("stone", "pebble"))
        self.assertEqual(self.umbel("query", "-c", path, given=asked + asked).stdout, b"4\n")
        self.assertEqual(self.umbel("query", "-vc", path, given=asked).stdout, b"2\n")
        self.assertEqual(self.umbel("query", "-q", path, given=asked).stdout, b"")
        self.assertEqual(self.umbel("query", "-c", path, given=lines("stone")).stdout, b"0\n")

    def test_empty_lines_are_the_empty_key(self):
        path = self.made(b"wren\n\nkite\n", "--fpr", "2^-30")
        self.assertEqual(self.umbel("query", path, given=b"\n\nstone\n").stdout, b"\n\n")
        path = self.made(b"wren\n", "--fpr", "2^-30")
        self.assertEqual(self.umbel("query", path, given=b"\n").returncode, 1)

    def test_a_last_line_without_an_end_is_a_line(self):
        path = self.made(b"wren\nkite", "--fpr", "2^-30")
        self.assertEqual(self.umbel("query", path, given=b"kite").stdout, b"kite\n")

    def test_nul_separated_keys_may_hold_line_ends(self):
        path = self.made(b"a\nb\0c\0", "-0", "--fpr", "2^-30")
        self.assertEqual(self.umbel("query", "-0", path, given=b"c\0a\nb\0a\0").stdout, b"c\0a\nb\0")
        self.assertEqual(self.umbel("query", path, given=b"a\nb\n").returncode, 1)

    def test_any_bytes_are_a_key(self):
        odd = [b"\xff\xfe", b"\xc3\x28", b"a\0b", b"\xe2\x82", bytes(range(1, 10)) + bytes(range(11, 256)),
               b"x" * 700_000]
        path = self.made(lines(*odd), "--fpr", "2^-30")
        self.assertEqual(self.umbel("query", path, given=lines(*odd)).stdout, lines(*odd))
        self.assertEqual(self.umbel("query", path, given=lines(b"\xff", b"x" * 699_999)).returncode, 1)

    def test_numbers_are_not_their_digits(self):
        numbers = lines(42, -1, 18446744073709551614, 0)
        path = self.made(numbers, "--key-type", "u64", "--fpr", "2^-30")
        self.assertEqual(self.umbel("query", "--key-type", "u64", path, given=numbers).stdout, numbers)
        self.assertEqual(self.umbel("query", path, given=numbers).stdout, numbers)  # the file says that they are numbers
        digits = self.made(numbers, "--fpr", "2^-30", name="digits")
        self.assertEqual(self.umbel("query", digits, given=b"042\n").returncode, 1)
        # The same 64 bits are the same key, however they are written.
        again = lines("042", -2, 2**64 - 1)
        self.assertEqual(self.umbel("query", "--key-type", "u64", path, given=again).stdout, again)

    def test_files_one_after_another(self):
        one, two = self.file("one", b"wren\nrobin"), self.file("two", b"heron\n")
        self.made(b"kite\n", one, "-", two, "--fpr", "2^-30")
        self.assertEqual(self.umbel("query", "set.umbel", given=BIRDS).stdout, BIRDS)
        self.assertEqual(self.umbel("query", "set.umbel", given=lines("robinheron")).returncode, 1)
        brackets = self.file("[a,b]", BIRDS)  # what a parser might take for a list
        self.made(b"", brackets)
        self.made(b"", "[a,b]")
        self.assertEqual(self.umbel("query", "set.umbel", brackets).stdout, BIRDS)

    def test_no_keys_at_all(self):
        for kind in SETS:
            with self.subTest(kind):
                self.assertEqual(self.umbel("query", self.made(b"", "--kind", kind), given=BIRDS).returncode, 1)

    def test_repeats_and_order_change_nothing(self):
        keys = lines(*range(3000))
        backwards = lines(*reversed(range(3000)))
        for kind in SETS:
            with self.subTest(kind):
                first = self.made(keys, "--kind", kind, "--threads", 1).read_bytes()
                self.assertEqual(first, self.made(backwards, "--kind", kind, "--threads", 2).read_bytes())
        first = self.made(keys, "--kind", "binary-fuse-filter").read_bytes()
        self.assertEqual(first, self.made(keys + keys, "--kind", "binary-fuse-filter").read_bytes())
        self.made(lines(*["same"] * 1000))

    def test_rates_as_people_write_them(self):
        widths = {"0.01": 7, "1%": 7, "1e-3": 10, "2^-8": 8, "1 in 1000": 10, "1/256": 8, "1 in 1e6": 20}
        for rate, bits in widths.items():
            with self.subTest(rate):
                fields = self.json("info", "--json", self.made(BIRDS, "--kind", "binary-fuse-filter", "--fpr", rate))["fields"]
                self.assertIn({"name": "width", "value": bits}, fields)

    def test_bits_per_key_bounds_every_kind(self):
        keys = lines(*range(100_000))
        for kind in SETS:
            # One needs log2(100,000) for the keys alone, the other doubles below 12.2.
            bits = {"hash-list-filter": 25, "taffy-cuckoo-filter": 16}.get(kind, 11)
            with self.subTest(kind):
                made = self.umbel("build", "-q", "--json", "--kind", kind, "--bits-per-key", bits, "-o", "x", given=keys)
                self.assertEqual(made.returncode, 0)
                facts = self.json("info", "--json", "x")
                self.assertLessEqual(facts["size_in_bits"], (bits + 0.02) * 100_000)
                self.assertGreater(facts["size_in_bits"], (bits - 1.5) * 100_000)

    def test_presets_of_ribbons(self):
        names = [f"key {i}" for i in range(100_000)]
        listed = lines(*names)
        given = {"ribbon-filter": listed, "ribbon-map": lines(*(f"{name}\t{i % 7}" for i, name in enumerate(names)))}
        for kind, keys in given.items():
            words = ["--map"] if kind == "ribbon-map" else []
            sizes = []
            for preset in ["fast", "compact", "smallest"]:
                with self.subTest(kind=kind, preset=preset):
                    path = self.made(keys, *words, "--kind", kind, "--preset", preset)
                    facts = self.json("info", "--json", path)
                    self.assertIn({"name": "preset", "value": preset}, facts["fields"])
                    self.assertEqual(self.umbel("query", path, given=listed).stdout, listed)
                    sizes.append(facts["size_in_bits"])
            self.assertEqual(sizes, sorted(set(sizes), reverse=True), "each is smaller than the one before")
            for number, preset in enumerate(["standard_64", "standard_128", "homogeneous_64", "homogeneous_128"], 3):
                words_of = [*words, "--kind", kind, "--preset", preset]
                if kind == "ribbon-map" and number > 4:
                    self.assert_refused(self.umbel("build", "-o", "x", *words_of, given=keys), "homogeneous")
                    continue
                with self.subTest(kind=kind, preset=preset):
                    path = self.made(keys, *words_of)
                    self.assertIn({"name": "preset", "value": preset}, self.json("info", "--json", path)["fields"])
                    self.assertEqual(self.umbel("query", path, given=listed).stdout, listed)
            usual = self.made(keys, *words, "--kind", kind)
            self.assertIn({"name": "preset", "value": "fast"}, self.json("info", "--json", usual)["fields"])
        # Only what is made of ribbons has one of this name.
        path = self.made(given["ribbon-map"], "--map", "--preset", "smallest")
        self.assertIn(self.json("info", "--json", path)["kind"], ["ribbon-map", "coded-map"])
        for words, part in [(["--map", "--kind", "ribbon-map", "--preset", "tiny"], "tiny"),
                            (["--map", "--kind", "binary-fuse-map", "--preset", "fast"], "binary-fuse-map"),
                            (["--exact", "--universe", self.file("all", b"a\n"), "--preset", "fast"], "preset")]:
            self.assert_refused(self.umbel("build", "-o", "x", *words, given=b"a\t1\n"), part)

    def test_a_memory_limit_changes_nothing_but_memory(self):
        keys = lines(*range(300_000))
        for kind in ["binary-fuse-filter", "bloom-filter"]:
            with self.subTest(kind):
                roomy = self.made(keys, "--kind", kind).read_bytes()
                self.assertEqual(roomy, self.made(keys, "--kind", kind, "--memory", "1M").read_bytes())


main()
