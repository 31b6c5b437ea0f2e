#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare our unwind tables with what binutils makes of the same .eh_frame.

    difftest.py ROWS FILE...        the files given
    difftest.py ROWS --all          every ELF file below /usr and /root, one of each build-id,
                                    small ones first; progress on standard error

ROWS is the program made of tests/unwind/rows.c.  Each row of readelf must be
found in our table, and each of our rows must be what readelf says there.  What
we say we cannot hold ("bad") is counted and must stay rare.
"""
import bisect
import functools
import mmap
import os
import re
import struct
import subprocess
import sys
import time
import typing

REGISTERS = {n: i for i, n in enumerate("rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split())}
SAME, AT_CFA, AT_FP, UNKNOWN = range(4)
DEREF, INDEXED, RA_REGISTER, EXACT = 1, 2, 4, 8
RBX_UNKNOWN, RBX_SAME = 0, 255
PADDING = 15
STARTUP = re.compile(rb"((?:\xf3\x0f\x1e\xfa)?\x48\x83\xec\x08)(?:\x48(?:\x8b\x05|\xc7\xc0)....\x48\x85\xc0\x74\x02\xff\xd0)?\x48\x83\xc4\x08\xc3", re.S)
ENTRY = re.compile(r"^([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ (?:CIE \"?([^\" ]*)|FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+))")
ROW = re.compile(r"^([0-9a-f]{16}) ")
CFA = re.compile(r"^(r\w+)([+-]\d+)$")


def executable_segments(path):
    """[(vaddr, end, offset)] of a 64-bit little-endian x86-64 file, None for anything else."""
    with open(path, "rb") as f:
        head = f.read(64)
        if len(head) < 64 or head[:6] != b"\x7fELF\x02\x01":
            return None
        kind, machine = struct.unpack_from("<HH", head, 16)
        phoff, = struct.unpack_from("<Q", head, 32)
        phnum, = struct.unpack_from("<H", head, 56)
        if machine != 62 or kind not in (2, 3):
            return None
        size = os.fstat(f.fileno()).st_size
        out = []
        for i in range(phnum):
            f.seek(phoff + 56 * i)
            ph = struct.unpack("<IIQQQQQQ", f.read(56))
            if ph[0] == 1 and ph[1] & 1 and ph[2] < size and ph[5]:
                out.append((ph[3], ph[3] + min(ph[5], size - ph[2]), ph[2]))
        return out


class Row(typing.NamedTuple):
    """What a row of readelf says; `cie`: it is the one of a CIE, for a function without a program."""
    cfa: str
    rbp: str
    rbx: str
    ra: str
    cie: bool = False


@functools.lru_cache(maxsize=1 << 18)
def row_of(columns, text):
    """The row with this text, which is mostly that of many others.

    A register as a place has two words: "r5 (rdi)".
    """
    said = dict(zip(columns.split(), ["", *(w for w in text.split() if w[0] != "(")]))
    return Row(said.get("CFA", ""), said.get("rbp", "u"), said.get("rbx", "u"), said.get("ra", "u"))


def readelf_functions(path, segments):
    """[(pc, end, [(pc, Row)], [(0, Row of the CIE)], signal)], sorted; of several at one pc the last."""
    run = subprocess.Popen(["readelf", "-W", "--debug-dump=frames-interp", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           text=True, errors="replace")
    signal, initial, functions, rows, columns = {}, {}, {}, None, None
    section_ok = False
    for line in run.stdout:
        if line.startswith("Contents of the "):
            section_ok = ".eh_frame section" in line
            signal, initial, rows = {}, {}, None
            continue
        if not section_ok:
            continue
        m = ROW.match(line)
        if m:
            if rows is not None and columns:
                rows.append((int(m.group(1), 16), row_of(columns, line[17:])))
            continue
        m = ENTRY.match(line)
        if m and m.group(2) is not None:
            signal[m.group(1)] = "S" in m.group(2)
            rows = initial[m.group(1)] = []
            columns = None
        elif m:
            pc, end = int(m.group(4), 16), int(m.group(5), 16)
            rows, columns = [], None
            if pc < end and any(lo <= pc < hi for lo, hi, _ in segments):
                limit = next(hi for lo, hi, _ in segments if lo <= pc < hi)
                functions[pc] = (pc, min(end, limit), rows, initial.get(m.group(3), []), signal.get(m.group(3), False))
        elif line.lstrip().startswith("LOC"):
            columns = line
    run.wait()
    return [functions[pc] for pc in sorted(functions)]


def expected_rows(functions):
    """[(pc, end, Row, signal)], cut where the next function begins."""
    out = []
    for i, (pc, end, rows, initial, signal) in enumerate(functions):
        # A program that says nothing is not printed: the row of its CIE holds.  There readelf
        # leaves registers where they were saved even if they were restored since.
        rows = rows or [(pc, row._replace(cie=True)) for _, row in initial]
        if i + 1 < len(functions):
            end = min(end, functions[i + 1][0])
        for j, (at, row) in enumerate(rows):
            to = rows[j + 1][0] if j + 1 < len(rows) else end
            if at < min(to, end):
                out.append((at, min(to, end), row, signal))
    return out


def saved_fits(rule_saved, off, row):
    want = row.rbp
    if row.cie and rule_saved == SAME:
        return True
    if want in ("u", "s"):
        return rule_saved in (SAME, UNKNOWN)
    if want.startswith("c"):
        return rule_saved == AT_CFA and off == int(want[1:])
    if want == "exp":
        return rule_saved in (AT_FP, UNKNOWN)
    return rule_saved == UNKNOWN


def rbx_fits(rbx, row):
    if rbx in (RBX_UNKNOWN, RBX_SAME):
        return rbx == RBX_UNKNOWN or row.cie or row.rbx in ("u", "s")
    return row.rbx == f"c{-8 * rbx}"


@functools.lru_cache(maxsize=1 << 18)
def fits(ours, row, signal):
    """True, False or "bad": we say that we cannot hold it."""
    kind = ours[0]
    cfa, ra = row.cfa, row.ra
    if kind == "bad":
        return "bad"
    if ra == "u":
        return kind == "end"
    if kind == "signal":
        return signal and cfa == "exp"
    m = CFA.match(cfa)
    if kind in ("sp", "fp"):
        saved = int(ours[2])
        return bool(m) and m.group(1) == {"sp": "rsp", "fp": "rbp"}[kind] and int(m.group(2)) == int(ours[1]) and ra == "c-8" and \
            not signal and saved_fits(AT_CFA if saved else SAME, -8 * saved, row)
    if kind == "plt":
        return cfa == "exp" and ra == "c-8"
    if kind != "ext":
        return False
    base, index, flags, saved, off, saved_off, ra_register, add, rbx = map(int, ours[1:])
    if not rbx_fits(rbx, row) or bool(flags & EXACT) != signal or ra != (f"r{ra_register}" if flags & RA_REGISTER else "c-8"):
        return False
    if cfa == "exp":
        return bool(flags & (DEREF | INDEXED)) and saved_fits(saved, saved_off, row)
    return bool(m) and not flags & (DEREF | INDEXED) and REGISTERS.get(m.group(1)) == base and int(m.group(2)) == off and \
        saved_fits(saved, saved_off, row)


def startup_functions(path, segments):
    """{pc: our rule there} of .init and .fini, which have their code for all information."""
    out = {}
    with open(path, "rb") as f:
        for vaddr, end, offset in segments:
            f.seek(offset)
            code = f.read(end - vaddr)
            for m in filter(None, (STARTUP.match(code), STARTUP.fullmatch(code, len(code) - 13), STARTUP.fullmatch(code, len(code) - 9))):
                out[vaddr + m.start()] = out[vaddr + m.end() - 1] = ("sp", "8", "0")
                out[vaddr + m.end(1)] = ("sp", "16", "0")
    return out


def startup_long(rule):
    """The same in a file with rules about rbx."""
    return ("ext", str(REGISTERS["rsp"]), "0", "0", str(SAME), rule[1], "0", "0", "0", str(RBX_SAME))


class Table:
    """Our rows of one file."""

    def __init__(self, program, path):
        text = subprocess.run([program, path], stdout=subprocess.PIPE, check=True, text=True).stdout
        self.pcs, self.rules = [], []
        for line in text.splitlines()[1:]:
            word = line.split()
            self.pcs.append(int(word[0], 16))
            self.rules.append(tuple(word[1:]))

    def at(self, pc):
        i = bisect.bisect_right(self.pcs, pc) - 1
        return self.rules[i] if i >= 0 else ("gap",)


def is_go(path):
    """Its rows are from its own table; readelf knows DWARF only."""
    with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
        return m.find(b".gopclntab\0") >= 0


def compare(program, path):
    """(rows compared, rows we cannot hold, [mismatches])"""
    segments = executable_segments(path)
    if segments is None or is_go(path):
        return None
    want = expected_rows(readelf_functions(path, segments))
    table = Table(program, path)
    compared, cannot, wrong = 0, 0, []
    for pc, end, row, signal in want:
        compared += 1
        answer = fits(table.at(pc), row, signal)
        if answer == "bad":
            cannot += 1
        elif not answer:
            wrong.append(f"{pc:x}: readelf {row}, ours {' '.join(table.at(pc))}")
    starts = [w[0] for w in want]
    known = startup_functions(path, segments) if want else {} # a file without unwind information has no rows
    compared += len(known)
    wrong += [f"{pc:x}: startup code, ours {' '.join(table.at(pc))}" for pc, rule in known.items() if table.at(pc) not in (rule, startup_long(rule))]
    for pc, rule in zip(table.pcs, table.rules):
        i = bisect.bisect_right(starts, pc) - 1
        compared += 1
        if i >= 0 and pc < want[i][1]:
            # A restorer is looked up at the byte before it.
            if not fits(rule, want[i][2], want[i][3]) and not (rule[0] == "signal" and pc + 1 < want[i][1]):
                wrong.append(f"{pc:x}: ours {' '.join(rule)}, readelf {want[i][2]}")
        elif pc in known:
            continue
        elif rule[0] != "gap" and pc & 0xffff and not (rule[0] == "signal" and i + 1 < len(want) and want[i + 1][0] == pc + 1):
            wrong.append(f"{pc:x}: ours {' '.join(rule)}, readelf has nothing")
        elif rule[0] != "gap" and not pc & 0xffff and (i < 0 or pc - want[i][1] > PADDING):
            wrong.append(f"{pc:x}: page begins with {' '.join(rule)}, readelf has nothing")
    return compared, cannot, wrong


def build_id(path):
    """What `file` would call BuildID, or the path where a file has none."""
    notes = subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace").stdout
    m = re.search(r"Build ID: ([0-9a-f]+)", notes)
    return m.group(1) if m else path


def every_elf_file():
    """ELF files for this machine below /usr and /root, small ones first, one of each build-id."""
    found = set()
    for top in ("/usr", "/root"):
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                st = os.stat(path)
                if st.st_size < 64:
                    continue
                with open(path, "rb") as f:
                    if f.read(4) == b"\x7fELF":
                        found.add((st.st_size, st.st_dev, st.st_ino, path))
    inodes, ids = set(), set()
    for _, dev, ino, path in sorted(found):
        if (dev, ino) in inodes or executable_segments(path) is None:
            continue
        inodes.add((dev, ino))
        name = build_id(path)
        if name not in ids:
            ids.add(name)
            yield path


def main():
    program, files = sys.argv[1], sys.argv[2:]
    everything, began = files == ["--all"], time.monotonic()
    if everything:
        files = every_elf_file()
    total, cannot, failed, n = 0, 0, 0, 0
    for path in files:
        answer = compare(program, path)
        if answer is None:
            continue
        n += 1
        total += answer[0]
        cannot += answer[1]
        for line in answer[2][:5]:
            print(f"{path}: {line}", flush=True)
        failed += len(answer[2])
        if everything:
            print(f"{time.monotonic() - began:.0f} s: {n} files, {total} rows, {cannot} not representable, {failed} mismatches; {path}",
                  file=sys.stderr)
    print(f"{n} files, {total} rows compared, {cannot} not representable, {failed} mismatches")
    return 1 if failed or not total or cannot * 1000 > total else 0


sys.exit(main())
