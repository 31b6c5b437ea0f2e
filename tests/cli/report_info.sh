#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# info, check and missing: what they say of whole, cut, damaged and generated
# recordings, in 80 columns, and their exit status.
set -u
gen=$BUILD/tests/gen/gen
[ -x "$gen" ] || { echo "$gen is not built"; exit 77; }
bad=0
fail() { echo "$*"; bad=1; }
run() { # STATUS ARGUMENTS: stdout to out, stderr to err
	local want=$1 got
	shift
	"$FOLD_REPORT" "$@" >out 2>err; got=$?
	[ "$got" -eq "$want" ] || { fail "fold-report $*: exit $got, want $want"; cat err; }
}
says() { grep -qe "$1" "${2:-out}" || { fail "no \"$1\" in:"; cat "${2:-out}"; }; }

"$gen" --samples 50000 --stacks 2000 --threads 40 whole.foldrec || exit 1
size=$(stat -c %s whole.foldrec)
head -c $((size / 2)) whole.foldrec >cut.foldrec
cp whole.foldrec damaged.foldrec
printf '\377\377\377\377' | dd of=damaged.foldrec bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
cat whole.foldrec cut.foldrec >both.foldrec

run 0 info whole.foldrec
says '50,000 .* in the file'
says 'complete: samples taken = samples here + samples lost'
says "the kernel's ring was full"
says 'user stacks'
says 'a sample$'
[ "$(awk '{ if (length($0) > 80) n++ } END { print n + 0 }' out)" -eq 0 ] || { fail "lines of more than 80 columns:"; awk 'length($0) > 80' out; }
cp out whole.info
run 0 info whole.foldrec; cmp -s out whole.info || fail "two runs of info differ"
run 0 info - <whole.foldrec; sed 's/^-$/whole.foldrec/' out | cmp -s - whole.info || fail "info of stdin differs"

run 0 info cut.foldrec; says 'NOT COMPLETE'; says 'damage'
run 0 info damaged.foldrec; says 'the totals at the end are not what was found'; says 'at least 1 chunk lost'; says 'in damaged parts of the file'
run 0 info both.foldrec; says 'complete: samples'; says 'NOT COMPLETE'
run 0 info --strings whole.foldrec; says '^META     cpu-clock'; says '^STRINGS  /usr/lib/libgen.so.1'
run 0 info --strings damaged.foldrec; says 'is not listed' err

run 0 check whole.foldrec; says 'valid: 0 violations'
run 1 check damaged.foldrec; says 'NOT VALID'; says 'R-[A-Z]*-[0-9]'
run 1 check whole.foldrec damaged.foldrec; says '^whole.foldrec: valid'
run 1 check nowhere.foldrec; says 'nowhere.foldrec: cannot be opened' err
echo text >text; run 1 check text

run 0 -f top --no-system whole.foldrec; says '% of the samples end in code without a name: "fold-report missing"' err
run 1 missing --no-system whole.foldrec; says '  .*libgen.so.[0-9]*$'; says 'wanted: .build-id/'
for verb in info check missing; do
	run 2 $verb; says 'no recording given' err
	run 0 $verb --help; says "fold-report $verb"
done
exit $bad
