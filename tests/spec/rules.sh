#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No rule of SPEC.md is without a test.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
exec python3 "$SRC/tests/spec/rules.py"
