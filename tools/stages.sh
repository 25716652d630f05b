# stages.sh - what check.sh, test.sh and test_long.sh share: stages, builds, runs of ctest and the
# closing summary. To be sourced from the top of the repository.
jobs=$(nproc)
options=()  # for every configuration
folders=()  # what was built
stages_failed=0
trap summary EXIT

# The tool syncs every file that it writes, and a disk takes longer for that than the tests for all
# else: scratch files are in memory where there is room. External builds keep the disk
# (cmake/tests.cmake).
if [[ -z ${TMPDIR:-} && $(df --output=avail -k /dev/shm 2>/dev/null | tail -1) -gt 4000000 ]]; then
  export TMPDIR=/dev/shm
fi

# stage NAME COMMAND...: run it and say what it took; where it fails, end here with the summary.
stage() {
  local name=$1 TIMEFORMAT="== $1: %0R s, of the processors %0U + %0S s"
  shift
  [[ -z ${UMBEL_STAGES:-} || " $UMBEL_STAGES " == *" $name "* ]] || return 0
  printf '\n== %s\n' "$name"
  time "$@" || { printf '== FAILED: %s\n' "$name"; stages_failed=1; exit 1; }
}

# build PRESET [TARGET...]: configure and build these targets, or all.
build() {
  local preset=$1 folder=build/$1
  shift
  [[ $preset == release ]] && folder=build
  folders+=("$folder")
  rm -rf "$folder/results"
  cmake --preset "$preset" --log-level=WARNING "${options[@]}" >/dev/null &&
    cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"} -- --quiet
}

# run_tests [CTEST OPTION...]: ctest in what was built last. The summary shows the output of what
# fails.
run_tests() {
  local folder=${folders[-1]} launch=()
  mkdir -p "$folder/results"
  # gcc 12's thread sanitizer cannot start where a kernel randomises addresses widely.
  [[ $folder == build/tsan ]] && setarch -R true 2>/dev/null && launch=(setarch -R)
  "${launch[@]}" ctest --test-dir "$folder" -j "$jobs" --output-junit results/ctest.xml \
    --test-output-size-failed 10000000 "$@"
}

static_checks() {
  python3 tools/check_includes.py && python3 tools/check_names.py && python3 tools/check_references.py &&
    python3 tools/check_absences.py && tools/case_folding.py --check && tools/format.sh --check
}

summary() {
  local status=$?
  printf '\n'
  python3 tools/slowest.py "${folders[@]}" --stages-failed "$stages_failed" || status=1
  exit "$status"
}
