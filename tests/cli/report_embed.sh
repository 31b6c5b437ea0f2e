#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# fold-report embed: the copy reads on a machine without the files as the original does with them.
set -u
gen=$BUILD/tests/gen/gen
[ -x "$gen" ] || { echo "$gen is not built"; exit 1; }
embed() { "$FOLD_REPORT" embed -q "$@"; }

# What nothing can be added to comes out byte for byte; a tail that was cut is left out.
for seed in 1 2 3 4 5 6 7 8; do
	"$gen" --seed $seed in.foldrec || exit 1
	embed --no-system -o out.foldrec in.foldrec || exit 1
	cmp in.foldrec out.foldrec || { echo "seed $seed: not the same bytes"; exit 1; }
done
"$gen" --samples 5000 --stacks 100 --threads 5 --rows 1000 in.foldrec || exit 1
head -c -10 in.foldrec >cut.foldrec
embed --no-system -o out.foldrec cut.foldrec || exit 1
"$FOLD_REPORT" dump cut.foldrec | grep -v '"is":"\(cut\|end\)"' >want
"$FOLD_REPORT" dump out.foldrec | grep -v '"is":"end"' | cmp want - || { echo "a cut recording: not all that was read"; exit 1; }
cat in.foldrec | "$FOLD_REPORT" embed -o refused.foldrec - 2>err && { echo "a pipe was accepted"; exit 1; }
grep -q 'is no file' err && [ ! -e refused.foldrec ] || { echo "a pipe: $(cat err)"; exit 1; }
embed -o refused.foldrec missing.foldrec 2>err && { echo "a file that is not there was accepted"; exit 1; }
grep -q 'missing.foldrec: cannot be opened: No such file' err || { echo "a file that is not there: $(cat err)"; exit 1; }
[ "$(stat -c %a out.foldrec)" = 600 ] || { echo "others can read the copy: $(stat -c %A out.foldrec)"; exit 1; }

"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
${CC:-cc} -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id -o names "$SRC/tests/cli/programs/names.c" || exit 1
"$FOLD_RECORD" -q -F 499 -o x.foldrec -- ./names 0.7 || exit 1
"$FOLD_REPORT" -q --symbols . x.foldrec >want
grep -qE "main;(burn_from_outer;)?burn_in_static" want || { echo "the program's functions have no names"; cat want; exit 1; }
embed --symbols . -o named.foldrec x.foldrec || exit 1
rm names
"$FOLD_REPORT" check -q named.foldrec || exit 1
"$FOLD_REPORT" -q --no-system x.foldrec | grep -q burn_in_static && { echo "the original has names: the test proves nothing"; exit 1; }
"$FOLD_REPORT" -q --no-system named.foldrec >got
diff want got >differences || { echo "not the same report without the files:"; head -5 differences; exit 1; }
# Only what was hit, and a recording with names is a recording to all verbs.
"$FOLD_REPORT" info --strings named.foldrec | grep -qx 'SYMBOLS *burn_in_static' || { echo "info --strings does not list embedded names"; exit 1; }
"$FOLD_REPORT" info --strings named.foldrec | grep -q '_init$' && { echo "a function that no stack goes through was named"; exit 1; }
embed --no-system -o again.foldrec named.foldrec && cmp named.foldrec again.foldrec || { echo "embedding twice adds something"; exit 1; }
"$FOLD_REPORT" merge -q -o merged.foldrec x.foldrec named.foldrec || exit 1
"$FOLD_REPORT" -q --no-system merged.foldrec | awk '{ n += $NF } /burn_in_static/ { named += $NF } END { exit !(named > n / 2) }' ||
	{ echo "merged: names of one recording do not name the same code of another"; exit 1; }
"$FOLD_REPORT" redact -q -o redacted.foldrec named.foldrec || exit 1
"$FOLD_REPORT" dump redacted.foldrec | grep -q burn_in_static && { echo "redact left embedded names of a user's program"; exit 1; }
exit 0
