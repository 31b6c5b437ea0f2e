#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# file(1) knows a recording by format/fold.magic, and that file is what SPEC.md shows.
command -v file >/dev/null || { echo "file is not installed"; exit 77; }

sed -n '/^```magic$/,/^```$/p' "$SRC/SPEC.md" | grep -v '^```' | cmp - "$SRC/format/fold.magic" || exit 1

printf '\217FOLD\r\n\n\001\000\000\000\160\345\056\050' >good
printf '\217FOLD\n\n\001\000\000\000\160\345\056\050' >bad

expect() {
	got=$(file -b -m "$SRC/format/fold.magic" "$1" "$2")
	[ "$got" = "$3" ] || { echo "file $1 $2 says \"$got\", want \"$3\""; exit 1; }
}
expect --no-pad good "fold recording, version 1.0"
expect --mime-type good application/x-fold-recording
expect --extension good foldrec
expect --no-pad bad data
