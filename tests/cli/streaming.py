#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A report on a pipe that still grows, as many Ctrl-C as it takes, and no file left behind.  FILE: a recording."""
import fcntl
import os
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

with open(sys.argv[1], "rb") as file:
    DATA = file.read()
HALF = len(DATA) // 2
LAST = 4096
COMMAND = [os.environ["FOLD_REPORT"], "--no-system", "-f", "top", "-"]
failed = []


def check(what, holds, *more):
    if not holds:
        failed.append(what)
        print(what, *more)


def start(command=COMMAND, **options):
    """A pipe of our own: its bytes can be counted.  What comes out goes to a file: nobody reads it before the end."""
    end, write = os.pipe()
    out = tempfile.TemporaryFile()
    report = subprocess.Popen(command, stdin=end, stdout=out, stderr=subprocess.PIPE, **options)
    report.pipe, report.end, report.out = write, end, out
    return report


def soon(holds):
    """Wait until that is so; much later, go on and let the test fail."""
    for _ in range(12000):
        if holds():
            return
        time.sleep(0.005)


def waits(report):
    """Has it read all there is, and sleeps until there is more, or a signal?  What is sent now finds it there."""
    unread = struct.unpack("i", fcntl.ioctl(report.end, termios.FIONREAD, b"\0" * 4))[0]
    with open("/proc/%d/stat" % report.pid) as stat, open("/proc/%d/status" % report.pid) as status:
        sleeps = stat.read().rsplit(")", 1)[1].split()[0] == "S"
        blocked = next(int(line.split()[1], 16) for line in status if line.startswith("SigBlk"))
    return sleeps and not unread and blocked >> signal.SIGTERM - 1 & 1


def feed(report, data):
    """Write, and wait until it is read."""
    while data and report.poll() is None:
        data = data[os.write(report.pipe, data[:1 << 16]):]
    soon(lambda: report.poll() is not None or waits(report))


def interrupt(report, number=signal.SIGINT):
    """Send the signal, and wait until it is taken: several that wait are one."""
    report.send_signal(number)

    def taken():
        with open("/proc/%d/status" % report.pid) as status:
            return not any(int(line.split()[1], 16) >> number - 1 & 1 for line in status if line.startswith("ShdPnd"))
    soon(lambda: report.poll() is not None or taken())


def finish(report, close=True):
    """Exit status, standard output, standard error.  The pipe stays open for writing unless `close`; None: it is closed already."""
    if close:
        os.close(report.pipe)
    _, err = report.communicate(timeout=500)
    report.out.seek(0)
    out = report.out.read()
    os.close(report.end)
    if close is False:
        os.close(report.pipe)
    return report.returncode, out, err.decode()


def samples(out):
    return int(out.split(b" ", 1)[0].replace(b",", b"") or b"0") if out[:1].isdigit() else 0


plain = subprocess.run(COMMAND[:-1] + [sys.argv[1]], capture_output=True, check=True).stdout

report = start()
feed(report, DATA[:HALF])
check("printed before the end", report.poll() is None)
feed(report, DATA[HALF:])
status, out, err = finish(report)
check("a pipe that grew", status == 0 and out == plain, status, err)

report = start()
feed(report, DATA[:HALF])
report.send_signal(signal.SIGINT)
status, out, err = finish(report, close=False)
check("Ctrl-C", status == 0 and "interrupted" in err and 0 < samples(out) < samples(plain), status, out[:80], err)

# Last words have two seconds: they are in the pipe before the report sees the signal.
report = start()
feed(report, DATA[:-LAST])
report.send_signal(signal.SIGSTOP)
report.send_signal(signal.SIGINT)
os.write(report.pipe, DATA[-LAST:])
os.close(report.pipe)
report.send_signal(signal.SIGCONT)
status, out, err = finish(report, close=None)
check("last words after Ctrl-C", status == 0 and out == plain, status, out[:80], err)

report = start()
feed(report, DATA[:HALF])
interrupt(report)
interrupt(report)
status, out, err = finish(report, close=False)
check("Ctrl-C twice", status == 0 and 0 < samples(out) < samples(plain) and err.count("interrupted") == 1, status, out[:80], err)

report = start(preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
feed(report, DATA[:HALF])
report.send_signal(signal.SIGINT)
feed(report, DATA[HALF:])
status, out, err = finish(report)
check("SIGINT ignored", status == 0 and out == plain and "interrupted" not in err, status, out[:80], err)

report = start()
feed(report, b"")
report.send_signal(signal.SIGINT)
status, out, err = finish(report, close=False)
check("Ctrl-C before there is anything", status == 1 and not out and "interrupted" in err, status, out[:80], err)

# ---- every verb that reads, and the other signal that means the end
for verb, marks in (("info -", b"Where the samples went"), ("info --strings -", b"STRINGS"), ("dump -", b'"is":"end"'), ("check -", b"samples"),
                    ("missing --no-system -", b"have a frame without a name"), ("-f folded --no-system -", b";")):
    for signal_sent in (signal.SIGINT, signal.SIGTERM):
        report = start([COMMAND[0], *verb.split()])
        feed(report, DATA[:HALF])
        interrupt(report, signal_sent)
        interrupt(report, signal_sent)  # ends the wait for last words
        status, out, err = finish(report, close=False)
        check("%s, %s" % (verb, signal_sent.name), status in (0, 1) and marks in out and "interrupted" in err, status, out[-80:], err)

# ---- a signal that ends the program takes the unfinished file along
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
    seen = False
    for attempt in range(50):
        report = subprocess.Popen([COMMAND[0], "-q", "--no-system", "-f", "script", "-o", "result", sys.argv[1]])
        while report.poll() is None and not seen:
            seen = any(name.startswith(".result.") for name in os.listdir("."))
        report.send_signal(number)
        status = report.wait(500)
        check("files left after %s" % number.name, not any(name.startswith(".result.") for name in os.listdir(".")), os.listdir("."))
        if seen and status == -number:
            break
        seen = False
    check("ended by %s while it wrote" % number.name, seen and not os.path.exists("result"), status)
    if os.path.exists("result"):
        os.unlink("result")

sys.exit(bool(failed))
