# SPDX-License-Identifier: BSD-2-Clause
"""Of foldread.py: sections of records, which define things and tell about them."""
from foldread_bytes import must, signed
from foldread_numbers import *
from foldread_text import dashed, line, listed

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
