"""test_instructions.py - instructions per single query, of every kind, against bench/instructions.json.

Times differ from run to run on a machine that others use; instructions do not. A kind whose single
hit or miss takes more than 5 % more instructions than recorded fails. Fewer are welcome: record them.

    python3 test/bench/test_instructions.py --record     measures and writes bench/instructions.json
    python3 test/bench/test_instructions.py --table      prints the recorded counts as a table

Counted by callgrind, with the caller's loop, 64-bit integer keys, g++ -O2.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("UMBEL_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("UMBEL_BUILD_DIR", SOURCE / "build"))
RECORD = SOURCE / "bench" / "instructions.json"
ASKED = 1000       # queries of each sort, as bench/instructions/main.cpp has it
TOLERANCE = 0.05
SLACK = 1          # an instruction of the caller's loop, where a query has few


def measured():
    """{label: {"hit": instructions, "miss": instructions}}"""
    program = BUILD / "bench" / "instructions"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "write", folder], check=True)
        subprocess.run(["valgrind", "--tool=callgrind", "--collect-atstart=no", "--quiet",
                        f"--callgrind-out-file={folder}/counts", program, "count", folder],
                       check=True, stdout=subprocess.DEVNULL)
        out = {}
        for path in pathlib.Path(folder).glob("counts.*"):
            text = path.read_text()
            label = re.search(r"^desc: Trigger: Client Request: (.*)\.(hit|miss)$", text, re.MULTILINE)
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
            if label and total:
                out.setdefault(label[1], {})[label[2]] = int(total[1]) / ASKED
    return dict(sorted(out.items()))


class Instructions(unittest.TestCase):
    def test_no_single_query_takes_more_instructions_than_recorded(self):
        recorded = json.loads(RECORD.read_text())
        now = measured()
        self.assertEqual(sorted(recorded), sorted(now), "every kind has a record: run this file with --record")
        grown = [f"{label}, {sort}: {count:.1f}, recorded {recorded[label][sort]}"
                 for label, counts in now.items() for sort, count in counts.items()
                 if count > recorded[label][sort] * (1 + TOLERANCE) + SLACK]
        self.assertEqual(grown, [])


def table():
    print("| kind | hit | miss |\n|---|---:|---:|")
    for label, counts in json.loads(RECORD.read_text()).items():
        print(f"| {label} | {counts['hit']:.0f} | {counts['miss']:.0f} |")


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        RECORD.write_text(json.dumps({label: {sort: round(count, 1) for sort, count in counts.items()}
                                      for label, counts in measured().items()}, indent=1) + "\n")
    elif sys.argv[1:] == ["--table"]:
        table()
    else:
        unittest.main()
