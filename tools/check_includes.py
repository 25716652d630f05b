#!/usr/bin/env python3
"""check_includes.py - an #include among umbel's folders points left in ORDER, or into its own folder,
never right.

Folders of one row are siblings and do not include each other. Headers directly in include/umbel/
(umbel.hpp, which includes everything) come last. Inside include/, umbel's own headers are always
named in full, as <umbel/folder/name>.
"""
import pathlib
import re
import sys

ORDER = ["base", "hash sizing cells", "solve", "core", "engine", "map", "set", "count", "stream", "recon net", "codec",
         "any"]
RANK = {folder: rank for rank, row in enumerate(ORDER) for folder in row.split()}
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])(umbel/)?([^">]+)')
ROOT = pathlib.Path(__file__).resolve().parent.parent / "include" / "umbel"


def folder_of(path):
    return path.split("/")[0] if "/" in path else ""


def complaint(user, quote, ours, used):
    """What is wrong with file `user` including `used`, or None."""
    if quote == '"':
        return "say <umbel/...> in full"
    mine, theirs = folder_of(user), folder_of(used)
    if not ours or mine in ("", theirs):
        return None
    if RANK.get(theirs, len(ORDER)) >= RANK[mine]:
        return f"{mine} must not see {theirs or 'the top folder'}"


def main():
    errors = []
    for path in sorted(p for p in ROOT.rglob("*") if p.suffix in (".hpp", ".ipp")):
        user = path.relative_to(ROOT).as_posix()
        if folder_of(user) and folder_of(user) not in RANK:
            errors.append(f"include/umbel/{user}: folder is not in the order of tools/check_includes.py")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            wrong = found and complaint(user, *found.groups())
            if wrong:
                errors.append(f"include/umbel/{user}:{number}: {line.strip()}: {wrong}")
    sys.exit("\n".join(errors) or None)


main()
