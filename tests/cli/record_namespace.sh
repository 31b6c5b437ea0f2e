#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# In a pid namespace of one's own: events and counts name the processes that are in it,
# what is outside has no name, and the user is told what does not work there.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
unshare -pf --mount-proc true 2>err || { echo "no pid namespace to be had: $(cat err)"; exit 77; }
${CC:-cc} -O1 -o brief "$SRC/tests/cli/programs/brief.c" -lpthread || exit 1
cp brief outside
./outside threads 100000 >/dev/null &
outside=$!
trap 'kill $outside' EXIT

for how in "" --aggregate; do
	unshare -pf --mount-proc "$FOLD_RECORD" $how -F 999 -f -o in.foldrec -- ./brief threads 300 2>said >cpu || { cat said; exit 1; }
	grep -q "pid namespace of its own" said || { echo "not told of frame pointers:"; cat said; exit 1; }
	"$FOLD_REPORT" -q --by process -f folded in.foldrec >folded || exit 1
	grep -v '^brief-' folded && { echo "whose are these?"; exit 1; }
	unshare -pf --mount-proc "$FOLD_RECORD" -q $how -F 999 -d 1 -f -o all.foldrec 2>said || { cat said; exit 1; }
	"$FOLD_REPORT" check all.foldrec || exit 1
	"$FOLD_REPORT" -q --by process -f folded all.foldrec >folded || exit 1
	grep -vE '^(\[unknown\]|fold-record)' folded && { echo "who is outside has a name"; exit 1; }
	grep -q '^\[unknown\]' folded || { echo "nothing of outside"; exit 1; }
done
exit 0
