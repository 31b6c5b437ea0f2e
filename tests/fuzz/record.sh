#!/usr/bin/env bash
# Seeds and what fuzzing found, through the recorder's fuzz targets under sanitizers.
set -eu
"$SRC/tests/fuzz/build_record" replay "$PWD/bin"
bin/identity "$SRC"/tests/fuzz/corpus/identity/*
bin/proctext "$SRC"/tests/fuzz/corpus/proctext/*
