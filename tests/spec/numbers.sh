#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SPEC.md, format/fold.h and the second reader give the same numbers.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
exec python3 "$SRC/tests/spec/numbers.py"
