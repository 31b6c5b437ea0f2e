#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Names alone, and names with inlined functions and lines, of the same addresses by
# each tool that is installed: CPU seconds (user + system), peak memory.
#   tests/bench/symbols.sh [FILE[=DEBUGFILE]...]   default: libc, and the largest debug file at hand
#   BENCH_ADDRESSES="1 10000"   BENCH_RUNS=3: the median is shown
set -u
SRC=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$SRC/build}
probe=$BUILD/tests/unit/report_symbols_probe
[ -x "$probe" ] || { echo "build $probe first"; exit 77; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
runs=${BENCH_RUNS:-3}

debug_of() { # FILE: its debug file below /usr/lib/debug
	local id; id=$(readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p' | head -n 1)
	local file=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
	[ -f "$file" ] && echo "$file" || echo "$1"
}
cost() { # COMMAND... <ADDRESSES: "CPU-seconds KiB", the median of the runs
	local i; cat >"$work/in"
	for i in $(seq "$runs"); do
		/usr/bin/env python3 - "$@" <<-'END'
		import resource, subprocess, sys, os
		with open(os.environ['IN']) as given:
		    subprocess.run(sys.argv[1:], stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
		u = resource.getrusage(resource.RUSAGE_CHILDREN)
		print('%.3f %d' % (u.ru_utime + u.ru_stime, u.ru_maxrss))
		END
	done | sort -n | sed -n "$(((runs + 1) / 2))p"
}
row() { # NAME N COMMAND...
	local name=$1 n=$2; shift 2
	command -v "$1" >/dev/null || return
	set -- $(IN=$work/addresses cost "$@" <"$work/addresses") 
	printf '  %-28s %8s addresses %9.3f s CPU %9.0f addresses/s %7d MiB\n' "$name" "$n" "$1" "$(awk "BEGIN{print $n/($1>0?$1:0.001)}")" "$(($2 / 1024))"
}
compare() { # FILE DEBUGFILE
	local n where=()
	[[ $2 == /usr/lib/debug/* ]] || where=(-s "$(dirname "$2")")
	echo "$1 ($(stat -Lc %s "$2" | awk '{printf "%.0f", $1/1048576}') MiB of debug file)"
	for n in ${BENCH_ADDRESSES:-1 10000}; do
		python3 - "$2" "$n" >"$work/addresses" <<-'END'
		import random, subprocess, sys
		f = [(int(p[0], 16), int(p[1], 16)) for p in (l.split(None, 3) for l in
		     subprocess.run(['nm', '-S', '--defined-only', sys.argv[1]], capture_output=True, text=True, errors='replace').stdout.splitlines())
		     if len(p) == 4 and p[2] in 'tTwW' and int(p[1], 16)]
		r = random.Random(7)
		for a, size in r.choices(f, [x[1] for x in f], k=int(sys.argv[2])): print(hex(a + r.randrange(size)))
		END
		row "names: fold-report" "$n" "$probe" "${where[@]}" "$1"
		row "names: llvm-symbolizer" "$n" llvm-symbolizer --output-style=GNU -f --no-inlines -e "$2"
		row "names: eu-addr2line -S" "$((n > 1000 ? 1000 : n))" bash -c "head -n 1000 | eu-addr2line -S -e '$2'"
		row "all: fold-report" "$n" "$probe" -i -l "${where[@]}" "$1"
		row "all: llvm-symbolizer" "$n" llvm-symbolizer --output-style=GNU -afi -e "$2"
		row "all: addr2line -afi" "$n" addr2line -afi -e "$2"
		row "all: eu-addr2line -afi" "$((n > 100 ? 100 : n))" bash -c "head -n 100 | eu-addr2line -afi -e '$2'"
	done
}

if [ $# -eq 0 ]; then
	libc=$(ldd "$probe" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')
	set -- "$libc"
	for file in /usr/lib/jvm/*/lib/server/libjvm.so; do
		[ -f "$file" ] && [ "$(debug_of "$file")" != "$file" ] && set -- "$@" "$file"
	done
fi
for file in "$@"; do
	case $file in
	*=*) compare "${file%%=*}" "${file#*=}" ;;
	*) compare "$file" "$(debug_of "$file")" ;;
	esac
done
