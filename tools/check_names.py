#!/usr/bin/env python3
"""check_names.py - every C++ file begins with a comment that names the file and says what it is for:

    // bloom_filter.hpp - ...      or with part of its path:      // set/bloom_filter.hpp - ...

The licence line (tools/check_licence.py) may come before it.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["include", "src", "cli", "redis", "plugins", "test", "fuzz", "bench", "example"]


def main():
    errors = []
    for folder in FOLDERS:
        for path in sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in (".hpp", ".ipp", ".cpp")):
            name = path.relative_to(ROOT).as_posix()
            opening = re.match(r"(?:// SPDX-.*\n)?// (\S+) - \S", path.read_text())
            if not opening or not f"/{name}".endswith(f"/{opening[1]}"):
                errors.append(f"{name}:1: should open with `// {path.name} - what it is for`")
    sys.exit("\n".join(errors) or None)


main()
