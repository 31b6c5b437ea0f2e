#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Recordings whose every name is an attack, and what has to hold for each output of them.

  hostile_names.py make                     hostile.foldrec, and tame.foldrec: the same with harmless names
  hostile_names.py text|json|lines|xml|html|page FILE...   judges outputs; page takes a browser's DOM
"""
import base64
import gzip
import html.parser
import json
import os
import re
import sys
import xml.dom.minidom

sys.path.insert(0, os.path.join(os.environ["SRC"], "tests", "spec"))
from build import *  # noqa: E402,F403
from foldread import BATCH, NOTE, SYMBOLS  # noqa: E402

PWN = b"document.documentElement.setAttribute('data-pwned',1)"
NAMES = [
    b"</script><script>alert(1)",
    b"</script><script>" + PWN + b"</script>",
    b"<img src=x onerror=" + PWN + b">",
    b"\"><svg onload=" + PWN + b">",
    b"' onmouseover='" + PWN + b"' x='",
    b"]]><script>" + PWN + b"</script>",
    b"--><script>" + PWN + b"</script><!--<script>",
    b"</title></style></textarea><script>" + PWN + b"</script>",
    b"javascript:" + PWN,
    b"${" + PWN + b"}`+" + PWN + b"+`",
    b"\\\";" + PWN + b"//",
    b"\xe2\x80\xa8" + PWN + b"\xe2\x80\xa9",
    b"&lt;b&gt;&#60;script&#62;&amp;&bogus;",
    b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>",
    b"a;b c 7",
    b"line\nbreak 9",
    b"carriage\rreturn\ttab\x0bvt\x0cff",
    b"\x1b[2J\x1b]0;title\x07\x1b[31mred",
    b"\xc2\x9b31mC1 \xc2\x85 \x7f del",
    b"\xff\xfe broken \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x28",
    b"\xef\xbf\xbe\xef\xbf\xbf\xef\xb7\x90",
    b"nul\0inside",
    b"\xe2\x80\xae\xe2\x81\xa6 bidi \xf0\x9f\x94\xa5",
    b"%s%n%1000000d%p",
    b"=cmd|' /C calc'!A0",
    b"__proto__", b"constructor", b"toString", b"hasOwnProperty",
    b"../../../../etc/passwd", b"/etc/passwd\0.so", b"-o", b"[kernel]", b"[unknown]", b"all",
    b";", b" ", b"  12", b"-> 5", b"\t(x)", b"name_[k]", b"(inlined)", b"\\x41\\u0041\\",
    b"long " * 800 + b"<script>", b"_ZN" + b"1a" * 500 + b"Ev", b"_RNvC" + b"s_" * 300, b"_D" + b"4main" * 300,
]
TAME = [b"name%02d" % i for i in range(len(NAMES))]
KERNEL_SPAN, SPAN = 0x1000 * len(NAMES), 0x10000
JIT, MODULES = 4, len(NAMES)


def base(module):
    """In the linear module space: the kernel, then a file and a JIT region for each name."""
    return 0 if not module else KERNEL_SPAN + (module - 1) * SPAN


def stacks(number, rows):
    """Independent stacks, ascending from row to row: nothing shared, end 0; only what is called first has a caller that was seen."""
    tokens, first = b"", 0
    for frames in rows:
        for last, frame in zip([first, *frames], frames):
            tokens += uv(frame - last << 2)
        first = frames[0]
    return section(number, 0, len(rows), column(2, *map(len, rows)), column(4, tokens))


def recording(names):
    n = len(names)
    file = lambda i: 1 + i
    region = lambda i: 1 + n + i
    modules = module(KERNEL_SPAN, 1, 0)
    modules += b"".join(module(SPAN, i + 1, 2, ids=(uv(1) + text(bytes([i + 1]) * 20),)) for i in range(n))
    modules += b"".join(module(SPAN, i + 1, JIT) for i in range(n))
    payload = section(1, 1, *(text(name) for name in names))
    payload += section(2, 0, 0, modules)
    payload += section(3, 0, *(proc(1 if i else 100, 0, i + 1, file(i) + 1) for i in range(n)))
    payload += section(4, *(mmaps(int(i > 0), (file(i), 0, SPAN)) for i in range(n)))
    payload += section(5, 0, *(thread(int(i > 0), 1 if i else 100, i + 1) for i in range(n)))
    payload += stacks(6, [[0x1000 * i + 8] for i in range(n)])
    payload += stacks(7, [[base(file(i)) + 0x110, base(file(i)) + 0x8110, base(region(i)) + 0x20] for i in range(n)])
    zigzag = sv(1) * (n - 1)
    payload += section(8, n, column(1, sv(0) + sv(1000) * (n - 1)), column(3, sv(0) + zigzag), column(4, sv(1) + zigzag), column(5, sv(1) + zigzag))
    payload += section(10, record(0, 0, 0, n))
    payload += section(11, *(record(0, 0x1000 * i, 0x100, i + 1) for i in range(n)))
    payload += section(12, *(record(region(i), 0, 0x100, i + 1) for i in range(n)))
    symbols = section(1, 1, *(text(name) for name in names)) + section(2, *(record(file(i), 0x100, 0x100, i + 1) for i in range(n)))
    every = b" ".join(names)[:60000]
    first = meta(recorder=text(names[1]) + text(names[2]) + uv(foldread.DRAFT), events=event(name=NAMES[1]),
                 target=uvs(62, 8, 0, 4096, 1, 1) + text(names[17]))
    chunks = [chunk(META, 0, first), chunk(BATCH, 1, payload), chunk(SYMBOLS, 2, symbols), chunk(NOTE, 3, section(1, every))]
    chunks.append(chunk(END, 4, end_payload(chunks, ((n, n, 0),))))
    return file_header() + b"".join(chunks)


def make():
    for name, names in (("hostile", NAMES), ("tame", TAME)):
        with open(name + ".foldrec", "wb") as out:
            out.write(recording(names))


# ---- judges: a complaint, or None

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def read(path):
    with open(path, "rb") as data:
        return data.read().decode("utf-8", "strict")


def judge_text(path):
    found = CONTROL.search(read(path))
    return found and "control character %r at %d: %r" % (found[0], found.start(), read(path)[found.start() - 40:found.end() + 20])


def judge_folded(path):
    """Lines end in a count, their sum is that of the samples, and no name made a frame or a line more."""
    total = 0
    for line in read(path).split("\n")[:-1]:
        stack, count = line.rsplit(" ", 1)
        if stack.count(";") != 4 or not all(stack.split(";")):
            return "%d frames: %r" % (stack.count(";") + 1, line)
        if re.search(r" -?[0-9.]+$", stack):
            return "two counts: %r" % line
        total += int(count)
    return None if total == len(NAMES) else "the sum is %d, not %d" % (total, len(NAMES))


def judge_json(path):
    json.loads(read(path))


def judge_lines(path):
    for line in read(path).split("\n")[:-1]:
        json.loads(line)


def elements(node):
    yield node
    for child in node.childNodes:
        if child.nodeType == child.ELEMENT_NODE:
            yield from elements(child)


def judge_xml(path, tame):
    """The kinds of elements and attributes are those of harmless names."""
    kinds = [set((e.tagName, a) for e in elements(xml.dom.minidom.parse(p).documentElement) for a in ["", *e.attributes.keys()]) for p in (path, tame)]
    if kinds[0] - kinds[1]:
        return "elements and attributes that harmless names do not have: %r" % (kinds[0] - kinds[1])
    if "alert(1)" not in xml.dom.minidom.parse(path).toxml():
        return "the names are not in it"
    return judge_text(path)


class Tags(html.parser.HTMLParser):
    def __init__(self, data):
        super().__init__()
        self.tags = []
        self.feed(data)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, *sorted(name for name, _ in attrs)))

    def handle_endtag(self, tag):
        self.tags.append(("/" + tag,))

    def handle_comment(self, data):
        self.tags.append(("comment",))


def judge_html(path, tame):
    """The same tags in the same order as with harmless names."""
    tags = [Tags(read(p)).tags for p in (path, tame)]
    if tags[0] != tags[1]:
        return "tags differ from those of harmless names: %r" % (set(tags[0]) ^ set(tags[1]) or len(tags[0]))
    if re.search(r"<!--", read(path).split("<body", 1)[-1]) and "<!--" not in read(tame).split("<body", 1)[-1]:
        return "a comment begins in a name"
    packed = re.findall(r'id="(?:first|rest)">([A-Za-z0-9+/=\s]*)</script>', read(path))
    if len(packed) != 2 or any(b"alert(1)" not in gzip.decompress(base64.b64decode(part)) for part in packed):
        return "the names are not in it"
    return judge_text(path)


def judge_page(path):
    """A browser's DOM: no script of a name ran, none became an element, and the name is there as text."""
    data = read(path)
    root = re.search(r"<(html|svg)\b[^>]*>", data)
    if not root or "data-pwned" in root[0]:
        return "a name ran as a script: %r" % (root and root[0][:200])
    if re.search(r"<script[^>]*>(alert\(1\)|document\.documentElement\.setA)", data) or re.search(r"<img\b[^>]*onerror|<svg\b[^>]*onload", data):
        return "a name became an element"
    return None if "data-pwned" in data else "the names are not shown"


def main():
    if sys.argv[1] == "make":
        make()
        return 0
    complaint = globals()["judge_" + sys.argv[1]](*sys.argv[2:])
    if complaint:
        print("%s: %s" % (sys.argv[2], complaint))
    return complaint is not None


if __name__ == "__main__":
    sys.exit(main())
