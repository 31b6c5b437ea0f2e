#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A pipe that still grows: the report comes when it ends, or at Ctrl-C.
set -u
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
gen=$BUILD/tests/gen/gen
[ -x "$gen" ] || { echo "$gen is not built"; exit 77; }
"$gen" --samples 400000 --stacks 2000 --threads 40 whole.foldrec || exit 1
python3 "$SRC/tests/cli/streaming.py" whole.foldrec
