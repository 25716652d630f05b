#!/usr/bin/env python3
"""check_headers.py - every header compiles alone, without a warning; one for users costs at most 4.8 times <string>.

Alone       By g++ with UMBEL_COMPILED, because the bodies that are then left out may have brought an #include the header
            lacks. A header with bodies, or for users, also with its bodies: who has the bodies sees more, so one that
            only includes such headers has nothing new to lack. clang++ sees them all through umbel.hpp, in both ways; the
            two use one standard library, so that what lacks an #include lacks it for both.
Chains      A compilation takes several headers, each of which includes all that stand before it: none sees more of the
            others than it asks for itself, so each is as good as alone. The fewest chains that hold every header once come
            of a largest matching of headers with headers they include (Dilworth's theorem).
Cost        Memory that g++ says it allocated for one #include, in units of what <string> takes: what a header for users
            costs each file that uses it. Time is what a user feels, and follows from it, but differs from run to run
            with the machine's other work, by more than a change to a header does; so does the memory that a process
            has, of which pages of the compiler's own file are a part. What g++ counts is the same in every run.
            The dearest takes 0.8 s of the machine that README.md names.
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
# Nothing is given back until the end, so that what is then still allocated is all.
COUNTS = "-fmem-report --param ggc-min-expand=1000 --param ggc-min-heapsize=1000000".split()
ALLOCATED = re.compile(r"^Memory still allocated at the end.*?^Total +(\d+)M", re.MULTILINE | re.DOTALL)
FOR_USERS = re.compile(r"umbel/(map|set|count|stream|recon|net)/[^/]*$|umbel/[^/]*$|umbel/codec/codec.hpp|umbel/any/any.hpp")
LIMIT = 4.8  # times <string>
UNLIMITED = {"umbel/umbel.hpp"}         # everything
NOT_ALONE = {"umbel/any/variants.hpp"}  # a list, whose reader first says what a line of it means
TOP = pathlib.Path(__file__).resolve().parent.parent
ROOT, MEMORY = TOP / "include", TOP / "build" / "headers.json"


def compile_alone(job):
    """(megabytes or None, diagnostics or None) of the headers of a job, one after another in one file."""
    compiler, *headers = job
    counts = COUNTS if compiler == "g++" else []
    lines = "".join(f"#include <{header}>\n" for header in headers)
    run = subprocess.run([*compiler.split(), f"-I{ROOT}", *counts, *FLAGS], input=lines, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        return None, run.stderr
    allocated = ALLOCATED.search(run.stderr)
    if counts and not allocated:
        return None, f"-fmem-report has no total:\n{run.stderr}"
    return int(allocated[1]) if counts else None, None


def included_by(header, bodies):
    """All of ours that it reaches, without itself; with bodies, also through and including *.ipp."""
    reached, waiting = set(), [header]
    while waiting:
        name = waiting.pop()
        if name not in reached and (ROOT / name).exists() and (bodies or not name.endswith(".ipp")):
            reached.add(name)
            waiting += re.findall(r"#\s*include\s*<(umbel/[^>]+)>", (ROOT / name).read_text())
    return reached - {header}


def chains(headers, bodies):
    """All headers, in as few lists as can be in which each includes those before it."""
    below = {header: included_by(header, bodies) & set(headers) for header in headers}
    next_of, previous_of = {}, {}

    def follow_one_below(header, tried):
        for lower in sorted(below[header] - tried):
            tried.add(lower)
            if lower not in next_of or follow_one_below(next_of[lower], tried):
                next_of[lower], previous_of[header] = header, lower
                return True
        return False

    for header in headers:
        follow_one_below(header, set())
    for first in (header for header in headers if header not in previous_of):
        chain = [first]
        while chain[-1] in next_of:
            chain.append(next_of[chain[-1]])
        yield chain


def fingerprint(job):
    """Of the headers of a job and of all of ours that they reach."""
    hashed = hashlib.sha256(" ".join(FLAGS + COUNTS).encode())
    for name in sorted(set(job[1:]).union(*(included_by(header, True) for header in job[1:]))):
        if (ROOT / name).exists():  # not a standard header
            hashed.update((ROOT / name).read_bytes())
    return hashed.hexdigest()


def main():
    headers = sorted({p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*.hpp")} - NOT_ALONE)
    for_users = [header for header in headers if FOR_USERS.match(header)]
    with_bodies = [header for header in headers if (ROOT / header).with_suffix(".ipp").exists()]
    jobs = [("g++", header) for header in ["string", *for_users]]  # each by itself: its cost counts
    jobs += [("g++", *chain) for chain in chains(sorted(set(with_bodies) - set(for_users)), bodies=True)]
    jobs += [("g++ -DUMBEL_COMPILED", *chain) for chain in chains(headers, bodies=False)]
    jobs += [(compiler, header) for header in sorted(UNLIMITED) for compiler in ("clang++", "clang++ -DUMBEL_COMPILED")]
    known = json.loads(MEMORY.read_text()) if MEMORY.exists() else {}

    prints = {job: fingerprint(job) for job in jobs}
    new = [job for job in jobs if known.get(" ".join(job), [""])[0] != prints[job]]
    cost = {job: known[" ".join(job)][1] for job in jobs if job not in new}
    errors = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for job, (megabytes, diagnostics) in zip(new, pool.map(compile_alone, new)):
            if diagnostics is None:
                cost[job] = megabytes
            else:
                errors.append(f"{' '.join(job)}: does not compile alone\n{diagnostics}")
    MEMORY.parent.mkdir(exist_ok=True)
    MEMORY.write_text(json.dumps({" ".join(job): [prints[job], megabytes] for job, megabytes in cost.items()}, indent=1))

    times = {header: cost["g++", header] / cost["g++", "string"]
             for header in for_users if ("g++", header) in cost and header not in UNLIMITED}
    dearest = sorted(times, key=times.get, reverse=True)
    errors += [f"<{header}> costs {times[header]:.2f} times <string>; the limit is {LIMIT}"
               for header in dearest if times[header] > LIMIT]
    for header in dearest[:3]:
        print(f"  {times[header]:.2f} times <string>  {header}")
    sys.exit("\n".join(errors) or None)


main()
