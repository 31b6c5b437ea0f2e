#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Tables of the kernel shrunk to a few entries, stacks forgotten while recording:
# every sample is still there, with the stack that it had, in both modes, walked by
# frame pointers and by tables; and all give the same shares.  Counting is done in the
# kernel unless the tables are small.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
python3 "$SRC/tests/cli/programs/chains.py" 60 >chains.c || exit 1
${CC:-cc} -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o chains chains.c -lpthread || exit 1

for size in 1 4 forget ""; do
	for mode in events unwind counts countsunwind; do
		name=$mode${size:-default}
		args=(-v) seconds=1
		[[ $mode = counts* ]] && args+=(--aggregate)
		[[ $mode = *unwind ]] || args+=(--unwind fp)
		case $size in
		forget) args+=(--test-stack-memory 1) seconds=8 ;;
		?*) args+=(--test-table-size "$size") ;;
		esac
		"$FOLD_RECORD" -F 1999 -U --paths full "${args[@]}" -o "$name.foldrec" -- ./chains $seconds 2>said || { cat said; exit 1; }
		grep -o '[0-9]* samples counted in the kernel' said >"$name.counted"
		[ "$size" != forget ] || grep -q "forgot the stacks" said || { echo "no stack was forgotten"; exit 1; }
		"$FOLD_REPORT" -q -f folded -o "$name.folded" "$name.foldrec" || exit 1
		"$FOLD_REPORT" -q -f json -o "$name.json" "$name.foldrec" || exit 1
	done
done

python3 - <<'P'
import json, re, sys
shares = {}
for size in ("1", "4", "forget", "default"):
    for mode in ("events", "unwind", "counts", "countsunwind"):
        name = mode + size
        report = json.load(open(name + ".json"))
        event, recording = report["events"][0], report["recordings"][0]
        taken, written, lost = event["taken"], event["written"], event["lost"]
        total, alone, share = 0, 0, {}
        for line in open(name + ".folded"):
            stack, n = line.rsplit(" ", 1)
            total += int(n)
            m = re.search(r"leaf_(\d+)$", stack)
            if not m:
                continue
            k = m.group(1)
            share[k] = share.get(k, 0) + int(n)
            # before its frame is set up, a function's caller is not in the chain
            others = set(re.findall(r"(?:leaf|mid|top)_(\d+)", stack)) - {k}
            if others:
                sys.exit(f"{name}: a sample of leaf_{k} has the stack of another: {stack}")
            if not re.search(r"top_|mid_", stack):
                alone += int(n)
        if not recording["sum_closes"] or taken != written + lost or total != written:
            sys.exit(f"{name}: the sum does not close: taken {taken}, written {written}, lost {lost}, shown {total}")
        # tables of a new program take a moment to be built
        if alone > written / 20:
            sys.exit(f"{name}: {alone} of {written} samples are leaves without callers")
        if lost:
            sys.exit(f"{name}: {lost} samples lost")
        # CPU time at 1999 Hz; what begins and ends a thread costs a little
        wanted = 1999 * (8 if size == "forget" else 1)
        if abs(written - wanted) > wanted / 13:
            sys.exit(f"{name}: {written} samples of about {wanted}")
        if sum(share.values()) < 0.9 * written:
            sys.exit(f"{name}: only {sum(share.values())} of {written} samples in leaves")
        counted = int((open(name + ".counted").read() or "0").split()[0])
        if mode.startswith("counts") and (counted < written / 2) != (size in "14"):
            sys.exit(f"{name}: {counted} of {written} samples were counted in the kernel")
        shares[name] = {k: v / sum(share.values()) for k, v in share.items()}
        print(name, written, "samples,", counted, "counted,", len(share), "leaves")
# Leaves differ in speed, but not from recording to recording: some 33 samples each
# in most of them, and five standard deviations and more
for name, share in shares.items():
    if len(share) != 60:
        sys.exit(f"{name}: {len(share)} leaves of 60")
    for k, v in share.items():
        mean = sum(s.get(k, 0) for s in shares.values()) / len(shares)
        if abs(v - mean) > 0.02:
            sys.exit(f"{name}: leaf_{k} has a share of {v:.4f}, in all recordings of {mean:.4f}")
P
