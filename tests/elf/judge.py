#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A judge for compare.py where tools disagree: DWARF read by pyelftools, which shares
no code with any of them.  judge.py FILE <ADDRESSES, printed like addr2line -afi.
Slow: it knows no index, and reads every unit that is hit."""
import bisect, sys
from elftools.elf.elffile import ELFFile
from elftools.dwarf.descriptions import describe_form_class
from elftools.dwarf.ranges import BaseAddressEntry

BLOCKS = {'DW_TAG_lexical_block', 'DW_TAG_try_block', 'DW_TAG_catch_block', 'DW_TAG_namespace', 'DW_TAG_module',
          'DW_TAG_class_type', 'DW_TAG_structure_type', 'DW_TAG_union_type'}
FUNCTIONS = {'DW_TAG_subprogram', 'DW_TAG_inlined_subroutine'}

elf = ELFFile(open(sys.argv[1], 'rb'))
dwarf = elf.get_dwarf_info(relocate_dwarf_sections=False, follow_links=False)
lists = dwarf.range_lists()

def ranges(die, base):
    """[(low, high)], or None when the entry says nothing of its place"""
    at = die.attributes
    if 'DW_AT_ranges' in at:
        out = []
        where = at['DW_AT_ranges']
        entries = lists.get_range_list_at_offset(where.value, die.cu) if die.cu['version'] >= 5 else lists.get_range_list_at_offset(where.value)
        for e in entries:
            if isinstance(e, BaseAddressEntry):
                base = e.base_address
            else:
                add = 0 if getattr(e, 'is_absolute', False) else base
                out.append((e.begin_offset + add, e.end_offset + add))
        return out
    if 'DW_AT_low_pc' in at and 'DW_AT_high_pc' in at:
        low, high = at['DW_AT_low_pc'].value, at['DW_AT_high_pc']
        return [(low, high.value if describe_form_class(high.form) == 'address' else low + high.value)]
    return None

def name(die):
    for _ in range(8):
        for key in ('DW_AT_linkage_name', 'DW_AT_MIPS_linkage_name'):
            if key in die.attributes:
                return die.attributes[key].value.decode(errors='replace')
        found = die
        for key in ('DW_AT_abstract_origin', 'DW_AT_specification'):
            if key in die.attributes:
                found = die.get_DIE_from_attribute(key)
                break
        if found is die:
            break
        die = found
    return die.attributes['DW_AT_name'].value.decode(errors='replace') if 'DW_AT_name' in die.attributes else '??'

class Unit:
    def __init__(self, cu):
        self.cu, self.top = cu, cu.get_top_DIE()
        low = self.top.attributes.get('DW_AT_low_pc')
        self.base = low.value if low else 0
        self.ranges = ranges(self.top, self.base) or []
        self.lines = None

    def files(self):
        program = dwarf.line_program_for_CU(self.cu)
        self.first = 0 if program.header['version'] >= 5 else 1
        return program, [f.name.decode(errors='replace') for f in program.header['file_entry']]

    def file(self, index):
        index -= self.first
        return self.names[index] if 0 <= index < len(self.names) else '??'

    def read_lines(self):
        program, self.names = self.files()
        sequences, rows = [], []
        for entry in program.get_entries():
            s = entry.state
            if s is None:
                continue
            rows.append((s.address, s.file, s.line))
            if s.end_sequence:
                if rows[0][0] < s.address:
                    sequences.append(rows)
                rows = []
        self.lines = sorted(sequences, key=lambda r: r[0][0])

    def place(self, address):
        if self.lines is None:
            self.read_lines()
        i = bisect.bisect_right([s[0][0] for s in self.lines], address)
        for s in reversed(self.lines[:i]):
            if s[0][0] <= address < s[-1][0]:
                row = s[bisect.bisect_right([r[0] for r in s], address) - 1]
                return (self.file(row[1]), row[2])
        return ('??', 0)

    def functions(self, address):
        """Outermost first."""
        out, level = [], self.top
        while level is not None:
            inner = None
            for die in self.walk(level):
                if any(low <= address < high for low, high in ranges(die, self.base) or []):
                    inner = die
                    break
            if inner is not None and inner.tag in FUNCTIONS:
                out.append(inner)
            level = inner
        return out

    def walk(self, die):
        """Entries below that could have a place: through those that say nothing of theirs."""
        for child in die.iter_children():
            if child.tag in FUNCTIONS or child.tag in BLOCKS:
                if ranges(child, self.base):
                    yield child
                elif child.tag in BLOCKS:
                    yield from self.walk(child)

units = [Unit(cu) for cu in dwarf.iter_CUs()]
index = sorted((low, high, i) for i, u in enumerate(units) for low, high in u.ranges)
for line in sys.stdin:
    address = int(line, 16)
    print('0x%016x' % address)
    i = bisect.bisect_right(index, (address, 1 << 64, 0))
    unit = next((units[n] for low, high, n in reversed(index[max(0, i - 64):i]) if low <= address < high), None)
    if unit is None:
        print('??\n??:0')
        continue
    file, row = unit.place(address)
    for die in reversed(unit.functions(address)):
        print('%s\n%s:%d' % (name(die), file, row))
        if die.tag == 'DW_TAG_inlined_subroutine':
            file, row = unit.file(die.attributes['DW_AT_call_file'].value), die.attributes['DW_AT_call_line'].value
