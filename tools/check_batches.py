#!/usr/bin/env python3
"""check_batches.py - no kind's batch takes longer than 1.05 times its single calls: hits and misses, at each size.

    tools/check_batches.py [TOOL]        build/umbel unless told; an hour or so, on a machine that does nothing else

Figures are medians of `umbel bench`, batch and single of one run. What is above the bar is measured again, twice, and
counts with the median of all three runs. What is known to be above stands in GAPS and in doc/gaps.md; it may not get
worse, and where it meets the bar its entries must go.
"""
import json
import pathlib
import statistics
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SIZES = ["1e4", "1e6", "1e7"]
BAR = 1.05
WORSE = 1.1  # times the figure of a gap, which was measured on another day
GAPS = {  # (kind, size, sort): measured
    ("aging-bloom-filter", "1e4", "miss"): 1.11,
    ("aging-bloom-filter", "1e6", "miss"): 1.11,
    ("banked-bloom-filter", "1e6", "hit"): 1.08,
    ("cascade-map", "1e4", "hit"): 1.16,
    ("cascade-map", "1e4", "miss"): 1.19,
    ("cascade-map", "1e6", "miss"): 1.08,
    ("exact-cascade-set", "1e4", "hit"): 1.22,
    ("exact-cascade-set", "1e4", "miss"): 1.33,
    ("exact-cascade-set", "1e6", "hit"): 1.25,
    ("exact-cascade-set", "1e6", "miss"): 1.27,
    ("exact-cascade-set", "1e7", "hit"): 1.38,
    ("exact-cascade-set", "1e7", "miss"): 1.22,
    ("mutable-bloomier-filter", "1e4", "hit"): 1.14,
    ("mutable-bloomier-filter", "1e4", "miss"): 1.09,
    ("mutable-bloomier-filter", "1e6", "hit"): 1.25,
    ("mutable-bloomier-filter", "1e6", "miss"): 1.20,
    ("perfect-filter", "1e4", "miss"): 1.06,
    ("removable-bloom-filter", "1e6", "hit"): 1.08,
    ("two-choice-bloom-filter", "1e6", "hit"): 1.10,
    ("weighted-bloom-filter", "1e6", "hit"): 1.07,
}


def ratios(tool, size, kinds=None):
    """{(kind, size, sort): batch over single} of one run."""
    command = [tool, "bench", "--keys", size, "--json"] + (["--kinds", ",".join(sorted(kinds))] if kinds else [])
    rows = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["rows"]
    return {(row["kind"], size, sort): row[f"batch_{sort}_ns"] / row[f"{sort}_ns"]
            for row in rows for sort in ("hit", "miss")}


def main():
    tool = sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build" / "umbel"
    found, seen = {}, set()
    for size in SIZES:
        runs = [ratios(tool, size)]
        seen |= set(runs[0])
        above = {key for key, ratio in runs[0].items() if ratio > BAR}
        if above:
            runs += [ratios(tool, size, {key[0] for key in above}) for _ in range(2)]
        for key in above:
            found[key] = statistics.median(run[key] for run in runs)
    wrong = []
    for key in sorted(set(GAPS) - seen):
        wrong.append(f"{' '.join(key)}: a gap of a kind that was not measured")
    for key in sorted(seen):
        ratio, gap = found.get(key, 0), GAPS.get(key)
        if gap is None and ratio > BAR:
            wrong.append(f"{' '.join(key)}: a batch takes {ratio:.2f} times its single calls, at most {BAR} expected; "
                         f"give the engine a batch_from() (core/can.hpp), or mend its batch")
        elif gap is not None and ratio > gap * WORSE:
            wrong.append(f"{' '.join(key)}: a batch takes {ratio:.2f} times its single calls; the gap was {gap}")
        elif gap is not None and ratio <= BAR:
            wrong.append(f"{' '.join(key)}: meets the bar: take the gap out of GAPS here and out of doc/gaps.md")
    print("\n".join(wrong) or f"batches: {len(seen)} figures, {len(GAPS)} known gaps")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
