#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A second reader of recordings, written from SPEC.md alone: prints the canonical dump.

usage: foldread.py FILE|-

It shares nothing with the reader in format/.  Where the two differ, one of them or
SPEC.md is wrong.  It needs nothing but Python, foldread_*.py beside it, and either libzstd
or the zstd command.  Here is the container; what a payload consists of is told by
foldread_payload.py.
"""
import sys

from foldread_bytes import Malformed, Stop, crc32c, must, zstd_decompress
from foldread_numbers import *
from foldread_payload import decode_payload
from foldread_state import State
from foldread_text import line


class Header:
    """A valid chunk header."""

    def __init__(self, data, at):
        number = lambda offset, size: int.from_bytes(data[at + offset:at + offset + size], "little")
        self.type, self.codec, self.flags, self.seq = number(4, 2), data[at + 6], data[at + 7], number(8, 4)
        self.stored_len, self.raw_len, self.stored_crc = number(12, 4), number(16, 4), number(20, 4)
        self.reserved, self.crc_bytes = number(24, 4), data[at + 28:at + 32]
        self.at, self.body = at, at + 32
        self.end = self.body + self.stored_len
        self.known = (self.type in TYPE_NAMES and self.codec in (0, 1) and self.flags & 0x0F == 0
                      and self.reserved == 0)


def contradicts(state):
    """Totals of END against the sums of what was read, and against each other."""
    for event, totals in state.end_totals.items():
        taken, written, lost = totals
        if totals != state.sums.get(event, [0, 0, 0]) or taken != written + lost & MASK:
            return True
    return False


class Reader:
    """Walks a recording and hands each line of its dump to `out`."""

    def __init__(self, data, out):
        self.data, self.out = data, out
        self.nsegments = 0
        self.begin_segment()

    def begin_segment(self):
        self.state, self.meta, self.ended = None, None, False
        self.lost = False
        self.expected, self.chunks, self.headers_crc = 0, 0, 0

    def segment(self, at):
        self.begin_segment()
        self.out(line("segment", n=self.nsegments, offset=at))
        self.nsegments += 1

    def damage(self, at, size, chunks):
        self.out(line("damage", offset=at, bytes=size, chunks=chunks))
        if chunks:
            self.lost = True

    def file_header(self, at):
        head = self.data[at:at + 16]
        return len(head) == 16 and head[:8] == MAGIC and crc32c(head[:12]) == int.from_bytes(head[12:], "little")

    def chunk_header(self, at):
        head = self.data[at:at + 32]
        if len(head) < 32 or head[:4] != SYNC or crc32c(head[:28]) != int.from_bytes(head[28:], "little"):
            return None
        return Header(self.data, at)

    def search(self, at):
        """Where the next valid header begins; the end of the file when there is none."""
        while True:
            magic, sync = self.data.find(MAGIC, at), self.data.find(SYNC, at)
            at = min(x for x in (magic, sync, len(self.data)) if x >= 0)
            if at >= len(self.data) or self.file_header(at) or self.chunk_header(at):
                return at
            at += 1

    def run(self):
        at = 0
        try:
            at = self.start()
            while at < len(self.data):
                at = self.step(at)
            self.out(line("end", bytes=len(self.data)))
        except Stop as stop:
            self.out(line("stopped", offset=stop.args[0]))

    def start(self):
        if self.file_header(0):
            return 0
        head = self.chunk_header(16)
        if not head or head.type != META or head.seq != 0:
            raise Stop(0)
        self.segment(0)
        self.damage(0, 16, 0)
        return 16

    def step(self, at):
        """Whatever is at `at`; returns where to go on."""
        if self.file_header(at):
            if self.data[at + 8] != 1 or self.data[at + 10:at + 12] != b"\0\0":
                raise Stop(at)
            self.segment(at)
            return at + 16
        head = self.chunk_header(at)
        if head:
            return self.chunk(head)
        if len(self.data) - at < 32:
            self.out(line("cut", offset=at, bytes=len(self.data) - at))
            return len(self.data)
        found = self.search(at + 1)
        self.damage(at, found - at, 0)
        return found

    def chunk(self, head):
        if head.type == META and head.seq == 0 and self.chunks and self.begins_segment(head):
            self.segment(head.at)
        if head.seq < self.expected:
            if self.intact(head):
                self.damage(head.at, head.end - head.at, 0)
                return head.end
            return self.broken(head, 0)
        if head.seq > self.expected:
            self.damage(head.at, 0, head.seq - self.expected)
        before = (self.chunks, self.headers_crc)
        self.expected = head.seq + 1
        self.chunks += 1
        self.headers_crc = crc32c(head.crc_bytes, self.headers_crc)
        if not head.known and not head.type & ANCILLARY:
            raise Stop(head.at)
        if not self.intact(head):
            return self.broken(head, 1)
        if not head.known:
            self.out(line("skipped", offset=head.at, seq=head.seq, type=head.type, stored=head.stored_len))
            return head.end
        try:
            self.content(head, before)
        except Malformed:
            self.damage(head.at, head.end - head.at, 1)
        except Stop:
            raise Stop(head.at) from None
        return head.end

    def intact(self, head):
        return (head.stored_len <= MAX_STORED and head.end <= len(self.data)
                and crc32c(self.data[head.body:head.end]) == head.stored_crc)

    def broken(self, head, chunks):
        """R-REC-6: the payload is damaged."""
        found = self.search(head.body)
        if found == len(self.data) and head.end > len(self.data):
            self.out(line("cut", offset=head.at, bytes=len(self.data) - head.at))
        else:
            self.damage(head.at, found - head.at, chunks)
        return found

    def payload(self, head):
        must(head.raw_len <= MAX_RAW, "R-CHK-3")
        stored = bytes(self.data[head.body:head.end])
        if head.codec == 0:
            must(head.raw_len == head.stored_len, "R-CHK-4")
            return stored
        return zstd_decompress(stored, head.raw_len)

    def begins_segment(self, head):
        """A META of seq 0 that is not this segment's: the file header before it is lost."""
        try:
            if not head.known or not self.intact(head):
                return False
            payload = self.payload(head)
            decode_payload(META, payload, State())
        except (Malformed, Stop):
            return False
        return payload != self.meta

    def content(self, head, before):
        if head.type == META:
            payload = self.payload(head)
            if self.meta is not None:
                must(payload == self.meta, "R-ORD-2")
                return
            state = State()
        else:
            must(self.meta is not None, "R-ORD-1")
            must(not self.ended or head.type & ANCILLARY, "R-ORD-3")
            payload = self.payload(head)
            state = self.state.copy()
            state.lost = self.lost
        lines = decode_payload(head.type, payload, state)
        self.out(line("chunk", type='"%s"' % TYPE_NAMES[head.type], offset=head.at, seq=head.seq,
                      stored=head.stored_len, raw=head.raw_len))
        for text in lines:
            self.out(text)
        if head.type == META:
            self.meta = payload
        if head.type in (META, BATCH):
            self.state = state
        if head.type == END:
            self.ended = True
            if state.end_sums != before or contradicts(state):
                self.out(line("contradiction", offset=head.at))


def dump(data, out):
    Reader(data, out).run()


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip().split("\n\n")[1], file=sys.stderr)
        return 2
    if sys.argv[1] == "-":
        data = sys.stdin.buffer.read()
    else:
        with open(sys.argv[1], "rb") as source:
            data = source.read()
    to = sys.stdout.buffer
    dump(data, lambda text: to.write(text.encode("utf-8") + b"\n"))
    to.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
