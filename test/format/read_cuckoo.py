"""read_cuckoo.py - filters that displace tags, read by sections 26 and 27 of doc/format.md alone."""
from reader import ANY, Cells, Filter, GOLDEN, M64, check, fastrange, nth


class CuckooFilter(Filter):
    def read(self, contents):
        self.buckets, self.width, self.slots, self.victim_bucket, self.victim_tag = contents.fields(
            "table", buckets=(2, 2**52), width=(2, 32), slots=(2, 8), victim_bucket=ANY, victim_tag=ANY)
        check(self.buckets % 2 == 0, "buckets", self.buckets)
        check(self.slots in (2, 4, 8), "slots", self.slots)
        check(self.slots * self.width <= 128, "width", self.width)
        check(self.buckets * self.slots * self.width <= 2**56, "buckets", self.buckets)
        check(self.victim_bucket < self.buckets and self.victim_tag < 2**self.width, "victim", self.victim_tag)
        check(self.victim_tag > 0 or self.victim_bucket == 0, "victim", self.victim_bucket)
        self.cells = Cells(contents, "cells", self.buckets * self.slots, self.width, 1)

    def holds(self, digest):
        product = digest.words(0x1400000000)[0] * (2**self.width - 1)
        tag = 1 + (product >> 64)
        first = fastrange(product & M64, self.buckets)
        total = fastrange(tag * tag * GOLDEN & M64, self.buckets) | 1
        for bucket in first, (total - first) % self.buckets:
            if any(self.cells[bucket * self.slots + slot] == tag for slot in range(self.slots)):
                return True
            if self.victim_tag == tag and self.victim_bucket == bucket:
                return True
        return False


class TaffyCuckooFilter(Filter):
    def read(self, contents):
        first, self.growths, self.head_bits, entries = contents.fields(
            "table", first_buckets=(1, 2**53), growths=(0, 52), head_bits=(5, 26), entries=ANY)
        self.first = first
        self.buckets = first << self.growths
        check(self.buckets < 2**(58 - self.head_bits), "first_buckets", first)
        check(entries <= 8 * self.buckets + 8, "entries", entries)
        self.cells = Cells(contents, "cells", 8 * self.buckets, self.head_bits + 6, 1)
        self.stash = contents.array("stash", 8, 8)
        used = [word for word in self.stash if word]
        check(list(self.stash[:len(used)]) == used, "a gap in the stash")
        for word in used:
            check(word & 63 and word >> 6 >> self.head_bits < self.buckets, "no entry", word)

    def holds(self, digest):
        product = digest.words(0x1800000000)[0] * self.first
        known = product >> (64 - self.growths - self.head_bits - 5)
        front, tail = known >> 5, known & 31
        place, head = front >> self.head_bits, front & (2**self.head_bits - 1)

        def covers(stored, upper):
            spent = next(i for i in range(6) if i == 5 or stored >> i & 1)
            return (stored ^ (upper << 6 | tail << 1 | 1)) >> (spent + 1) == 0

        if any(word and covers(word, front) for word in self.stash):
            return True
        for side in range(2):
            row = (place + fastrange(nth(head, side), self.buckets)) % self.buckets + side * self.buckets
            slots = [self.cells[4 * row + slot] for slot in range(4)]
            if any(slot and covers(slot, head) for slot in slots):
                return True
        return False


KINDS = {
    "cuckoo-filter": CuckooFilter,
    "taffy-cuckoo-filter": TaffyCuckooFilter,
}
