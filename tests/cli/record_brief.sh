#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Processes and threads that live for less than a period, of a command and of a given
# process: they have their share of samples, and nobody else's are with them.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
"$FOLD_RECORD" -v -o how.foldrec -- true 2>err
grep -q "sampling all CPUs" err || { echo "this kernel cannot pick out processes: $(grep 'of its own' err)"; exit 77; }
${CC:-cc} -O1 -o brief "$SRC/tests/cli/programs/brief.c" -lpthread || exit 1
failed=0

count() { # FILE: samples of brief; 0 if there are others'
	"$FOLD_REPORT" -q --by comm -f folded "$1" >folded
	awk '/^brief;/ { n += $NF; next } { print "of somebody else: " $0 >"/dev/stderr"; bad = 1 } END { print bad ? 0 : n + 0 }' folded
}
rate=293 # a period of more than 3 ms, and in step with nobody's tick
expect() { # NAME SAMPLES CPU-SECONDS: within six standard deviations
	awk -v n="$2" -v s="$3" -v name="$1" -v rate=$rate 'BEGIN {
		want = rate * s
		print name ": " n " samples, wanted " want
		exit (n - want) ^ 2 > 36 * want
	}' || failed=1
}

# somebody else is busy meanwhile
cp brief other
./other threads 100000 >/dev/null &
other=$!
trap 'kill $other' EXIT

for how in "" --aggregate; do
	"$FOLD_RECORD" -q -F $rate $how -f -o command.foldrec -- ./brief processes 400 >cpu || exit 1
	expect "processes of a command $how" "$(count command.foldrec)" "$(cat cpu)"
done

for kind in processes threads; do
	./brief $kind 400 go >cpu &
	pid=$!
	"$FOLD_RECORD" -F $rate -p $pid -o pid.foldrec -f 2>$kind.said &
	recorder=$!
	for i in $(seq 3000); do grep -q recording $kind.said && break; sleep 0.1; done
	touch go
	wait $pid
	wait $recorder || { cat $kind.said; exit 1; }
	rm go
	expect "$kind of a given process" "$(count pid.foldrec)" "$(cat cpu)"
done

# what was left out is told, and the sum closes
"$FOLD_REPORT" check command.foldrec >/dev/null || { echo "the recording is not right"; failed=1; }
"$FOLD_REPORT" -q -f json command.foldrec | grep -q '"text":"[^"]*not asked for"' || { echo "samples of others were not counted"; failed=1; }

"$FOLD_REPORT" info command.foldrec | grep 'not asked for' | grep '%' && { echo "what was not taken has a share of what was"; failed=1; }

# where the kernel cannot do it there is another way, which sees next to nothing of this
"$FOLD_RECORD" -q --test-inherit -F $rate -o inherit.foldrec -- ./brief processes 100 >cpu || exit 1
echo "with inherited events: $(count inherit.foldrec) samples, wanted $(awk -v rate=$rate '{ print rate * $1 }' cpu)"
exit $failed
