#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A second reader of recordings, written from SPEC.md alone: prints the canonical dump.

usage: foldread.py FILE|-

It shares nothing with the reader in format/.  Where the two differ, one of them or
SPEC.md is wrong.  It needs nothing but Python and either libzstd or the zstd command.
"""
import bisect
import ctypes
import ctypes.util
import re
import subprocess
import sys

MAGIC = b"\x8fFOLD\r\n\n"
SYNC = b"\xc7FCK"
DRAFT = 2

META, BATCH, END, NOTE, SYMBOLS = 0x0001, 0x0002, 0x0003, 0x8001, 0x8003
MASK = (1 << 64) - 1
TAKEN, WRITTEN, LOST = 0, 1, 2
TYPE_NAMES = {META: "META", BATCH: "BATCH", END: "END", NOTE: "NOTE", SYMBOLS: "SYMBOLS"}
ANCILLARY = 0x8000

MAX_STORED = MAX_RAW = 16 << 20
MAX_SECTIONS = 64
MAX_STRING = 64 << 10
MAX_STRINGS_BYTES = 256 << 20
MAX_STRINGS = 1 << 26
MAX_ID = 64
MAX_IDS = 4
MAX_SEGMENTS = 64
MAX_MODULES = 1 << 20
MAX_SPACE = 1 << 62
MAX_PROCS = MAX_THREADS = 1 << 22
MAX_STACKS = 1 << 26
MAX_FRAMES = 1024
MAX_NODES = 1 << 28
MAX_EVENTS = 64
MAX_WEIGHTS = 8
MAX_CPUS = 1 << 16
MAX_ROWS = 1 << 20
MAX_LABELS = 16
MAX_LABEL_KEY = 64
MAX_LABEL_VALUE = 256
ALIGN = 4096

RAW_ADDRESSES = 1
PLAIN = re.compile(rb"[ !#-\[\]-~]*")
MARKERS = ["unmapped", "exact", "redacted", "other"]


class Malformed(Exception):
    """The payload breaks a rule: its chunk is dropped."""


class Stop(Exception):
    """Something unknown and critical: reading cannot go on."""


def must(truth, rule):
    if not truth:
        raise Malformed(rule)


# ---------------------------------------------------------------- checksums, zstd

def crc32c_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


CRC_TABLE = crc32c_table()


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    table = CRC_TABLE
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def zstd_frame_size(data):
    """Bytes of the frame at the start of `data`, found by its block headers (RFC 8878)."""
    must(len(data) >= 6 and data[:4] == b"\x28\xb5\x2f\xfd", "R-CHK-5")
    descriptor = data[4]
    single = descriptor >> 5 & 1
    must(descriptor & 3 == 0, "R-CHK-5")  # a dictionary
    size_bytes = [single, 2, 4, 8][descriptor >> 6]
    at = 5 + (1 - single) + size_bytes
    while True:
        must(at + 3 <= len(data), "R-CHK-5")
        block = int.from_bytes(data[at:at + 3], "little")
        at += 3
        must(block >> 1 & 3 != 3, "R-CHK-5")
        at += 1 if block >> 1 & 3 == 1 else block >> 3
        if block & 1:
            break
    return at + (4 if descriptor & 4 else 0)


def zstd_library():
    name = ctypes.util.find_library("zstd")
    if not name:
        return None
    lib = ctypes.CDLL(name)
    lib.ZSTD_decompress.restype = ctypes.c_size_t
    lib.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    return lib


LIBZSTD = zstd_library()


def zstd_decompress(data, raw_len):
    must(zstd_frame_size(data) == len(data), "R-CHK-5")
    if LIBZSTD:
        room = ctypes.create_string_buffer(raw_len or 1)
        got = LIBZSTD.ZSTD_decompress(room, raw_len, data, len(data))
        must(got == raw_len, "R-CHK-5")  # errors are huge numbers
        return room.raw[:raw_len]
    done = subprocess.run(["zstd", "-d", "-c", "-q", "--memory=64MiB"], input=data, capture_output=True, check=False)
    must(done.returncode == 0 and len(done.stdout) == raw_len, "R-CHK-5")
    return done.stdout


# ---------------------------------------------------------------- primitive types

def unzigzag(value):
    return value >> 1 if value & 1 == 0 else -(value >> 1) - 1


def signed(number):
    """Modulo 2^64, as a signed number."""
    number &= MASK
    return number - (1 << 64) if number >> 63 else number


class Span:
    """A window onto bytes; reading beyond its end makes the payload malformed."""

    def __init__(self, data, at=0, end=None):
        self.data, self.at, self.end = data, at, len(data) if end is None else end

    def more(self):
        return self.at < self.end

    def uv(self, limit=(1 << 64) - 1):
        value = shift = 0
        while True:
            must(self.at < self.end, "R-PAY-2")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            must(shift < 70, "R-INT-1")
        must((byte or shift == 0) and value < 1 << 64, "R-INT-1")
        must(value <= limit, "R-INT-2")
        return value

    def uv32(self):
        return self.uv((1 << 32) - 1)

    def sv(self):
        return unzigzag(self.uv())

    def step32(self, last):
        """A number of 32 bits, written as its difference to the last one."""
        value = last + self.sv()
        must(0 <= value < 1 << 32, "R-INT-2")
        return value

    def sub(self):
        """uv length, then a window of that length."""
        size = self.uv()
        must(size <= self.end - self.at, "R-PAY-2")
        self.at += size
        return Span(self.data, self.at - size, self.at)

    def rest(self):
        got = bytes(self.data[self.at:self.end])
        self.at = self.end
        return got

    def raw(self, size):
        must(size <= self.end - self.at, "R-PAY-2")
        self.at += size
        return bytes(self.data[self.at - size:self.at])

    def string(self, limit=MAX_STRING, rule="R-LIM-1"):
        got = self.sub()
        must(got.end - got.at <= limit, rule)
        return got.rest()


def sections(payload, known):
    """Yields (id, content) of the known ones."""
    span, last, count = Span(payload), 0, 0
    while span.more():
        number = span.uv32()
        must(number > last, "R-PAY-1")
        last = number
        count += 1
        must(count <= MAX_SECTIONS, "R-PAY-3")
        if number not in known and number < 64:
            raise Stop("R-PAY-5")
        content = span.sub()
        if number in known:
            yield number, content


def columns(span, known):
    """Yields (id, content) of the known ones."""
    last = 0
    while span.more():
        number = span.uv32()
        must(number > last, "R-COL-1")
        last = number
        if number not in known and number < 64:
            raise Stop("R-COL-5")
        content = span.sub()
        if number in known:
            yield number, content


# ---------------------------------------------------------------- the dump's strings

def utf8_length(data, at):
    """Length of the well-formed sequence of two bytes or more at `at`, 0 if there is none."""
    first = data[at]
    size = 2 if 0xC2 <= first <= 0xDF else 3 if 0xE0 <= first <= 0xEF else 4 if 0xF0 <= first <= 0xF4 else 0
    if not size or at + size > len(data):
        return 0
    try:
        data[at:at + size].decode("utf-8", "strict")
    except UnicodeDecodeError:
        return 0
    return size


def quote(data):
    if PLAIN.fullmatch(data):
        return '"%s"' % data.decode("ascii")
    out, at = ['"'], 0
    while at < len(data):
        byte = data[at]
        if byte in b'"\\':
            out.append("\\" + chr(byte))
        elif byte < 0x20 or byte == 0x7F:
            out.append("\\u%04x" % byte)
        elif byte < 0x80:
            out.append(chr(byte))
        else:
            size = utf8_length(data, at)
            if not size:
                out.append("\\udc%02x" % byte)
            else:
                char = data[at:at + size].decode("utf-8")
                out.append("\\u%04x" % ord(char) if ord(char) < 0xA0 else char)
                at += size
                continue
        at += 1
    out.append('"')
    return "".join(out)


def line(kind, /, **fields):
    """One line of the dump; strings are given as bytes, ready JSON as str."""
    parts = ['"is":"%s"' % kind]
    for key, value in fields.items():
        parts.append('"%s":%s' % (key, quote(value) if isinstance(value, bytes) else value))
    return "{" + ",".join(parts) + "}"


def listed(items):
    return "[" + ",".join(str(item) for item in items) + "]"


# ---------------------------------------------------------------- what a segment knows

class State:
    """Definitions of a segment, as far as later chunks can be judged by them."""

    def __init__(self):
        self.tick_ns = self.nevents = self.nweights = self.flags = 0
        self.lost = False
        self.strings, self.string_bytes = 1, 0  # next id; bytes
        self.modules, self.space = 0, 0         # next id; end of the last offset space
        self.procs = self.threads = 0
        self.stacks = {"kstack": 0, "ustack": 0}
        self.nodes = 0
        self.bases, self.ends = [], []          # of modules with an offset space
        self.sums = {}                          # by event: [taken, written, lost], of what was read
        self.end_sums = self.end_totals = None  # of END: chunks and CRC; as sums

    def copy(self):
        new = State()
        new.__dict__.update(self.__dict__)
        new.stacks = dict(self.stacks)
        new.bases, new.ends = list(self.bases), list(self.ends)
        new.sums = {event: list(sums) for event, sums in self.sums.items()}
        return new

    def add(self, event, what, count):
        sums = self.sums.setdefault(event, [0, 0, 0])
        sums[what] = sums[what] + count & MASK

    def first(self, span, expected, limit):
        got = span.uv()
        must(got == expected or self.lost and expected < got <= limit, "R-DEF-1")
        return got

    def refer(self, number, defined, limit):
        """`number` names one of `defined` things, counted from 0."""
        must(number < (limit if self.lost else defined), "R-DEF-2")
        return number

    def string_id(self, span):
        number = span.uv32()
        must(number < self.strings or self.lost and number <= MAX_STRINGS, "R-DEF-2")
        return number

    def frame(self, number):
        must(0 <= number < MAX_SPACE, "R-STK-3")
        at = bisect.bisect_right(self.bases, number) - 1
        must(at >= 0 and number < self.ends[at] or self.lost, "R-STK-3")

    def time(self, ticks):
        must(-1 << 63 <= ticks * self.tick_ns < 1 << 63, "R-SMP-1")
        return ticks


# ---------------------------------------------------------------- META

def meta_recorder(span, state):
    name, version, draft = span.string(), span.string(), span.uv32()
    if draft != DRAFT:
        raise Stop("R-META-2")
    yield line("recorder", name=name, version=version, draft=draft)


def dashed(uuid):
    h = uuid.hex()
    return '"%s-%s-%s-%s-%s"' % (h[:8], h[8:12], h[12:16], h[16:20], h[20:])


def meta_id(span, state):
    yield line("id", uuid=dashed(span.raw(16)))


def meta_clock(span, state):
    monotonic, realtime, boottime, tick_ns = span.uv(), span.uv(), span.uv(), span.uv()
    must(1 <= tick_ns <= 10 ** 9, "R-META-4")
    state.tick_ns = tick_ns
    yield line("clock", monotonic=monotonic, realtime=realtime, boottime=boottime, tick_ns=tick_ns)


def meta_target(span, state):
    machine, word_bytes, big_endian, page_size, online, possible = (span.uv32() for _ in range(6))
    release = span.string()
    must(word_bytes in (4, 8) and big_endian in (0, 1), "R-META-5")
    yield line("target", machine=machine, word_bytes=word_bytes, big_endian=big_endian, page_size=page_size,
               cpus_online=online, cpus_possible=possible, kernel_release=release)


def meta_mode(span, state):
    mode, interval = span.uv32(), span.uv()
    sides, depth, unwinder, flags = (span.uv32() for _ in range(4))
    state.flags = flags
    yield line("mode", mode=mode, interval_ns=interval, sides=sides, max_depth=depth, unwinder=unwinder, flags=flags)


def meta_events(span, state):
    count = 0
    while span.more():
        record = span.sub()
        kind, name, unit = record.uv32(), record.string(), record.uv32()
        period, sample_ns, nweights = record.uv(), record.uv(), record.uv32()
        must(nweights <= MAX_WEIGHTS, "R-META-7")
        weights = []
        for _ in range(nweights):
            weight = record.string()
            weights.append('{"name":%s,"unit":%d}' % (quote(weight), record.uv32()))
        must(count < MAX_EVENTS, "R-META-7")
        yield line("event", id=count, kind=kind, name=name, period_unit=unit, period=period, sample_ns=sample_ns,
                   weights=listed(weights))
        count += 1
        state.nweights = max(state.nweights, nweights)
    must(count >= 1, "R-META-7")
    state.nevents = count


def meta_scope(span, state):
    scope, count = span.uv32(), span.uv()
    yield line("scope", scope=scope, count=count)


def meta_labels(span, state):
    count = 0
    while span.more():
        record = span.sub()
        key, value = record.string(MAX_LABEL_KEY, "R-LBL-1"), record.string(MAX_LABEL_VALUE, "R-LBL-1")
        must(key and count < MAX_LABELS, "R-LBL-1")
        count += 1
        yield line("label", key=key, value=value)


# ---------------------------------------------------------------- BATCH: definitions

def batch_strings(span, state):
    state.strings = state.first(span, state.strings, MAX_STRINGS + 1)
    yield from strings(span, state)


def strings(span, state):
    while span.more():
        text = span.string(MAX_STRING, "R-STR-1")
        state.string_bytes += len(text)
        must(state.strings <= MAX_STRINGS and state.string_bytes <= MAX_STRINGS_BYTES, "R-STR-2")
        yield line("string", id=state.strings, bytes=text)
        state.strings += 1


def batch_modules(span, state):
    state.modules = state.first(span, state.modules, MAX_MODULES)
    base, expected = span.uv(), -(-state.space // ALIGN) * ALIGN
    must(base == expected or state.lost and expected < base <= MAX_SPACE and base % ALIGN == 0, "R-MOD-1")
    state.space = base
    while span.more():
        record = span.sub()
        base = -(-state.space // ALIGN) * ALIGN
        kind, name, size = record.uv32(), state.string_id(record), record.uv()
        flags, elf_type, machine, nids = (record.uv32() for _ in range(4))
        must(nids <= MAX_IDS, "R-MOD-2")
        ids = []
        for _ in range(nids):
            id_kind, id_bytes = record.uv32(), record.string(MAX_ID, "R-MOD-2")
            must(any(id_bytes), "R-MOD-2")
            ids.append('{"kind":%d,"bytes":"%s"}' % (id_kind, id_bytes.hex()))
        nsegments = record.uv32()
        must(nsegments <= MAX_SEGMENTS, "R-MOD-3")
        segments = [listed([record.uv() for _ in range(4)]) for _ in range(nsegments)]
        must(state.modules < MAX_MODULES and base + size <= MAX_SPACE, "R-MOD-4")
        yield line("module", id=state.modules, base=base, kind=kind, name=name, span=size, flags=flags,
                   elf_type=elf_type, machine=machine, ids=listed(ids), segments=listed(segments))
        if size:
            state.bases.append(base)
            state.ends.append(base + size)
        state.modules += 1
        state.space = base + size


def batch_procs(span, state):
    state.procs = state.first(span, state.procs, MAX_PROCS)
    pid = start = 0
    while span.more():
        record = span.sub()
        pid, start = record.step32(pid), signed(start + record.sv())
        state.time(start)
        comm, exe, before = state.string_id(record), record.uv32(), record.uv32()
        if exe:
            state.refer(exe - 1, state.modules, MAX_MODULES)
        must(before <= state.procs, "R-DEF-2")
        must(state.procs < MAX_PROCS, "R-PRC-2")
        yield line("proc", id=state.procs, pid=pid, start=start, comm=comm, exe=exe,
                   parent=before and state.procs + 1 - before)
        state.procs += 1


def batch_mmaps(span, state):
    proc = 0
    while span.more():
        record = span.sub()
        proc = state.refer(record.step32(proc), state.procs, MAX_PROCS)
        for _ in range(record.uv32()):
            module = state.refer(record.uv32(), state.modules, MAX_MODULES)
            offset, length = record.uv(MAX_SPACE), record.uv(MAX_SPACE)
            start = record.uv() if state.flags & RAW_ADDRESSES else 0
            yield line("mmap", proc=proc, module=module, offset=offset, length=length, start=start)


def batch_threads(span, state):
    state.threads = state.first(span, state.threads, MAX_THREADS)
    proc = tid = 0
    while span.more():
        record = span.sub()
        proc = state.refer(record.step32(proc), state.procs, MAX_PROCS)
        tid, comm = record.step32(tid), state.string_id(record)
        must(state.threads < MAX_THREADS, "R-THR-2")
        yield line("thread", id=state.threads, proc=proc, tid=tid, comm=comm)
        state.threads += 1


# ---------------------------------------------------------------- BATCH: samples

def column(span, rows, read):
    values = []
    must(rows <= span.end - span.at, "R-COL-2")
    for _ in range(rows):
        values.append(read(values[-1] if values else None))
    must(not span.more(), "R-COL-2")
    return values


def row_count(span):
    rows = span.uv()
    must(rows <= MAX_ROWS, "R-COL-4")
    return rows


def at_most(number, limit, rule):
    must(number <= limit, rule)
    return number


GUESS_SLOTS_LOG = 13
GUESS_FACTOR = 0x9E3779B97F4A7C15
BEFORE_ROOT = MASK
MARKER = 1 << 63


def tokens(span, state, rows):
    """The frames of each stack: yields (shared, frames); `rows` are its numbers (shared, fresh)."""
    path = []  # of the previous stack: frames, a marker m as MARKER + m
    slots = {}
    for shared, fresh in rows:
        must(shared <= len(path), "R-STK-1")
        must(shared + fresh <= MAX_FRAMES, "R-STK-2")
        del path[shared:]
        last = next((frame for frame in reversed(path) if frame < MARKER), 0)
        for _ in range(fresh):
            token, before = span.uv(), path[-1] if path else BEFORE_ROOT
            slot = before * GUESS_FACTOR % (1 << 64) >> 64 - GUESS_SLOTS_LOG
            if token & 1:
                path.append(MARKER + min(token >> 1, 3))
                continue
            caller, expected = slots.get(slot, (0, 0))
            last = (expected if caller == before else last) + unzigzag(token >> 1)
            state.frame(last)
            slots[slot] = before, last
            path.append(last)
        yield shared, path[shared:]
    must(not span.more(), "R-COL-2")


def stacks(side):
    def decode(span, state):
        state.stacks[side] = first = state.first(span, state.stacks[side], MAX_STACKS)
        rows, got, frames = row_count(span), {}, None
        for number, content in columns(span, {1, 2, 3, 4}):
            if number < 4:
                limit, rule = {1: (MAX_FRAMES, "R-STK-1"), 2: (MAX_FRAMES, "R-STK-2"), 3: (MASK, "")}[number]
                got[number] = column(content, rows, lambda last: at_most(content.uv32(), limit, rule))
            elif 2 in got:
                frames = list(tokens(content, state, zip(got.get(1, [0] * rows), got[2])))
        must(frames is not None, "R-COL-3")
        for i, (shared, fresh) in enumerate(frames):
            state.nodes += len(fresh)
            must(state.stacks[side] < MAX_STACKS and state.nodes <= MAX_NODES, "R-STK-4")
            yield line(side, id=first + i, end=got[3][i] if 3 in got else 0, shared=shared,
                       frames=listed(frame if frame < MARKER else '"%s"' % MARKERS[frame - MARKER] for frame in fresh))
            state.stacks[side] += 1
    return decode


def row_columns(span, state, rows, known):
    """All columns of SAMPLES or COUNTS by id."""
    got = {}
    stack_side = {4: "kstack", 5: "ustack"}

    for number, content in columns(span, known):
        if number == 1:
            got[1] = column(content, rows, lambda last: state.time(signed((last or 0) + content.sv())))
        elif number == 2:
            got[2] = column(content, rows, lambda last: content.uv(MAX_CPUS - 1))
        elif number == 3:
            got[3] = column(content, rows, lambda last: state.refer(*thread_id(content, last, state)))
        elif number in (4, 5):
            defined = state.stacks[stack_side[number]]
            got[number] = column(content, rows, lambda last: stack_id(content, last, state, defined))
        elif number == 6:
            got[6] = column(content, rows, lambda last: event_id(content, state))
        elif number == 7:
            got[7] = column(content, rows, lambda last: content.uv())
            must(all(got[7]), "R-CNT-3")
        else:
            must(number - 8 < state.nweights, "R-SMP-2")
            got[number] = column(content, rows, lambda last: content.uv())
    return got


def thread_id(content, last, state):
    number = (last or 0) + content.sv()
    must(number >= 0, "R-DEF-2")
    return number, state.threads, MAX_THREADS


def stack_id(content, last, state, defined):
    number = (last or 0) + content.sv()
    must(number >= 0, "R-DEF-2")
    if number:
        state.refer(number - 1, defined, MAX_STACKS)
    return number


def event_id(content, state):
    number = content.uv32()
    must(number < state.nevents, "R-SMP-4")
    return number


def row_weights(got, state, row):
    return listed(got[8 + i][row] if 8 + i in got else 0 for i in range(state.nweights))


def batch_samples(span, state):
    rows = row_count(span)
    got = row_columns(span, state, rows, set(range(1, 7)) | set(range(8, 16)))
    must(1 in got and 3 in got, "R-COL-3")
    zero = [0] * rows
    time, cpu, thread, kstack, ustack, event = (got.get(i, zero) for i in range(1, 7))
    for i in range(rows):
        state.add(event[i], WRITTEN, 1)
        yield line("sample", time=time[i], cpu=cpu[i], thread=thread[i], kstack=kstack[i], ustack=ustack[i],
                   event=event[i], weights=row_weights(got, state, i))


def batch_counts(span, state):
    start, to = span.sv(), span.sv()
    state.time(start)
    state.time(to)
    must(start <= to, "R-CNT-1")
    rows = row_count(span)
    got = row_columns(span, state, rows, set(range(3, 16)))
    must(3 in got and 7 in got, "R-COL-3")
    zero = [0] * rows
    thread, kstack, ustack, event, count = (got.get(i, zero) for i in range(3, 8))
    must(all(thread[i - 1] <= thread[i] for i in range(1, rows)), "R-CNT-2")
    yield line("counts", **{"from": start, "to": to, "rows": rows})
    for i in range(rows):
        state.add(event[i], WRITTEN, count[i])
        yield line("count", thread=thread[i], kstack=kstack[i], ustack=ustack[i], event=event[i], count=count[i],
                   weights=row_weights(got, state, i))


def batch_account(span, state):
    while span.more():
        record = span.sub()
        event, cause, cpu, count = record.uv32(), record.uv32(), record.uv(MAX_CPUS), record.uv()
        must(event < state.nevents, "R-ACC-1")
        if cause < 64:
            state.add(event, LOST if cause else TAKEN, count)
        yield line("account", event=event, cause=cause, cpu=cpu, count=count)


def syms(kind):
    def decode(span, state):
        while span.more():
            record = span.sub()
            module = state.refer(record.uv32(), state.modules, MAX_MODULES)
            offset, size, name = record.uv(MAX_SPACE), record.uv(MAX_SPACE), state.string_id(record)
            yield line(kind, module=module, offset=offset, size=size, name=name)
    return decode


def batch_origins(span, state):
    while span.more():
        record = span.sub()
        first, procs = record.uv32(), record.uv32()
        must(first + procs <= (MAX_PROCS if state.lost else state.procs), "R-ORG-1")
        uuid, realtime, duration = dashed(record.raw(16)), record.uv(), record.uv()
        reason, flags_state, flags, cpus = (record.uv32() for _ in range(4))
        release, recorder, version = (state.string_id(record) for _ in range(3))
        count = record.uv()
        must(count <= MAX_LABELS, "R-ORG-2")
        labels = [listed([state.string_id(record), state.string_id(record)]) for _ in range(count)]
        yield line("origin", first=first, procs=procs, uuid=uuid, realtime=realtime, duration=duration, reason=reason,
                   state=flags_state, flags=flags, cpus_online=cpus, kernel_release=release, recorder=recorder,
                   version=version, labels=listed(labels))


# ---------------------------------------------------------------- END, NOTE, SYMBOLS

def end_stop(span, state):
    reason, monotonic, realtime, boottime = span.uv32(), span.uv(), span.uv(), span.uv()
    yield line("stop", reason=reason, monotonic=monotonic, realtime=realtime, boottime=boottime)


def end_totals(span, state):
    chunks, crc, nevents = span.uv(), int.from_bytes(span.raw(4), "little"), span.uv32()
    must(nevents == state.nevents, "R-END-2")
    state.end_sums, state.end_totals = (chunks, crc), {}
    yield line("totals", chunks=chunks, headers_crc=crc)
    for event in range(nevents):
        taken, written, lost = span.uv(), span.uv(), span.uv()
        state.end_totals[event] = [taken, written, lost]
        yield line("total", event=event, taken=taken, written=written, lost=lost)


def end_self(span, state):
    cpu_ns, peak, bpf_ns = span.uv(), span.uv(), span.uv()
    yield line("self", cpu_ns=cpu_ns, peak_bytes=peak, bpf_ns=bpf_ns)


def note_text(span, state):
    must(span.end - span.at <= MAX_STRING, "R-NOTE-1")
    yield line("note", text=span.rest())


def symbols_strings(span, state):
    must(span.uv() == 1, "R-SYMB-1")
    state.strings, state.string_bytes = 1, 0
    yield from strings(span, state)


def symbols_syms(span, state):
    while span.more():
        record = span.sub()
        module = state.refer(record.uv32(), state.modules, MAX_MODULES)
        offset, size, name = record.uv(MAX_SPACE), record.uv(MAX_SPACE), record.uv32()
        must(name < state.strings, "R-SYMB-1")
        yield line("sym", module=module, offset=offset, size=size, name=name)


SECTIONS = {
    META: {1: meta_recorder, 2: meta_id, 3: meta_clock, 4: meta_target, 5: meta_mode, 6: meta_events, 7: meta_scope,
           64: meta_labels},
    BATCH: {1: batch_strings, 2: batch_modules, 3: batch_procs, 4: batch_mmaps, 5: batch_threads, 6: stacks("kstack"),
            7: stacks("ustack"), 8: batch_samples, 9: batch_counts, 10: batch_account, 11: syms("ksym"), 12: syms("jitsym"), 65: batch_origins},
    END: {1: end_stop, 2: end_totals, 3: end_self},
    NOTE: {1: note_text},
    SYMBOLS: {1: symbols_strings, 2: symbols_syms},
}
REQUIRED = {META: {1, 2, 3, 4, 5, 6, 7}, BATCH: set(), END: {1, 2}, NOTE: {1}, SYMBOLS: {1, 2}}


def decode_payload(kind, payload, state):
    """Lines of a payload; `state` takes up what it defines."""
    lines, seen = [], set()
    for number, content in sections(payload, SECTIONS[kind]):
        lines.extend(SECTIONS[kind][number](content, state))
        seen.add(number)
    must(REQUIRED[kind] <= seen, "R-PAY-4")
    if kind == END and 3 not in seen:
        lines.append(line("self", cpu_ns=0, peak_bytes=0, bpf_ns=0))
    return lines


# ---------------------------------------------------------------- the container

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
