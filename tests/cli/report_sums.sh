#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is selected, and nothing else, is in every format: generated recordings and
# chance's options, against the sums of tests/spec/foldread.py.  FOLD_SUMS=N: so many.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
[ -x "$BUILD/tests/gen/gen" ] || { echo "$BUILD/tests/gen/gen is not built"; exit 1; }
exec python3 "$SRC/tests/cli/sums.py" "$BUILD/tests/gen/gen" "${FOLD_SUMS:-12}"
