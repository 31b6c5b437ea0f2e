# SPDX-License-Identifier: BSD-2-Clause
"""Judges what diff wrote for planted.sh: AGAIN.* and SLOWER.* in this directory."""
import math
import re
import sys
import xml.dom.minidom

PARTS = {"alpha": 40, "beta": 40, "gamma_": 40, "delta": 30, "epsilon": 20, "zeta": 14, "eta": 8, "theta": 8}
SIGMAS = 6
bad = []


def leaves(path):
    """Own samples of each function, before and now; `before` comes scaled."""
    sums = {name: [0, 0] for name in PARTS}
    for line in open(path):
        stack, before, now = line.rsplit(" ", 2)
        name = next((f for f in reversed(stack.split(";")) if f in PARTS), None)  # interrupts belong to what they interrupted
        if name:
            sums[name][0] += int(before)
            sums[name][1] += int(now)
    return sums


def share(sums, name, side):
    whole = sum(s[side] for s in sums.values())
    return sums[name][side] / whole, whole


def sigma(sums, name):
    """The difference of the shares, and its standard error."""
    (p, m), (q, n) = share(sums, name, 0), share(sums, name, 1)
    return q - p, math.sqrt(p * (1 - p) / m + q * (1 - q) / n)


def own_rows(path):
    text = open(path).read()
    if "Own time" not in text:
        sys.exit(path + " has no table of own time:\n" + text)
    table = text.split("Own time", 1)[1].split("With all they call", 1)[0]
    return [(m[2], float(m[1])) for m in re.finditer(r"%?\s([+-][\d.]+)\s+(?:new|gone)?\s+\S+\s+(\S+)$", table, re.M)]


again, slower = leaves("again.folded"), leaves("slower.folded")
for name in PARTS:
    difference, error = sigma(again, name)
    if abs(difference) > SIGMAS * error:
        bad.append("the same twice: %s differs by %.2f points, +- %.2f" % (name, 100 * difference, 100 * error))
whole = sum(PARTS.values())
gamma = PARTS["gamma_"]
slow = gamma * 13 / 10
want = slow / (whole - gamma + slow) - gamma / whole
difference, error = sigma(slower, "gamma_")
print("gamma_: %+.2f points, want %+.2f +- %.2f" % (100 * difference, 100 * want, 100 * error))
if abs(difference - want) > SIGMAS * error:
    bad.append("gamma_ is off")
rows = own_rows("slower.txt")
if not rows or rows[0][0] != "gamma_" or rows[0][1] <= 0:
    bad.append("gamma_ is not on top of own time: %r" % rows[:3])
for name, points in rows[1:]:
    if name in PARTS and points > 100 * SIGMAS * sigma(slower, name)[1]:
        bad.append("%s is told to have become slower: %+.2f" % (name, points))
for name, points in own_rows("again.txt"):
    if name in PARTS and abs(points) > 100 * SIGMAS * sigma(again, name)[1]:
        bad.append("the same twice, and %s is told to have changed by %+.2f" % (name, points))

classes = {}
for g in xml.dom.minidom.parse("slower.svg").getElementsByTagName("g"):
    title = g.getElementsByTagName("title")
    width = g.getElementsByTagName("rect")
    if title and width and g.getAttribute("data-s"):
        name = title[0].firstChild.data.split(" (")[0].split("\n")[0]
        if name not in PARTS:
            continue  # a caller of gamma_ became slower too: by chance enough to be red
        classes.setdefault(g.getAttribute("class")[:4], []).append((float(width[0].getAttribute("width").rstrip("%")), name))
if not classes.get("more") or "gamma_" not in max(classes["more"])[1]:
    bad.append("the widest red function of the picture is not gamma_: %r" % sorted(classes.get("more", []))[-3:])
print("\n".join(bad))
sys.exit(1 if bad else 0)
