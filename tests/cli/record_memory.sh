#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# --max-memory: what has no room is walked by frame pointers, all samples are there
# with a stack, it is said at the end and in the recording; and without the limit it is
# not.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
"$FOLD_RECORD" -v -o how.foldrec -- true 2>err
grep -q "unwind tables:" err || { echo "there is no walker by tables here: $(grep warning err)"; exit 77; }
failed=0

# a compiler's own table is larger than a quarter of 4M
for i in $(seq 300); do echo "int f$i(int x) { for (int i = 0; i < x; i++) x += x * $i >> i; return x; }"; done >load.c
for limit in "" 4M; do
	"$FOLD_RECORD" -v -F 499 ${limit:+--max-memory $limit} -o "at$limit.foldrec" -- sh -c "${CC:-cc} -O2 -c load.c; ${CC:-cc} -O2 -c load.c" 2>"said$limit" || { cat "said$limit"; exit 1; }
	"$FOLD_REPORT" check "at$limit.foldrec" || exit 1
	"$FOLD_REPORT" info "at$limit.foldrec" >"info$limit" || exit 1
done
text="files without an unwind table for want of memory"
grep -q "$text" info && { echo "files without a table, without a limit:"; grep "$text" info; failed=1; }
grep -q "no memory for the unwind tables" said && { echo "told of a limit that is none"; failed=1; }
grep -q "$text" info4M || { echo "the recording does not tell of it:"; cat info4M; failed=1; }
grep -q "warning: no memory for the unwind tables of [0-9]* files, with --max-memory: user stacks go through their code by frame pointers" said4M ||
	{ echo "the user is not told:"; cat said4M; failed=1; }
grep -oE 'rows in [0-9]+ KiB' said4M | awk '{ exit $3 > 1024 }' || { echo "tables are larger than their share"; failed=1; }
grep -oE 'rings of [0-9]+ KiB on [0-9]+ CPUs' said4M | awk '{ exit $3 * $6 > 1024 && $3 > 64 }' || { echo "rings are larger than their share"; failed=1; }

"$FOLD_RECORD" --max-memory 1M -o no.foldrec 2>err; [ $? -eq 2 ] && grep -q 'a size of at least 4M' err || { echo "1M was taken:"; cat err; failed=1; }
"$FOLD_RECORD" --max-memory 64X -o no.foldrec 2>err; [ $? -eq 2 ] || { echo "64X was taken"; failed=1; }
exit $failed
