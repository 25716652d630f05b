#!/usr/bin/env python3
"""check_headers.py - every header compiles alone, without a warning; one for users costs at most six times <string>.

Alone       With UMBEL_COMPILED, because the bodies that are then left out may have brought an #include the header lacks:
            headers for users by clang++ (which reaches the others through them), the others by g++. A header with
            bodies, or for users, also with its bodies, by g++: who has the bodies sees more, so one that only includes
            such headers has nothing new to lack. Both compilers use one standard library, so that what lacks an
            #include lacks it for both.
Cost        User time of one #include, -fsyntax-only: what a header for users costs each file that uses it. Six times
            <string> is a second on a machine of 2022. Seconds would measure the machine and its other work, so <string>
            is compiled now and then between the others, and a header that seems slow is timed again, turn by turn with
            <string>, and the least of each counts, until it passes. clang++ times only what is dear to g++: of eight
            headers measured by both, none took it more than an eighth longer, counted in <string>s.
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
DEAR = 5.0              # from here on clang++ is asked too
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


def is_timed(job):
    compiler, header = job
    return "UMBEL_COMPILED" not in compiler and header not in UNLIMITED and FOR_USERS.match(header)


def times_string(job, seconds):
    """How many times <string> it takes, as soon as that is within the limit."""
    string = float("inf")
    for _ in range(ROUNDS):
        string = min(string, compile_alone((job[0], "string"))[0])
        seconds = min(seconds, compile_alone(job)[0])
        if seconds <= LIMIT * string:
            break
    return seconds / string


def check(pool, jobs, timed_by):
    """Per job: times <string> (0 if that does not matter), what is wrong or None. Both cores are busy throughout, for
    <string> as for the others."""
    mixed = list(jobs)
    for place in range(0, 10 * len(jobs) // 9, 10):
        mixed.insert(place, (timed_by, "string"))
    results = list(zip(mixed, pool.map(compile_alone, mixed)))
    string = min((seconds for (_, header), (seconds, _) in results if header == "string"), default=1)
    found = {}
    for job, (seconds, diagnostics) in results:
        if job[1] != "string":
            wrong = f"{job[0]}: <{job[1]}> does not compile alone\n{diagnostics}" if diagnostics is not None else None
            found[job] = (seconds / string if is_timed(job) else 0, seconds, wrong)
    suspects = [job for job, (times, _, wrong) in found.items() if times > LIMIT and not wrong]
    for job, times in zip(suspects, pool.map(lambda job: times_string(job, found[job][1]), suspects)):
        wrong = f"{job[0]}: <{job[1]}> takes {times:.1f} times <string>; the limit is {LIMIT:.0f} times"
        found[job] = (times, found[job][1], wrong if times > LIMIT else None)
    return {job: (times, wrong) for job, (times, _, wrong) in found.items()}


def main():
    headers = sorted({p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*.hpp")} - NOT_ALONE)
    jobs = []
    for header in headers:
        for_users, bodies = FOR_USERS.match(header), (ROOT / header).with_suffix(".ipp").exists()
        jobs.append(("clang++ -DUMBEL_COMPILED" if for_users else "g++ -DUMBEL_COMPILED", header))
        if for_users or bodies:
            jobs.append(("g++", header))
    jobs += [("clang++", header) for header in sorted(UNLIMITED)]  # the bodies, by clang++
    known = json.loads(MEMORY.read_text()) if MEMORY.exists() else {}
    prints = {h: fingerprint(h) for h in headers}

    passed, errors = {}, []

    def look_at(pool, jobs, timed_by):
        new = []
        for job in jobs:
            kept = known.get(" ".join(job), ["", 0])
            if kept[0] == prints[job[1]]:
                passed[job] = kept
            else:
                new.append(job)
        for job, (times, wrong) in check(pool, new, timed_by).items():
            if wrong:
                errors.append(wrong)
            else:
                passed[job] = [prints[job[1]], times]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        look_at(pool, jobs, "g++")
        dear = [("clang++", header) for (_, header), (_, times) in passed.items() if times > DEAR]
        look_at(pool, dear, "clang++")
    MEMORY.parent.mkdir(exist_ok=True)
    MEMORY.write_text(json.dumps({" ".join(job): kept for job, kept in passed.items()}, indent=1))
    for (compiler, header), (_, times) in sorted(passed.items(), key=lambda item: -item[1][1])[:3]:
        print(f"  {times:4.1f} times <string>  {compiler:8} {header}")
    sys.exit("\n".join(errors) or None)


main()
