#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What is in undamaged chunks is read, all of it, and damage never goes unsaid.

One recording, cut at every byte, and with every byte changed, and with each of its chunks
taken out or repeated.  Which chunks are whole is known here, so what has to be read is known
too: their lines of the dump, and no others.
"""
import os
import re
import subprocess
import sys

import foldread
from build import *

OFFSET = re.compile(r'"offset":\d+,')
SIGNS = ('{"is":"damage"', '{"is":"cut"', '{"is":"contradiction"', '{"is":"stopped"')


def recording():
    """[bytes of the file header, of each chunk]: META and its copy, three batches, NOTE, END, SYMBOLS."""
    closing = section(10, record(0, 0, 0, 2))
    payloads = [
        (META, meta()), (META, meta()),
        (BATCH, definitions() + samples(2) + closing),
        (NOTE, section(1, b"a note with a recording in it: " + foldread.MAGIC + foldread.SYNC)),
        (BATCH, section(1, 4, text(b"d")) + section(6, 1, stacks(0, 1, 1, 0x20 << 2)) + samples(2) + closing),
        (BATCH, section(5, 2, thread(0, 9, 4)) + section(8, 2, column(1, sv(5), sv(5)), column(3, sv(2), sv(-2)), column(4, sv(2), sv(0))) + closing),
    ]
    chunks = [chunk(kind, seq, payload) for seq, (kind, payload) in enumerate(payloads)]
    chunks.append(chunk(END, len(chunks), end_payload(chunks, ((6, 6, 0),))))
    return [file_header(), *chunks, chunk(SYMBOLS, len(chunks), SYMBOLS_PAYLOAD)]


def dump_both(data, report):
    mine = []
    foldread.dump(data, mine.append)
    if report:
        done = subprocess.run([report, "dump", "-"], input=data, capture_output=True, check=False)
        theirs = done.stdout.decode("utf-8").splitlines()
        if theirs != mine:
            raise AssertionError("the readers differ: %s" % [pair for pair in zip(mine, theirs) if pair[0] != pair[1]][:1])
    return mine


def groups(lines):
    """The lines of each chunk that was read, without offsets; META's without seq either."""
    found = []
    for text_of in lines:
        if text_of.startswith('{"is":"chunk"'):
            found.append([OFFSET.sub("", re.sub(r'"seq":[01],', "", text_of))])
        elif found and not text_of.startswith(SIGNS + ('{"is":"end"', '{"is":"segment"')):
            found[-1].append(text_of)
    return found


class Damage:
    def __init__(self, parts, report):
        self.parts, self.report, self.tried, self.wrong = parts, report, 0, 0
        meta_lines, *rest = groups(dump_both(b"".join(parts), report))
        self.expected = [meta_lines, meta_lines, *rest]  # by chunk; the copy prints nothing of its own
        assert len(self.expected) == len(parts) - 1

    def check(self, what, data, whole, sign=True):
        """`whole`: numbers of the chunks that have to be read, and nothing else may be."""
        self.tried += 1
        lines = dump_both(data, self.report)
        want = [self.expected[i] for i in whole if i > 1]
        if {0, 1} & set(whole):
            want.insert(0, self.expected[0])
        if groups(lines) != want:
            self.fail("%s: read %d chunks, not %d" % (what, len(groups(lines)), len(want)))
        if sign and not any(text_of.startswith(SIGNS) for text_of in lines):
            self.fail("%s: goes unsaid" % what)

    def fail(self, why):
        self.wrong += 1
        print("not ok " + why)


def place_of(parts, at):
    """Number of the part that byte `at` belongs to."""
    for i, part in enumerate(parts):
        if at < len(part):
            return i
        at -= len(part)
    return None


def main():
    report = os.environ.get("FOLD_REPORT")
    parts = recording()
    data, n = b"".join(parts), len(parts) - 1
    damage = Damage(parts, report if report and os.access(report, os.X_OK) else None)
    ends = [sum(map(len, parts[:i + 2])) for i in range(n)]
    for at in range(16, len(data)):
        # A cut between two chunks is no damage; END is missing then, and that is to be seen in the lines.
        damage.check("cut at byte %d" % at, data[:at], [i for i in range(n) if ends[i] <= at], at not in ends and at != 16)
    for at in range(len(data)):
        for change in (0x01, 0x80, 0xFF):
            hurt = data[:at] + bytes([data[at] ^ change]) + data[at + 1:]
            damage.check("byte %d changed by 0x%02x" % (at, change), hurt, [i for i in range(n) if i + 1 != place_of(parts, at)])
    for i in range(n):
        without = b"".join(part for k, part in enumerate(parts) if k != i + 1)
        damage.check("chunk %d taken out" % i, without, [k for k in range(n) if k != i], i + 1 < n)
        damage.check("chunk %d repeated" % i, b"".join(parts[:i + 2]) + b"".join(parts[i + 1:]), range(n))
        for at in range(0, len(parts[i + 1]), 7):
            hurt = b"".join(parts[:i + 1]) + parts[i + 1][:at] + parts[i + 1][at + 5:] + b"".join(parts[i + 2:])
            damage.check("chunk %d, bytes %d..%d taken out" % (i, at, at + 4), hurt, [k for k in range(n) if k != i])
    print("%d damaged recordings of %d bytes, %d wrong%s" % (damage.tried, len(data), damage.wrong, "" if damage.report else "; without fold-report"))
    return 1 if damage.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
