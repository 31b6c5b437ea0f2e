#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Names, inlined functions and lines of random addresses against eu-addr2line,
# llvm-symbolizer and addr2line, for one program in every kind of debug
# information and for what is installed here.  Prints the shares.
#   TRUTH_ADDRESSES=N  addresses of each (default 1000)
#   TRUTH_FILES="F..." more files
set -u
probe=$BUILD/tests/unit/report_symbols_probe
[ -x "$probe" ] || { echo "$probe is not built"; exit 77; }
for tool in python3 g++ nm; do command -v $tool >/dev/null || { echo "needs $tool"; exit 77; }; done
command -v llvm-symbolizer >/dev/null || { echo "needs llvm-symbolizer"; exit 77; }
source=$SRC/tests/elf/inlines.cc n=${TRUTH_ADDRESSES:-1000} failed=0

compare() { # NAME MIN_NAME MIN_CHAIN ARGUMENT...
	local name=$1 min_name=$2 min_chain=$3; shift 3
	python3 "$SRC/tests/elf/compare.py" "$probe" "$@" -n "$n" --eu-max "${TRUTH_EU:-8}" --tools "${TRUTH_TOOLS:-eu,llvm,bfd}" \
		--min-name "$min_name" --min-chain "$min_chain" --classes 1 >"$name.log" 2>&1 || { failed=1; echo "FAIL $name"; cat "$name.log"; return; }
	echo "$name: $(grep -E '^(like|name)' "$name.log" | tr -s ' ' | tr '\n' ';')"
}
build() { # NAME COMMAND: a variant that cannot be built here is said and left out
	eval "$2" >"$1.build" 2>&1 || echo "# $1 left out: $(tail -n 1 "$1.build")"
}
has() { command -v "$1" >/dev/null; }

build gcc2 "g++ -O2 -g -gdwarf-2 -gstrict-dwarf $source -o gcc2" &
build gcc4 "g++ -O2 -g -gdwarf-4 $source -o gcc4"; wait
build gcc5 "g++ -O2 -g -gdwarf-5 $source -o gcc5" &
build gcc_types "g++ -O1 -g -gdwarf-5 -fdebug-types-section $source -o gcc_types"; wait
build gcc_gc "g++ -O2 -g -ffunction-sections -Wl,--gc-sections -gz=zlib $source -o gcc_gc" &
build gcc_lto "g++ -O2 -g -flto $source -o gcc_lto"; wait
build gcc64 "g++ -O2 -g -gdwarf64 $source -o gcc64" &
build gcc_split "g++ -O2 -g -gsplit-dwarf -gdwarf-5 -c $source -o gcc_split.o && g++ gcc_split.o -o gcc_split"; wait
if has clang++; then
	build clang4 "clang++ -O2 -g -gdwarf-4 $source -o clang4" &
	build clang5 "clang++ -O2 -g -gdwarf-5 -Wl,--build-id $source -o clang5"; wait
	build clang_split "clang++ -O2 -g -gdwarf-5 -gsplit-dwarf -c $source -o clang_split.o && clang++ -Wl,--build-id clang_split.o -o clang_split" &
	build clang_split4 "clang++ -O2 -g -gdwarf-4 -gsplit-dwarf -c $source -o clang_split4.o && clang++ -Wl,--build-id clang_split4.o -o clang_split4"; wait
fi
if has clang++ && has ld.lld; then
	build lld "clang++ -O2 -g -gdwarf-5 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections,--icf=all,--build-id=sha1 $source -o lld" &
	build lld4 "clang++ -O1 -g -gdwarf-4 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections,--build-id=sha1 $source -o lld4"; wait
fi
if has rustc; then
	build rust "rustc -O -g -C link-arg=-Wl,--build-id $SRC/tests/elf/words.rs -o rust" &
	build rust_v0 "rustc -O -g -C symbol-mangling-version=v0 -C link-arg=-Wl,--build-id $SRC/tests/elf/words.rs -o rust_v0"; wait
fi
for file in rust rust_v0 gcc2 gcc4 gcc5 gcc_types gcc_gc gcc_lto gcc64 gcc_split clang4 clang5 clang_split clang_split4 lld lld4; do
	chain=99.9
	[ $file = gcc2 ] && chain=50 # has no way to write down a function in several pieces
	[ -f $file ] && compare $file 99.95 $chain ./$file
done
[ -f gcc5 ] && objcopy --only-keep-debug gcc5 gcc5.debug && strip -o gcc5.stripped gcc5 && mkdir -p sym && mv gcc5.debug sym/x &&
	compare debug_file 99.95 99.9 gcc5.stripped -s sym --debug gcc5
if has llvm-dwp && [ -f clang_split ]; then
	cp clang_split clang_dwp && llvm-dwp -e clang_split -o clang_dwp.dwp 2>/dev/null && mkdir -p hidden && mv clang_split.dwo hidden/ &&
		TRUTH_TOOLS=llvm compare clang_dwp 99.95 99.9 ./clang_dwp
fi
if has dwz && [ -f gcc4 ]; then
	# of a supplementary file llvm-symbolizer knows nothing, and addr2line gives
	# the innermost frame the symbol's name
	cp gcc4 dwz_one && cp gcc5 dwz_two && dwz dwz_one && compare dwz 99.95 99.9 ./dwz_one
	cp gcc4 dwz_a && cp gcc2 dwz_b && dwz -m dwz.common dwz_a dwz_b 2>/dev/null && compare dwz_common 99.95 95 ./dwz_a
fi
if has clang && has ld.lld; then
	cat >foreign.c <<-'END'
	static inline __attribute__((always_inline)) int two(int x) { return x * 7; }
	static inline __attribute__((always_inline)) int one(int x) { return two(x) + 3; }
	int f(int x) { if (x > 3) { int y = one(x); return y; } return one(x + 1); }
	int g(int a) { return f(a) + two(a); }
	void _start(void) { f(1); g(2); }
	END
	for target in mips64-linux-gnu aarch64-linux-gnu i386-linux-gnu riscv64-linux-gnu powerpc64le-linux-gnu thumbv7-linux-gnueabi; do
		build $target "clang --target=$target -O1 -g -ffreestanding -nostdlib -fuse-ld=lld -Wl,--build-id=sha1 foreign.c -o $target"
		[ -f $target ] && TRUTH_TOOLS=llvm compare $target 99.95 99.9 ./$target
	done
fi
libc=$(ldd "$probe" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')
id=$(readelf -n "$libc" | sed -n 's/.*Build ID: //p')
[ -f "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ] && compare libc 99.95 99.9 "$libc" --debug "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
compare ourselves 99.95 99.9 "$BUILD/fold-report"
for file in ${TRUTH_FILES:-}; do compare "$(basename "$file")" 99.95 99.9 "$file"; done
exit $failed
