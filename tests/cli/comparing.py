#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""diff -f json of two builds of a program: functions meet by name, noise is told as noise."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["SRC"], "tests", "spec"))
import build  # noqa: E402
import foldread  # noqa: E402
from build import META, record, section, sv, text, uv, uvs  # noqa: E402

REPORT = os.environ["FOLD_REPORT"]
NAMES = [b"/opt/app", b"app", b"work", b"idle", b"rare"]


def write(name, build_id, at, counts, seconds=1):
    """`counts` samples in work, idle and rare, which this build has at `at`, at + 0x100 and at + 0x200, and one at 0x10 without a name."""
    offsets = [at, at + 0x100, at + 0x200, 0x10]
    steps_of = [offset - before for before, offset in zip([-8, *offsets], offsets)]
    stacks = build.stacks(*(number for step in steps_of for number in (0, 1, 1, step << 2 if step >= 0 else -2 * step - 1 << 1)))
    rows = [i for i, n in enumerate([*counts, 5]) for _ in range(n)]
    batch = build.definitions(
        strings=uv(1) + b"".join(text(word) for word in NAMES), modules=uvs(0, 0) + build.module(0x10000, 1, 2, [uv(1) + text(build_id)]),
        procs=uv(0) + build.proc(1, 0, 2), mmaps=None, threads=uv(0) + build.thread(0, 1, 2), kstacks=None, ustacks=uv(0) + stacks)
    batch += section(8, len(rows), build.column(1, b"\0" * len(rows)), build.column(3, b"\0" * len(rows)),
                     build.column(5, steps(rows)))
    batch += section(10, record(0, 0, 0, len(rows))) + section(12, *(record(0, offset, 0x80, 3 + i) for i, offset in enumerate(offsets[:3])))
    chunks = [build.chunk(META, 0, build.meta()), build.chunk(foldread.BATCH, 1, batch)]
    stop = (1, (1 + seconds) * 10 ** 9, 10 ** 18 + seconds * 10 ** 9, (1 + seconds) * 10 ** 9)
    chunks.append(build.chunk(foldread.END, 2, build.end_payload(chunks, ((len(rows), len(rows), 0),), stop)))
    with open(name, "wb") as out:
        out.write(build.file_header() + b"".join(chunks))


def steps(rows):
    """Stack ids + 1 as differences."""
    ids = [row + 1 for row in rows]
    return b"".join(sv(b - a) for a, b in zip([0] + ids, ids))


def difference(*options):
    done = subprocess.run([REPORT, "diff", "-q", "-f", "json", "--no-system", "--by", "none", *options, "before.foldrec", "now.foldrec"], capture_output=True, check=True)
    tree = json.loads(done.stdout)["trees"][0]
    columns = tree["difference"]
    names = [frame["name"] for frame in tree["frames"]]
    return columns, {name: {key: columns[key][i] for key in columns if isinstance(columns[key], list)} for i, name in enumerate(names)}


def main():
    write("before.foldrec", b"a" * 20, 0x1000, [400, 600, 3])
    write("now.foldrec", b"b" * 20, 0x2040, [800, 600, 4], seconds=2)
    subprocess.run([REPORT, "check", "-q", "before.foldrec", "now.foldrec"], check=True)
    whole, by = difference("--normalize", "none")
    assert set(by) == {"all", "work", "idle", "rare", "[app]"}, "functions of two builds meet by name, unnamed code by module: %s" % sorted(by)
    assert (by["work"]["self_before"], by["work"]["self_now"]) == (400, 800) and by["work"]["self_sigma"] > whole["sure"], by["work"]
    assert abs(by["idle"]["self_sigma"]) < 0.001 and abs(by["rare"]["self_sigma"]) < 1, "one more of three is noise: %s" % by["rare"]
    assert (whole["scale"], whole["before"], whole["now"]) == (1, 1008, 1409), whole
    whole, by = difference("--normalize", "time")
    assert whole["scale"] == 2 and by["work"]["self_before"] == 800 and abs(by["work"]["self_sigma"]) < 0.001, "the same for the same time: %s" % by["work"]
    assert by["idle"]["self_sigma"] < -whole["sure"], by["idle"]
    # Merged recordings are as long as all they were made of.
    for name in ("before", "now"):
        subprocess.run([REPORT, "merge", "-q", "-o", "m.foldrec"] + [name + ".foldrec"] * 2, check=True)
        os.rename("m.foldrec", name + ".foldrec")
    whole, by = difference("--normalize", "time")
    assert whole["scale"] == 2 and by["work"]["self_before"] == 1600 == by["work"]["self_now"], "merged: %s" % by["work"]
    return 0


if __name__ == "__main__":
    sys.exit(main())
