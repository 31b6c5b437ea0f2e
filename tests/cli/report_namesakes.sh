#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Processes of the same name and number: told apart in a report of two hosts, and not
# when one recording is compared with the other.
gen=$BUILD/tests/gen/gen
[ -x "$gen" ] || { echo "$gen is not built"; exit 1; }
"$gen" --seed 1 --samples 2000 --stacks 20 --threads 2 east.foldrec || exit 1
"$gen" --seed 2 --samples 2000 --stacks 20 --threads 2 west.foldrec || exit 1
roots() { sed 's/;.*//' | sort -u | tr '\n' ' '; }
bad=0
"$FOLD_REPORT" merge -q --file-label host -o both.foldrec east.foldrec west.foldrec || exit 1
for files in both.foldrec "east.foldrec west.foldrec"; do
	got=$("$FOLD_REPORT" -q --no-system --by process $files | roots)
	want="worker/1-1000@east worker/1-1000@west worker/2-1001@east worker/2-1001@west "
	[ "$got" = "$want" ] || { echo "$files: roots are $got"; bad=1; }
done
got=$("$FOLD_REPORT" diff -q --no-system --by process -f folded east.foldrec west.foldrec | roots)
[ "$got" = "worker/1-1000 worker/2-1001 " ] || { echo "a comparison has the roots $got"; bad=1; }
exit $bad
