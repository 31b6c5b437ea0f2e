#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The builder of unwind tables against what readelf makes of the same .eh_frame.
#   tests/unwind/tables.sh        a list of files that differ in how they were made
#   tests/unwind/tables.sh --all  every ELF file below /usr and /root: some minutes
set -u
SRC=${SRC:-$(cd "$(dirname "$0")/../.." && pwd)}
CC=${CC:-cc}
command -v readelf >/dev/null || { echo "no readelf"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "unwind tables are for x86-64"; exit 77; }
rows=$(mktemp -d)/rows
trap 'rm -rf "$(dirname "$rows")"' EXIT
unwind=$SRC/record/unwind
"$CC" -O2 -std=gnu11 -D_GNU_SOURCE -o "$rows" "$SRC/tests/unwind/rows.c" "$unwind"/{pack,ehframe,gopclntab,cfi,expression,image,startup}.c || exit 1
if [ "${1:-}" = --all ]; then
	exec python3 "$SRC/tests/unwind/difftest.py" "$rows" --all
fi
files=()
for name in libc.so.6 ld-linux-x86-64.so.2 libstdc++.so.6 libcrypto.so.3 libgmp.so.10 libgcc_s.so.1; do
	path=$("$CC" -print-file-name="$name")
	[ -f "$path" ] && files+=("$(readlink -f "$path")")
done
for name in python3 git perl bash xz make; do
	path=$(command -v "$name") && files+=("$(readlink -f "$path")")
done
exec python3 "$SRC/tests/unwind/difftest.py" "$rows" "${files[@]}"
