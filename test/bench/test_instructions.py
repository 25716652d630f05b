"""test_instructions.py - instructions per single query, of every kind, by callgrind.

Times differ from run to run on a machine that others use; instructions do not. A kind whose single
hit or miss takes more than 5 % more instructions than recorded fails. Fewer are welcome: record them.

    python3 test/bench/test_instructions.py --record     builds what is counted, by g++ and by clang,
                                                         counts, and writes bench/instructions.json,
                                                         the table of doc/guide/instructions.md and
                                                         the figures of doc/gaps.md
    python3 test/bench/test_instructions.py --table      prints that table

Counted with the caller's loop, 64-bit integer keys, headers alone at -O2. The counts are those of the
compiler that made UMBEL_BUILD_DIR (build, unless told): `make test` has g++'s, the preset clang its own.
"""
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("UMBEL_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("UMBEL_BUILD_DIR", SOURCE / "build")).resolve()
RECORD = SOURCE / "bench" / "instructions.json"
PAGE = SOURCE / "doc" / "guide" / "instructions.md"
GAPS = SOURCE / "doc" / "gaps.md"
BEGIN, END = "<!-- counts -->\n", "<!-- /counts -->\n"
COMPILERS = ["g++", "clang++"]
ASKED = 1000       # queries of each sort, as bench/instructions/keys.hpp has it
TOLERANCE = 0.05

# What a single hit may take, by g++; by clang a fifth more, and of other kinds a fifth more than by g++.
# Bars are not moved: what is above its bar is a known gap, named here, and in doc/gaps.md with its count.
BARS = {
    "binary-fuse-filter": 45, "binary-fuse-filter, 12-bit tags": 76, "binary-fuse-filter, 16-bit tags": 76,
    "binary-fuse4-filter": 52, "xor-filter": 47, "split-block-bloom-filter": 38, "blocked-bloom-filter": 60,
    "two-line-bloom-filter": 60, "bloom-filter": 115, "cuckoo-filter, 12-bit tags": 60,
    "cuckoo-filter, 13-bit tags": 80, "vector-quotient-filter": 90, "prefix-filter": 70, "ribbon-filter": 120,
    "perfect-hash": 55,
    # A map's cells hold value and check: 16 bits are wide cells, as those of a filter with 16-bit tags.
    "binary-fuse-map, no check": 55, "binary-fuse-map": 76,
}
CLANG_MORE = 1.2
KNOWN_GAPS = {
    "g++": {"binary-fuse-map"},
    "clang++": {
        "banked-bloom-filter", "binary-fuse-map", "bloomier-filter", "cascade-map", "deletable-bloom-filter", "dynamic-bloom-filter",
        "exact-cascade-set", "expandable-filter", "parquet-filter", "quotient-filter", "removable-bloom-filter",
        "selected-bloom-filter", "telescoping-filter", "two-choice-bloom-filter", "vector-quotient-filter",
        "weighted-bloom-filter",
    },
}


def recorded():
    return json.loads(RECORD.read_text())


def bars(compiler):
    if compiler == "g++":
        return BARS
    return {label: round(CLANG_MORE * BARS.get(label, of["hit"]), 1) for label, of in recorded()["g++"].items()}


def over_bars(counts, compiler):
    # to a tenth: what comes before the loop is no part of a query
    return {label for label, most in bars(compiler).items() if round(counts[label]["hit"], 1) > most}


def gap_line(label, compiler):
    """How a row of doc/gaps.md begins: what, bar, measured."""
    return (f"| a single hit of `{label}`, instructions, by {compiler} | {bars(compiler)[label]:g} | "
            f"{recorded()[compiler][label]['hit']:g}")


def measured(files, counter):
    """The compiler, and {label: {"hit": instructions, "miss": instructions}}, of the structures in `files`."""
    with tempfile.TemporaryDirectory() as folder:
        # valgrind's processor has AVX2 and no AVX-512, whatever this one has.
        settings = {name: value for name, value in os.environ.items() if name != "UMBEL_KERNELS"}
        done = subprocess.run(["valgrind", "--tool=callgrind", "--collect-atstart=no", "--quiet",
                               f"--callgrind-out-file={folder}/counts", counter, files],
                              check=True, stdout=subprocess.PIPE, env=settings)
        out = {}
        for path in pathlib.Path(folder).glob("counts.*"):
            text = path.read_text()
            label = re.search(r"^desc: Trigger: Client Request: (.*)\.(hit|miss)$", text, re.MULTILINE)
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
            if label and total:
                out.setdefault(label[1], {})[label[2]] = int(total[1]) / ASKED
    return done.stdout.decode().strip(), dict(sorted(out.items()))


def counts_by(*counters):
    with tempfile.TemporaryDirectory() as files:
        subprocess.run([BUILD / "bench" / "instructions_write", files], check=True)
        return dict(measured(files, counter) for counter in counters)


def table():
    counts = recorded()
    out = ["| kind | hit | miss | hit, clang | miss, clang |", "|---|---:|---:|---:|---:|"]
    for label in counts["g++"]:
        cells = [f"{counts[compiler][label][sort]:.0f}" for compiler in COMPILERS for sort in ("hit", "miss")]
        out.append("| " + " | ".join([label, *cells]) + " |")
    return "\n".join(out) + "\n"


def parts_of_page():
    before, begin, rest = PAGE.read_text().partition(BEGIN)
    inside, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE}: expected the lines {BEGIN.strip()} and {END.strip()}")
    return before, inside, after


class Instructions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        processor = pathlib.Path("/proc/cpuinfo")
        if platform.machine() != "x86_64" or not processor.exists() or "avx2" not in processor.read_text():
            raise unittest.SkipTest("the recorded counts are those of x86-64 with AVX2")
        (cls.compiler, cls.now), = counts_by(BUILD / "bench" / "instructions_count").items()

    def test_no_single_query_takes_more_instructions_than_recorded(self):
        then = recorded()[self.compiler]
        self.assertEqual(sorted(then), sorted(self.now), "every kind has a record: run this file with --record")
        grown = [f"{label}, {sort}: {count:.1f}, recorded {then[label][sort]}"
                 for label, counts in self.now.items() for sort, count in counts.items()
                 if count > then[label][sort] * (1 + TOLERANCE)]
        self.assertEqual(grown, [])

    def test_single_hits_keep_to_their_bars(self):
        self.assertEqual(sorted(over_bars(self.now, self.compiler)), sorted(KNOWN_GAPS[self.compiler]),
                         "those above their bars are the known gaps, and no others")


class Records(unittest.TestCase):
    def test_known_gaps_are_told_with_their_figures(self):
        told = GAPS.read_text()
        for compiler in COMPILERS:
            self.assertEqual(sorted(over_bars(recorded()[compiler], compiler)), sorted(KNOWN_GAPS[compiler]))
            for label in KNOWN_GAPS[compiler]:
                self.assertIn("\n" + gap_line(label, compiler), told, "run this file with --record")

    def test_the_guide_has_the_recorded_counts(self):
        self.assertEqual(parts_of_page()[1], table(), "run this file with --record")


def record():
    """Counts the build in BUILD, and beside it one of what is counted by the other compiler."""
    def built(folder, *targets):
        subprocess.run(["cmake", "--build", folder, "--target", *targets, "--", "--quiet"], check=True)
        return folder / "bench" / "instructions_count"
    own = built(BUILD, "instructions_count", "instructions_write")
    cache = (BUILD / "CMakeCache.txt").read_text()
    other = "g++" if re.search(r"^CMAKE_CXX_COMPILER:.*clang", cache, re.MULTILINE) else "clang++"
    beside = BUILD / "counted-by-other"
    subprocess.run(["cmake", "-S", SOURCE, "-B", beside, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={other}",
                    "--log-level=WARNING"], check=True, stdout=subprocess.DEVNULL)
    write_record(counts_by(own, built(beside, "instructions_count")))


def write_record(counts):
    RECORD.write_text(json.dumps({compiler: {label: {sort: round(count, 1) for sort, count in of.items()}
                                             for label, of in counts[compiler].items()}
                                  for compiler in COMPILERS}, indent=1) + "\n")
    before, _, after = parts_of_page()
    PAGE.write_text(before + BEGIN + table() + END + after)
    gaps = GAPS.read_text()
    for compiler in COMPILERS:  # the figures of gaps that are told; a gap that comes or goes is for people to write
        for label in recorded()[compiler]:
            if label in bars(compiler):
                told = re.escape(f"| a single hit of `{label}`, instructions, by {compiler} | ") + r"[\d.]+ \| [\d.]+"
                gaps = re.sub(told, gap_line(label, compiler), gaps)
        over = over_bars(recorded()[compiler], compiler)
        for label in sorted(over - KNOWN_GAPS[compiler]):
            print(f"A new gap, for KNOWN_GAPS and doc/gaps.md:\n{gap_line(label, compiler)} |")
        for label in sorted(KNOWN_GAPS[compiler] - over):
            print(f"No gap any more: {label}, by {compiler}")
    GAPS.write_text(gaps)


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        record()
    elif sys.argv[1:] == ["--table"]:
        print(table(), end="")
    else:
        unittest.main()
