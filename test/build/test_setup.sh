# test_setup.sh - tools/setup.sh installs for a build what a build needs and nothing else, and says
# what is missing to whoever is not root. Debian's programs are stood in for: they say that nothing
# is installed, and write down the call.
source "$UMBEL_SOURCE_DIR/test/build/common.sh"
mkdir "$scratch/bin"
stand_in() { printf '#!/bin/sh\n%s\n' "$2" >"$scratch/bin/$1" && chmod +x "$scratch/bin/$1"; }
stand_in dpkg-query 'exit 1'
stand_in apt-get 'echo "$@" >>"$CALLS"'
stand_in sudo 'exit 1' # one that would ask for a password
export PATH=$scratch/bin:$PATH CALLS=$scratch/calls
fail() { echo "$1" >&2; exit 1; }

# packages_of KIND: as root, what apt-get is told to install.
stand_in id 'echo 0'
packages_of() {
  : >"$CALLS"
  sh "$UMBEL_SOURCE_DIR/tools/setup.sh" "$1" >/dev/null
  sed -n 's/.*--no-install-recommends //p' "$CALLS" | tr ' ' '\n' | sort
}
build=$(packages_of build)
test=$(packages_of test)
for wanted in g++ cmake ninja-build pkg-config libxxhash-dev libcli11-dev libfmt-dev libzstd-dev zlib1g-dev; do
  grep -qx -- "$wanted" <<<"$build" || fail "a build lacks $wanted"
done
! grep -E 'clang|chromium|zsh|fish|valgrind|mandoc|gtest|lintian|doxygen|python' <<<"$build" || fail "not for a build"
[[ -z $(comm -23 <(echo "$build") <(echo "$test")) ]] || fail "tests lack what builds need"
grep -qx valgrind <<<"$test" || fail "tests lack valgrind"

# Not root: one line to copy, nothing called, exit 1.
stand_in id 'echo 1000'
: >"$CALLS"
status=0
sh "$UMBEL_SOURCE_DIR/tools/setup.sh" build 2>"$scratch/said" || status=$?
[[ $status -eq 1 && ! -s $CALLS ]] || fail "not root: exit $status, called $(cat "$CALLS")"
asked=$(sed -n 's/^  sudo apt-get install --no-install-recommends //p' "$scratch/said" | tr ' ' '\n' | sort)
[[ $asked == "$build" ]] || fail "not root, it asks for: $asked"

# A purpose that it does not know is an error, not an empty list.
! sh "$UMBEL_SOURCE_DIR/tools/setup.sh" everything 2>/dev/null || fail "accepted a purpose it does not know"

# What `make build` configures looks for nothing that only tests have.
unlooked=()
for package in GTest rapidcheck OpenSSL Python3; do unlooked+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
cd "$UMBEL_SOURCE_DIR"
PATH=${PATH#*:} cmake --preset tool -B "$scratch/tool" "${unlooked[@]}" --log-level=WARNING >"$scratch/configured" 2>&1 ||
  { cat "$scratch/configured" >&2; exit 1; }
