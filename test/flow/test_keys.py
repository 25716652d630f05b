"""test_keys.py - how lines become keys, and that a file records it: types, line ends, white space,
case, columns.
"""
import gzip
import itertools
import os
import subprocess

from flow import TOOL, Flow, lines, main, not_sanitized, with_memory

BOM = b"\xef\xbb\xbf"
NUMBERS = lines(*range(1000))


class Recipes(Flow):
    def recipe(self, path):
        return self.json("info", "--json", path)["key_recipe"]

    def test_a_filter_of_integers_is_asked_with_integers(self):
        path = self.made(NUMBERS, "--key-type", "u64")
        self.assertEqual(self.umbel("query", path, given=NUMBERS).stdout, NUMBERS)
        self.assertEqual(self.recipe(path)["type"], "integer")
        self.assertIn(b"key type          integer\n", self.umbel("info", path).stdout)
        self.assert_refused(self.umbel("query", path, given=b"one\n"), "standard input:1", "integer")

    def test_a_contradiction_is_refused_by_every_command_that_takes_keys(self):
        growing = ["--kind", "quotient-filter", "--keys", "2000"]
        for name, built, asked, says in [
                ("integers", ["--key-type", "u64"], ["--key-type", "string"], "u64"),
                ("strings", [], ["--key-type", "u64"], "string"),
                ("untrimmed", [], ["--trim"], "--trim"),
                ("case", [], ["--ignore-case"], "--ignore-case"),
                ("line ends", [], ["--keep-cr"], "--keep-cr"),
                ("columns", [], ["--field", "1,2"], "1 column")]:
            path = self.made(NUMBERS, *growing, *built)
            before = path.read_bytes()
            for command in ["query", "add", "erase"]:
                self.assert_refused(self.umbel(command, path, *asked, given=NUMBERS), "set.umbel: ", says)
            self.assertEqual(path.read_bytes(), before, name)
        path = self.made(NUMBERS, "--kind", "perfect-hash", "--key-type", "u64")
        self.assert_refused(self.umbel("get", path, "7", "--key-type", "string"), "set.umbel: ", "u64")
        self.assertEqual(len(self.umbel("get", path, "7").stdout.split()), 2)

    def test_add_and_erase_follow_the_file(self):
        path = self.made(NUMBERS, "--key-type", "u64", "--kind", "quotient-filter", "--keys", "2000", "--fpr", "1e-6")
        self.assertEqual(self.umbel("add", path, given=b"5000\n").returncode, 0)
        self.assertEqual(self.umbel("query", path, given=b"5000\n5001\n").stdout, b"5000\n")
        self.assertEqual(self.umbel("erase", path, given=b"5000\n").returncode, 0)
        self.assertEqual(self.umbel("query", path, given=b"5000\n").stdout, b"")
        self.assertEqual(self.recipe(path)["type"], "integer")

    def test_merge_keeps_the_recipe_and_refuses_two(self):
        sized = ["--kind", "bloom-filter", "--keys", "1000", "--fpr", "0.01"]
        a = self.made(lines(1, 2), "--key-type", "u64", *sized, name="a")
        b = self.made(lines(3), "--key-type", "u64", *sized, name="b")
        self.made(lines("x"), *sized, name="c")
        self.assertEqual(self.umbel("merge", a, b, "-o", "ab").returncode, 0)
        self.assertEqual(self.recipe("ab")["type"], "integer")
        self.assertEqual(self.umbel("query", "ab", given=lines(1, 2, 3)).stdout, lines(1, 2, 3))
        self.assert_refused(self.umbel("merge", a, "c", "-o", "out"), "c are string", "integer", "--key-type")
        self.assertFalse((self.here / "out").exists())

    def test_where_a_key_stood_is_not_kept(self):
        self.file("t.csv", b"id,email\n1,a@x\n2,b@x\n")
        path = self.made(b"", "--field", "email", "t.csv", "--fpr", "1e-6")
        self.assertEqual(self.umbel("query", path, given=lines("a@x", "1", "b@x")).stdout, lines("a@x", "b@x"))
        self.assertEqual(self.umbel("query", path, "--field", "2", given=b"0\ta@x\n").stdout, b"0\ta@x\n")

    def test_compressing_keeps_the_recipe(self):
        path = self.made(NUMBERS, "--key-type", "u64", "--kind", "bloom-filter")
        message = self.umbel("compress", path).stdout
        self.assertEqual(self.umbel("decompress", "-", given=message).stdout, path.read_bytes())


class LineEnds(Flow):
    def test_crlf_and_lf_lists_have_the_same_keys(self):
        words = [f"word {i}" for i in range(3000)]
        unix, dos = lines(*words), b"".join(w.encode() + b"\r\n" for w in words)
        for name, list_ in [("unix", unix), ("dos", dos), ("dos, marked", BOM + dos), ("unix, marked", BOM + unix)]:
            path = self.made(list_, "--fpr", "1e-6")
            self.assertEqual(self.umbel("query", path, given=unix).stdout, unix, name)
            self.assertEqual(self.umbel("query", path, given=dos).stdout, dos, name)
            self.assertEqual(self.umbel("query", path, given=BOM + dos).stdout, dos, name)
            self.assertEqual(self.umbel("query", "-c", path, given=gzip.compress(dos)).stdout, b"3000\n", name)

    def test_kept_carriage_returns(self):
        path = self.made(b"a\r\nb\r\n", "--keep-cr", "--fpr", "1e-6")
        self.assertEqual(self.umbel("query", path, given=b"a\nb\r\n").stdout, b"b\r\n")
        self.assertIn(b"carriage returns kept", self.umbel("info", path).stdout)

    def test_only_the_last_carriage_return_belongs_to_the_line_end(self):
        path = self.made(b"a\r\r\nb\rc\n", "--fpr", "1e-6")
        self.assertEqual(self.umbel("query", path, given=b"a\na\r\nb\rc\na\r\r\n").stdout, b"b\rc\na\r\r\n")

    def test_with_nul_nothing_is_dropped(self):
        path = self.made(b"a\r\0b\0", "-0", "--fpr", "1e-6")
        self.assertEqual(self.umbel("query", "-0", path, given=b"a\0b\0a\r\0").stdout, b"b\0a\r\0")

    def test_a_mark_is_skipped_at_the_start_of_each_file_only(self):
        self.file("a", BOM + b"a\n")
        self.file("b", BOM + b"b\n" + BOM + b"c\n")
        path = self.made(b"", "a", "b", "--fpr", "1e-6")
        self.assertEqual(self.umbel("query", path, given=b"a\nb\nc\n" + BOM + b"c\n").stdout, b"a\nb\n" + BOM + b"c\n")
        for short in [b"\xef", b"\xef\xbb", BOM, b"\xef\n", b"\xef\xbbx"]:
            path = self.made(short, "--fpr", "1e-6")
            self.assertEqual(self.umbel("query", "-c", path, given=short).stdout,
                             b"0\n" if short == BOM else b"1\n", short)

    def test_maps_of_crlf_lists(self):
        path = self.made(BOM + b"a\tone\r\nb\ttwo\r\n", "--map")
        self.assertEqual(self.umbel("get", path, "a", "b").stdout, b"a\tone\nb\ttwo\n")
        self.assertEqual(self.umbel("get", path, given=b"b\r\n").stdout, b"b\ttwo\n")

    def test_a_marked_table_has_its_first_field(self):
        for mark, end in itertools.product([b"", BOM], [b"\n", b"\r\n"]):
            self.file("t.csv", mark + b"email,id" + end + b"a@x,1" + end)
            path = self.made(b"", "--field", "email", "t.csv", "--fpr", "1e-6")
            self.assertEqual(self.umbel("query", path, given=b"a@x\nemail\n").stdout, b"a@x\n")
            self.assertEqual(self.umbel("query", "--field", "id,email", path, "t.csv").returncode, 2)


class Prepared(Flow):
    def test_trimmed_and_folded_lists(self):
        path = self.made("  Ångström \nSTRASSE\t\n".encode(), "--trim", "--ignore-case", "--fpr", "1e-6")
        asked = "ÅNGSTRÖM\n ångström\nstrasse\u3000\nstraße\n".encode()
        self.assertEqual(self.umbel("query", path, given=asked).stdout.decode().splitlines(),
                         ["ÅNGSTRÖM", " ångström", "strasse\u3000"])
        self.assertIn(b"string; trimmed; case folded\n", self.umbel("info", path).stdout)

    def test_each_alone(self):
        path = self.made(b" A \n", "--trim", "--fpr", "1e-6")
        self.assertEqual(self.umbel("query", path, given=b"A\na\n").stdout, b"A\n")
        path = self.made(b" A \n", "--ignore-case", "--fpr", "1e-6")
        self.assertEqual(self.umbel("query", path, given=b" a \na\n").stdout, b" a \n")

    def test_case_of_integers_is_refused(self):
        self.assert_refused(self.umbel("build", "--ignore-case", "--key-type", "u64", given=NUMBERS), "--ignore-case")

    def test_spaces_around_integers(self):
        path = self.made(b" 7\n8 \r\n", "--key-type", "u64", "--trim", "--fpr", "1e-6")
        self.assertEqual(self.umbel("query", path, given=b"7\n8\n9\n").stdout, b"7\n8\n")
        self.assertEqual(self.umbel("query", path, "--trim", given=b"\t7\n").stdout, b"\t7\n")
        self.assert_refused(self.umbel("query", path, given=b" 7\n"), "standard input:1", "integer")


class Columns(Flow):
    def test_columns_do_not_run_into_one_another(self):
        path = self.made(b"ab,c\n", "--field", "1,2", "--fpr", "1e-6")
        asked = b'ab,c\na,bc\nabc,\n,abc\n"ab",c\nab,"c"\nc,ab\n'
        self.assertEqual(self.umbel("query", path, given=asked).stdout, b'ab,c\n"ab",c\nab,"c"\n')

    def test_columns_by_name_and_order(self):
        self.file("t.tsv", b"id\tname\tcity\n1\tann\toslo\n2\tbob\trome\n")
        path = self.made(b"", "--field", "city,id", "t.tsv", "--fpr", "1e-6", "--key-type", "string,u64")
        self.assertEqual(self.umbel("query", path, given=b"oslo,1\nrome,1\nrome,2\n1,oslo\n").returncode, 2)
        self.assertEqual(self.umbel("query", path, given=b"oslo,1\nrome,1\nrome,02\n").stdout, b"oslo,1\nrome,02\n")
        self.assertEqual(self.umbel("query", path, "--field", "city,id", "t.tsv").stdout.count(b"\n"), 3)
        recipe = self.json("info", "--json", path)["key_recipe"]
        self.assertEqual((recipe["type"], recipe["columns"]), ("tuple", ["string", "integer"]))

    def test_columns_that_were_trimmed(self):
        table = b" 1 , 2\n3,4\n"
        for types, kept in [("u64", False), ("string,u64", True), ("u64,string", True), ("string", True)]:
            path = self.made(table, "--field", "1,2", "--key-type", types, "--trim", "--fpr", "1e-6")
            self.assertEqual(self.json("info", "--json", path)["key_recipe"]["trimmed"], kept)
            done = self.umbel("query", path, "--field", "1,2", "--trim", given=table)
            self.assertEqual((done.stdout, done.stderr), (table, b""), types)
            if kept:  # the file says so: no option is needed
                self.assertEqual(self.umbel("query", path, "--field", "1,2", given=table).stdout, table, types)
            else:
                self.assert_refused(self.umbel("query", path, given=table), "standard input:1", "integer")
        path = self.made(b"a,1\n", "--field", "1,2", "--key-type", "string,u64")
        self.assert_refused(self.umbel("query", path, "--trim", given=b"a,1\n"), "--trim")

    def test_lines_with_other_columns_are_refused(self):
        path = self.made(b"a,b\n", "--field", "1,2")
        self.assert_refused(self.umbel("query", path, given=b"a,b,c\n"), "standard input:1", "expected 2 fields")
        self.assert_refused(self.umbel("query", path, given=b"a\n"), "standard input:1", "found 1")
        self.assert_refused(self.umbel("query", path, "--field", "1", given=b"a\n"), "2 columns")

    def test_a_name_with_a_comma_stands_in_quotes(self):
        path = self.made(b'"last, first",id\n"doe, jane",7\n', "--field", '"last, first"', "--fpr", "1e-6")
        self.assertEqual(self.umbel("query", path, given=b"doe, jane\n").stdout, b"doe, jane\n")

    def test_a_perfect_hash_of_columns(self):
        path = self.made(b"a,1\nb,2\n", "--field", "1,2", "--kind", "perfect-hash")
        found = self.umbel("get", path, "a,1", "b,2", "-d", ",").stdout.split()
        self.assertEqual([line[:4] for line in found], [b"a,1,", b"b,2,"])
        self.assertEqual(sorted(line[4:] for line in found), [b"0", b"1"])

    def test_bad_fields_are_named(self):
        for fields, says in [("1,1", "twice"), ("", "expected"), ("1,,2", "expected"), ("0", "counted from 1"),
                             (",".join(map(str, range(1, 18))), "at most 16")]:
            self.assert_refused(self.umbel("build", "--field", fields, given=b"a,b\n"), "--field", says)
        self.assert_refused(self.umbel("build", "--field", "1,2", "--key-type", "u64,u64,u64", given=b"1,2\n"),
                            "--key-type")
        self.file("t.csv", b"id,name\n1,a\n")
        self.assert_refused(self.umbel("build", "--field", "id,1", "t.csv"), "already part of the key")


class Quotes(Flow):
    def test_fields_that_contain_line_ends(self):
        table = b'id,note\r\n1,"two\r\nlines, and ""quotes"""\r\n2,plain\r\n3,"a\n\nb"\r\n'
        path = self.made(table, "--field", "note", "--fpr", "1e-6")
        self.assertEqual(self.umbel("query", "-c", "--field", "note", path, given=table).stdout, b"3\n")
        keys = b'two\r\nlines, and "quotes"\0plain\0a\n\nb\0two\0'
        self.assertEqual(self.umbel("query", "-0", path, given=keys).stdout, keys[:-4])
        self.assertEqual(self.umbel("query", "--field", "note", path, given=table).stdout, table)

    def test_line_numbers_count_the_lines_inside_fields(self):
        table = b'1,"a\nb\nc"\n2,"d\ne"\nx,f\n'
        self.assert_refused(self.umbel("build", "--field", "1", "--key-type", "u64", given=table), "standard input:6")

    def test_a_quote_that_is_never_closed(self):
        self.assert_refused(self.umbel("build", "--field", "1", given=b'a,b\nc,"d\ne,f\n'), "standard input:2", "quote")
        self.assert_refused(self.umbel("build", "--field", "1", "--max-line", "1K", given=b'a,"' + b"x\n" * 1000),
                            "standard input:1", "--max-line", "quote")

    def test_quotes_between_tabs_are_bytes(self):
        path = self.made(b'"a\tb\nc"\td\n', "--field", "1", "--fpr", "1e-6")
        self.assertEqual(self.umbel("query", path, given=b'"a\nc"\n').stdout, b'"a\nc"\n')


class LongLines(Flow):
    def test_a_line_has_a_longest_length(self):
        path = self.made(b"a\n")
        long = b"x" * (16 << 20)
        self.assertEqual(self.umbel("query", "-vc", path, given=b"b\n" + long + b"\n").stdout, b"2\n")
        for end in [b"", b"\n", b"\nc\n"]:
            self.assert_refused(self.umbel("query", path, given=b"b\n" + long + b"x" + end), "standard input:2",
                                "16.0 MiB", "--max-line")
        self.assertEqual(self.umbel("query", "-vc", "--max-line", "17M", path, given=long + b"x").stdout, b"1\n")
        self.assert_refused(self.umbel("build", "--max-line", "3", given=b"abc\nabcd\n"), "standard input:2")
        self.assert_refused(self.umbel("build", "--map", "--max-line", "3", given=b"a\tb\nab\tb\n"), "standard input:2")
        self.assert_refused(self.umbel("build", "--max-line", "0"), "--max-line")

    @not_sanitized("a sanitizer takes memory of its own")
    def test_long_lines_take_the_memory_of_one_whatever_the_threads(self):
        line = 16 << 20
        with open(self.here / "long", "wb") as file:
            for i in range(12):
                file.write(bytes([97 + i]) * (line - 10) + b"\n")

        def taken(threads):
            process = subprocess.Popen([TOOL, "build", "-q", "--memory", "16M", "--threads", str(threads),
                                        "-o", "set", "long"], cwd=self.here)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = status
            self.assertEqual(status, 0)
            return used.ru_maxrss << 10

        # Three times the longest line, 6 MiB a thread, and the program itself. Twelve lines are 192
        # MiB.
        for threads in [1, 4, 12]:
            self.assertLess(taken(threads), 3 * line + (6 * threads << 20) + (24 << 20), threads)
        self.assertEqual(self.umbel("query", "-c", "set", "long").stdout, b"12\n")

    def test_a_packed_line_without_end_takes_little_memory(self):
        path = self.made(b"a\n")
        bomb = gzip.compress(bytes(300 << 20), 1)
        done = self.umbel("query", path, given=bomb, **with_memory(400 << 20))
        self.assert_refused(done, "standard input:1", "--max-line")


main()
