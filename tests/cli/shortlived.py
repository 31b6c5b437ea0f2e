#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Of a canonical dump: the share of samples whose process has a name, and the
share of user frames in files whose module has a build-id.  Fails below 99.9 %.

usage: shortlived.py DUMP MIN_PROCESSES"""
import bisect
import json
import sys

bases, modules = [], []
procs, threads, stacks = [], [], []
samples = named = frames = identified = unmapped = 0
seen, unknown = set(), {}
path = []

for line in open(sys.argv[1]):
    row = json.loads(line)
    kind = row["is"]
    if kind == "module":
        bases.append(row["base"])
        modules.append(row)
    elif kind == "proc":
        procs.append(row)
    elif kind == "thread":
        threads.append(row)
    elif kind == "ustack":
        path = path[: row["shared"]] + row["frames"]
        stacks.append(list(path))
    elif kind == "sample":
        samples += 1
        thread = threads[row["thread"]]
        seen.add(thread["proc"])
        named += bool(thread["comm"])
        if not row["ustack"]:
            continue
        for frame in stacks[row["ustack"] - 1]:
            if isinstance(frame, str):
                unmapped += 1
                continue
            module = modules[bisect.bisect_right(bases, frame) - 1]
            if module["kind"] == 2:
                frames += 1
                if any(i["kind"] == 1 for i in module["ids"]):
                    identified += 1
                else:
                    unknown[module["name"]] = unknown.get(module["name"], 0) + 1

print("%d samples of %d processes: %.3f %% named; %d frames in files: %.3f %% with build-id; %d unmapped markers"
      % (samples, len(seen), 100 * named / max(samples, 1), frames, 100 * identified / max(frames, 1), unmapped))
for name, count in sorted(unknown.items(), key=lambda x: -x[1])[:10]:
    print("  no build-id: %s, %d frames" % (name, count))
if len(seen) < int(sys.argv[2]) or samples == 0 or frames == 0:
    sys.exit("too few processes or samples: the test proves nothing")
sys.exit(named < 0.999 * samples or identified < 0.999 * frames)
