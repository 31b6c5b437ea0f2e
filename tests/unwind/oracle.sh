#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The walker against libdwfl, sample by sample, on programs that are hard to unwind:
# no frame may differ, and samples must reach the root: with --all nearly all of them.
#   tests/unwind/oracle.sh           a few programs for a second
#   tests/unwind/oracle.sh --all     all of them, longer: a table
# By hand it needs FOLD_RECORD and BUILD, as tests/run sets them.
set -u
SRC=${SRC:-$(cd "$(dirname "$0")/../.." && pwd)}
CC=${CC:-cc} CLANG=${CLANG:-clang}
[ "$(uname -m)" = x86_64 ] || { echo "the walker is for x86-64"; exit 77; }
[ -f /sys/kernel/btf/vmlinux ] || { echo "the kernel has no BTF"; exit 77; }
nm -u "$BUILD/record/unwind/pack.o" | grep -q __asan_ && { echo "the recorder's objects are built for a sanitizer"; exit 77; }
echo '#include <elfutils/libdwfl.h>' | $CC -E - >/dev/null 2>&1 || { echo "needs libdw-dev"; exit 77; }
"$FOLD_RECORD" -q -f -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
$CLANG -target bpf -O2 -g -mcpu=v2 -D__TARGET_ARCH_x86 -I"/usr/include/$($CC -print-multiarch)" -c -o oracle.bpf.o "$SRC/tests/unwind/oracle.bpf.c" || exit 1
objects=()
for o in "$BUILD"/record/*.o "$BUILD"/record/unwind/*.o; do [ "${o##*/}" = main.o ] || objects+=("$o"); done
$CC -std=gnu11 -D_GNU_SOURCE -O1 -o oracle "$SRC"/tests/unwind/{oracle,judge}.c "${objects[@]}" "$BUILD/libfold.a" -lbpf -ldw -lelf -lz -lzstd || exit 1

bad=0 programs=$SRC/tests/unwind/programs rate=(-F 199 -t 1)
[ "${1:-}" = --all ] && rate=(-F 997 -t "${SECONDS_EACH:-6}")
row() { # LEAST NAME OPTIONS... -- COMMAND...: at least LEAST % at the root
	local least=$1 name=$2 samples wrong root
	shift 2
	./oracle oracle.bpf.o "${rate[@]}" -n "$name" "$@" >out 2>err || { cat out err; bad=1; }
	read -r samples wrong root < <(sed -n 's/.*: \([0-9]*\) samples, root \([0-9.]*\)%.* DIFFER \([0-9]*\);.*/\1 \3 \2/p' out)
	[ -n "${root:-}" ] || { echo "$name: no samples"; bad=1; return; }
	printf '%-24s %7s %6s %7s %%  %s\n' "$name" "$samples" "$wrong" "$root" "$(sed -n 's|.*ns [^ ]* (fp [^)]*)\(.*\); tables.*|\1|p' out)"
	awk -v have="$root" -v want="$least" 'BEGIN { exit have + 0 < want + 0 }' || { echo "$name: only $root % reach the root, not $least"; bad=1; }
}
has() { command -v "$1" >/dev/null; }
built() { # SOURCE OUT FLAGS...
	local source=$programs/$1.c out=$2
	shift 2
	$CC -O2 -o "$out" "$source" "$@" -lpthread 2>/dev/null
}

printf '%-24s %7s %6s %9s  %s\n' program samples wrong root "other ends; libdwfl"
for program in signals vfork vdso dlopen fork; do
	built $program $program || exit 1
done
python3 - <<'P'
b = bytearray(open("signals", "rb").read())
b[40:48], b[60:64] = bytes(8), bytes(4)
open("bare", "wb").write(b)
P
chmod +x bare
# In a second no share is sure: how many samples are of a process that begins or ends, or of
# a stack longer than its copy (a signal frame alone may have 11 KiB), is the machine's affair.
# A walker that does not work reaches no root at all.
least=25 copied=25 forks=25
[ "${1:-}" = --all ] && least=99 copied=95 forks=90
row $least "threads, signals" -- ./signals
row $copied "the same, in user space" -r -- ./signals
row $least "no section headers" -- ./bare
built signals static -static && row $least static -- ./static
row $least dlopen -- ./dlopen
row $forks fork -c -- ./fork
[ "${1:-}" = --all ] || exit $bad

busy='
import re, json
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
while True:
    fib(15); sorted(range(9999), key=lambda x: -x); re.findall(r"(a|b)*c", "abab" * 99); json.loads(json.dumps(list(range(999))))'
row $least vfork -- ./vfork
row $least vdso -- ./vdso
built clone clone && row 60 "new threads" -- ./clone # many are at their end, where their memory is not theirs any more
built signals static-pie -static-pie && row $least static-pie -- ./static-pie
row $least sha256sum -- sha256sum /dev/zero
has xz && row $least xz -- xz -9 -c /dev/urandom
python=$(python3 -c 'import sys; print(sys.executable)') # no script that starts it: samples are of one image
row $least python3 -- "$python" -c "$busy"
row $copied "python3, in user space" -r -- "$python" -c "$busy"
row $least perl -- perl -e 'while (1) { my @v = sort { $b <=> $a } map { $_ * 7919 % 9973 } 1..20000; my $s = join ",", @v; $s =~ s/(\d)(\d)/$2$1/g }'
python3 - >big.c <<'P'
for i in range(4000):
    print(f"int f{i}(int a, int *v) {{ int t = 0; for (int k = 0; k < a; k++) {{ v[k & 63] = a * k ^ {i}; t += v[(k * 7) & 63]; "
          f"if (t % {i % 13 + 3} == 0) t ^= v[k & 7]; }} return t{f' + f{i - 1}(a - 1, v)' if i else ''}; }}")
P
row $least "gcc cc1" -- "$($CC -print-prog-name=cc1)" -quiet -O2 -o /dev/null big.c
has clang && row $least clang -w -- clang -O2 -c -o /dev/null big.c
has node && row 99 node -- node -e 'for (;;) { const v = Array.from({ length: 9999 }, (x, i) => i * 7919 % 9973); v.sort((a, b) => a - b); JSON.parse(JSON.stringify(v)); "ab".repeat(999).replace(/a(b)/g, "$1a") }'
has git && git init -q repository && row $least git -- git -C repository fast-import --quiet < <(python3 -c '
import sys, random
while True:
    text = " ".join(str(random.randrange(9999)) for i in range(20000)).encode()
    sys.stdout.buffer.write(b"blob\ndata %d\n%s\n" % (len(text), text))' 2>/dev/null)
if has openssl; then
	for algorithm in aes-256-gcm chacha20-poly1305 sha512; do
		row $least "openssl $algorithm" -- openssl speed -seconds 60 -evp $algorithm
	done
	row 99 "openssl ecdsap256" -- openssl speed -seconds 60 ecdsap256
fi
if has go; then # code that grows a goroutine's stack is on another one
	export GOCACHE=$PWD/go-cache
	go build -o gobusy "$programs/busy.go" && row 98 go -- ./gobusy
	go build -o gocgo "$programs/cgo.go" 2>err && row 95 "go, calls of C" -- ./gocgo # a copy of a stack has no goroutines
	go build -ldflags '-s -w' -o gobare "$programs/busy.go" && row 98 "go, stripped" -- ./gobare
fi
has rustc && rustc -O -o rustbusy "$programs/busy.rs" 2>err && row $least rust -- ./rustbusy
exit $bad
