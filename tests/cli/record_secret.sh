#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# No raw word of a stack and no absolute address reaches the file, even when the
# frame-pointer walk runs through a secret.
set -u
[ "$(uname -m)" = x86_64 ] || { echo "only x86-64 has the program"; exit 77; }
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
${CC:-cc} -O2 -fomit-frame-pointer -o secret "$SRC/tests/cli/programs/secret.c" || exit 1
for mode in "" --aggregate; do
	rm -f x.foldrec
	"$FOLD_RECORD" -q $mode -F 999 -o x.foldrec -- ./secret 3000000000 >starts || exit 1
	"$SRC/tests/cli/payloads.py" x.foldrec >payload || exit 1
	# The walk did meet the secret: runs of words that lie in no mapping were marked.
	"$FOLD_REPORT" -q -f folded x.foldrec | grep -q '\[unknown\]' || { echo "the walk met no unmapped word: the test proves nothing"; exit 1; }
	grep -qa -e PASSWORD -e hunter2 payload && { echo "mode '$mode': the secret is in the file"; exit 1; }
	grep _text$ /proc/kallsyms | head -n 1 | cut -d' ' -f1 >>starts
	python3 - "$mode" <<'P' || exit 1
import sys
payload = open("payload", "rb").read()
def uv(n):
    out = bytearray()
    while True:
        out.append((n & 127) | (128 if n > 127 else 0))
        n >>= 7
        if not n:
            return bytes(out)
starts = [int(s, 16) for s in open("starts").read().split()]
starts = [s for s in starts if s > 1 << 32]
assert len(starts) >= 4, starts
bad = 0
for start in starts:
    for name, form in (("little-endian", start.to_bytes(8, "little")[:6 if start < 1 << 48 else 8]),
                       ("varint", uv(start)), ("signed varint", uv(start << 1)),
                       ("token", uv(start << 2)), ("page", uv(start >> 12)),
                       ("hex", b"%x" % start)):
        if form in payload:
            print("mode '%s': start address %x stands in the file as %s" % (sys.argv[1], start, name))
            bad = 1
sys.exit(bad)
P
done
