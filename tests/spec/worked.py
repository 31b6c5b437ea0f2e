#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints appendix B of SPEC.md: three recordings, byte by byte, each with the lines of its dump.

  worked.py            the appendix
  worked.py --update   put it into SPEC.md, after the format has changed

Checksums, lengths and lines are computed, so what is written here is only what is shown.
The lines come from foldread.py; hexdumps.py holds them against fold-report.
"""
import json
import os
import re
import struct
import sys

import foldread
from build import ID, sv, text, uv
from cases import packed
from foldread import BATCH, END, META, NOTE, SYMBOLS, crc32c

SPEC = os.path.join(os.environ.get("SRC", os.path.join(os.path.dirname(__file__), "..", "..")), "SPEC.md")
U24M, PAGE = 0x1800000, 0x1000


# ---- what a block consists of: [(bytes, comment)]

def fields(*items):
    """Flattens lists; ("name", 5) is a number, ("name", -5, sv) a signed one, ("name", "word") bytes."""
    out = []
    for item in items:
        if isinstance(item, list):
            out += item
        elif isinstance(item[0], bytes):
            out.append(item)
        elif isinstance(item[1], int):
            name, value = item[:2]
            out.append(((item[2] if len(item) > 2 else uv)(value), "%s %d" % (name, value)))
        else:
            data = item[1] if isinstance(item[1], bytes) else item[1].encode()
            out.append((text(data), '%s "%s"' % (item[0], data.decode("latin-1").encode("unicode_escape").decode())))
    return out


def size_of(items):
    return sum(len(data) for data, _ in items)


def record(*items):
    body = fields(*items)
    return [(uv(size_of(body)), "record of %d" % size_of(body))] + [(data, "  " + comment) for data, comment in body]


def column(number, name, values, code=uv):
    body = [(code(value), "  %d" % value) for value in values]
    return [(uv(number), "column %d %s" % (number, name)), (uv(size_of(body)), "length %d" % size_of(body))] + body


def steps(number, name, *values):
    """A column of differences."""
    body = [(sv(value - last), "  %+d: %d" % (value - last, value)) for last, value in zip((0,) + values, values)]
    return [(uv(number), "column %d %s" % (number, name)), (uv(size_of(body)), "length %d" % size_of(body))] + body


def stacks(*rows):
    """Columns from (shared, end, frames); a frame below 4 is a marker."""
    path, slots, tokens = [], {}, []
    for shared, _, frames in rows:
        del path[shared:]
        for frame in frames:
            before = path[-1] if path else foldread.BEFORE_ROOT
            path.append(foldread.MARKER + frame if frame < 4 else frame)
            if frame < 4:
                tokens.append((uv(frame << 1 | 1), "  marker %d" % frame))
                continue
            slot = before * foldread.GUESS_FACTOR % 2 ** 64 >> 64 - foldread.GUESS_SLOTS_LOG
            last = next((one for one in reversed(path[:-1]) if one < foldread.MARKER), 0)
            caller, after = slots.get(slot, (0, 0))
            expected = after if caller == before else last
            slots[slot] = before, frame
            delta = frame - expected
            token = (delta << 1 if delta >= 0 else -2 * delta - 1) << 1
            tokens.append((uv(token), "  frame 0x%x: %+d %s" % (frame, delta, "to the last call" if caller == before else "to the frame before" if last else "")))
    return [(uv(len(rows)), "rows %d" % len(rows)), *column(1, "SHARED", [row[0] for row in rows]), *column(2, "FRESH", [len(row[2]) for row in rows]),
            *column(3, "END", [row[1] for row in rows]), (uv(4), "column 4 TOKENS"), (uv(size_of(tokens)), "length %d" % size_of(tokens)),
            *((data, comment.rstrip()) for data, comment in tokens)]


class Worked:
    """A recording in blocks."""

    def __init__(self, name):
        self.name, self.blocks = name, []
        self.begin(None)

    def block(self, title, items):
        self.blocks.append((title, items))

    def begin(self, header=((foldread.MAGIC, "magic"), (b"\1", "major 1"), (b"\0", "minor 0"), (b"\0\0", "reserved"))):
        self.seq = self.chunks = self.headers_crc = 0
        if header:
            crc = struct.pack("<I", crc32c(b"".join(data for data, _ in header)))
            self.block("file header", [*header, (crc, "crc")])

    def chunk(self, kind, *sections, codec=0, whole=None):
        """Sections are (id, name, fields); `whole` shows the payload as one block with that title."""
        payload, blocks = b"", []
        name = foldread.TYPE_NAMES.get(kind, "0x%04X" % kind)
        for number, title, items in sections:
            head = [(uv(number), "section %d" % number), (uv(size_of(items)), "length %d" % size_of(items))]
            payload += b"".join(data for data, _ in head + items)
            blocks.append(("%s %d %s" % (name, number, title), head + items))
        stored = packed(payload) if codec else payload
        head = [(foldread.SYNC, "sync"), (struct.pack("<H", kind), "type " + name), (bytes([codec]), "codec %d" % codec), (b"\0", "flags"),
                (struct.pack("<I", self.seq), "seq %d" % self.seq), (struct.pack("<I", len(stored)), "stored_len %d" % len(stored)),
                (struct.pack("<I", len(payload)), "raw_len %d" % len(payload)), (struct.pack("<I", crc32c(stored)), "stored_crc"),
                (bytes(4), "reserved")]
        crc = struct.pack("<I", crc32c(b"".join(data for data, _ in head)))
        self.block(name + " header", [*head, (crc, "header_crc")])
        self.seq, self.chunks, self.headers_crc = self.seq + 1, self.chunks + 1, crc32c(crc, self.headers_crc)
        if whole or codec:
            blocks = [(whole or name + " zstd frame", [(stored, "")])]
        for title, items in blocks:
            self.block(title, items)

    def hurt(self, title, comment, change):
        """The last chunk, which is one header and one section, as one block of changed bytes."""
        data = b"".join(data for _, items in self.blocks[-2:] for data, _ in items)
        del self.blocks[-2:]
        self.block(title, [(change(data), comment)])

    def data(self):
        return b"".join(data for _, items in self.blocks for data, _ in items)

    def text(self):
        lines, out, start = [], [], 0
        foldread.dump(self.data(), lines.append)
        for title, items in self.blocks:
            out += ["```hexdump %s %s" % (self.name, title), *hex_rows(items), "```"]
            mine = take_lines(lines, title, start)
            start += size_of(items)
            if start == len(self.data()):
                mine += lines
            out += ["```dump", *mine, "```", ""] if mine else [""]
        return "\n".join(out)


def hex_rows(items):
    for data, comment in items:
        width = 8 if comment else 16
        for at in range(0, max(len(data), 1), width):
            row = " ".join("%02x" % byte for byte in data[at:at + width])
            yield (row.ljust(23) + "  ; " + comment if comment and at == 0 else row).rstrip()


CONTAINER = {"segment", "chunk", "damage", "cut", "skipped"}
KINDS = {"EVENTS": {"event"}, "STRINGS": {"string"}, "COUNTS": {"counts", "count"}, "TOTALS": {"totals", "total"},
         "SELF": {"self"}, "TEXT": {"note"}, "frame": {"note"}, "payload": {"recorder", "id", "clock", "target", "mode", "event", "scope"}}


def take_lines(lines, title, start):
    """Off the front of `lines`: those that the block at `start` gives rise to."""
    last, mine = title.split()[-1], []
    kinds = KINDS.get(last, {last.lower(), last.lower().rstrip("s")})
    while lines:
        line = json.loads(lines[0])
        if not (line["is"] in kinds or line["is"] in CONTAINER and line["offset"] == start and not re.search(r" \d+ [A-Z]+$", title)):
            break
        if mine and "no chunk" in title:
            break
        mine.append(lines.pop(0))
    return mine


# ---- the three recordings

CPU_CLOCK = record(("kind", 1), ("name", "cpu-clock"), ("period_unit", 1), ("period", 99), ("sample_ns", 10101010), ("nweights", 0))


def meta(mode=0, flags=0, events=CPU_CLOCK, uuid=ID, labels=()):
    more = [(64, "LABELS", fields(*(record(("key", key), ("value", value)) for key, value in labels)))] if labels else []
    return [
        (1, "RECORDER", fields(("recorder", "fold-record"), ("version", "0.1.0"), ("draft", foldread.DRAFT))),
        (2, "ID", [(uuid, "id")]),
        (3, "CLOCK", fields(("monotonic", 5 * 10 ** 9), ("realtime", 1795979400 * 10 ** 9), ("boottime", 5 * 10 ** 9), ("tick_ns", 1000))),
        (4, "TARGET", fields(("machine", 62), ("word_bytes", 8), ("big_endian", 0), ("page_size", 4096), ("cpus_online", 2),
                             ("cpus_possible", 4), ("kernel_release", "6.12.9"))),
        (5, "MODE", fields(("mode", mode), ("interval_ns", 10 ** 9), ("sides", 3), ("max_depth", 512), ("unwinder", 0), ("flags", flags))),
        (6, "EVENTS", events),
        (7, "SCOPE", fields(("scope", 0), ("count", 0))),
    ] + more


def strings(*words):
    return fields(("first_id", 1), *(("%d" % (i + 1), word) for i, word in enumerate(words)))


def module(kind, name, span, ids=(), elf=(0, 0), segments=()):
    shown = [item for id_kind, data in ids for item in (("kind", id_kind), (text(data), "id"))]
    loads = [item for load in segments for item in zip(("offset", "vaddr", "filesz", "align"), load)]
    return record(("kind", kind), ("name", name), ("span", span), ("flags", 0), ("elf_type", elf[0]), ("machine", elf[1]),
                  ("nids", len(ids)), *shown, ("nsegments", len(segments)), *loads)


def step(name, value, last):
    return (sv(value - last), "%s %+d: %d" % (name, value - last, value))


def procs(*rows):
    """From (pid, start, comm, exe, before, anything more)."""
    out = []
    for last, (pid, start, comm, exe, before, *more) in zip(((0, 0),) + rows, rows):
        out += record(step("pid", pid, last[0]), step("start", start, last[1]), ("comm", comm), ("exe", exe), ("before", before), *more)
    return out


def threads(*rows):
    """From (process, tid, comm)."""
    out = []
    for last, (process, tid, comm) in zip(((0, 0),) + rows, rows):
        out += record(step("proc", process, last[0]), step("tid", tid, last[1]), ("comm", comm))
    return out


def mmaps(process, *mappings):
    return record(step("proc", process, 0), ("nmaps", len(mappings)), *(item for one in mappings for item in one))


def account(event, cause, cpu, count):
    return record(("event", event), ("cause", cause), ("cpu", cpu), ("count", count))


def sym(of_module, offset, size, name):
    return record(("module", of_module), ("offset", offset), ("size", size), ("name", name))


def end(worked, reason, *totals):
    stop = fields(("reason", reason), ("monotonic", 6 * 10 ** 9), ("realtime", 1795979401 * 10 ** 9), ("boottime", 6 * 10 ** 9))
    sums = [item for total in totals for item in zip(("taken", "written", "lost"), total)]
    return [(1, "STOP", stop), (2, "TOTALS", fields(("chunks", worked.chunks), (struct.pack("<I", worked.headers_crc), "headers_crc"),
                                                    ("nevents", len(totals)), *sums))]


def events():
    w = Worked("events")
    w.begin()
    w.chunk(META, *meta())
    w.chunk(META, *meta(), whole="META again")
    cat, anon = U24M, U24M + 0x9000
    call, read, write = 0x1000A5, 0x2F1B40, 0x2F1C00
    gnu, short = bytes.fromhex("8c1fe0a9d2c47b6e55aa01937714c0de12345678"), bytes.fromhex("0123456789abcdef")
    w.chunk(
        BATCH,
        (1, "STRINGS", strings("[kernel]", "/usr/bin/cat", "[anon]", "cat", "do_syscall_64", "vfs_read", "a;b </script>", b"\xff\x1b[1m\xc3\xa9\n")),
        (2, "MODULES", fields(("first_id", 0), ("first_base", 0), module(0, 1, U24M, [(1, gnu)], (2, 62)),
                              module(2, 2, 0x8A10, [(1, short), (2, b"go/1")], (3, 62), [(0x2000, 0x2000, 0x5000, PAGE)]), module(4, 3, 0x10000))),
        (3, "PROCS", fields(("first_id", 0), procs((1000, -2500000, 4, 0, 0), (1001, 1500, 4, 2, 1, (b"\x2a", "(a field of a later version: ignored)"))))),
        (4, "MMAPS", mmaps(1, [("module", 1), ("offset", 0x2000), ("length", 0x5000)], [("module", 2), ("offset", 0), ("length", 0x10000)])),
        (5, "THREADS", fields(("first_id", 0), threads((0, 1000, 4), (1, 1001, 7), (1, 1002, 8)))),
        (6, "KSTACKS", fields(("first_id", 0), stacks((0, 1, [call, read]), (1, 1, [write]), (2, 7, [])))),
        (7, "USTACKS", fields(("first_id", 0), stacks((0, 2, [cat + 0x2450, cat + 0x3100, anon + 0x40]), (1, 4, [0, cat + 0x3100, 1, cat + 0x4008]),
                                                       (3, 3, [2, 3]), (0, 0, [cat + 0x3100, anon + 0x48]), (0, 8, [])))),
        (8, "SAMPLES", fields(("rows", 4), steps(1, "TIME", 20182, -20, 10081, 10081), column(2, "CPU", [0, 0, 0, 1]), steps(3, "THREAD", 0, 1, 1, 2),
                              steps(4, "KSTACK", 3, 1, 1, 0), steps(5, "USTACK", 0, 1, 2, 3))),
        (10, "ACCOUNT", fields(account(0, 0, 1, 4), account(0, 0, 2, 2), account(0, 1, 0, 2), account(0, 64, 2, 150))),
        (11, "KSYMS", fields(sym(0, 0x100000, 0x200, 5), sym(0, 0x2F1A00, 0x380, 6))),
        (12, "JITSYMS", sym(2, 0, 0x80, 7)))
    w.chunk(NOTE, (1, "TEXT", [(b"ticket 42", "the whole content")]))
    own = (3, "SELF", fields(("self_cpu_ns", 1800000), ("self_peak_bytes", 9437184), ("bpf_ns", 0)))
    w.chunk(END, *end(w, 1, (6, 4, 2)), own)
    w.chunk(SYMBOLS, (1, "STRINGS", strings("main")), (2, "SYMS", sym(1, 0x2400, 0x90, 1)))
    return w


def counts():
    w = Worked("counts")
    w.begin()
    off_cpu = record(("kind", 7), ("name", "off-cpu"), ("period_unit", 0), ("period", 0), ("sample_ns", 0), ("nweights", 2),
                     ("name", "blocked"), ("unit", 2), ("name", "switches"), ("unit", 1))
    clock = record(("kind", 1), ("name", "cpu-clock"), ("period_unit", 3), ("period", 10 ** 6), ("sample_ns", 10 ** 6), ("nweights", 0))
    w.chunk(META, *meta(1, 1 | 16 | 32, off_cpu + clock, bytes.fromhex("93d0b1c65a7e4f128c3d2e1f0a9b8c7d"), [("site", "north")]))
    w.chunk(
        BATCH,
        (1, "STRINGS", strings("[kernel]", "dd", "fold-record", "0.1.0", "host", "web1")),
        (2, "MODULES", fields(("first_id", 0), ("first_base", 0), module(0, 1, U24M))),
        (3, "PROCS", fields(("first_id", 0), procs((7, 0, 2, 0, 0)))),
        (4, "MMAPS", mmaps(0, [("module", 0), ("offset", 0), ("length", 4096), (uv(0xFFFFFFFF81000000), "start 0xffffffff81000000")])),
        (5, "THREADS", fields(("first_id", 0), threads((0, 7, 2), (0, 8, 2)))),
        (6, "KSTACKS", fields(("first_id", 0), stacks((0, 1, [0xB1C000])))),
        (9, "COUNTS", fields(("from", 0, sv), ("to", 10 ** 6, sv), ("rows", 3), steps(3, "THREAD", 0, 0, 1), steps(4, "KSTACK", 1, 0, 1),
                             steps(5, "USTACK", 0, 0, 0), column(6, "EVENT", [0, 1, 0]), column(7, "COUNT", [3, 120, 1]),
                             column(8, "WEIGHT 0", [8000000, 0, 2 ** 63]), column(9, "WEIGHT 1", [3, 0, 1]))),
        (10, "ACCOUNT", fields(account(0, 0, 0, 4), account(1, 0, 0, 120))),
        (64, "(unknown, ancillary: passed over)", [(b"\xde\xad", "")]),
        (65, "ORIGINS", record(("first", 0), ("nprocs", 1), (ID, "id"), ("realtime", 1795979400 * 10 ** 9), ("duration", 10 ** 9), ("reason", 1),
                               ("state", 1), ("flags", 1), ("cpus_online", 2), ("kernel_release", 0), ("recorder", 3), ("version", 4),
                               ("nlabels", 1), ("key", 5), ("value", 6))))
    w.chunk(NOTE, (1, "TEXT", [(b"again and " * 12, "")]), codec=1)
    w.chunk(0xC001)
    w.chunk(END, *end(w, 2, (4, 4, 0), (120, 120, 0)))
    return w


def damaged():
    w = Worked("damaged")
    w.begin(None)
    w.block("file header, its minor version damaged", [(foldread.MAGIC + b"\x01\x40\0\0\x70\xe5\x2e\x28", "the crc does not match")])
    w.chunk(META, *meta(), whole="META payload")
    w.chunk(NOTE, (1, "TEXT", [(b"first", "")]))
    w.hurt("NOTE with a flipped bit in its payload", "the stored_crc does not match", lambda data: data[:-1] + b"u")
    w.chunk(NOTE, (1, "TEXT", [(b"second", "")]))
    w.block("bytes that are no chunk", [(bytes(7), "left by a full disk")])
    w.seq += 2
    w.chunk(BATCH, (5, "THREADS", fields(("first_id", 2), threads((0, 1, 9)))), (6, "KSTACKS", fields(("first_id", 41), stacks((0, 0, [0x1000])))),
            (8, "SAMPLES", fields(("rows", 1), steps(1, "TIME", 7), steps(3, "THREAD", 1), steps(4, "KSTACK", 42))))
    w.chunk(NOTE, (1, "TEXT", [(b"third", "")]))
    w.hurt("NOTE cut short", "stored_len is 7, 4 are left", lambda data: data[:36])
    return w


APPENDIX = """## B Worked bytes

Three small recordings, complete: putting the blocks of one of them one behind the other gives the file. A block is
labelled with the recording it belongs to and what it shows; what follows a `;` is a comment. A block is followed by
the lines of the canonical dump that it gives rise to, if there are any; the lines of one recording, in order, are its
dump. A test decodes all of them with two readers.

### B.1 Samples one by one

With every section of META, BATCH (but COUNTS), END, NOTE and SYMBOLS. The payloads are stored uncompressed.

%s
### B.2 Counts, weights, addresses

In mode AGGREGATED, with RAW_ADDRESSES, REDACTED and MERGED set, a label, two events of which the first has two weights,
an unknown ancillary section, an origin, a NOTE compressed with zstd, an unknown ancillary chunk, and an END without SELF.

%s
### B.3 Damage

A file header whose minor version does not fit its checksum, a chunk with a flipped bit, bytes that are no chunk, two
chunks that are missing altogether, after which ids are used that nothing defined, and a chunk that is cut.

%s
"""


def appendix():
    return APPENDIX % (events().text(), counts().text(), damaged().text())


def main():
    if sys.argv[1:] == ["--update"]:
        with open(SPEC, encoding="utf-8") as file:
            spec = file.read()
        with open(SPEC, "w", encoding="utf-8") as file:
            file.write(re.sub(r"^## B .*?(?=^## C )", lambda _: appendix(), spec, flags=re.M | re.S))
    else:
        print(appendix(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
