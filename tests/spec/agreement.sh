#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Both readers print the same dump, of whole and of damaged recordings.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
exec python3 "$SRC/tests/spec/agreement.py"
