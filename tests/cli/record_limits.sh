#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What the host does not allow is clamped and told; a kernel without type
# information is recorded all the same.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
rate=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
depth=$(cat /proc/sys/kernel/perf_event_max_stack)

# nothing but `true` runs at that rate: on all CPUs it leaves no time for anything else
if [ "$rate" -lt 1000000 ]; then
	"$FOLD_RECORD" -F 1000000 --test-inherit -o rate.foldrec -- true 2>said || { cat said; exit 1; }
	# the kernel itself may lower it meanwhile
	grep -q "warning: sampling at [0-9]* Hz instead of 1000000.*perf_event_max_sample_rate" said || { echo "a clamped rate is not told:"; cat said; exit 1; }
	told=$(sed -n 's/.*sampling at \([0-9]*\) Hz.*/\1/p' said)
	"$FOLD_REPORT" dump rate.foldrec | grep -q "\"period\":$told," || { echo "the recording does not have the clamped rate $told"; exit 1; }
fi
if [ "$depth" -lt 1024 ]; then
	"$FOLD_RECORD" --unwind fp --max-depth 1024 -o depth.foldrec -- true 2>said || { cat said; exit 1; }
	grep -q "warning: keeping $depth frames of a stack instead of 1024.*perf_event_max_stack" said || { echo "a clamped depth is not told:"; cat said; exit 1; }
fi
"$FOLD_RECORD" -F 99 --max-depth 8 -o quiet.foldrec -- true 2>said || { cat said; exit 1; }
grep warning said | grep -v "no samples" && { echo "a warning about nothing:"; cat said; exit 1; }

# nobody's BTF: an empty directory where it would be
if [ "$(id -u)" -eq 0 ] && [ -d /sys/kernel/btf ] && unshare -m true 2>/dev/null; then
	cat >nobtf.sh <<'N'
mount -t tmpfs none /sys/kernel/btf || exit 1
[ -z "$(ls /sys/kernel/btf)" ] || exit 1
"$FOLD_RECORD" -q -F 499 -o nobtf.foldrec -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done' || exit 1
"$FOLD_RECORD" -q -F 499 --aggregate -o nobtf2.foldrec -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done' || exit 1
N
	unshare -m sh ./nobtf.sh 2>said || { echo "not recorded without BTF:"; cat said; exit 1; }
	for f in nobtf.foldrec nobtf2.foldrec; do
		"$FOLD_REPORT" -q -f json $f | grep -q '"sum_closes":true' || { echo "$f: the sum does not close"; exit 1; }
	done
else
	echo "no mount namespace here: a kernel without BTF was not tried"
fi
