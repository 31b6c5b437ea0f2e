#!/usr/bin/env bash
# What fuzzing found worth keeping, and all golden files, through the fuzz targets
# of the file format, under sanitizers.
set -eu
shopt -s nullglob
"$SRC/tests/fuzz/build" replay "$PWD/bin"
bin/reader "$SRC"/tests/fuzz/corpus/reader/* "$SRC"/tests/golden/*/*.foldrec
bin/section "$SRC"/tests/fuzz/corpus/section/*
