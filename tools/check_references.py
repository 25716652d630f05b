#!/usr/bin/env python3
"""check_references.py - every [Key] that a header or a document cites is in doc/references.bib, once.

A key is letters and two digits of a year, [BM04] or [BM04, sec. 2.1]; several keys may share
brackets, [GL22, Wal21].
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = ["include/**/*.hpp", "include/**/*.ipp", "bench/**/*.cpp", "doc/**/*.md", "README.md"]
BRACKETS = re.compile(r"\[([A-Z][A-Za-z]*[0-9]{2}\b[^\]\n]*)\]")
KEY = re.compile(r"\b[A-Z][A-Za-z]*[0-9]{2}\b")


def main():
    entries = re.findall(r"^@\w+\{([^,\s]+),", (ROOT / "doc/references.bib").read_text(), re.MULTILINE)
    errors = [f"doc/references.bib: {key} is there twice" for key in sorted(set(entries)) if entries.count(key) > 1]
    for path in sorted(path for place in PLACES for path in ROOT.glob(place)):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for key in (key for cited in BRACKETS.findall(line) for key in KEY.findall(cited)):
                if key not in entries:
                    errors.append(f"{path.relative_to(ROOT)}:{number}: [{key}] is not in doc/references.bib")
    sys.exit("\n".join(errors) or None)


main()
