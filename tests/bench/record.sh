#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What recording costs beside perf, on a build: CPU time and wake-ups of the recorder,
# bytes of a sample, samples lost.
#   tests/bench/record.sh [fp|auto|aggregate|perf|perf-z ...]      default: all
# Prints figures; asserts nothing.  They are of a machine that is otherwise idle, or
# worth little.
set -u
SRC=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=$(realpath "${BUILD:-$SRC/build}")
CC=${CC:-cc} SECONDS_EACH=${SECONDS_EACH:-20} HZ=${HZ:-999}
record=$BUILD/fold-record report=$BUILD/fold-report
[ -x "$record" ] && [ -x "$report" ] || { echo "build $record and $report first"; exit 1; }
work=$(mktemp -d)
load=
leave() { [ -n "$load" ] && kill -- "-$load" 2>/dev/null; rm -rf "$work"; }
trap leave EXIT
cd "$work" || exit 1

set -m
(while :; do make -s -C "$SRC" BUILD="$work/build" -B -j"$(nproc)" "$work/build/libfold.a" >/dev/null 2>&1; done) &
load=$!
set +m
sleep 1

# NAME COMMAND...: runs it, leaves its cost in cost_NAME: CPU seconds, voluntary switches
measure() {
	local name=$1
	shift
	python3 - "$name" "$@" <<'P'
import os, resource, subprocess, sys, time
name, command = sys.argv[1], sys.argv[2:]
p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=open("said_" + name, "w"))
_, status, own = os.wait4(p.pid, 0)
print("%.3f %d" % (own.ru_utime + own.ru_stime, own.ru_nvcsw), file=open("cost_" + name, "w"))
sys.exit(0)
P
}
row() { # NAME BYTES SAMPLES LOST
	awk -v name="$1" -v bytes="$2" -v n="$3" -v lost="$4" -v s="$SECONDS_EACH" \
		'{ printf "%-10s %8d samples %6d lost %8.3f s CPU %6.1f wake-ups/s %9d bytes %7.2f a sample\n", name, n, lost, $1, $2 / s, bytes, n ? bytes / n : 0 }' "cost_$1"
}
fold() { # NAME OPTION...
	local name=$1
	shift
	measure "$name" "$record" -F "$HZ" -d "$SECONDS_EACH" -f -o "$name.foldrec" "$@"
	row "$name" "$(stat -c %s "$name.foldrec")" $("$report" -q -f json "$name.foldrec" | python3 -c '
import json, sys
e = json.load(sys.stdin)["events"][0]
print(e["written"], e["lost"])')
}
perf_() { # NAME OPTION...
	local name=$1
	shift
	command -v perf >/dev/null || { echo "$name: no perf here"; return; }
	measure "$name" perf record -a -g -F "$HZ" -o "$name.data" "$@" sleep "$SECONDS_EACH"
	row "$name" "$(stat -c %s "$name.data")" $(perf report -i "$name.data" --stats 2>/dev/null | awk '/SAMPLE events/ { n = $3 } /LOST events/ { l = $3 } END { print n + 0, l + 0 }')
}

[ $# -gt 0 ] || set -- perf perf-z fp auto aggregate
for what; do
	case $what in
	fp) fold fp --unwind fp ;;
	auto) fold auto ;;
	aggregate) fold aggregate --aggregate ;;
	perf) perf_ perf ;;
	perf-z) perf_ perf-z -z ;;
	*) echo "no such recorder: $what"; exit 2 ;;
	esac
done
