# SPDX-License-Identifier: BSD-2-Clause
"""Of foldread.py: bytes to numbers, and what a payload consists of."""
import ctypes
import ctypes.util
import subprocess

from foldread_numbers import *

class Malformed(Exception):
    """The payload breaks a rule: its chunk is dropped."""


class Stop(Exception):
    """Something unknown and critical: reading cannot go on."""


def must(truth, rule):
    if not truth:
        raise Malformed(rule)


# ---------------------------------------------------------------- checksums, zstd

def crc32c_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


CRC_TABLE = crc32c_table()


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    table = CRC_TABLE
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def zstd_frame_size(data):
    """Bytes of the frame at the start of `data`, found by its block headers (RFC 8878)."""
    must(len(data) >= 6 and data[:4] == b"\x28\xb5\x2f\xfd", "R-CHK-5")
    descriptor = data[4]
    single = descriptor >> 5 & 1
    must(descriptor & 3 == 0, "R-CHK-5")  # a dictionary
    size_bytes = [single, 2, 4, 8][descriptor >> 6]
    at = 5 + (1 - single) + size_bytes
    while True:
        must(at + 3 <= len(data), "R-CHK-5")
        block = int.from_bytes(data[at:at + 3], "little")
        at += 3
        must(block >> 1 & 3 != 3, "R-CHK-5")
        at += 1 if block >> 1 & 3 == 1 else block >> 3
        if block & 1:
            break
    return at + (4 if descriptor & 4 else 0)


def zstd_library():
    name = ctypes.util.find_library("zstd")
    if not name:
        return None
    lib = ctypes.CDLL(name)
    lib.ZSTD_decompress.restype = ctypes.c_size_t
    lib.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    return lib


LIBZSTD = zstd_library()


def zstd_decompress(data, raw_len):
    must(zstd_frame_size(data) == len(data), "R-CHK-5")
    if LIBZSTD:
        room = ctypes.create_string_buffer(raw_len or 1)
        got = LIBZSTD.ZSTD_decompress(room, raw_len, data, len(data))
        must(got == raw_len, "R-CHK-5")  # errors are huge numbers
        return room.raw[:raw_len]
    done = subprocess.run(["zstd", "-d", "-c", "-q", "--memory=64MiB"], input=data, capture_output=True, check=False)
    must(done.returncode == 0 and len(done.stdout) == raw_len, "R-CHK-5")
    return done.stdout


# ---------------------------------------------------------------- primitive types

def unzigzag(value):
    return value >> 1 if value & 1 == 0 else -(value >> 1) - 1


def signed(number):
    """Modulo 2^64, as a signed number."""
    number &= MASK
    return number - (1 << 64) if number >> 63 else number


class Span:
    """A window onto bytes; reading beyond its end makes the payload malformed."""

    def __init__(self, data, at=0, end=None):
        self.data, self.at, self.end = data, at, len(data) if end is None else end

    def more(self):
        return self.at < self.end

    def uv(self, limit=(1 << 64) - 1):
        value = shift = 0
        while True:
            must(self.at < self.end, "R-PAY-2")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            must(shift < 70, "R-INT-1")
        must((byte or shift == 0) and value < 1 << 64, "R-INT-1")
        must(value <= limit, "R-INT-2")
        return value

    def uv32(self):
        return self.uv((1 << 32) - 1)

    def sv(self):
        return unzigzag(self.uv())

    def step32(self, last):
        """A number of 32 bits, written as its difference to the last one."""
        value = last + self.sv()
        must(0 <= value < 1 << 32, "R-INT-2")
        return value

    def sub(self):
        """uv length, then a window of that length."""
        size = self.uv()
        must(size <= self.end - self.at, "R-PAY-2")
        self.at += size
        return Span(self.data, self.at - size, self.at)

    def rest(self):
        got = bytes(self.data[self.at:self.end])
        self.at = self.end
        return got

    def raw(self, size):
        must(size <= self.end - self.at, "R-PAY-2")
        self.at += size
        return bytes(self.data[self.at - size:self.at])

    def string(self, limit=MAX_STRING, rule="R-LIM-1"):
        got = self.sub()
        must(got.end - got.at <= limit, rule)
        return got.rest()


def sections(payload, known):
    """Yields (id, content) of the known ones."""
    span, last, count = Span(payload), 0, 0
    while span.more():
        number = span.uv32()
        must(number > last, "R-PAY-1")
        last = number
        count += 1
        must(count <= MAX_SECTIONS, "R-PAY-3")
        if number not in known and number < 64:
            raise Stop("R-PAY-5")
        content = span.sub()
        if number in known:
            yield number, content


def columns(span, known):
    """Yields (id, content) of the known ones."""
    last = 0
    while span.more():
        number = span.uv32()
        must(number > last, "R-COL-1")
        last = number
        if number not in known and number < 64:
            raise Stop("R-COL-5")
        content = span.sub()
        if number in known:
            yield number, content
