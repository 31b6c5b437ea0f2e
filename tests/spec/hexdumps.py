#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Decodes the worked bytes of SPEC.md with both readers.

Appendix B is a set of recordings cut into blocks.  Their bytes have to give the lines that
stand below them: by foldread.py block by block, by `fold-report dump` as whole files.
Every section and every column that SPEC.md defines has to be shown at least once.
"""
import json
import os
import re
import subprocess
import sys

import foldread

SOURCE = os.environ.get("SRC", os.path.join(os.path.dirname(__file__), "..", ".."))
FENCE = re.compile(r"^```(hexdump|dump)(?: (\S+) ([^\n]+))?\n(.*?)^```$", re.M | re.S)
OF_CONTAINER = re.compile(r'\{"is":"(segment|chunk|damage|cut|skipped|stopped|contradiction)"')


class Recording:
    def __init__(self, name):
        self.name, self.data, self.blocks = name, b"", []  # blocks: title, end offset, lines

    def lines(self):
        return [text for _, _, lines in self.blocks for text in lines]


def read_hex(text):
    return bytes.fromhex("".join(row.split(";")[0] for row in text.split("\n")))


def recordings(spec):
    found = {}
    last = None
    for kind, name, title, text in FENCE.findall(spec):
        if kind == "hexdump":
            last = found.setdefault(name, Recording(name))
            last.data += read_hex(text)
            last.blocks.append((title, len(last.data), []))
        else:
            last.blocks[-1][2].extend(text.splitlines())
    return list(found.values())


def compare(who, recording, got):
    want = recording.lines()
    if got == want:
        print("ok %s %s: %d bytes, %d blocks, %d lines" % (who, recording.name, len(recording.data), len(recording.blocks),
                                                      len(want)))
        return True
    print("not ok %s %s" % (who, recording.name))
    at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
    print("  line %d\n  got  %s\n  want %s" % (at + 1, got[at] if at < len(got) else "(nothing)",
                                            want[at] if at < len(want) else "(nothing)"))
    return False


def placed(recording):
    """Lines stand below the block that they come from: offsets are those of the block's first byte."""
    ok, start = True, 0
    for title, end, lines in recording.blocks:
        for text in lines:
            if '"is":"end"' not in text and json.loads(text).get("offset", start) != start and OF_CONTAINER.match(text):
                print("not ok %s: not at byte %d, where %r is: %s" % (recording.name, start, title, text))
                ok = False
        start = end
    return ok


def shown(spec, found):
    """Everything that the tables of SPEC.md define stands in some block."""
    ok = True
    titles = {title for recording in found for title, _, _ in recording.blocks}
    for name, number in re.findall(r"^### [5-9]\.\d+ (\w+) \((\d+)\)", spec, re.M):
        if not any(re.search(r"\b%s %s$" % (number, name), title) for title in titles):
            print("not ok section %s %s is shown nowhere" % (number, name))
            ok = False
    text = "\n".join(rows for _, _, _, rows in FENCE.findall(spec))
    for number, name in re.findall(r"^\| ([1-7]|8 \+ i) \| (TIME|CPU|THREAD|KSTACK|USTACK|EVENT|COUNT|WEIGHT) \|", spec, re.M):
        wanted = "8 WEIGHT 0" if name == "WEIGHT" else "%s %s" % (number, name)
        if "; column %s\n" % wanted not in text:
            print("not ok column %s is shown nowhere" % name)
            ok = False
    return ok


def main():
    with open(os.path.join(SOURCE, "SPEC.md"), encoding="utf-8") as file:
        spec = file.read()
    found = recordings(spec)
    ok = len(found) >= 3 and shown(spec, found)
    report = os.environ.get("FOLD_REPORT")
    for recording in found:
        got = []
        foldread.dump(recording.data, got.append)
        ok &= compare("foldread.py", recording, got) and placed(recording)
        if report and os.access(report, os.X_OK):
            done = subprocess.run([report, "dump", "-"], input=recording.data, capture_output=True, check=False)
            ok &= compare("fold-report", recording, done.stdout.decode("utf-8").splitlines())
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
