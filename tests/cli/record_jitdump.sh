#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Code that a jitdump tells of has names, also when the dump is gone by the end.  A child
# that generates other code at the place of its parent's is not called like that one.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
${CC:-cc} -O1 -o jit "$SRC/tests/cli/programs/jitdump.c" || exit 1
./jit 0 >pids
[ $? = 77 ] && { echo "needs x86-64"; exit 77; }
failed=0

# what is generated in the child is told in /tmp, where a perf map has to be
clean() { for pid in $(cat pids 2>/dev/null); do rm -f "/tmp/perf-$pid.map"; done; }
trap clean EXIT

of() { # FILE NAME: samples in it
	"$FOLD_REPORT" -q -f folded --by none "$1" | awk -v name="$2" '{ n = $NF; sub(/ [0-9]+$/, ""); if ($0 ~ "(^|;)" name "(;|$)") sum += n } END { print sum + 0 }'
}
for how in "" --aggregate; do
	"$FOLD_RECORD" -q $how -F 499 -f -o x.foldrec -- ./jit 0.4 >>pids || { echo "the program failed"; exit 1; }
	"$FOLD_REPORT" check x.foldrec >/dev/null || { echo "the recording is not right"; failed=1; }
	for name in first second "first or of_the_child"; do
		n=$(of x.foldrec "$name")
		echo "$name $how: $n samples"
		[ "$n" -gt 20 ] || failed=1
	done
done

if command -v node >/dev/null; then
	cat >work.js <<-'END'
	function hot(n) { return n < 2 ? n : hot(n - 1) + hot(n - 2); }
	const end = process.cpuUsage().user + 1e6;
	while (process.cpuUsage().user < end) hot(20);
	END
	"$FOLD_RECORD" -q -F 499 -f -o node.foldrec -- node --perf-prof work.js || exit 1
	n=$("$FOLD_REPORT" -q -f folded node.foldrec | awk '/hot/ { n += $NF } END { print n + 0 }')
	echo "node: $n samples in the function that works"
	[ "$n" -gt 20 ] || { "$FOLD_REPORT" -q -f top node.foldrec | head -n 20; failed=1; }
fi
exit $failed
