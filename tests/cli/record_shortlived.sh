#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Some 500 processes that live for milliseconds, all started after the recording:
# nearly every sample has a process with a name, nearly every frame in a file a
# module with a build-id.
set -u
cat >tiny.c <<'C'
int main(void) { return 0; }
C
cat >load.sh <<'L'
for i in $(seq $1); do sh -c 'ls /usr/bin >/dev/null; :'; ls -l /etc >/dev/null; cc -O0 -o tiny tiny.c; done
L
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
"$FOLD_RECORD" -q -F 999 -o x.foldrec -- sh load.sh 70 || exit 1
"$FOLD_REPORT" dump x.foldrec >dump || exit 1
"$SRC/tests/cli/shortlived.py" dump 200
