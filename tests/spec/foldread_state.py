# SPDX-License-Identifier: BSD-2-Clause
"""Of foldread.py: what a segment has defined, and what may refer to it."""
import bisect

from foldread_bytes import must
from foldread_numbers import *

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
