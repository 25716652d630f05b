#!/usr/bin/env python3
"""slowest.py - prints the slowest translation units and tests, and the number of tests that passed.

usage: slowest.py NINJA_LOG RESULTS [--stages-failed N]
RESULTS holds <preset>.xml, written by ctest, and <preset>.cases/<share>.xml, written by a test
program that ran a share of its tests. A program that crashed writes none and counts as one failure.
A stage that failed outside ctest (a build, a check) adds N to the failures, so that the last line of
a failed run never says "0 failed". A test over 20 s is a defect and is marked.
"""
import argparse
import pathlib
import re
import xml.etree.ElementTree as xml

SHOWN = 10
TEST_LIMIT_S = 20.0


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


def ctest_cases(file):
    """(name, seconds, passed) of every test of a ctest run; those of a share by their own names."""
    for case in xml.parse(file).iter("testcase"):
        share = file.with_suffix(".cases") / f"{case.get('name')}.xml"
        if not share.exists():
            if case.get("status") in ("run", "fail"):
                yield case.get("name"), float(case.get("time")), case.get("status") == "run"
            continue
        area, wrong = case.get("name").split(".")[0], 0
        for own in xml.parse(share).iter("testcase"):
            if own.get("result") == "completed":
                failures = own.find("failure") is not None
                wrong += failures
                yield f"{area}.{own.get('classname')}.{own.get('name')}", float(own.get("time")), not failures
        if case.get("status") == "fail" and not wrong:  # it crashed after its last test
            yield case.get("name"), float(case.get("time")), False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ninja_log", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--stages-failed", type=int, default=0)
    options = parser.parse_args()

    tests, passed, failed = {}, 0, 0
    for file in sorted(options.results.glob("*.xml")):
        for name, seconds, good in ctest_cases(file):
            tests[f"{name} ({file.stem})"] = seconds
            passed += good
            failed += not good

    for title, times, limit in (("translation units", compile_times(options.ninja_log), None),
                                ("tests", tests, TEST_LIMIT_S)):
        print(f"slowest {title}:")
        for name, seconds in sorted(times.items(), key=lambda item: -item[1])[:SHOWN]:
            print(f"  {seconds:7.2f} s  {name}" + ("  TOO SLOW" if limit and seconds > limit else ""))
    # A failed test makes its stage fail too: count that once.
    print(f"{passed} passed, {failed or options.stages_failed} failed")


main()
