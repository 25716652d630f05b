# test_readme.sh - the code in README.md is example/readme.cpp, byte for byte except the licence's
# line;
# that file is compiled and run as an example.
set -euo pipefail
shown=$(mktemp)
trap 'rm -f "$shown"' EXIT
sed -n '/^```cpp$/,/^```$/{/^```/d;p}' "$UMBEL_SOURCE_DIR/README.md" >"$shown"
diff <(grep -v '^// SPDX-' "$UMBEL_SOURCE_DIR/example/readme.cpp") "$shown" || {
  echo "README.md must have one block of \`\`\`cpp, equal to example/readme.cpp" >&2
  exit 1
}
