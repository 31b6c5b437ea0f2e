#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# As an ordinary user: CAP_BPF and CAP_PERFMON are enough; without one of them the
# message names it and what to do.
set -u
[ "$(id -u)" -eq 0 ] || { echo "needs root to give rights away"; exit 77; }
command -v setpriv >/dev/null || { echo "needs setpriv"; exit 77; }
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
[ "$paranoid" -le 2 ] || { echo "perf_event_paranoid is $paranoid: some kernels want CAP_SYS_ADMIN then"; exit 77; }
setpriv --ambient-caps +bpf true 2>/dev/null || { echo "this setpriv does not know CAP_BPF"; exit 77; }

# where nobody may go and write
open=$(mktemp -d)
trap 'rm -rf "$open"' EXIT
chmod 777 "$open"
cp "$FOLD_RECORD" "$open/fold-record"
cp "$FOLD_REPORT" "$open/fold-report"
cd "$open" || exit 1
as() { # CAPABILITIES COMMAND...
	local caps=$1
	shift
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps="-all$caps" --ambient-caps="-all$caps" -- "$@"
}

for mode in "" --aggregate; do
	rm -f a.foldrec
	sh -c 'while :; do :; done' & # an idle machine has no samples
	busy=$!
	as ,+bpf,+perfmon ./fold-record -q -F 499 -d 1 $mode -o a.foldrec
	status=$?
	kill $busy
	wait $busy 2>/dev/null
	[ $status -eq 0 ] || { echo "not recorded with CAP_BPF and CAP_PERFMON"; exit 1; }
	as "" ./fold-report -q -f json a.foldrec >a.json || exit 1
	grep -q '"sum_closes":true' a.json || { echo "the sum does not close"; exit 1; }
done
rm -f a.foldrec
as ,+bpf,+perfmon ./fold-record -q -F 499 -o a.foldrec -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 9'
[ $? -eq 9 ] || { echo "a command was not recorded with CAP_BPF and CAP_PERFMON"; exit 1; }

# kernel functions have their names also for who may not see their addresses
if as ,+bpf,+perfmon head -n 100 /proc/kallsyms | grep -qv '^0* '; then
	echo "an ordinary user sees kernel addresses here: names without them are not tried"
else
	rm -f a.foldrec
	as ,+bpf,+perfmon ./fold-record -v -K -F 999 -o a.foldrec -- dd if=/dev/zero of=/dev/null bs=1M count=8000 status=none 2>said || { cat said; exit 1; }
	if grep -q "kernel functions have no names here" said; then
		grep "no names here" said
	else
		./fold-report -q -f folded a.foldrec | awk '{ n += $NF } /read_zero|clear_user|rep_stos/ { known += $NF } END { print known + 0 " of " n " samples in the function that makes zeros"; exit !(known > n / 2) }' ||
			{ echo "kernel functions have no names"; exit 1; }
		./fold-report dump a.foldrec | grep -qE '0xffff|"name":"0x' && { echo "an address is in the recording"; exit 1; }
	fi
fi

refused() { # CAPABILITIES TEXT
	as "$1" ./fold-record -d 0.1 -o b.foldrec 2>said
	[ $? -eq 1 ] || { echo "recorded with '$1'"; exit 1; }
	grep -q "$2" said && grep -q "run as root, or grant both with setcap" said || { echo "with '$1' it does not say that $2:"; cat said; exit 1; }
	[ -e b.foldrec ] && { echo "an empty recording was left behind"; exit 1; }
	as "$1" ./fold-record --check >check && { echo "--check is content with '$1'"; exit 1; }
	grep -q "^NO .*recording the whole machine.*$2" check || { echo "--check with '$1' does not say that $2:"; cat check; exit 1; }
}
refused "" "CAP_BPF and CAP_PERFMON are missing"
refused ,+bpf "CAP_PERFMON is missing"
refused ,+perfmon "CAP_BPF is missing"
as ,+bpf,+perfmon ./fold-record --check >check || { echo "--check is not content with both:"; cat check; exit 1; }
grep -q "^[okNO]* .*whole user stacks, by unwind tables" check || { echo "--check does not tell how stacks are walked:"; cat check; exit 1; }
grep -q "^ok .*recording the whole machine" check
