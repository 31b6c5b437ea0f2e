#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Arrows point one way: record -> format, bpf; report -> format; format knows
# nobody.  Reads the #include "..." lines of each room and fails on any other.
set -u
cd "${SRC:-$(dirname "$0")/..}" || exit 1
bad=0
check() { # ROOM ALLOWED-REGEX: every quoted include, as a path from the top, must match
	local room=$1 allowed=$2 file line path
	while IFS=: read -r file line path; do
		[ -e "$path" ] || path=$line
		if ! [[ $path =~ $allowed ]]; then
			echo "$file includes $line: not allowed in $room"; bad=1
		fi
	done < <(grep -rHoE --include='*.[ch]' '^[ 	]*#[ 	]*include[ 	]+"[^"]+"' "$room" | sed -E 's/#.*"([^"]+)"/\1/; s/:[ 	]*/:/' |
		awk -F: '{ n = split($1, part, "/") - 1; m = split($2, more, "/")
			for (i = 1; i <= m; i++) if (more[i] == "..") n--; else if (more[i] != ".") part[++n] = more[i]
			printf "%s:%s:", $1, $2
			for (i = 1; i <= n; i++) printf "%s%s", part[i], i < n ? "/" : "\n" }')
}
check format '^format/'
check bpf '^bpf/'
check record '^(record|format|bpf)/'
check report/model '^(report/(model|symbols|(infile|log|memory)\.h)|format/)'
check report/rewrite '^(report/(rewrite|model|(infile|log|memory)\.h)|format/)'
check report/symbols '^(report/(model|symbols|log\.h)|format/)'
check report/output '^(report/(model|symbols|output|log\.h)|format/)'
check report '^(report|format)/'
# Only these may use the heavy libraries.
for pair in 'zstd.h:^(format/chunk|report/symbols/)' 'elfutils/libdw.h|dwarf.h:^report/symbols/' 'bpf/libbpf.h:^record/' 'libiberty:^report/symbols/demangle'; do
	header=${pair%%:*} owner=${pair#*:}
	while read -r file; do
		[[ $file =~ $owner ]] || { echo "$file uses <$header>"; bad=1; }
	done < <(grep -rlE --include='*.[ch]' "#[ 	]*include[ 	]*<([a-z]+/)*($header)" format bpf record report)
done
# format/ never prints and never ends the program.
if grep -rnE --include='*.c' '\b(f?printf|puts|fputs|perror|exit|abort|_exit)[ ]*\(' format; then
	echo "format/ must not print or exit"; bad=1
fi
exit $bad
