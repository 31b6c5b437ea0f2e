#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every rule of SPEC.md that a reader can tell, in one recording for each case.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
exec python3 "$SRC/tests/spec/cases.py"
