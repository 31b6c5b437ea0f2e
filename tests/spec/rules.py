#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Rules of SPEC.md that no test names, and tests that name no rule of SPEC.md.

A rule with MUST counts as tested when its number stands in a test: in tests/, but for the
second reader, which is an implementation.  "none left" is the good answer.
"""
import os
import re
import sys

SOURCE = os.environ.get("SRC", os.path.join(os.path.dirname(__file__), "..", ".."))
NUMBER = re.compile(r"\bR-[A-Z]+-\d+\b")
NO_TESTS = {"foldread.py", "rules.py"}
CODE = ("format", "report", "record", "bpf")


def rules(spec):
    """{number: text} of the rules, and the numbers that are given twice."""
    found, twice = {}, []
    for number, text in re.findall(r"^- \*\*(R-[A-Z]+-\d+)\*\*(.*?)(?=^- |^$)", spec, re.M | re.S):
        if number in found:
            twice.append(number)
        found[number] = text
    return found, twice


def named(folders, without=()):
    """{number: where it stands first} in the files below `folders`."""
    found = {}
    for top in folders:
        for folder, _, names in os.walk(os.path.join(SOURCE, top)):
            for name in names:
                if name in without or name.endswith((".pyc", ".foldrec", ".o")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8", errors="replace") as file:
                    for number in NUMBER.findall(file.read()):
                        found.setdefault(number, os.path.relpath(path, SOURCE))
    return found


def main():
    with open(os.path.join(SOURCE, "SPEC.md"), encoding="utf-8") as file:
        spec = file.read()
    known, twice = rules(spec)
    tested = named(["tests"], NO_TESTS)
    missing = [number for number, text in known.items() if "MUST" in text and number not in tested]
    unknown = sorted((number, where) for number, where in {**named(CODE), **tested, **{n: "SPEC.md" for n in NUMBER.findall(spec)}}.items()
                     if number not in known)
    for number in missing:
        print("no test names %s:%s" % (number, " ".join(known[number].split())[:90]))
    for number, where in unknown:
        print("%s names %s, which SPEC.md does not have" % (where, number))
    for number in twice:
        print("SPEC.md has %s twice" % number)
    must = sum("MUST" in text for text in known.values())
    print("%d rules, %d with MUST; without a test: %s" % (len(known), must, ", ".join(missing) or "none left"))
    return 1 if missing or unknown or twice or must < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
