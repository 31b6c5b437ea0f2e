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
		args=(-v) seconds=0
		[[ $mode = counts* ]] && args+=(--aggregate)
		[[ $mode = *unwind ]] || args+=(--unwind fp)
		case $size in
		forget) args+=(--test-stack-memory 1) seconds=2.5 ;; # they travel again in the second after
		?*) args+=(--test-table-size "$size") ;;
		esac
		"$FOLD_RECORD" -F 1999 -U --paths full "${args[@]}" -o "$name.foldrec" -- ./chains 0.6 $seconds 2>said >"$name.took" || { cat said; exit 1; }
		grep -o '[0-9]* samples counted in the kernel' said >"$name.counted"
		[ "$size" != forget ] || grep -q "forgot the stacks" said || { echo "no stack was forgotten"; exit 1; }
		"$FOLD_REPORT" -q -f folded -o "$name.folded" "$name.foldrec" || exit 1
		"$FOLD_REPORT" -q -f json -o "$name.json" "$name.foldrec" || exit 1
	done
done

python3 - <<'P'
import json, re, sys
shares, least = {}, 1 << 30
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
        # as little as the builder of tables may be heard, it has begun before the program
        if alone > written / 10:
            sys.exit(f"{name}: {alone} of {written} samples are leaves without callers")
        if lost:
            sys.exit(f"{name}: {lost} samples lost")
        wanted = 1999 * float(open(name + ".took").read())
        if abs(written - wanted) > 6 * wanted ** 0.5:
            sys.exit(f"{name}: {written} samples of about {wanted:.0f}")
        if sum(share.values()) < 0.9 * written:
            sys.exit(f"{name}: only {sum(share.values())} of {written} samples in leaves")
        counted = int((open(name + ".counted").read() or "0").split()[0])
        # a stack's first sample in each thread is not; after forgetting, that is many again
        least_counted, most_counted = {"1": (0, 0.5), "4": (0, 0.5), "forget": (0.01, 1), "default": (0.5, 1)}[size]
        if mode.startswith("counts") and not least_counted <= counted / written <= most_counted:
            sys.exit(f"{name}: {counted} of {written} samples were counted in the kernel")
        shares[name] = {k: v / sum(share.values()) for k, v in share.items()}
        least = min(least, sum(share.values()))
        print(name, written, "samples,", counted, "counted,", len(share), "leaves")
# Leaves differ in speed, but not from recording to recording
for name, share in shares.items():
    if len(share) != 60:
        sys.exit(f"{name}: {len(share)} leaves of 60")
    for k, v in share.items():
        mean = sum(s.get(k, 0) for s in shares.values()) / len(shares)
        if abs(v - mean) > 6 * (mean / least) ** 0.5:
            sys.exit(f"{name}: leaf_{k} has a share of {v:.4f}, in all recordings of {mean:.4f}")
P
