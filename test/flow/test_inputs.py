"""test_inputs.py - input formats: compressed by gzip or zstd, or one field of a table."""
import gzip
import os
import subprocess

from flow import TOOL, Flow, lines, main

WORDS = lines(*(f"word {i}" for i in range(20000)))


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


class Inputs(Flow):
    def test_packed_lists_are_known_by_their_content(self):
        plain = self.made(WORDS, name="plain").read_bytes()
        half = len(WORDS) // 2
        for name, data in [("gzip", gzip.compress(WORDS)), ("zstd", zstd(WORDS)),
                           ("gzip pieces", gzip.compress(WORDS[:half]) + gzip.compress(WORDS[half:])),
                           ("zstd pieces", zstd(WORDS[:half]) + zstd(WORDS[half:])),
                           ("gzip, padded", gzip.compress(WORDS) + bytes(512)), ("plain", WORDS)]:
            self.file("list", data)
            self.assertEqual(self.umbel("build", "-q", "list").stdout, plain, name)
            self.assertEqual(self.umbel("build", "-q", given=data).stdout, plain, name)
            self.assertEqual(self.umbel("query", "plain", "list").stdout, WORDS, name)

    def test_a_mixture_of_lists(self):
        self.file("a", WORDS)
        self.file("b", gzip.compress(lines("x", "y")))
        self.file("c", zstd(lines("z")))
        both = self.made(WORDS + lines("x", "y", "z")).read_bytes()
        self.assertEqual(self.umbel("build", "-q", "a", "b", "c").stdout, both)

    def test_lists_that_only_begin_as_packed_ones_do(self):
        for data in [b"(", b"(\n", b"\x1f", b"\x28\xb5", b"\x28\xb5/\n", b"\x1f\n\x1f\n", b""]:
            packed = self.file("list", data)
            self.assertEqual(self.umbel("query", "-v", self.made(b"other\n"), packed).stdout,
                             data + (b"\n" if data and not data.endswith(b"\n") else b""), data)

    def test_damage_is_told_of_the_file(self):
        for pack, name in [(gzip.compress, "gzip"), (zstd, "zstd")]:
            whole = pack(os.urandom(50000))
            self.file("cut", whole[:-9])
            self.assert_refused(self.umbel("build", "cut", "-o", "out"), "cut: ", name, "cut off")
            bent = bytearray(whole)
            for at in range(len(bent) - 40, len(bent) - 8):
                bent[at] ^= 0xff
            self.file("bent", bent)
            self.assert_refused(self.umbel("build", "bent", "-o", "out"), "bent: ", name)
            self.file("garbage", whole + b"something else")
            self.assert_refused(self.umbel("build", "garbage", "-o", "out"), "garbage: ", name)
        self.assert_folder_holds("cut", "bent", "garbage")

    def test_a_window_larger_than_zstd_itself_takes_is_refused(self):
        # A frame without content size: its descriptor, its window (2^(10 + n) bytes), one raw
        # block.
        frame = b"\x28\xb5\x2f\xfd\x00%c\x11\x00\x00a\n"
        nothing = self.made(b"")
        self.file("just", frame % (17 << 3))
        self.assertEqual(self.umbel("query", "-v", nothing, "just").stdout, b"a\n")
        self.file("over", frame % (18 << 3))
        self.assert_refused(self.umbel("query", nothing, "over"), "over: ", "128 MiB", "--long=31")

    def test_a_hundred_thousand_empty_members(self):
        for pack in (gzip.compress, zstd):
            self.file("list", pack(b"") * 100_000 + pack(b"wren\n") + pack(b"") * 1000)
            self.assertEqual(self.umbel("query", "-v", self.made(b""), "list").stdout, b"wren\n")

    def test_answers_to_packed_pipes_come_at_once(self):
        path = self.made(lines("a", "b"))
        asked = subprocess.Popen([TOOL, "query", str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        packer = __import__("zlib").compressobj(9, 8, 31)
        asked.stdin.write(packer.compress(b"a\n") + packer.flush(__import__("zlib").Z_SYNC_FLUSH))
        asked.stdin.flush()
        self.assertEqual(asked.stdout.readline(), b"a\n")
        asked.stdin.write(packer.compress(b"b\n") + packer.flush())
        asked.stdin.close()
        self.assertEqual(asked.stdout.read(), b"b\n")
        self.assertEqual(asked.wait(30), 0)
        asked.stdout.close()


class Fields(Flow):
    TABLE = b'name,mail,age\nAnn,ann@x,31\n"Bo, Jr",bo@y,7\n"C ""the"" D",cd@z,50\n,,\n'

    def same(self, table, keys, *words):
        """The set of a table's field is the set of these keys."""
        self.file("table", table)
        wanted = self.made(lines(*keys), name="wanted").read_bytes()
        done = self.umbel("build", "-q", *words, "table")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(done.stdout, wanted, words)

    def test_by_number_and_by_name(self):
        mails = ["ann@x", "bo@y", "cd@z", ""]
        self.same(self.TABLE, mails, "--field", "mail")
        self.same(self.TABLE, mails, "--field", "2", "--header")
        self.same(self.TABLE, ["mail", *mails], "--field", "2")
        self.same(self.TABLE, ["Ann", "Bo, Jr", 'C "the" D', ""], "--field", "name")
        self.same(self.TABLE, ["31", "7", "50", ""], "--field", "age")

    def test_delimiters(self):
        self.same(b'a\tb\n"x"\ty,z\n', ["b", "y,z"], "--field", "2")      # tabs are seen, and quotes are bytes
        self.same(b'a\tb\n"x"\ty\n', ["a", '"x"'], "--field", "1")
        self.same(b"root:x:0\nbin:x:1\n", ["0", "1"], "--field", "3", "-d", ":")
        self.same(b"a,b\tc\n", ["b\tc"], "--field", "2", "--delimiter", ",")
        self.same(b"a\tb c\n", ["b c"], "--field", "2", "-d", "\\t")
        self.same(b"a,b\r\nc,d\r\n", ["b", "d"], "--field", "2")            # as other systems end lines

    def test_every_file_has_its_header(self):
        self.file("one", b"id,x\n1,a\n")
        self.file("two", b"x,id\nb,2\n")
        wanted = self.made(lines("1", "2"), name="wanted").read_bytes()
        self.assertEqual(self.umbel("build", "-q", "--field", "id", "one", "two").stdout, wanted)

    def test_query_prints_whole_lines_under_the_header(self):
        path = self.made(lines("bo@y", "ann@x"))
        self.file("table", self.TABLE)
        done = self.umbel("query", "--field", "mail", path, "table")
        self.assertEqual(done.stdout, b'name,mail,age\nAnn,ann@x,31\n"Bo, Jr",bo@y,7\n')
        self.assertEqual(self.umbel("query", "-c", "--field", "mail", path, "table").stdout, b"2\n")
        self.assertEqual(self.umbel("query", "-v", "--field", "2", "--header", path, "table").stdout,
                         b'name,mail,age\n"C ""the"" D",cd@z,50\n,,\n')

    def test_numbers_in_fields(self):
        self.file("table", b"id,x\n7,a\n-1,b\n")
        path = self.made(lines(7, -1), "--key-type", "u64", name="numbers")
        self.assertEqual(self.umbel("build", "-q", "--key-type", "u64", "--field", "id", "table").stdout,
                         path.read_bytes())
        self.file("bad", b"id,x\n7,a\nseven,b\n")
        self.assert_refused(self.umbel("build", "--key-type", "u64", "--field", "id", "bad", "-o", "out"), "bad:3", "seven")

    def test_get_by_a_field(self):
        path = self.made(b"ann@x\t1\nbo@y\t2\n", "--map")
        self.file("table", self.TABLE)
        done = self.umbel("get", "--field", "2", "--header", "-f", "table", path)
        self.assertIn(b"Ann,ann@x,31\t1\n", done.stdout)

    def test_errors(self):
        self.file("table", self.TABLE)
        for words, parts in [(["--field", "4"], ["table:1", "4 fields", "found 3"]),
                             (["--field", "mial"], ["table:1", "mial", "did you mean mail"]),
                             (["--field", "0"], ["--field", "from 1"]),
                             (["--header"], ["--header", "--field"]),
                             (["--field", "2", "-d", "ab"], ["--delimiter", "one byte"])]:
            self.assert_refused(self.umbel("build", *words, "table", "-o", "out"), *parts)
        # A table that is cut at the wrong bytes: which bytes, and how to say others.
        self.file("semicolons", b"id;email;note\n1;a@x;\n")
        for name in ["b", "email"]:
            self.assert_refused(self.umbel("build", "--field", name, "semicolons", "-o", "out"), "semicolons:1",
                                'no field between "," is called', '"id;email;note"', "--delimiter")
        self.file("tabs", b"id;email\tnote\n1;a@x\t\n")
        self.assert_refused(self.umbel("build", "--field", "x", "tabs", "-o", "out"), "tabs:1",
                            "no field between tabs is called", '"id;email, note"', "--delimiter")
        self.assert_refused(self.umbel("build", "--field", "notes", "tabs", "-o", "out"), "between tabs",
                            "did you mean note?")
        for name in ["semicolons", "tabs"]:
            (self.here / name).unlink()
        self.file("open", b'a,b\n"x,y\n')
        self.assert_refused(self.umbel("build", "--field", "1", "open", "-o", "out"), "open:2", "not closed")
        self.assert_refused(self.umbel("build", "--map", "--field", "1", "table", "-o", "out"), "--field", "map")
        self.assert_folder_holds("table", "open")


if __name__ == "__main__":
    main()
