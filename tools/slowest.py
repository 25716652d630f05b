#!/usr/bin/env python3
"""slowest.py - what failed, the slowest translation units and tests, and how many tests passed,
failed and were skipped.

usage: slowest.py [--stages-failed N] BUILD_FOLDER...
A build folder holds .ninja_log and results/: ctest.xml, what ctest says of each program, and
<program>.xml, what the program says of each of its cases; a program that died says nothing and
counts as one failure. A stage that failed outside ctest (a build, a check) adds N to the failures,
so that the last line never says "0 failed" of a run that failed. A test over 20 s is a defect and
is marked. A test that was skipped without being named in test/skips.txt, with its reason, is a
failure, or it would be taken for one that passed.
"""
import argparse
import fnmatch
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

SHOWN = 10
TEST_LIMIT_S = 20.0
RUN = re.MULTILINE | re.DOTALL
SKIPS = pathlib.Path(__file__).resolve().parent.parent / "test" / "skips.txt"


def compile_times(folder):
    """Seconds per object file: the newest entry of each, for objects that still exist."""
    times, log = {}, folder / ".ninja_log"
    for line in log.read_text().splitlines() if log.exists() else []:
        fields = line.split("\t")
        if len(fields) == 5 and fields[3].endswith(".o") and (folder / fields[3]).exists():
            name = fields[3].removeprefix("CMakeFiles/").replace(".dir/", ": ").removesuffix(".o")
            times[f"{name} ({folder.name})"] = (int(fields[1]) - int(fields[0])) / 1000
    return times


def reason_in(output):
    """What a test said as it was skipped: the text behind the place in the source."""
    lines = [line.strip() for line in (output or "").splitlines() if line.strip()]
    for number, line in enumerate(lines):
        if re.search(r"\.(cpp|hpp):\d+(: Skipped)?$", line):
            return lines[number + 1] if number + 1 < len(lines) else ""
    return lines[-1] if lines else ""


def ctest_cases(folder):
    """(name, seconds, "passed", "failed" or "skipped", reason or output) of every test of a ctest run: of a program that
    said so, of each of its cases."""
    ran = folder / "results" / "ctest.xml"
    for program in xml.parse(ran).iter("testcase") if ran.exists() else []:
        name, seconds, status = program.get("name"), float(program.get("time") or 0), program.get("status")
        output = program.findtext("system-out") or ""
        cases, failed = folder / "results" / f"{name}.xml", 0
        for case in xml.parse(cases).iter("testcase") if cases.exists() else []:
            title = f"{name.split('.')[0]}.{case.get('classname')}.{case.get('name')}"
            if case.get("result") == "completed":
                outcome = "passed" if case.find("failure") is None else "failed"
                failed += outcome == "failed"
                said = re.search(rf"^\[ RUN      \] {re.escape(title.split('.', 1)[1])}\n.*?^\[  FAILED  \]", output, RUN)
                yield title, float(case.get("time")), outcome, said[0] if said else ""
            elif case.get("result") == "skipped":
                yield title, float(case.get("time")), "skipped", reason_in(case.findtext("skipped"))
        if status in ("notrun", "disabled"):
            yield name, seconds, "skipped", reason_in(output)
        elif status == "fail" and not failed:  # a script, or a program that died
            yield name, seconds, "failed", re.sub(r"^\[ RUN      \] .*?^\[       OK \].*?\n", "", output, flags=RUN)
        elif not cases.exists():
            yield name, seconds, "passed", ""


def skips_allowed(file):
    """(pattern of a test's name, pattern of its reason) of every line that is not empty or a comment."""
    lines = [line.strip() for line in file.read_text().splitlines()]
    return [tuple(part.strip() for part in line.split(" | ", 1)) for line in lines if line and line[0] != "#"]


def is_allowed(name, reason, allowed):
    # Reasons may hold brackets, which are no pattern of ours.
    return any(fnmatch.fnmatchcase(name, test.replace("[", "[[]")) and
               fnmatch.fnmatchcase(reason, why.replace("[", "[[]")) for test, why in allowed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", type=pathlib.Path, nargs="*")
    parser.add_argument("--stages-failed", type=int, default=0)
    options = parser.parse_args()

    units, tests, passed, failed, skipped, strange = {}, {}, 0, 0, 0, []
    allowed = skips_allowed(SKIPS)
    for folder in options.folders:
        units |= compile_times(folder)
        for name, seconds, outcome, said in ctest_cases(folder):
            tests[f"{name} ({folder.name})"] = seconds
            passed += outcome == "passed"
            failed += outcome == "failed"
            skipped += outcome == "skipped"
            if outcome == "failed":
                print(f"-- failed: {name} ({folder.name})\n{said}\n")
            if outcome == "skipped" and not is_allowed(name, said, allowed):
                strange.append(f"  {name} ({folder.name}): {said}")

    for title, times, limit in (("translation units", units, None), ("tests", tests, TEST_LIMIT_S)):
        print(f"slowest {title}:")
        for name, seconds in sorted(times.items(), key=lambda item: -item[1])[:SHOWN]:
            print(f"  {seconds:7.2f} s  {name}" + ("  TOO SLOW" if limit and seconds > limit else ""))
    print(f"{skipped} tests skipped, by name in test/skips.txt: {skipped - len(strange)}")
    if strange:
        print("skipped and not named there, which is a failure:", *strange, sep="\n")
    # A failed test makes its stage fail too: count that once.
    print(f"{passed} passed, {(failed or options.stages_failed) + len(strange)} failed")
    return 1 if strange else 0


if __name__ == "__main__":
    sys.exit(main())
