# SPDX-License-Identifier: BSD-2-Clause
"""Of foldread.py: the sections of END, NOTE and SYMBOLS, and which sections each kind of chunk has."""
from foldread_bytes import must, sections
from foldread_define import *
from foldread_meta import *
from foldread_numbers import *
from foldread_rows import *
from foldread_text import line

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
