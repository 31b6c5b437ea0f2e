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


def ustacks(first, count, fresh, tokens, shared=None):
    """Stacks from whole columns."""
    return section(7, first, count, b"" if shared is None else column(1, shared), column(2, fresh), column(4, tokens))


def main():
    many = 1 << 20
    # nothing at all, 32,000 times its size
    write("zeros", *(b"\0" * RAW for _ in range(8)))
    # empty stacks of a byte, a million a chunk
    write("stacks", *(ustacks(1 + i * many, many, b"\0" * many, b"") for i in range(40)))
    # a stack of 1,024 frames, and stacks of three bytes that share all of it
    deep = uv(0x10000 << 2) + b"\4" * 1023
    write("sharing", *(ustacks(1 + i * many, many, uv(1024) + b"\0" * (many - 1), deep, uv(0) + uv(1024) * (many - 1)) for i in range(8)))
    # frames that are all different, in stacks that are all sampled: a node for each byte
    for name, count in (("nodes", 1500), ("flood", 15000)):
        # (from 0, or from where the stack before began if that is not forgotten: they differ in both cases)
        tokens = b"".join(uv((0x20000 + 1100 * i) << 2) + b"\4" * 1023 for i in range(count))
        write(name, section(2, uvs(2, 0x20000), module(1 << 40)) + ustacks(1, count, uv(1024) * count, tokens) + samples(count, more=column(5, sv(2) + sv(1) * (count - 1))))
    # a million samples of one byte a column
    rows = 1 << 20
    write("samples", *(samples(rows) for _ in range(64)))
    # 2^60 samples in one row, four times
    write("counts", *(section(9, sv(0), sv(1), 1, column(3, b"\0"), column(7, uv(1 << 60))) for _ in range(4)))
    # modules that fill the space
    write("spans", section(2, uvs(2, 0x20000), *(module(1 << 40) for _ in range(1000))), section(9, sv(0), sv(1), 1, column(3, b"\0"), column(7, uv(3))))
    # as many frames as a recording may have, and one more
    per_chunk, stacks = 16000, (1 << 28) // 1024 - 1
    full = [ustacks(1 + first, n, uv(1024) * n, b"\5" * 1024 * n) for first in range(0, stacks, per_chunk) for n in (min(per_chunk, stacks - first),)]
    for name, rest in (("frames", 1022), ("frames-and-one", 1023)):  # the definitions have two
        write(name, *full, ustacks(1 + stacks, 1, uv(rest), b"\5" * rest), level="-1")
    # threads that are defined and never seen
    write("threads", section(5, uv(2), record(0, 0, 0) * (1 << 20)), section(5, uv(2 + (1 << 20)), record(0, 0, 0) * (1 << 20)))


main()
