#!/usr/bin/env bash
# bench.sh - what `make bench` does: measures every kind at each size given (default: 1e6 and 1e7),
# stores the results in bench/results/ under today's date, and makes the tables and plots of
# README.md and doc/benchmarks.md from them.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p bench/results
[[ $# -gt 0 ]] || set -- 1e6 1e7
for keys in "$@"; do
  echo "bench: $keys keys"
  result=bench/results/$(date +%F)-$keys.json
  build/umbel bench --keys "$keys" --json >"$result.part" && mv "$result.part" "$result"
done
tools/readme_bench.py
