#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fold-report merge: what is merged adds up, hosts stay apart, names stay right.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
[ -x "$BUILD/tests/gen/gen" ] || { echo "$BUILD/tests/gen/gen is not built"; exit 1; }
exec python3 "$SRC/tests/cli/merging.py" "$BUILD/tests/gen/gen"
