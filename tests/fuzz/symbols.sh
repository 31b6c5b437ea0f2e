#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The readers of ELF and DWARF under sanitizers: what fuzzing found, small programs
# in many kinds of debug information, and damaged copies of all of them.
#   FUZZ_TIMES=N  damaged copies of each (default 150)
set -u
"$SRC/tests/fuzz/build" replay "$PWD/bin" symbols || exit 1
cat >seed.c <<'END'
static inline __attribute__((always_inline)) int two(int x) { return x * 7; }
static inline __attribute__((always_inline)) int one(int x) { return two(x) + 3; }
int f(int x) { if (x > 3) { int y = one(x); return y; } return one(x + 1); }
int g(int a) { return f(a) + two(a); }
void _start(void) { f(1); g(2); }
END
n=0
seed() { # COMPILER OPTION...
	command -v "$1" >/dev/null || return
	"$@" -O1 -ffreestanding -nostdlib -Wl,--build-id seed.c -o seed$n 2>/dev/null && n=$((n + 1))
	for dwo in *.dwo; do [ -f "$dwo" ] && mv "$dwo" seed$n && n=$((n + 1)); done
}
for version in 2 4 5; do
	for cc in gcc clang; do seed $cc -gdwarf-$version; seed $cc -gdwarf-$version -gsplit-dwarf -ffunction-sections; done
done
seed gcc -g -gz -shared -fPIC
seed clang --target=mips64-linux-gnu -g -fuse-ld=lld
for target in aarch64-linux-gnu riscv64-linux-gnu armv7-linux-gnueabihf; do seed clang --target=$target -g -fuse-ld=lld -shared -fPIC; done
bin/symbols -d "${FUZZ_TIMES:-150}" "$SRC"/tests/fuzz/corpus/symbols/* seed[0-9]*
