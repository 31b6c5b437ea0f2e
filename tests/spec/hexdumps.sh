#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every worked byte of SPEC.md, decoded by both readers.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
exec python3 "$SRC/tests/spec/hexdumps.py"
