#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the worked recordings of SPEC.md into the working directory, NAME.foldrec each."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["SRC"], "tests", "spec"))
import hexdumps  # noqa: E402

with open(os.path.join(os.environ["SRC"], "SPEC.md"), encoding="utf-8") as spec:
    for recording in hexdumps.recordings(spec.read()):
        with open(recording.name + ".foldrec", "wb") as out:
            out.write(recording.data)
