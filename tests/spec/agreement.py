#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Two readers, one dump: foldread.py and `fold-report dump`, byte by byte.

On golden files, on recordings from a seed, and on the same ones damaged: bytes cut, flipped,
taken out and put in, chunks lost, repeated and exchanged, and payloads changed under a
checksum that is right, so that they come through to the decoders.

  agreement.py [FIRST-SEED]     FOLD_AGREEMENT=N: seeds to try, 50 by default
"""
import json
import os
import random
import subprocess
import sys

import build
import foldread
import foldread_text

SOURCE = os.environ.get("SRC", os.path.join(os.path.dirname(__file__), "..", ".."))
NOT_WHOLE = ('{"is":"damage"', '{"is":"cut"', '{"is":"contradiction"', '{"is":"stopped"')
DAMAGED = 12  # variants of each recording


def places(data):
    """Where the chunks of an undamaged recording are: [(start, end)]."""
    reader, at, found = foldread.Reader(data, None), 0, []
    while at < len(data):
        if reader.file_header(at):
            at += 16
            continue
        head = reader.chunk_header(at)
        found.append((at, head.end))
        at = head.end
    return found


# ---- damage to the container; each takes and gives the bytes of a file

def cut(r, data):
    return data[:r.randrange(len(data))]


def flip(r, data):
    at = r.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << r.randrange(8)]) + data[at + 1:]


def flip_header(r, data):
    at = r.choice(places(data))[0] + r.randrange(32)
    return data[:at] + bytes([data[at] ^ 1 << r.randrange(8)]) + data[at + 1:]


def take_out(r, data):
    at = r.randrange(len(data))
    return data[:at] + data[at + r.randrange(1, 100):]


def put_in(r, data):
    at = r.randrange(len(data))
    return data[:at] + r.choice([b"\0" * 40, r.randbytes(50), build.file_header(), foldread.SYNC * 9]) + data[at:]


def chunks_moved(r, data):
    found = places(data)
    (a, b), (c, d) = sorted(r.choices(found, k=2))
    return r.choice([
        data[:a] + data[b:],                                               # lost
        data[:b] + data[a:],                                               # repeated
        data[:d] + data[a:b] + data[d:],                                   # repeated later
        data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:] if a < c else data,  # exchanged
    ])


def put_together(r, data):
    return data + r.choice([data, data[16:], cut(r, data), b"\0" * 7 + data])


# ---- damage under a right checksum

def mutate(r, payload):
    payload = bytearray(payload)
    for _ in range(r.choice([1, 1, 1, 2, 5])):
        at = r.randrange(len(payload) + 1)
        what = r.randrange(5)
        if what == 0 and at < len(payload):
            payload[at] ^= 1 << r.randrange(8)
        elif what == 1 and at < len(payload):
            payload[at] = r.choice([0, 1, 0x7F, 0x80, 0xFF, r.randrange(256)])
        elif what == 2:
            payload[at:at] = r.choice([b"\x80", b"\0", b"\xff" * 9 + b"\x01", r.randbytes(2)])
        elif what == 3:
            del payload[at:at + 1]
        else:  # a field made larger by one
            if at < len(payload) and payload[at] & 0x7F != 0x7F:
                payload[at] += 1
    return bytes(payload)


def payload_changed(r, data):
    start, end = r.choice(places(data))
    head = foldread.Header(data, start)
    reader = foldread.Reader(data, None)
    payload = mutate(r, reader.payload(head)) if head.known else b""
    return data[:start] + build.chunk(head.type, head.seq, payload) + data[end:]


def header_changed(r, data):
    start, end = r.choice(places(data))
    head = foldread.Header(data, start)
    change = r.choice([{"codec": r.randrange(4)}, {"flags": 1 << r.randrange(8)}, {"reserved": r.randrange(3)},
                       {"raw_len": head.raw_len + r.choice([-1, 1, 1 << 24]) & 0xFFFFFFFF},
                       {"stored_len": r.choice([0, 1, 31, 1 << 24, (1 << 24) + 1, 0xFFFFFFFF])}])
    kind = r.choice([head.type] * 4 + [1, 2, 3, 4, 0x4001, 0x8001, 0x8002, 0x8003, 0xC000])
    seq = head.seq + r.choice([0] * 6 + [1, 2, -1, 1000, -head.seq]) & 0xFFFFFFFF
    fields = {"codec": head.codec, "flags": head.flags, "raw_len": head.raw_len, **change}
    return data[:start] + build.chunk(kind, seq, data[start + 32:end], **fields) + data[end:]


DAMAGES = [cut, flip, flip_header, take_out, put_in, chunks_moved, put_together, header_changed] + 6 * [payload_changed]


# ---- comparing

class Comparison:
    def __init__(self, report):
        self.report, self.files, self.different, self.lines = report, 0, 0, 0
        shown = subprocess.run([report, "check", "--help"], capture_output=True, check=False)
        self.has_check = b"check" in shown.stdout
        self.outcomes = {"whole": 0, "damage": 0, "stopped": 0}

    def dumps(self, data):
        mine = []
        foldread.dump(data, mine.append)
        done = subprocess.run([self.report, "dump", "-"], input=data, capture_output=True, check=False)
        theirs = done.stdout.decode("utf-8", "surrogateescape").split("\n")
        if done.returncode < 0 or done.returncode > 2:
            theirs.append("(exit %d: %s)" % (done.returncode, done.stderr[-2000:].decode("utf-8", "replace")))
        return mine, theirs[:-1] if theirs[-1] == "" else theirs

    def same(self, name, data):
        mine, theirs = self.dumps(data)
        self.files += 1
        self.lines += len(mine)
        stopped = mine[-1].startswith('{"is":"stopped"')
        hurt = any(text.startswith(NOT_WHOLE) for text in mine)
        self.outcomes["stopped" if stopped else "damage" if hurt else "whole"] += 1
        if mine == theirs:
            return mine
        self.different += 1
        keep = "different-%d.foldrec" % self.different
        with open(keep, "wb") as file:
            file.write(data)
        at = next((i for i, (a, b) in enumerate(zip(mine, theirs)) if a != b), min(len(mine), len(theirs)))
        print("not ok %s (kept as %s), line %d" % (name, os.path.abspath(keep), at + 1))
        for who, lines in (("foldread.py", mine), ("fold-report", theirs)):
            print("  %s: %s" % (who, lines[at][:300] if at < len(lines) else "(nothing)"))
        return mine


def restored():
    """Strings of the dump: JSON, nothing in them that a terminal obeys, and the bytes can be had back."""
    r, pieces = random.Random(1), [b"a", b'"', b"\\", b"\n", b"\x1b[", b"\x7f", b"\xc2\x9b", b"\xc3\xa9", b"\xe2\x82\xac", b"\xf0\x9f\x94\xa5",
                                   b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xff", b"\xe2\x82"]
    for _ in range(5000):
        data = b"".join(r.choices(pieces, k=r.randrange(6))) if r.randrange(2) else r.randbytes(r.randrange(12))
        shown = foldread_text.quote(data)
        if json.loads(shown).encode("utf-8", "surrogateescape") != data or any(ord(c) < 32 or 127 <= ord(c) < 160 for c in shown):
            print("not ok %r is shown as %s" % (data, shown))
            return False
    return True


def golden(comparison):
    top = os.path.join(SOURCE, "tests", "golden")
    for folder, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            if name.endswith(".foldrec"):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    comparison.same(os.path.relpath(path, SOURCE), file.read())


def from_seed(comparison, gen, seed):
    data = subprocess.run([gen, "--seed", str(seed), "-"], capture_output=True, check=True).stdout
    hurt = [text for text in comparison.same("seed %d" % seed, data) if text.startswith(NOT_WHOLE)]
    if hurt:
        comparison.different += 1
        print("not ok seed %d is not a valid recording: %s" % (seed, hurt[0]))
    check = subprocess.run([comparison.report, "check", "-"], input=data, capture_output=True, check=False)
    if check.returncode and comparison.has_check:
        comparison.different += 1
        print("not ok seed %d: fold-report check is not content: %s" % (
            seed, (check.stdout + check.stderr).decode("utf-8", "replace")[-500:]))
    r = random.Random(seed)
    for i in range(DAMAGED):
        damage = r.choice(DAMAGES)
        comparison.same("seed %d, variant %d (%s)" % (seed, i, damage.__name__), damage(r, data))


def main():
    report, gen = os.environ["FOLD_REPORT"], os.path.join(os.environ["BUILD"], "tests", "gen", "gen")
    for program in (report, gen):
        if not os.access(program, os.X_OK):
            print("%s is not built" % program)
            return 77
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    comparison = Comparison(report)
    comparison.different += not restored()
    golden(comparison)
    for seed in range(first, first + int(os.environ.get("FOLD_AGREEMENT", "50"))):
        from_seed(comparison, gen, seed)
    print("%d files, %d lines, %d different; %s" % (
        comparison.files, comparison.lines, comparison.different,
        ", ".join("%d %s" % (n, outcome) for outcome, n in comparison.outcomes.items())))
    return 1 if comparison.different else 0


if __name__ == "__main__":
    sys.exit(main())
