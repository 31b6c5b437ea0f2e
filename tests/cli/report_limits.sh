#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Small files that ask for much: memory stays in proportion to what they decompress
# to, and within the bound that the manual tells, or --max-memory; what they say is still told.
set -u
for tool in python3 zstd; do command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }; done
bad=0
fail() { echo "$*"; bad=1; }
limited() { python3 "$SRC/tests/cli/limits.py" "$@" >out 2>err || { cat err; bad=1; }; }
says() { grep -qe "$1" "${2:-out}" || { fail "no \"$1\" in:"; head -c 2000 "${2:-out}"; }; }
python3 "$SRC/tests/cli/bombs.py" || exit 1

# name, exit status, MiB: 128 MiB of zeros and of empty stacks, 24 of shared ones
while read -r name status mib; do
	limited "$status" "$mib" -f folded --no-system $name.foldrec
	limited 0 "$mib" info $name.foldrec
done <<'END'
zeros 3 64
stacks 3 400
sharing 3 120
threads 3 120
samples 0 64
counts 0 64
spans 0 64
END
limited 0 64 -f folded -q samples.foldrec; says ' 67108864$'
limited 0 64 -f folded -q counts.foldrec; says ' 4611686018427387904$'
limited 0 64 -f folded -q spans.foldrec; says ' 3$'
limited 0 64 -f json -q counts.foldrec; says 4611686018427387904
limited 3 64 -f folded zeros.foldrec; says '8 damaged places' err

# 2^28 frames are allowed
limited 0 360 check frames.foldrec
limited 1 360 check frames-and-one.foldrec
says 'frames-and-one.foldrec: chunk 19 at byte [0-9]*, section 7: .*R-STK-4\]'
says '1 violation in'

# a node for each byte: as the manual says, 64 bytes to read it and 400 to name it
raw=$((1500 * 1030))
limited 0 $((32 + raw * 64 / 1048576)) info nodes.foldrec
limited 0 $((32 + raw * 400 / 1048576)) -f folded -q --no-system nodes.foldrec
for verb in info "info --strings" "diff flood.foldrec" "missing --no-system" dump "check -q"; do
	limited 1 $((20 + 40)) $verb --max-memory 20M flood.foldrec
	says 'more than --max-memory allows' err
done
limited 1 60 explain --no-system --max-memory 20M flood.foldrec x+0x1
says 'more than --max-memory allows' err
for verb in merge redact "embed --no-system"; do
	limited 1 $((20 + 40)) $verb --max-memory 20M -o there flood.foldrec
	says 'more than --max-memory allows' err
done
compgen -G '.there.*' && fail "a file that is not complete was left behind"
for size in 60M 200M; do
	limited 1 $((${size%M} + 40)) -f folded --no-system --max-memory $size flood.foldrec
	[ -s out ] && fail "there is an output, but not all of it"
	says 'flood.foldrec: byte [0-9]*: reading this needs more than [0-9]* MiB, more than --max-memory allows' err
	limited 1 $((${size%M} + 40)) -f folded --no-system --max-memory $size -o there flood.foldrec
	[ -e there ] && fail "there is a file, but not all of it"
done
limited 0 200 -f folded --no-system --max-memory 1G counts.foldrec
# without the option: 1 GiB for a file of this size
limited 1 1100 -f folded --no-system flood.foldrec
[ -s out ] && fail "there is an output, but not all of it"
says 'naming and drawing what was read needs more than 10.. MiB, the most for [0-9]* bytes of recordings.*--max-memory' err
for size in 1X 1M5 -1 "" 99999999999G; do limited 2 64 --max-memory "$size" counts.foldrec; done
exit $bad
