#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# 100,000 random addresses of each large program at hand against eu-addr2line,
# llvm-symbolizer and addr2line, with every kind of difference and its share.  By
# hand: minutes for each.  tests/elf/truth.sh is the short form.
#   tests/bench/truth.sh all | FILE[=DEBUGFILE]...
#     all: libc, python3, a JVM, each with debug files; a Rust and a Go program, made here
#   TRUTH_ADDRESSES=100000  TRUTH_EU=1000 of them for eu-addr2line -i (names: all)  TRUTH_JUDGE=500 disputed ones for judge.py
#   TRUTH_OTHER=NAME=COMMAND  one more, that is asked and answers like addr2line -afi
# A file called vmlinux* is a kernel.
set -u
SRC=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$SRC/build}
probe=$BUILD/tests/unit/report_symbols_probe
[ -x "$probe" ] || { echo "build $probe first"; exit 77; }
[ $# -gt 0 ] || { echo "by hand: $0 all | FILE[=DEBUGFILE]..."; exit 77; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python=python3 judge=${TRUTH_JUDGE:-500}
for p in python3 /usr/bin/python3; do "$p" -c 'import elftools' 2>/dev/null && python=$p && break; done
"$python" -c 'import elftools' 2>/dev/null || { judge=0; echo "# without judge.py: needs pyelftools"; }

debug_of() { # FILE: its debug file below /usr/lib/debug
	local id; id=$(readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p' | head -n 1)
	local file=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
	[ -f "$file" ] && echo "$file"
}
compare() { # FILE DEBUGFILE
	local options=(--eu-names)
	[ -n "${TRUTH_OTHER:-}" ] && options+=(--other "$TRUTH_OTHER")
	[[ $2 == /usr/lib/debug/* || $1 == "$2" ]] || options+=(-s "$(dirname "$2")")
	[[ $(basename "$1") == vmlinux* ]] && options+=(-k)
	"$python" "$SRC/tests/elf/compare.py" "$probe" "$1" --debug "$2" "${options[@]}" -n "${TRUTH_ADDRESSES:-100000}" \
		--eu-max "${TRUTH_EU:-1000}" --judge "$judge" --classes 1
	echo
}
if [ "$*" = all ]; then
	shift
	for file in "$(ldd "$probe" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')" "$(readlink -f /usr/bin/python3)" /usr/bin/python3-dbg $(readlink -f /usr/lib/jvm/*/lib/server/libjvm.so | sort -u); do
		[ -f "$file" ] && debug=$(debug_of "$file") && set -- "$@" "$file=$debug"
		[ "$file" = /usr/bin/python3-dbg ] && [ -f "$file" ] && set -- "$@" "$file"
	done
	command -v rustc >/dev/null && rustc -O -g -C link-arg=-Wl,--build-id -o "$work/rust" "$SRC/tests/elf/words.rs" && set -- "$@" "$work/rust"
	command -v go >/dev/null && (cd "$work" && GOFLAGS=-buildvcs=false GOCACHE=$work/cache go build -o "$work/go" cmd/compile) && set -- "$@" "$work/go"
fi
for file in "$@"; do
	case $file in
	*=*) compare "${file%%=*}" "${file#*=}" ;;
	*) compare "$file" "$file" ;;
	esac
done
