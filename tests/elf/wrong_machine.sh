#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Nothing of the reporting machine names what was recorded elsewhere: not another
# build at the same path, not its kernel's symbols, not its perf maps.
set -u
command -v gcc >/dev/null || { echo "needs gcc"; exit 77; }
[ -w /usr/local/bin ] || { echo "cannot write to /usr/local/bin: no path of a program is recorded"; exit 77; }
cat >program.c <<'END'
#include <time.h>
volatile unsigned long sink;
__attribute__((noinline)) void NAME(void) { for (int i = 0; i < 1000000; i++) sink += i * 7; }
int main(void) { while (clock() < CLOCKS_PER_SEC) NAME(); return 0; }
END
build() { gcc -O1 -g -DNAME="$1" -Wl,--build-id program.c -o /usr/local/bin/fold-test-$$ || exit 1; }
pid=none
trap 'rm -f /usr/local/bin/fold-test-$$ /tmp/perf-$pid.map' EXIT
build true_name
cp /usr/local/bin/fold-test-$$ kept
"$FOLD_RECORD" -q --unwind fp -F 199 -o run.foldrec -- /usr/local/bin/fold-test-$$ >log 2>&1 || { cat log; echo "cannot record here"; exit 77; }
failed=0
has() { grep -q "$2" "$1" || { echo "$1 lacks \"$2\":"; head -n 20 "$1"; failed=1; }; }
lacks() { grep -q "$2" "$1" && { echo "$1 has \"$2\":"; grep -m 5 "$2" "$1"; failed=1; }; }

"$FOLD_REPORT" -q run.foldrec >same && has same true_name

build false_name
pid=$("$FOLD_REPORT" -q --by process run.foldrec | sed -n "s/^fold-test-[0-9]*-\([0-9]*\);.*/\1/p" | head -n 1)
[ -n "$pid" ] || { echo "no process in the report"; exit 1; }
echo "0 ffffffffffffffff foreign_map" >"/tmp/perf-$pid.map"
"$FOLD_REPORT" -q run.foldrec >other
lacks other false_name; lacks other true_name; lacks other foreign_map
has other "\[fold-test-$$\]+0x"
"$FOLD_REPORT" missing -q -f json run.foldrec >missing.json; has missing.json '"another build","path":"/usr/local/bin/fold-test-'
offset=$(sed -n "s/.*\(\[fold-test-$$\]+0x[0-9a-f]*\) [0-9]*$/\1/p" other | head -n 1)
"$FOLD_REPORT" explain run.foldrec "$offset" >explained; has explained "refused: another build"; has explained "gnu id"

mkdir -p root/usr/local/bin && cp kept root/usr/local/bin/fold-test-$$
"$FOLD_REPORT" -q --sysroot root run.foldrec >sysroot; has sysroot true_name; lacks sysroot false_name
"$FOLD_REPORT" explain --sysroot root run.foldrec "$offset" >explained; has explained "= true_name"; has explained "program.c:"

if command -v strace >/dev/null && strace -f -e trace=openat -o trace "$FOLD_REPORT" -q run.foldrec >/dev/null 2>&1; then
	lacks trace 'kallsyms'; lacks trace 'perf-[0-9]'
fi
exit $failed
