#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What reading costs: CPU seconds (median of three), samples a second, and peak
# memory of info, of folded text and of a table, on generated recordings.
#   tests/bench/report.sh [SAMPLES [STACKS [THREADS]]]      default: 1 M and 10 M samples
# Prints figures; asserts nothing.  Stacks of generated recordings have no names:
# "one name a module" folds all of a module's into one, as names would fold most.
set -u
SRC=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$SRC/build}
report=$BUILD/fold-report gen=$BUILD/tests/gen/gen
[ -x "$report" ] && [ -x "$gen" ] || { echo "build $report and $gen first"; exit 1; }
[ -x /usr/bin/time ] || { echo "/usr/bin/time is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

measure() { # LABEL SAMPLES COMMAND...
	local label=$1 samples=$2 run
	shift 2
	for run in 1 2 3; do
		/usr/bin/time -o "$work/time.$run" -f '%U %S %M' "$@" >"$work/out" 2>"$work/err" || { tail -n 3 "$work/err"; return; }
	done
	awk '{ print $1 + $2, $3 }' "$work"/time.? | sort -n | awk -v label="$label" -v samples="$samples" '
		NR == 2 { cpu = $1 } $2 > peak { peak = $2 }
		END { if (cpu < 0.005) cpu = 0.005
		      printf "  %-34s %7.2f s  %7.2f M samples/s  %6.0f ns/sample  %6.0f MB\n", label, cpu, samples / cpu / 1e6, cpu / samples * 1e9, peak / 1024 }'
}
bench() { # SAMPLES STACKS THREADS
	local file=$work/$1.foldrec
	"$gen" --samples "$1" --stacks "$2" --threads "$3" "$file" || exit 1
	echo "$1 samples, $2 user stacks, $3 threads, $(stat -c %s "$file") bytes:"
	measure "info" "$1" "$report" info -q "$file"
	measure "folded, one name a module" "$1" "$report" -q --no-system --unnamed module -f folded "$file"
	measure "folded, one name an address" "$1" "$report" -q --no-system --unnamed address -f folded "$file"
	measure "top, by thread" "$1" "$report" -q --no-system --by thread -f top "$file"
	measure "top, reversed" "$1" "$report" -q --no-system --reverse -f top "$file"
	measure "top of one process" "$1" "$report" -q --no-system --pid 1001 -f top "$file"
	rm "$file"
}
many() { # FILES SAMPLES: each a recording of its own
	local i files=()
	for ((i = 0; i < $1; i++)); do
		"$gen" --seed "$i" --samples "$2" --stacks 500 --threads 50 "$work/$i.foldrec" || exit 1
		files+=("$work/$i.foldrec")
	done
	echo "$1 recordings of $2 samples:"
	measure "top of all" $(($1 * $2)) "$report" -q --no-system -f top "${files[@]}"
}

if [ $# -gt 0 ]; then
	bench "$1" "${2:-$(($1 / 25 + 1))}" "${3:-500}"
	exit
fi
bench 1000000 100000 500
bench 10000000 400000 2000
many 1000 2000
