#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What a sample costs in the kernel, by the kernel's own count (bpf_stats): with
# frame pointers, with unwind tables, and with nothing but the helper that takes both
# stacks.  All three watch the same process at the same time.
#   tests/bench/bpf_time.sh [PROGRAM ...]      of those below; default: all
# Prints figures; asserts nothing.  They are of a machine that is otherwise idle, or
# worth little.
set -u
SRC=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$SRC/build}
CC=${CC:-cc} CLANG=${CLANG:-clang} SECONDS_EACH=${SECONDS_EACH:-8}
record=$BUILD/fold-record report=$BUILD/fold-report
[ -x "$record" ] && [ -x "$report" ] || { echo "build $record and $report first"; exit 1; }
stats=/proc/sys/kernel/bpf_stats_enabled
[ -w $stats ] || { echo "not root"; exit 77; }
work=$(mktemp -d)
before=$(cat $stats)
load=
leave() { [ -n "$load" ] && kill -- "-$load" 2>/dev/null; echo "$before" >$stats; rm -rf "$work"; }
trap leave EXIT
echo 1 >$stats
arch=$(uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
$CLANG -target bpf -O2 -g -mcpu=v2 -D__TARGET_ARCH_"$arch" -I"/usr/include/$($CC -print-multiarch)" -c -o "$work/bare.bpf.o" "$SRC/tests/bench/bare.bpf.c" || exit 1
$CC -O2 -o "$work/bare" "$SRC/tests/bench/bare.c" -lbpf -lelf -lz || exit 1

load_sha256sum() { exec sha256sum /dev/zero; }
load_xz() { exec xz -9 -c /dev/urandom >/dev/null; }
load_python3() { exec python3 -c '
import json, re
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
while True:
	fib(15); sorted(range(5000), key=lambda x: -x); json.loads(json.dumps({str(i): [i] for i in range(500)})); re.findall(r"(a|b)+c", "ababc" * 200)'; }
load_perl() { exec perl -e '
sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
while (1) { fib(15); my %h = map { $_ => 1 } sort { $b <=> $a } 1 .. 3000; my $s = "abc" x 1000; $s =~ s/b(c)/$1$1/g }'; }
load_node() { exec node -e '
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
for (;;) { fib(20); JSON.parse(JSON.stringify([...Array(3000).keys()].map(String))); "abc".repeat(1000).replace(/b(c)/g, "$1$1") }'; }
load_cc1() {
	awk 'BEGIN { for (i = 0; i < 4000; i++) printf "int f%d(int *p, int n) { int s = %d; for (int i = 0; i < n; i++) { switch (p[i] & 7) { case 0: s += p[i] * %d; break; case 3: s ^= i; break; default: s -= p[s & 15]; } } return s; }\n", i, i, i }' >"$work/many.c"
	exec "$($CC -print-prog-name=cc1)" -quiet -O2 -o /dev/null "$work/many.c"
}

counted() { # PID: runs and ns of the perf_event programs that it holds
	awk 'FNR == 1 { type = 0 } $1 == "prog_type:" { type = $2 } type == 7 && $1 == "run_time_ns:" { ns += $2 } type == 7 && $1 == "run_cnt:" { n += $2 }
		END { print n + 0, ns + 0 }' /proc/"$1"/fdinfo/* 2>/dev/null
}
measure() { # LOAD
	local pid watchers=()
	set -m
	("load_$1") >/dev/null 2>&1 &
	load=$!
	set +m
	sleep 1
	"$work/bare" "$work/bare.bpf.o" 997 $((SECONDS_EACH + 6)) "$load" &
	watchers+=($!)
	"$record" -q --test-inherit -F 1009 -d $((SECONDS_EACH + 6)) --unwind fp -o "$work/fp.foldrec" -f -p "$load" &
	watchers+=($!)
	"$record" -q --test-inherit -F 1013 -d $((SECONDS_EACH + 6)) --unwind auto -o "$work/auto.foldrec" -f -p "$load" &
	watchers+=($!)
	sleep 4 # caches fill
	for pid in "${watchers[@]}"; do counted "$pid" >"$work/$pid.0"; done
	sleep "$SECONDS_EACH"
	for pid in "${watchers[@]}"; do counted "$pid" >"$work/$pid.1"; done
	wait "${watchers[@]}"
	kill -- "-$load" 2>/dev/null; wait "$load" 2>/dev/null; load=
	{
		for pid in "${watchers[@]}"; do paste "$work/$pid.0" "$work/$pid.1"; done
		"$report" info -q "$work/auto.foldrec" | sed -n 's/.*with a user stack, \([0-9.]*\) frames deep/\1/p'
	} | awk -v name="$1" '
		NF == 4 { runs[NR] = $3 - $1; ns[NR] = $3 > $1 ? ($4 - $2) / ($3 - $1) : 0 }
		NF == 1 { depth = $1 }
		END { if (!ns[1] || !ns[2] || !depth) { print name ": no samples"; exit }
		      printf "%-10s %7d %7.1f %8.0f %8.0f %8.0f %8.2f %8.2f %8.0f\n", name, runs[3], depth, ns[1], ns[2], ns[3], ns[2] / ns[1], ns[3] / ns[2], ns[3] / depth }'
}
printf '%-10s %7s %7s %8s %8s %8s %8s %8s %8s\n' program samples depth bare fp auto fp/bare auto/fp ns/frame
for name in "${@:-sha256sum xz python3 perl node cc1}"; do
	for one in $name; do measure "$one"; done
done
