#!/usr/bin/env python3
"""slowest.py - prints the slowest translation units and tests, and how many tests passed, failed and
were skipped.

usage: slowest.py NINJA_LOG RESULTS [--stages-failed N]
RESULTS holds <preset>.xml, written by ctest, and <preset>.cases/<share>.xml, written by a test
program that ran a share of its tests. A program that crashed writes none and counts as one failure.
A stage that failed outside ctest (a build, a check) adds N to the failures, so that the last line of
a failed run never says "0 failed". A test over 20 s is a defect and is marked. A skipped test that is
not named in test/skips.txt, with its reason, is a failure: otherwise it would pass for one that ran.
"""
import argparse
import fnmatch
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

SHOWN = 10
TEST_LIMIT_S = 20.0
SKIPS = pathlib.Path(__file__).resolve().parent.parent / "test" / "skips.txt"


def compile_times(ninja_log):
    """Seconds per object file: the newest entry of each, for objects that still exist."""
    times = {}
    if ninja_log.exists():
        for line in ninja_log.read_text().splitlines():
            fields = line.split("\t")
            if len(fields) == 5 and fields[3].endswith(".o") and (ninja_log.parent / fields[3]).exists():
                name = re.sub(r"CMakeFiles/([^/]*)\.dir/Unity/unity_(\d+)_cxx\.cxx\.o", r"\1, piece \2", fields[3])
                name = re.sub(r"CMakeFiles/[^/]*\.dir/", "", name).removesuffix(".o")
                times[name] = (int(fields[1]) - int(fields[0])) / 1000
    return times


def reason_in(output):
    """What a test said as it was skipped: the text behind the place in the source."""
    lines = [line.strip() for line in (output or "").splitlines() if line.strip()]
    for number, line in enumerate(lines):
        if re.search(r"\.(cpp|hpp):\d+(: Skipped)?$", line):
            return lines[number + 1] if number + 1 < len(lines) else ""
    return lines[-1] if lines else ""


def ctest_cases(file):
    """(name, seconds, "passed", "failed" or "skipped", reason) of every test of a ctest run; those of a share by their
    own names."""
    for case in xml.parse(file).iter("testcase"):
        share = file.with_suffix(".cases") / f"{case.get('name')}.xml"
        name, seconds = case.get("name"), float(case.get("time") or 0)
        if not share.exists():
            if case.get("status") in ("run", "fail"):
                yield name, seconds, "passed" if case.get("status") == "run" else "failed", ""
            elif case.get("status") in ("notrun", "disabled"):
                yield name, seconds, "skipped", reason_in(case.findtext("system-out"))
            continue
        area, wrong = name.split(".")[0], 0
        for own in xml.parse(share).iter("testcase"):
            title = f"{area}.{own.get('classname')}.{own.get('name')}"
            if own.get("result") == "completed":
                failures = own.find("failure") is not None
                wrong += failures
                yield title, float(own.get("time")), "failed" if failures else "passed", ""
            elif own.get("result") == "skipped":
                yield title, float(own.get("time")), "skipped", reason_in(own.findtext("skipped"))
        if case.get("status") == "fail" and not wrong:  # it died after its last test
            yield name, seconds, "failed", ""


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
    parser.add_argument("ninja_log", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--stages-failed", type=int, default=0)
    options = parser.parse_args()

    tests, passed, failed, skipped, strange = {}, 0, 0, 0, []
    allowed = skips_allowed(SKIPS)
    for file in sorted(options.results.glob("*.xml")):
        for name, seconds, outcome, reason in ctest_cases(file):
            tests[f"{name} ({file.stem})"] = seconds
            passed += outcome == "passed"
            failed += outcome == "failed"
            skipped += outcome == "skipped"
            if outcome == "skipped" and not is_allowed(name, reason, allowed):
                strange.append(f"  {name} ({file.stem}): {reason}")

    for title, times, limit in (("translation units", compile_times(options.ninja_log), None),
                                ("tests", tests, TEST_LIMIT_S)):
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
