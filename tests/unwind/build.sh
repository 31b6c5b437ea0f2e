#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Stacks of processes that are over before anybody could look at them: a compiler,
# started again and again.  Nearly all are whole, whatever else the machine does; only
# while the compiler's own table is made may some of them not be.
set -u
[ "$(uname -m)" = x86_64 ] || { echo "the walker is for x86-64"; exit 77; }
[ -f /sys/kernel/btf/vmlinux ] || { echo "the kernel has no BTF"; exit 77; }
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
for i in 1 2 3 4 5 6 7 8 9; do
	printf '#include <stdio.h>\nint f%d(int a, int *v) { int t = 0; for (int k = 0; k < a; k++) t += v[k & 7] * %d; return printf("%%d", t); }\n' $i $i
done >some.c
compile="${CC:-cc} -O2 -c -o some.o some.c || exit 1"
"$FOLD_RECORD" -v -F 997 -o build.foldrec -- sh -c "$compile; sleep 2; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do $compile; done" 2>said || { cat said; exit 1; }
"$FOLD_REPORT" info build.foldrec >info || exit 1
awk '
	function number() { gsub(",", "", $1); return $1 + 0 }
	/with a user stack/ { all = number() }
	/reached the root|reached a zero frame pointer|the stack was gone/ { whole += number() }
	END { printf "%d of %d user stacks whole, or gone with their process\n", whole, all; exit all < 100 || whole * 100 < all * 95 }' info ||
	{ cat said info; exit 1; }
