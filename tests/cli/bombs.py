#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Small recordings that ask for much: NAME.foldrec each, for report_limits.sh."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["SRC"], "tests", "spec"))
from build import *  # noqa: E402,F403
from foldread import BATCH  # noqa: E402

RAW = 16 << 20


def packed(payload, seq, level="-19"):
    stored = subprocess.run(["zstd", "-q", level, "-c", "--no-check", "--stream-size=%d" % len(payload)], input=payload, stdout=subprocess.PIPE,
                            check=True).stdout
    return chunk(BATCH, seq, payload, codec=1, stored=stored)


def write(name, *batches, level="-19"):
    with open(name + ".foldrec", "wb") as out:
        out.write(file_header() + chunk(META, 0, meta()) + chunk(BATCH, 1, definitions()))
        for i, batch in enumerate(batches):
            out.write(packed(batch, 2 + i, level))


def zeros(number, first, more):
    """A section of a list whose entries are zeros."""
    return section(number, uv(first) + b"\0" * more)


def main():
    three = RAW // 3 - 10
    # nothing at all, 32,000 times its size
    write("zeros", *(b"\0" * RAW for _ in range(8)))
    # empty stacks of three bytes, 5.6 million a chunk
    write("stacks", *(zeros(7, 1 + i * three, 3 * three) for i in range(8)))
    # a stack of 1,024 frames, and stacks of three bytes that share all of it
    deep = uvs(0, 1024, 0) + uv(0x10000 << 2) + b"\4" * 1023
    many = 1 << 20
    shared = uvs(1024, 0, 0) * many
    write("sharing", *(section(7, uv(1 + i * (many + 1)) + deep + shared) for i in range(8)))
    # frames that are all different, in stacks that are all sampled: a node for each byte
    for name, count in (("nodes", 1500), ("flood", 15000)):
        body = uv(1) + b"".join(uvs(0, 1024, 0) + uv((0x20000 + 1100 * i) << 2) + b"\4" * 1023 for i in range(count))
        write(name, section(2, uvs(2, 0x20000), module(1 << 30)) + section(7, body) + samples(count, more=column(5, sv(2) + sv(1) * (count - 1))))
    # a million samples of one byte a column
    rows = 1 << 20
    write("samples", *(samples(rows) for _ in range(64)))
    # 2^60 samples in one row, four times
    write("counts", *(section(9, sv(0), sv(1), 1, column(3, b"\0"), column(7, uv(1 << 60))) for _ in range(4)))
    # modules that fill the space
    write("spans", section(2, uvs(2, 0x20000), *(module(1 << 40) for _ in range(1000))), section(9, sv(0), sv(1), 1, column(3, b"\0"), column(7, uv(3))))
    # as many frames as a recording may have, and one more
    deep = uvs(0, 1024, 0) + b"\5" * 1024
    per_chunk, stacks = 16000, (1 << 28) // 1024 - 1
    full = [section(7, uv(1 + first) + deep * min(per_chunk, stacks - first)) for first in range(0, stacks, per_chunk)]
    for name, rest in (("frames", 1022), ("frames-and-one", 1023)):  # the definitions have two
        write(name, *full, section(7, uv(1 + stacks) + uvs(0, rest, 0) + b"\5" * rest), level="-1")
    # threads that are defined and never seen
    write("threads", section(5, uv(2), record(0, 0, 0) * (1 << 20)), section(5, uv(2 + (1 << 20)), record(0, 0, 0) * (1 << 20)))


main()
