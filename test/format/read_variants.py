"""read_variants.py - Bloom filters whose bits are cleared again, or whose keys differ in probes (section 26 of
doc/format.md); and messages (section 27)."""
import math

from reader import ANY, BloomFilter, Cells, ENTRY, FIELDS, Fuse, HEADER, LIST, M64, check, struct, xxh3_64


class Plain(BloomFilter):
    """The fields of a bloom-filter under one of the two usual schemes, and more; then the bits."""

    def read_index(self, contents, **more):
        self.cells, self.probes, self.scheme, self.salt, *others = contents.fields(
            "index", cells=(1, 2**56), probes=(1, 1024), scheme=(0, 1), salt=ANY, **more)
        self.bits = Cells(contents, "cells", self.cells, 1, 0)
        return others


class GeneralizedBloomFilter(Plain):
    def read(self, contents):
        (self.clears,) = self.read_index(contents, clears=(0, 64))
        check(self.probes <= 64, "field probes is", self.probes)
        check(self.clears == 0 or self.scheme == 1, "field scheme is", self.scheme)

    def holds(self, digest):
        clear = []
        if self.clears:
            probes, self.probes = self.probes, self.clears
            clear = list(self.positions(digest, 0x1B00000000 - 0x100000000 - self.salt))
            self.probes = probes
        return not any(self.bits[i] for i in clear) and all(
            self.bits[i] for i in self.positions(digest) if i not in clear)


class RetouchedBloomFilter(Plain):
    def read(self, contents):
        self.read_index(contents)
        contents.fields("retouch", cleared=ANY)


class VariableBloomFilter(Plain):
    def read(self, contents):
        self.marks, self.needed = self.read_index(contents, marks=(1, 1024), needed=(1, 1024))
        check(self.marks <= self.probes, "field marks is", self.marks)
        check(self.needed <= self.probes, "field needed is", self.needed)
        contents.fields("age", oldest=(0, self.cells - 1))

    def holds(self, digest):
        return sum(self.bits[i] for i in self.positions(digest)) >= self.needed


class WeightedBloomFilter(Plain):
    def read(self, contents):
        self.table = Fuse(contents)
        check(self.table.width == (22 if self.table.keys else 1), "field width is", self.table.width)
        self.read_index(contents)
        self.usual = self.probes

    def holds(self, digest):
        self.probes = self.usual
        if self.table.keys:
            word = self.table.word(digest)
            if word >> 6 == self.table.tag(digest) >> 6:
                self.probes = word & 63
        return self.probes == 0 or all(self.bits[i] for i in self.positions(digest))


# ---- section 27: messages
# ---------------------------------------------------------------------------------------------

MESSAGE = b"\x89umbz1\r\n"
RAW, RANGE, RICE, ALIKE = range(4)


def range_decoded(code, m, ones):
    share = min(max((2 * (m - ones) * 2**32 + m) // (2 * m), 1), 2**32 - 1)
    check(len(code) >= 8, "code cut short")
    ahead, width, read, bits = int.from_bytes(code[:8], "big"), M64, 8, 0
    for i in range(m):
        bound = (width >> 32) * share
        if ahead < bound:
            width = bound
        else:
            bits |= 1 << i
            ahead, width = ahead - bound, width - bound
        while width < 2**56:
            check(read < len(code), "code cut short")
            ahead, width, read = (ahead << 8 | code[read]) & M64, width << 8, read + 1
    check(read == len(code) and ahead == 0, "not one code")
    return bits


def rice_decoded(code, m, ones):
    low = min(max(math.floor(math.log2(math.log(2) * m / ones) + 0.5), 0), 56)
    stream, at, place, bits = int.from_bytes(code, "little"), 0, 0, 0
    for _ in range(ones):
        quotient = 0
        while stream >> at & 1:
            quotient, at = quotient + 1, at + 1
        gap = quotient << low | stream >> at + 1 & (1 << low) - 1
        at += 1 + low
        check(at <= 8 * len(code) and place + gap < m, "code cut short, or past the last bit")
        bits |= 1 << place + gap
        place += gap + 1
    check(-(-at // 8) == len(code) and stream >> at == 0, "something behind the code")
    return bits


def unpacked(message):
    """The file a message was made of, as bytes. Changes are not for this reader."""
    check(message[:8] == MESSAGE, "not a message")
    check(len(message) >= 16 + HEADER.size, "cut within the header")
    check(xxh3_64(message[16:16 + 120]) == struct.unpack_from("<Q", message, 16 + 120)[0], "header checksum")
    check(message[8:16] == bytes(8), "a change")
    count, size = struct.unpack_from("<I", message, 16 + 80)[0], struct.unpack_from("<Q", message, 16 + 72)[0]
    at = 16 + HEADER.size + count * ENTRY.size
    check(at <= len(message), "cut within the table")
    front = message[16:at]
    check(xxh3_64(front[HEADER.size:]) == struct.unpack_from("<Q", front, 112)[0], "table checksum")
    file = bytearray(front) + bytes(size - len(front))
    for _, type, _, offset, length, checksum, _ in ENTRY.iter_unpack(front[HEADER.size:]):
        if type == LIST:
            continue
        if type == FIELDS:
            payload, at = message[at:at + length], at + length
        else:
            check(at + 24 <= len(message), "an array cut short")
            coding, ones, code_bytes = struct.unpack_from("<3Q", message, at)
            code, at = message[at + 24:at + 24 + code_bytes], at + 24 + code_bytes
            m = 8 * length
            check(len(code) == code_bytes and coding in (RAW, RANGE, RICE, ALIKE), "an array cut short")
            check((ones in (0, m)) == (coding == ALIKE), "all alike, or not")
            bits = (int.from_bytes(code, "little") if coding == RAW else
                    range_decoded(code, m, ones) if coding == RANGE else
                    rice_decoded(code, m, ones) if coding == RICE else (1 << m) - 1 if ones else 0)
            payload = bits.to_bytes(length, "little")
            check(bits.bit_count() == ones, "other ones than said")
        check(xxh3_64(bytes(payload)) == checksum, "checksum of a section")
        file[offset:offset + length] = payload
    check(at == len(message), "something behind the message")
    return bytes(file)


KINDS = {
    "generalized-bloom-filter": GeneralizedBloomFilter,
    "retouched-bloom-filter": RetouchedBloomFilter,
    "variable-bloom-filter": VariableBloomFilter,
    "weighted-bloom-filter": WeightedBloomFilter,
}
