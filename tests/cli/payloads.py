#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Print every payload of a recording, decompressed, one after the other: what a
leak would have to be in.  Knows only the chunk header of SPEC.md."""
import struct
import subprocess
import sys

data = open(sys.argv[1], "rb").read()
out = sys.stdout.buffer
at = 16
while at + 32 <= len(data):
    sync, kind, codec, flags, seq, stored, raw = struct.unpack_from("<4sHBBIII", data, at)
    if sync != b"\xc7FCK":
        sys.exit("no chunk header at byte %d" % at)
    body = data[at + 32 : at + 32 + stored]
    if codec == 1:
        body = subprocess.run(["zstd", "-dcq"], input=body, stdout=subprocess.PIPE, check=True).stdout
    out.write(body)
    at += 32 + stored
