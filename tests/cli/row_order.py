#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""One recording in three orders of its samples, without END: for report_row_order.sh."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["SRC"], "tests", "spec"))
import foldread  # noqa: E402
from build import *  # noqa: E402,F403

REPORT = os.environ["FOLD_REPORT"]
SECOND = 10 ** 6
# (ms, thread): by thread, the last row is not the latest one, nor is the first the earliest.
ROWS = [(ms, 0) for ms in (700, 1500, 3900, 4000)] + [(ms, 1) for ms in (100, 1600, 2100, 2500)]
ORDERS = {"thread": ROWS, "time": sorted(ROWS), "none": ROWS[::-2] + ROWS[::2]}


def differences(values):
    return b"".join(sv(value - last) for last, value in zip([0, *values], values))


def write(name, rows):
    batch = definitions() + samples(len(rows), differences([ms * SECOND // 1000 for ms, _ in rows]), differences([thread for _, thread in rows]))
    batch += section(10, record(0, 0, 0, len(rows)))
    with open(name + ".foldrec", "wb") as out:
        out.write(segment(batch, end=False))


def run(*words):
    return subprocess.run([REPORT, *words], capture_output=True, check=True).stdout


def origins(name):
    run("merge", "-q", "-o", "m.foldrec", name, "other.foldrec")
    lines = []
    with open("m.foldrec", "rb") as file:
        foldread.dump(file.read(), lines.append)
    rows = [(row["thread"], row["time"]) for row in map(json.loads, lines) if row["is"] == "sample"]
    return [json.loads(line)["duration"] for line in lines if '"is":"origin"' in line], rows


def main():
    failed = 0
    write("other", ROWS[:1])
    for name, rows in ORDERS.items():
        write(name, rows)
    for options in ((), ("--from", "1"), ("--to", "2"), ("--from", "1.4", "--to", "2.5"), ("--from", "3.85"), ("--to", "0.5", "--by", "thread")):
        start = [float(options[i + 1]) for i in range(len(options)) if options[i] == "--from"] or [0]
        end = [float(options[i + 1]) for i in range(len(options)) if options[i] == "--to"] or [99]
        want = sum(start[0] <= (ms - 100) / 1000 < end[0] for ms, _ in ROWS)  # from the first sample on
        for name in ORDERS:
            got = run("-q", "--no-system", "-f", "folded", *options, name + ".foldrec")
            count = sum(int(line.split()[-1]) for line in got.splitlines())
            if count != want:
                failed += 1
                print("not ok by %s, %s: %d samples, not %d" % (name, options, count, want))
    for name in ORDERS:
        durations, rows = origins(name + ".foldrec")
        if 4 * 10 ** 9 not in durations or rows != sorted(rows):
            failed += 1
            print("not ok by %s: merged: lasted %s, samples %s" % (name, durations, rows))
    print("%d failed" % failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
