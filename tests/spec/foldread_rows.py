# SPDX-License-Identifier: BSD-2-Clause
"""Of foldread.py: sections of columns: stacks, samples, counts."""
from foldread_bytes import columns, must, signed, unzigzag
from foldread_numbers import *
from foldread_text import line, listed

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
