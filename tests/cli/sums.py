#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sums.py GEN N: N generated recordings, each with a choice of samples and a way to
draw them left to chance; in every format there must be what was chosen.

What that is, is added up here from the rows that tests/spec/foldread.py reads.  Sums
are modulo 2^64, as weights of generated recordings are any numbers.
"""
import base64
import fnmatch
import gzip
import json
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["SRC"], "tests", "spec"))
import foldread  # noqa: E402

GEN, N = sys.argv[1], int(sys.argv[2])
FIRST = int(os.environ.get("FOLD_SUMS_FIRST", "1"))
PLAIN = re.compile(r"^[A-Za-z0-9/._-]+$")
NUMBER = r"((?:\d{1,3},)*\d{1,3})"
EXACT = 1 << 53 # beyond, JSON's readers may round
MOD = 1 << 64


class Rows:
    """What is selected by: one row for each sample or count."""

    def __init__(self, data):
        self.rows, self.events = [], {}
        foldread.dump(data, self.line)

    def line(self, text):
        take = getattr(self, "on_" + text[7:text.index('"', 7)], None)
        if take:
            take(json.loads(text))

    def on_segment(self, _):
        self.strings, self.procs, self.threads, self.local = {0: ""}, [], [], []
        self.first, self.batch = None, None

    def on_clock(self, line):
        self.tick = line["tick_ns"]

    def on_event(self, line):
        self.local.append((line["name"], line["period"]))
        weight = (line["weights"][0]["name"], line["weights"][0]["unit"]) if line["weights"] else None
        kinds = self.events.setdefault(self.local[-1], set())
        kinds.add((line["kind"], line["period_unit"], line["sample_ns"], weight))

    def on_string(self, line):
        self.strings[line["id"]] = line["bytes"]

    def on_proc(self, line):
        self.procs.append((line["pid"], self.strings[line["comm"]]))

    def on_thread(self, line):
        pid, comm = self.procs[line["proc"]]
        self.threads.append({"pid": pid, "tid": line["tid"], "comms": (comm, self.strings[line["comm"]])})

    def row(self, line, time, cpu, count):
        if self.first is None:
            self.first = time
        self.rows.append(dict(self.threads[line["thread"]], cpu=cpu, event=self.local[line["event"]], count=count,
                              after=(time - self.first) * self.tick, weight=(line["weights"] or [0])[0]))

    def on_sample(self, line):
        self.row(line, line["time"], line["cpu"], 1)

    def on_counts(self, line):
        self.batch = line["from"]

    def on_count(self, line):
        self.row(line, self.batch, None, line["count"])


def cut(comm):
    return comm.split("\0")[0]


def choose(chance, rows):
    """Options, and what they let through."""
    options, tests = [], []
    some = chance.choice(rows)
    if chance.random() < .3:
        pids = {some["pid"], chance.choice(rows)["pid"]}
        options += ["--pid", ",".join(map(str, pids))]
        tests.append(lambda row: row["pid"] in pids)
    if chance.random() < .2:
        tids = {some["tid"], chance.choice(rows)["tid"]}
        options += ["--tid", ",".join(map(str, tids))]
        tests.append(lambda row: row["tid"] in tids)
    if chance.random() < .2 and some["cpu"] is not None:
        cpus = {some["cpu"], chance.choice(rows)["cpu"]} - {None}
        options += ["--cpu", ",".join(map(str, cpus))]
        tests.append(lambda row: row["cpu"] in cpus)
    if chance.random() < .3 and PLAIN.match(some["comms"][0]):
        glob = some["comms"][0][:-1] + chance.choice("?*")
        options += ["--comm", glob]
        tests.append(lambda row: any(fnmatch.fnmatchcase(cut(comm), glob) for comm in row["comms"]))
    for option, keeps in (("--from", lambda at, ns: at >= ns), ("--to", lambda at, ns: at < ns)):
        ns = chance.choice(rows)["after"]
        if chance.random() < .3 and 0 <= ns < 10 ** 18:
            options += [option, "%d.%09d" % divmod(ns, 10 ** 9)]
            tests.append(lambda row, keeps=keeps, ns=ns: keeps(row["after"], ns))
    return options, lambda row: all(test(row) for test in tests)


def draw(chance):
    options = ["--by", chance.choice(("comm", "process", "thread", "cpu", "host", "label:x", "event", "none"))]
    for option in (["--reverse"], ["--offsets"], ["--annotate"], ["--strip-suffix"], ["--inverted"], ["--top", "3"],
                   ["--unnamed", "address"], ["--unnamed", "module"]):
        if chance.random() < .25:
            options += option
    return options


# ---- what a format says

def folded(text, _):
    return sum(int(line.rsplit(b" ", 1)[1]) for line in text.splitlines())


def tables(text, weighted):
    """The total in the line below the summary."""
    found = re.search(NUMBER + " samples?$", text.decode().split("\n")[2])
    return None if weighted or not found else int(found[1].replace(",", ""))


def as_json(text, _):
    trees = json.loads(text)["trees"]
    if not trees:
        return 0
    assert trees[0]["total"] % MOD == sum(trees[0]["nodes"]["self"]) % MOD, "self does not add up to the total"
    assert sum(frame["self"] for frame in trees[0]["frames"]) % MOD == trees[0]["total"] % MOD, "frames do not add up"
    return trees[0]["total"]


def caption(text, weighted):
    found = re.search(": " + NUMBER + " samples?; a column is", text.decode())
    return None if weighted or not found else int(found[1].replace(",", ""))


def svg(text, weighted):
    found = re.search(r"<title>all[^<]*?\b" + NUMBER + " samples?", text.decode())
    return None if weighted else int(found[1].replace(",", "")) if found else 0


def heatmap(text, weighted):
    cells = re.findall(r"<title>" + NUMBER + " samples?\n", text.decode())
    return None if weighted else sum(int(cell.replace(",", "")) for cell in cells)


def number(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def html(text, _):
    data = gzip.decompress(base64.b64decode(re.search(rb'id="rest">([^<]*)<', text)[1]))
    size, at = number(data, 0)
    trees = json.loads(data[at:at + size])["trees"]
    at += size
    if not trees:
        return 0

    def column(n):
        nonlocal at
        values = []
        for _ in range(n):
            value, at = number(data, at)
            values.append(value)
        return values
    nodes, rows = trees[0]["nodes"], trees[0]["rows"]
    for n in (nodes, nodes, rows, rows, rows, rows):
        column(n)
    counts = column(rows) if trees[0]["counted"] else [1] * rows
    return sum(column(rows)) if trees[0]["weighted"] else sum(counts)


def pprof(text, weighted):
    def fields(data):
        at = 0
        while at < len(data):
            key, at = number(data, at)
            value, at = number(data, at)
            if key & 7 == 2:
                at, value = at + value, data[at:at + value]
            yield key >> 3, value
    total = 0
    for field, value in fields(gzip.decompress(text)):
        if field == 2:
            values = next(v for f, v in fields(value) if f == 2)
            first, at = number(values, 0)
            total += number(values, at)[0] if weighted else first
    return total


def speedscope(text, _):
    return sum(sum(profile["weights"]) for profile in json.loads(text)["profiles"])


def firefox(text, _):
    total = 0
    for thread in json.loads(text)["threads"]:
        scale = 10 ** 6 if thread["samples"]["weightType"] == "tracing-ms" else 1
        total += sum(round(weight * scale) for weight in thread["samples"]["weight"])
    return total


def script(text, _):
    return sum(int(n) for n in re.findall(rb"^\S.*\] +-?\d+\.\d{6}: +(\d+) \S+: $", text, re.M))


FORMATS = {"folded": folded, "top": tables, "tree": tables, "json": as_json, "svg": svg, "heatmap": caption, "heatmap-svg": heatmap,
           "html": html, "pprof": pprof, "speedscope": speedscope, "firefox": firefox, "script": script}


# ---- the comparison

def generate(chance, seed):
    name = "%d.foldrec" % seed
    shape = ["--samples", str(chance.randrange(1, 3000)), "--stacks", str(chance.randrange(1, 300)), "--threads", "9", "--rows", "500"]
    shape += ["--aggregate"] if chance.random() < .4 else []
    subprocess.run([GEN, "--seed", str(seed)] + (shape if seed % 3 == 0 else []) + [name], check=True)
    return name


def compare(name, rows, chance):
    """How many formats had something to say."""
    event = chance.choice(sorted({row["event"] for row in rows.rows}))
    if len(rows.events[event]) > 1 or "\0" in event[0]:
        return 0 # nobody can ask for it
    select, through = choose(chance, rows.rows)
    options = ["--event", "%s@%d" % event] + select + draw(chance)
    weighted = next(iter(rows.events[event]))[3] is not None
    chosen = [row for row in rows.rows if row["event"] == event and through(row)]
    want = sum(row["weight" if weighted else "count"] for row in chosen)
    asked = 0
    for form, read in FORMATS.items():
        command = [os.environ["FOLD_REPORT"], "-q", "--no-system", "-f", form] + options + [name]
        done = subprocess.run([os.fsencode(word) for word in command], capture_output=True, check=False)
        if done.returncode not in (0, 3):
            raise AssertionError("%s: exit %d: %s" % (form, done.returncode, done.stderr.decode()))
        got = read(done.stdout, weighted)
        if got is None or want >= EXACT and form == "firefox":
            continue
        asked += 1
        assert got % MOD == want % MOD, "%s has %d, chosen were %d: %s %s" % (form, got, want, " ".join(options), name)
    return asked


def main():
    asked = bad = 0
    for seed in range(FIRST, FIRST + N):
        chance = random.Random(seed)
        name = generate(chance, seed)
        with open(name, "rb") as file:
            rows = Rows(file.read())
        for _ in range(3 if rows.rows else 0):
            try:
                asked += compare(name, rows, chance)
            except (AssertionError, ValueError, TypeError, IndexError) as error:
                print(ascii("%s: %s: %s" % (name, type(error).__name__, error)))
                bad += 1
        os.unlink(name)
    print("%d sums compared" % asked)
    return bool(bad) or asked < N


if __name__ == "__main__":
    sys.exit(main())
