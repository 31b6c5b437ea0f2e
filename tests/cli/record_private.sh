#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# R-PRV-1: no command line, environment, host name or user name reaches the file.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
mkdir "$PWD/own-directory-of-a-user" && cp /bin/sh "$PWD/own-directory-of-a-user/tool" || exit 1
loop='i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
SECRET_NAME=value-in-the-environment "$FOLD_RECORD" -q -F 499 -o x.foldrec -- "$PWD/own-directory-of-a-user/tool" -c "$loop; : argument-of-a-command" || exit 1
"$SRC/tests/cli/payloads.py" x.foldrec >payload || exit 1
# Something of the command has to be there, or the rest proves nothing.
grep -qa tool payload || { echo "the command is not in the recording"; exit 1; }
for word in argument-of-a-command value-in-the-environment SECRET_NAME own-directory-of-a-user "$(hostname)"; do
	[ ${#word} -ge 6 ] || continue
	grep -qaF -e "$word" payload && { echo "\"$word\" is in the file"; exit 1; }
done
exit 0
