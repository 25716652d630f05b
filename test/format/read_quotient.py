"""read_quotient.py - quotient filters and their relatives, read by the sections of doc/format.md that
bear their names.
"""
import math

from reader import XXH3, Cells, Filter, Hasher, SplitBlockBloomFilter, check, fastrange, word64


class RunTable:
    """A ring of blocks of 64 slots: runs of values, found by counting the bits of homes and ends."""

    def __init__(self, contents):
        self.blocks, self.width, self.used = contents.fields("runs", blocks=(1, 2**56), width=(1, 56), used=(0, 2**62))
        self.slots, self.block_bytes = 64 * self.blocks, 8 * self.width + 17
        check(8 * self.block_bytes * self.blocks <= 2**56, "blocks", self.blocks)
        check(self.used <= self.slots - -(-self.slots // 20), "used", self.used)
        self.bytes = contents.array("cells", 1, self.blocks * self.block_bytes)

    def bit(self, which, i):
        at = i // 64 * self.block_bytes + 8 * self.width + 8 * which
        return word64(self.bytes, at) >> i % 64 & 1

    def value(self, slot):
        at = slot // 64 * self.block_bytes
        area = int.from_bytes(self.bytes[at:at + 8 * self.width], "little")
        return area >> slot % 64 * self.width & ((1 << self.width) - 1)

    def run(self, home):
        """The values of a home. Counts from the last block whose offset is told; at worst that is all round."""
        if not self.bit(0, home):
            return []
        offsets = self.bytes[self.block_bytes - 1::self.block_bytes]
        block = home // 64
        while offsets[block % self.blocks] == 255:
            block -= 1
            if block < home // 64 - self.blocks:
                return []
        at = 64 * block + offsets[block % self.blocks]
        for other in range(64 * block, home):
            if self.bit(0, other % self.slots):
                at = max(at, other)
                while not self.bit(1, at % self.slots):
                    at += 1
                at += 1
        at = max(at, home)
        values = [self.value(at % self.slots)]
        while not self.bit(1, at % self.slots):
            at += 1
            values.append(self.value(at % self.slots))
        return values


class QuotientFilter(Filter):
    def read(self, contents):
        self.table = RunTable(contents)
        check(self.table.slots << self.table.width <= 2**60, "slots", self.table.slots, "of width", self.table.width)

    def holds(self, digest):
        fingerprint = digest.words(0x1500000000)[0] * (self.table.slots << self.table.width) >> 64
        return fingerprint % 2**self.table.width in self.table.run(fingerprint >> self.table.width)


class ExpandableFilter(Filter):
    def read(self, contents):
        generation, first = contents.fields("expandable", generation=(0, 56), first_length=(1, 55))
        self.table = RunTable(contents)
        check(self.table.blocks % 2**generation == 0, "generation", generation)
        check(self.table.width == min(55, first + ((generation + 1)**2 - 1).bit_length()) + 1, "width", self.table.width)

    def holds(self, digest):
        first, second = digest.words(0x1500000001)[:2]
        length = self.table.width - 1
        fingerprint = (first << 64 | second) * (self.table.slots << length) >> 128
        home, bits = fingerprint >> length, fingerprint % 2**length
        for value in self.table.run(home):
            given = (value & -value).bit_length()  # bits that are no part of the fingerprint
            if value and value >> given == bits >> (given - 1):
                return True
        return False


class TelescopingFilter(Filter):
    def read(self, contents):
        self.table = RunTable(contents)
        self.codes = Cells(contents, "selectors", self.table.blocks, 56, 1)

    def selectors(self, block):
        code, left, numbers = self.codes[block], 12, [0] * 112
        for i in range(112):
            while left and code >= math.comb(111 - i + left, left):
                code -= math.comb(111 - i + left, left)
                left -= 1
                numbers[i] += 1
        return numbers

    def holds(self, digest):
        home = fastrange(digest.words(0x1500000002)[0], self.table.slots)
        before = sum(len(self.table.run(other)) for other in range(home // 64 * 64, home))
        selectors = self.selectors(home // 64)
        for i, value in enumerate(self.table.run(home), before):
            selector = selectors[i] if i < 112 else 0
            if value == digest.words(0x1C00000000 + selector)[0] >> (64 - self.table.width):
                return True
        return False


class VectorQuotientFilter(Filter):
    def read(self, contents):
        self.lines, self.tag_bits = contents.fields("vectors", lines=(2, 2**47), tag_bits=(8, 16))
        check(self.lines % 2 == 0, "lines", self.lines)
        check(self.tag_bits in (8, 16), "tag_bits", self.tag_bits)
        self.buckets, self.row_bytes = (80, 16) if self.tag_bits == 8 else (36, 8)
        self.bytes = contents.array("cells", 8, 8 * self.lines)

    def tags(self, line, wanted):
        """The tags of one bucket: as many as zeros precede its one."""
        data = self.bytes[64 * line:64 * line + 64]
        row, size = int.from_bytes(data[:self.row_bytes], "little"), self.tag_bits // 8
        bucket, at, found = 0, self.row_bytes, []
        for i in range(8 * self.row_bytes):
            if row >> i & 1:
                bucket += 1
            elif at < 64:
                if bucket == wanted:
                    found.append(int.from_bytes(data[at:at + size], "little"))
                at += size
        return found

    def holds(self, digest):
        first, second = digest.words(0x1600000000)[:2]
        line = fastrange(first, self.lines)
        value = fastrange(second, self.buckets << self.tag_bits)
        bucket, tag = value >> self.tag_bits, value % 2**self.tag_bits
        other = ((fastrange(value * 0x9E3779B97F4A7C15 % 2**64, self.lines) | 1) - line) % self.lines
        return tag in self.tags(line, bucket) or tag in self.tags(other, bucket)


class Spare(SplitBlockBloomFilter):
    """A split block filter of numbers, whose sections have other names."""

    def __init__(self, contents):
        (self.blocks,) = contents.fields("spare", blocks=(1, self.MAX_BLOCKS))
        self.cells = contents.array("marks", 4, 8 * self.blocks)


class PrefixFilter(Filter):
    def read(self, contents):
        (self.pockets,) = contents.fields("pockets", pockets=(1, 2**48))
        self.bytes = contents.array("cells", 8, 4 * self.pockets)
        self.spare = Spare(contents)

    def holds(self, digest):
        first, second, _ = digest.words(0x1700000000)
        pocket, value = fastrange(first, self.pockets), (second >> 32) * 6400 >> 32
        word, tags = word64(self.bytes, 32 * pocket + 24), self.bytes[32 * pocket:32 * pocket + 25]
        row, values, fences = word >> 13, [], 0
        for bit in range(51):
            if row >> bit & 1:
                fences += 1
            elif len(values) < 25 and 0 < fences < 26:
                values.append((fences - 1) << 8 | tags[len(values)])
        if value in values:
            return True
        return value > word % 2**13 and self.spare.holds(Hasher(XXH3, 0, None).digest(6400 * pocket + value, 8))


KINDS = {
    "prefix-filter": PrefixFilter,
    "quotient-filter": QuotientFilter,
    "vector-quotient-filter": VectorQuotientFilter,
    "expandable-filter": ExpandableFilter,
    "telescoping-filter": TelescopingFilter,
}
