"""reader.py - reads what umbel writes, in plain Python, from doc/format.md alone.

    from reader import open_file
    birds = open_file("birds.umbel")
    birds.may_contain(b"wren")                        # sets: True or False
    open_file("ages.umbel").find(b"wren")             # maps: a number, or None
    open_file("shops.umbel").where(b"wren")           # directories: a list of numbers
    open_file("places.umbel").index(b"wren")          # perfect hashes: a number below the number of keys
    open_file("secret.umbel", key=bytes(range(16)))   # a file under siphash wants its 16 bytes

A key is bytes or an int. Only hash 3 (parquet) asks how wide an int is: may_contain(7, int_bytes=4).
A file that is not exactly as the document says is refused: open_file raises Refused. The section numbers below are
those of doc/format.md.
"""
import functools
import hashlib
import struct
import sys

M32 = 2**32 - 1
M64 = 2**64 - 1


class Refused(Exception):
    """The file is not what the document says, or its secret key is missing or wrong."""


def check(holds, *why):
    if not holds:
        raise Refused(" ".join(map(str, why)))


SECOND_VERSION = {"two-line-bloom-filter", "exact-set", "matrix-filter", "matrix-map"}

# ---- words
# ---------------------------------------------------------------------------------------------------------


def word32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def word64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def swapped(x, size):
    return int.from_bytes(x.to_bytes(size, "little"), "big")


def rotl(x, n):
    return ((x << n) | (x >> (64 - n))) & M64


def folded(a, b):
    """The two halves of the full product, xored."""
    product = a * b
    return (product >> 64) ^ (product & M64)


# ---- XXH64
# ---------------------------------------------------------------------------------------------------------

P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                      0x27D4EB2F165667C5)


def xxh64_finish(h):
    h = (h ^ (h >> 33)) * P2 & M64
    h = (h ^ (h >> 29)) * P3 & M64
    return h ^ (h >> 32)


def xxh64(data, seed=0):
    def turn(lane, word):
        return rotl((lane + word * P2) & M64, 31) * P1 & M64

    at, size = 0, len(data)
    if size >= 32:
        lanes = [(seed + P1 + P2) & M64, (seed + P2) & M64, seed, (seed - P1) & M64]
        while at + 32 <= size:
            lanes = [turn(lane, word64(data, at + 8 * i)) for i, lane in enumerate(lanes)]
            at += 32
        h = sum(rotl(lane, n) for lane, n in zip(lanes, (1, 7, 12, 18))) & M64
        for lane in lanes:
            h = ((h ^ turn(0, lane)) * P1 + P4) & M64
    else:
        h = (seed + P5) & M64
    h = (h + size) & M64
    while at + 8 <= size:
        h = (rotl(h ^ turn(0, word64(data, at)), 27) * P1 + P4) & M64
        at += 8
    if at + 4 <= size:
        h = (rotl(h ^ (word32(data, at) * P1 & M64), 23) * P2 + P3) & M64
        at += 4
    for byte in data[at:]:
        h = rotl(h ^ (byte * P5 & M64), 11) * P1 & M64
    return xxh64_finish(h)


# ---- XXH3, 64 and 128 bits
# -----------------------------------------------------------------------------------------

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
STRIPE, STRIPES_PER_BLOCK = 64, 16
RRMXMX = 0x9FB21C651E98DF25


def xxh3_finish(h):
    h = (h ^ (h >> 37)) * 0x165667919E3779F9 & M64
    return h ^ (h >> 32)


def secret_pair(at):
    return word64(SECRET, at) ^ word64(SECRET, at + 8)


def mixed16(data, at, secret_at, seed):
    return folded(word64(data, at) ^ ((word64(SECRET, secret_at) + seed) & M64),
                  word64(data, at + 8) ^ ((word64(SECRET, secret_at + 8) - seed) & M64))


def three_bytes(data):
    """A word from 1 to 3 bytes and their number."""
    size = len(data)
    return (data[0] << 16) | (data[size // 2] << 24) | data[-1] | (size << 8)


def doubled_seed(seed):
    return seed ^ (swapped(seed & M32, 4) << 32)


def seeded_secret(seed):
    if seed == 0:
        return SECRET
    words = struct.unpack("<24Q", SECRET)
    return struct.pack("<24Q", *((w - seed if i % 2 else w + seed) & M64 for i, w in enumerate(words)))


def xxh3_lanes(data, secret):
    """The eight lanes that inputs above 240 bytes are folded into."""
    lanes = [P32_3, P1, P2, P3, P4, P32_2, P5, P32_1]
    keys = [struct.unpack_from("<8Q", secret, 8 * i) for i in range(STRIPES_PER_BLOCK)]
    scramble = struct.unpack_from("<8Q", secret, len(secret) - STRIPE)

    def take(at, key):
        for i, word in enumerate(struct.unpack_from("<8Q", data, at)):
            keyed = word ^ key[i]
            lanes[i ^ 1] = (lanes[i ^ 1] + word) & M64
            lanes[i] = (lanes[i] + (keyed & M32) * (keyed >> 32)) & M64

    for stripe in range((len(data) - 1) // STRIPE):
        take(stripe * STRIPE, keys[stripe % STRIPES_PER_BLOCK])
        # A block is closed only when more data follows it: the very last stripe is not counted
        # above.
        if stripe % STRIPES_PER_BLOCK == STRIPES_PER_BLOCK - 1:
            for i in range(8):
                lanes[i] = (lanes[i] ^ (lanes[i] >> 47) ^ scramble[i]) * P32_1 & M64
    take(len(data) - STRIPE, struct.unpack_from("<8Q", secret, len(secret) - STRIPE - 7))
    return lanes


def merged(lanes, secret, at, start):
    pairs = (folded(lanes[2 * i] ^ word64(secret, at + 16 * i), lanes[2 * i + 1] ^ word64(secret, at + 16 * i + 8))
             for i in range(4))
    return xxh3_finish((start + sum(pairs)) & M64)


@functools.lru_cache(4096)  # of a file that was changed in one place, most parts are as they were
def xxh3_64(data, seed=0):
    size = len(data)
    if size == 0:
        return xxh64_finish(seed ^ secret_pair(56))
    if size <= 3:
        return xxh64_finish(three_bytes(data) ^ ((word32(SECRET, 0) ^ word32(SECRET, 4)) + seed) & M64)
    if size <= 8:
        h = (word32(data, size - 4) + (word32(data, 0) << 32)) ^ ((secret_pair(8) - doubled_seed(seed)) & M64)
        h ^= rotl(h, 49) ^ rotl(h, 24)
        h = h * RRMXMX & M64
        h = (h ^ ((h >> 35) + size)) * RRMXMX & M64
        return h ^ (h >> 28)
    if size <= 16:
        low = word64(data, 0) ^ ((secret_pair(24) + seed) & M64)
        high = word64(data, size - 8) ^ ((secret_pair(40) - seed) & M64)
        return xxh3_finish((size + swapped(low, 8) + high + folded(low, high)) & M64)
    if size <= 128:
        h = size * P1
        for i in range((size - 1) // 32 + 1):
            h += mixed16(data, 16 * i, 32 * i, seed) + mixed16(data, size - 16 * (i + 1), 32 * i + 16, seed)
        return xxh3_finish(h & M64)
    if size <= 240:
        h = size * P1 + sum(mixed16(data, 16 * i, 16 * i, seed) for i in range(8))
        h = xxh3_finish(h & M64) + sum(mixed16(data, 16 * i, 16 * (i - 8) + 3, seed) for i in range(8, size // 16))
        return xxh3_finish((h + mixed16(data, size - 16, 136 - 17, seed)) & M64)
    secret = seeded_secret(seed)
    return merged(xxh3_lanes(data, secret), secret, 11, size * P1)


def xxh3_128(data, seed=0):
    """The high and the low word."""
    size = len(data)
    if size == 0:
        return xxh64_finish(seed ^ secret_pair(80)), xxh64_finish(seed ^ secret_pair(64))
    if size <= 3:
        low = three_bytes(data)
        high = swapped(low, 4)
        high = ((high << 13) | (high >> 19)) & M32
        return (xxh64_finish(high ^ ((word32(SECRET, 8) ^ word32(SECRET, 12)) - seed) & M64),
                xxh64_finish(low ^ ((word32(SECRET, 0) ^ word32(SECRET, 4)) + seed) & M64))
    if size <= 8:
        keyed = (word32(data, 0) + (word32(data, size - 4) << 32)) ^ ((secret_pair(16) + doubled_seed(seed)) & M64)
        high, low = divmod(keyed * (P1 + 4 * size), 2**64)
        high = (high + 2 * low) & M64
        low ^= high >> 3
        low = (low ^ (low >> 35)) * RRMXMX & M64
        return xxh3_finish(high), low ^ (low >> 28)
    if size <= 16:
        first, last = word64(data, 0), word64(data, size - 8)
        high, low = divmod((first ^ last ^ ((secret_pair(32) - seed) & M64)) * P1, 2**64)
        low = (low + ((size - 1) << 54)) & M64
        last ^= (secret_pair(48) + seed) & M64
        high = (high + last + (last & M32) * (P32_2 - 1)) & M64
        low ^= swapped(high, 8)
        top, low = divmod(low * P2, 2**64)
        return xxh3_finish((top + high * P2) & M64), xxh3_finish(low)
    if size <= 240:
        high, low = 0, size * P1 & M64

        def mix(one, two, secret_at, seed):
            nonlocal high, low
            low = (low + mixed16(data, one, secret_at, seed)) & M64
            low ^= (word64(data, two) + word64(data, two + 8)) & M64
            high = (high + mixed16(data, two, secret_at + 16, seed)) & M64
            high ^= (word64(data, one) + word64(data, one + 8)) & M64

        if size <= 128:
            for i in reversed(range((size - 1) // 32 + 1)):
                mix(16 * i, size - 16 * (i + 1), 32 * i, seed)
        else:
            for i in range(4):
                mix(32 * i, 32 * i + 16, 32 * i, seed)
            high, low = xxh3_finish(high), xxh3_finish(low)
            for i in range(4, size // 32):
                mix(32 * i, 32 * i + 16, 32 * (i - 4) + 3, seed)
            mix(size - 16, size - 32, 136 - 17 - 16, -seed)
        return (-xxh3_finish((low * P1 + high * P4 + (size - seed) * P2) & M64) & M64, xxh3_finish((low + high) & M64))
    secret = seeded_secret(seed)
    lanes = xxh3_lanes(data, secret)
    return (merged(lanes, secret, len(secret) - STRIPE - 11, ~(size * P2) & M64), merged(lanes, secret, 11, size * P1))


# ---- SipHash-2-4 with 128 bits of output
# ---------------------------------------------------------------------------


def siphash_128(data, key):
    """The 16 output bytes."""
    k0, k1 = struct.unpack("<2Q", key)
    a, b, c, d = (k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ 0xEE, k0 ^ 0x6C7967656E657261,
                  k1 ^ 0x7465646279746573)

    def rounds(n):
        nonlocal a, b, c, d
        for _ in range(n):
            a, c = (a + b) & M64, (c + d) & M64
            b, d = rotl(b, 13) ^ a, rotl(d, 16) ^ c
            a, c = (rotl(a, 32) + d) & M64, (c + b) & M64
            b, d = rotl(b, 17) ^ c, rotl(d, 21) ^ a
            c = rotl(c, 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    for (word,) in struct.iter_unpack("<Q", padded):
        d ^= word
        rounds(2)
        a ^= word
    c ^= 0xEE
    rounds(4)
    first = a ^ b ^ c ^ d
    b ^= 0xDD
    rounds(4)
    return struct.pack("<2Q", first, a ^ b ^ c ^ d)


# ---- FNV-1, CRC-32 and CRC-32C
# -------------------------------------------------------------------------------------


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = h * 0x100000001B3 & M64 ^ byte
    return h


def crc(data, polynomial):
    c = M32
    for byte in data:
        c ^= byte
        for _ in range(8):
            c = (c >> 1) ^ (polynomial if c & 1 else 0)
    return c ^ M32


# ---- section 2: from key to digest, and the words of a digest
# ------------------------------------------------------

GOLDEN = 0x9E3779B97F4A7C15
XXH3, SIPHASH, PARQUET, MD5, CRC, FNV = 1, 2, 3, 4, 5, 6


def mix64(x):
    x = (x ^ (x >> 32)) * 0xE9846AF9B1A615D5 & M64
    x = (x ^ (x >> 29)) * 0xA0761D6478BD642F & M64
    return x ^ (x >> 32)


def nth(x, i):
    return mix64((x + (i + 1) * GOLDEN) & M64)


def fastrange(word, n):
    return word * n >> 64


class Digest:
    def __init__(self, hi, lo):
        self.hi, self.lo = hi, lo

    def words(self, salt):
        """first, second, narrow"""
        high, low = divmod((self.hi ^ nth(salt, 0)) * (self.lo ^ nth(salt, 1)), 2**64)
        return high ^ low, (high + rotl(low, 32)) & M64, high & M32

    def half_words(self, salt):
        high, low = divmod(self.hi * (self.lo ^ nth(salt, 1)), 2**64)
        return high ^ low, (high + rotl(low, 32)) & M64, high & M32

    def third(self, salt):
        return rotl((self.hi ^ nth(salt, 0)) * (self.lo ^ nth(salt, 1)) >> 64, 32)

    def drawn(self, salt):
        """place, tag, and the tag of wide cells"""
        high, low = divmod((self.hi ^ nth(salt, 0)) * (self.lo ^ nth(0x400000000, 1)), 2**64)
        return high ^ low, high, (high + rotl(low, 32)) & M64

    def tag(self, bits):
        return self.words(0x300000000)[0] >> (64 - bits)


class Hasher:
    def __init__(self, number, seed, key):
        self.number, self.seed, self.key = number, seed, key

    def key_check(self):
        return word64(siphash_128(b"umbel key check", self.key), 8)

    def digest(self, key, int_bytes):
        if isinstance(key, int):
            if not -2**63 <= key < 2**64:
                raise ValueError("an integer key has at most 64 bits")
            if self.number == XXH3:
                y = (key & M64) ^ ((self.seed + 1) * GOLDEN & M64)
                high, lo = divmod(y * 0xA0761D6478BD642F, 2**64)
                return Digest(lo ^ high, lo)
            size = 4 if self.number == PARQUET and int_bytes <= 4 else 8
            key = (key & M64).to_bytes(8, "little")[:size]
        if self.number == XXH3:
            return Digest(*xxh3_128(key, self.seed))
        if self.number == SIPHASH:
            lo, hi = struct.unpack("<2Q", siphash_128(key, self.key))
            return Digest(hi, lo)
        if self.number == MD5:
            return Digest(*struct.unpack(">2Q", hashlib.md5(key).digest()))
        if self.number == CRC:
            ieee, castagnoli = crc(key, 0xEDB88320), crc(key, 0x82F63B78)
            return Digest(ieee << 32 | castagnoli, castagnoli << 32 | ieee)
        if self.number == FNV:
            hi = fnv(key)
            return Digest(hi, mix64(hi))
        hi = xxh64(key)
        return Digest(hi, mix64(hi))


# ---- section 1: the envelope
# ---------------------------------------------------------------------------------------

MAGIC = b"\x89umbel\r\n"
HEADER = struct.Struct("<8sII32sIIQQQI20s8sQQ")
ENTRY = struct.Struct("<24sIIQQQQ")
FIELDS, ARRAY, LIST = 1, 2, 3
KEY_TYPES = ["unknown", "string", "integer", "tuple", "mixed"]
KEEPS_CR, TRIMMED, CASE_FOLDED = 1, 2, 4
NAME_LETTERS = set(b"abcdefghijklmnopqrstuvwxyz0123456789-_")


def name_of(padded):
    name = padded.rstrip(b"\0")
    check(0 < len(name) < len(padded) and set(name) <= NAME_LETTERS, "not a name:", padded)
    return name.decode()


def aligned(at):
    """The multiple of 64 at or after `at`."""
    return (at + 63) // 64 * 64


class Section:
    def __init__(self, name, type, count, payload):
        self.name, self.type, self.count, self.payload = name, type, count, payload


def recipe_of(data):
    """How keys were made: (type, flags, types of columns)."""
    type, flags, columns, zero = data[:4]
    check(max(type, *data[4:]) < len(KEY_TYPES), "key recipe: type")
    check(flags <= KEEPS_CR | TRIMMED | CASE_FOLDED and zero == 0, "key recipe: flags", flags)
    check(type != 0 or not any(data), "key recipe: unknown, yet something is said")
    check(KEY_TYPES[type] != "integer" or flags == 0, "key recipe: flags of integers")
    check(2 <= columns <= 16 if KEY_TYPES[type] == "tuple" else columns == 0, "key recipe: columns", columns)
    check(all(KEY_TYPES[t] in ("string", "integer", "mixed") for t in data[4:4 + columns]), "key recipe: a column")
    check(not any(data[4 + columns:]), "key recipe: more columns than", columns)
    return KEY_TYPES[type], flags, [KEY_TYPES[t] for t in data[4:4 + columns]]


class Envelope:
    """A whole file: its header's fields, and its sections with their checksums verified."""

    def __init__(self, data):
        check(data[:8] == MAGIC[:len(data)], "not an umbel file")
        check(len(data) >= HEADER.size, "cut within the header")
        (_, version, order, kind, kind_version, self.hash, self.seed, self.key_check, size, count, recipe,
         reserved, table_sum, header_sum) = HEADER.unpack_from(data)
        check(order == 0x01020304, "byte order mark", hex(order))
        check(version == 1, "format version", version)
        check(header_sum == xxh3_64(data[:120]), "header checksum")
        self.kind = name_of(kind)
        check(kind_version == (2 if self.kind in SECOND_VERSION else 1), "version", kind_version, "of", self.kind)
        check(self.hash in (XXH3, SIPHASH, PARQUET, MD5, CRC, FNV), "hash", self.hash)
        check(self.hash == XXH3 or self.seed == 0, "a seed without xxh3")
        check(self.hash == SIPHASH or self.key_check == 0, "a key check without siphash")
        check(size == len(data), "file of", len(data), "bytes says it has", size)
        check(1 <= count <= 8192, count, "sections")
        check(not any(reserved), "reserved bytes of the header")
        self.recipe = recipe_of(recipe)

        end = HEADER.size + count * ENTRY.size
        check(end <= len(data), "cut within the table")
        table = data[HEADER.size:end]
        check(table_sum == xxh3_64(table), "table checksum")

        self.sections = []
        for padded, type, number, offset, length, checksum, reserved in ENTRY.iter_unpack(table):
            name = name_of(padded)
            check(type in (FIELDS, ARRAY, LIST), "type", type, "of section", name)
            check(reserved == 0, "reserved bytes of section", name)
            if type == LIST:
                check(offset == length == checksum == 0, "a list with a payload:", name)
                self.sections.append(Section(name, type, number, b""))
                continue
            start = aligned(end)
            check(offset == start, "section", name, "at", offset, "instead of", start)
            check(offset + length <= len(data), "section", name, "passes the end of the file")
            check(not any(data[end:start]), "padding before section", name)
            if type == FIELDS:
                check(length == 8 * number, "section", name, "has", length, "bytes for", number, "fields")
            else:
                check(number in (1, 4, 8) and length % number == 0, "section", name, "has words of", number, "bytes")
            end = start + length
            payload = data[start:end]
            check(checksum == xxh3_64(payload), "checksum of section", name)
            self.sections.append(Section(name, type, number, payload))
        check(aligned(end) == len(data), "the last section does not end the file")
        check(not any(data[end:]), "padding at the end of the file")


class Contents:
    """The sections of a file, taken one after the other."""

    def __init__(self, sections):
        self.left = list(sections)

    def take(self, name, type, count):
        check(self.left, "section", name, "is missing")
        section = self.left.pop(0)
        check(section.name == name, "section", section.name, "where", name, "should be")
        check(section.type == type and section.count == count, "section", name, "is of another type")
        return section.payload

    def fields(self, name, **ranges):
        """The fields' values, each held to its range (lowest, highest)."""
        payload = self.take(name, FIELDS, len(ranges))
        values = [value for (value,) in struct.iter_unpack("<Q", payload)]
        for value, (field, (lowest, highest)) in zip(values, ranges.items()):
            check(lowest <= value <= highest, "field", field, "is", value)
        return values

    def array(self, name, word_bytes, words=None):
        """The words' bytes; without `words`, as many as there are."""
        payload = self.take(name, ARRAY, word_bytes)
        words = len(payload) // word_bytes if words is None else words
        check(len(payload) == words * word_bytes, "section", name, "has", len(payload), "bytes instead of",
              words * word_bytes)
        return payload

    def list(self, name):
        """How many items follow."""
        count = self.left[0].count if self.left else 0
        self.take(name, LIST, count)
        check(count <= len(self.left), "section", name, "has too few items after it")
        return count

    def done(self):
        check(not self.left, "additional section", self.left[0].name if self.left else "")


# ---- section 3: bits and packed cells
# ------------------------------------------------------------------------------


def ceil_div(a, b):
    return -(-a // b)


class Cells:
    """n cells of `width` bits in one string of bits, which `spare` zero words follow."""

    def __init__(self, contents, section, n, width, spare):
        self.width = width
        self.bytes = contents.array(section, 8, ceil_div(n * width, 64) + spare if n else 0)
        used = n * width
        tail = int.from_bytes(self.bytes[used // 8:], "little") >> (used % 8)
        check(tail == 0, "unused bits of section", section)

    def __getitem__(self, i):
        at = i * self.width
        return int.from_bytes(self.bytes[at // 8:at // 8 + 9], "little") >> (at % 8) & ((1 << self.width) - 1)


# ---- sections 4 and on: the kinds
# ------------------------------------------------------------------------------------

ANY = (0, M64)


class Structure:
    def __init__(self, envelope, hasher):
        self.kind, self.hasher = envelope.kind, hasher
        contents = Contents(envelope.sections)
        self.read(contents)
        contents.done()


class Texts:
    """What the values of a map stand for, by number."""

    def __init__(self, contents):
        self.count, total = contents.fields("texts", texts=(1, 2**40), text_bytes=(0, 2**50))
        self.ends = Cells(contents, "text_ends", self.count, max(1, total.bit_length()), 1)
        self.bytes = contents.array("text_bytes", 1, total)
        ends = [0, *(self.ends[i] for i in range(self.count))]
        check(ends == sorted(ends) and ends[-1] == total, "the texts end at", ends)

    def __getitem__(self, i):
        return bytes(self.bytes[self.ends[i - 1] if i else 0:self.ends[i]])


class Map(Structure):
    """A kind of map says number(key), the value as stored; its values may stand for texts."""
    texts = None

    def __init__(self, envelope, hasher):
        self.kind, self.hasher = envelope.kind, hasher
        contents = Contents(envelope.sections)
        self.read(contents)
        if contents.left and contents.left[0].name == "texts":
            self.texts = Texts(contents)
        contents.done()

    def find(self, key, int_bytes=8):
        """The key's value; None when the map does not hold the key."""
        number = self.number(key, int_bytes)
        return None if number is not None and self.texts and number >= self.texts.count else number

    def find_text(self, key, int_bytes=8):
        number = self.find(key, int_bytes)
        return None if number is None else self.texts[number]

    def may_contain(self, key, int_bytes=8):
        return self.find(key, int_bytes) is not None


class Filter(Structure):
    def may_contain(self, key, int_bytes=8):
        return self.holds(self.hasher.digest(key, int_bytes))


class BloomFilter(Filter):
    def read(self, contents):
        self.cells, self.probes, self.scheme, self.salt = contents.fields(
            "index", cells=(1, 2**56), probes=(1, 1024), scheme=(0, 12), salt=ANY)
        self.check_scheme()
        self.bits = Cells(contents, "cells", self.cells, 1, 0)

    def check_scheme(self):
        least, most, own_hash = {2: (2, 2**56, None), 3: (2, 2**56, None), 4: (2, 2**56, None), 5: (2, 2**56, None),
                                 8: (1, 2**32, MD5), 9: (1, 2**48, None), 11: (2, 2**31, CRC),
                                 12: (1, 2**56, FNV)}.get(
                                     self.scheme, (1, 2**56, None))
        check(least <= self.cells <= most, "scheme", self.scheme, "with cells", self.cells)
        check(self.scheme != 6 or self.cells % self.probes == 0, "scheme 6 with cells", self.cells)
        check(self.scheme != 8 or self.probes == 4, "scheme 8 with probes", self.probes)
        check(self.scheme != 10 or self.cells & (self.cells - 1) == 0, "scheme 10 with cells", self.cells)
        check(own_hash is None or self.salt == 0, "scheme", self.scheme, "with salt", self.salt)
        check(own_hash in (None, self.hasher.number), "scheme", self.scheme, "under hash", self.hasher.number)

    def step(self, b):
        return (b | 1) % self.cells if self.cells % 2 == 0 else b % (self.cells - 1) + 1

    def positions(self, digest, group=0):
        m, salt = self.cells, (0x100000000 + self.salt + group) & M64
        x, y, _ = digest.words(salt)
        scheme = self.scheme
        z = digest.third(salt) if scheme == 0 else folded(x ^ rotl(y, 32), GOLDEN)
        if scheme == 8:
            for word in (digest.hi >> 32, digest.hi & M32, digest.lo >> 32, digest.lo & M32):
                yield word % m
            return
        h1, h2 = (digest.hi >> 32, digest.lo >> 32) if scheme == 11 else (x, mix64(y))
        if scheme == 7 and x == 0:
            x = GOLDEN
        slice = m // self.probes
        power = digest.hi % (2**64 - 59)
        for i in range(self.probes):
            if scheme == 0:
                yield fastrange(x, m)
                x = (x + y) & M64
                y = (y + z) & M64
            elif scheme in (1, 6):
                yield fastrange(mix64(x), m) if scheme == 1 else i * slice + fastrange(mix64(x), slice)
                x = (x + GOLDEN) & M64
            elif scheme == 7:
                x ^= x >> 12
                x ^= x << 25 & M64
                x ^= x >> 27
                yield fastrange(x * 0x2545F4914F6CDD1D & M64, m)
            elif scheme == 9:
                p = 2**61 - 1
                a, b = nth(salt, 2 + 2 * i) % (p - 1) + 1, nth(salt, 3 + 2 * i) % p
                yield (a * (digest.lo % p) + b) % p % m
            elif scheme == 12:
                power = (power * (2**64 - 1469) & M64) % (2**64 - 59)
                yield power % m
            elif scheme == 10:
                word = 0
                for j in range(64):
                    if digest.lo >> j & 1:
                        word ^= nth(salt, 2 + 64 * i + j)
                yield word % m
            else:
                more = {2: 0, 3: i * (i - 1), 4: (i**3 - i) // 6, 5: i * (i - 1) // 2 * (z % m), 11: 0}[scheme]
                yield (h1 % m + i * self.step(h2) + more) % m

    def holds(self, digest):
        return all(self.bits[i] for i in self.positions(digest))


class BankedBloomFilter(Filter):
    def read(self, contents):
        self.cells, self.probes, self.banks = contents.fields(
            "index", cells=(1, 2**56), probes=(1, 1024), banks=(1, 4096))
        check(self.banks & (self.banks - 1) == 0, "field banks is", self.banks)
        check(self.probes <= self.banks, "more probes than banks")
        check(self.cells % self.banks == 0, "field cells is", self.cells)
        self.bits = Cells(contents, "cells", self.cells, 1, 0)

    def holds(self, digest):
        x, b, _ = digest.words(0x700000000)
        each = self.cells // self.banks
        for _ in range(self.probes):
            if not self.bits[b % self.banks * each + fastrange(mix64(x), each)]:
                return False
            x = (x + GOLDEN) & M64
            b += 1
        return True


class TwoChoiceBloomFilter(BloomFilter):
    def read(self, contents):
        self.cells, self.probes, self.scheme, self.salt, self.groups = contents.fields(
            "index", cells=(1, 2**56), probes=(1, 1024), scheme=(0, 1), salt=ANY, groups=(2, 8))
        self.bits = Cells(contents, "cells", self.cells, 1, 0)

    def holds(self, digest):
        return any(all(self.bits[i] for i in self.positions(digest, group)) for group in range(self.groups))


class BestOfBloomFilter(BloomFilter):
    def check_scheme(self):
        check(self.scheme <= 1, "field scheme is", self.scheme)


class SelectedBloomFilter(BloomFilter):
    """A Bloom filter whose keys use the salt that a table names for their group."""

    def read(self, contents):
        self.cells, self.probes, self.scheme, self.first_salt, self.groups, choice_bits = contents.fields(
            "index", cells=(1, 2**56), probes=(1, 1024), scheme=(0, 1), salt=ANY, groups=(1, 2**50),
            choice_bits=(1, 8))
        self.choices = Cells(contents, "choices", self.groups, choice_bits, 1)
        self.bits = Cells(contents, "cells", self.cells, 1, 0)

    def positions(self, digest):
        group = fastrange(digest.words(0x800000000)[0], self.groups)
        self.salt = self.first_salt + self.choices[group]
        return super().positions(digest)


class SplitBlockBloomFilter(Filter):
    MAX_BLOCKS = 2**48
    LANE_SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)

    def read(self, contents):
        (self.blocks,) = contents.fields("index", blocks=(1, self.MAX_BLOCKS))
        self.cells = contents.array("cells", 4, 8 * self.blocks)

    def place(self, digest):
        first, _, narrow = digest.half_words(0x200000000)
        return fastrange(first, self.blocks), narrow

    def holds(self, digest):
        block, lane_key = self.place(digest)
        lanes = struct.unpack_from("<8I", self.cells, 32 * block)
        return all(lane >> ((lane_key * salt & M32) >> 27) & 1 for lane, salt in zip(lanes, self.LANE_SALT))


class ParquetFilter(SplitBlockBloomFilter):
    MAX_BLOCKS = 4194304

    def read(self, contents):
        check(self.hasher.number == PARQUET, "a parquet-filter under hash", self.hasher.number)
        super().read(contents)

    def place(self, digest):
        return (digest.hi >> 32) * self.blocks >> 32, digest.hi & M32


class BlockFilter(Filter):
    """A key marks one block; which bits of it, marks(u) says as pairs of a word and a bit."""
    WORDS, WORD_BYTES, PROBES = 8, 8, (8, 8)

    def read(self, contents):
        most = 2**56 // (self.WORDS * self.WORD_BYTES * 8)
        self.blocks, self.probes = contents.fields("index", blocks=(1, most), probes=self.PROBES)
        self.cells = contents.array("cells", self.WORD_BYTES, self.WORDS * self.blocks)

    def holds(self, digest):
        drawn = digest.half_words(0x200000000)
        block = self.WORDS * fastrange(drawn[0], self.blocks)
        for word, bit in self.marks(drawn[1]):
            at = self.WORD_BYTES * (block + word)
            if not int.from_bytes(self.cells[at:at + self.WORD_BYTES], "little") >> bit & 1:
                return False
        return True


def byte_mark(u, lane, group):
    """Byte `lane` of u as a bit of a group; a byte that equals earlier ones of its four moves on."""
    byte = [u >> 8 * i & 255 for i in range(8)]
    bit = byte[lane] + byte[lane // 4 * 4:lane].count(byte[lane])
    return 8 * group + bit // 32 % 8, bit % 32


class BlockedBloomFilter(BlockFilter):
    WORDS, WORD_BYTES, PROBES = 16, 4, (2, 16)

    def marks(self, u):
        for probe in range(self.probes):
            if probe == 8:
                product = u * GOLDEN
                u = (product >> 64 ^ product) & M64
            group = probe % 2
            yield byte_mark(u, group * 4 + probe % 8 // 2, group)


class TwoLineBloomFilter(BlockFilter):
    WORDS, WORD_BYTES = 32, 4

    def marks(self, u):
        choice = u * GOLDEN & M64
        left = choice >> 62
        right = left ^ 1 + (3 * (choice >> 30 & M32) >> 32)
        return [byte_mark(u, lane, left if lane < 4 else right) for lane in range(8)]


class MultiblockBloomFilter(BlockFilter):
    def marks(self, u):
        return [(i, u >> 6 * i & 63) for i in range(8)]


class RegisterBloomFilter(BlockFilter):
    WORDS, PROBES = 1, (1, 10)

    def marks(self, u):
        return [(0, u >> 6 * i & 63) for i in range(self.probes)]


class PatternBloomFilter(RegisterBloomFilter):
    def marks(self, u):
        x, bits = mix64(256 * (u % 4096) + self.probes), set()
        while len(bits) < self.probes:
            bits.add(x >> 58)
            x = mix64(x)
        return [(0, bit) for bit in bits]


class GolombFilter(Filter):
    def read(self, contents):
        (self.keys, self.spread, self.remainder_bits, self.buckets, self.stream_bits, self.slope, self.bias,
         offset_bits) = contents.fields(
             "golomb", keys=ANY, spread=(0, M64 // 128), remainder_bits=(0, 64), buckets=ANY, stream_bits=ANY,
             slope=ANY, bias=ANY, offset_bits=(0, 64))
        filled = self.keys > 0
        check(not filled or (self.buckets and self.spread and offset_bits), "holds keys but has no buckets or values")
        self.offsets = Cells(contents, "offsets", self.buckets + 1 if filled else 0, offset_bits, 1)
        self.stream = Cells(contents, "stream", self.stream_bits if filled else 0, 1, 1)

    def start(self, bucket):
        return min(((bucket * self.slope >> 32) + self.bias + self.offsets[bucket]) & M64, self.stream_bits)

    def values(self, bucket):
        at, end = self.start(bucket), self.start(bucket + 1)
        value = 0
        while at < end:
            quotient = 0
            while at < end and self.stream[at]:
                quotient += 1
                at += 1
            at += 1
            if at + self.remainder_bits > end:
                return
            remainder = sum(self.stream[at + i] << i for i in range(self.remainder_bits))
            at += self.remainder_bits
            value += (quotient << self.remainder_bits) + remainder
            yield value

    def holds(self, digest):
        if self.keys == 0:
            return False
        wanted = fastrange(digest.words(0x500000000)[0], self.spread * 128)
        for value in self.values(fastrange(digest.hi, self.buckets)):
            if value >= wanted:
                return value == wanted
        return False


class HashListFilter(Filter):
    def read(self, contents):
        self.count, self.width = contents.fields("list", values=(0, 2**50), width=(1, 64))
        self.list = Cells(contents, "values", self.count, self.width, 1)

    def holds(self, digest):
        wanted = digest.words(0x600000000)[0] >> (64 - self.width)
        return any(self.list[i] == wanted for i in range(self.count))


class HashCompactionFilter(Filter):
    def read(self, contents):
        self.slots, self.width = contents.fields("table", slots=(1, 2**56), width=(1, 64))
        check(self.slots * self.width <= 2**56, "slots", self.slots)
        self.table = Cells(contents, "cells", self.slots, self.width, 1)

    def holds(self, digest):
        first, second = digest.words(0x900000000)[:2]
        at, value = fastrange(first, self.slots), 1 + fastrange(second, 2**self.width - 1)
        for _ in range(self.slots):
            if self.table[at] <= value:
                return self.table[at] == value
            at = (at + 1) % self.slots
        return False


def place_among(size, word):
    """The place that a key's cells are drawn from: the top of its word, and how many bits it has."""
    bits = size.bit_length()
    length = min(48 if bits <= 22 else 56, 2 * bits + 8)
    return word >> (64 - length), length


class Peeled:
    """The table of cells that fuse, fuse4 and xor structures share (sections 9 and 15)."""

    def __init__(self, contents, section, **shape):
        self.keys, self.width, self.shard_bits, *self.shape = contents.fields(
            section, keys=ANY, width=(1, 64), shard_bits=(0, 63), **shape)
        filled = self.keys > 0
        check(not filled or self.shape[-1], "holds keys but has no", section)
        self.stride = aligned(self.size())
        self.attempts = contents.array("attempts", 1, 1 << self.shard_bits if filled else 0)
        check(all(attempt < 100 for attempt in self.attempts), "an attempt above 99")
        self.cells = Cells(contents, "cells", self.stride << self.shard_bits if filled else 0, self.width, 1)

    def word(self, digest):
        word = 0
        for cell in self.listed(digest):
            word ^= self.cells[cell]
        return word

    def shard(self, digest):
        return fastrange(digest.hi, 1 << self.shard_bits)

    def listed(self, digest):
        """The cells of a key."""
        shard = self.shard(digest)
        place, _, _ = digest.drawn(0x400000000 + self.attempts[shard])
        return [shard * self.stride + cell for cell in self.positions(place)]

    def tag(self, digest):
        """As wide as a cell."""
        _, tag, wide = digest.drawn(0x400000000 + self.attempts[self.shard(digest)])
        return (wide if self.width > 48 else tag) & (1 << self.width) - 1

    @staticmethod
    def drawn(place, j):
        """The word number j drawn from a place."""
        word = place
        for _ in range(j + 1):
            product = (word + 0x9E3779B97F4A7C15 & M64) * 0xA0761D6478BD642F
            word = product >> 64 ^ product & M64
        return word


class Fuse(Peeled):
    arity = 3

    def __init__(self, contents):
        super().__init__(contents, "fuse", length_bits=(0, 32), segments=(0, 2**32))

    def size(self):
        self.length_bits, self.segments = self.shape
        self.length = 1 << self.length_bits
        return (self.segments + self.arity - 1) * self.length

    def positions(self, word):
        starts, mask = self.segments * self.length, self.length - 1
        start, rest = divmod(word * starts, 2**64)
        first, second = rest >> 46 & mask, rest >> 28 & mask
        cells = [start, (start + self.length) ^ first, (start + 2 * self.length) ^ second]
        if self.arity == 4:
            size = starts + 3 * self.length
            room = (48 if size.bit_length() <= 22 else 56) - (starts - 1).bit_length() - 2 * self.length_bits
            spare = rest >> 14 & (1 << min(self.length_bits, 14, max(0, room))) - 1
            mixed = (first << 46 | second << 28 | spare << 14) * 0x9E3779B900037C15 & M64
            cells.append((start + 3 * self.length) ^ (mixed >> 46 & mask))
        return cells


class Fuse4(Fuse):
    arity = 4


def in_blocks(block, word):
    """Three cells, one in each of three blocks."""
    place, length = place_among(3 * block, word)
    place <<= 64 - length
    cell, rest = divmod((place * 0xA0761D6478BD642F & M64) * block, 2**64)
    return [fastrange(place, block), block + cell, 2 * block + fastrange(rest, block)]


class Blocks(Peeled):
    def __init__(self, contents):
        super().__init__(contents, "blocks", block=(0, 2**32))

    def size(self):
        return 3 * self.shape[0]

    def positions(self, word):
        return in_blocks(*self.shape, word)


class Graph(Fuse):
    """The table of a Bloomier map: any form of graph (section 16)."""
    RANDOM, PARTITIONED, FUSE = range(3)

    def __init__(self, contents):
        Peeled.__init__(self, contents, "graph", form=(0, 2), arity=(2, 8), blocks=(1, 2**31), block=(0, 2**31))

    def size(self):
        self.form, self.arity, self.segments, self.length = self.shape
        if self.form == self.FUSE:
            check(self.arity in (3, 4), "arity of a fuse graph", self.arity)
            check(self.length.bit_count() <= 1, "segments of odd length")
            self.length_bits = self.length.bit_length() - 1
            return (self.segments + self.arity - 1) * self.length
        check(self.segments == (self.arity if self.form == self.PARTITIONED else 1), "blocks of this form")
        return self.segments * self.length

    def positions(self, word):
        if self.form == self.FUSE:
            return super().positions(word)
        place, length = place_among(self.size(), word)
        listed = [fastrange(place << (64 - length), self.length)]
        for i in range(1, self.arity):
            drawn = self.drawn(place, (i - 1) // 2)
            cell = (drawn >> 32 if i % 2 else drawn & 0xFFFFFFFF) * self.length >> 32
            if self.form == self.PARTITIONED:
                listed.append(i * self.length + cell)
            elif cell in listed:
                listed.remove(cell)
            else:
                listed.append(cell)
        return listed


class Sparse:
    """The table of cells that sparse-filter and sparse-map share."""

    def __init__(self, contents):
        self.keys, self.width, self.probes = contents.fields("sparse", keys=(0, 2**50), width=(1, 64), probes=(3, 8))
        self.buckets = self.keys // 1500 + 1 if self.keys else 0
        words = contents.array("directory", 8, self.buckets + 1 if self.keys else 0)
        self.directory = [(word >> 8, word & 255) for (word,) in struct.iter_unpack("<Q", words)]
        firsts = [first for first, _ in self.directory] or [0]
        check(firsts[0] == 0 and firsts == sorted(firsts), "directory out of order")
        check(max((b - a for a, b in zip(firsts, firsts[1:])), default=0) <= 18023, "a bucket of too many cells")
        check(not self.keys or self.directory[-1][1] == 0, "a seed behind the last bucket")
        check(self.keys <= firsts[-1], "more keys than cells")
        self.cells = Cells(contents, "cells", firsts[-1], self.width, 1)

    def word(self, digest):
        bucket = fastrange(digest.hi, self.buckets)
        (base, seed), (end, _) = self.directory[bucket:bucket + 2]
        size = end - base
        if size == 0:
            return 0
        place, length = place_among(size, digest.drawn(0x400000000 + seed)[0])
        word, drawn = self.cells[base + fastrange(place << (64 - length), size)], place
        for i in range(1, self.probes):
            if i % 2:
                product = ((drawn + 0x9E3779B97F4A7C15) & M64) * 0xA0761D6478BD642F
                drawn = product >> 64 ^ product & M64
            half = drawn >> 32 if i % 2 else drawn & 0xFFFFFFFF
            word ^= self.cells[base + (half * size >> 32)]
        return word

    def tag(self, digest):
        _, seed = self.directory[fastrange(digest.hi, self.buckets)]
        return digest.drawn(0x400000000 + seed)[2] & (1 << self.width) - 1


def own_tag(cells, digest):
    """As wide as a cell: of a table with tags of its own, or the usual one."""
    return cells.tag(digest) if hasattr(cells, "tag") else digest.tag(cells.width)


class PeeledFilter(Filter):
    def read(self, contents):
        self.cells = self.table(contents)

    def holds(self, digest):
        return self.cells.keys > 0 and self.cells.word(digest) == own_tag(self.cells, digest)


class PeeledMap(Map):
    def read(self, contents):
        (self.value_bits,) = contents.fields("map", value_bits=(0, 64))
        self.cells = self.table(contents)
        check(self.value_bits <= self.cells.width, "values wider than the cells")

    def number(self, key, int_bytes=8):
        if self.cells.keys == 0:
            return None
        digest = self.hasher.digest(key, int_bytes)
        word = self.cells.word(digest)
        if word >> self.value_bits != own_tag(self.cells, digest) >> self.value_bits:
            return None
        return word & ((1 << self.value_bits) - 1)

    def value(self, key, int_bytes=8):
        """The value whatever the fingerprint says: right for members, noise for others."""
        if self.cells.keys == 0:
            return 0
        return self.cells.word(self.hasher.digest(key, int_bytes)) & ((1 << self.value_bits) - 1)


class MetaMap(Structure):
    BANK, OWNER, DICTIONARY, BITMAP = range(4)

    def read(self, contents):
        self.form, self.databases, self.sets = contents.fields("meta", form=(0, 3), databases=(1, 4096), sets=(0, 2**16))
        check(self.sets == 0 or self.form == self.DICTIONARY, "field sets is", self.sets, "without a dictionary")
        if self.form == self.BANK:
            return self.read_bank(contents)
        self.cells, self.escape = Fuse4(contents), None
        values = self.databases
        if self.form == self.DICTIONARY:
            check((self.sets == 0) == (self.cells.keys == 0), "field sets is", self.sets, "with keys", self.cells.keys)
            self.rows = Cells(contents, "sets", self.sets, self.databases, 1)
            self.escape = Fuse4(contents)
            escapes = self.escape.keys > 0
            check(not escapes or self.databases <= 64, "field databases is", self.databases, "with escapes")
            check(self.escape.keys <= self.cells.keys, "more escapes than keys")
            check(self.escape.width == (self.databases if escapes else 1), "width of the escapes")
            values = self.sets + escapes
        if self.form == self.BITMAP:
            check(self.databases <= 64, "field databases is", self.databases)
            values = 2**self.databases
        self.values = values
        check(self.cells.keys == 0 or values <= 2**self.cells.width, "more answers than the width has", self.cells.width)

    def read_bank(self, contents):
        self.index = BloomFilter.__new__(BloomFilter)
        self.index.cells, self.index.probes, self.index.scheme, self.index.salt = contents.fields(
            "index", cells=(1, 2**56 // self.databases), probes=(1, 1024), scheme=(0, 1), salt=(0, 0))
        self.rows = Cells(contents, "rows", self.index.cells, self.databases, 1)

    def row(self, i):
        """Row i as a number whose bit d says that database d is one."""
        at, width = i * self.databases, self.databases
        return int.from_bytes(self.rows.bytes[at // 8:(at + width + 7) // 8], "little") >> at % 8 & (1 << width) - 1

    def bits(self, digest):
        if self.form == self.BANK:
            common = (1 << self.databases) - 1
            for position in self.index.positions(digest):
                common &= self.row(position)
            return common
        if self.cells.keys == 0:
            return 0
        value = self.cells.word(digest) ^ self.cells.tag(digest)
        if value >= self.values:
            return 0
        if self.form == self.OWNER:
            return 1 << value
        if self.form == self.BITMAP:
            return value
        return self.row(value) if value < self.sets else self.escape.word(digest)

    def where(self, key, int_bytes=8):
        """The numbers of the databases that hold the key, rising."""
        bits = self.bits(self.hasher.digest(key, int_bytes))
        return [i for i in range(self.databases) if bits >> i & 1]

    def may_contain(self, key, int_bytes=8):
        return self.where(key, int_bytes) != []


class FuseFilter(PeeledFilter):
    table = Fuse


class Fuse4Filter(PeeledFilter):
    table = Fuse4


class XorFilter(PeeledFilter):
    table = Blocks


class SparseFilter(PeeledFilter):
    table = Sparse


class SparseMap(PeeledMap):
    table = Sparse


class FuseMap(PeeledMap):
    table = Fuse


class Fuse4Map(PeeledMap):
    table = Fuse4


class XorMap(PeeledMap):
    table = Blocks


class FilterStack:
    """Bloom filters in one array of bits: what the cascades share."""

    class One(BloomFilter):
        def __init__(self, cells, probes, salt, bits):
            self.cells, self.probes, self.salt, self.bits = cells, probes, salt, bits
            self.scheme = 0 if cells >= 4096 else 1

        def holds(self, digest):
            return all(self.bits[i // 8] >> i % 8 & 1 for i in self.positions(digest))

    def __init__(self, contents, count):
        table = [word for (word,) in struct.iter_unpack("<Q", contents.array("filters", 8, count))]
        shapes = [(word % 2**48, word >> 48 & 255, word >> 56) for word in table]
        for word, (cells, probes, _) in zip(table, shapes):
            check(word == 0 or (cells and probes), "a filter of", cells, "bits and", probes, "probes")
        words = [ceil_div(cells, 64) for cells, _, _ in shapes]
        bits = contents.array("bits", 8, sum(words))
        self.filters, first = [], 0
        for i, (cells, probes, draw) in enumerate(shapes):
            own = bits[8 * first:8 * (first + words[i])]
            check(int.from_bytes(own, "little") >> cells == 0, "unused bits of filter", i)
            self.filters.append(self.One(cells, probes, 1 + i + (draw << 16), own) if cells else None)
            first += words[i]

    def __getitem__(self, i):
        return self.filters[i]

    def accepts(self, i, digest):
        return self.filters[i] is not None and self.filters[i].holds(digest)


class ExactCascadeSet(Filter):
    def read(self, contents):
        self.members, self.universe, self.inverted, self.layers = contents.fields(
            "cascade", members=ANY, universe=(0, 2**51), inverted=(0, 1), layers=(0, 254))
        others = self.universe - self.members
        check(others >= 0, "more members than universe")
        check(self.inverted == (self.members > others), "field inverted is", self.inverted)
        check((self.layers == 0) == (self.members == 0 or others == 0), "field layers is", self.layers)
        self.stack = FilterStack(contents, self.layers)
        check(all(self.stack.filters), "a layer without a filter")
        check(self.layers == 0 or min(self.members, others) <= self.stack[0].cells, "more keys than bits")

    def holds(self, digest):
        layer = 0
        while layer < self.layers and self.stack.accepts(layer, digest):
            layer += 1
        return (layer + self.inverted) % 2 == 1


class CascadeMap(Map):
    def read(self, contents):
        self.keys, self.value_bits, self.values, self.levels = contents.fields(
            "cascade", keys=(0, 2**50), value_bits=(1, 4), values=(0, 16), levels=(0, 64))
        check(self.values <= 1 << self.value_bits and (self.values == 0) == (self.keys == 0), "field values is", self.values)
        self.stack = FilterStack(contents, self.levels * self.values)
        self.tail = Fuse(contents)
        for level in range(self.levels):
            check(any(self.stack[level * self.values + v] for v in range(self.values)), "a level without filters")
        check(self.levels == 0 or self.stack[self.values - 1], "a value without keys")
        first = sum(f.cells for f in self.stack.filters[:self.values] if f)
        check(self.keys <= first if self.levels else self.keys == self.tail.keys, "field keys is", self.keys)
        check(self.tail.keys <= self.keys, "a tail of more keys")
        check(self.tail.keys == 0 or self.tail.width >= self.value_bits + 16, "a tail of few check bits")

    def number(self, key, int_bytes=8):
        digest = self.hasher.digest(key, int_bytes)
        candidates = range(self.values)
        for level in range(self.levels):
            candidates = [v for v in candidates if self.stack.accepts(level * self.values + v, digest)]
            if len(candidates) < 2:
                return candidates[0] if candidates else None
        if self.tail.keys == 0:
            return None
        word = self.tail.word(digest)
        if word >> self.value_bits != self.tail.tag(digest) >> self.value_bits:
            return None
        return word & ((1 << self.value_bits) - 1)

    def value(self, key, int_bytes=8):
        return self.number(key, int_bytes) or 0


class BloomierMap(Map):
    def read(self, contents):
        (self.largest,) = contents.fields("map", largest=(0, M64))
        self.cells = Graph(contents)
        check(self.largest < 1 << self.cells.width, "values wider than the cells")

    def free(self, key, int_bytes):
        """The word of the key without its mask."""
        digest = self.hasher.digest(key, int_bytes)
        return self.cells.word(digest) ^ self.cells.tag(digest)

    def number(self, key, int_bytes=8):
        if self.cells.keys == 0:
            return None
        value = self.free(key, int_bytes)
        return value if value <= self.largest else None

    def value(self, key, int_bytes=8):
        """The value without a check: right for members, noise for others."""
        if self.cells.keys == 0:
            return 0
        return self.free(key, int_bytes) & (1 << max(1, self.largest.bit_length())) - 1


class MutableBloomierMap(Map):
    def read(self, contents):
        (self.value_bits,) = contents.fields("map", value_bits=(1, 64))
        self.cells = Graph(contents)
        check(self.cells.keys == 0 or self.cells.arity <= 1 << self.cells.width, "cells too narrow for the width")
        cells = self.cells.stride << self.cells.shard_bits if self.cells.keys > 0 else 0
        compact = len(contents.left) > 1 and contents.left[1].name == "used"
        self.values = Cells(contents, "values", self.cells.keys if compact else cells, self.value_bits, 1)
        self.places = None
        if compact:
            check(cells, "used cells of a map without keys")
            used = Cells(contents, "used", cells, 1, 0)
            numbers = [i for i in range(cells) if used[i]]
            check(len(numbers) == self.cells.keys, len(numbers), "used cells for", self.cells.keys, "keys")
            self.places = {cell: place for place, cell in enumerate(numbers)}

    def number(self, key, int_bytes=8):
        if self.cells.keys == 0:
            return None
        digest = self.hasher.digest(key, int_bytes)
        listed = self.cells.listed(digest)
        number = self.cells.word(digest) ^ self.cells.tag(digest)
        if number >= len(listed):
            return None
        place = listed[number] if self.places is None else self.places.get(listed[number])
        return None if place is None else self.values[place]

    def value(self, key, int_bytes=8):
        return self.number(key, int_bytes) or 0


class Ribbon:
    """The layers that ribbon-filter and ribbon-map share."""
    SHAPES = [(64, 128, 2, [0, 90, 111, 128]), (128, 512, 2, [0, 379, 454, 512]), (128, 512, 1, [460, 512]),
              (64, 0, 0, []), (128, 0, 0, []), (64, 0, 0, []), (128, 0, 0, [])]

    def __init__(self, contents):
        self.keys, self.width, preset, base_slots, base_attempt = contents.fields(
            "ribbon", keys=(0, 2**50), width=(1, 64), preset=(0, 6), base_slots=(0, 2**32), base_attempt=(0, 63))
        self.w, self.bucket, code, self.limits = self.SHAPES[preset]
        self.bumps, self.homogeneous = preset <= 2, preset >= 5
        layers = contents.array("layers", 8)
        words = [int.from_bytes(layers[i:i + 8], "little") for i in range(0, len(layers), 8)]
        check(len(words) <= 4 and (self.keys or not words), "layers", len(words), "instead of")
        check(base_slots % 64 == 0 and (base_slots >= self.w or base_slots == 0), "base_slots", base_slots)
        check((base_slots or words or not self.keys) and (self.keys or not base_slots), "base_slots", base_slots,
              "instead of")
        check(base_slots or not base_attempt or self.keys and preset >= 3, "base_attempt without a base")
        check(self.bumps or not self.keys or len(words) == 1 and not base_slots, "layers or base of preset", preset)
        self.levels, slots, buckets = [], 0, 0  # salt, shard bits, slots of a shard, first slot, first bucket
        for number, word in enumerate(words):
            shard_bits, each = word >> 56, word & 2**56 - 1
            check(shard_bits <= 8 and each % 64 == 0 and (1 + self.bumps) * self.w <= each <= 2**32, "a layer of", word)
            if self.bumps:
                self.levels.append((number, shard_bits, each, slots, buckets))
                buckets += self.buckets(each) << shard_bits
            else:
                self.levels.append((256 + base_attempt, shard_bits, each, slots, None))
            slots += each << shard_bits
        if base_slots:
            self.levels.append((256 + base_attempt, 0, base_slots, slots, None))
            slots += base_slots
        check(self.keys <= 2 * slots, "keys", self.keys, "instead of")
        self.thresholds = Cells(contents, "thresholds", buckets, code, 1)
        exceptions = contents.array("exceptions", 4)
        check(preset == 2 or not exceptions, "exceptions under preset", preset)
        self.exceptions, at = {}, 0
        for i in range(0, len(exceptions), 4):
            word = int.from_bytes(exceptions[i:i + 4], "little")
            step, depth = word >> 9, word & 511
            at += step
            check((depth < 460 or word == M32) and at < buckets and (step or i == 0), "exception", word)
            if depth < 460:
                self.exceptions[at] = depth
        self.cells = contents.array("cells", 8, slots // 64 * self.width)

    def buckets(self, slots):
        return -(-(slots - self.w + 1) // self.bucket)

    def crowds(self, slots):
        if self.bumps:
            return 0, 3 * self.w // 8
        return (self.w // 4, self.w // 4) if slots < 10_000 else (0, 0)

    @staticmethod
    def words(digest, number):
        """first and second of a layer; in layer 0 the lower half alone is salted"""
        return (digest.words if number else digest.half_words)(0xE00000000 + number)[:2]

    def tag(self, digest):
        """As wide as a stored word."""
        high, low = divmod(digest.hi * (digest.lo ^ nth(0xE00000000, 1)), 2**64)
        return (high ^ rotl(low, 48) & M64 - M32) & (1 << self.width) - 1

    def word(self, digest):
        for number, shard_bits, slots, first_slot, first_bucket in self.levels:
            starts, (first_crowd, last_crowd) = slots - self.w + 1, self.crowds(slots)
            shard = digest.hi >> (64 - shard_bits)
            first, second = self.words(digest, number)
            back = max(fastrange(first, first_crowd + starts + last_crowd), last_crowd) - last_crowd
            back = min(back, starts - 1)
            if first_bucket is not None:
                bucket, depth = first_bucket + shard * self.buckets(slots) + back // self.bucket, back % self.bucket
                if depth >= self.limits[self.thresholds[bucket]] or depth >= self.exceptions.get(bucket, self.bucket):
                    continue
            coefficients = second | 1
            if self.w == 128:
                coefficients |= digest.words(0xE00010000 + number)[0] << 64
            slot = first_slot + shard * slots + starts - 1 - back
            return sum(self.parity(slot, coefficients, c) << c for c in range(self.width))
        return 0

    def parity(self, slot, coefficients, column):
        """Of the bits of a column from a slot on that the coefficients choose."""
        bits = 0
        for block in range(slot // 64, (slot + self.w - 1) // 64 + 1):
            at = 8 * (block * self.width + column)
            bits |= int.from_bytes(self.cells[at:at + 8], "little") << 64 * (block - slot // 64)
        return bin(bits >> slot % 64 & coefficients).count("1") % 2


class RibbonFilter(Filter):
    def read(self, contents):
        self.cells = Ribbon(contents)

    def holds(self, digest):
        tag = 0 if self.cells.homogeneous else self.cells.tag(digest)
        return self.cells.keys > 0 and self.cells.word(digest) == tag


class RibbonMap(Map):
    def read(self, contents):
        (self.value_bits,) = contents.fields("map", value_bits=(0, 64))
        self.cells = Ribbon(contents)
        check(self.value_bits <= self.cells.width, "values wider than the cells")
        check(not self.cells.homogeneous, "a homogeneous preset in a map")

    def number(self, key, int_bytes=8):
        if self.cells.keys == 0:
            return None
        digest = self.hasher.digest(key, int_bytes)
        word = self.cells.word(digest)
        if (word ^ self.cells.tag(digest)) >> self.value_bits:
            return None
        return word & (1 << self.value_bits) - 1

    def value(self, key, int_bytes=8):
        """The value whatever the check says: right for members, noise for others."""
        if self.cells.keys == 0:
            return 0
        return self.cells.word(self.hasher.digest(key, int_bytes)) & (1 << self.value_bits) - 1


class Monotone:
    """Numbers that never fall, below a range."""

    def __init__(self, contents, count, limit, low="low", high="high"):
        self.range = limit
        self.low_bits = (limit // count).bit_length() - 1 if count and limit > count else 0
        self.low = Cells(contents, low, count if self.low_bits else 0, self.low_bits, 1)
        high = Cells(contents, high, count + (limit >> self.low_bits) + 1 if count else 0, 1, 0)
        ones = [i for i in range(8 * len(high.bytes)) if high.bytes[i // 8] >> i % 8 & 1]
        check(len(ones) == count, "high has", len(ones), "set bits instead of", count)
        self.highs = [at - i for i, at in enumerate(ones)]

    def __getitem__(self, i):
        low = self.low[i] if self.low_bits else 0
        return min(self.highs[i] << self.low_bits | low, self.range - 1)


class Piloted:
    """The perfect hash by pilots."""

    def __init__(self, contents):
        self.keys, self.part_bits, self.slots, self.buckets, self.skewed = contents.fields(
            "piloted", keys=(0, 2**50), part_bits=(0, 40), slots=(0, 2**31), buckets=(0, 2**30), skewed=(0, 1))
        if self.keys == 0:
            check(self.part_bits == self.slots == self.buckets == self.skewed == 0, "a shape instead of nothing")
        else:
            check(self.slots > 0, "field slots is", self.slots, "instead of more")
            check(self.buckets > 0, "field buckets is", self.buckets, "instead of more")
        total = self.slots << self.part_bits
        check(self.keys <= total <= 2**56, "field slots is", self.slots)
        self.attempts = contents.array("attempts", 1, 1 << self.part_bits if self.keys else 0)
        check(all(attempt < 20 for attempt in self.attempts), "attempt", max(self.attempts, default=0))
        self.read_pilots(contents)
        self.rest = Monotone(contents, total - self.keys, max(1, self.keys))

    def read_pilots(self, contents):
        self.pilots = contents.array("pilots", 1, self.buckets << self.part_bits)

    def pilot(self, part, bucket):
        return self.pilots[part * self.buckets + bucket]

    def start(self, strip):
        x = strip << 24
        if self.skewed and strip < 256:
            cube = (x * x >> 32) * (x >> 1 | 2**31) >> 32
            x = cube - (cube >> 8) + (x >> 8)
        return x * self.buckets >> 16

    def index(self, digest):
        if self.keys == 0:
            return 0
        part = digest.hi >> (64 - self.part_bits)
        word = digest.words(0x1000000000 + self.attempts[part])[0]
        strip, within, hash = word >> 56, word >> 32 & 0xFFFFFF, word & M32
        start = self.start(strip)
        bucket = start + ((self.start(strip + 1) - start) * within >> 24) >> 16
        pilot = self.pilot(part, bucket)
        mixed = (hash ^ pilot * 0x9E3779B1 & M32) * 0x85EBCA6B & M32
        slot = part * self.slots + (mixed * self.slots >> 32)
        return slot if slot < self.keys else self.rest[slot - self.keys]


class CodedPilots(Piloted):
    """The same, with pilots in codes."""

    def read_pilots(self, contents):
        shift = 0
        while ceil_div(self.buckets, 1 << shift) > 64:
            shift += 1
        widths = contents.array("widths", 1, ceil_div(self.buckets, 1 << shift))
        check(all(width <= 24 for width in widths), "widths", max(widths, default=0))
        self.widths = [widths[bucket >> shift] for bucket in range(self.buckets)]
        self.before = [0]
        for width in self.widths:
            self.before.append(self.before[-1] + width)
        bits = self.before[-1] << self.part_bits
        self.remainders = contents.array("remainders", 8, ceil_div(bits, 64) + 1 if self.keys else 0)
        check(bits_of(self.remainders) >> bits == 0, "unused bits of remainders")
        row = contents.array("quotients", 8)
        self.ones = set_bits(row)
        pilots = self.buckets << self.part_bits
        check(len(self.ones) == pilots + 1 if self.keys else not row, "quotients has", len(self.ones), "set bits")
        check(not self.keys or len(row) == 8 * ceil_div(self.ones[-1] + 3, 64), "quotients has", len(row), "bytes")

    def pilot(self, part, bucket):
        number, width = part * self.buckets + bucket, self.widths[bucket]
        at = part * self.before[-1] + self.before[bucket]
        quotient = self.ones[number + 1] - self.ones[number] - 1
        return (quotient << width | bits_of(self.remainders) >> at & (1 << width) - 1) & M32


def bits_of(data):
    return int.from_bytes(data, "little")


def set_bits(data):
    return [i for i in range(8 * len(data)) if data[i // 8] >> i % 8 & 1]


class Divided:
    """The perfect hash by divisions."""

    def __init__(self, contents):
        self.keys, self.part_bits, self.buckets, self.min_keys, self.min_bits, self.bits = contents.fields(
            "divided", keys=(0, 2**50), part_bits=(0, 40), buckets=(0, 2**50), min_keys=ANY, min_bits=ANY,
            bits=(0, 2**56))
        everything = self.buckets << self.part_bits
        if self.keys == 0:
            check(self.part_bits == self.buckets == self.min_keys == self.min_bits == self.bits == 0,
                  "a shape instead of nothing")
        else:
            check(self.buckets > 0, "field buckets is", self.buckets, "instead of more")
            check(everything <= 2**50, "field buckets is", self.buckets)
            check(self.min_keys <= self.keys // everything, "field min_keys is", self.min_keys)
            check(self.min_bits <= self.bits // everything, "field min_bits is", self.min_bits)
        self.attempts = contents.array("attempts", 1, 1 << self.part_bits if self.keys else 0)
        check(all(attempt < 20 for attempt in self.attempts), "attempt", max(self.attempts, default=0))
        self.remainders = contents.array("remainders", 1)
        check(all(bits <= 24 for bits in self.remainders), "remainder", max(self.remainders, default=0))
        count = everything + 1 if self.keys else 0
        self.first = Monotone(contents, count, self.keys - everything * self.min_keys + 1, "first-low", "first-high")
        self.start = Monotone(contents, count, self.bits - everything * self.min_bits + 1, "start-low", "start-high")
        if self.keys:
            check(self.first[everything] == self.first.range - 1, "keys of all buckets", self.first[everything])
            check(self.start[everything] == self.start.range - 1, "bits of all buckets", self.start[everything])
        largest = max((self.first[i + 1] - self.first[i] + self.min_keys for i in range(everything)), default=-1)
        check(len(self.remainders) == largest + 1 <= 1001, len(self.remainders), "remainders instead of", largest + 1)
        codes = contents.array("codes", 8, ceil_div(self.bits, 64) + 1 if self.keys else 0)
        self.codes = bits_of(codes)
        check(self.codes >> self.bits == 0, "unused bits of codes")

    @staticmethod
    def children(k):
        if k <= 20:
            return 10, 0, k - 10
        if k <= 30:
            return 10, 10, k - 20
        first = ceil_div(ceil_div(k, 2), 30) * 30
        return first, 0, k - first

    def nodes(self, k):
        """The sizes of all nodes that have a code, in order."""
        if k < 2:
            return []
        return [k] + ([n for child in self.children(k) for n in self.nodes(child)] if k > 10 else [])

    def index(self, digest):
        if self.keys == 0:
            return 0
        part = digest.hi >> (64 - self.part_bits)
        first, second, _ = digest.words(0x1200000000 + self.attempts[part])
        bucket = part * self.buckets + fastrange(first, self.buckets)
        hash, turn = second >> 32, second & M32
        index = self.first[bucket] + bucket * self.min_keys
        after = self.first[bucket + 1] + (bucket + 1) * self.min_keys
        k = min(after - index, len(self.remainders) - 1)
        at = self.start[bucket] + bucket * self.min_bits
        low = [(n, at := at + self.remainders[n]) for n in self.nodes(k)]
        trials = []
        for n, end in low:
            width = self.remainders[n]
            quotient = 0
            while not self.codes >> at & 1:
                quotient, at = quotient + 1, at + 1
            at += 1
            trials.append(quotient << width | self.codes >> (end - width) & (1 << width) - 1)

        def outcome(trial):
            return ((hash ^ trial * 0x9E3779B1 & M32) * 0x85EBCA6B + turn) & M32

        node = 0
        while k > 10:
            out, children = outcome(trials[node]), self.children(k)
            bounds = [(children[0] << 32) // k, (children[0] + children[1] << 32) // k]
            child = (out >= bounds[0]) + (out >= bounds[1])
            node += 1 + sum(len(self.nodes(n)) for n in children[:child])
            index += sum(children[:child])
            k = children[child]
        if k > 1:
            number, by = divmod(trials[node], k)
            place = (outcome(number) >> 16) * k >> 16
            index += (place - by) % k if turn & 1 else place
        return min(index, self.keys - 1)


class OwnCells(Fuse):
    """The perfect hash by peeling."""

    def __init__(self, contents):
        super().__init__(contents)
        check(self.width == 2, "field width is", self.width, "instead of 2")
        count = self.stride << self.shard_bits if self.keys else 0
        self.owned = [self.cells[i] != 3 for i in range(count)]
        check(sum(self.owned) == self.keys, sum(self.owned), "keys instead of", self.keys)

    def index(self, digest):
        if self.keys == 0:
            return 0
        cells = self.listed(digest)
        return min(sum(self.owned[:cells[sum(self.cells[cell] for cell in cells) % 3]]), self.keys - 1)


class Tree:
    """The perfect hash by a Blooming tree."""

    def __init__(self, contents):
        self.keys, self.cells, self.nodes = contents.fields("tree", keys=(0, 2**50), cells=(0, 2**56), nodes=(0, 2**55))
        check((self.cells == 0) == (self.keys == 0), "field cells is", self.cells)
        check(self.nodes >= self.keys and (self.nodes == 0) == (self.keys == 0), "field nodes is", self.nodes)
        self.filled, self.leaves, self.children = (
            Cells(contents, name, count, 1, 0)
            for name, count in [("filled", self.cells), ("leaves", self.nodes), ("children", 2 * (self.nodes - self.keys))])
        ones = len(set_bits(self.leaves.bytes))
        check(ones == self.keys, "leaves has", ones, "set bits instead of", self.keys)
        self.levels, first, width = [], 0, len(set_bits(self.filled.bytes))
        while width:
            check(len(self.levels) < 256 and first + width <= self.nodes, "levels", len(self.levels))
            self.levels.append(first)
            inner = 2 * (first - self.before(self.leaves, first))
            first += width
            end = 2 * (first - self.before(self.leaves, first))
            width = self.before(self.children, end) - self.before(self.children, inner)
        check(first == self.nodes, "levels end at node", first, "of", self.nodes)

    @staticmethod
    def before(bits, i):
        return bin(bits_of(bits.bytes) & (1 << i) - 1).count("1")

    def index(self, digest):
        if self.keys == 0:
            return 0
        cell = fastrange(digest.hi, self.cells)
        if not self.filled[cell]:
            return 0
        node = self.before(self.filled, cell)
        for i, first in enumerate(self.levels):
            at = first + node
            leaf = self.before(self.leaves, at)
            if self.leaves[at]:
                return leaf
            word = digest.words(0x1300000000 + i // 64)[0]
            child = 2 * (at - leaf) + (word >> 63 - i % 64 & 1)
            if not self.children[child]:
                return 0
            level = 2 * (first - self.before(self.leaves, first))
            node = self.before(self.children, child) - self.before(self.children, level)
        return 0


class SolvedCells:
    """The perfect hash by elimination."""

    def __init__(self, contents):
        self.keys, self.redraw = contents.fields("solved", keys=(0, 2**50), redraw=(0, 7))
        check(self.keys or not self.redraw, "field redraw is", self.redraw)
        self.buckets = self.keys // 1500 + 1 if self.keys else 0
        words = contents.array("directory", 8, self.buckets + 1 if self.keys else 0)
        self.directory = [(word >> 8, word & 255) for (word,) in struct.iter_unpack("<Q", words)] or [(0, 0)]
        firsts = [first for first, _ in self.directory]
        check(firsts[0] == 0 and firsts == sorted(firsts), "directory out of order")
        check(max((b - a for a, b in zip(firsts, firsts[1:])), default=0) <= 16384, "a bucket of too many keys")
        check(self.directory[-1] == (self.keys, 0), "keys or seed behind the last bucket", self.directory[-1])
        self.blocks = [ceil_div(11 * first, 30) + i for i, first in enumerate(firsts)]
        self.cells = Cells(contents, "cells", 3 * self.blocks[-1], 2, 1)

    def index(self, digest):
        if self.keys == 0:
            return 0
        if self.redraw:
            digest = Digest(*digest.words(0x400000100 + self.redraw)[:2])
        bucket = fastrange(digest.hi, self.buckets)
        first, seed = self.directory[bucket]
        base, block = 3 * self.blocks[bucket], self.blocks[bucket + 1] - self.blocks[bucket]
        own = [base + cell for cell in in_blocks(block, digest.drawn(0x400000000 + seed)[0])]
        cell = own[sum(self.cells[i] for i in own) % 3]
        return min(first + sum(self.cells[i] != 0 for i in range(base, cell)), self.keys - 1)


class Leveled:
    """The perfect hash by levels."""

    def __init__(self, contents):
        (self.keys,) = contents.fields("leveled", keys=(0, 2**50))
        sizes = contents.array("levels", 8)
        self.levels = [word64(sizes, at) for at in range(0, len(sizes), 8)]
        check(len(self.levels) <= 64 and (not self.levels) == (self.keys == 0), len(self.levels), "levels instead of")
        check(all(size and size % 64 == 0 and size <= 2**56 for size in self.levels), "levels", self.levels)
        check(sum(self.levels) <= 2**56, "levels", self.levels)
        self.bits = contents.array("bits", 8, sum(self.levels) // 64)
        ones = bin(int.from_bytes(self.bits, "little")).count("1")
        check(ones == self.keys, "bits has", ones, "set bits instead of", self.keys)

    def index(self, digest):
        first = 0
        for number, size in enumerate(self.levels):
            at = first + fastrange(digest.words(0x1100000000 + number)[0], size)
            if self.bits[at // 8] >> at % 8 & 1:
                before = int.from_bytes(self.bits[:at // 8 + 1], "little") & (1 << at) - 1
                return bin(before).count("1")
            first += size
        return 0


def perfect(contents):
    (form,) = contents.fields("perfect", form=(0, 6))
    return (Piloted, Leveled, Divided, CodedPilots, OwnCells, Tree, SolvedCells)[form](contents)


class PerfectHash(Structure):
    def read(self, contents):
        self.hash = perfect(contents)

    def index(self, key, int_bytes=8):
        return self.hash.index(self.hasher.digest(key, int_bytes))


class Slotted:
    """A cell for every key, at its index."""

    def __init__(self, contents):
        self.hash = perfect(contents)
        self.keys = self.hash.keys
        (self.width,) = contents.fields("slotted", width=(1, 64))
        self.cells = Cells(contents, "cells", self.keys, self.width, 1)

    def word(self, digest):
        return self.cells[self.hash.index(digest)]


class PerfectFilter(PeeledFilter):
    table = Slotted


class IndexedMap(PeeledMap):
    table = Slotted


def dense_row(digest, seed, bits):
    """The bits of a row as a number, from the lowest unknown up."""
    row = 0
    for pair in range(ceil_div(bits, 128)):
        first, second, _ = digest.words(0x2100000000 + 64 * seed + pair)
        row |= (second << 64 | first) << (128 * pair)
    return row & ((1 << bits) - 1)


def chosen(cells, first, row):
    """The XOR of the cells whose bit in the row is set."""
    word = 0
    while row:
        word ^= cells[first + (row & -row).bit_length() - 1]
        row &= row - 1
    return word


class Grouped:
    """A small system for each few keys."""

    FAMILY = 0x5EED0FA5E7

    def __init__(self, contents, tabulated):
        self.keys, self.width, self.group, self.spare, levels, self.source, self.draw, self.redraw = contents.fields(
            "grouped", keys=(0, 2**50), width=(1, 64), group=(3, 256), spare=(0, 0 if tabulated else 64),
            levels=(2 if tabulated else 1, 2), source=(0, 1), draw=(0, 2**64 - 1), redraw=(0, 7))
        check(self.group in ((3,) if tabulated else (64, 128, 256)), "group is", self.group)
        check(self.source == 0 or self.group == 64, "source of groups of", self.group)
        check(self.source or self.draw == 0, "field draw is", self.draw)
        check(self.keys or self.redraw == 0, "redraw of no keys")
        self.buckets, self.groups = self.shape(levels) if self.keys else (0, 0)
        words = [word for (word,) in struct.iter_unpack("<Q", contents.array(
            "directory", 8, self.buckets + 1 if self.keys else 0))]
        entries = Cells(contents, "entries", self.buckets * self.groups + 1 if self.keys else 0, 12, 1)
        seeds = [word for (word,) in struct.iter_unpack("<Q", contents.array("seeds", 8))]
        side = [word for (word,) in struct.iter_unpack("<Q", contents.array("side", 8))]
        check(self.keys or not seeds and not side, "seeds, or side, of no keys")
        self.directory = [(word >> 9, word >> 8 & 1, word & 255) for word in words]
        self.entries = entries
        firsts = [first for first, _, _ in self.directory] or [0]
        check(firsts[0] == 0 and firsts == sorted(firsts), "directory out of order")
        check(max((b - a for a, b in zip(firsts, firsts[1:])), default=0) <= 2**17, "a bucket of too many keys")
        for (first, bad, division), end in zip(self.directory, firsts[1:]):
            check(division < 64 and (not bad or first == end and division == 0), "a division of", division)
        check(not words or words[-1] & 511 == 0, "a division behind the last bucket")
        check(len(side) % 3 == 0 and firsts[-1] + len(side) // 3 == self.keys, "field keys is", self.keys)
        groups = [word >> 16 for word in seeds]
        check(all(a < b for a, b in zip(groups, groups[1:])), "seeds out of order")
        check(all(word >> 16 < self.buckets * self.groups and word & 0xFFFF >= 15 for word in seeds), "impossible seeds")
        self.seeds = {word >> 16: word & 0xFFFF for word in seeds}
        listed = list(zip(side[0::3], side[1::3]))
        check(all(a < b for a, b in zip(listed, listed[1:])), "side out of order")
        check(all(value >> self.width == 0 for value in side[2::3]), "values of side too wide")
        self.side = dict(zip(listed, side[2::3]))
        self.cells = Cells(contents, "cells", firsts[-1] + self.spare * self.buckets * self.groups, self.width, 1)
        self.most = max(64, 4 * self.group) + self.spare
        self.size = firsts[-1] + self.spare * self.buckets * self.groups

    def shape(self, levels):
        if levels == 1:
            return ceil_div(self.keys, self.group), 1
        buckets = ceil_div(self.keys, 16384)
        full = buckets * self.group
        return buckets, max(1, (self.keys + full // 2) // full)

    def word(self, digest):
        if self.redraw:
            digest = Digest(*digest.words(0x2000000100 + self.redraw)[:2])
        bucket = fastrange(digest.hi, self.buckets)
        (first, bad, division), (end, _, _) = self.directory[bucket:bucket + 2]
        if bad:
            return self.side.get((digest.hi, digest.lo), 0)
        j = fastrange(digest.words(0x2000000000 + division)[0], self.groups)
        group, scale = bucket * self.groups + j, 2**32 // self.groups

        def begin(i):
            even = (i * (end - first) * scale + 2**31) >> 32
            return even + (self.entries[bucket * self.groups + i] & 255) - 128

        unknowns = begin(j + 1) - begin(j) + self.spare
        at = first + begin(j) + self.spare * group
        if unknowns == 0:
            return 0
        check(0 < unknowns <= self.most and 0 <= at <= self.size - unknowns, "a group that is not there")
        seed = self.entries[group] >> 8
        return chosen(self.cells, at, self.row(digest, self.seeds[group] if seed == 15 else seed, unknowns))

    def row(self, digest, seed, unknowns):
        if self.source == 1:
            return self.pairwise_row(digest, seed, unknowns)
        if self.group == 3 and unknowns <= 5:
            identity = fastrange(digest.words(0x2100000000 + 64 * seed)[0], 25)
            return 1 + identity % (2**unknowns - 1)
        return dense_row(digest, seed, unknowns)

    def pairwise_row(self, digest, seed, unknowns):
        candidate_bits = (2 * max(2, self.keys.bit_length()) - 1).bit_length()
        candidate, again = seed % 2**candidate_bits, seed >> candidate_bits
        own = nth(nth(nth(self.FAMILY, self.draw), self.redraw), candidate)
        a, a2, b = (nth(own, i) << 64 | nth(own, i + 1) for i in (0, 2, 4))
        entry = (a * digest.hi + a2 * digest.lo + b) % 2**128 >> (128 - 14)
        found = nth(nth(own, 6), entry)
        row = sum(nth(found, 64 * again + i) << (64 * i) for i in range(ceil_div(unknowns, 64)))
        return row & ((1 << unknowns) - 1)


def sparse_row(digest, seed, probes, unknowns):
    drawn = []
    for pair in range(64):
        for word in digest.words(0x2100000000 + 64 * seed + pair)[:2]:
            cell = fastrange(word, unknowns)
            if len(drawn) < probes and cell not in drawn:
                drawn.append(cell)
    return sum(1 << cell for cell in drawn)


class OneSystem:
    """All keys in one system."""

    def __init__(self, contents, exact):
        self.keys, self.width, self.probes, spare, self.seed = contents.fields(
            "system", keys=(0, 65536 if exact else 4096), width=(1, 64), probes=(0, 15), spare=(0, 64), seed=(0, 65535))
        self.unknowns = self.keys + spare
        used = self.unknowns * self.width
        self.bytes = contents.array("cells", 1, ceil_div(used, 8))
        check(self.probes == self.probes_for(self.keys if exact else 0), "field probes is", self.probes)
        check(spare in ((0, 8) if exact else range(65)) and (self.keys or spare == 0), "field spare is", spare)
        check(self.keys or self.seed == 0, "field seed is", self.seed)
        check(used % 8 == 0 or self.bytes[-1] >> (used % 8) == 0, "unused bits of section cells")

    @staticmethod
    def probes_for(keys):
        probes, power = 1, 2.718281828459045
        while power < 7.38905609893065 * keys:
            probes, power = probes + 2, power * 7.38905609893065
        return probes if keys > 64 else 0

    def __getitem__(self, i):
        at = i * self.width
        return int.from_bytes(self.bytes[at // 8:at // 8 + 9], "little") >> (at % 8) & ((1 << self.width) - 1)

    def word(self, digest):
        if self.probes == 0:
            return chosen(self, 0, dense_row(digest, self.seed, self.unknowns))
        return chosen(self, 0, sparse_row(digest, self.seed, self.probes, self.unknowns))


def matrix(contents):
    (form,) = contents.fields("matrix", form=(0, 3))
    return Grouped(contents, form == 1) if form < 2 else OneSystem(contents, form == 2)


class MatrixFilter(PeeledFilter):
    table = staticmethod(matrix)


class MatrixMap(PeeledMap):
    table = staticmethod(matrix)


class Squares:
    """Square systems, one for each part of the keys."""

    def __init__(self, keys, width, entries, cells):
        self.keys, self.width, self.bytes = keys, width, cells
        number = self.parts_of(keys)
        bits = int.from_bytes(entries, "little")
        size = 8 if number == 1 else 18
        check(bits >> (number * size) == 0, "unused bits of entries")
        check(len(cells) == ceil_div(keys * width, 8), "cells of", keys, "keys in", len(cells), "bytes")
        check(int.from_bytes(cells, "little") >> (keys * width) == 0, "unused bits of cells")
        self.parts, first = [], 0
        for i in range(number):
            entry = bits >> (size * i) & ((1 << size) - 1)
            own = keys if number == 1 else keys // number + (entry >> 8) - 512
            check(own >= 0, "a part of", own, "keys")
            self.parts.append((first, own, entry & 255))
            first += own
        check(first == keys, "parts of", first, "keys instead of", keys)

    @staticmethod
    def parts_of(keys):
        return 0 if keys == 0 else 1 if keys <= 6144 else ceil_div(keys, 2048)

    @classmethod
    def entry_bytes(cls, keys):
        number = cls.parts_of(keys)
        return ceil_div(number * (8 if number == 1 else 18), 8)

    def __getitem__(self, i):
        at = i * self.width
        return int.from_bytes(self.bytes[at // 8:at // 8 + 9], "little") >> (at % 8) & ((1 << self.width) - 1)

    def word(self, digest):
        first, keys, seed = self.parts[fastrange(digest.hi, len(self.parts))]
        row = sparse_row(digest, seed, OneSystem.probes_for(keys), keys) if keys > 64 else dense_row(digest, seed, keys)
        return chosen(self, first, row)


class ExactSet(Filter):
    def read(self, contents):
        self.head = contents.array("head", 1)
        if self.head:
            return self.read_small(contents)
        self.members, self.universe = contents.fields("exact", members=ANY, universe=(0, 2**51))
        ids = contents.array("ids", 8)
        self.ids = [word64(ids, i) for i in range(0, len(ids), 8)]
        self.ways = contents.array("ways", 1, len(self.ids))
        self.ribbons = [Ribbon(contents) for _ in range(contents.list("ribbons"))]
        check(self.members <= self.universe, "more members than universe")
        check(len(self.ids) <= self.universe and bool(self.ids) == bool(self.universe), len(self.ids), "blocks")
        check(all(a < b for a, b in zip(self.ids, self.ids[1:])), "ids that do not rise")
        check(not any(way & 128 and way & 63 for way in self.ways), "a way of two kinds")
        used = {way & 63 for way in self.ways if not way & 128}
        check(used | {0} == set(range(len(self.ribbons))) if used else not self.ribbons, len(self.ribbons), "ribbons")
        if used:
            *first, second = self.ribbons
            widths = [ribbon.width for ribbon in first]
            check(second.width == 1 and widths == sorted(set(widths)), "widths", *widths, second.width)
            check(not any(ribbon.homogeneous for ribbon in self.ribbons), "a homogeneous preset")
            check(all(1 <= ribbon.keys <= self.universe for ribbon in self.ribbons), "keys of a ribbon")
            check(sum(ribbon.keys for ribbon in first) <= second.keys, "more keys than pass")

    def read_small(self, contents):
        at = 0

        def number():
            nonlocal at
            value, shift = 0, 0
            while True:
                check(at < len(self.head) and shift < 56, "a head that ends within a number")
                byte = self.head[at]
                value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
                if byte < 128:
                    check(byte or shift == 7, "a number of the head with a zero behind it")
                    return value

        first, second = contents.array("first", 1), contents.array("second", 1)
        self.universe, self.inverted = divmod(number(), 2)
        stored = number()
        check(0 < self.universe <= 2**51, "universe of", self.universe)
        check(stored <= self.universe // 2 and (2 * stored < self.universe or not self.inverted), "a minority of", stored)
        self.first = self.second = None
        if stored:
            rank = ((self.universe - stored) // stored).bit_length() - 1
            passing = stored + number() if rank else self.universe
            check(passing <= min(self.universe, 2 * 98304), "passing are", passing)
            sizes = [Squares.entry_bytes(stored) if rank else 0, Squares.entry_bytes(passing)]
            check(len(self.head) == at + sum(sizes), "a head of", len(self.head), "bytes")
            if rank:
                self.first = Squares(stored, rank, self.head[at:at + sizes[0]], first)
            self.second = Squares(passing, 1, self.head[at + sizes[0]:], second)
        else:
            check(len(self.head) == at, "a head of", len(self.head), "bytes")
        check(self.first or not first, "a first stage that nothing needs")
        check(self.second or not second, "a second stage that nothing needs")

    def holds_small(self, digest):
        if self.second is None or self.first and self.first.word(digest) != digest.tag(self.first.width):
            return bool(self.inverted)
        return self.second.word(digest) == 1

    def holds(self, digest, block=0):
        if self.head:
            return block == 0 and self.holds_small(digest)
        if block not in self.ids:
            return False
        way = self.ways[self.ids.index(block)]
        digest = Digest(digest.hi, digest.lo ^ mix64(block))
        if way & 63:
            first = self.ribbons[(way & 63) - 1]
            if first.word(digest) != digest.tag(first.width):
                return bool(way & 64)
        return bool(way & 64) if way & 128 else self.ribbons[-1].word(digest) == 1


class Bundle(Contents):
    """Several structures in one section: their fields and lengths in a directory, their arrays behind one another."""

    def __init__(self, contents):
        self.directory = [word for (word,) in struct.iter_unpack("<Q", contents.array("directory", 8))]
        self.bytes = contents.array("words", 8)
        self.items = []

    def read(self, kind):
        while self.directory:
            self.items.append(kind(self))
        check(not self.bytes, "words: bytes", len(self.bytes), "instead of 0 behind the last item")
        return self.items

    def word(self):
        check(self.directory, "the directory ends within an item")
        return self.directory.pop(0)

    def fields(self, name, **ranges):
        values = [self.word() for _ in ranges]
        for value, (field, (lowest, highest)) in zip(values, ranges.items()):
            check(lowest <= value <= highest, "field", field, "is", value)
        return values

    def array(self, name, word_bytes, words=None):
        size = self.word()
        check(size % word_bytes == 0 and size <= len(self.bytes), "directory:", size, "bytes of", name)
        check(words is None or size == words * word_bytes, name, "has", size, "bytes instead of the words it needs")
        payload, padding = self.bytes[:size], -size % 8
        check(not any(self.bytes[size:size + padding]), "padding behind", name)
        self.bytes = self.bytes[size + padding:]
        return payload


class Staggered(Fuse):
    def __init__(self, contents):
        Peeled.__init__(self, contents, "staggered", length_bits=(0, 32), segments=(0, 2**32), reach=(1, 32))

    def size(self):
        self.length_bits, self.segments, self.reach = self.shape
        self.length = 1 << self.length_bits
        return (self.segments + 2) * self.length + self.reach - 1

    def bits(self, digest):
        """`reach` bits, the first of the code on top."""
        out = 0
        for cell in self.listed(digest):
            for i in range(self.reach):
                out ^= self.cells[cell + i] << i
        return out


class CodedMap(Map):
    PLAIN, ESCAPE, CODED_SMALL, DOMINANT, CODED = range(5)

    def read(self, contents):
        self.keys, self.value_bits, form, self.check_bits, self.filter_bits, self.dominant, escape = contents.fields(
            "coded", keys=(0, 2**50), value_bits=(1, 64), form=(0, 4), check_bits=(0, 63), filter_bits=(0, 8),
            dominant=ANY, escape=(0, 33))
        check(self.value_bits + self.check_bits <= 64, "check_bits", self.check_bits)
        self.read_code(contents, escape)
        ribbons = Bundle(contents).read(Ribbon)
        self.graph = Staggered(contents) if form == self.CODED else None
        check((self.keys == 0) == (self.codes == []), "codes", self.codes, "instead of some, and keys", self.keys)
        check(self.keys or not (self.check_bits or self.filter_bits), "bits without keys")
        check(self.dominant == 0 or self.filter_bits and self.dominant >> self.value_bits == 0, "dominant", self.dominant)
        if self.graph:
            check(self.graph.keys >= max(1, self.keys) and self.graph.width == 1, "a graph of other bits")
            check(self.graph.reach == self.longest and not self.filter_bits, "reach", self.graph.reach)
        flat = self.codes == [0] * self.longest + [1 << self.longest]
        expected = (self.CODED if self.graph else self.DOMINANT if self.filter_bits else
                    self.PLAIN if not self.keys or self.escape is not None and not self.longest else
                    self.ESCAPE if self.escape is not None and flat else self.CODED_SMALL)
        check(form == expected, "form", form, "instead of", expected)
        self.lay_out(ribbons, form)

    def read_code(self, contents, escape):
        codes = contents.array("codes", 4)
        self.codes = [word for (word,) in struct.iter_unpack("<I", codes)]
        check(len(self.codes) <= 33 and sum(self.codes) <= 2**20, "too many codes")
        check(not self.codes or sum(n << 32 - i for i, n in enumerate(self.codes)) == 2**32 and self.codes[-1],
              "the code is not complete")
        check(escape <= len(self.codes) and (escape == 0 or self.codes[escape - 1]), "escape", escape)
        self.longest = max(0, len(self.codes) - 1)
        self.escape = sum(self.codes[:escape]) - 1 if escape else None
        count = sum(self.codes) - (escape > 0)
        listed = contents.left and contents.left[0].payload
        symbols = Cells(contents, "symbols", count if listed else 0, self.value_bits, 1)
        self.symbols = [symbols[i] for i in range(count)] if listed else range(count)
        check(listed or count <= 1 << self.value_bits, "values of", self.value_bits, "bits for", count, "symbols")
        check(not listed or self.symbols != list(range(count)), "a list of symbols that need none")
        at = 0
        for length, codes in enumerate(self.codes):
            some = self.symbols[at:at + codes - (escape == length + 1)]
            check(all(a < b for a, b in zip(some, some[1:])), "symbols of one length do not rise")
            at += len(some)

    def lay_out(self, ribbons, form):
        def take(width, least):
            check(ribbons, "a ribbon is missing")
            ribbon = ribbons.pop(0)
            check(ribbon.width == width and least <= ribbon.keys <= self.keys, "a ribbon of", ribbon.width, "bits and",
                  ribbon.keys, "keys")
            check(not ribbon.homogeneous, "a homogeneous preset")
            return ribbon

        chunked = self.graph is None and self.longest > 0
        self.joined = form not in (self.DOMINANT, self.CODED) and (chunked or self.escape is not None)
        every = 1 if self.filter_bits else self.keys
        self.check = take(self.check_bits, self.keys) if self.check_bits and not self.joined else None
        self.filter = take(self.filter_bits, 1) if self.filter_bits else None
        self.chunks, known, before = [], 0, self.keys
        while chunked and known < self.longest:
            check(ribbons, "a chunk is missing")
            more = self.check_bits if self.joined and known == 0 else 0
            chunk = take(ribbons[0].width, every if known == 0 else 1)
            check(0 < chunk.width - more <= self.longest - known and chunk.keys <= before, "a chunk does not fit")
            known, before = known + chunk.width - more, chunk.keys
            self.chunks.append((chunk, chunk.width - more))
        self.literal = None
        if self.escape is not None:
            straight = self.longest == 0
            self.literal = take(self.value_bits + (self.check_bits if self.joined and straight else 0),
                                every if straight else 1)
        check(not ribbons, "more ribbons than the code needs")

    def content(self, ribbon, width, digest, checked):
        """The low bits of the stored word; None if those above them are not the key's."""
        word = ribbon.word(digest)
        if ribbon.width > width and checked and word >> width != digest.tag(self.check_bits):
            return None
        return word & (1 << width) - 1

    def answer(self, digest, checked):
        if self.keys == 0:
            return None
        if self.check and checked and self.check.word(digest) != digest.tag(self.check_bits):
            return None
        if self.filter and self.filter.word(digest) != digest.words(0x300000001)[0] >> (64 - self.filter_bits):
            return self.dominant
        bits, known = (self.graph.bits(digest), self.longest) if self.graph else (0, 0)
        chunks = iter(self.chunks)
        while True:
            number, first = 0, 0  # of the first code of a length, and that code
            for length in range(known + 1):
                code = bits >> (known - length)
                if code - first < self.codes[length]:
                    break
                number, first = number + self.codes[length], (first + self.codes[length]) << 1
            else:
                chunk, width = next(chunks)
                more = self.content(chunk, width, digest, checked)
                if more is None:
                    return None
                bits, known = bits << width | more, known + width
                continue
            break
        number += code - first
        if number == self.escape:
            return self.content(self.literal, self.value_bits, digest, checked)
        return self.symbols[number - (self.escape is not None and number > self.escape)]

    def number(self, key, int_bytes=8):
        return self.answer(self.hasher.digest(key, int_bytes), True)

    def value(self, key, int_bytes=8):
        return self.answer(self.hasher.digest(key, int_bytes), False) or 0


KINDS = {
    "bloom-filter": BloomFilter,
    "banked-bloom-filter": BankedBloomFilter,
    "split-block-bloom-filter": SplitBlockBloomFilter,
    "parquet-filter": ParquetFilter,
    "blocked-bloom-filter": BlockedBloomFilter,
    "two-line-bloom-filter": TwoLineBloomFilter,
    "multiblock-bloom-filter": MultiblockBloomFilter,
    "register-bloom-filter": RegisterBloomFilter,
    "pattern-bloom-filter": PatternBloomFilter,
    "two-choice-bloom-filter": TwoChoiceBloomFilter,
    "best-of-bloom-filter": BestOfBloomFilter,
    "selected-bloom-filter": SelectedBloomFilter,
    "golomb-coded-set": GolombFilter,
    "hash-list-filter": HashListFilter,
    "hash-compaction-filter": HashCompactionFilter,
    "binary-fuse-filter": FuseFilter,
    "binary-fuse-map": FuseMap,
    "binary-fuse4-filter": Fuse4Filter,
    "binary-fuse4-map": Fuse4Map,
    "xor-filter": XorFilter,
    "xor-map": XorMap,
    "exact-cascade-set": ExactCascadeSet,
    "exact-set": ExactSet,
    "cascade-map": CascadeMap,
    "bloomier-filter": BloomierMap,
    "mutable-bloomier-filter": MutableBloomierMap,
    "meta-map": MetaMap,
    "sparse-filter": SparseFilter,
    "sparse-map": SparseMap,
    "ribbon-filter": RibbonFilter,
    "ribbon-map": RibbonMap,
    "matrix-filter": MatrixFilter,
    "matrix-map": MatrixMap,
    "perfect-hash": PerfectHash,
    "perfect-filter": PerfectFilter,
    "indexed-map": IndexedMap,
    "coded-map": CodedMap,
}


def open_bytes(data, key=None):
    envelope = Envelope(data)
    check(envelope.kind in KINDS, "unknown kind", envelope.kind)
    check((key is not None) == (envelope.hash == SIPHASH),
          "a secret key is needed" if key is None else "the file takes no secret key")
    check(key is None or len(key) == 16, "a secret key has 16 bytes")
    hasher = Hasher(envelope.hash, envelope.seed, key)
    check(key is None or hasher.key_check() == envelope.key_check, "another secret key")
    return KINDS[envelope.kind](envelope, hasher)


def open_file(path, key=None):
    with open(path, "rb") as file:
        return open_bytes(file.read(), key)


# Families with a module of their own. They take what they stand on from this one, under whatever
# name it runs.
sys.modules.setdefault("reader", sys.modules[__name__])
import read_cuckoo  # noqa: E402
import read_growing  # noqa: E402
import read_quotient  # noqa: E402
import read_variants  # noqa: E402

for family in [read_cuckoo, read_growing, read_quotient, read_variants]:
    KINDS |= family.KINDS


if __name__ == "__main__":
    from reader import open_file  # of the module, which knows the families

    if len(sys.argv) < 2:
        sys.exit("usage: reader.py FILE [TEXT...]")
    opened = open_file(sys.argv[1])
    print(opened.kind)
    for text in sys.argv[2:]:
        named = getattr(opened, "texts", None)
        verbs = ("find_text",) if named else ("find", "where", "may_contain")
        answer = next(getattr(opened, verb) for verb in verbs if hasattr(opened, verb))
        print(text, answer(text.encode()))
