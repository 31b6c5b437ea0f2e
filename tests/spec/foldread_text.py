# SPDX-License-Identifier: BSD-2-Clause
"""Of foldread.py: lines of the dump and their strings."""
import re

PLAIN = re.compile(rb"[ !#-\[\]-~]*")

def utf8_length(data, at):
    """Length of the well-formed sequence of two bytes or more at `at`, 0 if there is none."""
    first = data[at]
    size = 2 if 0xC2 <= first <= 0xDF else 3 if 0xE0 <= first <= 0xEF else 4 if 0xF0 <= first <= 0xF4 else 0
    if not size or at + size > len(data):
        return 0
    try:
        data[at:at + size].decode("utf-8", "strict")
    except UnicodeDecodeError:
        return 0
    return size


def quote(data):
    if PLAIN.fullmatch(data):
        return '"%s"' % data.decode("ascii")
    out, at = ['"'], 0
    while at < len(data):
        byte = data[at]
        if byte in b'"\\':
            out.append("\\" + chr(byte))
        elif byte < 0x20 or byte == 0x7F:
            out.append("\\u%04x" % byte)
        elif byte < 0x80:
            out.append(chr(byte))
        else:
            size = utf8_length(data, at)
            if not size:
                out.append("\\udc%02x" % byte)
            else:
                char = data[at:at + size].decode("utf-8")
                out.append("\\u%04x" % ord(char) if ord(char) < 0xA0 else char)
                at += size
                continue
        at += 1
    out.append('"')
    return "".join(out)


def line(kind, /, **fields):
    """One line of the dump; strings are given as bytes, ready JSON as str."""
    parts = ['"is":"%s"' % kind]
    for key, value in fields.items():
        parts.append('"%s":%s' % (key, quote(value) if isinstance(value, bytes) else value))
    return "{" + ",".join(parts) + "}"


def listed(items):
    return "[" + ",".join(str(item) for item in items) + "]"


def dashed(uuid):
    h = uuid.hex()
    return '"%s-%s-%s-%s-%s"' % (h[:8], h[8:12], h[12:16], h[16:20], h[20:])
