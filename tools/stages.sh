# stages.sh - functions for check.sh, test.sh and test_long.sh: named, timed stages, ctest runs
# whose results are kept, and the summary. To be sourced from the top of the repository.
jobs=$(nproc)
configure_options=(-DUMBEL_IN_PIECES=ON)
timed=build/.ninja_log  # the summary names its slowest translation units
results=build/results
rm -rf "$results" && mkdir -p "$results"
stages_failed=0
ahead=  # processes started before their stage
trap summary EXIT

# The tool syncs every file that it writes, which takes a disk longer than the rest of the tests.
# Scratch files are therefore in memory if there is room. External builds use the disk
# (cmake/tests.cmake).
if [[ -z ${TMPDIR:-} && $(df --output=avail -k /dev/shm 2>/dev/null | tail -1) -gt 4000000 ]]; then
  export TMPDIR=/dev/shm
fi

# stage NAME COMMAND...: run it; if it fails, stop here (the trap prints the summary).
stage() {
  local name=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  if ! "$@"; then
    printf '== FAILED: %s (%d s)\n' "$name" $((SECONDS - start))
    stages_failed=1
    exit 1
  fi
  printf '== done in %d s\n' $((SECONDS - start))
}

# ahead FUNCTION...: run these one after another in the background, at low priority: tests leave a
# core idle while scripts wait and at the end of a run. They end with this script.
ahead() {
  ahead=" $* "
  set -m  # their own process group, to be ended together
  (
    renice -n 10 "$BASHPID" >/dev/null
    for each in "$@"; do
      start=$SECONDS
      "$each" </dev/null >"$results/$each.output" 2>&1
      printf '%d %d\n' $? $((SECONDS - start)) >"$results/$each.ended"
    done
  ) &
  ahead_group=$!
  disown
  set +m
}

# arrive FUNCTION: run it, or if it was started ahead, wait for it. Prints its output and returns
# its status.
arrive() {
  [[ $ahead == *" $1 "* ]] || { "$1"; return; }
  local status=1 seconds=0
  while [[ ! -s $results/$1.ended ]] && kill -0 -- "-$ahead_group" 2>/dev/null; do sleep 0.2; done
  cat "$results/$1.output"
  read -r status seconds <"$results/$1.ended"
  printf -- '-- %s: %d s, begun beside earlier stages\n' "$1" "$seconds"
  return "$status"
}

# build PRESET [TARGET...]: configure and build the targets, or all.
build() {
  local preset=$1
  shift
  cmake --preset "$preset" --log-level=WARNING "${configure_options[@]}" >"$results/$preset.configure" ||
    { cat "$results/$preset.configure"; return 1; }
  # One job per core: with two more, the default of ninja, each of four jobs took a seventh longer.
  cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"} -- --quiet
}

# run_tests PRESET [AREA...]: ctest in that build, those areas only (or ctest's own options);
# results are kept.
run_tests() {
  local preset=$1 folder=build/$1 select=()
  shift
  [[ $preset == release ]] && folder=build
  if [[ ${1:-} == -* ]]; then
    select=("$@")
  elif [[ $# -gt 0 ]]; then
    select=(-L "^($(IFS='|' && echo "$*"))\$")
  fi
  # gcc 12's thread sanitizer cannot start on a new kernel with wide address randomisation, which is
  # switched off for the process if that is allowed.
  local launch=()
  [[ $preset == tsan ]] && setarch -R true 2>/dev/null && launch=(setarch -R)
  # The results of each program's tests are kept beside the results of ctest.
  rm -rf "$folder/cases"
  # Prints one line for all tests that pass, and for a program that crashed the test it was in.
  "${launch[@]}" ctest --test-dir "$folder" -j "$jobs" --output-on-failure --output-junit "$PWD/$results/$preset.xml" \
    "${select[@]}" | grep -Ev '^ *$| Start +[0-9]+: | Passed +[0-9.]+ sec$|sec\*proc|^Label Time|^Internal ctest' |
    awk '/^\[ RUN / { test = $0; next } /^\[       OK / && test { test = ""; next } test { print test; test = "" } 1
         END { if (test) print test }'
  local status=${PIPESTATUS[0]}
  [[ ! -d $folder/cases ]] || mv "$folder/cases" "$results/$preset.cases"
  return "$status"
}

# area_targets AREA...: the test programs that exist for these areas.
area_targets() {
  local area
  for area in "$@"; do
    compgen -G "test/$area/*.cpp" >/dev/null && echo "test_$area"
  done
}

has_scripts() { compgen -G "test/$1/test_*.py" >/dev/null || compgen -G "test/$1/test_*.sh" >/dev/null; }

static_checks() {
  python3 tools/check_includes.py && python3 tools/check_names.py && python3 tools/check_references.py &&
    python3 tools/check_absences.py && tools/case_folding.py --check && tools/format.sh --check
}

summary() {
  local status=$?
  [[ -z $ahead ]] || kill -- "-$ahead_group" 2>/dev/null
  printf '\n'
  python3 tools/slowest.py "$timed" "$results" --stages-failed "$stages_failed" || status=1
  exit "$status"
}
