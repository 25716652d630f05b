#!/usr/bin/env python3
"""check_headers.py - every header compiles alone, without a warning; a public one costs at most 4.8
times <string>.

g++ compiles each with its bodies (*.ipp), as most users have it; clang++ without (UMBEL_COMPILED),
because bodies may bring an #include that the header lacks. Cost is the memory that g++ says it
allocated for one #include. Time follows from it, but differs from run to run with the machine's
other work; what g++ counts is the same in every run.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

FLAGS = "-std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Iinclude -fsyntax-only -x c++ -".split()
# Nothing is given back until the end, so that what is then still allocated is all.
WITH_BODIES = "g++ -fmem-report --param ggc-min-expand=1000 --param ggc-min-heapsize=1000000".split()
WITHOUT = "clang++ -DUMBEL_COMPILED".split()
ALLOCATED = re.compile(r"^Memory still allocated at the end.*?^Total +(\d+)([kM])", re.MULTILINE | re.DOTALL)
PUBLIC = re.compile(r"umbel/(map|set|count|stream|recon|net)/[^/]*$|umbel/[^/]*$|umbel/(codec/codec|any/any).hpp")
LIMIT = 4.8  # times <string>
UNLIMITED = {"umbel/umbel.hpp"}         # everything
NOT_ALONE = {"umbel/any/variants.hpp"}  # a list, whose reader first says what a line of it means


def compile_alone(job):
    """(megabytes where they are counted, diagnostics or None)"""
    compiler, header = job
    done = subprocess.run([*compiler, *FLAGS], input=f"#include <{header}>\n", stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return 0, done.stderr.partition("\n####")[0]  # without the report
    if compiler is WITHOUT:
        return 0, None
    allocated = ALLOCATED.search(done.stderr)
    return (int(allocated[1]) / (1024 if allocated[2] == "k" else 1), None) if allocated else (0, done.stderr)


def main():
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    headers = sorted({path.relative_to("include").as_posix() for path in pathlib.Path("include").rglob("*.hpp")} - NOT_ALONE)
    jobs = [(WITH_BODIES, "string")] + [(compiler, header) for header in headers for compiler in (WITH_BODIES, WITHOUT)]
    wrong, times = [], {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(((compiler[0], header) for compiler, header in jobs), pool.map(compile_alone, jobs)))
    for (compiler, header), (megabytes, diagnostics) in results.items():
        if diagnostics is not None:
            wrong.append(f"<{header}> does not compile alone by {compiler}:\n{diagnostics}")
        elif compiler == "g++" and PUBLIC.match(header) and header not in UNLIMITED:
            times[header] = megabytes / results["g++", "string"][0]
    for header in sorted(times, key=times.get, reverse=True)[:3]:
        print(f"  {times[header]:.2f} times <string>  {header}")
    wrong += [f"<{header}> costs {cost:.2f} times <string>; the limit is {LIMIT}"
              for header, cost in times.items() if cost > LIMIT]
    sys.exit("\n".join(wrong) or None)


main()
