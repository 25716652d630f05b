#!/usr/bin/env python3
"""check_headers.py - every header compiles alone without a warning, and a header for users costs at
most 4.8 times <string>.

Alone       g++ compiles headers with UMBEL_COMPILED, because the bodies that are then left out may
            have brought an #include that the header lacks. Headers with bodies are compiled with
            them, too. clang++ compiles all headers through umbel.hpp, with their bodies; both
            compilers use one standard library, so an #include that is missing is missing for both.
            umbel.hpp itself has only #includes.
Chains      One compilation takes several headers, each of which includes all that come before it:
            none sees more of the others than it includes itself, so each is as good as alone. The
            smallest number of chains that cover all headers follows from a maximum matching of
            headers with headers they include (Dilworth's theorem).
Trunks      Most of a header's cost is standard headers and those of ours that other headers include
            too. These are precompiled once, as a trunk, and come before the chain if all of the
            chain include all of them. Precompiling takes three times as long as reading, and
            templates are still instantiated in every compilation, so a trunk pays from about six
            chains on. A compiler that cannot use a precompiled trunk reads the text.
Cost        Memory that g++ reports for one #include, in units of <string>: the cost of a header for
            users in each file that uses it. Compile time follows from it, but varies from run to run
            by more than a change to a header does; so does the memory of the process. What g++
            counts is the same in every run. A trunk and what a header adds to it are together a
            little more than the header alone (0.2 times <string>): only a header that is then over
            the limit is measured alone. The most expensive takes 0.8 s on the machine that README.md
            names.
Bundles     Several headers in one file cost no less than each of them: if a bundle is within the
            limit, each of its headers is. Only headers of a bundle over the limit are measured one
            by one. Each is checked alone without its bodies.
Memory      Results that passed are kept in build/headers.json and not repeated until the header, or
            one it includes, changes.
usage: check_headers.py
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FLAGS = "-std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror".split()
# gcc frees nothing until the end, so the memory still allocated then is the total.
COUNTS = "-fmem-report --param ggc-min-expand=1000 --param ggc-min-heapsize=1000000".split()
ALLOCATED = re.compile(r"^Memory still allocated at the end.*?^Total +(\d+)([kM])", re.MULTILINE | re.DOTALL)
TRUNKS = """
    umbel/core/spooled.hpp+umbel/core/plan.hpp+umbel/core/traits.hpp+umbel/cells/words.hpp+cmath
    umbel/core/keyed.hpp+umbel/core/plan.hpp+umbel/core/traits.hpp+umbel/cells/words.hpp+algorithm+cmath
    umbel/core/keyed.hpp+umbel/cells/words.hpp+algorithm
    umbel/hash/hasher.hpp+umbel/base/error.hpp
    algorithm+cmath+memory_resource+span+string+string_view
    atomic+memory_resource+span+string algorithm+cmath algorithm string atomic span cmath
""".split()  # a header takes the first trunk of which it includes all
ROOM = 260_000  # bytes of our headers in a bundle: more are seldom within the limit
NO_TRUNK = "-"
FOR_USERS = re.compile(r"umbel/(map|set|count|stream|recon|net)/[^/]*$|umbel/[^/]*$|umbel/codec/codec.hpp|umbel/any/any.hpp")
LIMIT = 4.8  # times <string>
KNOWN_GAPS = {"umbel/map/coded_map.hpp": 4.9, "umbel/set/exact_set.hpp": 4.9}  # doc/gaps.md
UNLIMITED = {"umbel/umbel.hpp"}         # everything
NOT_ALONE = {"umbel/any/variants.hpp"}  # a list of macro calls: its includer defines the macro
TOP = pathlib.Path(__file__).resolve().parent.parent
ROOT, MEMORY = TOP / "include", TOP / "build" / "headers.json"


def lines(headers):
    return "".join(f"#include <{name}>\n" for header in headers for name in header.split("+"))


def precompile(compiler, trunk, folder):
    """A file that includes the trunk, with what g++ made of it beside it."""
    name = folder / f"{compiler}+{trunk}".replace(" ", "").replace("/", ".")
    name.write_text(lines([trunk]))
    subprocess.run([*compiler.split(), f"-I{ROOT}", *FLAGS, *COUNTS[1:], "-x", "c++-header", name, "-o", f"{name}.gch"],
                   stderr=subprocess.DEVNULL)  # errors of a trunk are reported where it is compiled alone
    return name


def precompiled(job):
    """Compiler and trunk of a job; what is not ours is the same in both ways."""
    return (job[0] if job[1].startswith("umbel/") else "g++"), job[1]


def compile_alone(job, trunks):
    """(megabytes or None, diagnostics or None) of the headers of a job, one after another in one file."""
    compiler, trunk, *headers = job
    counts = COUNTS if compiler.startswith("g++") else []
    before = [] if trunk == NO_TRUNK else ["-include", trunks[precompiled(job)]]
    done = subprocess.run([*compiler.split(), f"-I{ROOT}", *FLAGS, *counts, *before, "-fsyntax-only", "-x", "c++", "-"],
                          input=lines(headers), stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return None, done.stderr.partition("\n####")[0]  # without the report
    allocated = ALLOCATED.search(done.stderr)
    if counts and not allocated:
        return None, f"-fmem-report has no total:\n{done.stderr}"
    return int(allocated[1]) / (1024 if allocated[2] == "k" else 1) if counts else None, None


@functools.cache
def includes(header):
    return set(re.findall(r"#\s*include\s*<([^>]+)>", (ROOT / header).read_text())) if (ROOT / header).exists() else set()


@functools.cache
def included_by(header, bodies):
    """All that it reaches through ours, without itself; with bodies, also through and including *.ipp."""
    reached, waiting = set(), [header]
    while waiting:
        name = waiting.pop()
        if name not in reached and (bodies or not name.endswith(".ipp")):
            reached.add(name)
            waiting += includes(name)
    return reached - {header}


def trunk_of(header, bodies):
    return next((trunk for trunk in TRUNKS if included_by(header, bodies).issuperset(trunk.split("+"))), NO_TRUNK)


def bundles(headers):
    """All headers, those with the same trunk and much else in common together, as long as there is room."""
    def reached(some):
        names = set(some).union(*(included_by(header, True) for header in some))
        return sum((ROOT / name).stat().st_size for name in names if (ROOT / name).exists())

    for trunk in [*TRUNKS, NO_TRUNK]:
        left = sorted(header for header in headers if trunk_of(header, True) == trunk)
        left.sort(key=lambda header: reached([header]))
        while left:
            bundle = [left.pop()]
            while left:
                nearest = min(left, key=lambda header: reached([*bundle, header]))
                if reached([*bundle, nearest]) > ROOM:
                    break
                left.remove(nearest)
                bundle.append(nearest)
            yield "g++", trunk, *bundle


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


def chained(compiler, headers, bodies):
    """Jobs for all headers, those with the same trunk together."""
    for trunk in [*TRUNKS, NO_TRUNK]:
        for chain in chains([header for header in headers if trunk_of(header, bodies) == trunk], bodies):
            yield compiler, trunk, *chain


def fingerprint(job):
    """Of the headers of a job, its trunk's too, and of all of ours that they reach."""
    hashed = hashlib.sha256(" ".join(FLAGS + COUNTS).encode())
    headers = {name for part in job[1:] for name in part.split("+")}
    for name in sorted(headers.union(*(included_by(header, True) for header in headers))):
        if (ROOT / name).exists():  # not a standard header
            hashed.update((ROOT / name).read_bytes())
    return hashed.hexdigest()


def run(jobs, known):
    """Megabytes of every job, where g++ counts them; ends the program if one does not compile. Known jobs are not repeated."""
    prints = {job: fingerprint(job) for job in jobs}
    new = [job for job in jobs if known.get(" ".join(job), [""])[0] != prints[job]]
    wanted = sorted({precompiled(job) for job in new if job[1] != NO_TRUNK})
    errors = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory() as folder:
        trunks = dict(zip(wanted, pool.map(lambda one: precompile(*one, pathlib.Path(folder)), wanted)))
        for job, (megabytes, diagnostics) in zip(new, pool.map(lambda job: compile_alone(job, trunks), new)):
            if diagnostics is None:
                known[" ".join(job)] = [prints[job], megabytes]
            else:
                errors.append(f"{' '.join(job)}: does not compile alone\n{diagnostics}")
    MEMORY.parent.mkdir(exist_ok=True)
    MEMORY.write_text(json.dumps(known, indent=1))
    if errors:
        sys.exit("\n".join(errors))
    return {job: known[" ".join(job)][1] for job in jobs}


def main():
    headers = sorted({p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*.hpp")} - NOT_ALONE)
    for_users = {header for header in headers if FOR_USERS.match(header)} - UNLIMITED
    with_bodies = {header for header in headers if (ROOT / header).with_suffix(".ipp").exists()}
    measured = [("g++", trunk_of(header, True), header) for header in sorted(for_users & with_bodies)]
    measured += bundles(for_users - with_bodies)
    trunks = {job[1] for job in measured} - {NO_TRUNK}
    jobs = [("g++", NO_TRUNK, header) for header in ["string", *sorted(trunks)]]
    jobs += [("g++", trunk) for trunk in sorted(trunks)]
    jobs += measured + [*chained("g++", sorted(with_bodies - for_users), bodies=True)]
    jobs += chained("g++ -DUMBEL_COMPILED", [header for header in headers if header not in UNLIMITED], bodies=False)
    jobs += [("clang++", NO_TRUNK, header) for header in sorted(UNLIMITED)]
    known = json.loads(MEMORY.read_text()) if MEMORY.exists() else {}
    cost = run(jobs, known)

    def times_string(job):
        shared = 0 if job[1] == NO_TRUNK else cost["g++", NO_TRUNK, job[1]] - cost["g++", job[1]]
        return (cost[job] + shared) / cost["g++", NO_TRUNK, "string"]

    apart = [(*job[:2], header) for job in measured if len(job) > 3 and times_string(job) > LIMIT for header in job[2:]]
    cost |= run(apart, known)
    times = {job[2]: times_string(job) for job in measured + apart if len(job) == 3}
    alone = run([("g++", NO_TRUNK, header) for header in times if times[header] > LIMIT], known)
    times |= {job[2]: megabytes / cost["g++", NO_TRUNK, "string"] for job, megabytes in alone.items()}
    dearest = sorted(times, key=times.get, reverse=True)
    for header in dearest[:3]:
        print(f"  {times[header]:.2f} times <string>  {header}")
    sys.exit("\n".join(f"<{header}> costs {times[header]:.2f} times <string>; the limit is {LIMIT}"
                       for header in dearest if times[header] > KNOWN_GAPS.get(header, LIMIT)) or None)


main()
