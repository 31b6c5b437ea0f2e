#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Only the base name of a program outside the system's directories is recorded.
# Who reports where he recorded still gets its names: it is found in or below the
# working directory or in $PATH, and taken only if the build-id fits.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
mkdir -p work/build elsewhere
build() { # FILE FLAG...
	local file=$1; shift
	printf '%s\n' 'volatile unsigned long n;' '__attribute__((noinline)) void spin_here(unsigned long i) { while (i--) n = n + i; }' \
		'int main(void) { spin_here(300000000ul); return 0; }' >spin.c
	${CC:-cc} "$@" -Wl,--build-id -o "$file" spin.c
}
build work/build/spinner -O1 || exit 1
cd work || exit 1
"$FOLD_RECORD" -q -F 499 -o x.foldrec -- build/spinner || exit 1
named() { "$FOLD_REPORT" -q -f folded "$@" | grep -q 'spin_here'; }
"$FOLD_REPORT" dump x.foldrec | grep -q "$PWD" && { echo "the directory is in the recording"; exit 1; }
named x.foldrec || { echo "not found below the working directory"; exit 1; }
cd ../elsewhere || exit 1
named ../work/x.foldrec && { echo "found from elsewhere: how?"; exit 1; }
PATH=$PATH:$(realpath ../work/build) named ../work/x.foldrec || { echo "not found in \$PATH"; exit 1; }
named --symbols ../work ../work/x.foldrec || { echo "not found by --symbols"; exit 1; }
cd ../work && (cd .. && build work/build/spinner -O2 -DX) || exit 1
named x.foldrec && { echo "another build gave its names"; exit 1; }
exit 0
