#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The flame graph in a browser: its script runs without a complaint, draws what the
# address says, and asks nobody for anything.
set -u
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no Chromium"; exit 77; }
python3 "$SRC/tests/cli/spec_recordings.py" || exit 1
"$FOLD_REPORT" -q --no-system -o x.svg events.foldrec || exit 1
bad=0
fail() { echo "$*"; bad=1; }
dom() { # FRAGMENT: the document after its script ran, in dom
	timeout 500 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --user-data-dir="$PWD/profile" --window-size=1100,700 --enable-logging=stderr \
		--virtual-time-budget=2000 --dump-dom "file://$PWD/x.svg$1" >dom 2>log
	grep ':CONSOLE' log && fail "the console has something to say"
	[ -s dom ] || { cat log; fail "no document"; }
}
has() { grep -q "$1" dom || fail "no $1 with $2"; }
shown() { grep '<g class="[^"]*" data-s=' dom | grep -cv 'display: none'; }

dom ''
has 'class="tools"' "plain"
has 'Point at a frame' "plain"
all=$(shown)
[ "$all" -gt 8 ] || fail "only $all frames are drawn"
dom '#search=vfs_read'
has 'Matched 75.00 %' "a search"
dom '#search=do_|vfs_'
has 'Matched 75.00 %' "a search that hits parents and children: nothing counts twice"
dom '#search=DO_SYS&case=ignore'
has 'Matched 75.00 %' "case ignored"
dom '#search=DO_SYS'
has 'Matched 0.00 %' "case minded"
dom '#search=%28'
has 'class="bad"' "a search that is no regular expression"
dom '#zoom=3'
few=$(shown)
[ "$few" -lt "$all" ] || fail "zooming in hides nothing: $few of $all"
has 'class="k[0-9]* parent"' "a zoom: what is above is dimmed"
exit $bad
