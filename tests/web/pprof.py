# SPDX-License-Identifier: BSD-2-Clause
"""A profile as others read it against our own folded stacks:
  pprof.py protoc FOLDED TEXT              what protoc --decode printed
  pprof.py go FOLDED TOP TREE TRACES       what pprof printed"""
import collections
import re
import sys

bad = []


def check(what, good):
    if not good:
        bad.append(what)


def same(what, got, want):
    if got == want:
        return
    keys = [k for k in {**got, **want} if got.get(k) != want.get(k)][:3]
    bad.append("%s: %s" % (what, "; ".join("%r %r, want %r" % (k, got.get(k), want.get(k)) for k in keys)))


def folded(path):
    stacks = collections.Counter()
    for line in open(path):
        stack, count = line.rstrip("\n").rsplit(" ", 1)
        stacks[tuple(stack.split(";"))] += int(count)
    return stacks


def decoded(path):
    """protoc's text as nested {field: [value, ...]}."""
    root = {}
    path_of = [root]
    for line in open(path):
        line = line.strip()
        if line == "}":
            path_of.pop()
        elif line.endswith(" {"):
            message = {}
            path_of[-1].setdefault(line[:-2], []).append(message)
            path_of.append(message)
        else:
            name, value = line.split(": ", 1)
            path_of[-1].setdefault(name, []).append(value if value.startswith('"') else int(value) if value.lstrip("-").isdigit() else value)
    return root


def fields(message):
    for name, values in message.items():
        yield name
        for value in values:
            if isinstance(value, dict):
                yield from fields(value)


def judge_protoc(stacks, text):
    profile = decoded(text)
    check("fields that nobody described: %r" % [f for f in fields(profile) if f.isdigit()][:5], not any(f.isdigit() for f in fields(profile)))
    strings = [s[1:-1] for s in profile["string_table"]]
    check("string 0 is not empty", strings[0] == "")
    for table in "mapping", "location", "function":
        check("%s: ids do not count from 1" % table, [m["id"][0] for m in profile[table]] == list(range(1, len(profile[table]) + 1)))
    for location in profile["location"]:
        check("a location without a line", location.get("line"))
        if "mapping_id" in location:
            mapping = profile["mapping"][location["mapping_id"][0] - 1]
            check("an address outside of its mapping", mapping["memory_start"][0] <= location["address"][0] < mapping["memory_limit"][0])
    name = {f["id"][0]: strings[f["name"][0]] for f in profile["function"]}
    frames = {l["id"][0]: [name[line["function_id"][0]] for line in l["line"]] for l in profile["location"]}
    found = collections.Counter()
    for sample in profile["sample"]:
        check("a sample without a value for each type", len(sample["value"]) == len(profile["sample_type"]))
        keys = [strings[label["key"][0]] for label in sample["label"]]
        check("labels %r" % keys, len(set(keys)) == len(keys) and {"pid", "tid", "thread", "comm"} <= set(keys))
        found[tuple(f for l in reversed(sample["location_id"]) for f in reversed(frames[l]))] += sample["value"][0]
    same("stacks", found, stacks)


def numbers(path):
    """Lines of a report below its heading."""
    lines = open(path).read().split("\n")
    start = next(i for i, line in enumerate(lines) if re.search(r"flat\s+flat%", line))
    return lines[start + 1:]


NODE = re.compile(r"^\s*(\d+)\s+[\d.]+%\s+[\d.]+%\s+(\d+)\s+[\d.]+%\s*\|?\s+(.*\S)\s*$")
EDGE = re.compile(r"^\s+(\d+)\s+[\d.]+%\s*\|\s+(.*\S)\s*$")


def judge_go(stacks, top, tree, traces):
    own, with_callees, edges = collections.Counter(), collections.Counter(), collections.Counter()
    for stack, count in stacks.items():
        own[stack[-1]] += count
        for name in set(stack):
            with_callees[name] += count
        for edge in set(zip(stack, stack[1:])):
            edges[edge] += count
    nodes = [m for m in map(NODE.match, numbers(top)) if m]
    same("-top, flat", {m[3]: int(m[1]) for m in nodes if int(m[1])}, dict(own))
    same("-top, cum", {m[3]: int(m[2]) for m in nodes}, dict(with_callees))
    found = {}
    for block in re.split(r"^-+\+-+$", "\n".join(numbers(tree)), flags=re.M):
        lines = block.strip("\n").split("\n")
        at = next((i for i, line in enumerate(lines) if NODE.match(line)), None)
        if at is None:
            continue
        for line in lines[at + 1:]:
            if EDGE.match(line):
                found[NODE.match(lines[at])[3], EDGE.match(line)[2]] = int(EDGE.match(line)[1])
    same("-tree", found, dict(edges))
    found = collections.Counter()
    for block in re.split(r"^-+\+-+$", open(traces).read(), flags=re.M)[1:]:
        lines = [line for line in block.split("\n") if line.strip() and not re.match(r"^\s+\w+:  ", line)]
        if lines:
            count, leaf = lines[0].split(None, 1)
            found[tuple([line.strip() for line in lines[1:]][::-1] + [leaf.strip()])] += int(count)
    same("-traces", found, stacks)


stacks = folded(sys.argv[2])
globals()["judge_" + sys.argv[1]](stacks, *sys.argv[3:])
print("\n".join(bad[:10]))
sys.exit(1 if bad else 0)
