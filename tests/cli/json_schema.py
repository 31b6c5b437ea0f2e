#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""json_schema.py SCHEMA DOCUMENT: does the document keep to the schema?

As much of JSON Schema as our schema uses; a keyword that is not known here is an
error, so that nothing goes unchecked.  Then what a schema cannot say: columns of
equal length, and sums.
"""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
IGNORED = {"$schema", "title", "description", "definitions"}


def is_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def check(value, rule, root, where):
    if "$ref" in rule:
        target = root
        for part in rule["$ref"].lstrip("#/").split("/"):
            target = target[part]
        check(value, target, root, where)
    for key, want in rule.items():
        if key in IGNORED or key == "$ref":
            continue
        if key == "type":
            good = any(is_type(value, name) for name in ([want] if isinstance(want, str) else want))
        elif key == "const":
            good = value == want
        elif key == "enum":
            good = value in want
        elif key == "minimum":
            good = value >= want
        elif key == "minItems":
            good = len(value) >= want
        elif key == "pattern":
            good = re.search(want, value) is not None
        elif key == "required":
            good = all(name in value for name in want)
        elif key == "properties":
            good = True
            for name, below in want.items():
                if name in value:
                    check(value[name], below, root, where + "." + name)
        elif key == "patternProperties":
            good = True
            for pattern, below in want.items():
                for name in value:
                    if re.search(pattern, name):
                        check(value[name], below, root, where + "." + name)
        elif key == "additionalProperties":
            assert want is False
            good = all(any(re.search(p, name) for p in rule.get("patternProperties", {})) or name in rule.get("properties", {})
                       for name in value)
        elif key == "items":
            good = True
            for i, item in enumerate(value):
                check(item, want, root, "%s[%d]" % (where, i))
        else:
            sys.exit("keyword %s of the schema is not known to this test" % key)
        if not good:
            sys.exit("%s: %s is not %s" % (where, json.dumps(value)[:80], {key: want}))


def check_tree(tree):
    nodes = tree["nodes"]
    lengths = {len(column) for column in nodes.values()}
    assert len(lengths) == 1, "columns of nodes differ in length"
    assert nodes["parent"][0] == -1 and nodes["total"][0] == tree["total"]
    below = [0] * len(nodes["parent"])
    for i, parent in enumerate(nodes["parent"]):
        assert parent < i and (i == 0) == (parent == -1), "a parent has to stand before its children"
        if i:
            below[parent] += nodes["total"][i]
    for i, total in enumerate(nodes["total"]):
        assert total == nodes["self"][i] + below[i], "node %d: total is not self plus children" % i
    difference = tree.get("difference", {})
    assert all(len(column) == len(tree["frames"]) for column in difference.values() if isinstance(column, list)), "a column of differences by frame"
    if difference:
        assert abs(difference["total_now"][0] - difference["now"]) < 0.01, "what is now is not all"
        assert abs(difference["total_before"][0] - difference["before"] * difference["scale"]) <= 0.01 * max(1, difference["before"]) , "what was before is not all"
    assert sum(frame["self"] for frame in tree["frames"]) == sum(nodes["self"][1:]), "self of frames is not self of nodes"


with open(sys.argv[1], encoding="utf-8") as schema, open(sys.argv[2], encoding="utf-8") as document:
    rules, data = json.load(schema), json.load(document)
check(data, rules, rules, "$")
for event in data["events"]:
    assert event["lost"] == sum(c["count"] for c in event["causes"].values() if c["lost"]), "losses do not add up"
for each in data["trees"]:
    check_tree(each)
