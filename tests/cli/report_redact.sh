#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fold-report redact: what is taken out is in no payload any more.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
command -v zstd >/dev/null || { echo "zstd is not installed"; exit 77; }
exec python3 "$SRC/tests/cli/redacting.py"
