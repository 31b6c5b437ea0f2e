# SPDX-License-Identifier: BSD-2-Clause
"""Puts recordings together byte by byte, also such as no writer would write."""
import struct

import foldread
from foldread import BATCH, END, META, NOTE, SYMBOLS, crc32c

ID = bytes.fromhex("1b4e28ba2fa14d3b8e9a0c5d7f6e1a2b")


def uv(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def sv(value):
    return uv(value << 1 if value >= 0 else -2 * value - 1)


def text(data):
    return uv(len(data)) + data


def uvs(*values):
    return b"".join(uv(value) for value in values)


def svs(*values):
    return b"".join(sv(value) for value in values)


def record(*parts):
    """Numbers are written as uv, bytes as they are."""
    return text(join(parts))


def join(parts):
    return b"".join(uv(part) if isinstance(part, int) else part for part in parts)


def section(number, *parts):
    return uv(number) + text(join(parts))


column = section


def event(kind=1, name=b"cpu-clock", weights=()):
    return record(kind, text(name), 1, 99, 10101010, len(weights), *(text(name) + uv(unit) for name, unit in weights))


def meta(**change):
    """The payload of a META; a keyword replaces the content of its section, None leaves it out; `labels` adds LABELS."""
    contents = {
        "recorder": text(b"t") + text(b"0") + uv(foldread.DRAFT),
        "id": ID,
        "clock": uvs(10 ** 9, 10 ** 18, 10 ** 9, 1000),
        "target": uvs(62, 8, 0, 4096, 1, 1) + text(b""),
        "mode": uvs(0, 10 ** 9, 3, 512, 0, 0),
        "events": event(),
        "scope": uvs(0, 0),
    }
    labels = change.pop("labels", None)
    contents.update(change)
    return b"".join(section(i + 1, body) for i, body in enumerate(contents.values()) if body is not None) + (b"" if labels is None else section(64, labels))


def label(key=b"host", value=b"web1"):
    return record(text(key), text(value))


def origin(first=0, procs=1, state=1, flags=0, names=(0, 0, 0), labels=()):
    """A record of ORIGINS; names and labels are string ids."""
    return record(first, procs, ID, 10 ** 18, 10 ** 9, 1, state, flags, 1, *names, len(labels), *(n for pair in labels for n in pair))


def mode(flags=0, aggregated=False):
    return uvs(int(aggregated), 10 ** 9, 3, 512, 0, flags)


def module(span=0x10000, name=0, kind=2, ids=(), segments=()):
    return record(kind, name, span, 0, 0, 0, len(ids), *ids, len(segments), *segments)


def proc(pid=1, start=0, comm=0, exe=0, before=0):
    """A record of PROCS; pid and start are differences, the parent stands `before` places before it."""
    return record(sv(pid), sv(start), comm, exe, before)


def mmaps(proc, *mappings, n=None):
    """A record of MMAPS; proc is a difference."""
    return record(sv(proc), len(mappings) if n is None else n, *(number for one in mappings for number in one))


def thread(proc=0, tid=1, comm=0):
    """A record of THREADS; proc and tid are differences."""
    return record(sv(proc), sv(tid), comm)


def stacks(*values):
    """The content of KSTACKS or USTACKS behind first_id, from numbers: shared, fresh, end, tokens, shared, ..."""
    rows, tokens, at = [], b"", 0
    while at < len(values):
        rows.append(values[at:at + 3])
        at += 3
        tokens += uvs(*values[at:at + rows[-1][1]])
        at += rows[-1][1]
    numbers = [column(i + 1, uvs(*(row[i] for row in rows))) for i in range(3)]
    return uv(len(rows)) + b"".join(numbers) + column(4, tokens)


def definitions(**change):
    """Sections 1..7: three strings, two modules, a process, a mapping, two threads, a stack of each side."""
    contents = {
        "strings": (1, uv(1) + text(b"a") + text(b"b") + text(b"c")),
        "modules": (2, uvs(0, 0) + module(kind=0) + module()),
        "procs": (3, uv(0) + proc(7, 0, 1, 2)),
        "mmaps": (4, mmaps(0, (1, 0, 4096))),
        "threads": (5, uv(0) + thread(0, 7, 2) + thread(0, 1, 3)),
        "kstacks": (6, uv(0) + stacks(0, 1, 1, 0x10 << 2)),
        "ustacks": (7, uv(0) + stacks(0, 1, 1, 0x10010 << 2)),
    }
    for name, body in change.items():
        contents[name] = (contents[name][0], body)
    return b"".join(section(number, body) for number, body in contents.values() if body is not None)


def samples(rows=1, time=None, thread=None, more=b""):
    """SAMPLES of `rows` equal rows; `more` are columns behind THREAD."""
    time = b"\0" * rows if time is None else time
    thread = b"\0" * rows if thread is None else thread
    return section(8, rows, column(1, time), column(3, thread), more)


def counts(rows=1, start=0, to=1, thread=None, count=None, between=b"", more=b""):
    thread = b"\0" * rows if thread is None else thread
    count = b"\1" * rows if count is None else count
    return section(9, sv(start), sv(to), rows, column(3, thread), between, column(7, count), more)


def file_header(major=1, minor=0, reserved=b"\0\0", crc=None):
    head = foldread.MAGIC + bytes([major, minor]) + reserved
    return head + struct.pack("<I", crc32c(head) if crc is None else crc)


def chunk(kind, seq, payload=b"", **change):
    """A chunk; keywords overrule fields of its header, `stored` what follows it."""
    stored = change.get("stored", payload)
    head = foldread.SYNC + struct.pack(
        "<HBBIIIII", kind, change.get("codec", 0), change.get("flags", 0), seq, change.get("stored_len", len(stored)),
        change.get("raw_len", len(payload)), change.get("stored_crc", crc32c(stored)), change.get("reserved", 0))
    return head + struct.pack("<I", change.get("header_crc", crc32c(head))) + stored


def end_payload(chunks, totals=((0, 0, 0),), stop=None, more=b""):
    """END behind `chunks`, a list of whole chunks."""
    crc = 0
    for one in chunks:
        crc = crc32c(one[28:32], crc)
    return (section(1, *(stop or (1, 2 * 10 ** 9, 10 ** 18, 2 * 10 ** 9)))
            + section(2, len(chunks), struct.pack("<I", crc), len(totals), uvs(*(n for total in totals for n in total))) + more)


def segment(*payloads, head=None, end=True, first=None, totals=((0, 0, 0),)):
    """A whole segment: META, then each payload (bytes: BATCH; else (type, bytes)), then END."""
    chunks = [chunk(META, 0, meta() if first is None else first)]
    for payload in payloads:
        kind, body = (BATCH, payload) if isinstance(payload, bytes) else payload
        chunks.append(chunk(kind, len(chunks), body))
    if end:
        chunks.append(chunk(END, len(chunks), end_payload(chunks, totals)))
    return (file_header() if head is None else head) + b"".join(chunks)


NOTE_PAYLOAD = section(1, b"after")
SYMBOLS_PAYLOAD = section(1, uv(1) + text(b"main")) + section(2, record(1, 0, 16, 1))
__all__ = [name for name in dir() if not name.startswith("_")]
