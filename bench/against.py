#!/usr/bin/env python3
"""against.py - the job `umbel` is for, done with what people use today: which lines of one list are in another?

    bench/against.py build/umbel [KEYS]      # 10 million by default; takes ten minutes, 12 GB of memory and 3 GB of scratch space

Two lists of KEYS lines of 16 bytes, half of the second in the first. Each way first prepares what it can keep of the first
list, then answers for the second. Prints a Markdown table: seconds and peak memory of both steps, and the size of what is
kept. Ways that are not installed, or take over LIMIT seconds, say so.
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT = 600


def run(command, here):
    """Seconds, peak memory of the largest process in bytes, and what was printed; None if it took too long."""
    start = time.monotonic()
    done = subprocess.Popen(["bash", "-c", command], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, "LC_ALL": "C"}, start_new_session=True)
    try:
        out, err = done.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, 9)
        done.wait()
        return None
    if done.returncode != 0:
        sys.exit(f"{command}: {err.decode()}")
    return time.monotonic() - start, int(err.split()[-1]) * 1024 if err else 0, int(out or 0)


def timed(command):
    """The command, telling the peak memory of its largest process in the last word of standard error."""
    return (f"python3 -c 'import resource,subprocess,sys; code = subprocess.call(sys.argv[1], shell=True, stderr=subprocess.DEVNULL); "
            f"print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(code)' \"{command}\"")


def size(path):
    return path.stat().st_size if path.exists() else 0


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    n = int(float(sys.argv[2])) if len(sys.argv) > 2 else 10_000_000
    ways = [  # name, needs, prepare, kept, answer (prints how many lines were found)
        ("umbel, split-block-bloom-filter", tool, f"{tool} build -q --kind split-block-bloom-filter --fpr 0.4% keys -o s", "s",
         f"{tool} query s asked | wc -l"),
        ("umbel, binary-fuse-filter", tool, f"{tool} build -q --kind binary-fuse-filter --fpr 0.4% keys -o f", "f", f"{tool} query f asked | wc -l"),
        ("umbel, ribbon-filter", tool, f"{tool} build -q --kind ribbon-filter --fpr 0.4% keys -o r", "r",
         f"{tool} query r asked | wc -l"),
        ("`bloom` (DCSO)", "bloom", f"bloom create -p 0.004 -n {n} b < keys", "b", "bloom check b < asked | wc -l"),
        ("`sort` and `comm`", "comm", "sort --parallel=2 -S 2G keys > k", "k",
         "sort --parallel=2 -S 2G asked | comm -12 k - | wc -l"),
        ("`sort` and `join`", "join", "sort --parallel=2 -S 2G keys > k", "k",
         "sort --parallel=2 -S 2G asked | join k - | wc -l"),
        ("`sqlite3`, a table with an index", "sqlite3",
         "sqlite3 q 'PRAGMA journal_mode=OFF' 'PRAGMA synchronous=OFF' 'CREATE TABLE k(x TEXT PRIMARY KEY) WITHOUT ROWID' "
         "'.import keys k' > /dev/null", "q",
         "sqlite3 q 'CREATE TEMP TABLE a(x TEXT)' '.import asked a' 'SELECT count(*) FROM a WHERE x IN (SELECT x FROM k)'"),
        ("`grep -Fxf`", "grep", "true", "keys", "grep -Fxf keys asked | wc -l"),
    ]
    with tempfile.TemporaryDirectory(prefix="umbel-against-") as scratch:
        here = pathlib.Path(scratch)
        source = random.Random(1)
        keys = [f"{source.getrandbits(64):016x}\n" for _ in range(n)]
        others = [f"{source.getrandbits(64):016x}\n" for _ in range(n - n // 2)]
        (here / "keys").write_text("".join(keys))
        asked = keys[:n // 2] + others
        source.shuffle(asked)
        (here / "asked").write_text("".join(asked))
        del keys, others, asked
        print(f"| {n:,} keys, as many asked | prepare | answer | peak memory | kept | found |\n|---|---|---|---|---|---|", flush=True)
        for name, needs, prepare, kept, answer in ways:
            if shutil.which(str(needs)) is None:
                print(f"| {name} | not installed | | | | |", flush=True)
                continue
            steps = [run(timed(step), here) for step in (prepare, answer)]
            if None in steps:
                print(f"| {name} | over {LIMIT} s | | | | |", flush=True)
                continue
            (t1, m1, _), (t2, m2, found) = steps
            print(f"| {name} | {t1:.1f} s | {t2:.1f} s | {max(m1, m2) / 2**20:.0f} MiB | {size(here / kept) / 2**20:.1f} MiB | {found:,} |",
                  flush=True)


if __name__ == "__main__":
    main()
