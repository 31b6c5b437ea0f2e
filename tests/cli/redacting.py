#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What fold-report redact takes out is gone from every payload, and nothing else is."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["SRC"], "tests", "spec"))
import build  # noqa: E402
import foldread  # noqa: E402
from build import META, record, section, sv, text, uv, uvs  # noqa: E402

REPORT = os.environ["FOLD_REPORT"]
failures = []
U16M = 1 << 24
STRINGS = [b"[kernel]", b"/home/SECRET-path/tool", b"SECRET-comm", b"/usr/lib/libc.so.6", b"[anon]", b"SECRET-code", b"vfs_read", b"bpf_prog_SECRET-bpf",
           b"SECRET-unused", b"PATH-NAME-AND-COMM-SECRET", b"SECRET-inbpf"]
SECRETS = {"comms": b"SECRET-comm", "paths": b"SECRET-path", "labels": b"SECRET-label", "notes": b"SECRET-note", "code": b"SECRET-code",
           "symbols": b"SECRET-symbol", "kernel": b"vfs_read", "ids": b"SECRET-build-id-----"}


def check(truth, what):
    if not truth:
        failures.append(what)
        print("not ok " + what)


def write(name):
    """One sample of each kind of frame, with a secret in each place that can hold one."""
    meta = build.meta(clock=uvs(11 ** 9, 1795979400 * 10 ** 9, 13 ** 8, 1000), mode=build.mode(1 | 2), target=uvs(62, 8, 0, 4096, 1, 1) + text(b"6.1-SECRETrelease"),
                      events=build.event() + build.event(6, b"probe_SECRET-probe"), id=b"SECRET\x4aS\x8aECRETID", labels=build.label(b"host", b"SECRET-label"))
    code = build.module(0x10000, 2, 2, [uv(1) + text(SECRETS["ids"])], [uvs(0x1000, 0x1000, 0x8000, 0x1000)])
    batch = build.definitions(
        strings=uv(1) + b"".join(text(word) for word in STRINGS),
        modules=uvs(0, 0) + build.module(U16M, 1, 0, [uv(1) + text(b"kernel-build-id-----")]) + code + build.module(0x10000, 4, 2, [uv(1) + text(b"libc-build-id-------")])
        + build.module(0x1000, 5, 4) + build.module(0x1000, 8, 5),
        procs=uv(0) + build.proc(424242, -13 ** 8, 3, 2) + build.proc(1, 6 + 13 ** 8, 10, 0, 1), mmaps=build.mmaps(0, (1, 0, 0x9000, 0x7F1234567000)),
        threads=uv(0) + build.thread(0, 424242, 3) + build.thread(1, 2, 10), kstacks=uv(0) + build.stacks(0, 2, 1, (U16M + 0x21000) << 2, (0x21000 + U16M - 0x100) << 2 | 2),
        ustacks=uv(0) + build.stacks(0, 3, 1, (U16M + 0x1100) << 2, (0x10000 + 0x100) << 2, (0x10000 - 0x1100 - 0x100) << 2))
    batch += section(8, 2, build.column(1, sv(0), sv(1)), build.column(3, sv(0), sv(1)), build.column(4, sv(1), sv(0)), build.column(5, sv(1), sv(0)), build.column(6, 0, 1))
    batch += section(10, record(0, 0, 0, 1) + record(1, 0, 0, 1)) + section(11, record(0, 0x100, 0x10, 7) + record(4, 0, 0x10, 11)) + section(12, record(3, 0, 0x10, 6))
    chunks = [build.chunk(META, 0, meta), build.chunk(foldread.BATCH, 1, batch), build.chunk(foldread.NOTE, 2, section(1, SECRETS["notes"]))]
    chunks.append(build.chunk(foldread.SYMBOLS, 3, section(1, uv(1) + text(SECRETS["symbols"]) + text(b"puts") + text(b"vfs_read_embedded")) + section(2, record(0, 0x3000, 0x1000, 3) + record(1, 0x1000, 0x1000, 1) + record(2, 0x1000, 0x2000, 2))))
    chunks.append(build.chunk(foldread.END, 4, build.end_payload(chunks, ((1, 1, 0),) * 2)))
    with open(name, "wb") as out:
        out.write(build.file_header() + b"".join(chunks))


def payloads(name):
    return subprocess.run([os.path.join(os.environ["SRC"], "tests", "cli", "payloads.py"), name], capture_output=True, check=True).stdout


def redact(*options):
    done = subprocess.run([REPORT, "redact", *options, "-o", "out.foldrec", "secret.foldrec"], capture_output=True, check=False)
    check(done.returncode == 0, "redact %s: %s" % (options, done.stderr))
    valid = subprocess.run([REPORT, "check", "-q", "out.foldrec"], capture_output=True, check=False)
    check(valid.returncode == 0, "check after redact %s: %s" % (options, valid.stdout))
    return payloads("out.foldrec"), done.stderr


def dumped(name):
    out = []
    with open(name, "rb") as file:
        foldread.dump(file.read(), out.append)
    return [json.loads(line) for line in out]


def shape(name, *options):
    """Numbers of samples by depth: what no name can change."""
    done = subprocess.run([REPORT, "-q", "--no-system", "-f", "json", *options, name], capture_output=True, check=True)
    return [(t["nodes"]["parent"], t["nodes"]["self"], t["total"]) for t in json.loads(done.stdout)["trees"]]


def main():
    write("secret.foldrec")
    check(subprocess.run([REPORT, "check", "-q", "secret.foldrec"], check=False).returncode == 0, "the recording is valid")
    before = payloads("secret.foldrec")
    for what, secret in SECRETS.items():
        check(secret in before, "%s: %s is in the recording" % (what, secret))
    after, told = redact("--also", "ids,kernel,times")
    check(b"SECRET" not in after and SECRETS["kernel"] not in after and b"kernel-build-id" not in after, "with everything taken out: %s" % [word for word in SECRETS.values() if word in after])
    check(not any(code(n) in after for code in (uv, sv) for n in (424242, 424244)), "pids")
    check(uv(0x7F1234567000) not in after, "an absolute address")
    check(uv(1795979400 * 10 ** 9) not in after and uv(11 ** 9) not in after, "times")
    check(sv(-13 ** 8) not in after and sv(6 + 13 ** 8) not in after, "times: when a process started before the recording")
    check(b"SECR" not in after, "the id of the recording")
    check(os.stat("out.foldrec").st_mode & 0o777 == 0o600, "the file is for its owner alone")
    after, told = redact()
    left = {what for what, secret in SECRETS.items() if secret in after}
    check(left == {"kernel", "ids"}, "by default: %s is left" % left)
    check(b"STILL IN IT" in told and b"build-ids" in told, "what stays is told")
    check(shape("out.foldrec", "--by", "none") == shape("secret.foldrec", "--by", "none"), "the tree keeps its shape")
    got = dumped("out.foldrec")
    check(next(m["flags"] for m in got if m["is"] == "mode") == 16, "META says REDACTED, and no more RAW_ADDRESSES or PATHS_FULL")
    check([(p["pid"], p["parent"]) for p in got if p["is"] == "proc"] == [(1, 0), (2, 1)], "pids by number")
    check([t["tid"] for t in got if t["is"] == "thread"] == [1, 3], "a first thread has its process's number")
    check(b"libc.so.6" in after and b"puts" in after, "system files keep their names")
    for what in ("comms", "paths", "labels", "notes", "code", "symbols"):
        after, _ = redact("--keep", what)
        left = {name for name, secret in SECRETS.items() if secret in after}
        check(left == {"kernel", "ids", what}, "--keep %s: %s is left" % (what, left))
    after, _ = redact("--keep", "addresses,pids")
    check(uv(0x7F1234567000) in after and sv(424242) in after, "--keep addresses,pids")
    wrong = subprocess.run([REPORT, "redact", "--keep", "comm", "-o", "no.foldrec", "secret.foldrec"], capture_output=True, check=False)
    check(wrong.returncode == 2 and b'there is no "comm"' in wrong.stderr and not os.path.exists("no.foldrec"), "a word that is none")
    wrong = subprocess.run([REPORT, "redact", "--keep", "comms", "--also", "kernel,comms", "-o", "no.foldrec", "secret.foldrec"], capture_output=True, check=False)
    check(wrong.returncode == 2 and b'both name "comms"' in wrong.stderr and not os.path.exists("no.foldrec"), "what is to stay and to go")
    print("%d failed" % len(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
