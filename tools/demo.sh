#!/usr/bin/env bash
# demo.sh - what `make run` shows: builds several kinds of filter from Debian's word list, saves,
# maps and queries them, and prints predicted beside measured figures. Other kinds: tools/demo.sh
# KIND...
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
umbel=${UMBEL_TOOL:-$PWD/build/umbel}
words=/usr/share/dict/american-english
[[ -r $words ]] || { echo "demo: $words is missing; on Debian: apt-get install wamerican" >&2; exit 1; }
kinds=("$@")
[[ $# -gt 0 ]] || kinds=(bloom-filter split-block-bloom-filter golomb-coded-set binary-fuse-filter)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# Non-members that look like the words: every word followed by a digit, for each of the ten digits.
awk '{ for (digit = 0; digit < 10; ++digit) print $0 digit }' "$words" >non-members
common=$(comm -12 <(sort "$words") <(sort non-members) | wc -l)
[[ $common -eq 0 ]] || { echo "demo: $common non-members are words after all" >&2; exit 1; }
keys=$(wc -l <"$words")
asked=$(wc -l <non-members)

bold='' plain=''
[[ ! -t 1 ]] || bold=$'\e[1m' plain=$'\e[0m'
show() { printf '\n%s$ umbel %s%s\n' "$bold" "$*" "$plain"; "$umbel" "$@"; }
# member NAME: that number of the JSON on standard input, which has one member per line
member() { sed -n "s/^ *\"$1\": \([-+0-9.e]*\),*\$/\1/p"; }

cp "$words" words.txt
printf '%s\n' umbel petal bloom flourish florish blossom >some.txt
printf '%sA filter of %s words, in a file; asked about six.%s\n' "$bold" "$keys" "$plain"
show build words.txt -v -o words.umbel
show query words.umbel some.txt
show query -v words.umbel some.txt
show info words.umbel

printf '\n%sThe same words as %d kinds: saved, mapped, and asked about every word and %s non-members.%s\n\n' \
  "$bold" "${#kinds[@]}" "$asked" "$plain"
printf '%58s%24s%11s\n' '--- bits per key ---' '-- false positives --' words
row='%-26s%9s%12s%11s%13s%11s%11s\n'
# shellcheck disable=SC2059  # one format for the titles and for awk
printf "$row" kind bytes predicted measured predicted measured forgotten
failed=0
for kind in "${kinds[@]}"; do
  report=$("$umbel" build -q --json --kind "$kind" words.txt -o "$kind.umbel")
  bytes=$(stat -c %s "$kind.umbel")
  found=$("$umbel" query --mmap -c "$kind.umbel" words.txt)
  passed=$("$umbel" query --mmap -c "$kind.umbel" non-members) || [[ $passed == 0 ]]
  [[ $found -eq $keys ]] || failed=1
  awk -v row="$row" -v kind="$kind" -v bytes="$bytes" -v keys="$keys" -v passed="$passed" -v asked="$asked" \
    -v bits="$(member planned_bits_per_key <<<"$report")" \
    -v rate="$(member planned_fpr <<<"$report")" -v found="$found" \
    'BEGIN { printf row, kind, bytes, sprintf("%.2f", bits), sprintf("%.2f", 8 * bytes / keys),
                    sprintf("%.4f%%", 100 * rate), sprintf("%.4f%%", 100 * passed / asked), keys - found }'
done
printf '\nMeasured bits are those of the whole file, header included. More kinds: umbel kinds. Speed: umbel bench.\n'
exit "$failed"
