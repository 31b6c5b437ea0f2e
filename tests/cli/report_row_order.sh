#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Samples stand by thread, or by time, or in any order: what is selected and told is the same.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
exec python3 "$SRC/tests/cli/row_order.py"
