#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What undamaged chunks hold is read, whatever happened to the others.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
exec python3 "$SRC/tests/spec/damage.py"
