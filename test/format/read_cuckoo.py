"""read_cuckoo.py - cuckoo filters, read by sections 36, 37 and 39 of doc/format.md alone."""
import itertools
from reader import ANY, Cells, Filter, GOLDEN, M64, check, fastrange, nth

# Four numbers below 16, none above the next, by their codes: the last of them counts most.
COMBINATIONS = sorted(itertools.combinations_with_replacement(range(16), 4), key=lambda four: four[::-1])


class CuckooFilter(Filter):
    def read(self, contents):
        self.buckets, self.width, self.slots, self.sorted, self.victim_bucket, self.victim_tag = contents.fields(
            "table", buckets=(2, 2**52), width=(2, 32), slots=(2, 8), sorted=(0, 1), victim_bucket=ANY, victim_tag=ANY)
        check(self.buckets % 2 == 0, "buckets", self.buckets)
        check(self.slots in (2, 4, 8), "slots", self.slots)
        check(not self.sorted or self.slots == 4, "sorted", self.slots)
        check(not self.sorted or 4 <= self.width <= 16, "width", self.width)
        row = self.slots * (self.width - self.sorted)
        check(row <= 128, "width", self.width)
        check(self.buckets * row <= 2**56, "buckets", self.buckets)
        check(self.victim_bucket < self.buckets and self.victim_tag < 2**self.width, "victim", self.victim_tag)
        check(self.victim_tag > 0 or self.victim_bucket == 0, "victim", self.victim_bucket)
        if self.sorted:
            self.cells = Cells(contents, "cells", self.buckets, row, 1)
        else:
            self.cells = Cells(contents, "cells", self.buckets * self.slots, self.width, 1)

    def bucket(self, i):
        if not self.sorted:
            return [self.cells[i * self.slots + slot] for slot in range(self.slots)]
        code, rest = self.cells[i] % 4096, self.cells[i] >> 12
        upper = self.width - 4
        low = COMBINATIONS[code] if code < len(COMBINATIONS) else (0, 0, 0, 0)
        return [(rest >> (j * upper) & (1 << upper) - 1) << 4 | low[j] for j in range(4)]

    def holds(self, digest):
        product = digest.words(0x1400000000)[0] * (2**self.width - 1)
        tag = 1 + (product >> 64)
        first = fastrange(product & M64, self.buckets)
        total = fastrange(tag * tag * GOLDEN & M64, self.buckets) | 1
        for bucket in first, (total - first) % self.buckets:
            if tag in self.bucket(bucket):
                return True
            if self.victim_tag == tag and self.victim_bucket == bucket:
                return True
        return False


class TaffyCuckooFilter(Filter):
    def read(self, contents):
        first, self.growths, self.head_bits, entries, self.frozen = contents.fields(
            "table", first_buckets=(1, 2**53), growths=(0, 52), head_bits=(5, 26), entries=ANY, frozen=(0, 1))
        self.first = first
        self.buckets = first << self.growths
        check(self.buckets < 2**(58 - self.head_bits), "first_buckets", first)
        check(entries <= 8 * self.buckets + 8, "entries", entries)
        self.cells = Cells(contents, "cells", 8 * self.buckets, self.head_bits + (0 if self.frozen else 6), 1)
        self.stash = contents.array("stash", 8, 8)
        used = [word for word in self.stash if word]
        check(list(self.stash[:len(used)]) == used, "a gap in the stash")
        for word in used:
            check(word & 63 and word >> 6 >> self.head_bits < self.buckets, "no entry", word)
            check(not self.frozen or word & 63 == 32, "a tail", word)

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
            if self.frozen:
                if slots[0] <= slots[3] and head in slots:
                    return True
            elif any(slot and covers(slot, head) for slot in slots):
                return True
        return False


class AdaptiveCuckooFilter(Filter):
    def read(self, contents):
        self.buckets, self.tag_bits, self.selector_bits = contents.fields(
            "table", buckets=(2, 2**49), tag_bits=(2, 28), selector_bits=(1, 3))
        check(self.buckets % 2 == 0, "buckets", self.buckets)
        self.cells = Cells(contents, "cells", 4 * self.buckets, self.tag_bits + self.selector_bits, 1)

    def holds(self, digest):
        first, second = digest.words(0x1C00000000)[:2]
        one = fastrange(first, self.buckets)
        other = fastrange(second, self.buckets - 1)
        for bucket in one, other + (other >= one):
            for stored in (self.cells[4 * bucket + slot] for slot in range(4)):
                tag, selector = divmod(stored, 2**self.selector_bits)
                own = 1 + fastrange(digest.words(0x1C00000001 + selector)[0], 2**self.tag_bits - 1)
                if stored and tag == own:
                    return True
        return False


KINDS = {
    "adaptive-cuckoo-filter": AdaptiveCuckooFilter,
    "cuckoo-filter": CuckooFilter,
    "taffy-cuckoo-filter": TaffyCuckooFilter,
}
