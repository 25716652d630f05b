#!/usr/bin/env python3
"""check_licence.py - every source file names its licence in its first or second line:

    // SPDX-License-Identifier: Apache-2.0       or the same in the comments of another language

check_licence.py --apply adds the line where it is missing: first, or after lines that must be
first.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINE = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {  # by the end of the file name
    (".hpp", ".ipp", ".cpp", ".cpp.in", ".js"): "// {}",
    (".py", ".sh", ".cmake", ".cmake.in", ".pc.in", "CMakeLists.txt", "Makefile", ".ci/run"): "# {}",
    (".css",): "/* {} */",
    (".html",): "<!-- {} -->",
}
MUST_BE_FIRST = re.compile(r"#!|<!doctype", re.IGNORECASE)


def comment_for(name):
    return next((comment for ends, comment in COMMENTS.items() if name.endswith(ends)), None)


def main():
    errors = []
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in listed.stdout.split("\0"):
        comment = comment_for(name)
        path = ROOT / name
        if not comment or name.startswith(("fuzz/corpus/", "test/golden/")) or not path.is_file():
            continue
        wanted = comment.format(LINE)
        lines = path.read_text().split("\n")
        if wanted in lines[:2]:
            continue
        if sys.argv[1:] == ["--apply"]:
            lines.insert(1 if MUST_BE_FIRST.match(lines[0]) else 0, wanted)
            path.write_text("\n".join(lines))
        else:
            errors.append(f"{name}:1: lacks `{wanted}` in its first two lines; tools/check_licence.py --apply adds it")
    sys.exit("\n".join(errors) or None)


main()
