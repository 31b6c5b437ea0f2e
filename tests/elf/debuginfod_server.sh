#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A real debuginfod with the debug file of this machine's libc: names and lines
# come from it; stopped, killed or with other content in the file it takes bounded
# time, says what is wrong, and leaves the names of other sources intact.
# The server listens on all addresses, so all of this has a network of its own.
set -u
probe=$BUILD/tests/unit/report_symbols_probe
[ -x "$probe" ] || { echo "$probe is not built"; exit 77; }
for tool in debuginfod unshare ip python3; do command -v $tool >/dev/null || { echo "needs $tool"; exit 77; }; done
/sbin/ldconfig -p | grep -q libdebuginfod.so.1 || { echo "needs libdebuginfod.so.1"; exit 77; }
if [ -z "${FOLD_OWN_NETWORK:-}" ]; then
	unshare -rn true 2>/dev/null || { echo "needs a network namespace"; exit 77; }
	FOLD_OWN_NETWORK=1 exec unshare -rn "$0"
fi
ip link set lo up || { echo "needs a loopback device"; exit 77; }
libc=$(ldd "$probe" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')
id=$(readelf -n "$libc" | sed -n 's/.*Build ID: //p')
debug=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
[ -f "$debug" ] || { echo "needs libc6-dbg"; exit 77; }
mkdir files sym && cp -L "$libc" sym/libc.so.6 && cp "$debug" files/libc.debug
hidden=$(nm "$debug" | sed -n 's/ t _int_malloc$//p')
exported=$(nm -D "$libc" | sed -n 's/ T malloc@@.*//p')
[ -n "$hidden" ] && [ -n "$exported" ] || { echo "this libc has no _int_malloc"; exit 77; }

debuginfod -p 8002 -d "$PWD/index.sqlite" -F "$PWD/files" >log 2>&1 &
server=$!
trap 'kill -CONT $server; kill $server' EXIT 2>/dev/null
url=http://127.0.0.1:8002
python3 - "$url/buildid/$id/debuginfo" <<-'END' || { tail log; exit 1; }
	import sys, time, urllib.request
	for _ in range(300):
	    try:
	        urllib.request.urlopen(sys.argv[1], timeout=10).read()
	        sys.exit()
	    except OSError as error:
	        time.sleep(0.2)
	sys.exit('the server has not indexed the file: %s' % error)
END

failed=0
ask() { # WHAT EXPECTED [OPTION...]: names and lines of both functions
	local what=$1 expected=$2 got; shift 2
	got=$(printf '%s\n%s\n' "$hidden" "$exported" | DEBUGINFOD_URLS=$url DEBUGINFOD_CACHE_PATH=$PWD/cache DEBUGINFOD_TIMEOUT=3 \
		timeout 120 "$probe" -n -d -l -s sym "$@" "$libc" 2>err | grep -v ^0x | sed 's,[^ ]*/,,' | tr '\n' ' ')
	[[ $got =~ ^$expected\ $ ]] && return
	echo "$what: \"$got\", not \"$expected\""; cat err; failed=1
}
has() { grep -q "$1" err || { echo "nothing says \"$1\":"; cat err; failed=1; }; }

ask "good server" '_int_malloc malloc.c:[0-9]+ malloc malloc.c:[0-9]+'
rm -rf cache
kill -STOP $server
ask "silent server" '\?\? \?\?:0 malloc \?\?:0'; has "does not answer"
kill -CONT $server
rm -rf cache
ask "server that came back" '_int_malloc malloc.c:[0-9]+ malloc malloc.c:[0-9]+'
rm -rf cache
cp "$probe" other && touch -r files/libc.debug other && cat other >files/libc.debug && touch -r other files/libc.debug
ask "other content" '\?\? \?\?:0 malloc \?\?:0'; has "another file"
[ -z "$(find cache -type f -name debuginfo -size +0)" ] || { echo "the wrong file was kept for the next report"; failed=1; }
rm -rf cache
kill $server; wait $server 2>/dev/null
ask "killed server" '\?\? \?\?:0 malloc \?\?:0'; has "does not answer"
trap - EXIT
exit $failed
