#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# debuginfod: names come from a good server; a server that is absent, broken,
# slow or lies costs bounded time, is asked once and leaves other names intact;
# no server is asked without --debuginfod.
set -u
probe=$BUILD/tests/unit/report_symbols_probe
[ -x "$probe" ] || { echo "$probe is not built"; exit 77; }
for tool in python3 gcc; do command -v $tool >/dev/null || { echo "needs $tool"; exit 77; }; done
/sbin/ldconfig -p | grep -q libdebuginfod.so.1 || { echo "needs libdebuginfod.so.1"; exit 77; }
python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); socket.create_connection(s.getsockname(), 60)' 2>/dev/null || { echo "no loopback device"; exit 77; }
gcc -O1 -g -shared -fPIC "$SRC/tests/elf/zoo.c" -o full && objcopy --only-keep-debug full debug && strip -o prog full || exit 1
address=$(nm full | sed -n 's/ t inner$//p')
exported=$(nm -D prog | sed -n 's/ T outer$//p')
id=$(readelf -n full | sed -n 's/.*Build ID: //p')
failed=0 servers=()
trap 'for p in "${servers[@]}"; do kill $p; done 2>/dev/null' EXIT

start() { # MODE: sets url
	python3 "$SRC/tests/elf/debuginfod.py" "$1" debug "$id" >"port.$1" 2>"asked.$1" &
	servers+=($!)
	for _ in $(seq 600); do [ -s "port.$1" ] && break; sleep 0.1; done
	url=http://127.0.0.1:$(cat "port.$1")
}
name() { # URLS [OPTION...]: name of the internal function, and of an exported one
	local urls=$1; shift
	rm -rf cache # a server that answers has time, also on a busy machine
	printf '%s\n%s\n' "$address" "$exported" | DEBUGINFOD_URLS=$urls DEBUGINFOD_CACHE_PATH=$PWD/cache DEBUGINFOD_TIMEOUT=$patience \
		timeout 300 "$probe" "$@" "$PWD/prog" 2>err | sed -n '2p;4p' | tr '\n' ' '
}
want() { # WHAT GOT EXPECTED
	[ "$2" = "$3" ] && return
	echo "$1: \"$2\", not \"$3\""; cat err; failed=1
}

patience=60
start good; good=$url
want "good server" "$(name "$good" -d)" "inner outer "
want "not asked for" "$(name "$good")" "?? outer "
[ "$(wc -l <asked.good)" = 2 ] || { echo "asked without --debuginfod:"; cat asked.good; failed=1; }
for mode in wrong broken slow empty; do
	start $mode
	[ $mode != slow ] || patience=4
	want "$mode server" "$(name "$url" -d)" "?? outer "
	# of a liar and an honest one, the first to answer is believed until the id is compared
	[ $mode = wrong ] || want "$mode server before a good one" "$(name "$url $good" -d)" "inner outer "
	patience=60
done
want "no server" "$(name http://127.0.0.1:1 -d)" "?? outer "
grep -q 'does not answer' err || { echo "nothing says that the server is gone"; cat err; failed=1; }
want "no server before a good one" "$(name "http://127.0.0.1:1 $good" -d)" "inner outer "
name "" -d >/dev/null
grep -q 'names no server' err || { echo "nothing says that there are no servers"; failed=1; }
exit $failed
