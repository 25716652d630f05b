#!/usr/bin/env python3
"""check_headers.py - every header compiles alone, without a warning; one for users costs at most six times <string>.

Alone       Every header by g++; those that users include also by clang++ (which reaches the rest through them), and with
            UMBEL_COMPILED, because the bodies that are then left out may have brought an #include the header lacks.
Cost        User time of one #include, -fsyntax-only: what a header for users costs each file that uses it. Six times
            <string> is a second on a machine of 2022. Seconds would measure the machine and its other work, so a
            header that seems slow is timed again alone, turn by turn with <string>, and the least of each counts,
            until it passes.
Memory      What passed is kept in build/headers.json and not repeated until the header, or one it includes, changes.
usage: check_headers.py
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

FLAGS = "-std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -x c++ -".split()
FOR_USERS = re.compile(r"umbel/(map|set|count|stream|recon|net)/[^/]*$|umbel/[^/]*$|umbel/codec/codec.hpp|umbel/any/any.hpp")
LIMIT, ROUNDS = 6.0, 5  # times <string>
SUSPECT_S = 1.0
UNLIMITED = {"umbel/umbel.hpp"}         # everything
NOT_ALONE = {"umbel/any/variants.hpp"}  # a list, whose reader first says what a line of it means
TOP = pathlib.Path(__file__).resolve().parent.parent
ROOT, MEMORY = TOP / "include", TOP / "build" / "headers.json"


def compile_alone(job):
    """(user seconds, diagnostics or None)"""
    compiler, header = job
    command = [*compiler.split(), f"-I{ROOT}", *FLAGS]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdin.write(f"#include <{header}>\n")
    process.stdin.close()
    diagnostics = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime, diagnostics if process.returncode else None


def fingerprint(header):
    """Of the header and of all of ours that it reaches."""
    reached, waiting, hashed = set(), [header], hashlib.sha256(" ".join(FLAGS).encode())
    while waiting:
        name = waiting.pop()
        if name not in reached and (ROOT / name).exists():
            reached.add(name)
            waiting += re.findall(r"#\s*include\s*<(umbel/[^>]+)>", (ROOT / name).read_text())
    for name in sorted(reached):
        hashed.update((ROOT / name).read_bytes())
    return hashed.hexdigest()


def judge(job, seconds, diagnostics):
    """(user seconds, what is wrong or None)"""
    compiler, header = job
    if diagnostics is not None:
        return seconds, f"{compiler}: <{header}> does not compile alone\n{diagnostics}"
    if header in UNLIMITED or seconds <= SUSPECT_S or not FOR_USERS.match(header):
        return seconds, None
    string = float("inf")
    for _ in range(ROUNDS):
        string = min(string, compile_alone((compiler, "string"))[0])
        seconds = min(seconds, compile_alone(job)[0])
        if seconds <= LIMIT * string:
            return seconds, None
    return seconds, f"{compiler}: <{header}> takes {seconds / string:.1f} times <string>; the limit is {LIMIT:.0f} times"


def main():
    headers = sorted({p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*.hpp")} - NOT_ALONE)
    jobs = [("g++", h) for h in headers]
    jobs += [(c, h) for h in headers if FOR_USERS.match(h) for c in ("clang++", "g++ -DUMBEL_COMPILED")]
    known = json.loads(MEMORY.read_text()) if MEMORY.exists() else {}
    prints = {h: fingerprint(h) for h in headers}
    passed = {job: known[" ".join(job)] for job in jobs if known.get(" ".join(job), [""])[0] == prints[job[1]]}
    jobs = [job for job in jobs if job not in passed]

    errors = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(zip(jobs, pool.map(compile_alone, jobs)))
    for job, (seconds, diagnostics) in results:
        seconds, wrong = judge(job, seconds, diagnostics)
        if wrong:
            errors.append(wrong)
        else:
            passed[job] = [prints[job[1]], seconds]
    MEMORY.parent.mkdir(exist_ok=True)
    MEMORY.write_text(json.dumps({" ".join(job): kept for job, kept in passed.items()}, indent=1))
    for (compiler, header), (_, seconds) in sorted(passed.items(), key=lambda item: -item[1][1])[:3]:
        print(f"  {seconds:5.2f} s  {compiler:20} {header}")
    sys.exit("\n".join(errors) or None)


main()
