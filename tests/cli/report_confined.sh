#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A report is confined before it opens a recording, for root and others, and still
# does all that it was asked for: files, pipes, debug files of servers.
set -u
for tool in python3 gcc readelf objcopy; do command -v $tool >/dev/null || { echo "needs $tool"; exit 77; }; done
bad=0
fail() { echo "$*"; bad=1; }
here=$PWD
gcc -O1 -g -shared -fPIC -Wl,--build-id "$SRC/tests/elf/zoo.c" -o full && objcopy --only-keep-debug full debug || exit 1
id=$(readelf -n full | sed -n 's/.*Build ID: //p')
address=$(nm full | sed -n 's/ t inner$//p')
segment=$(readelf -lW full | awk '$1 == "LOAD" && /R E/ { print $2, $3, $5, $NF }')
# shellcheck disable=SC2086
python3 - "$id" "$address" $segment <<'END' || exit 1
import os, sys
sys.path.insert(0, os.path.join(os.environ["SRC"], "tests", "spec"))
from build import *
offset, vaddr, size, align = (int(word, 16) for word in sys.argv[3:])
at = int(sys.argv[2], 16) - vaddr + offset
ids = (uv(1) + text(bytes.fromhex(sys.argv[1])),)
modules = uvs(0, 0) + module(kind=0) + module(0x100000, 3, 2, ids, (uvs(offset, vaddr, size, align),))
strings = uv(1) + text(b"a") + text(b"b") + text(b"/opt/nowhere/libzoo.so")
stack = uv(0) + stacks(0, 1, 1, (0x10000 + at + 4) << 2)
batch = definitions(strings=strings, modules=modules, kstacks=None, ustacks=stack)
batch += section(8, 1, column(1, b"\0"), column(3, b"\0"), column(5, sv(1))) + section(10, record(0, 0, 0, 1))
with open("x.foldrec", "wb") as out:
    chunks = [chunk(META, 0, meta()), chunk(BATCH, 1, batch)]
    chunks.append(chunk(END, 2, end_payload(chunks, ((1, 1, 0),))))
    out.write(file_header() + b"".join(chunks))
END
"$FOLD_REPORT" check x.foldrec || fail "the recording is not as it should be"

mkdir symbols out
cp debug symbols/libzoo.so.debug
names() { # WHAT WANTED ARGUMENTS
	local what=$1 wanted=$2
	shift 2
	"$FOLD_REPORT" -v "$@" >names 2>err || fail "$what: exit $?"
	[ -z "$wanted" ] || grep -q "$wanted" names || { fail "$what: no $wanted in:"; cat names err; }
}
names "debug files" "inner 1" --symbols symbols --no-system x.foldrec
names "debug files by a path from the root" "inner 1" --symbols "$here/symbols" --no-system "$here/x.foldrec"
names "no debug files" 'libzoo.so]+0x' --no-system x.foldrec
names "standard input" "inner 1" --symbols symbols - <x.foldrec
names "a pipe with a name" "inner 1" --symbols symbols <(cat x.foldrec)
names "standard input by its path" "inner 1" --symbols symbols /dev/stdin <x.foldrec
ln -s /proc/self/fd/1 link # as /dev/stdout is; that one is everybody's
names "standard output by a link" "inner 1" --symbols symbols -o link -f folded x.foldrec
[ -L link ] || fail "a link was replaced"
"$FOLD_REPORT" -q --symbols symbols -o link -f folded x.foldrec | grep -q "inner 1" || fail "a link to a pipe"
names "no output" "" --symbols symbols -o /dev/null -f folded x.foldrec
names "an output file" "" --symbols symbols -o out/x.folded x.foldrec
names "an output file in the place of another" "" --symbols symbols -o "$here/out/x.folded" x.foldrec
grep -q "inner 1" out/x.folded || fail "-o has no names"
[ "$(find out -type f | wc -l)" = 1 ] || fail "more than the output lies in its directory"

if ! python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); socket.create_connection(s.getsockname(), 60)' 2>/dev/null; then
	echo "no loopback device: servers were not tried"
elif /sbin/ldconfig -p 2>/dev/null | grep -q libdebuginfod.so.1; then
	python3 "$SRC/tests/elf/debuginfod.py" good debug "$id" >port 2>asked &
	server=$!
	trap 'kill $server' EXIT
	for _ in $(seq 600); do [ -s port ] && break; sleep 0.1; done
	export DEBUGINFOD_URLS=http://127.0.0.1:$(cat port) DEBUGINFOD_TIMEOUT=60 DEBUGINFOD_CACHE_PATH=$here/cache
	names "a server" "inner 1" --no-system --debuginfod x.foldrec
	find cache -name debuginfo | grep -q . || fail "nothing was kept in the cache"
	mkdir home
	unset DEBUGINFOD_CACHE_PATH XDG_CACHE_HOME
	export HOME=$here/home
	names "a server, and the cache in the home directory" "inner 1" --no-system --debuginfod x.foldrec
	find home/.cache/debuginfod_client -name debuginfo | grep -q . || fail "nothing was kept in the home directory"
fi

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 . symbols
	chmod 644 x.foldrec
	cp "$FOLD_REPORT" report && chmod 755 report
	setpriv --reuid 65534 --regid 65534 --clear-groups ./report -v --symbols symbols x.foldrec >names 2>err
	grep -q "inner 1" names || { echo "(the directory of this test is not everybody's: not tried as another user)"; [ -r err ] && cat err; }
fi

if command -v strace >/dev/null && strace -o trace true 2>/dev/null && ! nm "$FOLD_REPORT" 2>/dev/null | grep -q __asan_init; then
	for verb in "" info check dump missing; do
		# shellcheck disable=SC2086
		strace -f -o trace "$FOLD_REPORT" $verb x.foldrec >/dev/null 2>&1
		awk '/landlock_restrict_self\(/ { files = 1 } /PR_SET_SECCOMP/ { calls = 1 }
			/open.*"x.foldrec"/ && !/O_PATH/ { opened = 1; if (!files || !calls) bad = 1 } END { exit bad || !opened }' trace ||
			fail "${verb:-report}: the recording is opened before the program is confined"
	done
fi
exit $bad
