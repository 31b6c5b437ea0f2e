#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""SPEC.md, format/fold.h and foldread.py give the same numbers: limits, enumerations, flags, ids."""
import os
import re
import sys

import foldread

SOURCE = os.environ.get("SRC", os.path.join(os.path.dirname(__file__), "..", ".."))
NOT_IN_A_FILE = {"FOLD_SECTION_MAX", "FOLD_CAUSE_NOTE"}


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def defines(header):
    """{name: value} of the constants that are numbers."""
    found = {}
    for name, value in re.findall(r"^#define (FOLD_\w+) +(.+?)\s*(?:/\*.*)?$", header, re.M):
        value = re.sub(r"UINT64_C\((\d+)\)", r"\1", value)
        value = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)u\b", r"\1", value)
        if re.fullmatch(r"[\d\sx<()a-fA-F]+", value):
            found[name] = eval(value)
    return found


def enumerators(header):
    """[(name, value)] of all enums."""
    found = []
    for body in re.findall(r"^enum \w+ \{(.*?)\}", header, re.M | re.S):
        for name, value in re.findall(r"(FOLD_\w+) = ([^,/}]+)", body):
            value = value.strip().replace("u", "")
            found.append((name, eval(value) if re.fullmatch(r"[\d\sx<a-fA-F]+", value) else value))
    return found


def spec_limits(spec):
    for value, name in re.findall(r"^\| [^|]+ \| ([\d,^]+) \| (FOLD_\w+) \|$", spec, re.M):
        base, _, power = value.replace(",", "").partition("^")
        yield name, int(base) ** int(power or 1)


def spec_names(spec):
    """(number, NAME) wherever a table gives a number a name."""
    for number, name in re.findall(r"\| (?:bit )?(0x[0-9a-f]+|\d+)(?: \+ i| and above)? (?:\| `?(?=[A-Z])|)([A-Z][A-Z_]+)\b(?![^|]*`)", spec):
        yield int(number, 0), name
    for name, number in re.findall(r"^#+ [\d.]+ ([A-Z]+) \((\d+)\)", spec, re.M):
        yield int(number), name
    for number, name in re.findall(r"([A-Z]+) \((\d+)\)", spec):
        yield int(name), number


def fits(name, number, suffix, value):
    """Is the enumerator `name` = `number` what a table calls `suffix` = `value`?"""
    return name.endswith("_" + suffix) and number in (value, 1 << value)


def main():
    spec, header = read("SPEC.md"), read("format", "fold.h")
    constants, enums, wrong = defines(header), enumerators(header), []
    limits = dict(spec_limits(spec))
    for name, value in limits.items():
        if constants.get(name) != value:
            wrong.append("%s is %s in SPEC.md, %s in fold.h" % (name, value, constants.get(name)))
        if getattr(foldread, name[5:], value) != value:
            wrong.append("%s is %s in SPEC.md, %s in foldread.py" % (name, value, getattr(foldread, name[5:])))
    for name in constants:
        if name.startswith("FOLD_MAX_") and name not in limits:
            wrong.append("SPEC.md does not list %s" % name)
    names = set(spec_names(spec))
    for name, number in enums:
        if isinstance(number, int) and name not in NOT_IN_A_FILE and not any(fits(name, number, suffix, value) for value, suffix in names):
            wrong.append("SPEC.md has nothing that is %s = %d" % (name, number))
    section = re.search(r"^## 13 .*?^## 14 ", spec, re.M | re.S).group(0)
    for value, suffix in spec_names(section):
        if not any(isinstance(number, int) and fits(name, number, suffix, value) for name, number in enums):
            wrong.append("fold.h has nothing that is %s = %d" % (suffix, value))
    for text in wrong:
        print("not ok " + text)
    print("%d limits, %d enumerators, %d wrong" % (len(limits), len(enums), len(wrong)))
    return 1 if wrong or len(limits) < 20 or len(enums) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
