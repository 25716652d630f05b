#!/usr/bin/env python3
"""check_absences.py - only the README's Limits may say that umbel lacks something, and no page may
say that one kind is the only or the smallest one.

"No structure here does this" is true when it is written and false once such a structure is added,
and no test would notice. So documents and comments do not say it. README.md lists what is missing
under Limits, and `umbel plan` finds the smallest kind.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = ["include/**/*.hpp", "include/**/*.ipp", "cli/**/*.[ch]pp", "src/**/*.cpp", "example/*.cpp",
          "doc/**/*.md", "README.md"]
GAP = r"(?:\s|//)+"  # a claim may continue in the next line of a comment
CLAIM = re.compile("|".join(words.replace(" ", GAP) for words in [
    r"\bno (?:structure|kind)s? here\b", r"\b(?:in|of) this library yet\b", r"\bnot built yet\b",
    r"\blibrary has no\b", r"\bno other (?:structure|kind|filter|map)s? here\b",
    r"\bthe only (?:one|structure|kind|filter|set|map)s? (?:here|of ours)\b",
    r"\bthe smallest (?:one|structure|kind|filter|set|map)s? (?:here|there is|that grow)"]), re.IGNORECASE)


def main():
    errors = []
    for path in sorted(path for place in PLACES for path in ROOT.glob(place)):
        text = path.read_text()
        limits = re.search(r"^## Limits\n.*?(?=^## )", text, re.MULTILINE | re.DOTALL) if path.name == "README.md" else None
        for claim in CLAIM.finditer(text):
            if limits and limits.start() <= claim.start() < limits.end():
                continue
            line = text.count("\n", 0, claim.start()) + 1
            errors.append(f"{path.relative_to(ROOT)}:{line}: \"{claim[0]}\": say it in README.md under Limits, or leave it out")
    sys.exit("\n".join(errors) or None)


main()
