"""test_bad_inputs.py - invalid numbers, keys and files through the command line: a short error, and
nothing changed.

The numbers in brackets are those of the list that the library's own hostile tests go through.
"""
import os
import resource

from flow import Flow, lines, main, with_memory

KEYS = lines(*(f"key {i}" for i in range(500)))


class Numbers(Flow):
    def test_what_no_structure_can_be(self):
        for words in [["--keys", "-1"], ["--keys", "18446744073709551615"], ["--keys", "1e30"],  # [2-4]
                      ["--fpr", "0"], ["--fpr", "1"], ["--fpr", "2"], ["--fpr", "-0.01"], ["--fpr", "nan"],  # [5-9]
                      ["--fpr", "inf"], ["--fpr", "-inf"], ["--fpr", "1e-320"], ["--fpr", "1 in 0"],  # [10-11]
                      ["--probes", "0"], ["--probes", "4294967295"], ["--bits-per-key", "0"],  # [14-16]
                      ["--bits-per-key", "nan"], ["--bits-per-key", "-3"]]:
            for kind in ["bloom-filter", "split-block-bloom-filter", "cuckoo-filter", "scalable-bloom-filter"]:
                done = self.umbel("build", "--kind", kind, *words, "-o", "out", given=KEYS)
                self.assertEqual((done.returncode, done.stdout), (2, b""), (kind, words))
                self.assertIn(words[0].lstrip("-").split("-")[0].encode(), done.stderr)
        self.assert_folder_holds()

    def test_what_is_unusual_and_works(self):
        for keys, words in [(b"", []), (b"", ["--keys", "0", "--kind", "bloom-filter"]),  # [1]
                            (lines("a", "b", "c"), ["--kind", "bloom-filter", "--fpr", "0.99"]),  # [12]
                            (lines("a"), ["--kind", "bloom-filter", "--fpr", "0.9999999999999999"]),  # [13]
                            (lines(*["same"] * 1000), []), (lines(""), []),  # [19-21]
                            (b"\xff\xfe\n\x00x\n", [])]:  # [23]
            self.assertEqual(self.umbel("query", "-c", self.made(keys, *words), given=keys).stdout,
                             b"%d\n" % keys.count(b"\n"), words)
        odd = b"with\nline end\0\0\xff\0"
        self.assertEqual(self.umbel("query", "-0", self.made(odd, "-0"), given=odd).stdout, odd)

    def test_two_values_for_one_key(self):  # [19]
        done = self.umbel("build", "--map", "-o", "out", given=b"wren\t1\nrobin\t2\nwren\t3\n")
        self.assert_refused(done, "standard input:3", "value 3", "standard input:1")
        self.assert_folder_holds()

    def test_sets_that_differ_do_not_merge(self):  # [24]
        self.made(KEYS, "--kind", "bloom-filter", name="a")
        self.made(KEYS, "--kind", "bloom-filter", "--seed", 1, name="b")
        before = (self.here / "a").read_bytes(), (self.here / "b").read_bytes()
        self.assert_refused(self.umbel("merge", "a", "b", "-o", "c"), "cannot merge: a ", ", b ")
        self.assertEqual(((self.here / "a").read_bytes(), (self.here / "b").read_bytes()), before)
        self.assert_folder_holds("a", "b")


class Files(Flow):
    def setUp(self):
        super().setUp()
        self.good = self.made(KEYS, "--kind", "bloom-filter", "--fpr", "0.3", name="good").read_bytes()

    def assert_bad(self, path, *parts, commands=("query", "info", "verify", "estimate")):
        """Told by every command that reads a file; by `verify` as exit 1 where the contents are at fault."""
        for command in commands:
            done = self.umbel(command, path, given=b"key 1\n")
            message = done.stderr.decode(errors="replace") + done.stdout.decode(errors="replace")
            newer = "use a newer umbel" in message  # not damage, as far as anyone can tell
            self.assertEqual(done.returncode, 1 if command == "verify" and not newer else 2, (command, message))
            self.assertIn(str(path), message)
            self.assertLessEqual(len(message.splitlines()), 2, message)
            for part in parts:
                self.assertIn(part, message)

    def test_cut_at_every_offset(self):  # [27-29]
        for size in [*range(0, 6), *range(6, len(self.good), 61)]:
            self.assert_bad(self.file("cut", self.good[:size]), commands=["verify"])
        self.assert_bad(self.file("cut", b""))
        self.assert_bad(self.file("cut", self.good[:3]))

    def test_every_flipped_bit_is_found(self):  # [30-40]
        for at in [*range(0, 192, 3), *range(192, len(self.good), 37)]:
            flipped = bytearray(self.good)
            flipped[at] ^= 1 << at % 8
            self.assert_bad(self.file("flipped", bytes(flipped)), commands=["verify"])
        self.assert_bad(self.file("longer", self.good + b"\0"))
        for at, what in [(0, "not an umbel file"), (8, "version"), (12, "byte order")]:
            wrong = bytearray(self.good)
            wrong[at] ^= 0x40
            self.assert_bad(self.file("wrong", bytes(wrong)), commands=["query"])

    def test_paths_that_are_no_files(self):  # [44-45]
        os.mkdir(self.here / "folder")
        for path in ["folder", "/dev/zero", "/dev/null", "missing"]:
            done = self.umbel("query", path, given=b"a\n")
            self.assert_refused(done, path)
        os.mkfifo(self.here / "pipe")
        keeper = os.open(self.here / "pipe", os.O_RDWR)
        self.addCleanup(os.close, keeper)
        self.assert_refused(self.umbel("query", "pipe", given=b"a\n"), "pipe")

    def test_a_sparse_tebibyte(self):  # [46]
        path = self.file("sparse", self.good)
        os.truncate(path, 1 << 40)
        for command in ["query", "info"]:
            done = self.umbel(command, path, given=b"a\n", **with_memory(1 << 30, resource.RLIMIT_DATA))
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"sparse", done.stderr)


main()
