"""read_cuckoo.py - filters that displace tags, read by section 26 of doc/format.md alone."""
from reader import ANY, Cells, Filter, GOLDEN, M64, check, fastrange


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
        total = 1 + 2 * fastrange(tag * tag * GOLDEN & M64, self.buckets // 2)
        for bucket in first, (total - first) % self.buckets:
            if any(self.cells[bucket * self.slots + slot] == tag for slot in range(self.slots)):
                return True
            if self.victim_tag == tag and self.victim_bucket == bucket:
                return True
        return False


KINDS = {
    "cuckoo-filter": CuckooFilter,
}
