"""test_mutated.py - every reader of the tool gets files that were right until they were changed.

1,000 files for each reader when there is time (UMBEL_LONG), 40 otherwise, which are more than 1,000
for the tool. It may take a file or refuse it in a line or two; it may not crash, hang or fail in
silence. `make test` and `make test-long` run this with a sanitized tool, too: it may report nothing.
"""
import gzip
import os
import pathlib
import random
import subprocess
from concurrent.futures import ThreadPoolExecutor

from flow import PATIENCE, TOOL, Flow, lines, main

FILES = 1000 if "UMBEL_LONG" in os.environ else 40
LEAST_READERS = 25
SEED = 20
WORDS = lines(*(f"word {i}" for i in range(300)))
TABLE = b"id,mail,note\n" + b"".join(b'%d,"m%d@example",x\n' % (i, i) for i in range(200))
PAIRS = b"".join(b"key %d\t%d\n" % (i, i % 9) for i in range(200))
ODD = [b"\0", b"\xff", b"\n", b"\r\n", b",", b"\t", b'"', b"\xef\xbb\xbf", b"-", b"0", b"\x1f\x8b",
       b"\x28\xb5\x2f\xfd", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\xff" * 8, bytes(64)]


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


def mutated(data, source):
    """1 to 8 changes: a bit, a byte; a piece removed, doubled, copied or odd; the end cut off."""
    out = bytearray(data)
    for _ in range(source.choice([1, 1, 1, 2, 4, 8])):
        at = source.randrange(len(out) + 1)
        piece = source.choice([1, 2, 4, 8, 64, 1000])
        match source.randrange(7):
            case 0 if at < len(out):
                out[at] ^= 1 << source.randrange(8)
            case 1 if at < len(out):
                out[at] = source.randrange(256)
            case 2:
                del out[at:at + piece]
            case 3:
                out[at:at] = out[at:at + piece] * source.choice([1, 1, 3, 50])
            case 4:
                to = source.randrange(len(out) + 1)
                out[to:to + piece] = out[at:at + piece]
            case 5:
                odd = source.choice(ODD)
                out[at:at + source.choice([0, len(odd)])] = odd
            case _ if source.random() < 0.2:
                del out[at:]
    return bytes(out)


class Mutated(Flow):
    tried = {}  # files, by test and reader

    @classmethod
    def tearDownClass(cls):
        every_test = {name for name in dir(cls) if name.startswith("test_")}
        if {test for test, _ in cls.tried} == every_test:  # nobody asked for some of them alone
            assert len(cls.tried) >= LEAST_READERS and sum(cls.tried.values()) >= 1000, cls.tried

    def hold(self, reader, good, *commands):
        """Mutations of `good` as the file FILE of every command."""
        source = random.Random(f"{SEED} {reader}")
        good_path = self.file("good", good)
        for words in commands:  # so that what is tried is what the reader reads
            done = self.umbel(*(good_path if word == "FILE" else word for word in words))
            self.assertIn(done.returncode, (0, 1), (reader, words, done.stderr))

        def attempt(number_and_bytes):
            number, content = number_and_bytes
            path = self.file(f"{reader} {number}", content)
            command = commands[number % len(commands)]
            words = [path if word == "FILE" else str(word) for word in command]
            done = subprocess.run([TOOL, *words], capture_output=True, cwd=self.here, timeout=PATIENCE,
                                  stdin=subprocess.DEVNULL)
            said = done.stderr.decode(errors="replace")
            if (done.returncode in (0, 1) or done.returncode == 2 and said.startswith("umbel: ")) \
                    and len(said.splitlines()) <= 3:
                os.unlink(path)
                return None
            kept = pathlib.Path(os.environ["UMBEL_BUILD_DIR"]) / "mutated"
            kept.mkdir(exist_ok=True)
            (kept / f"{reader} {number}").write_bytes(content)
            return f"{kept}/{reader} {number}: exit {done.returncode}, {words}\n{said[:4000]}"

        files = ((number, mutated(good, source)) for number in range(FILES))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = [one for one in pool.map(attempt, files) if one]
            self.tried[self._testMethodName, reader] = FILES
        self.assertEqual(wrong, [], "\n".join(wrong))

    def setUp(self):
        super().setUp()
        self.words = self.made(WORDS, name="words.umbel")

    def test_lists(self):
        self.hold("lines", WORDS, ["query", self.words, "FILE"], ["build", "-q", "FILE"])
        self.hold("lines that end at NUL", WORDS.replace(b"\n", b"\0"),
                  ["query", "-0", self.words, "FILE"])
        numbers = self.made(lines(*range(200)), "--key-type", "u64", name="numbers.umbel")
        self.hold("integers", lines(*range(-100, 100)),
                  ["query", "--key-type", "u64", numbers, "FILE"])

    def test_packed_lists(self):
        for name, packed in [("gzip", gzip.compress(WORDS)), ("zstd", zstd(WORDS)),
                             ("members", gzip.compress(WORDS[:900]) + gzip.compress(WORDS[900:])),
                             ("zstd frames", zstd(WORDS[:900]) + zstd(WORDS[900:]))]:
            self.hold(name, packed, ["query", self.words, "FILE"], ["build", "-q", "FILE"])

    def test_tables(self):
        self.hold("csv", TABLE, ["query", "--field", "mail", self.words, "FILE"],
                  ["build", "-q", "--field", "2", "FILE"])
        self.hold("tsv", TABLE.replace(b",", b"\t"),
                  ["query", "--field", "mail", self.words, "FILE"],
                  ["build", "-q", "--field", "3", "--header", "FILE"])
        self.hold("packed csv", gzip.compress(TABLE), ["build", "-q", "--field", "mail", "FILE"])

    def test_pairs(self):
        self.hold("pairs", PAIRS, ["build", "-q", "--map", "FILE"])
        texts = PAIRS.replace(b"\t", b"\tvalue ")
        self.hold("pairs of texts", texts, ["build", "-q", "--map", "FILE"])
        self.hold("pairs with commas", texts.replace(b"\t", b","),
                  ["build", "-q", "--map", "-d", ",", "FILE"])

    def test_secret_keys(self):
        self.file("list", WORDS)
        build = ["build", "-q", "--key-file", "FILE", "list"]
        self.hold("secret bytes", bytes(range(16)), build)
        self.hold("secret digits", b"00112233445566778899aabbccddeeff\n", build)

    def test_filters(self):
        for kind in ["bloom-filter", "binary-fuse-filter", "cuckoo-filter", "golomb-coded-set"]:
            good = self.made(WORDS, "--kind", kind, name="made").read_bytes()
            self.hold(kind, good, ["query", "-c", "FILE", self.file("list", WORDS)],
                      ["query", "-c", "--mmap", "FILE", "list"], ["info", "FILE"],
                      ["verify", "FILE"])
        table = self.made(PAIRS, "--map", name="map").read_bytes()
        self.hold("map", table, ["get", "FILE", "key 1", "key 7"], ["info", "FILE"],
                  ["get", "--mmap", "FILE", "key 2"])

    def test_messages(self):
        made = self.made(WORDS, "--kind", "bloom-filter", "--keys", 1000, name="made")
        later = self.made(WORDS + lines("more"), "--kind", "bloom-filter", "--keys", 1000,
                          name="later")
        for how in [[], ["--rice"]]:
            whole = self.umbel("compress", *how, made).stdout
            self.hold(f"message {how}", whole, ["decompress", "FILE"])
            change = self.umbel("compress", *how, "--since", made, later).stdout
            self.hold(f"change {how}", change, ["decompress", "--onto", made, "FILE"])

    def test_foreign_filters(self):
        dcso = self.made(WORDS, "--kind", "bloom-filter", "--scheme", "dcso", name="dcso")
        theirs = self.umbel("convert", dcso, "--to", "dcso").stdout
        self.hold("dcso", theirs, ["convert", "FILE"])
        self.hold("packed dcso", gzip.compress(theirs), ["convert", "FILE"])
        parquet = self.made(WORDS, "--kind", "parquet-filter", name="parquet")
        for name in ["parquet", "parquet-bits"]:
            theirs = self.umbel("convert", parquet, "--to", name).stdout
            self.hold(name, theirs, ["convert", "--from", name, "FILE"])
        self.hold("to dcso", dcso.read_bytes(), ["convert", "FILE", "--to", "dcso"])


main()
