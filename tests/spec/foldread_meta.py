# SPDX-License-Identifier: BSD-2-Clause
"""Of foldread.py: the sections of META."""
from foldread_bytes import Stop, must
from foldread_numbers import *
from foldread_text import dashed, line, listed, quote

def meta_recorder(span, state):
    name, version, draft = span.string(), span.string(), span.uv32()
    if draft != DRAFT:
        raise Stop("R-META-2")
    yield line("recorder", name=name, version=version, draft=draft)


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
