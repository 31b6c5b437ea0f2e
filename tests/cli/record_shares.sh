#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A C++ program with frame pointers and known shares gets its names and shares,
# reported on a copy of its tree (--sysroot), from a debug file beside the
# stripped program, and from the debug file alone.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
mkdir -p host/opt/ring
${CXX:-c++} -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id -o host/opt/ring/shares "$SRC/tests/cli/programs/shares.cc" || exit 1
"$FOLD_RECORD" -q -F 1999 --paths full -o x.foldrec -- "$PWD/host/opt/ring/shares" 50 || exit 1

judge() { # WHAT FOLD-REPORT-ARGUMENT...: names, structure and shares
	local what=$1; shift
	"$FOLD_REPORT" -q --comm shares "$@" x.foldrec >out.folded || return 1
	python3 - "$what" <<'P'
import math, sys
total, shares, bad = 0, {"half": 0, "third": 0, "sixth": 0}, 0
names = {"void ring::half<long>(long)": "half", "ring::third(long)": "third", "ring::sixth(long)": "sixth"}
for line in open("out.folded"):
    stack, count = line.rsplit(" ", 1)
    frames = stack.split(";")
    for frame in frames:
        if frame in names:
            at = frames.index(frame)
            if frames[at - 2 : at] != ["main", "ring::turn(long)"]:
                print("not called by main, ring::turn:", stack); bad = 1
            shares[names[frame]] += int(count)
            total += int(count)
if total < 500:
    sys.exit("%s: only %d samples in the three functions" % (sys.argv[1], total))
for name, want in (("half", 1 / 2), ("third", 1 / 3), ("sixth", 1 / 6)):
    got = shares[name] / total
    # six standard errors of a binomial share
    limit = 6 * math.sqrt(want * (1 - want) / total)
    print("%s: %s %.4f, want %.4f +- %.4f" % (sys.argv[1], name, got, want, limit))
    bad |= abs(got - want) > limit
sys.exit(bad)
P
}
nothing() { # the honest offsets: no name of the program without its file
	"$FOLD_REPORT" -q --comm shares x.foldrec | grep -q 'ring::' && { echo "a name without the file it comes from"; return 1; }
	"$FOLD_REPORT" -q --comm shares x.foldrec | grep -q '\[shares\]+0x' || { echo "no offset of the program"; return 1; }
}
cp -r host copy
objcopy --only-keep-debug host/opt/ring/shares shares.debug
strip -o shares.stripped host/opt/ring/shares
id=$(readelf -n host/opt/ring/shares | sed -n 's/.*Build ID: //p')
rm -rf host
nothing || exit 1
mkdir -p both/.build-id/"${id:0:2}" alone
mkdir -p "sysroot$PWD/host/opt/ring"
cp copy/opt/ring/shares "sysroot$PWD/host/opt/ring/shares"
judge "copy of the tree" --sysroot sysroot || exit 1
cp shares.debug both/.build-id/"${id:0:2}/${id:2}.debug"
cp shares.stripped both/shares
judge "stripped and debug file" --symbols both || exit 1
cp shares.debug alone/
judge "debug file alone" --symbols alone || exit 1
# The same name, another program: its names must not appear.
mkdir other
${CXX:-c++} -O2 -DOTHER -fno-omit-frame-pointer -Wl,--build-id -o other/shares "$SRC/tests/cli/programs/shares.cc" || exit 1
"$FOLD_REPORT" -q --comm shares --symbols other x.foldrec | grep -q 'ring::' && { echo "names of another build"; exit 1; }
exit 0
