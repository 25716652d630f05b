#!/usr/bin/env bash
# fuzz.sh - runs every fuzz target for some seconds (default: 60), or with --runs N on N inputs
# each. New inputs are stored in build/fuzz/found/<name>. A crash stops the run and writes
# build/fuzz/crash-<name>-*: fix it, and add that file to fuzz/corpus/<name>.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ ${1:-} == --runs ]]; then
  limit=-runs=$2
else
  limit=-max_total_time=${1:-60}
fi
cmake --preset fuzz --log-level=WARNING
cmake --build --preset fuzz --target fuzzers
for target in build/fuzz/fuzzers/fuzz_*; do
  [[ -x $target ]] || continue
  name=${target##*/fuzz_}
  log=build/fuzz/$name.log
  mkdir -p "build/fuzz/found/$name"
  echo "== $name, $limit"
  # A fixed seed repeats the same inputs, as far as threads and time allow.
  "$target" "$limit" -seed=20 -timeout=10 -rss_limit_mb=2048 -artifact_prefix="build/fuzz/crash-$name-" \
    "build/fuzz/found/$name" "fuzz/corpus/$name" >"$log" 2>&1 || { tail -n 60 "$log"; exit 1; }
  tail -n 1 "$log"
done
