#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A recording for each rule of SPEC.md, for both readers and `fold-report check`.

Every case names its rule and what has to come of it:
  read         nothing is wrong
  drop         the chunk in question is dropped, what stands behind it is read
  stop         reading ends there
  contradicts  END does not fit what was read
  told         readers do not mind, `check` does
`check` has to name the rule, at the chunk and the offset where it is broken, and no other
rule, unless all is read.  In the end each rule with MUST has such a case, but for those that
no file can break.
"""
import os
import re
import struct
import subprocess
import sys

import foldread
import rules
from build import *

CASES = []

# Whether these are kept, no file shows.
NOT_IN_A_FILE = {
    "R-META-1": "another draft is R-META-2",
    "R-LBL-4": "who gave a label",
    "R-ORG-5": "what ids were before",
    "R-PRC-1": "when there was an exec",
    "R-MAP-1": "what number is an address",
    "R-THR-1": "how a thread was called",
    "R-PRV-1": "what a string was taken from",
}


def case(rule, name, outcome, data, names=None, also=()):
    """`names`: the rule that check tells, when it is not `rule`; `also`: others that are broken too."""
    CASES.append((rule, name, outcome, data, rule if names is None else names, set(also)))


def batch(rule, name, outcome, payload, names=None, first=None, end=True, events=1):
    """`payload` as a BATCH behind good definitions, with a NOTE behind it and an END that knows of no samples."""
    data = segment(definitions(), payload, (NOTE, NOTE_PAYLOAD), first=first, end=end and outcome != "stop", totals=((0, 0, 0),) * events)
    case(rule, name, outcome, data, names)


def alone(rule, name, outcome, payload, names=None, first=None):
    """`payload` as the first BATCH."""
    case(rule, name, outcome, segment(payload, (NOTE, NOTE_PAYLOAD), first=first, end=outcome != "stop"), names)


def head(rule, name, outcome, names=None, kind=NOTE, payload=NOTE_PAYLOAD, **change):
    """A chunk with an unusual header between META and a NOTE."""
    chunks = [chunk(META, 0, meta()), chunk(kind, 1, payload, **change), chunk(NOTE, 2, NOTE_PAYLOAD)]
    if outcome != "stop":
        chunks.append(chunk(END, 3, end_payload(chunks)))
    case(rule, name, outcome, file_header() + b"".join(chunks), names)


def first_meta(rule, name, outcome, names=None, **change):
    """A META with a changed section, without a good one before it."""
    data = file_header() + chunk(META, 0, meta(**change)) + chunk(META, 1, meta()) + chunk(NOTE, 2, NOTE_PAYLOAD)
    if outcome in ("read", "told"):
        data = segment(definitions(), first=meta(**change))
    case(rule, name, outcome, data, names)


def after_loss(rule, name, outcome, *payloads, names=None):
    """The payloads behind a gap of one chunk, which is a damage too."""
    outcome = {"read": "read after loss", "drop": "drop after loss"}[outcome]
    chunks = [chunk(META, 0, meta()), chunk(BATCH, 1, definitions())]
    chunks += [chunk(BATCH, 3 + i, payload) for i, payload in enumerate(payloads)]
    chunks.append(chunk(NOTE, 3 + len(payloads), NOTE_PAYLOAD))
    case(rule, name, outcome, file_header() + b"".join(chunks), names, also=("R-CHK-2",))


def frame(data, descriptor=0x20, size=None, block=None):
    """A zstd frame that holds `data` as one raw block."""
    size = bytes([len(data)]) if size is None else size
    block = len(data) << 3 | 1 if block is None else block
    return b"\x28\xb5\x2f\xfd" + bytes([descriptor]) + size + block.to_bytes(3, "little") + data


def packed(payload):
    return subprocess.run(["zstd", "-q", "-c", "--no-check"], input=payload, capture_output=True, check=True).stdout


def general():
    alone("R-GEN-1", "strings before the fault are not used", "drop", definitions(threads=uv(0) + thread(9, 1, 1)), "R-DEF-2")
    alone("R-GEN-2", "more frames than bytes", "drop", section(6, 0, 1, column(2, 1024), column(4, 0)), "R-COL-2")
    alone("R-GEN-2", "more stacks than bytes", "drop", section(6, 0, 2 ** 20, column(2, 0), column(4)), "R-COL-2")
    batch("R-GEN-2", "more mappings than bytes", "drop", section(4, mmaps(0, n=2 ** 32 - 1)), "R-PAY-2")
    batch("R-GEN-2", "a record longer than memory", "drop", section(4, uv(2 ** 63)), "R-PAY-2")
    batch("R-GEN-2", "more rows than bytes", "drop", section(8, 2 ** 20, column(1), column(3)), "R-COL-2")
    alone("R-GEN-3", "control bytes in a string", "read", definitions(strings=uv(1) + text(b"\x1b[31m\x07") + text(b"\xc2\x9b") + text(b"\xff")))
    batch("R-INT-1", "a number with a trailing 0", "drop", section(10, record(b"\x80\x00", 0, 0, 0)))
    batch("R-INT-1", "a number of 2^64", "drop", section(10, record(0, 0, 0, b"\xff" * 9 + b"\x02")))
    batch("R-INT-1", "a number of 11 bytes", "drop", section(10, record(0, 0, 0, b"\x80" * 10 + b"\x01")))
    batch("R-INT-1", "a number of 2^64 - 1", "read", section(10, record(0, 64, 0, 2 ** 64 - 1)))
    batch("R-INT-2", "a pid of 2^32", "drop", section(3, 1, proc(2 ** 32)))
    batch("R-INT-2", "a pid below 0", "drop", section(3, 1, proc(7) + proc(-8)))
    batch("R-INT-2", "a tid of 2^32", "drop", section(5, 2, thread(0, 2 ** 32 - 1) + thread()))
    batch("R-INT-2", "a mapping of process -1", "drop", section(4, mmaps(-1)))
    batch("R-INT-2", "CPU 65,536", "drop", section(8, 1, column(1, b"\0"), column(2, uv(65536)), column(3, b"\0")))
    batch("R-INT-2", "a mapping that begins above 2^62", "drop", section(4, mmaps(0, (1, 2 ** 62 + 1, 1))))
    batch("R-INT-2", "a symbol of more than 2^62", "drop", section(12, record(1, 0, 2 ** 62 + 1, 1)))
    batch("R-INT-2", "an account of CPU 65,536", "drop", section(10, record(0, 64, 65537, 1)))
    first_meta("R-INT-3", "enumerations with unknown values", "read", events=event(kind=77),
               mode=uvs(9, 10 ** 9, 3, 512, 99, 0), scope=uvs(55, 0))
    alone("R-INT-3", "unknown kinds", "read", definitions(modules=uvs(0, 0) + module(kind=1000, ids=(uv(9) + text(b"x"),)) + module(),
                                                          ustacks=uv(0) + stacks(0, 0, 99)))


def container():
    good = segment(definitions(), (NOTE, NOTE_PAYLOAD))
    case("R-HDR-1", "a checksum that does not match", "drop", file_header(crc=1) + good[16:])
    case("R-HDR-2", "another major version", "stop", file_header(major=2) + good[16:])
    case("R-HDR-2", "reserved bytes", "stop", file_header(reserved=b"\1\0") + good[16:])
    case("R-HDR-2", "another major version, later", "stop", good + file_header(major=9) + good[16:])
    case("R-HDR-3", "another minor version", "read", file_header(minor=200) + good[16:])
    case("R-HDR-4", "two segments", "read", good + good)
    head("R-CHK-1", "a payload that does not match", "drop", stored_crc=5)
    head("R-CHK-7", "a payload that does not match and does not parse", "drop", "R-CHK-1", payload=b"\xff" * 9, stored_crc=5)
    head("R-CHK-3", "a raw_len above the limit", "drop", kind=BATCH, raw_len=2 ** 24 + 1, codec=1)
    head("R-CHK-3", "a stored_len above the limit", "drop", stored_len=2 ** 24 + 1)
    head("R-CHK-4", "stored in another size", "drop", raw_len=len(NOTE_PAYLOAD) + 1)
    n = len(NOTE_PAYLOAD)
    head("R-CHK-5", "a frame", "read", codec=1, stored=frame(NOTE_PAYLOAD))
    head("R-CHK-5", "two frames", "drop", codec=1, stored=frame(NOTE_PAYLOAD[:3]) + frame(NOTE_PAYLOAD[3:]))
    head("R-CHK-5", "a byte behind the frame", "drop", codec=1, stored=frame(NOTE_PAYLOAD) + b"\0")
    head("R-CHK-5", "a skippable frame", "drop", codec=1, stored=b"\x50\x2a\x4d\x18\x02\0\0\0ab", raw_len=0)
    head("R-CHK-5", "no frame at all", "drop", codec=1, stored=b"", raw_len=n)
    head("R-CHK-5", "a frame for a dictionary", "drop", codec=1, stored=frame(NOTE_PAYLOAD, 0x21, b"\x07" + bytes([n])))
    head("R-CHK-5", "a frame of another size", "drop", codec=1, stored=frame(NOTE_PAYLOAD), raw_len=n - 1)
    head("R-CHK-10", "a frame that grows beyond raw_len", "drop", "R-CHK-5", codec=1, raw_len=n,
         stored=frame(b"\0", 0x00, b"\x58", (100000 << 3 | 3)))
    head("R-CHK-6", "a window of 16 MiB", "told", codec=1, stored=frame(NOTE_PAYLOAD, 0x00, b"\x70"))
    head("R-CHK-6", "a window of 8 MiB", "read", codec=1, stored=frame(NOTE_PAYLOAD, 0x00, b"\x68"))
    for change in ({"kind": 0x0004}, {"kind": 0x4001}, {"kind": BATCH, "codec": 2}, {"kind": BATCH, "flags": 8}, {"kind": BATCH, "reserved": 1}):
        head("R-CHK-8", "critical: %s" % change, "stop", **change)
    for change in ({"kind": 0x8002}, {"kind": 0xC001}, {"codec": 2}, {"flags": 1}, {"reserved": 1}):
        head("R-CHK-8", "ancillary: %s" % change, "read", **change)
    head("R-CHK-9", "an unused flag", "told", "R-CHK-1", flags=0x80)
    case("R-CHK-2", "a seq left out", "drop", file_header() + chunk(META, 0, meta()) + chunk(NOTE, 2, NOTE_PAYLOAD))
    case("R-ORD-1", "BATCH without META", "drop", file_header() + chunk(BATCH, 0, definitions()) + chunk(META, 1, meta()) + chunk(NOTE, 2, NOTE_PAYLOAD))
    case("R-ORD-2", "META again", "read", segment((META, meta()), definitions(), (NOTE, NOTE_PAYLOAD)))
    case("R-ORD-2", "another META", "drop", segment((META, meta(scope=uvs(1, 1))), definitions(), (NOTE, NOTE_PAYLOAD)))
    chunks = [chunk(META, 0, meta()), chunk(BATCH, 1, definitions())]
    end = chunk(END, 2, end_payload(chunks))
    whole = file_header() + b"".join(chunks) + end
    case("R-ORD-3", "BATCH after END", "drop", whole + chunk(BATCH, 3, b"") + chunk(NOTE, 4, NOTE_PAYLOAD))
    case("R-ORD-3", "a second END", "drop", whole + chunk(END, 3, end_payload(chunks + [end])) + chunk(NOTE, 4, NOTE_PAYLOAD))
    case("R-ORD-3", "NOTE, SYMBOLS and META after END", "read", whole + chunk(NOTE, 3, NOTE_PAYLOAD) + chunk(SYMBOLS, 4, SYMBOLS_PAYLOAD) + chunk(META, 5, meta()))


def payloads():
    many = b"".join(section(64 + i) for i in range(65))
    batch("R-PAY-1", "a section twice", "drop", section(10) + section(10))
    batch("R-PAY-1", "sections in descending order", "drop", section(12) + section(11))
    batch("R-PAY-1", "section 0", "drop", section(0))
    batch("R-PAY-2", "a section longer than the payload", "drop", uvs(10, 5) + b"\0")
    batch("R-PAY-2", "a record longer than its section", "drop", section(10, uv(9) + b"\0"))
    batch("R-PAY-2", "a record shorter than its fields", "drop", section(10, record(0, 64, 0)))
    batch("R-PAY-2", "a column longer than its section", "drop", section(8, 0, uvs(1, 3)))
    first_meta("R-PAY-2", "a section shorter than its fields", "drop", scope=uvs(0))
    batch("R-PAY-3", "65 sections", "drop", many)
    batch("R-PAY-3", "64 sections", "read", b"".join(section(64 + i) for i in range(64)))
    least = definitions(mmaps=None, kstacks=None, ustacks=uv(0) + uv(1) + column(2, 1) + column(4, 0x10000 << 2))
    case("R-PAY-4", "the least that a writer needs", "read",
         segment(least + samples(1, more=column(5, sv(1))) + section(10, record(0, 0, 0, 1)), totals=((1, 1, 0),)))
    for name in ("recorder", "id", "clock", "target", "mode", "events", "scope"):
        first_meta("R-PAY-4", "META without %s" % name, "drop", **{name: None})
    head("R-PAY-4", "END without TOTALS", "drop", kind=END, payload=section(1, 1, 2, 3, 4))
    head("R-PAY-4", "NOTE without TEXT", "drop", payload=section(64))
    head("R-PAY-4", "SYMBOLS without SYMS", "drop", kind=SYMBOLS, payload=section(1, 1))
    batch("R-PAY-5", "section 13", "stop", section(13))
    batch("R-PAY-5", "section 63 in a BATCH with good sections", "stop", section(10) + section(63, b"x"))
    head("R-PAY-5", "section 2 of NOTE", "stop", payload=NOTE_PAYLOAD + section(2))
    batch("R-PAY-5", "section 64", "read", section(10) + section(64, b"x") + section(2 ** 32 - 1))
    batch("R-PAY-6", "fields of a later version", "read", section(10, record(0, 64, 0, 1, b"later")))
    first_meta("R-PAY-6", "fields of a later version in META", "read", scope=uvs(0, 0) + b"later", id=ID + b"later")
    batch("R-COL-1", "a column twice", "drop", section(8, 0, column(1), column(3), column(3)))
    batch("R-COL-1", "columns in descending order", "drop", section(8, 0, column(3), column(1)))
    batch("R-COL-1", "column 0", "drop", section(8, 0, column(0), column(1), column(3)))
    batch("R-COL-2", "a value too few", "drop", section(8, 2, column(1, 0), column(3, 0, 0)))
    batch("R-COL-2", "a value too many", "drop", section(8, 1, column(1, 0, 0), column(3, 0)))
    batch("R-COL-3", "no TIME", "drop", section(8, 0, column(3)))
    batch("R-COL-3", "no THREAD", "drop", section(8, 0, column(1)))
    batch("R-COL-3", "no COUNT", "drop", section(9, 0, 0, 0, column(3)), first=meta(mode=mode(aggregated=True)))
    batch("R-COL-4", "2^20 + 1 rows", "drop", samples(2 ** 20 + 1))
    batch("R-COL-5", "column 7 of SAMPLES", "stop", section(8, 0, column(1), column(3), column(7)))
    batch("R-COL-5", "column 2 of COUNTS", "stop", section(9, 0, 0, 0, column(2), column(3), column(7)))
    batch("R-COL-5", "column 63", "stop", section(8, 0, column(1), column(3), column(63)))
    batch("R-COL-5", "column 64", "read", section(8, 0, column(1), column(3), column(64, b"xyz")))
    batch("R-COL-6", "absent columns", "read", section(8, 2, column(1, 0, 0), column(3, 0, 0)), end=False)


def metas():
    first_meta("R-META-1", "a draft of ours", "read")
    first_meta("R-META-2", "an earlier draft", "stop", recorder=text(b"") + text(b"") + uv(1))
    first_meta("R-META-2", "another draft that does not parse", "stop", recorder=text(b"") + text(b"") + uv(9), clock=b"\xff")
    first_meta("R-META-3", "an id that is no UUID of version 4", "told", id=b"\0" * 16)
    first_meta("R-META-4", "no tick", "drop", clock=uvs(1, 1, 1, 0))
    first_meta("R-META-4", "a tick above a second", "drop", clock=uvs(1, 1, 1, 10 ** 9 + 1))
    first_meta("R-META-4", "a tick of a second", "read", clock=uvs(1, 1, 1, 10 ** 9))
    first_meta("R-META-5", "words of 5 bytes", "drop", target=uvs(62, 5, 0, 4096, 1, 1) + text(b""))
    first_meta("R-META-5", "a third byte order", "drop", target=uvs(62, 8, 2, 4096, 1, 1) + text(b""))
    batch("R-META-6", "COUNTS in mode EVENTS", "told", counts(0, thread=b"", count=b""))
    batch("R-META-6", "SAMPLES in mode AGGREGATED", "told", samples(0), first=meta(mode=mode(aggregated=True)))
    first_meta("R-META-7", "no event", "drop", events=b"")
    first_meta("R-META-7", "65 events", "drop", events=event() * 65)
    case("R-META-7", "64 events", "read", segment(definitions(), first=meta(events=event() * 64), end=False))
    first_meta("R-META-7", "nine weights", "drop", events=event(weights=[(b"w", 1)] * 9))
    first_meta("R-META-7", "eight weights", "read", events=event(weights=[(b"w", 1)] * 8))
    first_meta("R-LIM-1", "a name of 65,537 bytes", "drop", events=event(name=b"x" * 65537))
    first_meta("R-LIM-1", "a name of 65,536 bytes", "read", events=event(name=b"x" * 65536))
    first_meta("R-VER-1", "an unused flag", "told", mode=mode(1 << 20))
    first_meta("R-LBL-1", "a label", "read", labels=label())
    first_meta("R-LBL-1", "no label", "read", labels=b"")
    first_meta("R-LBL-1", "16 labels", "read", labels=b"".join(label(b"k%02d" % i) for i in range(16)))
    first_meta("R-LBL-1", "17 labels", "drop", labels=b"".join(label(b"k%02d" % i) for i in range(17)))
    first_meta("R-LBL-1", "a key without a byte", "drop", labels=label(b""))
    first_meta("R-LBL-1", "a key of 64 bytes, a value of 256", "read", labels=label(b"k" * 64, b"v" * 256))
    first_meta("R-LBL-1", "a key of 65 bytes", "drop", labels=label(b"k" * 65))
    first_meta("R-LBL-1", "a value of 257 bytes", "drop", labels=label(b"k", b"v" * 257))
    first_meta("R-LBL-1", "a value that control bytes stand in", "read", labels=label(b"k", b"\x1b[31m\n\xff"))
    first_meta("R-LBL-2", "a key with an equals sign", "told", labels=label(b"a=b"))
    first_meta("R-LBL-2", "a key in capitals", "told", labels=label(b"Host"))
    first_meta("R-LBL-3", "keys in descending order", "told", labels=label(b"b") + label(b"a"))
    first_meta("R-LBL-3", "a key twice", "told", labels=label(b"a") + label(b"a"))
    first_meta("R-LBL-3", "a key that begins like the one before it", "read", labels=label(b"a") + label(b"a.b"))


def origins():
    merged = meta(mode=mode(32))
    batch("R-ORG-1", "an origin", "read", section(65, origin(labels=[(1, 2), (3, 0)])), first=merged)
    batch("R-ORG-1", "an origin of no process", "read", section(65, origin(1, 0)), first=merged)
    batch("R-ORG-1", "a process that is not defined", "drop", section(65, origin(0, 2)), first=merged)
    batch("R-ORG-1", "a first process that is not defined", "drop", section(65, origin(2, 0)), first=merged)
    after_loss("R-ORG-1", "processes that are lost", "read", section(65, origin(7, 9)), names="R-ORG-4")
    after_loss("R-ORG-1", "processes beyond the limit", "drop", section(65, origin(7, 2 ** 22)))
    batch("R-ORG-2", "16 labels", "read", section(65, origin(labels=[(1, 2)] * 16)), first=merged)
    batch("R-ORG-2", "17 labels", "drop", section(65, origin(labels=[(1, 2)] * 17)), first=merged)
    batch("R-DEF-2", "a label that no string is", "drop", section(65, origin(labels=[(1, 4)])), first=merged)
    batch("R-DEF-2", "a release that no string is", "drop", section(65, origin(names=(4, 0, 0))), first=merged)
    batch("R-PAY-2", "an origin that ends early", "drop", section(65, record(0, 1, ID)), first=merged)
    batch("R-ORG-3", "a process of two origins", "told", section(65, origin(0, 1) + origin(0, 1)), first=merged)
    batch("R-ORG-4", "an origin in what was not merged", "told", section(65, origin()))
    batch("R-VER-1", "an unused flag of an origin", "told", section(65, origin(state=4)), first=merged)
    batch("R-MOD-5", "a second kernel in what was merged", "read", section(2, 2, 0x20000, module(kind=0)), first=merged)


def defines():
    firsts = {1: 4, 2: 2, 3: 1, 5: 2, 6: 1, 7: 1}
    more = {1: text(b"d"), 2: uv(0x20000) + module(), 3: proc(), 5: thread(0, 1, 1), 6: stacks(0, 0, 0), 7: stacks(0, 0, 0)}
    limits = {1: 2 ** 26 + 1, 2: 2 ** 20, 3: 2 ** 22, 5: 2 ** 22, 6: 2 ** 26, 7: 2 ** 26}
    rules = {1: "R-STR-2", 2: "R-MOD-4", 3: "R-PRC-2", 5: "R-THR-2", 6: "R-STK-4", 7: "R-STK-4"}
    for number, first in firsts.items():
        batch("R-DEF-1", "section %d goes on" % number, "read", section(number, first, more[number]))
        batch("R-DEF-1", "section %d skips an id" % number, "drop", section(number, first + 1, more[number]))
        batch("R-DEF-1", "section %d begins again" % number, "drop", section(number, first - 1, more[number]))
        after_loss("R-DEF-3", "section %d skips ids after a loss" % number, "read", section(number, first + 5, more[number]))
        after_loss("R-DEF-4", "section %d goes back after a loss" % number, "drop", section(number, first - 1, more[number]))
        after_loss(rules[number], "section %d, the last one allowed" % number, "read", section(number, limits[number] - 1, more[number]))
        after_loss(rules[number], "section %d, one too many" % number, "drop", section(number, limits[number], more[number]))
        after_loss(rules[number], "section %d beyond all limits" % number, "drop", section(number, limits[number] + 1, more[number][:1] if number == 2 else b""))
    references()
    batch("R-STR-1", "a string of 65,537 bytes", "drop", section(1, 4, text(b"x" * 65537)))
    batch("R-STR-1", "a string of 65,536 bytes", "read", section(1, 4, text(b"x" * 65536)))
    string_bytes()
    batch("R-STR-3", "the empty string", "told", section(1, 4, text(b"")))
    modules()


REFERENCES = [
    # what, section with a good reference, the same with a bad one, the same beyond its limit
    ("a module's name", lambda n: section(2, 2, 0x20000, module(name=n)), 3, 4, 2 ** 26 + 1),
    ("a process's comm", lambda n: section(3, 1, proc(comm=n)), 3, 4, 2 ** 26 + 1),
    ("a process's exe", lambda n: section(3, 1, proc(exe=n)), 2, 3, 2 ** 20 + 1),
    ("a mapping's process", lambda n: section(4, mmaps(n, (0, 0, 0))), 0, 1, 2 ** 22),
    ("a mapping's module", lambda n: section(4, mmaps(0, (n, 0, 0))), 1, 2, 2 ** 20),
    ("a thread's process", lambda n: section(5, 2, thread(n)), 0, 1, 2 ** 22),
    ("a thread's comm", lambda n: section(5, 2, thread(comm=n)), 3, 4, 2 ** 26 + 1),
    ("a sample's thread", lambda n: section(8, 1, column(1, 0), column(3, sv(n))), 1, 2, 2 ** 22),
    ("a sample's kernel stack", lambda n: section(8, 1, column(1, 0), column(3, 0), column(4, sv(n))), 1, 2, 2 ** 26 + 1),
    ("a sample's user stack", lambda n: section(8, 1, column(1, 0), column(3, 0), column(5, sv(n))), 1, 2, 2 ** 26 + 1),
    ("a kernel symbol's module", lambda n: section(11, record(n, 0, 1, 0)), 0, 2, 2 ** 20),
    ("a symbol's name", lambda n: section(12, record(1, 0, 1, n)), 3, 4, 2 ** 26 + 1),
]


def references():
    for what, make, good, bad, beyond in REFERENCES:
        if "symbol" not in what:
            batch("R-DEF-2", "%s, defined" % what, "read", make(good), end="sample" not in what)
        batch("R-DEF-2", "%s, not defined" % what, "drop", make(bad))
        after_loss("R-DEF-3", "%s, lost" % what, "read", make(bad))
        after_loss("R-LIM-2", "%s, beyond the limit" % what, "drop", make(beyond))
    batch("R-DEF-2", "a parent before the first process", "drop", section(3, 1, proc(before=2)))
    batch("R-DEF-2", "an earlier parent in the section", "read", section(3, 1, proc(before=1) + proc(before=1) + proc(before=3)))
    after_loss("R-DEF-2", "a parent before the first process, after a loss", "drop", section(3, 1, proc(before=2)))
    after_loss("R-DEF-3", "a parent that is lost", "read", section(3, 9, proc(before=3)))
    batch("R-DEF-2", "a thread of -1", "drop", section(8, 1, column(1, 0), column(3, sv(-1))), "R-INT-2")
    after_loss("R-DEF-2", "a stack of -1 after a loss", "drop", section(8, 1, column(1, 0), column(3, 0), column(4, sv(-1))), names="R-INT-2")


def string_bytes():
    """256 MiB of strings: 16 chunks of 255 and one of 16; then one byte more."""
    chunks = [chunk(META, 0, meta())]
    for first in range(1, 4097, 255):
        n = min(255, 4097 - first)
        payload = section(1, first, *([text(b"x" * 65536)] * n))
        chunks.append(chunk(BATCH, len(chunks), payload, codec=1, stored=packed(payload)))
    whole = file_header() + b"".join(chunks)
    case("R-STR-2", "256 MiB of strings", "read", whole)
    case("R-STR-2", "256 MiB and a byte of strings", "drop", whole + chunk(BATCH, len(chunks), section(1, 4097, text(b"y"))))


def modules():
    batch("R-MOD-1", "another base", "drop", section(2, 2, 0x21000, module()))
    after_loss("R-MOD-1", "a later base after a loss", "read", section(2, 2, 0x21000, module()))
    after_loss("R-MOD-1", "a base between pages after a loss", "drop", section(2, 2, 0x20800, module()))
    after_loss("R-MOD-1", "an earlier base after a loss", "drop", section(2, 2, 0x1F000, module()))
    after_loss("R-MOD-1", "a base above 2^62 after a loss", "drop", section(2, 2, 2 ** 62 + 4096, module(span=0)))
    batch("R-MOD-2", "five ids", "drop", section(2, 2, 0x20000, module(ids=[uv(1) + text(b"x")] * 5)))
    batch("R-MOD-2", "four ids of 64 bytes", "read", section(2, 2, 0x20000, module(ids=[uv(1) + text(b"x" * 64)] * 4)))
    batch("R-MOD-2", "an id of 65 bytes", "drop", section(2, 2, 0x20000, module(ids=[uv(1) + text(b"x" * 65)])))
    batch("R-MOD-2", "an id of no bytes", "drop", section(2, 2, 0x20000, module(ids=[uv(1) + text(b"")])))
    batch("R-MOD-2", "an id of zeros", "drop", section(2, 2, 0x20000, module(ids=[uv(1) + text(b"\0" * 20)])))
    batch("R-MOD-3", "65 segments", "drop", section(2, 2, 0x20000, module(segments=[uvs(0, 0, 0, 0)] * 65)))
    batch("R-MOD-3", "64 segments", "read", section(2, 2, 0x20000, module(segments=[uvs(0, 0, 0, 0)] * 64)))
    batch("R-MOD-4", "a module that ends at 2^62", "read", section(2, 2, 0x20000, module(span=2 ** 62 - 0x20000)))
    batch("R-MOD-4", "a module that ends above 2^62", "drop", section(2, 2, 0x20000, module(span=2 ** 62 - 0x1FFFF)))
    batch("R-MOD-4", "a span of 2^64 - 1", "drop", section(2, 2, 0x20000, module(span=2 ** 64 - 1)))
    batch("R-MOD-5", "a second kernel", "told", section(2, 2, 0x20000, module(kind=0)))
    raw = meta(mode=mode(1))
    alone("R-MAP-1", "a start with RAW_ADDRESSES", "read", definitions(mmaps=mmaps(0, (1, 0, 1, 2 ** 64 - 1))), first=raw)
    alone("R-MAP-1", "RAW_ADDRESSES without a start", "drop", definitions(mmaps=mmaps(0, (1, 0, 1))), "R-PAY-2", first=raw)


def same_slot():
    """Two frames of module 1, ascending, of which a reader remembers only one."""
    seen = {}
    for frame in range(0x10000, 0x20000):
        slot = frame * foldread.GUESS_FACTOR % 2 ** 64 >> 64 - foldread.GUESS_SLOTS_LOG
        if slot in seen:
            return seen[slot], frame
        seen[slot] = frame
    return None


def stack_cases():
    def ustacks(*values):
        return section(7, 1, stacks(*values))

    deep = [1023, 0] + [5] * 1023
    batch("R-STK-1", "sharing with nothing", "drop", ustacks(1, 0, 0))
    batch("R-STK-1", "sharing more than there is", "drop", ustacks(0, 1, 0, 0x10000 << 2, 2, 0, 0))
    batch("R-STK-1", "sharing all there is", "read", ustacks(0, 1, 0, 0x10000 << 2, 1, 0, 0))
    batch("R-STK-2", "1,024 frames", "read", ustacks(0, *deep, 1023, 1, 0, 5))
    batch("R-STK-2", "1,025 frames", "drop", ustacks(0, *deep, 1023, 2, 0, 5, 5))
    batch("R-STK-3", "the last byte of a module", "read", ustacks(0, 1, 0, 0x1FFFF << 2))
    batch("R-STK-3", "a byte behind the last module", "drop", ustacks(0, 1, 0, 0x20000 << 2))
    batch("R-STK-3", "a frame below 0", "drop", ustacks(0, 2, 0, 0x10 << 2, (2 * 0x11 - 1) << 1))
    after_loss("R-STK-3", "a frame in a lost module", "read", ustacks(0, 1, 0, 0x20000 << 2))
    after_loss("R-STK-3", "the last frame in a lost module", "read", ustacks(0, 1, 0, (2 ** 62 - 1) << 2))
    after_loss("R-STK-3", "a frame of 2^62 after a loss", "drop", ustacks(0, 2, 0, (2 ** 62 - 1) << 2, 1 << 2))
    batch("R-STK-5", "two words that are no code", "told", ustacks(0, 2, 0, 1, 1))
    batch("R-STK-5", "two words that are no code, the first one shared", "told", ustacks(0, 1, 0, 1, 1, 1, 0, 1))
    batch("R-STK-6", "marker 4", "told", ustacks(0, 1, 0, 9))
    batch("R-STK-6", "marker 3", "read", ustacks(0, 1, 0, 7))
    batch("R-STK-7", "EXACT at the leaf", "told", ustacks(0, 1, 0, 3))
    batch("R-STK-7", "EXACT at the leaf of a stack that is all shared", "told", ustacks(0, 2, 0, 3, 0x10000 << 2, 1, 0, 0))
    batch("R-STK-7", "EXACT before a marker", "told", ustacks(0, 2, 0, 3, 5))
    batch("R-STK-7", "EXACT before a frame", "read", ustacks(0, 2, 0, 3, 0x10000 << 2))
    batch("R-STK-1", "SHARED absent", "read", section(7, 1, 2, column(2, 1, 1), column(4, uvs(0x10000 << 2, 0x10 << 2))))
    batch("R-COL-3", "no FRESH", "drop", section(7, 1, 0, column(1), column(4)))
    batch("R-COL-3", "no TOKENS", "drop", section(7, 1, 0, column(2)))
    batch("R-COL-2", "a token too few", "drop", section(7, 1, 1, column(2, 2), column(4, 0x10000 << 2)))
    batch("R-COL-2", "a token too many", "drop", section(7, 1, 1, column(2, 1), column(4, uvs(0x10000 << 2, 0))))
    batch("R-COL-5", "column 5 of USTACKS", "stop", section(7, 1, 0, column(2), column(4), column(5)))
    batch("R-COL-5", "column 5 of USTACKS without FRESH", "stop", section(7, 1, 0, column(4, 9), column(5)))
    # What is expected: what followed the same frame, before the root and behind markers too, unless its slot was taken.
    one, other = same_slot()
    for name, values in (("the same caller", (0, 2, 0, 0x10000 << 2, 0x99 << 2, 0, 2, 0, 0, 4)),
                         ("the same caller, shared", (0, 2, 0, 0x10000 << 2, 0x99 << 2, 1, 1, 0, 4)),
                         ("behind a marker", (0, 2, 0, 1, 0x10000 << 2, 0, 2, 0, 1, 4)),
                         ("behind other markers that are not known", (0, 2, 0, 9, 0x10000 << 2, 0, 2, 0, 11, 4)),
                         ("a caller whose slot was taken", (0, 2, 0, one << 2, 1 << 2, 0, 2, 0, other - one << 2, 1 << 2, 0, 2, 0, 2 * (other - one) - 1 << 1, 4))):
        batch("R-STK-3", "a frame after " + name, "told" if 9 in values else "read", ustacks(*values), "R-STK-6" if 9 in values else None)
    # A stack of three bytes stands for 1,024 frames: 300,000 of them.
    batch("R-STK-8", "300,000 stacks that share 1,023 frames", "read", ustacks(0, *deep, *([1023, 0, 0] * 300000)))


def rows():
    weights = meta(events=event(weights=[(b"a", 1)]) + event())
    last = (2 ** 63 - 1) // 1000
    batch("R-SMP-1", "the last time stamp", "read", samples(1, sv(last)), end=False)
    batch("R-SMP-1", "a time stamp of 2^63 ns", "drop", samples(1, sv(last + 1)))
    batch("R-SMP-1", "a time stamp below -2^63 ns", "drop", samples(1, sv(-last - 2)))
    batch("R-SMP-1", "a difference that ends beyond", "drop", samples(2, sv(last) + sv(1)))
    batch("R-SMP-1", "a start beyond", "drop", section(3, 1, proc(start=last + 1)))
    counted = meta(mode=mode(aggregated=True), events=event(weights=[(b"a", 1)]) + event())
    batch("R-SMP-1", "an interval beyond", "drop", counts(1, 0, last + 1), first=counted, events=2)
    batch("R-SMP-2", "a weight that no event has", "drop", samples(1, more=column(8, 1)))
    case("R-SMP-2", "a weight", "read", segment(definitions(), samples(1, more=column(8, 2 ** 64 - 1)), first=weights, end=False))
    case("R-SMP-3", "a weight that the event does not have", "told",
         segment(definitions(), samples(1, more=column(6, 1) + column(8, 1)), first=weights, end=False))
    batch("R-SMP-4", "an event that does not exist", "drop", samples(1, more=column(6, 1)))
    after_loss("R-SMP-4", "an event that does not exist, after a loss", "drop", samples(1, more=column(6, 1)))
    batch("R-CNT-1", "an interval that ends before it begins", "drop", counts(1, 1, 0), first=counted, events=2)
    batch("R-CNT-2", "threads in descending order", "drop", counts(2, thread=sv(1) + sv(-1)), first=counted, events=2)
    batch("R-CNT-3", "a count of 0", "drop", counts(1, count=b"\0"), first=counted, events=2)
    batch("R-ACC-1", "an event that does not exist", "drop", section(10, record(1, 0, 0, 1)))


def sums():
    def ended(name, payload, total, outcome, rule, names=None, first=None, **change):
        chunks = [chunk(META, 0, meta() if first is None else first), chunk(BATCH, 1, definitions()), chunk(BATCH, 2, payload)]
        end = end_payload(chunks[:change.get("upto", 3)], (total,))
        case(rule, name, outcome, file_header() + b"".join(chunks) + chunk(END, 3, end), names)

    account = lambda *items: section(10, *(record(0, cause, 0, n) for cause, n in items))
    ended("all that was taken was written or lost", samples(2) + account((0, 7), (1, 2), (5, 3)), (7, 2, 5), "read", "R-ACC-2")
    ended("one is missing", samples(2) + account((0, 8), (1, 2), (5, 3)), (8, 2, 5), "contradicts", "R-ACC-2")
    ended("an unknown loss", samples(1) + account((0, 3), (63, 2)), (3, 1, 2), "read", "R-ACC-3")
    ended("an unknown note", samples(1) + account((0, 1), (64, 9), (700, 9), (10 ** 6, 9)), (1, 1, 0), "read", "R-ACC-3")
    ended("chunks that are not those before", samples(0), (0, 0, 0), "contradicts", "R-END-1", upto=2)
    ended("a total that is not the sum", samples(2) + account((0, 3), (1, 1)), (4, 3, 1), "contradicts", "R-END-3")
    ended("counts", counts(2, count=uvs(3, 4)) + account((0, 7)), (7, 7, 0), "read", "R-END-3", first=meta(mode=mode(aggregated=True)))
    case("R-END-4", "a chunk taken out before END", "contradicts",
         file_header() + chunk(META, 0, meta()) + chunk(END, 1, end_payload([chunk(META, 0, meta()), chunk(NOTE, 1, NOTE_PAYLOAD)])), "R-END-1")
    chunks = [chunk(META, 0, meta())]
    case("R-END-2", "totals of two events", "drop", file_header() + chunks[0] + chunk(END, 1, end_payload(chunks, ((0, 0, 0),) * 2))
         + chunk(NOTE, 2, NOTE_PAYLOAD))
    head("R-NOTE-1", "65,537 bytes", "drop", payload=section(1, b"x" * 65537))
    head("R-NOTE-1", "65,536 bytes", "read", payload=section(1, b"x" * 65536))


def symbols():
    def pack(rule, name, outcome, payload, names=None):
        case(rule, name, outcome, segment(definitions(), (SYMBOLS, payload), (NOTE, NOTE_PAYLOAD)), names)

    syms = section(2, record(1, 0, 16, 1))
    pack("R-SYMB-1", "a symbol", "read", section(1, 1, text(b"main")) + syms)
    pack("R-SYMB-1", "ids from 2", "drop", section(1, 2, text(b"main")) + syms)
    pack("R-SYMB-1", "a string of the segment", "drop", section(1, 1, text(b"main")) + section(2, record(1, 0, 16, 2)))
    pack("R-DEF-2", "a module that does not exist", "drop", section(1, 1, text(b"main")) + section(2, record(2, 0, 16, 1)))
    batch("R-SYM-1", "a kernel symbol of an ELF file", "told", section(11, record(1, 0, 16, 1)))
    batch("R-SYM-1", "a generated symbol of the kernel", "told", section(12, record(0, 0, 16, 1)))
    batch("R-SYM-1", "a kernel symbol", "read", section(11, record(0, 0, 16, 1)))


def recovery():
    meta0, meta1 = chunk(META, 0, meta()), chunk(META, 1, meta())
    note = lambda seq, body=NOTE_PAYLOAD, **change: chunk(NOTE, seq, body, **change)
    start = file_header() + meta0
    bad = note(1, stored_crc=1)
    case("R-REC-1", "no recording", "stop", b"#!/bin/sh\n")
    case("R-REC-1", "an empty file", "stop", b"")
    case("R-REC-1", "a text-mode transfer", "stop", start.replace(b"\r\n", b"\n"))
    case("R-REC-1", "a damaged file header", "drop", b"\0" * 16 + meta0 + note(1), "R-HDR-1")
    case("R-REC-2", "a tail too short for a header", "cut", start + note(1)[:31])
    case("R-REC-2", "a header and nothing more", "read", file_header())
    case("R-REC-3", "bytes between chunks", "drop", start + b"junk" + note(1), "R-CHK-1")
    case("R-REC-3", "bytes up to the end", "drop", start + b"\0" * 100, "R-CHK-1")
    case("R-REC-3", "a magic that is none and a chunk behind it", "drop", start + foldread.MAGIC + foldread.SYNC + note(1), "R-CHK-1")
    case("R-REC-4", "a chunk twice", "drop", start + note(1) + note(1) + note(2), "R-CHK-2")
    case("R-REC-4", "META twice", "drop", start + meta0 + note(1), "R-CHK-2")
    case("R-REC-4", "a lost file header", "read", start + note(1) + chunk(META, 0, meta(scope=uvs(1, 1))) + note(1))
    case("R-REC-4", "META twice, the second one of another draft", "drop",
         start + chunk(META, 0, meta(recorder=text(b"") + text(b"") + uv(3))) + note(1), "R-CHK-2")
    case("R-REC-4", "chunks exchanged", "drop", start + note(2) + note(1) + note(3), "R-CHK-2")
    case("R-REC-4", "META and its copy exchanged", "drop", file_header() + meta1 + meta0 + note(2), "R-CHK-2")
    case("R-REC-5", "an unknown critical chunk whose payload is damaged", "stop", start + chunk(9, 1, b"x", stored_crc=0), "R-CHK-8")
    case("R-REC-6", "a damaged payload, a good chunk behind it", "drop", start + bad + note(2), "R-CHK-1")
    case("R-REC-6", "a damaged payload at the end", "drop", start + bad, "R-CHK-1")
    case("R-REC-6", "a payload with bytes taken out", "drop", start + note(1, section(1, b"x" * 60))[:-20] + note(2) + note(3), "R-CHK-1")
    case("R-REC-6", "a payload cut", "cut", start + note(1)[:-1])
    case("R-REC-6", "a payload cut, a whole chunk in what is left", "drop", start + note(1, section(1, b"x" * 200))[:40] + note(2), "R-CHK-1")
    case("R-REC-6", "a length above the limit, a chunk behind it", "drop", start + note(1, stored_len=2 ** 32 - 1) + note(2), "R-CHK-3")
    case("R-REC-7", "a chunk before META", "drop", file_header() + note(0) + meta1 + note(2), "R-ORD-1")
    case("R-REC-7", "an unknown ancillary chunk before META", "read", file_header() + chunk(0x8002, 0) + meta1 + note(2))
    case("R-REC-7", "META damaged, its copy good", "drop", file_header() + chunk(META, 0, meta(), stored_crc=1) + meta1 + chunk(BATCH, 2, definitions()), "R-CHK-1")
    after_loss("R-REC-8", "an id that was lost", "read", section(4, mmaps(7, (7, 0, 0))))
    case("R-REC-8", "bytes between chunks lose no ids", "drop", start + b"junk" + chunk(BATCH, 1, section(4, mmaps(7, (7, 0, 0)))) + note(2), "R-DEF-2", also=("R-CHK-1",))
    case("R-REC-9", "no END", "read", start)


# ---- running them

def outcome_of(lines):
    kinds = [text.split('"')[3] for text in lines]
    damages, ends = kinds.count("damage"), {"stopped", "cut", "contradiction"} & set(kinds)
    return {"drop": damages > 0 and not ends - {"contradiction"},
            "drop after loss": damages == 2 and not ends,
            "read after loss": damages == 1 and not ends,
            "stop": kinds[-1] == "stopped",
            "cut": "cut" in kinds,
            "contradicts": "contradiction" in kinds,
            "read": not damages and not ends,
            "told": not damages and not ends}


def fails(outcome, data, names, also, report, has_check):
    """What is wrong with this case; nothing when all is well."""
    lines = []
    foldread.dump(data, lines.append)
    if not outcome_of(lines)[outcome]:
        yield "foldread.py: not %r: %s" % (outcome, lines[-4:])
    if outcome == "drop" and data.endswith((chunk(NOTE, 3, NOTE_PAYLOAD),)) and lines[-2] != '{"is":"note","text":"after"}':
        yield "foldread.py: what stands behind is not read: %s" % lines[-3:]
    if not report:
        return
    done = subprocess.run([report, "dump", "-"], input=data, capture_output=True, check=False)
    theirs = done.stdout.decode("utf-8").splitlines()
    if theirs != lines:
        at = next((i for i, (a, b) in enumerate(zip(lines, theirs)) if a != b), min(len(lines), len(theirs)))
        yield "fold-report dump: line %d is %s, not %s" % (at + 1, theirs[at:at + 1], lines[at:at + 1])
    if has_check and not outcome.startswith(("read", "cut")):
        yield from fails_check(data, lines, names, also, report)


TOLD = re.compile(r"^-: (?:chunk (\d+) at )?byte (\d+).* \[(R-[A-Z]+-\d+)\]$", re.M)
OFFSET = re.compile(r'^\{"is":"(?:damage|stopped|contradiction|chunk)".*?"offset":(\d+)(?:,"seq":(\d+))?')


def fails_check(data, lines, names, also, report):
    """`check` tells the rule that is broken, where it is, and nothing else."""
    done = subprocess.run([report, "check", "-"], input=data, capture_output=True, check=False)
    text_of = (done.stdout + done.stderr).decode("utf-8", "replace")
    told = TOLD.findall(text_of)
    if not done.returncode or {rule for _, _, rule in told} != {names} | also:
        yield "fold-report check does not name %s and no other: exit %d: %s" % (names, done.returncode, text_of.strip()[-300:])
    chunks = chunks_of(data)
    for number, at, rule in told:
        if rule == names and (int(at), number) not in chunks and not (not number and int(at) in {0, *places(lines)}):
            yield "fold-report check: %s is told of chunk %s at byte %s, where none is" % (rule, number or "-", at)
        if rule == names and int(at) not in places(lines) | {0}:
            yield "fold-report check: %s is told of byte %s, which is none of %s" % (rule, at, sorted(places(lines)))


def places(lines):
    """Where something is wrong according to the second reader; where a chunk is, when nothing is."""
    found = {"damage": set(), "stopped": set(), "contradiction": set(), "chunk": set()}
    for line in lines:
        match = OFFSET.match(line)
        if match:
            found[line.split('"')[3]].add(int(match[1]))
    return found["damage"] | found["stopped"] | found["contradiction"] or found["chunk"]


def chunks_of(data):
    """(offset, seq as text) of every chunk header there is, wherever it stands."""
    found, at = set(), data.find(foldread.SYNC)
    while at >= 0:
        if len(data) - at >= 32:
            found.add((at, str(struct.unpack_from("<I", data, at + 8)[0])))
        at = data.find(foldread.SYNC, at + 1)
    return found


def without_bad_file():
    """Rules with MUST that no file of these breaks, where a file could: a rule for readers alone is broken by readers."""
    with open(os.path.join(rules.SOURCE, "SPEC.md"), encoding="utf-8") as file:
        known, _ = rules.rules(file.read())
    broken = {names for _, _, outcome, _, names, _ in CASES if not outcome.startswith(("read", "cut"))}
    writers = {number for number, text_of in known.items()
               if "MUST" in text_of and not text_of.startswith(" (readers)") and "reader MUST" not in " ".join(text_of.split())}
    for number in sorted(set(NOT_IN_A_FILE) - writers):
        yield "%s is no rule for writers" % number
    for number in sorted(writers - broken - set(NOT_IN_A_FILE)):
        yield "no file breaks %s:%s" % (number, " ".join(known[number].split())[:90])
    for number in sorted(broken & set(NOT_IN_A_FILE)):
        yield "a file breaks %s: it stands among those that none can" % number


def main():
    for group in (general, container, payloads, metas, defines, stack_cases, origins, rows, sums, symbols, recovery):
        group()
    report = os.environ.get("FOLD_REPORT")
    report = report if report and os.access(report, os.X_OK) else None
    has_check = report and b"check" in subprocess.run([report, "check", "--help"], capture_output=True, check=False).stdout
    failed = 0
    for rule, name, outcome, data, names, also in CASES:
        wrong = list(fails(outcome, data, names, also, report, has_check))
        if wrong:
            failed += 1
            print("not ok %s %s" % (rule, name))
            for text_of in wrong:
                print("  " + text_of)
            with open("case-%d.foldrec" % failed, "wb") as file:
                file.write(data)
    for line in without_bad_file():
        failed += 1
        print("not ok " + line)
    print("%d cases of %d rules, %d failed%s" % (len(CASES), len({c[0] for c in CASES}), failed,
                                              "" if has_check else "; fold-report check was not there to be asked"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
