"""read_growing.py - sets that grow or erase, for reader.py."""
import struct

from reader import ANY, GOLDEN, M64, BloomFilter, Cells, Filter, SplitBlockBloomFilter, check, fastrange, mix64

PARTS = 0x1900000000


def double(word):
    return struct.unpack("<d", struct.pack("<Q", word))[0]


def check_rate(word, field="fpr"):
    check(2**-64 <= double(word) < 1, "field", field, "is", double(word))


class Slices:
    """Bits of which a key has one in each of `probes` slices."""

    def __init__(self, contents, salt):
        self.cells, self.probes, self.salt = contents.fields(
            "index", cells=(1, 2**56), probes=(1, 1024), salt=(salt, salt))
        check(self.cells % self.probes == 0, "field cells is", self.cells)
        self.bits = Cells(contents, "cells", self.cells, 1, 0)

    def shape(self):
        return self.cells, self.probes

    def positions(self, digest):
        x, each = digest.words(PARTS + self.salt)[0], self.cells // self.probes
        for i in range(self.probes):
            yield i * each + fastrange(mix64((x + i * GOLDEN) & M64), each)

    def holds(self, digest):
        return all(self.bits[i] for i in self.positions(digest))


class Staged(Filter):
    """Stages, each with room for so many keys; of those before the last number one is full."""

    def read(self, contents):
        first, growth = self.read_series(contents)
        count = contents.list("stages")
        check(count > 0, "no stages")
        self.stages, last, full = [], -1, True
        for _ in range(count):
            number, keys = contents.fields("stage", number=ANY, keys=ANY)
            check(number == last + 1 or number == last >= 0, "field number is", number)
            check(number == last or full, "field keys before stage", number)
            room = min(2**56, first * growth**number)
            check(keys <= room, "field keys is", keys)
            stage = self.stage(contents, number)
            check(number != last or stage.shape() == self.stages[-1].shape(), "field number: two shapes of", number)
            self.stages.append(stage)
            last, full = number, keys == room or (number == last and full)

    def holds(self, digest):
        return any(stage.holds(digest) for stage in self.stages)


class ScalableBloomFilter(Staged):
    stage = Slices

    def read_series(self, contents):
        first, fpr, growth, tightening = contents.fields("series", first=(1, 2**50), fpr=ANY, growth=(2, 16),
                                                         tightening=ANY)
        check_rate(fpr)
        check(0.1 <= double(tightening) <= 0.99, "field tightening is", double(tightening))
        return first, growth


class Level(SplitBlockBloomFilter):
    def __init__(self, contents, _):
        self.read(contents)

    def shape(self):
        return self.blocks


class TaffyBlockFilter(Staged):
    stage = Level

    def read_series(self, contents):
        first, fpr = contents.fields("series", first=(1, 2**50), fpr=ANY)
        check_rate(fpr)
        return first, 2


class DeletableBloomFilter(BloomFilter):
    SALT = 0x10000

    def read(self, contents):
        self.cells, self.probes, self.scheme, self.salt = contents.fields(
            "index", cells=(1, 2**56), probes=(1, 1024), scheme=(0, 1), salt=(self.SALT, self.SALT))
        (regions,) = contents.fields("regions", regions=(1, self.cells - 1))
        self.bits = Cells(contents, "cells", self.cells, 1, 0)
        self.flags = Cells(contents, "flags", regions, 1, 0)


class DynamicBloomFilter(BloomFilter):
    """Rows of counters; a key has the same places in every row."""
    SALT, WIDTH = 0x20000, 4

    def read(self, contents):
        self.cells, self.probes, self.scheme, self.salt = contents.fields(
            "index", cells=(1, 2**56), probes=(1, 1024), scheme=(0, 1), salt=(self.SALT, self.SALT))
        (room,) = contents.fields("room", room=(1, 2**50))
        count = contents.list("rows")
        check(count > 0, "no rows")
        self.rows = []
        for _ in range(count):
            contents.fields("row", keys=(0, room))
            self.rows.append(Cells(contents, "cells", self.cells, self.WIDTH, 0))

    def holds(self, digest):
        places = list(self.positions(digest))
        return any(all(row[i] for i in places) for row in self.rows)


class Pair(BloomFilter):
    """Two arrays of bits; where the salt of the second is another, `APART` says by how much."""
    SALT, APART, NAMES = 0x30000, 1, ("came", "went")

    def read(self, contents):
        self.cells, self.probes, self.scheme, self.salt = contents.fields(
            "index", cells=(1, 2**56), probes=(1, 1024), scheme=(0, 1), salt=(self.SALT, self.SALT))
        self.read_more(contents)
        self.arrays = [self.array(contents, name) for name in self.NAMES]

    def read_more(self, contents):
        pass

    def array(self, contents, name):
        return Cells(contents, name, self.cells, 1, 0)

    def accepts(self, which, digest):
        self.salt = self.SALT + self.APART * which
        return all(self.arrays[which][i] for i in self.positions(digest))


class RemovableBloomFilter(Pair):
    def holds(self, digest):
        return self.accepts(0, digest) and not self.accepts(1, digest)


class Lines:
    """Bits in lines of 512, of which some are still to be cleared."""

    def __init__(self, contents, name, cells):
        lines = -(-cells // 512)
        self.fresh, self.next = contents.fields(name + "_lines", fresh=(0, 1), next=(0, lines))
        self.bits = Cells(contents, name, cells, 1, 0)
        self.marks = Cells(contents, name + "_marks", lines, 1, 0)

    def __getitem__(self, i):
        line = i // 512
        return self.bits[i] and (line < self.next or self.marks[line] == self.fresh)


class AgingBloomFilter(Pair):
    SALT, APART, NAMES = 0x40000, 0, ("first", "second")

    def read_more(self, contents):
        self.form, room, keys, others = contents.fields("window", form=(0, 1), room=(2, 2**51 + 1), keys=ANY, others=ANY)
        check(keys <= room and others <= room, "fields keys and others are", keys, others)

    def array(self, contents, name):
        return Lines(contents, name, self.cells)

    def holds(self, digest):
        return self.accepts(0, digest) or (self.form == 0 and self.accepts(1, digest))


class SplitBloomFilter(BloomFilter):
    """Rows of bits; a key has one of them, or may be in any that is in use."""

    def read(self, contents):
        self.cells, self.probes, self.scheme, self.salt, self.rows, self.form = contents.fields(
            "index", cells=(1, 2**56), probes=(1, 1024), scheme=(0, 1), salt=(0, 0), rows=(1, 4096), form=(0, 1))
        check(self.cells * self.rows <= 2**56, "field cells is", self.cells)
        room, keys = contents.fields("split", room=(1, 2**50), keys=ANY)
        check(keys <= room * self.rows, "field keys is", keys)
        self.used = max(1, -(-keys // room))
        self.bits = Cells(contents, "cells", self.cells * self.rows, 1, 0)

    def holds(self, digest):
        rows = range(self.used) if self.form == 0 else [fastrange(digest.words(PARTS + 0x50000)[0], self.rows)]
        places = list(self.positions(digest))
        return any(all(self.bits[row * self.cells + i] for i in places) for row in rows)


KINDS = {
    "scalable-bloom-filter": ScalableBloomFilter,
    "taffy-block-filter": TaffyBlockFilter,
    "deletable-bloom-filter": DeletableBloomFilter,
    "dynamic-bloom-filter": DynamicBloomFilter,
    "split-bloom-filter": SplitBloomFilter,
    "removable-bloom-filter": RemovableBloomFilter,
    "aging-bloom-filter": AgingBloomFilter,
}
