#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# make demo's script works and leaves its files.
set -u
[ "$(id -u)" -eq 0 ] || { echo "not root"; exit 77; }
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec >/dev/null 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
DEMO_SECONDS=2 "$SRC/tests/demo/demo" "$BUILD" "$PWD" || exit 1
head -c 5 demo.foldrec | tail -c 4 | grep -q FOLD || { echo "no recording"; exit 1; }
grep -q ' [0-9][0-9]*$' demo.folded || { echo "no folded lines"; exit 1; }
grep -q '<svg' demo.svg || { echo "no picture"; exit 1; }
