#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Two real recordings of a program, one function made 30 % slower in the second:
# diff has it on top as text, as a picture and as a page, by as much as it became
# slower, and nothing else.  Between two recordings of the same, nothing changed.
# What may be chance is judged by the error of counting.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
${CC:-cc} -O1 -g -fno-optimize-sibling-calls -Wl,--build-id -o planted "$SRC/tests/web/planted.c" || exit 1
bad=0
record() { "$FOLD_RECORD" -q -F 4999 --paths full -o "$1.foldrec" -- "$PWD/planted" "${@:2}" || { echo "cannot record $1"; exit 1; }; }
record before 3
record again 3
record slower 3 slower

compare() { "$FOLD_REPORT" diff -q --comm planted "$@"; } # OPTION... BEFORE NOW
for now in again slower; do
	compare -f folded before.foldrec $now.foldrec >$now.folded && compare --top 100 -f diff before.foldrec $now.foldrec >$now.txt || bad=1
done
compare -o slower.svg before.foldrec slower.foldrec && compare -o slower.html before.foldrec slower.foldrec || bad=1
python3 "$SRC/tests/web/planted.py" || bad=1

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no Chromium: the page was not opened"; exit $bad; }
for budget in 2000 10000 50000 250000; do # its time runs ahead of what it unpacks, on a busy machine
	timeout 500 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --user-data-dir="$PWD/profile" --window-size=1200,800 \
		--virtual-time-budget=$budget --dump-dom "file://$PWD/slower.html#view=table" >dom 2>log
	grep -q 'body class="loading"' dom || break
done
python3 - <<'P' || bad=1
import re, sys
rows = re.findall(r'<div class="row".*?</div>', open("dom").read(), re.S)
if not rows:
    sys.exit("the page has no rows")
if "gamma_" not in rows[0] or 'class="change more"' not in rows[0]:
    sys.exit("gamma_ is not on top of the page: " + re.sub(r"<[^>]*>", " ", rows[0]))
P
exit $bad
