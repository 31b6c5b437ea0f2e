#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The recorder is one static binary of less than 2 MiB, which any host can run.
set -u
file -L "$FOLD_RECORD" | grep -q 'statically linked' || { echo "not static: $(file -L "$FOLD_RECORD")"; exit 1; }
ldd "$FOLD_RECORD" >/dev/null 2>&1 && { echo "it wants shared libraries:"; ldd "$FOLD_RECORD"; exit 1; }
strip -o stripped "$FOLD_RECORD"
size=$(stat -c %s stripped)
echo "$size bytes"
[ "$size" -lt $((2 << 20)) ]
