"""test_input_sizes.py - inputs of every size that could matter, in every packing, by every way in.

Sizes are 0, 1, every buffer of the tool's readers less one, exactly and plus one, and 10 MB, plain
and packed: of lists, of packed files, of one line, of tables, of filters. The buffers are found in
the tool's sources, so a new one is tested without anybody thinking of it. What is expected is what
Python says.
"""
import gzip
import io
import os
import pathlib
import random
import re
import struct
import subprocess
import threading
import time
import zlib

from flow import PATIENCE, TOOL, Flow, lines, main

SOURCES = pathlib.Path(os.environ["UMBEL_SOURCE_DIR"]) / "cli"
LARGEST_BUFFER = 1 << 20  # a larger constant is a limit, not a buffer
LARGE = 10_000_000
WAYS = ["file", "redirection", "pipe", "slow pipe"]


def buffers():
    """Every `std::size_t{a} << b` and `std::array<char, a>` of the tool, by the file that has it."""
    found = {}
    for path in sorted(SOURCES.rglob("*.[ch]pp")):
        for base, shift in re.findall(r"std::size_t\{(\d+)\}\s*<<\s*(\d+)", path.read_text()):
            if int(base) << int(shift) <= LARGEST_BUFFER:
                found.setdefault(int(base) << int(shift), set()).add(path.stem)
        for size in re.findall(r"std::array<char, (\d+)>", path.read_text()):
            found.setdefault(int(size), set()).add(path.stem)
    return found


SIZES = sorted({0, 1, LARGE, *(size + off for size in buffers() for off in (-1, 0, 1))})


def text(size, seed):
    """So many bytes of lines of 0 to 80 bytes that hardly compress; few end with a line end."""
    source = random.Random(seed)
    letters = bytes(97 + i % 26 if i < 208 else i for i in range(256))
    out = bytearray(source.randbytes(size).translate(letters))
    at = 0
    while at < size:
        at += source.randrange(81)
        out[at:at + 1] = b"\n" if at < size else b""
        at += 1
    return bytes(out)


def zstd(data):
    return subprocess.run(["zstd", "-q", "-1", "-c"], input=data, stdout=subprocess.PIPE,
                          check=True).stdout


def in_pieces(pack, data):
    """Three members, an empty one among them."""
    cut = len(data) // 3
    return pack(data[:cut]) + pack(b"") + pack(data[cut:])


def gzip_of_size(size, seed):
    """A gzip file of exactly so many bytes: the file name in its header is as long as it takes."""
    data = text(max(0, size * 9 // 10 - 100), seed)
    body = zlib.compressobj(1, zlib.DEFLATED, -15)
    packed = body.compress(data) + body.flush() + struct.pack("<II", zlib.crc32(data), len(data))
    name = size - 10 - 1 - len(packed)
    assert name >= 0
    return b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * name + b"\0" + packed, data


def zstd_of_size(size, seed):
    """A zstd file of exactly so many bytes: a skippable frame stands behind the data."""
    data = text(max(0, size * 9 // 10 - 100), seed)
    packed = zstd(data)
    skipped = size - len(packed) - 8
    assert skipped >= 0
    return packed + struct.pack("<II", 0x184D2A50, skipped) + bytes(skipped), data


PACKINGS = {"plain": lambda data: data, "gzip": lambda data: gzip.compress(data, 1), "zstd": zstd,
            "gzip members": lambda data: in_pieces(lambda piece: gzip.compress(piece, 1), data),
            "zstd frames": lambda data: in_pieces(zstd, data)}


def write_slowly(pipe, data, seed):
    """Writes of 1 to 4,096 bytes; twenty of them, at most, after a pause."""
    source, view, pauses = random.Random(seed), memoryview(data), 20
    try:
        while view:
            if pauses and source.random() < max(0.02, 40 * 2048 / (len(data) + 1)) / 2:
                pauses -= 1
                time.sleep(0.002)
            size = source.choice([1, 2, 3, 4, 5, source.randint(1, 4096), 4096, 4096])
            pipe.write(view[:size])
            view = view[size:]
    except BrokenPipeError:
        pass  # the tool's exit code tells
    finally:
        pipe.close()


class Ways(Flow):
    def through(self, way, data, *words):
        """Standard output of the tool, which must succeed, reading these bytes."""
        path = self.file("input", data)
        words = [TOOL, *map(str, words)] + ([path] if way == "file" else [])
        if way == "slow pipe":
            process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, cwd=self.here, bufsize=0)
            writer = threading.Thread(target=write_slowly, args=(process.stdin, data, len(data)))
            writer.start()
            out = process.stdout.read()
            said, code = process.stderr.read(), process.wait(PATIENCE)
            writer.join()
            process.stdout.close()
            process.stderr.close()
        else:
            given = {"input": data} if way == "pipe" else {"stdin": open(path, "rb")}
            done = subprocess.run(words, capture_output=True, cwd=self.here, timeout=PATIENCE, **given)
            if "stdin" in given:
                given["stdin"].close()
            out, said, code = done.stdout, done.stderr, done.returncode
        self.assertEqual((said, code in (0, 1)), (b"", True), (way, len(data), code, said[-2000:]))
        return out


class Sizes(Ways):
    def assert_reads(self, packed, data, what):
        """By every way the keys are the lines: asked of an empty set, all of them are printed."""
        nothing = self.here / "nothing"
        if not nothing.exists():
            self.made(b"", "--kind", "bloom-filter", "--keys", 1, name="nothing")
        expected = data if data.endswith(b"\n") or not data else data + b"\n"
        for way in WAYS:
            found = self.through(way, packed, "query", "-v", nothing)
            if found != expected:
                first = len(os.path.commonprefix([found, expected]))
                self.fail(f"{what}, {way}: {len(found)} bytes of keys, expected {len(expected)}; "
                          f"they differ at {first}")

    def test_the_sizes_come_from_the_sources(self):
        owners = set().union(*buffers().values())
        # Else the readers' buffers are written in another way, and not found.
        self.assertLessEqual({"input", "unpack"}, owners)
        # A magic number, reads of a packed file, a batch of lines, steps of a file that is read
        # whole.
        self.assertLessEqual({4, 128 << 10, 256 << 10, 1 << 20}, set(buffers()))

    def test_sizes_of_the_list(self):
        for size in SIZES:
            data = text(size, seed=size)
            for name, pack in PACKINGS.items():
                self.assert_reads(pack(data), data, f"{size} bytes, {name}")

    def test_sizes_of_the_packed_file(self):
        for size in SIZES:
            if size < 1000:
                continue  # smaller than what its text would be packed to
            for make in (gzip_of_size, zstd_of_size):
                packed, data = make(size, seed=size)
                self.assertEqual(len(packed), size)
                self.assert_reads(packed, data, f"{make.__name__} {size}")

    def test_one_line_of_every_size(self):
        for size in SIZES[1:]:
            line = b"x" * size
            for name in ["plain", "gzip", "zstd"]:
                self.assert_reads(PACKINGS[name](line), line, f"one line of {size} bytes, {name}")

    def test_a_table_of_every_size(self):
        for size in (size for size in SIZES if size > 5):
            rows = [b"%d,%d@example,x" % (i, i * i) for i in range(size // 32)]
            table = b"id,mail,note\n" + b"".join(row + b"\n" for row in rows)
            table += b"0," + b"m" * (size - len(table) - 3) + b"\n"
            self.assertEqual(len(table), size)
            mails = [row.split(b",")[1] for row in table.splitlines()[1:]]
            self.made(lines(*mails[::2]), "--fpr", "2^-40", name="half")
            half = set(mails[::2])
            expected = b"id,mail,note\n" + b"".join(
                row + b"\n" for row in table.splitlines()[1:] if row.split(b",")[1] in half)
            for name in ["plain", "gzip", "zstd"]:
                packed = PACKINGS[name](table)
                for way in WAYS:
                    found = self.through(way, packed, "query", "--field", "mail", "half")
                    self.assertEqual(found == expected, True, (size, name, way))

    def test_tables_that_are_smaller_than_a_header(self):
        self.made(b"7\n77\n777\n", "--fpr", "2^-40", name="sevens")
        for size in (size for size in SIZES if size <= 5):
            table = b"7" * max(0, size - 2) + b",x"[:size]
            for name in ["plain", "gzip", "zstd"]:
                packed = PACKINGS[name](table)
                for way in WAYS:
                    found = self.through(way, packed, "query", "--field", "1", "sevens")
                    expected = table + b"\n" if table.startswith(b"7") else b""
                    self.assertEqual(found, expected, (size, name, way))

    def test_a_large_list_is_built_alike_by_every_way(self):
        data = text(LARGE, seed=1)
        expected = self.umbel("build", "-q", given=data).stdout
        self.assertEqual(self.umbel("query", "-c", self.file("made", expected), given=data).stdout,
                         b"%d\n" % len(io.BytesIO(data).readlines()))
        for name, pack in PACKINGS.items():
            packed = pack(data)
            for way in WAYS:
                made = self.through(way, packed, "build", "-q")
                self.assertEqual(made == expected, True, (name, way))


def pairs_of_size(size, write):
    """So many bytes of records that write(key, value) spells, and the pairs in them."""
    rows, pairs = [], {}
    while size > 80:
        key, value = b"k, %d" % len(rows), len(rows) % 100
        rows.append(write(key, value) + b"\n")
        pairs[key] = value
        size -= len(rows[-1])
    key = b"m" * (size - len(write(b"", 7)))
    pairs[key] = 7
    return b"".join(rows) + write(key, 7), pairs


def dcso_of_size(size, seed):
    """A file of DCSO's `bloom` of exactly so many bytes, and its words of bits; data follow them."""
    words = (size - 48) // 8
    bits = random.Random(seed).randbytes(8 * words)
    front = struct.pack("<QQdQQQ", 1, 10 * words, 0.01, 4, 64 * words, 1)
    return front + bits + b"x" * (size - 48 - 8 * words), bits


class OtherReaders(Ways):
    """Pairs, numbers, foreign filters and keys of `get`: each with code of its own for its input."""

    SIZES = [size for size in SIZES if size < LARGE]

    def every_way(self, data, *words, dash=()):
        for name in ["plain", "gzip"]:
            packed = PACKINGS[name](data)
            for way in WAYS:
                named = () if way == "file" else dash
                yield (len(data), name, way), self.through(way, packed, *words, *named)

    def test_maps_of_every_size(self):
        tabs = ([], lambda key, value: b"%b\t%d" % (key, value))
        commas = (["-d", ","], lambda key, value: b'"%b",%d' % (key, value))
        for words, write in [tabs, commas]:
            for size in self.SIZES:
                if size < len(write(b"", 7)):
                    continue
                data, pairs = pairs_of_size(size, write)
                self.assertEqual(len(data), size)
                keys = lines(*pairs)
                made = None
                for where, found in self.every_way(data, "build", "-q", "--map", *words):
                    if made is None:
                        made = found
                        self.file("made", made)
                        answers = self.umbel("get", "made", given=keys).stdout
                        expected = b"".join(b"%b\t%d\n" % pair for pair in pairs.items())
                        self.assertEqual(answers == expected, True, where)
                    self.assertEqual(found == made, True, where)

    def test_integers_of_every_size(self):
        for size in self.SIZES:
            rows = [b"%09d\n" % i for i in range((size - 1) // 10)]
            data = b"".join(rows) + b"1" * (size - 10 * len(rows))
            self.assertEqual(len(data), size)
            numbers = {int(row) for row in data.split()}
            expected = self.made(lines(*sorted(numbers)), "--key-type", "u64").read_bytes()
            for where, found in self.every_way(data, "build", "-q", "--key-type", "u64"):
                self.assertEqual(found == expected, True, where)

    def test_foreign_filters_of_every_size(self):
        for size in (size for size in self.SIZES if size > 56):
            data, bits = dcso_of_size(size, seed=size)
            self.assertEqual(len(data), size)
            for where, found in self.every_way(data, "convert", "-q", dash=["-"]):
                self.file("made", found)
                back = self.umbel("convert", "made", "--to", "dcso").stdout
                self.assertEqual(back[48:] == bits, True, where)

    def test_keys_to_get_of_every_size(self):
        self.made(b"Wren\t1\n", "--map", "--fpr", "2^-40", name="map")
        for size in self.SIZES:
            data = text(size, seed=size)
            expected = data if data.endswith(b"\n") or not data else data + b"\n"
            for name in ["plain", "gzip"]:
                for way in WAYS:
                    words = ["get", "-v", "map"] + (["-f"] if way == "file" else [])
                    found = self.through(way, PACKINGS[name](data), *words)
                    self.assertEqual(found == expected, True, (size, name, way))


class OtherInputs(Ways):
    """What is read whole: filters, messages, keys."""

    def test_filters_of_every_size(self):
        for size in SIZES:
            if not 1000 < size < LARGE:
                continue
            made = self.made(b"wren\n", "--kind", "bloom-filter", "--keys", size * 8 // 10,
                             "--fpr", "1%")
            data = made.read_bytes()
            message = self.umbel("compress", made).stdout
            for way in WAYS:
                dash = [] if way == "file" else ["-"]
                for packed in (data, gzip.compress(data, 1), zstd(data)):
                    found = self.through(way, packed, "compress", *dash)
                    self.assertEqual(found == message, True, (size, way))
                found = self.through(way, message, "decompress", *dash)
                self.assertEqual(found == data, True, (size, way))
            keys = self.file("keys", b"wren\n")
            self.assertEqual(self.through("slow pipe", data, "query", "-c", "-", keys), b"1\n")

    def test_secret_keys_of_every_size(self):
        self.file("list", b"wren\n")
        for size in [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000]:  # 64 is the buffer
            for digit in (b"0", b"\xff"):
                path = self.file("secret", digit * size)
                fits = size == 16 or (size == 32 and digit == b"0")  # bytes, or hexadecimal digits
                done = self.umbel("build", "-q", "--key-file", path, "list")
                self.assertEqual(done.returncode, 0 if fits else 2, (size, digit, done.stderr))


if __name__ == "__main__":
    main()
