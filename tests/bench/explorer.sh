#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What each format costs to write, and what the explorer costs in Chromium, for a
# generated recording of 1,000,000 samples and 100,000 user stacks.
#   tests/bench/explorer.sh [SAMPLES [STACKS [THREADS]]]
# Prints figures; asserts nothing.
set -u
SRC=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$SRC/build}
report=$BUILD/fold-report gen=$BUILD/tests/gen/gen
[ -x "$report" ] && [ -x "$gen" ] || { echo "build $report and $gen first"; exit 1; }
[ -x /usr/bin/time ] || { echo "/usr/bin/time is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$gen" --samples "${1:-1000000}" --stacks "${2:-100000}" --threads "${3:-200}" one.foldrec || exit 1

echo "one name an address: CPU seconds (median of three), bytes, peak memory"
for format in folded svg html top tree heatmap json pprof speedscope firefox script; do
	for run in 1 2 3; do
		/usr/bin/time -o "time.$run" -f '%U %S %M' "$report" -q --no-system --unnamed address -f "$format" -o "out.$format" one.foldrec || exit 1
	done
	awk '{ print $1 + $2, $3 }' time.? | sort -n | awk -v format="$format" -v bytes="$(stat -c %s "out.$format")" '
		NR == 2 { cpu = $1 } $2 > peak { peak = $2 } END { printf "  %-12s %7.2f s %12d bytes %5.0f MB\n", format, cpu, bytes, peak / 1024 }'
	[ "$format" = html ] || rm "out.$format"
done

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no Chromium"; exit 77; }
command -v node >/dev/null && command -v npm >/dev/null || { echo "no node or npm"; exit 77; }
modules=$BUILD/tests/web
if [ ! -d "$modules/node_modules/playwright-core" ]; then
	mkdir -p "$modules"
	PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --fetch-retries=1 --fetch-timeout=20000 --silent --no-audit --no-fund --prefix "$modules" playwright-core >npm.log 2>&1 ||
		{ cat npm.log; echo "playwright-core cannot be installed"; exit 77; }
fi
echo "the explorer:"
mv out.html one.html
NODE_PATH=$modules/node_modules timeout 600 node "$SRC/tests/bench/explorer.js" "$browser" one.html 5
