#!/usr/bin/env bash
# Seeds and what fuzzing found, through the builder of unwind tables under sanitizers.
set -eu
"$SRC/tests/fuzz/build_unwind" replay "$PWD/bin"
bin/ehframe "$SRC"/tests/fuzz/corpus/ehframe/*
