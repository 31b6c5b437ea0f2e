#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Merged recordings say what their parts say, and no more: fold-report merge against its inputs.

usage: merging.py GEN     GEN: the generator of recordings
"""
import collections
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["SRC"], "tests", "spec"))
import build  # noqa: E402
import foldread  # noqa: E402
from build import META, record, section, sv, text, uv, uvs  # noqa: E402

REPORT = os.environ["FOLD_REPORT"]
failures = []


def check(truth, what):
    if not truth:
        failures.append(what)
        print("not ok " + what)


def run(*command, data=None):
    return subprocess.run(command, input=data, capture_output=True, check=False)


def merge(out, *inputs):
    done = run(REPORT, "merge", "-q", "-o", out, *inputs)
    check(done.returncode == 0, "merge %s: %s" % (" ".join(inputs), done.stderr.decode("utf-8", "replace")))
    valid = run(REPORT, "check", "-q", out)
    check(valid.returncode == 0, "check %s: %s" % (out, valid.stdout[:500].decode("utf-8", "replace")))


def stacks(*files, by="comm"):
    """Samples by event and stack; and by event, what was read.  Sums are of 64 bits."""
    done = run(REPORT, "-q", "-f", "json", "--no-system", "--unnamed", "address", "--annotate", "--by", by, *files)
    found, events = collections.Counter(), collections.Counter()
    check(done.returncode in (0, 3), "report of %s: %s" % (" ".join(files), done.stderr.decode("utf-8", "replace")))
    got = json.loads(done.stdout)
    names = [tuple(str(e[k]) for k in ("name", "kind", "period", "period_unit", "sample_ns")) for e in got["events"]]
    for name, event in zip(names, got["events"]):
        events[name] += event["read"]
    for tree in got["trees"]:
        paths, nodes = [], tree["nodes"]
        for parent, frame, self in zip(nodes["parent"], nodes["frame"], nodes["self"]):
            shown = tree["frames"][frame]
            paths.append((paths[parent] if parent >= 0 else ()) + ((shown["name"], shown["module"], shown["kind"]),))
            found[names[tree["event"]], tree["unit"], paths[-1]] += self
    return wrapped(found), wrapped(events), got


def wrapped(counter, times=1):
    return {key: n * times % 2 ** 64 for key, n in counter.items() if n * times % 2 ** 64}


def total(*counters):
    out = collections.Counter()
    for counter in counters:
        out.update(counter)
    return wrapped(out)


def closes(got):
    """Samples taken are those in the file and those lost; sums may wrap."""
    return all((e["taken"] - e["read"] - e["lost"]) % 2 ** 64 == 0 for e in got["events"])


# ---- recordings from a seed

def generated(gen, seed):
    r, names = random.Random(seed), []
    for i in range(r.choice([1, 2, 3, 4])):
        names.append("%d-%d.foldrec" % (seed, i))
        with open(names[-1], "wb") as out:
            subprocess.run([gen, "--seed", str(seed * 10 + i), "-"], stdout=out, check=True)
    return r, names


def sums(gen, seed):
    r, names = generated(gen, seed)
    want, events = [total(*parts) for parts in zip(*(stacks(name)[:2] for name in names))]
    merge("all.foldrec", *names)
    got, got_events, whole = stacks("all.foldrec")
    check(got == want, "seed %d: stacks of the merged recording" % seed)
    check(got_events == events, "seed %d: samples of the merged recording" % seed)
    check(closes(whole), "seed %d: the sum closes" % seed)
    r.shuffle(names)
    merge("other.foldrec", *names)
    check(stacks("other.foldrec")[0] == got, "seed %d: the order of inputs does not matter" % seed)
    merge("twice.foldrec", "all.foldrec", "other.foldrec")
    check(stacks("twice.foldrec")[0] == wrapped(want, 2), "seed %d: merged recordings can be merged" % seed)


def damages(gen, seed):
    """What is left of damaged recordings is all there, and what is missing is counted."""
    r, names = generated(gen, seed)
    for name in names:
        with open(name, "rb") as file:
            data = bytearray(file.read())
        first = 16 + 32 + int.from_bytes(data[28:32], "little")  # behind the first META
        at = r.randrange(first, len(data))
        if r.randrange(2):
            del data[at:]
        else:
            data[at] ^= 1 << r.randrange(8)
        with open(name, "wb") as file:
            file.write(data)
    merge("all.foldrec", *names)
    _, events, whole = stacks("all.foldrec")
    check(events == total(*(stacks(name)[1] for name in names)), "damaged, seed %d: samples" % seed)
    check(closes(whole), "damaged, seed %d: the sum closes" % seed)


# ---- recordings by hand

U16M = 1 << 24


def kernel(build_id):
    return build.module(U16M, 1, 0, [uv(1) + text(build_id)] if build_id else ())


def host(name, pid=7, build_id=b"k" * 20, kname=b"", start=10 ** 18, flags=0, time=0, release=b"6.1", jit=b"", tick=1000, label=True, more=0):
    """One process with one sample: kernel offset 0x100 on top of offset 0x10 of generated code, both named by the file."""
    meta = build.meta(clock=uvs(10 ** 9, start, 10 ** 9, tick), mode=build.mode(flags), target=uvs(62, 8, 0, 4096, 1, 1) + text(release),
                      id=bytes(range(6)) + b"\x4a\x00\x80" + os.urandom(7), labels=build.label(b"host", name.encode()) + b"".join(build.label(b"l%02d" % i, b"x") for i in range(more)) if label else None)
    batch = build.definitions(
        strings=uv(1) + b"".join(text(word) for word in (b"[kernel]", b"[anon]", b"app", kname or b"k", jit or b"j")),
        modules=uvs(0, 0) + kernel(build_id) + build.module(0x1000, 2, 4), procs=uv(0) + build.proc(pid, 0, 3), mmaps=None,
        threads=uv(0) + build.thread(0, pid, 3), kstacks=uv(0) + build.stacks(0, 1, 1, 0x100 << 2), ustacks=uv(0) + build.stacks(0, 1, 1, (U16M + 0x10) << 2))
    batch += build.section(8, 1, build.column(1, sv(time)), build.column(3, 0), build.column(4, sv(1)), build.column(5, sv(1)))
    batch += section(10, record(0, 0, 0, 1))
    batch += section(11, record(0, 0x100, 0x10, 4)) if kname else b""
    batch += section(12, record(1, 0x10, 0x10, 5)) if jit else b""
    chunks = [build.chunk(META, 0, meta), build.chunk(foldread.BATCH, 1, batch)]
    chunks.append(build.chunk(foldread.END, 2, build.end_payload(chunks, ((1, 1, 0),), (1, 3 * 10 ** 9, start + 2 * 10 ** 9, 3 * 10 ** 9))))
    with open(name + ".foldrec", "wb") as out:
        out.write(build.file_header() + b"".join(chunks))
    return name + ".foldrec"


def lines(file, kind):
    out = []
    with open(file, "rb") as recording:
        foldread.dump(recording.read(), out.append)
    return [got for got in map(json.loads, out) if got["is"] == kind]


def folded(file, *options):
    return run(REPORT, "-q", "--no-system", "--unnamed", "address", *options, file).stdout.decode().splitlines()


def hosts_apart():
    """R-ORG-5: a pid of one host is not the pid of another, nor is its generated code."""
    merge("m.foldrec", host("a", jit=b"one"), host("b", jit=b"two"))
    check([p["pid"] for p in lines("m.foldrec", "proc")] == [7, 7], "two processes of one pid")
    check(sorted(folded("m.foldrec")) == ["app;one;[kernel]+0x100 1", "app;two;[kernel]+0x100 1"], "generated code of two processes")
    check(len([m for m in lines("m.foldrec", "module") if m["kind"] == 0]) == 1, "one kernel of one build-id")
    check(folded("m.foldrec", "--by", "host") == ["a;one;[kernel]+0x100 1", "b;two;[kernel]+0x100 1"], "by host: %s" % folded("m.foldrec", "--by", "host"))
    origins = lines("m.foldrec", "origin")
    check([(o["first"], o["procs"], o["state"], o["duration"]) for o in origins] == [(0, 1, 1, 2 * 10 ** 9), (1, 1, 1, 2 * 10 ** 9)], "origins: %s" % origins)


def kernels_apart():
    """R-ORG-5: names of one kernel are not given to another."""
    other = host("b", build_id=b"l" * 20)
    merge("m.foldrec", host("a", kname=b"right"), other)
    check(folded("m.foldrec", "--by", "host") == ["a;[anon]+0x10;right 1", "b;[anon]+0x10;[kernel]+0x100 1"], "kernels of two build-ids")
    merge("m.foldrec", host("a", kname=b"right"), host("b"))
    check(folded("m.foldrec", "--by", "host") == ["a;[anon]+0x10;right 1", "b;[anon]+0x10;right 1"], "one kernel's names are for all of its build-id")
    merge("m.foldrec", host("a", kname=b"right", flags=8), host("b", flags=8))
    check(folded("m.foldrec", "--by", "host") == ["a;[anon]+0x10;right 1", "b;[anon]+0x10;[kernel]+0x100 1"], "kernels that count from hidden anchors")
    merge("m.foldrec", host("a", kname=b"right", build_id=b""), host("b", build_id=b""))
    check(folded("m.foldrec", "--by", "host") == ["a;[anon]+0x10;right 1", "b;[anon]+0x10;[kernel]+0x100 1"], "kernels without ids")
    merge("m.foldrec", host("a", kname=b"right"), host("b", release=b"6.2"))
    check([t["kernel_release"] for t in lines("m.foldrec", "target")] == ["6.1", "6.2"], "a segment for each release")


def times_in_utc():
    early, late = host("early", start=10 ** 18, time=5), host("late", start=10 ** 18 + 86400 * 10 ** 9, time=7, tick=10 ** 6)
    for files in ((early, late), (late, early)):
        merge("m.foldrec", *files)
        clock, got = lines("m.foldrec", "clock")[0], lines("m.foldrec", "sample")
        utc = sorted(clock["realtime"] + s["time"] * clock["tick_ns"] for s in got)
        check(utc == [10 ** 18 + 5000, 10 ** 18 + 86400 * 10 ** 9 + 7 * 10 ** 6], "times: %s" % utc)
        check(clock["realtime"] == 10 ** 18, "the clock is that of the one that began first")
        check(lines("m.foldrec", "stop")[0]["realtime"] == 10 ** 18 + 86402 * 10 ** 9, "the end is that of the last")
        said = [run(REPORT, "-f", "top", *what).stdout.split(b"\n")[0] for what in (files, ["m.foldrec"])]
        check(said[0] == said[1] == b"2 samples of cpu-clock in 4.0 s of 2 recordings, nothing lost", "what lay between them was not recorded: %s" % said)
        whole = run(REPORT, "info", "m.foldrec").stdout
        check(b"UTC, 4.0 s in all" in whole, "info of both: %s" % whole.decode())


def labels():
    """R-LBL-4: what was asked for, nearest first; file names only when asked for."""
    a, b = host("a"), host("secret-name", label=False)
    merge("m.foldrec", a, b)
    check(b"secret" not in run(REPORT, "dump", "m.foldrec").stdout, "a file's name that nobody asked for")
    check(folded("m.foldrec", "--by", "host")[1].startswith("m;"), "without a label the file's name")
    check(run(REPORT, "merge", "-q", "--file-label", "host", "--label", "site=north", "-o", "m.foldrec", a, b).returncode == 0, "labels at merge")
    check([s.split(";")[0] for s in folded("m.foldrec", "--by", "host")] == ["a", "secret-name"], "--file-label")
    check([s.split(";")[0] for s in folded("m.foldrec", "--by", "label:site")] == ["north"], "--label")
    check(run(REPORT, "merge", "-q", "--label", "site=south", "-o", "n.foldrec", "m.foldrec", host("c")).returncode == 0, "merging again")
    check(sorted(s.split(";")[0] for s in folded("n.foldrec", "--by", "label:site")) == ["north", "south"], "an origin's label goes before that of all")
    check(len(lines("n.foldrec", "origin")) == 3, "a merged recording is its origins")
    shown = stacks("n.foldrec")[2]["recordings"]
    check([r["labels"] for r in shown] == [{"site": "south"}], "labels in JSON")
    check(sorted(o["labels"].get("host", "") + "/" + o["labels"].get("site", "") for r in shown for o in r["origins"]) == ["a/north", "c/", "secret-name/north"],
          "labels of origins in JSON")


def too_many_labels():
    """A label that was asked for and finds no room is refused, one that is inherited is told."""
    few, full = host("few", more=1), host("full", more=15)
    merge("m.foldrec", few, full)
    plain = open(full, "rb").read()
    for key, file, data in (("file", full, None), ("file", "-", plain), ("file", "m.foldrec", None)):
        done = run(REPORT, "merge", "-q", "--file-label", key, "-o", "refused.foldrec", few, file, data=data)
        check(done.returncode == 1 and file.encode() + b': --file-label: no room for "file"' in done.stderr and not os.path.exists("refused.foldrec"),
              "no room for a file's name: %s" % done.stderr)
    done = run(REPORT, "merge", "-q", "--file-label", "host", "-o", "n.foldrec", full, "m.foldrec")
    check(done.returncode == 0 and not done.stderr, "room is not needed where the label is: %s" % done.stderr)
    check(run(REPORT, "merge", "-q", "--label", "site=north", "-o", "m.foldrec", few, full).returncode == 0, "a label of all stands beside 16 of one")
    done = run(REPORT, "merge", "-q", "-o", "n.foldrec", "m.foldrec", few)
    check(done.returncode == 0 and b'm.foldrec: label "site"' in done.stderr, "an inherited label that finds no room: %s" % done.stderr)
    check(sorted((len(o["labels"])) for o in lines("n.foldrec", "origin")) == [2, 3, 16], "labels of origins")


def refusals():
    good = host("a")
    with open("junk", "wb") as junk:
        junk.write(b"no recording")
    cases = [((good, "junk"), b"junk: byte 0"), ((good, "nowhere"), b"nowhere: cannot be opened"), ((), b"no recording given"),
             (("--label", "x", good), b"is not KEY=VALUE"), (("--file-label", "A", good), b"has a key that is not")]
    for arguments, words in cases:
        done = run(REPORT, "merge", "-o", "refused.foldrec", *arguments)
        check(done.returncode in (1, 2) and words in done.stderr and not os.path.exists("refused.foldrec"), "refused: %s" % (arguments,))


def pipes():
    a, b = host("a"), host("b")
    with open(b, "rb") as file:
        done = run(REPORT, "merge", "-q", "-o", "m.foldrec", "-", a, data=file.read())
    check(done.returncode == 0 and len(folded("m.foldrec", "--by", "host")) == 2, "standard input")
    check(len(lines("m.foldrec", "segment")) == 1, "standard input joins the segment that is open")
    both = run(REPORT, "merge", "-q", a, b)
    with open("n.foldrec", "wb") as file:
        file.write(both.stdout)
    check(both.returncode == 0 and len(folded("n.foldrec", "--by", "host")) == 2, "standard output")


def fifos():
    """A FIFO is opened once: who feeds it is gone when it is closed, long before all else is merged."""
    with open("fed.foldrec", "wb") as out:
        subprocess.run([sys.argv[1], "--samples", "200000", "--stacks", "5000", "-"], stdout=out, check=True)
    os.mkfifo("fifo")
    with subprocess.Popen(["sh", "-c", "cat fed.foldrec >fifo"]) as feeder:
        try:
            done = subprocess.run([REPORT, "merge", "-q", "-o", "m.foldrec", "fifo", "fed.foldrec"], capture_output=True, check=False, timeout=60)
            check(done.returncode == 0 and stacks("m.foldrec")[0] == wrapped(stacks("fed.foldrec")[0], 2), "a FIFO is read: %s" % done.stderr)
        except subprocess.TimeoutExpired:
            check(False, "a FIFO is read: merge waits for ever")
        feeder.kill()


def cat(out, *files):
    with open(out, "wb") as whole:
        for name in files:
            with open(name, "rb") as file:
                whole.write(file.read())
    return out


def kinds_stay_few():
    """However often it is merged, and wherever it stands: one segment for each kind."""
    a, b, c, d = host("a"), host("b", release=b"6.2"), host("c", release=b"6.3"), host("d", release=b"6.2")
    both = cat("both.foldrec", b, a)
    want = total(*(stacks(name)[0] for name in (a, b, both, c, d)))
    merge("one.foldrec", a, b)
    merge("two.foldrec", both, c)
    merge("all.foldrec", "two.foldrec", "one.foldrec", d)
    for name, kinds in (("one", 2), ("two", 3), ("all", 3)):
        check(len(lines(name + ".foldrec", "segment")) == kinds, "%s: %d segments" % (name, len(lines(name + ".foldrec", "segment"))))
    check(len(lines("all.foldrec", "origin")) == 6, "each recording once")
    check(stacks("all.foldrec")[0] == want, "stacks of merged merges")
    merge("again.foldrec", "all.foldrec", "all.foldrec")
    check(len(lines("again.foldrec", "segment")) == 3, "merged with itself: three segments")
    check(stacks("again.foldrec")[0] == wrapped(want, 2), "merged with itself: stacks")
    with open("all.foldrec", "rb") as file:
        done = run(REPORT, "merge", "-q", "-o", "p.foldrec", "one.foldrec", "-", data=file.read())
    check(done.returncode == 0 and stacks("p.foldrec")[0] == total(want, stacks("one.foldrec")[0]), "several kinds on standard input")
    check(len(lines("p.foldrec", "segment")) > 3, "what is read once was not planned")
    merge("q.foldrec", "p.foldrec")
    check(len(lines("q.foldrec", "segment")) == 3 and stacks("q.foldrec")[0] == stacks("p.foldrec")[0], "merging once more brings kinds together")


def kinds_of_a_damaged_file():
    """A segment behind damage is planned all the same, and damage is told once."""
    both = cat("both.foldrec", host("a"), host("b", release=b"6.2"), host("c"))
    with open(both, "rb") as file:
        data = bytearray(file.read())
    batch = data.index(foldread.SYNC, data.index(foldread.SYNC) + 1)
    data[batch + 10] ^= 1  # its header: bytes that are no chunk, and a chunk that is missing
    with open(both, "wb") as file:
        file.write(data)
    done = run(REPORT, "merge", "-q", "-o", "m.foldrec", both)
    told = [line for line in done.stderr.splitlines() if b"both.foldrec: " in line]
    check(done.returncode == 0 and len(told) == len(set(told)) == 2, "damage is told once: %s" % done.stderr)
    check(len(lines("m.foldrec", "segment")) == 2, "two segments behind damage")
    check(stacks("m.foldrec")[1] == stacks(both)[1], "samples of a damaged file of several segments")


def origins_of_what_is_left():
    """An origin's flags are those of what stands in the file, not of what once stood there."""
    merge("m.foldrec", host("a", flags=1 | 2), host("b"))
    check([o["flags"] for o in lines("m.foldrec", "origin")] == [3, 0], "an origin has the flags of its recording")
    for keep, left in (("notes", 0), ("addresses", 1), ("addresses,paths", 3)):
        check(run(REPORT, "redact", "-q", "--keep", keep, "-o", "r.foldrec", "m.foldrec").returncode == 0, "redact --keep " + keep)
        got = [o["flags"] for o in lines("r.foldrec", "origin")]
        check(got == [16 | left, 16], "flags of origins after redact --keep %s: %s" % (keep, got))
        merge("n.foldrec", "r.foldrec", host("c"))
        check(sorted(o["flags"] for o in lines("n.foldrec", "origin")) == [0, 16, 16 | left], "they stay so in a merged recording")


def main():
    for seed in range(1, 26):
        sums(sys.argv[1], seed)
        damages(sys.argv[1], seed)
    for part in (hosts_apart, kernels_apart, times_in_utc, labels, too_many_labels, refusals, pipes, fifos, kinds_stay_few, kinds_of_a_damaged_file, origins_of_what_is_left):
        part()
    print("%d failed" % len(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
