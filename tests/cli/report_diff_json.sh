#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What changed between two builds, as JSON.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
exec python3 "$SRC/tests/cli/comparing.py"
