"""test_convert.py - filters of other programs: DCSO's real `bloom` command, and Parquet's bits."""
import gzip
import subprocess

from flow import Flow, lines, main

MEMBERS = lines(*(f"host-{i}.example.org" for i in range(20_000)), "ünïcode", "with space", "-v")
OTHERS = lines(*(f"other-{i}.example.org" for i in range(50_000)))
# Ten texts, a0 to a9, by Parquet's Java writer.
JAVA_BITS = bytes.fromhex("c80150144044086d062504439050602008842b21000563410200e02c404e6004")


class Convert(Flow):
    def bloom(self, *words, given=b""):
        done = subprocess.run(["bloom", *words], input=given, capture_output=True, cwd=self.here, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def converted(self, *words):
        done = self.umbel("convert", *words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_what_bloom_made_answers_alike(self):
        for options in [[], ["--gzip"]]:
            self.bloom(*options, "create", "-p", "0.01", "-n", "20003", "theirs", given=MEMBERS)
            self.converted("theirs", "-o", "ours")
            self.assertEqual(self.umbel("query", "ours", given=MEMBERS).stdout, MEMBERS)
            expected = self.bloom(*options, "check", "theirs", given=OTHERS)
            passed = self.umbel("query", "ours", given=OTHERS).stdout
            self.assertEqual(passed, expected)
            self.assertLess(abs(passed.count(b"\n") - 500), 5 * 500 ** 0.5 + 25)
            self.assertIn("FNV-1", self.umbel("info", "ours").stdout.decode())

    def test_and_back_again(self):
        self.bloom("create", "-p", "0.01", "-n", "20003", "theirs", given=MEMBERS)
        self.converted("theirs", "-o", "ours")
        self.converted("ours", "--to", "dcso", "-o", "again", "--capacity", 20003)
        theirs, again = ((self.here / name).read_bytes() for name in ["theirs", "again"])
        self.assertEqual(theirs[24:40], again[24:40])
        self.assertEqual(theirs[48:], again[48:])
        self.assertEqual(self.bloom("check", "again", given=MEMBERS), MEMBERS)

    def test_what_umbel_built_serves_bloom(self):
        self.made(MEMBERS, "--kind", "bloom-filter", "--scheme", "dcso", "--fpr", "0.1%", name="ours")
        for options in [[], ["--gzip"]]:
            self.converted("ours", "--to", "dcso", "-o", "theirs", "--count", 20003, *options)
            self.assertEqual(self.bloom(*options, "check", "theirs", given=MEMBERS), MEMBERS)
            self.assertEqual(self.bloom(*options, "check", "theirs", given=OTHERS),
                             self.umbel("query", "ours", given=OTHERS).stdout)
            self.assertIn(b"20003", self.bloom(*options, "show", "theirs"))

    def test_data_that_is_not_kept_is_told(self):
        self.bloom("create", "-p", "0.01", "-n", "100", "theirs", given=b"a\n")
        self.bloom("set-data", "theirs", given=b"notes")
        done = self.umbel("convert", "theirs", "-o", "ours")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"dropped", done.stderr)
        self.assertEqual(self.umbel("convert", "-q", "theirs", "-o", "ours").stderr, b"")

    def test_parquet_bits_are_the_golden_ones(self):
        texts = lines(*(f"a{i}" for i in range(10)))
        self.converted(self.file("bits", JAVA_BITS), "--from", "parquet-bits", "-o", "column")
        self.assertEqual(self.umbel("query", "column", given=texts).stdout, texts)
        self.converted("column", "--to", "parquet-bits", "-o", "again")
        self.assertEqual((self.here / "again").read_bytes(), JAVA_BITS)
        self.converted("column", "--to", "parquet", "-o", "section")
        self.assertEqual((self.here / "section").read_bytes(),
                         bytes.fromhex("15401c1c00001c1c00001c1c000000") + JAVA_BITS)
        self.converted("section", "--from", "parquet", "-o", "column-again")
        self.assertEqual((self.here / "column").read_bytes(), (self.here / "column-again").read_bytes())

    def test_pipes_and_packed_input(self):
        piped = self.umbel("convert", "-", "--from", "parquet-bits", given=gzip.compress(JAVA_BITS)).stdout
        self.assertEqual(self.umbel("convert", "-", "--to", "parquet-bits", given=piped).stdout, JAVA_BITS)

    def test_how_keys_were_prepared_is_told(self):
        dcso = ["--kind", "bloom-filter", "--scheme", "dcso"]
        for kind, to, wanted in [(dcso, "dcso", "trimmed"), (dcso, "dcso", "case folded"),
                                 (["--kind", "parquet-filter"], "parquet", "trimmed"),
                                 (["--kind", "parquet-filter"], "parquet-bits", "case folded")]:
            option = {"trimmed": "--trim", "case folded": "--ignore-case"}[wanted]
            self.made(b" Wren \nkite\n", *kind, option, name="ours")
            done = self.umbel("convert", "ours", "--to", to, "-o", "theirs")
            self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
            self.assertEqual(done.stderr.decode(), f"umbel: ours: {to} does not record how keys were "
                             f"made (string; {wanted}); make them alike before you ask\n")
            self.assertEqual(self.umbel("convert", "-q", "ours", "--to", to, "-o", "again").stderr, b"")
            theirs, again = ((self.here / name).read_bytes() for name in ["theirs", "again"])
            self.assertEqual(theirs, again)
            # The bits are those of a list that was prepared by hand.
            ready = {"trimmed": b"Wren\nkite\n", "case folded": b" wren \nkite\n"}[wanted]
            self.made(ready, *kind, name="ready")
            self.converted("ready", "--to", to, "-o", "by-hand")
            self.assertEqual((self.here / "by-hand").read_bytes(), theirs)

    def test_what_cannot_be_converted_is_said(self):
        self.made(b"a\n", name="fixed")
        self.made(b"a\n", "--kind", "bloom-filter", name="usual")
        for words, parts in [(["fixed", "--to", "dcso"], ["fixed: holds a binary-fuse-filter", "--kind bloom-filter --scheme dcso"]),
                             (["usual", "--to", "dcso"], ["usual: ", "scheme dcso", "`umbel build --kind bloom-filter --scheme dcso`"]),
                             (["usual", "--to", "parquet"], ["usual: holds a bloom-filter", "--kind parquet-filter"]),
                             (["usual"], ["usual: ", "--to dcso"]),
                             (["missing"], ["cannot open missing"]),
                             ([self.file("text", b"hello there, this is text")], ["text: ", "--from parquet"]),
                             ([self.file("short", bytes([1] + [0] * 20))], ["short: ", "at least 48 bytes"]),
                             (["short", "--from", "parquet-bits"], ["short: ", "found 21 bytes"]),
                             (["usual", "--to", "dsco"], ["no format is called dsco", "did you mean dcso"]),
                             (["short", "--from", "dcso", "--to", "parquet"], ["one of them must be umbel"])]:
            self.assert_refused(self.umbel("convert", *words, "-o", "out"), *parts)
        self.assert_folder_holds("fixed", "usual", "text", "short")


main()
