"""test_format.py - doc/format.md is enough: reader.py, written from it alone, answers every file of test/golden/.

Checks reader.py's hash functions against published values, its answers against test/golden/answers.json, and that it
refuses whatever is not exactly as the document says: flipped bits, cut and lengthened files, and files forged with
right checksums. Runs with plain python3, no packages. The last line is "N passed, N failed".
"""
import json
import pathlib
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import reader  # noqa: E402
from reader import ARRAY, ENTRY, FIELDS, HEADER, LIST, M64, Envelope, Refused, open_bytes, xxh3_64  # noqa: E402

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"


class Tally:
    """Counts checks; says what a group of them was about, and what failed."""
    SHOWN = 5

    def __init__(self):
        self.passed = self.failed = 0

    def group(self, title, checks):
        """checks: pairs of a bool and what was checked."""
        passed, failed = 0, []
        for holds, what in checks:
            if holds:
                passed += 1
            else:
                failed.append(what)
        self.passed += passed
        self.failed += len(failed)
        print(f"{'FAIL' if failed else 'ok  '} {title}: {passed + len(failed)} checks")
        for what in failed[:self.SHOWN]:
            print(f"     failed: {what}")
        if len(failed) > self.SHOWN:
            print(f"     and {len(failed) - self.SHOWN} more")


# ---- hash functions
# ------------------------------------------------------------------------------------------------

S32, S64 = 2654435761, 11400714785074694797  # seeds of the xxHash project's published values


def published_input(size):
    """The bytes those values are of."""
    made, state = bytearray(), S32
    for _ in range(size):
        made.append(state >> 56)
        state = state * S64 & M64
    return bytes(made)


# size, seed, value
XXH64_VALUES = [
    (0, 0, 0xEF46DB3751D8E999), (0, S32, 0xAC75FDA2929B17EF), (1, 0, 0xE934A84ADB052768), (1, S32, 0x5014607643A9B4C3),
    (4, 0, 0x9136A0DCA57457EE), (14, 0, 0x8282DCC4994E35C8), (14, S32, 0xC3BD6BF63DEB6DF0),
    (222, 0, 0xB641AE8CB691C174), (222, S32, 0x20CB8AB7AE10C14A),
]
XXH3_64_VALUES = [
    (0, 0, 0x2D06800538D394C2), (0, S64, 0xA8A6B918B2F0364A), (1, 0, 0xC44BDFF4074EECDB), (1, S64, 0x032BE332DD766EF8),
    (6, 0, 0x27B56A84CD2D7325), (6, S64, 0x84589C116AB59AB9), (12, 0, 0xA713DAF0DFBB77E7),
    (12, S64, 0xE7303E1B2336DE0E), (24, 0, 0xA3FE70BF9D3510EB), (24, S64, 0x850E80FC35BDD690),
    (48, 0, 0x397DA259ECBA1F11), (80, S64, 0xC6DD0CB699532E73), (195, 0, 0xCD94217EE362EC3A),
    (195, S64, 0xBA68003D370CB3D9),
    (403, 0, 0xCDEB804D65C6DEA4), (403, S64, 0x6259F6ECFD6443FD), (512, 0, 0x617E49599013CB6B),
    (2048, 0, 0xDD59E2C3A5F038E0), (2048, S64, 0x66F81670669ABABC), (2099, 0, 0xC6B9D9B3FC9AC765),
    (2240, S64, 0x757BA8487D1B5247), (2367, 0, 0xCB37AEB9E5D361ED),
]
XXH3_128_VALUES = [
    (0, 0, 0x99AA06D3014798D86001C324468D497F), (0, S32, 0x92220AE55E14AB505444F7869C671AB0),
    (1, 0, 0xA6CD5E9392000F6AC44BDFF4074EECDB), (1, S32, 0x89B99554BA22467CB53D5557E7F76F8D),
    (6, 0, 0x082AFE0B8162D12A3E7039BDDA43CFC6), (6, S32, 0x5A865B5389ABD2B1269D8F70BE98856E),
    (12, 0, 0x6E3EFD8FC7802B18061A192713F69AD9), (12, S32, 0xD7E09D518A3405D39BE9F9A67F3C7DFB),
    (24, 0, 0x0CE966E4678D37611E7044D28B1B901D), (24, S32, 0x3162026714A6A243D7304C54EBAD40A9),
    (48, 0, 0xA002AC4E5478227EF942219AED80F67B), (81, S32, 0x2724EC7ADC750FB6703FBB3D7A5F755C),
    (222, 0, 0x337E09641B948717F1AEBD597CEC6B3A), (222, S32, 0x91820016621E97F1AE995BB8AF917A8D),
    (403, 0, 0x1B6DE21E332DD73DCDEB804D65C6DEA4), (403, S64, 0xBED311971E0BE8F26259F6ECFD6443FD),
    (512, 0, 0x18D2D110DCC9BCA1617E49599013CB6B), (2048, S32, 0x7FB03F7E7186C3EA230D43F30206260B),
    (2240, 0, 0xCCB134FBFA7CE49D6E73A90539CF2948), (2367, S32, 0xD23AAE4B76C31ECB6F5360AE69C2F406),
]
# of the bytes 00 01 02 ... under the key 00 01 ... 0f
SIPHASH_VALUES = {
    0: "a3817f04ba25a8e66df67214c7550293", 1: "da87c1d86b99af44347659119b22fc45", 2: "8177228da4a45dc7fca38bdef60affe4",
    3: "9c70b60c5267a94e5f33b6b02985ed51", 7: "a1f1ebbed8dbc153c0b84aa61ff08239", 8: "3b62a9ba6258f5610f83e264f31497b4",
    15: "5493e99933b0a8117e08ec0f97cfc3d9", 16: "6ee2a4ca67b054bbfd3315bf85230577",
    63: "5150d1772f50834a503e069a973fbd7c",
}


def xxh3_128(data, seed=0):
    high, low = reader.xxh3_128(data, seed)
    return high << 64 | low


def check_hashes(tally):
    for name, function, values in [("XXH64", reader.xxh64, XXH64_VALUES), ("XXH3-64", xxh3_64, XXH3_64_VALUES),
                                   ("XXH3-128", xxh3_128, XXH3_128_VALUES)]:
        tally.group(f"{name}, published values", ((function(published_input(size), seed) == value,
                                                   f"{name} of {size} bytes, seed {seed}")
                                                  for size, seed, value in values))
    tally.group("SipHash-2-4-128, published values", ((
        reader.siphash_128(bytes(range(size)), bytes(range(16))).hex() == value, f"SipHash of {size} bytes")
                                                      for size, value in SIPHASH_VALUES.items()))
    program = shutil.which("xxhsum")
    if not program:
        print("skip xxhsum is not installed")
        return

    def said(option, data):
        done = subprocess.run([program, option], input=data, capture_output=True, timeout=20)
        words = done.stdout.split() if done.returncode == 0 else []
        return int(words[0].replace(b"XXH3_", b""), 16) if words else None

    def checks():
        for option, function in [("-H1", reader.xxh64), ("-H2", xxh3_128), ("-H3", xxh3_64)]:
            for size in (0, 1, 2, 3, 4, 8, 9, 16, 17, 33, 128, 129, 240, 241, 1024, 1025, 3000):
                data = published_input(size)
                hers = said(option, data)
                if hers is not None:  # an older xxhsum may not know the option
                    yield hers == function(data), f"xxhsum {option} of {size} bytes"

    tally.group("XXH64, XXH3-128, XXH3-64 against xxhsum", checks())


# ---- answers
# -------------------------------------------------------------------------------------------------------

KEY_OF = {"string": str.encode, "bytes": bytes.fromhex, "u64": int, "i64": int, "i32": int}
HASHES = {"xxh3": 1, "siphash": 2, "parquet": 3, "md5": 4, "crc": 5, "fnv": 6}


def secret_of(golden):
    return bytes.fromhex(golden["hash"]["key_hex"]) if "key_hex" in golden["hash"] else None


def check_answers(tally, golden, data):
    def checks():
        envelope, opened = Envelope(data), open_bytes(data, secret_of(golden))
        yield envelope.kind == golden["kind"], "kind"
        yield envelope.hash == HASHES[golden["hash"]["name"]], "hash"
        yield envelope.seed == int(golden["hash"].get("seed", 0)), "seed"
        for keys in golden["keys"]:
            def asked(ask, key):
                return ask(KEY_OF[keys["type"]](key), int_bytes=4 if keys["type"] == "i32" else 8)

            if "non_members_where" in keys:
                for key, numbers in keys["members_where"] + keys["non_members_where"]:
                    yield asked(opened.where, key) == numbers, f"where {keys['type']} {key!r}"
            elif "non_members_index" in keys:
                for key, index in keys["members_index"] + keys["non_members_index"]:
                    yield asked(opened.index, key) == index, f"index of {keys['type']} {key!r}"
                indices = {index for _, index in keys["members_index"]}
                yield indices == set(range(len(keys["members_index"]))), "members have all indices"
            elif "non-members" in keys:
                for key, value in keys["members"]:
                    yield asked(opened.find, key) == int(value), f"find {keys['type']} {key!r}"
                    yield asked(opened.value, key) == int(value), f"value {keys['type']} {key!r}"
                texts = golden["built_with"].get("texts")
                yield (texts is None) == (opened.texts is None), "texts"
                for key, value in keys["members"] if texts else []:
                    yield asked(opened.find_text, key) == texts[int(value)].encode(), f"text of {key!r}"
                for key, found, value in keys["non-members"]:
                    found = None if found is None else int(found)
                    yield asked(opened.find, key) == found, f"find {keys['type']} non-member {key!r}"
                    yield asked(opened.value, key) == int(value), f"value {keys['type']} non-member {key!r}"
            else:
                for key in keys["members"]:
                    yield asked(opened.may_contain, key), f"{keys['type']} member {key!r}"
                for key in keys["non_members_true"]:
                    yield asked(opened.may_contain, key), f"{keys['type']} non-member {key!r} that passes"
                for key in keys["non_members_false"]:
                    yield not asked(opened.may_contain, key), f"{keys['type']} non-member {key!r}"

    try:
        tally.group(f"{golden['file']}, answers", checks())
    except Refused as why:
        tally.group(f"{golden['file']}, answers", [(False, f"refused: {why}")])


# ---- refusals
# ------------------------------------------------------------------------------------------------------


def refused(what, data, key, because=""):
    """A check that `data` is refused, for a reason that names `because`."""
    try:
        open_bytes(bytes(data), key)
    except Refused as why:
        return because in str(why), f"{what}: refused, but for: {why}"
    except Exception as error:  # a reader refuses, it does not stumble
        return False, f"{what}: {type(error).__name__}: {error}"
    return False, f"{what}: taken"


def check_damage(tally, golden, data, every):
    """`every`-th bytes are flipped: all of a kind's first file; what its others share with it, now and then."""
    key = secret_of(golden)
    sections = Envelope(data).sections
    table_end = HEADER.size + ENTRY.size * len(sections)
    used = []  # of each payload, the first byte and the one after the last
    for section in sections:
        start = reader.aligned(used[-1][1] if used else table_end)
        used.append((start, start + len(section.payload)))

    def flips():
        for at in range(0, len(data), every):
            inside = any(start <= at < end for start, end in used)
            if inside and at % 11 and len(data) > 1000:
                continue  # every payload has one checksum, so an eleventh of a long one will do
            where = ("header" if at < HEADER.size else "table" if at < table_end else
                     "payload" if inside else "padding")
            broken = bytearray(data)
            broken[at] ^= 1 << (at * 5 + 3) % 8
            because = {"payload": "checksum of section", "padding": "padding"}.get(where, "")
            yield refused(f"a bit of byte {at} ({where}) flipped", broken, key, because)

    def sizes():
        cuts = {0, 1, 7, 8, 9, 64, HEADER.size - 1, HEADER.size, table_end - 1, table_end}
        cuts |= {len(data) - 64, len(data) - 1}
        for start, end in used:
            cuts |= {start, end, (start + end) // 2}
        for size in sorted(cut for cut in cuts if cut < len(data)):
            yield refused(f"cut to {size} bytes", data[:size], key)
        for extra in (b"\0", b"\n", bytes(64), data):
            yield refused(f"{len(extra)} bytes appended", data + extra, key, "file of")
        yield refused("64 zeros appended, and counted", sealed(data + bytes(64)), key, "does not end the file")

    tally.group(f"{golden['file']}, a flipped bit", flips())
    tally.group(f"{golden['file']}, cut and lengthened", sizes())


def padded(data, size=64):
    return data + bytes(-len(data) % size)


def sealed(data, **header):
    """`data` with the given header fields; what is not given is right: its size, table checksum, header checksum."""
    names = ["magic", "version", "order", "kind", "kind_version", "hash", "seed", "key_check", "size", "count",
             "recipe", "reserved", "table_sum", "header_sum"]
    values = dict(zip(names, HEADER.unpack_from(data)), size=len(data))
    values["count"] = header.get("count", values["count"])
    values["table_sum"] = xxh3_64(data[HEADER.size:HEADER.size + ENTRY.size * values["count"]])
    values.update(header)
    head = HEADER.pack(*values.values())
    return head[:120] + struct.pack("<Q", xxh3_64(head[:120])) + data[HEADER.size:]


def entry_of(section, at):
    if section[1] == LIST:
        return [section[0], LIST, section[2], 0, 0, 0, 0]
    return [section[0], section[1], section[2], at, len(section[3]), xxh3_64(section[3]), 0]


def written(data, sections, entry_change=None, gap=0, **header):
    """A file with the header of `data` and the given sections, each (name, type, count, payload), by section 1.

    entry_change(entries) may spoil the table; gap bytes of zeros precede the last section.
    """
    entries, payloads = [], b""
    base = HEADER.size + ENTRY.size * len(sections)
    for i, section in enumerate(sections):
        if gap and i == len(sections) - 1:
            payloads += bytes(gap)
        entries.append(entry_of(section, base + len(payloads)))
        payloads += padded(section[3])
    if entry_change:
        entry_change(entries)
    table = b"".join(ENTRY.pack(*entry) for entry in entries)
    return sealed(data[:HEADER.size] + table + payloads, **{"count": len(sections), **header})


NOTHING = "holds keys but has no"
# kind: section, number of the field in it, a value out of range or against the arrays' sizes, what
# the reason names
BAD_FIELDS = {
    "bloom-filter": [("index", 0, 0, "cells"), ("index", 0, 2**56 + 1, "cells"), ("index", 0, 2**56, "cells"),
                     ("index", 1, 0, "probes"), ("index", 1, 1025, "probes"), ("index", 2, 13, "scheme")],
    "banked-bloom-filter": [("index", 0, 0, "cells"), ("index", 0, 2**56 + 1, "cells"), ("index", 0, 2**56, "cells"),
                            ("index", 1, 0, "probes"), ("index", 1, 1025, "probes"), ("index", 1, 1000, "probes"),
                            ("index", 2, 0, "banks"), ("index", 2, 3, "banks"), ("index", 2, 8192, "banks")],
    "split-block-bloom-filter": [("index", 0, 0, "blocks"), ("index", 0, 2**48 + 1, "blocks"),
                                 ("index", 0, 2**48, "cells")],
    "parquet-filter": [("index", 0, 0, "blocks"), ("index", 0, 4194305, "blocks"), ("index", 0, 4194304, "cells")],
    **{kind: [("index", 0, 0, "blocks"), ("index", 0, 2**56, "blocks"), ("index", 0, 1000, "cells"),
              ("index", 1, 0, "probes"), ("index", 1, 17, "probes")]
       for kind in ("blocked-bloom-filter", "two-line-bloom-filter", "multiblock-bloom-filter",
                    "register-bloom-filter", "pattern-bloom-filter")},
    "two-choice-bloom-filter": [("index", 0, 0, "cells"), ("index", 0, 2**56 + 1, "cells"), ("index", 1, 0, "probes"),
                                ("index", 1, 1025, "probes"), ("index", 2, 2, "scheme"), ("index", 4, 1, "groups"),
                                ("index", 4, 9, "groups")],
    "golomb-coded-set": [("golomb", 1, 2**57, "spread"), ("golomb", 2, 65, "remainder_bits"),
                      ("golomb", 1, 0, NOTHING), ("golomb", 3, 0, NOTHING),
                      ("golomb", 7, 0, NOTHING), ("golomb", 3, 1000000, "offsets"), ("golomb", 3, M64, "offsets"),
                      ("golomb", 4, 1000000, "stream"), ("golomb", 4, M64, "stream"), ("golomb", 7, 65, "offset_bits")],
    "hash-list-filter": [("list", 0, 2**50 + 1, "values"), ("list", 0, 1000000, "values"), ("list", 1, 0, "width"),
                         ("list", 1, 65, "width")],
    "hash-compaction-filter": [("table", 0, 0, "slots"), ("table", 0, 2**56 + 1, "slots"), ("table", 0, 2**50, "cells"),
                               ("table", 0, 1000000, "cells"), ("table", 1, 0, "width"), ("table", 1, 65, "width")],
    "quotient-filter": [("runs", 0, 0, "blocks"), ("runs", 0, 2**56 + 1, "blocks"), ("runs", 0, 1000, "cells"),
                        ("runs", 1, 0, "width"), ("runs", 1, 57, "width"), ("runs", 2, 2**40, "used")],
    "vector-quotient-filter": [("vectors", 0, 0, "lines"), ("vectors", 0, 3, "lines"), ("vectors", 0, 2**48, "lines"),
                               ("vectors", 0, 1000, "cells"), ("vectors", 1, 9, "tag_bits"), ("vectors", 1, 0, "tag_bits")],
    "prefix-filter": [("pockets", 0, 0, "pockets"), ("pockets", 0, 2**48 + 1, "pockets"), ("pockets", 0, 1000, "cells"),
                      ("spare", 0, 0, "blocks"), ("spare", 0, 2**48 + 1, "blocks"), ("spare", 0, 1000, "marks")],
    "expandable-filter": [("expandable", 0, 57, "generation"), ("expandable", 0, 40, "generation"),
                          ("expandable", 1, 0, "first_length"), ("expandable", 1, 56, "first_length"),
                          ("expandable", 1, 40, "width"), ("runs", 0, 0, "blocks"), ("runs", 0, 2**56 + 1, "blocks"),
                          ("runs", 1, 0, "width"), ("runs", 1, 57, "width"), ("runs", 2, 2**40, "used")],
    "cuckoo-filter": [("table", 0, 0, "buckets"), ("table", 0, 3, "buckets"), ("table", 0, 1000000, "cells"),
                      ("table", 0, 2**53, "buckets"), ("table", 1, 1, "width"), ("table", 1, 33, "width"),
                      ("table", 2, 3, "slots"), ("table", 2, 0, "slots"),
                      ("table", 3, 2, "sorted"),
                      ("table", 4, 2**40, "victim"), ("table", 5, 2**33, "victim")],
    "adaptive-cuckoo-filter": [("table", 0, 0, "buckets"), ("table", 0, 3, "buckets"), ("table", 0, 2**50, "buckets"),
                               ("table", 0, 1000000, "cells"), ("table", 1, 1, "tag_bits"), ("table", 1, 29, "tag_bits"),
                               ("table", 2, 0, "selector_bits"), ("table", 2, 4, "selector_bits")],
    "telescoping-filter": [("runs", 0, 0, "blocks"), ("runs", 0, 2**56 + 1, "blocks"), ("runs", 0, 1000, "cells"),
                           ("runs", 1, 0, "width"), ("runs", 1, 57, "width"), ("runs", 2, 2**40, "used")],
    "taffy-cuckoo-filter": [("table", 0, 0, "first_buckets"), ("table", 0, 2**54, "first_buckets"),
                            ("table", 0, 1000000, "cells"), ("table", 1, 60, "growths"), ("table", 1, M64, "growths"),
                            ("table", 2, 4, "head_bits"), ("table", 2, 27, "head_bits"), ("table", 3, 2**40, "entries"),
                            ("table", 4, 2, "frozen")],
    "binary-fuse-filter": [("fuse", 1, 0, "width"), ("fuse", 1, 65, "width"), ("fuse", 2, 20, "attempts"),
                    ("fuse", 2, 64, "shard_bits"), ("fuse", 3, 20, "cells"), ("fuse", 3, 33, "length_bits"),
                    ("fuse", 4, 0, NOTHING), ("fuse", 4, 1000000, "cells")],
    "ribbon-filter": [("ribbon", 0, 2**50 + 1, "keys"), ("ribbon", 1, 0, "width"), ("ribbon", 1, 65, "width"),
                      ("ribbon", 2, 7, "preset"), ("ribbon", 3, 2**33, "base_slots"), ("ribbon", 3, 32, "base_slots"),
                      ("ribbon", 3, 64000, ""), ("ribbon", 4, 64, "base_attempt")],
}
BAD_FIELDS["retouched-bloom-filter"] = BAD_FIELDS["bloom-filter"] + [("index", 2, 2, "scheme")]
BAD_FIELDS["generalized-bloom-filter"] = BAD_FIELDS["retouched-bloom-filter"] + [
    ("index", 1, 65, "probes"), ("index", 4, 65, "clears")]
BAD_FIELDS["variable-bloom-filter"] = BAD_FIELDS["retouched-bloom-filter"] + [
    ("index", 4, 0, "marks"), ("index", 4, 11, "marks"), ("index", 5, 0, "needed"), ("index", 5, 11, "needed"),
    ("age", 0, 10**6, "oldest")]
BAD_FIELDS["weighted-bloom-filter"] = BAD_FIELDS["retouched-bloom-filter"] + [
    ("fuse", 1, 21, ""), ("fuse", 1, 65, "width"), ("fuse", 2, 64, "shard_bits")]
BAD_FIELDS["best-of-bloom-filter"] = BAD_FIELDS["bloom-filter"] + [("index", 2, 2, "scheme")]
BAD_FIELDS["selected-bloom-filter"] = BAD_FIELDS["best-of-bloom-filter"] + [
    ("index", 4, 0, "groups"), ("index", 4, 2**50 + 1, "groups"), ("index", 4, 100000, "choices"),
    ("index", 5, 0, "choice_bits"), ("index", 5, 9, "choice_bits")]
BAD_FIELDS["binary-fuse4-filter"] = BAD_FIELDS["binary-fuse-filter"]
BAD_FIELDS["xor-filter"] = [
    ("blocks", 1, 0, "width"), ("blocks", 1, 65, "width"), ("blocks", 2, 20, "attempts"),
    ("blocks", 2, 64, "shard_bits"), ("blocks", 3, 0, NOTHING), ("blocks", 3, 1000000, "cells")]
BAD_FIELDS["sparse-filter"] = [
    ("sparse", 0, 2**50 + 1, "keys"), ("sparse", 0, 1000000, "directory"), ("sparse", 1, 0, "width"),
    ("sparse", 1, 65, "width"), ("sparse", 2, 2, "probes"), ("sparse", 2, 9, "probes")]
for kind in ("binary-fuse", "binary-fuse4", "xor", "sparse"):
    BAD_FIELDS[f"{kind}-map"] = BAD_FIELDS[f"{kind}-filter"] + [("map", 0, 65, "value_bits")]
BAD_FIELDS["exact-cascade-set"] = [("cascade", 0, 2**51 + 1, "members"), ("cascade", 1, 2**51 + 1, "universe"),
                                   ("cascade", 2, 2, "inverted"), ("cascade", 3, 255, "layers")]
BAD_FIELDS["exact-set"] = [("exact", 0, 2**51 + 1, "members"), ("exact", 1, 2**51 + 1, "universe"),
                           ("exact", 1, 0, "")]
BAD_FIELDS["cascade-map"] = [("cascade", 0, 2**50 + 1, "keys"), ("cascade", 0, 10**6, ""),
                             ("cascade", 1, 0, "value_bits"), ("cascade", 1, 5, "value_bits"),
                             ("cascade", 2, 17, "values"), ("cascade", 3, 65, "levels")]
# of the table that may follow any map
BAD_TEXTS = [("texts", 0, 0, "texts"), ("texts", 0, 2**40 + 1, "texts"), ("texts", 0, 1000, "text_ends"),
             ("texts", 1, 2**50 + 1, "text_bytes"), ("texts", 1, 0, "text_ends"), ("texts", 1, 1000, "text_")]
BAD_FIELDS["bloomier-filter"] = [
    ("graph", 1, 0, "width"), ("graph", 1, 65, "width"), ("graph", 2, 20, "attempts"), ("graph", 2, 64, "shard_bits"),
    ("graph", 3, 3, "form"), ("graph", 4, 1, "arity"), ("graph", 4, 9, "arity"), ("graph", 5, 0, "blocks"),
    ("graph", 6, 0, NOTHING), ("graph", 6, 2**20, "cells"), ("graph", 6, 2**32, "block")]
BAD_FIELDS["mutable-bloomier-filter"] = BAD_FIELDS["bloomier-filter"] + [("map", 0, 0, "value_bits"), ("map", 0, 65, "value_bits")]
BAD_FIELDS["meta-map"] = [
    ("meta", 0, 4, "form"), ("meta", 0, M64, "form"), ("meta", 1, 0, "databases"), ("meta", 1, 4097, "databases"),
    ("meta", 2, 65537, "sets")]
BAD_FIELDS["perfect-hash"] = [
    ("perfect", 0, 7, "form"),
    ("piloted", 0, 2**50 + 1, "keys"), ("piloted", 1, 41, "part_bits"), ("piloted", 2, 2**31 + 1, "slots"),
    ("piloted", 3, 2**30 + 1, "buckets"), ("piloted", 4, 2, "skewed")]
BAD_FIELDS["perfect-hash"] += [("leveled", 0, 2**50 + 1, "keys")]
BAD_FIELDS["perfect-hash"] += [
    ("divided", 0, 2**50 + 1, "keys"), ("divided", 1, 41, "part_bits"), ("divided", 2, 0, "buckets"),
    ("divided", 2, 2**50 + 1, "buckets"), ("divided", 3, 2**40, "min_keys"), ("divided", 4, 2**40, "min_bits"),
    ("divided", 5, 2**56 + 1, "bits")]
BAD_FIELDS["perfect-hash"] += [("fuse", 1, 3, ""), ("fuse", 0, 2**50 + 1, "")]
BAD_FIELDS["perfect-hash"] += [
    ("tree", 0, 2**50 + 1, "keys"), ("tree", 1, 2**56 + 1, "cells"), ("tree", 2, 2**55 + 1, "nodes")]
BAD_FIELDS["perfect-hash"] += [("solved", 0, 2**50 + 1, "keys"), ("solved", 1, 8, "redraw")]
BAD_FIELDS["perfect-filter"] = BAD_FIELDS["perfect-hash"] + [("slotted", 0, 0, "width"), ("slotted", 0, 65, "width")]
BAD_FIELDS["indexed-map"] = BAD_FIELDS["perfect-filter"] + [("map", 0, 65, "value_bits")]
BAD_FIELDS["ribbon-map"] = BAD_FIELDS["ribbon-filter"] + [("map", 0, 65, "value_bits"), ("ribbon", 2, 5, ""),
                                                          ("ribbon", 2, 6, "")]
BAD_FIELDS["matrix-filter"] = [
    ("matrix", 0, 4, "form"), ("grouped", 0, 2**50 + 1, "keys"), ("grouped", 0, 10**6, "directory"),
    ("grouped", 1, 0, "width"), ("grouped", 1, 65, "width"), ("grouped", 2, 100, "group"), ("grouped", 3, 65, "spare"),
    ("grouped", 4, 0, "levels"), ("grouped", 4, 3, "levels"), ("grouped", 5, 2, "source"),
    ("grouped", 7, 8, "redraw"),
    ("system", 0, 65537, "keys"), ("system", 1, 0, "width"), ("system", 1, 65, "width"), ("system", 2, 16, "probes"),
    ("system", 3, 65, "spare"), ("system", 4, 65536, "seed")]
BAD_FIELDS["matrix-map"] = BAD_FIELDS["matrix-filter"] + [("map", 0, 65, "value_bits")]
BAD_FIELDS["coded-map"] = [
    ("coded", 0, 2**50 + 1, "keys"), ("coded", 1, 0, "value_bits"), ("coded", 1, 65, "value_bits"),
    ("coded", 2, 5, "form"), ("coded", 3, 64, "check_bits"), ("coded", 4, 9, "filter_bits"),
    ("coded", 5, M64, "dominant"), ("coded", 6, 34, "escape")]
BAD_FIELDS["scalable-bloom-filter"] = [
    ("series", 0, 0, "first"), ("series", 0, 2**50 + 1, "first"), ("series", 1, 0, "fpr"), ("series", 1, M64, "fpr"),
    ("series", 2, 1, "growth"), ("series", 2, 17, "growth"), ("series", 3, 0, "tightening"),
    ("stage", 0, 1000, "number"), ("stage", 0, M64, "number"), ("stage", 1, 2**40, "keys"), ("index", 0, 0, "cells"),
    ("index", 1, 0, "probes"), ("index", 1, 1025, "probes"), ("index", 2, 7, "salt")]
BAD_FIELDS["taffy-block-filter"] = [
    ("series", 0, 0, "first"), ("series", 0, 2**50 + 1, "first"), ("series", 1, 0, "fpr"), ("series", 1, M64, "fpr"),
    ("stage", 0, 1000, "number"), ("stage", 0, M64, "number"), ("stage", 1, 2**40, "keys"), ("index", 0, 0, "blocks"),
    ("index", 0, 2**48 + 1, "blocks")]
BAD_FIELDS["deletable-bloom-filter"] = [
    ("index", 0, 0, "cells"), ("index", 0, 2**56 + 1, "cells"), ("index", 1, 0, "probes"), ("index", 1, 1025, "probes"),
    ("index", 2, 2, "scheme"), ("index", 3, 0, "salt"), ("regions", 0, 0, "regions"), ("regions", 0, 2**56, "regions")]
BAD_FIELDS["dynamic-bloom-filter"] = [
    ("index", 0, 0, "cells"), ("index", 0, 2**56 + 1, "cells"), ("index", 1, 0, "probes"), ("index", 1, 1025, "probes"),
    ("index", 2, 2, "scheme"), ("index", 3, 0, "salt"), ("room", 0, 0, "room"), ("room", 0, 2**50 + 1, "room"),
    ("row", 0, 10**6, "keys")]
BAD_FIELDS["removable-bloom-filter"] = BAD_FIELDS["deletable-bloom-filter"][:6]
BAD_FIELDS["aging-bloom-filter"] = BAD_FIELDS["removable-bloom-filter"] + [
    ("window", 0, 2, "form"), ("window", 1, 1, "room"), ("window", 1, 2**60, "room"), ("window", 2, 10**6, "keys"),
    ("window", 3, 10**6, "others"), ("first_lines", 0, 2, "fresh"), ("first_lines", 1, 10**6, "next"),
    ("second_lines", 0, 2, "fresh"), ("second_lines", 1, 10**6, "next")]
BAD_FIELDS["split-bloom-filter"] = [
    ("index", 0, 0, "cells"), ("index", 0, 2**56 + 1, "cells"), ("index", 0, 2**56, "cells"), ("index", 1, 0, "probes"),
    ("index", 1, 1025, "probes"), ("index", 2, 2, "scheme"), ("index", 3, 1, "salt"), ("index", 4, 0, "rows"),
    ("index", 4, 4097, "rows"), ("index", 5, 2, "form"), ("split", 0, 0, "room"), ("split", 0, 2**50 + 1, "room"),
    ("split", 1, 2**60, "keys")]
# scheme of a bloom-filter: number of the field in index, value, what the reason names
BAD_UNDER_SCHEME = {
    **{scheme: [(0, 1, "with cells")] for scheme in (2, 3, 4, 5)},
    6: [(1, 7, "scheme 6")],
    8: [(0, 2**32 + 1, "with cells"), (1, 3, "scheme 8"), (3, 1, "with salt")],
    9: [(0, 2**48 + 1, "with cells")],
    10: [(0, 511, "scheme 10"), (0, 3 * 2**9, "scheme 10")],
    11: [(0, 1, "with cells"), (0, 2**31 + 1, "with cells"), (3, 1, "with salt")],
    0: [(2, 8, "scheme 8"), (2, 11, "under hash")],
}


def opened_scheme(kind, sections):
    """The scheme of a bloom-filter; None for the other kinds."""
    return struct.unpack_from("<Q", sections[0][3], 16)[0] if kind == "bloom-filter" else None


# sections whose first field, keys, says whether the arrays are there
WHOLE_BLOCKS = {"blocked-bloom-filter", "multiblock-bloom-filter", "parquet-filter", "pattern-bloom-filter",
                "register-bloom-filter", "split-block-bloom-filter", "taffy-block-filter", "two-line-bloom-filter"}
SIZED = {"golomb", "fuse", "blocks", "list", "graph", "sparse", "ribbon", "piloted", "leveled", "coded",
         "grouped", "system"}


def check_forgeries(tally, golden, data):
    """Files with right checksums that are wrong otherwise."""
    key = secret_of(golden)
    envelope = Envelope(data)
    sections = [(s.name.encode(), s.type, s.count, s.payload) for s in envelope.sections]
    keyless = key is None

    def forged(what, because, *args, **more):
        return refused(what, written(data, *(args or (sections,)), **more), key, because)

    def checks():
        yield written(data, sections) == data, "the one encoding of its sections is the file"

        # header
        for what, because, header in [
            ("magic", "not an umbel file", {"magic": b"\x89umbel\n\r"}),
            ("version 0", "format version", {"version": 0}),
            ("version 2", "format version", {"version": 2}),
            ("byte order", "byte order", {"order": 0x04030201}),
            ("no kind", "not a name", {"kind": bytes(32)}),
            ("a kind without end", "not a name", {"kind": b"k" * 32}),
            ("a capital in the kind", "not a name", {"kind": b"Bloom-filter"}),
            ("bytes behind the kind's end", "not a name", {"kind": golden["kind"].encode() + b"\0x"}),
            ("unknown kind", "unknown kind", {"kind": b"blossom-filter", "kind_version": 1}),
            ("kind version 0", "version", {"kind_version": 0}),
            ("kind version 3", "version", {"kind_version": 3}),
            ("hash 0", "hash", {"hash": 0}),
            ("hash 7", "hash", {"hash": 7}),
            ("reserved", "reserved", {"reserved": bytes(7) + b"\1"}),
            ("key type 5", "key recipe", {"recipe": b"\5" + bytes(19)}),
            ("flags of unknown keys", "key recipe", {"recipe": b"\0\1" + bytes(18)}),
            ("an unknown key flag", "key recipe", {"recipe": b"\1\10" + bytes(18)}),
            ("trimmed integers", "key recipe", {"recipe": b"\2\2" + bytes(18)}),
            ("a tuple of one column", "key recipe", {"recipe": b"\3\0\1\0\1" + bytes(15)}),
            ("columns of no tuple", "key recipe", {"recipe": b"\1\0\2\0\1\1" + bytes(14)}),
            ("a tuple with a column too many", "key recipe", {"recipe": b"\3\0\2\0\1\1\1" + bytes(13)}),
            ("a smaller size", "file of", {"size": len(data) - 64}),
            ("a larger size", "file of", {"size": len(data) + 64}),
            ("no sections", "0 sections", {"count": 0}),
            ("too many sections", "sections", {"count": 65537}),
            ("another table checksum", "table checksum", {"table_sum": 1}),
            ("more sections than the file has room for", "cut", {"count": 8192}),
        ]:
            yield forged(what, because, **header)
        if envelope.hash != reader.XXH3:
            yield forged("a seed without xxh3", "seed", seed=1)
        if envelope.hash != reader.SIPHASH:
            yield forged("a key check without siphash", "key check", key_check=1)
        if opened_scheme(golden["kind"], sections) in (8, 11):
            for hash in {reader.XXH3, reader.PARQUET, reader.MD5, reader.CRC} - {envelope.hash}:
                yield forged(f"hash {hash}", "under hash", hash=hash)
        if golden["kind"] == "parquet-filter":
            yield forged("another hash than parquet", "under hash", hash=reader.XXH3)

        # secret key
        if keyless:
            yield refused("a secret key for a file without", data, bytes(16), "no secret key")
        else:
            yield refused("no secret key", data, None, "key is needed")
            yield refused("another secret key", data, bytes(16), "another secret key")
            yield refused("a short secret key", data, key[:15], "16 bytes")
            yield forged("another key check", "another secret key", key_check=envelope.key_check ^ 1)

        # table
        last = len(sections) - 1
        for i, section in enumerate(sections):
            def changed(place, value):
                def change(entries):
                    entries[i][place] = value(entries[i][place]) if callable(value) else value
                return change

            name = section[0].decode()
            if section[1] == LIST:
                for what, because, place, value in [
                    ("another name", "should be", 0, section[0] + b"s"), ("a list of fields", "", 1, FIELDS),
                    ("an item more", "", 2, section[2] + 1), ("an offset", "list", 3, 64),
                    ("many items", "too few" if section[2] else "", 2, 2**32 - 1),
                    ("a length", "list", 4, 8), ("a checksum", "list", 5, 1), ("reserved", "reserved", 6, 1),
                ]:
                    yield forged(f"section {name}: {what}", because, sections, changed(place, value))
                yield forged(f"section {name}: missing", "", sections[:i] + sections[i + 1:])
                continue
            for what, because, place, value in [
                ("another name", {"texts": "additional", "used": ""}.get(name, "should be"), 0, section[0] + b"s"),
                ("no name", "not a name", 0, b""),
                ("a name without end", "not a name", 0, b"n" * 24),
                ("bytes behind the name's end", "not a name", 0, section[0] + b"\0x"),
                ("type 0", "type", 1, 0),
                ("type 4", "type", 1, 4),
                ("a list with a payload", "list", 1, LIST),
                ("the other type", "", 1, FIELDS if section[1] == ARRAY else ARRAY),
                ("count 0", "", 2, 0),
                ("count + 1", "", 2, section[2] + 1),
                ("count 9", "bytes for" if section[1] == FIELDS else "words of", 2, 9),
                ("offset + 64", "instead of", 3, lambda offset: offset + 64),
                ("offset - 64", "instead of", 3, lambda offset: offset - 64),
                ("offset 0", "instead of", 3, 0),
                ("length + 1", "", 4, lambda length: length + 1),
                ("length + 8", "", 4, lambda length: length + 8),
                ("huge length", "passes the end", 4, 2**64 - 64),
                ("another checksum", "checksum", 5, lambda checksum: checksum ^ 1),
                ("checksum 0", "checksum", 5, 0),
                ("reserved", "reserved", 6, 1 << 63),
            ]:
                yield forged(f"section {name}: {what}", because, sections, changed(place, value))
            yield forged(f"section {name}: missing", "", sections[:i] + sections[i + 1:])
            yield forged(f"section {name}: twice", "", sections[:i + 1] + sections[i:])
            yield forged(f"section {name}: a word more", "",
                         sections[:i] + [(*section[:3], section[3] + bytes(8))] + sections[i + 1:])
            if section[3] and name not in ("exceptions", "seeds"):  # as many as there are: one less is another ribbon
                yield forged(f"section {name}: a word less", "",
                             sections[:i] + [(*section[:3], section[3][:-8])] + sections[i + 1:])
        yield forged("sections in another order", "should be", sections[::-1])
        yield forged("an additional section", "additional", sections + [(b"more", FIELDS, 1, bytes(8))])
        yield forged("an additional list", "additional", sections + [(b"more", LIST, 0, b"")])
        yield forged("a gap before the last section", "" if sections[-1][1] == LIST else "instead of", sections, gap=64)

        # fields and arrays
        def with_payload(i, payload):
            return sections[:i] + [(*sections[i][:3], payload)] + sections[i + 1:]

        def with_word(i, at, value):
            payload = sections[i][3]
            return with_payload(i, payload[:8 * at] + struct.pack("<Q", value) + payload[8 * at + 8:])

        at = {section[0].decode(): i for i, section in enumerate(sections)}
        keys_section = next((i for i, section in enumerate(sections) if section[0].decode() in SIZED), None)
        empty = keys_section is not None and not struct.unpack_from("<Q", sections[keys_section][3])[0]
        for name, field, value, because in BAD_FIELDS[golden["kind"]] + (BAD_TEXTS if "texts" in at else []):
            if name not in at:
                continue  # this file has another form
            if empty and (because in at or because == NOTHING):
                continue  # the arrays of an empty structure are empty whatever these fields say
            yield forged(f"field {field} of {name} is {value}", because, with_word(at[name], field, value))
        for field, value, because in BAD_UNDER_SCHEME.get(opened_scheme(golden["kind"], sections), []):
            yield forged(f"field {field} of index is {value}", because, with_word(at["index"], field, value))
        if keys_section is not None:
            yield forged("keys and no arrays" if empty else "arrays and no keys", "instead of",
                         with_word(keys_section, 0, 1 if empty else 0))
        if "grouped" in at and not struct.unpack_from("<Q", sections[at["grouped"]][3], 40)[0]:
            yield forged("a draw without a source that draws", "draw", with_word(at["grouped"], 6, 1))
        if sections[at.get("head", 0)][3] and "head" in at:
            head, second = sections[at["head"]][3], sections[at["second"]][3]
            for what, name, payload in [
                ("a head that ends early", "head", head[:-1]),
                ("a head that goes on", "head", head + bytes(1)),
                ("a number of more bytes than it needs", "head", bytes([head[0] | 128, 0]) + head[1:]
                 if head[0] < 128 else bytes([head[0], head[1] | 128, 0]) + head[2:]),
                ("no universe", "head", bytes([0]) + head[1:]),
                ("a byte too many", "second", second + bytes(1)),
            ]:
                yield forged(what, "", with_payload(at[name], payload))
        elif golden["kind"] == "exact-set":
            ids, ways = sections[at["ids"]][3], sections[at["ways"]][3]
            many = len(ways) > 1
            for what, because, name, payload in [
                ("a way to a ribbon that is not there", "", "ways", bytes([ways[0] | 63, *ways[1:]])),
                ("a constant block with a stage", "", "ways", bytes([129, *ways[1:]])),
                ("ids that fall", "rise", "ids", ids[::-1]) if many else ("no ids", "", "ids", b""),
                ("one id twice", "rise", "ids", ids[:8] + ids[:-8]) if many else ("no ways", "", "ways", b""),
            ]:
                yield forged(what, because, with_payload(at[name], payload))
        if golden["kind"] == "bloomier-filter":
            width = struct.unpack_from("<Q", sections[at["graph"]][3], 8)[0]
            if width < 64:
                yield forged("values wider than the cells", "wider", with_word(at["map"], 0, 1 << width))
        if golden["kind"] in ("binary-fuse-map", "binary-fuse4-map", "xor-map", "ribbon-map"):
            width = struct.unpack_from("<Q", sections[at[next(name for name in ("blocks", "ribbon", "fuse") if name in at)]][3], 8)[0]
            if width < 64:
                yield forged("values wider than the cells", "wider", with_word(at["map"], 0, width + 1))
        if empty:
            return
        if "attempts" in at:
            attempts = sections[at["attempts"]][3]
            yield forged("attempt 100", "attempt", with_payload(at["attempts"], attempts[:-1] + b"\x64"))
        if "text_ends" in at:
            ends = sections[at["text_ends"]][3]
            yield forged("texts that end before they begin", "the texts end",
                         with_payload(at["text_ends"], b"\x3f" + ends[1:]))
        padded = {"cells", "low", "offsets", "stream", "text_ends", "values", "rows", "sets", "thresholds"} & set(at)
        if {"thresholds", "vectors", "pockets"} & set(at):
            padded.discard("cells")  # ribbons, lines of tags and pockets use every bit of them
        if golden["kind"] in ("best-of-bloom-filter", "bloom-filter", "retouched-bloom-filter",
                              "weighted-bloom-filter"):
            if struct.unpack_from("<Q", sections[at["index"]][3], 0)[0] % 64 == 0:
                padded.discard("cells")  # whole words
        if golden["kind"] in WHOLE_BLOCKS:
            padded.discard("cells")
        for name in sorted(padded):
            if sections[at[name]][2] == 8 and sections[at[name]][3] and sections[at[name]][3][-1] < 0x80:
                yield forged(f"the last bit of {name} is not zero", "unused",
                             with_payload(at[name], sections[at[name]][3][:-1] + b"\x80"))

    tally.group(f"{golden['file']}, forged", checks())


MESSAGES = GOLDEN.parent.parent / "fuzz" / "corpus" / "coded_bits"


def check_messages(tally):
    """Compressed files come out whole, and cut or changed ones not at all. Each holds the numbers 0 to 19, or nothing."""
    def checks(name):
        message = (MESSAGES / name).read_bytes()
        opened = open_bytes(reader.read_variants.unpacked(message))
        for i in range(20):
            yield opened.may_contain(i) == (name != "empty_message"), f"number {i}"
        for at in range(len(message)):
            for damaged in (message[:at], message[:at] + bytes([message[at] ^ 1 << at % 8]) + message[at + 1:]):
                try:
                    open_bytes(reader.read_variants.unpacked(damaged))
                    yield False, f"taken, with {len(damaged)} bytes and byte {at} changed"
                except Refused:
                    yield True, ""
        yield True, ""

    for name in ("range_message", "rice_message", "raw_message", "empty_message"):
        tally.group(f"{name}, compressed", checks(name))


def main():
    tally = Tally()
    check_hashes(tally)
    answers = json.loads((GOLDEN / "answers.json").read_text(encoding="utf-8"))
    goldens = answers["files"]
    listed = {golden["file"] for golden in goldens}
    stored = {path.name for path in GOLDEN.glob("*.umbel")}
    tally.group("test/golden/answers.json lists the stored files, and only those",
                [(listed == stored, f"not in both: {sorted(listed ^ stored)}")])
    tally.group("every kind of doc/format.md has a golden file",
                ((any(golden["kind"] == kind for golden in goldens), kind) for kind in reader.KINDS))
    check_messages(tally)
    kinds = set()
    for golden in goldens:
        if golden["file"] not in stored:
            continue
        every = 7 if golden["kind"] in kinds else 1
        kinds.add(golden["kind"])
        data = (GOLDEN / golden["file"]).read_bytes()
        check_answers(tally, golden, data)
        try:
            check_damage(tally, golden, data, every)
            check_forgeries(tally, golden, data)
        except Refused as why:
            tally.group(f"{golden['file']}, damage", [(False, f"the file itself was refused: {why}")])
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
