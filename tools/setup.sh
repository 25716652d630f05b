#!/bin/sh
# setup.sh - install the Debian 12 packages that are missing: `setup.sh build` those that building
# the tool and its first run need (`make build`, `make run`), `bench`, `deb` and `doc` a little
# more, `setup.sh test` all that the tests need, `long` also what `make test-long` needs. Silent and
# quick when nothing is missing, so that every make target can call it first.
set -eu

# The demonstration of `make run` reads wamerican's list of words.
packages="
  g++ cmake ninja-build pkg-config
  libxxhash-dev libcli11-dev libfmt-dev libzstd-dev zlib1g-dev wamerican
"
case "${1:-}" in
  build) ;;
  bench) packages="$packages python3" ;;
  deb) packages="$packages dpkg-dev" ;;
  doc) packages="$packages python3 doxygen cmark-gfm" ;;
  test | long)
    packages="$packages
      python3 dpkg-dev lintian doxygen cmark-gfm clang libclang-rt-14-dev clang-format clang-tidy ccache valgrind
      libgtest-dev libgmock-dev librapidcheck-dev libssl-dev
      acl unicode-data zsh fish mandoc zstd sqlite3 chromium-headless-shell wamerican-huge
      golang-github-dcso-bloom-cli
    "
    # For ARM64: compiler, emulator, and the libraries that tests are linked with.
    [ "$1" = test ] || packages="$packages
      g++-aarch64-linux-gnu qemu-user libgtest-dev:arm64 libgmock-dev:arm64 librapidcheck-dev:arm64 libssl-dev:arm64
      zlib1g-dev:arm64 libfmt-dev:arm64 libzstd-dev:arm64
    "
    ;;
  *)
    echo "usage: tools/setup.sh build|bench|deb|doc|test|long" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  # Not a Debian system: say what is wanted once, and let the build itself report what is really
  # missing.
  echo "setup: this is not a Debian system, so nothing was installed. The build wants the equivalents of:" >&2
  echo $packages >&2
  exit 0
fi

# dpkg-query lists what it knows and fails when any name is unknown; both are fine here.
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}:${Architecture}\n' $packages 2>/dev/null |
  sed -n 's/^installed //p') || true
native=$(dpkg --print-architecture)
missing=""
for package in $packages; do
  case " $(echo $installed) " in
    *" $package "* | *" $package:$native "* | *" $package:all "*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root="sudo env"
else
  # Nobody is asked for a password by `make`: whoever may install packages runs this line.
  echo "setup: packages are missing, and only root may install them. Run this, then try again:" >&2
  case "$missing" in *:arm64*) echo "  sudo dpkg --add-architecture arm64 && sudo apt-get update" >&2 ;; esac
  echo "  sudo apt-get install --no-install-recommends$missing" >&2
  exit 1
fi

echo "setup: installing$missing"
case "$missing" in *:arm64*) $as_root dpkg --add-architecture arm64 ;; esac
install_missing() {
  $as_root DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
}
# A fresh system may hold no package lists, or stale ones: fetch them only when the first try fails.
install_missing >/dev/null 2>&1 || { $as_root apt-get update -qq && install_missing; }
