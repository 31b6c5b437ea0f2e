#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The damage campaign of tests/unit/report_damage.c over recordings made here and now:
# generated ones, and of this machine where BPF is to be had.
#   FOLD_DAMAGE=long [SEEDS=N] tests/cli/report_damage.sh    by hand: larger ones, every byte changed
set -u
campaign=$BUILD/tests/unit/report_damage gen=$BUILD/tests/gen/gen
for tool in "$campaign" "$gen"; do [ -x "$tool" ] || { echo "$tool is not built"; exit 77; }; done
long=$([ "${FOLD_DAMAGE:-}" = long ] && echo yes)
limit=${long:+30000} seeds=${SEEDS:-${long:+100}}

for seed in $(seq "${seeds:-12}"); do # unusual ones: several recordings in a file, every section, odd kinds
	"$gen" --seed "$seed" unusual-$seed.foldrec || exit 1
	[ "$(stat -c %s unusual-$seed.foldrec)" -le "${limit:-6000}" ] || rm unusual-$seed.foldrec
done
"$gen" --samples 400 --stacks 30 --threads 5 --rows 100 ordinary.foldrec || exit 1
"$gen" --samples 4000 --stacks 30 --threads 5 --rows 1000 --aggregate aggregated.foldrec || exit 1
[ -z "$long" ] || "$gen" --samples 3000 --stacks 300 --threads 20 --rows 400 larger.foldrec || exit 1

work='import json, time; end = time.process_time() + 1
while time.process_time() < end: sorted(json.loads(json.dumps(list(range(2000)))), key=str)'
if "$FOLD_RECORD" -q -F 99 -o command-now.foldrec -- python3 -c "$work" 2>err; then
	"$FOLD_RECORD" -q -F 299 --unwind fp -o frame-pointers-now.foldrec -- python3 -c "$work" || exit 1
	python3 -c "$work" & # an idle machine has no samples
	"$FOLD_RECORD" -q -F 997 --aggregate -d 0.6 -o system-aggregated-now.foldrec || exit 1
	"$FOLD_RECORD" -q -F 49 -d 0.6 -o system-now.foldrec || exit 1
	wait
	[ -n "$long" ] || find . -name '*-now.foldrec' -size +24k -delete
else
	echo "no recordings of this machine: $(tail -n 1 err)"
fi
"$campaign" ./*.foldrec
