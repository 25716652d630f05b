"""test_errors.py - every mistake gives exit code 2 and one message that names the cause, and leaves
no file behind.
"""
import subprocess

from flow import PATIENCE, SETS, TOOL, Flow, lines, main, not_sanitized

BIRDS = lines("wren", "robin", "heron", "kite")


class Errors(Flow):
    def test_a_typo_suggests_the_right_word(self):
        self.assert_refused(self.umbel("biuld"), "biuld", "did you mean build?")
        self.assert_refused(self.umbel("qeury", "x"), "did you mean query?")
        self.assert_refused(self.umbel("build", "--fprr", "1%"), "--fprr", "did you mean --fpr?")
        self.assert_refused(self.umbel("build", "--kind", "blom-filter"), "did you mean bloom-filter?")
        self.assert_refused(self.umbel("build", "--kind", "fuse"), "binary-fuse-filter or binary-fuse4-filter or binary-fuse-map or binary-fuse4-map")
        self.assert_refused(self.umbel("bench", "--kinds", "binary-fuse-filter,golom-coded-set"), "did you mean golomb-coded-set?")
        # Of all kinds none can: an error, not an empty table.
        self.assert_refused(self.umbel("bench", "--keys", "1000", "--fpr", "1e-25"), "ask for an exact structure")
        self.assert_refused(self.umbel("xyzzy"), "xyzzy")

    def test_bad_numbers(self):
        for rate in ["0", "1", "2", "-0.01", "nan", "inf", "-inf", "1e-320", "200%", "1 in 0", "0 in 1", "2^8", "abc",
                     "1%%", ""]:
            with self.subTest(fpr=rate):
                self.assert_refused(self.umbel("build", "-o", "x", "--fpr", rate, given=BIRDS), "fpr")
        for keys in ["-1", "0", "1.5", "18446744073709551615", "18446744073709551616", "1e30", "many", "10X", "nan",
                     ""]:
            with self.subTest(keys=keys):
                self.assert_refused(self.umbel("bench", "--kinds", "binary-fuse-filter", "--keys", keys), "keys")
        for bits in ["0", "-1", "nan", "inf", "x", "1e300"]:
            with self.subTest(bits=bits):
                words = ["build", "--kind", "bloom-filter", "-o", "x", "--bits-per-key", bits]
                self.assert_refused(self.umbel(*words, given=BIRDS), "bits")
        for option, value in [("--threads", "0"), ("--threads", "1e9"), ("--memory", "1"), ("--memory", "2X"),
                              ("--seed", "-1"), ("--key-type", "u32")]:
            with self.subTest(option=option, value=value):
                self.assert_refused(self.umbel("build", "-o", "x", option, value, given=BIRDS), option)
        self.assert_folder_holds()

    def test_options_that_contradict(self):
        self.assert_refused(self.umbel("build", "-o", "x", "--fpr", "1%", "--bits-per-key", "9"), "--fpr")
        key = self.file("key", b"0" * 16)
        self.assert_refused(self.umbel("build", "-o", "x", "--seed", "1", "--key-file", key), "--seed")
        self.assert_refused(self.umbel("build", "-o", "x", "--kind", "parquet-filter", "--seed", "1"), "hash")
        self.assert_refused(self.umbel("build", "-o", "x", "--kind", "binary-fuse-filter", "--preset", "fast", given=BIRDS),
                            "preset")
        self.assert_refused(self.umbel("build", "-o", "x", "--kind", "ribbon-filter", "--preset", "fat", given=BIRDS),
                            "preset", "fat")
        self.assert_refused(self.umbel("build", "-o", "x", "--map", "--kind", "coded-map", "--form", "oval", given=b"a\t1\n"),
                            "form", "oval")
        self.assert_refused(self.umbel("build", "-o", "x", "--kind", "binary-fuse-filter", "--form", "plain", given=BIRDS), "form")
        self.assert_refused(self.umbel("query", "-"), "standard input")
        self.assert_refused(self.umbel("build", "-o", "x", "--kind", "binary-fuse-map"), "binary-fuse-map", "value")
        self.assert_refused(self.umbel("build", "-o", "x", "--kind", "exact-cascade-set"), "exact-cascade-set", "universe")
        self.assert_refused(self.umbel("build", "-o", "x", "--kind", "binary-fuse-filter", "--bits-per-key", "1", given=BIRDS),
                            "at least")

    def test_no_file_is_called_nothing(self):
        self.made(BIRDS, "--kind", "bloom-filter", name="a")
        for words, option in [(["build", "-o", ""], "--output"), (["build", "-o", "x", ""], "INPUT"),
                              (["merge", "a", "a", "-o", ""], "--output"), (["merge", "a", "", "-o", "x"], "FILTER"),
                              (["compress", "a", "-o", ""], "--output"), (["compress", "a", "--since", ""], "--since"),
                              (["add", "a", "-o", ""], "--output"), (["query", ""], "FILTER"),
                              (["build", "-o", "x", "--key-file", ""], "--key-file"),
                              (["build", "-o", "x", "--exact", "--universe", ""], "--universe")]:
            self.assert_refused(self.umbel(*words, given=BIRDS), f"umbel: {option}: ", "name of a file")
        self.assert_folder_holds("a")

    def test_paths_that_are_not_there_or_not_files(self):
        good = self.made(BIRDS)
        self.assert_refused(self.umbel("query", "nowhere"), "nowhere", "No such file")
        self.assert_refused(self.umbel("query", good, "nowhere"), "nowhere", "No such file")
        self.assert_refused(self.umbel("build", "-qo", "x", "nowhere"), "nowhere", "No such file")
        self.assert_refused(self.umbel("build", "-qo", "x", "."), "directory")
        for command in ["query", "info"]:
            self.assert_refused(self.umbel(command, "."), "not a regular file")
            self.assert_refused(self.umbel(command, "/dev/zero"), "/dev/zero: ", "not an umbel file")
            self.assert_refused(self.umbel(command, "/dev/null"), "/dev/null: ", "not an umbel file")
        with open("/dev/zero", "rb") as endless:
            self.assert_refused(self.umbel("info", "-", stdin=endless), "not an umbel file")
        self.assert_folder_holds("set.umbel")

    def test_damaged_files(self):
        whole = self.made(lines(*range(1000))).read_bytes()
        for name, content, part in [("empty", b"", "not an umbel file"), ("text", BIRDS * 50, "not an umbel file"),
                                    ("short", whole[:5], "not an umbel file"), ("cut", whole[:-1], "cut short"),
                                    ("longer", whole + b"\0", "follows the end"),
                                    ("front", whole[:20] + b"X" + whole[21:], "damaged")]:
            self.file(name, content)
            with self.subTest(name):
                for command in [["query"], ["query", "--mmap"], ["info"]]:
                    self.assert_refused(self.umbel(*command, name), f"umbel: {name}: ", part)
        for at in range(128, len(whole), 97):  # the cells too, wherever a bit is wrong
            broken = bytearray(whole)
            broken[at] ^= 4
            self.assert_refused(self.umbel("query", self.file("broken", broken), given=lines(1)), "broken")
            self.assert_refused(self.umbel("query", "-", "text", given=bytes(broken)), "standard input")
        with open(self.here / "sparse", "wb") as sparse:
            sparse.truncate(1 << 40)
        self.assert_refused(self.umbel("query", "sparse"), "sparse")

    def test_secret_keys(self):
        raw, other = self.file("raw", bytes(range(16))), self.file("other", b"another key here")
        hexa = self.file("hexa", bytes(range(16)).hex().encode() + b"\n")
        path = self.made(BIRDS, "--key-file", raw)
        for key in [raw, hexa]:
            self.assertEqual(self.umbel("query", "--key-file", key, path, given=BIRDS).stdout, BIRDS)
        self.assert_refused(self.umbel("query", path, given=BIRDS), "set.umbel", "--key-file")
        self.assert_refused(self.umbel("query", "--key-file", other, path, given=BIRDS), "set.umbel",
                            "another secret key")
        self.assert_refused(self.umbel("info", "--key-file", other, path), "another secret key")
        for bad in [b"", b"x" * 15, b"x" * 17, b"g" * 32, b"0" * 33, b"0" * 1000]:
            self.assert_refused(self.umbel("build", "-o", "x", "--key-file", self.file("bad", bad)), "bad", "32 hex")
        self.assert_refused(self.umbel("build", "-o", "x", "--key-file", "nowhere"), "nowhere")
        plain = self.made(BIRDS, name="plain.umbel")
        self.assert_refused(self.umbel("query", "--key-file", raw, plain), "plain.umbel", "without")

    def test_a_line_that_is_no_number_is_named(self):
        for bad in ["", "x", "1 ", "1.5", "+1", "0x10", "18446744073709551616", "-9223372036854775809"]:
            done = self.umbel("build", "-qo", "x", "--key-type", "u64", self.file("list", lines(1, 2, bad, 4)))
            self.assert_refused(done, "list:3: ", f'"{bad}"')
        self.assert_folder_holds("list")

    def test_what_cannot_be_written_leaves_nothing_behind(self):
        self.assert_refused(self.umbel("build", "-qo", "no/such/folder/x", given=BIRDS), "no/such/folder")
        self.assert_refused(self.umbel("build", "-qo", ".", given=BIRDS), "not a regular file")
        self.assert_refused(self.umbel("build", "-qo", "/dev/full", given=BIRDS), "/dev/full")
        self.assert_refused(self.umbel("build", "-qo", "/proc/x", given=BIRDS), "/proc/x")
        self.assert_refused(self.umbel("bench", "--keys", 10, "--plot", "no/such/folder/x"), "no/such/folder")
        small = ["bash", "-c", 'ulimit -f 16; exec "$0" "$@"', TOOL, "build", "-qo", "x"]  # files of at most 16 KiB
        done = subprocess.run(small, input=lines(*range(100_000)), capture_output=True,
                              cwd=self.here, timeout=PATIENCE)
        self.assertNotEqual(done.returncode, 0)
        self.assert_folder_holds()

    def test_a_full_standard_output_is_an_error(self):
        path = self.made(BIRDS)
        with open("/dev/full", "wb") as full:
            for words in [["query", path, self.file("birds", BIRDS)], ["kinds"], ["info", path], ["--help"]]:
                done = subprocess.run([TOOL, *words], stdout=full, stderr=subprocess.PIPE,
                                      timeout=PATIENCE)
                self.assert_refused(done, "No space left")

    @not_sanitized("a sanitizer ends a program whose allocation fails")
    def test_an_allocation_that_fails_is_an_error(self):
        limited = ["bash", "-c", 'ulimit -v 400000; exec "$0" "$@"', TOOL]
        done = subprocess.run([*limited, "bench", "--kinds", "bloom-filter", "--keys", "1e9"], capture_output=True,
                              timeout=PATIENCE)
        self.assert_refused(done, "out of memory")

    def test_the_parser_s_own_complaints(self):
        self.assert_refused(self.umbel("query"), "FILTER", "umbel query --help")
        self.assert_refused(self.umbel("query", "a", "b", "c"), "one argument too many: c")
        self.assert_refused(self.umbel("build", "--fpr"), "--fpr")
        self.assert_refused(self.umbel("--"), "umbel --help")
        self.assert_refused(self.umbel("--verzion"), "did you mean --version?")
        for kind in SETS:
            self.assertIn(kind.encode(), self.umbel("build", "--kind", "???").stderr)


main()
