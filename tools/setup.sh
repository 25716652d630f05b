#!/bin/sh
# setup.sh - installs missing Debian 12 packages: `setup.sh build` those for `make build` and `make
# run`; `bench`, `deb` and `doc` a few more; `test` all that the tests need. Silent and quick if
# nothing is missing, so that every make target can call it first.
set -eu

# `make run` reads the word list of wamerican.
packages="
  g++ cmake ninja-build pkg-config
  libxxhash-dev libcli11-dev libfmt-dev libzstd-dev zlib1g-dev wamerican
"
case "${1:-}" in
  build) ;;
  bench) packages="$packages python3" ;;
  deb) packages="$packages dpkg-dev" ;;
  doc) packages="$packages python3 doxygen cmark-gfm" ;;
  test)
    packages="$packages
      python3 dpkg-dev lintian doxygen cmark-gfm clang libclang-rt-14-dev clang-format clang-tidy ccache valgrind
      libgtest-dev libgmock-dev librapidcheck-dev libssl-dev
      acl unicode-data zsh fish mandoc zstd sqlite3 chromium-headless-shell wamerican-huge
      golang-github-dcso-bloom-cli
    "
    ;;
  *)
    echo "usage: tools/setup.sh build|bench|deb|doc|test" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  # Not a Debian system: list the packages once, and let the build report what is missing.
  echo "setup: this is not a Debian system, so nothing was installed. The build wants the equivalents of:" >&2
  echo $packages >&2
  exit 0
fi

# dpkg-query fails if a name is unknown, but still lists the others.
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $packages 2>/dev/null | sed -n 's/^installed //p') || true
missing=""
for package in $packages; do
  case "
$installed
" in
    *"
$package
"*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root="sudo env"
else
  # `make` asks for no password: a user who may install packages runs this line.
  echo "setup: packages are missing, and only root may install them. Run this, then try again:" >&2
  echo "  sudo apt-get install --no-install-recommends$missing" >&2
  exit 1
fi

echo "setup: installing$missing"
install_missing() {
  $as_root DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
}
# A fresh system may have no package lists, or old ones: they are fetched if the first try fails.
install_missing >/dev/null 2>&1 || { $as_root apt-get update -qq && install_missing; }
