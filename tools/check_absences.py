#!/usr/bin/env python3
"""check_absences.py - only the README's Limits say that umbel lacks something.

"No structure here does this" is true when it is written and false once somebody adds one, and no test
would tell. So documents and comments do not say it; README.md does, in one place, under Limits.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = ["include/**/*.hpp", "include/**/*.ipp", "cli/**/*.[ch]pp", "src/**/*.cpp", "example/*.cpp",
          "doc/**/*.md", "README.md"]
GAP = r"(?:\s|//)+"  # a claim may go on in the next line of a comment
CLAIM = re.compile("|".join(words.replace(" ", GAP) for words in [
    r"\bno (?:structure|kind)s? here\b", r"\b(?:in|of) this library yet\b", r"\bnot built yet\b",
    r"\blibrary has no\b"]), re.IGNORECASE)


def main():
    errors = []
    for path in sorted(path for place in PLACES for path in ROOT.glob(place)):
        text = path.read_text()
        limits = re.search(r"^## Limits\n.*?(?=^## )", text, re.MULTILINE | re.DOTALL) if path.name == "README.md" else None
        for claim in CLAIM.finditer(text):
            if limits and limits.start() <= claim.start() < limits.end():
                continue
            line = text.count("\n", 0, claim.start()) + 1
            errors.append(f"{path.relative_to(ROOT)}:{line}: \"{claim[0]}\": README.md says under Limits what is missing")
    sys.exit("\n".join(errors) or None)


main()
