"""test_verify.py - every file gets its line, whatever the result of those before it; the exit code is
that of the worst.
"""
import gzip
import os
import pathlib
import re

from flow import Flow, lines, main

SOURCE = pathlib.Path(os.environ["UMBEL_SOURCE_DIR"])
GOLDEN_KEY = bytes(range(16))


class Verify(Flow):
    def setUp(self):
        super().setUp()
        self.file("key", b"sixteen secrets!")
        self.made(lines(*range(1000)), name="whole")
        self.made(lines(*range(1000)), "--key-file", "key", name="keyed")
        for name in ["whole", "keyed"]:
            data = bytearray((self.here / name).read_bytes())
            data[-9] ^= 4
            self.file(f"bent-{name}", data)

    def lines_of(self, *files, options=()):
        done = self.umbel("verify", *options, *files)
        said = done.stdout.decode() + done.stderr.decode().replace("umbel: ", "")
        self.assertEqual(len(said.splitlines()), len(files), said)
        return done.returncode, {line.split(": ")[0].split(" ")[-1]: line for line in said.splitlines()}

    def test_every_file_gets_its_line(self):
        files = ["keyed", "missing", "bent-whole", ".", "whole"]
        code, said = self.lines_of(*files)
        self.assertEqual(code, 2)
        self.assertEqual(set(said), set(files))
        self.assertIn("ok, binary-fuse-filter", said["whole"])
        self.assertIn("damaged", said["bent-whole"])
        self.assertIn("No such file", said["missing"])
        self.assertEqual(said["keyed"],
                         "keyed: checksums match; keyed: give --key-file to check its contents")

    def test_a_file_whose_name_begins_a_message_is_named_too(self):
        """Messages begin with "checksums", "not an", "a secret" and the like, and so may names."""
        for name in ["c", "checksums", "checksums match"]:
            self.made(lines(*range(100)), "--key-file", "key", name=name)
            self.assertEqual(
                self.umbel("verify", name).stderr.decode(),
                f"umbel: {name}: checksums match; keyed: give --key-file to check its contents\n")
        for name in ["n", "not", "not an umbel file"]:
            self.file(name, b"some text, and more of it\n")
            for command in ["verify", "info", "query"]:
                done = self.umbel(command, name)
                self.assertEqual((command, done.stderr.split(b":")[:3]),
                                 (command, [b"umbel", b" " + name.encode(), b" not an umbel file"]))
        sized = ["--kind", "bloom-filter", "--keys", "100"]
        self.made(b"x\n", *sized, name="a")
        self.made(b"x\n", *sized, name="a secret")
        self.made(b"x\n", *sized, "--key-file", "key", name="b")
        for name in ["a", "a secret"]:
            self.assert_refused(self.umbel("merge", name, "b", "--key-file", "key", "-o", "out"),
                                f"umbel: {name}: a secret key was given")
            self.assert_refused(self.umbel("convert", name, "--to", "dcso", "-o", "out"),
                                f"umbel: {name}: a DCSO file holds")
        self.file("neither", b"some text, and more of it\n")
        self.assert_refused(self.umbel("convert", "neither", "-o", "out"), "umbel: neither: neither an")

    def test_no_name_stands_twice(self):
        self.file("torn.gz", gzip.compress(bytes(range(256)) * 40)[:-9])
        for words in [["convert", "torn.gz"], ["convert", "torn.gz", "--from", "parquet"],
                      ["compress", "torn.gz"], ["query", "whole", "torn.gz"]]:
            done = self.umbel(*words, "-o", "out") if words[0] != "query" else self.umbel(*words)
            self.assert_refused(done, "torn.gz: ")
            self.assertEqual(done.stderr.count(b"torn.gz"), 1, done.stderr)
        self.assertEqual(self.umbel("verify", "keyed").stderr.count(b"keyed: "), 2)  # a name, a word

    def test_messages_are_restored_and_checked(self):
        bloom = self.made(lines(*range(1000)), "--kind", "bloom-filter", "--keys", "20k", name="bloom")
        self.assertEqual(self.umbel("compress", "bloom", "-o", "message").returncode, 0)
        message = (self.here / "message").read_bytes()
        said = f"{{}}: ok, compressed bloom-filter, {len(message):,} bytes\n"
        self.assertEqual(self.umbel("verify", "message").stdout.decode(), said.format("message"))
        self.assertEqual(self.umbel("verify", "-", given=message).stdout.decode(),
                         said.format("standard input"))
        facts = self.json("verify", "--json", "message", "bloom")
        self.assertEqual([f["state"] for f in facts], ["whole"] * 2)
        self.assertEqual([f["compressed"] for f in facts], [True, False])
        self.assertEqual([f["bytes"] for f in facts], [len(message), len(bloom.read_bytes())])
        for at in range(8, len(message), len(message) // 40):
            self.file("bent", message[:at] + bytes([message[at] ^ 4]) + message[at + 1:])
            code, said = self.lines_of("bent", "whole")
            self.assertNotEqual(code, 0, at)
        self.file("bent", message[:-1])
        self.assertEqual(self.lines_of("bent")[0], 1)
        # Keyed: its checksums need no key, its contents do.
        self.made(lines(*range(1000)), "--kind", "bloom-filter", "--key-file", "key", name="secret")
        self.assertEqual(self.umbel("compress", "secret", "-o", "message").returncode, 0)
        self.assertEqual(self.lines_of("message")[0], 2)
        self.assertEqual(self.lines_of("message", options=["--key-file", "key"])[0], 0)
        # A change alone is not the filter.
        done = self.umbel("add", "bloom", "-q", "-o", "after", given=b"one more\n")
        self.assertEqual(done.returncode, 0)
        done = self.umbel("compress", "after", "--since", "bloom", "-o", "change")
        self.assertEqual(done.returncode, 0)
        code, said = self.lines_of("change", "whole")
        self.assertEqual(code, 2)
        self.assertIn("is a change", said["change"])

    def test_other_commands_say_what_to_do_with_a_message(self):
        self.made(lines(*range(1000)), "--kind", "bloom-filter", name="bloom")
        self.assertEqual(self.umbel("compress", "bloom", "-o", "message").returncode, 0)
        message = (self.here / "message").read_bytes()
        for words in [["info", "message"], ["query", "message"], ["add", "message"], ["estimate", "message"],
                      ["get", "message", "x"], ["merge", "bloom", "message", "-o", "out"],
                      ["compress", "message", "-o", "out"], ["convert", "message", "-o", "out"],
                      ["compress", "bloom", "--since", "message", "-o", "out"]]:
            self.assert_refused(self.umbel(*words), "umbel: message: is a compressed message",
                                "`umbel decompress`")
        self.assert_refused(self.umbel("info", "-", given=message), "standard input: is a compressed message")
        self.assertFalse((self.here / "out").exists())

    def test_the_exit_code_is_that_of_the_worst(self):
        for files, code in [(["whole"], 0), (["whole", "bent-whole"], 1), (["bent-whole", "missing"], 2),
                            (["missing", "bent-whole", "whole"], 2), (["keyed", "whole"], 2)]:
            self.assertEqual(self.lines_of(*files)[0], code, files)

    def test_checksums_need_no_key(self):
        code, said = self.lines_of("bent-keyed")
        self.assertEqual(code, 1)
        self.assertIn("damaged", said["bent-keyed"])

    def test_a_key_is_for_keyed_files_alone(self):
        code, said = self.lines_of("keyed", "whole", options=["--key-file", "key"])
        self.assertEqual(code, 0, said)
        self.assertIn("ok", said["keyed"])
        self.file("other", b"another secret!!")
        code, said = self.lines_of("keyed", "whole", options=["--key-file", "other"])
        self.assertEqual(code, 2)
        self.assertIn("another secret key", said["keyed"])

    def test_json(self):
        done = self.umbel("verify", "--json", "whole", "bent-whole", "missing", "keyed")
        self.assertEqual(done.returncode, 2)
        states = re.findall(rb'"state": "(\w+)"', done.stdout)
        self.assertEqual(states, [b"whole", b"damaged", b"unchecked", b"unchecked"])

    def test_the_help_and_the_manual_tell_the_exit_codes(self):
        shown = " ".join(self.umbel("verify", "--help").stdout.decode().split())
        self.assertIn("0 if all are whole, 1 if one is damaged, 2 if one could not be checked", shown)
        self.assertIn("a file could not be checked", self.umbel("man").stdout.decode())


class EveryKindIsKnown(Flow):
    def test_every_class_with_a_kind_is_known_to_the_tool(self):
        known = {row["kind"] for row in self.json("kinds", "--json")}
        named = set()
        for header in sorted((SOURCE / "include/umbel").rglob("*.hpp")):
            named |= set(re.findall(r'string_view\s+kind\s*=\s*"([a-z0-9-]+)"', header.read_text()))
        self.assertGreater(len(named), 40)
        self.assertEqual(named - known, set())

    def test_every_golden_file_is_known_to_the_tool(self):
        """What the library has ever written for a test is told and checked by the tool."""
        key = self.file("key", GOLDEN_KEY)
        files = sorted((SOURCE / "test/golden").glob("*.umbel"))
        self.assertGreater(len(files), 100)
        done = self.umbel("verify", "-q", "--key-file", key, *files)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        for name in ["adaptive_cuckoo_filter_learned", "telescoping_filter_keyed"]:
            words = ["--key-file", key] if "keyed" in name else []
            facts = self.json("info", "--json", *words, SOURCE / f"test/golden/{name}.umbel")
            self.assertEqual(facts["kind"], "-".join(name.split("_")[:-1]))

    def test_filters_that_learn_are_built_and_asked(self):
        keys = lines(*range(5000))
        for kind in ["adaptive-cuckoo-filter", "telescoping-filter"]:
            path = self.made(keys, "--kind", kind, "--fpr", "1%")
            self.assertEqual(self.umbel("query", path, given=keys).stdout, keys)
            passed = int(self.umbel("query", "-c", path, given=lines(*range(10_000, 110_000))).stdout)
            self.assertLess(passed, 1000 + 5 * 1000 ** 0.5, kind)  # 1 % of 100,000, and five deviations
            self.assertEqual(self.umbel("verify", path).returncode, 0)
        more = lines(*range(5000, 9000))
        self.made(keys, "--kind", "telescoping-filter", "--keys", "10k", "--fpr", "1%", name="seen")
        self.assertEqual(self.umbel("add", "-q", "seen", given=more).returncode, 0)
        self.assertEqual(self.umbel("query", "seen", given=keys + more).stdout, keys + more)


main()
