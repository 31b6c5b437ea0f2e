#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Seeds and what fuzzing found worth keeping through every fuzz target, and all
# golden files through those that read recordings, under sanitizers.
set -eu
shopt -s nullglob
"$SRC/tests/fuzz/build" replay "$PWD/bin"
while read -r target _ _ mutator _; do
	case $target in '#'*) continue ;; esac
	files=("$SRC/tests/fuzz/corpus/$target"/*)
	[ "$mutator" = seal ] && files=("$SRC"/tests/fuzz/corpus/{reader,check,report}/* "$SRC"/tests/golden/*/*.foldrec)
	[ ${#files[@]} -gt 0 ] || { echo "$target has no corpus"; exit 1; }
	"bin/$target" "${files[@]}" >"$target.log" 2>&1 || { tail -n 30 "$target.log"; exit 1; }
	echo "$target: $(tail -n 1 "$target.log")"
done <"$SRC/tests/fuzz/targets"
