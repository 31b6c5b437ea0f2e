#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""exchange.py PREFIX: the formats for other tools, PREFIX.pprof and so on, hold what
their readers rely on, and the sum of PREFIX.folded.

pprof is decoded here field by field: a second opinion on the encoder.
"""
import gzip
import json
import re
import sys

prefix = sys.argv[1]
with open(prefix + ".folded", encoding="utf-8") as folded:
    TOTAL = sum(int(line.rsplit(" ", 1)[1]) for line in folded)
with open(prefix + ".json", encoding="utf-8") as document:
    WEIGHTED = json.load(document)["trees"][0]["unit"] != "samples"


def fields(data):
    at = 0
    while at < len(data):
        key, at = number(data, at)
        if key & 7 == 0:
            value, at = number(data, at)
        else:
            assert key & 7 == 2, "wire type"
            size, at = number(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        yield key >> 3, value


def number(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def numbers(data):
    at, values = 0, []
    while at < len(data):
        value, at = number(data, at)
        values.append(value)
    return values


def message(data):
    found = {}
    for field, value in fields(data):
        found.setdefault(field, []).append(value)
    return found


def check_pprof():
    with gzip.open(prefix + ".pprof") as packed:
        profile = message(packed.read())
    strings = [s.decode("utf-8") for s in profile[6]]
    assert strings[0] == "" and len(set(strings)) == len(strings)
    tables = {name: [message(m) for m in profile.get(field, [])] for name, field in (("mapping", 3), ("location", 4), ("function", 5))}
    for name, rows in tables.items():
        assert [row[1][0] for row in rows] == list(range(1, len(rows) + 1)), name + " ids are not 1..n"
    starts = sorted((m[2][0], m[3][0]) for m in tables["mapping"])
    assert all(a[1] <= b[0] for a, b in zip(starts, starts[1:])), "mappings overlap"
    for function in tables["function"]:
        assert strings[function[2][0]], "function without a name"
    for location in tables["location"]:
        for line in location[4]:
            assert 1 <= message(line)[1][0] <= len(tables["function"])
        if 2 in location:
            mapping = tables["mapping"][location[2][0] - 1]
            assert mapping[2][0] <= location[3][0] < mapping[3][0], "address outside of its mapping"
    types = [message(t) for t in profile[1]]
    total = 0
    for sample in map(message, profile.get(2, [])):
        values = numbers(sample[2][0])
        assert len(values) == len(types), "values of a sample are not those of sample_type"
        assert all(1 <= i <= len(tables["location"]) for i in numbers(sample[1][0])) and numbers(sample[1][0])
        keys = [message(label)[1][0] for label in sample[3]]
        assert len(set(keys)) == len(keys), "a label stands twice"
        total += values[0] if len(types) == 1 or strings[types[1][2][0]] == "nanoseconds" and not WEIGHTED else values[1]
    assert total == TOTAL, "pprof has %d, folded %d" % (total, TOTAL)


def check_speedscope():
    with open(prefix + ".speedscope", encoding="utf-8") as document:
        file = json.load(document)
    frames = file["shared"]["frames"]
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    for profile in file["profiles"]:
        assert len(profile["samples"]) == len(profile["weights"]) and min(profile["weights"], default=0) >= 0
        assert all(0 <= frame < len(frames) for sample in profile["samples"] for frame in sample)
    total = sum(sum(profile["weights"]) for profile in file["profiles"])
    assert total == TOTAL, "speedscope has %d, folded %d" % (total, TOTAL)


def check_firefox():
    with open(prefix + ".firefox", encoding="utf-8") as document:
        page = json.load(document)
    shared = page["shared"]
    assert page["meta"]["preprocessedProfileVersion"] == 60
    tables = [shared[name] for name in ("stackTable", "frameTable", "funcTable", "resourceTable", "sources")]
    for table in tables + [thread["samples"] for thread in page["threads"]]:
        for name, column in table.items():
            assert not isinstance(column, list) or len(column) == table["length"], name
    assert all(p is None or p < i for i, p in enumerate(shared["stackTable"]["prefix"])), "a caller behind its callee"
    assert all(0 <= f < shared["frameTable"]["length"] for f in shared["stackTable"]["frame"])
    assert all(0 <= n < len(shared["stringArray"]) for n in shared["funcTable"]["name"] + shared["resourceTable"]["name"])
    total = 0
    for thread in page["threads"]:
        assert thread["samples"]["time"] == sorted(thread["samples"]["time"])
        assert all(s is None or 0 <= s < shared["stackTable"]["length"] for s in thread["samples"]["stack"])
        scale = 1e6 if thread["samples"]["weightType"] == "tracing-ms" else 1
        total += sum(round(w * scale) for w in thread["samples"]["weight"])
    assert abs(total - TOTAL) <= TOTAL * 1e-9, "firefox has %d, folded %d" % (total, TOTAL)


def check_script():
    header = re.compile(r"^(\S+) (\d+)/(\d+) \[\d{3,}\] +(-?\d+)\.(\d{6}): +(\d+) (\S+): $")
    frame = re.compile(r"^\t +[0-9a-f]+ (?:\[[a-z]+\]|\S.*\+0x[0-9a-f]+) \(\S+\)$")
    total, last = 0, -1.0
    with open(prefix + ".script", encoding="utf-8") as text:
        for line in text.read().split("\n"):
            if not line or line.startswith("#"):
                continue
            found = header.match(line)
            if found:
                total += int(found[6])
                now = int(found[4]) + int(found[5]) / 1e6
                assert now >= last, "time goes backwards"
                last = now
            else:
                assert frame.match(line), "no frame: %r" % line
                assert "->" not in line and "\t(" not in line
    assert total == TOTAL, "script has %d, folded %d" % (total, TOTAL)


check_pprof()
check_speedscope()
check_firefox()
check_script()
