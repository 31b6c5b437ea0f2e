#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A recording whose names of threads, modules, symbols and events are markup,
# scripts, escape sequences, separators and broken UTF-8 goes through every output:
# all stay well-formed, and in a browser no name is more than text.
set -u
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
bad=0
fail() { echo "$*"; bad=1; }
judge() { python3 "$SRC/tests/cli/hostile_names.py" "$@" || fail "as $1: ${*:2}"; }
run() { # STATUS ARGUMENTS: stdout to out, stderr to err, which no name may garble
	local want=$1 got
	shift
	"$FOLD_REPORT" "$@" >out 2>err; got=$?
	[ "$got" -eq "$want" ] || { fail "fold-report $*: exit $got, want $want"; cat err; }
	judge text err
}
python3 "$SRC/tests/cli/hostile_names.py" make || exit 1

run 0 check hostile.foldrec; judge text out
grep -q 'valid: 0 violations' out || { fail "the recording is not as it should be"; cat out; }
run 0 dump hostile.foldrec; judge lines out
run 0 info hostile.foldrec; judge text out
run 0 info --strings hostile.foldrec; judge text out
run 1 missing -v --no-system --top 1000 hostile.foldrec; judge text out
run 3 explain --no-system hostile.foldrec "$(printf '\033[2J')+0x10"; judge text out
run 0 explain -v --no-system hostile.foldrec '</script><script>alert(1)+0x110'; judge text out

formats=$("$FOLD_REPORT" --help | sed -n '/^Formats:/,/^$/p' | awk 'NR > 1 && NF { print $1 }')
[ "$(echo "$formats" | wc -l)" -ge 5 ] || fail "--help lists too few formats: $formats"
for format in $formats; do
	for recording in hostile tame; do
		if [ $format = diff ]; then
			run 0 diff -v --no-system -f diff -o $recording.diff $recording.foldrec $recording.foldrec
		else
			run 0 -v --no-system -f $format --min 0 -o $recording.$format $recording.foldrec
		fi
	done
	case $format in
	svg | *-svg) ;;
	html) judge html hostile.html tame.html ;;
	json | speedscope | firefox) judge json hostile.$format ;;
	pprof) ;; # exchange.py decodes it
	*) judge text hostile.$format ;;
	esac
done
judge xml hostile.svg tame.svg
judge folded hostile.folded
python3 "$SRC/tests/cli/exchange.py" hostile || fail "formats for other tools"
for options in "--by thread" "--by process --reverse" "--annotate --offsets" "--no-demangle --unnamed module"; do
	for format in folded svg html json tree; do
		# shellcheck disable=SC2086
		run 0 --no-system $options -f $format -o varied hostile.foldrec
		case $format in
		svg) python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("varied")' || fail "$options: SVG" ;;
		json) judge json varied ;;
		*) judge text varied ;;
		esac
	done
done
for format in folded svg html; do
	run 0 diff --no-system -f $format -o compared.$format tame.foldrec hostile.foldrec
	case $format in
	svg) python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("compared.svg")' || fail "diff: SVG" ;;
	*) judge text compared.$format ;;
	esac
done

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { echo "no Chromium: pages were parsed, not opened"; exit $bad; }
open_page() { # FILE FRAGMENT: its document in dom
	cp "$1" "page.${1##*[.-]}" # a browser knows types by suffix
	for budget in 2000 10000 50000 250000; do # its time runs ahead of what it unpacks, on a busy machine
		timeout 500 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-quic --no-first-run --disable-background-networking \
			--disable-component-update --disable-sync --user-data-dir="$PWD/profile" --window-size=1100,700 --enable-logging=stderr \
			--virtual-time-budget=$budget --dump-dom "file://$PWD/page.${1##*[.-]}$2" >dom 2>log
		grep -q 'body class="loading"' dom || break
	done
	grep ':CONSOLE' log && fail "$1$2: the console has something to say"
	[ -s dom ] || { cat log; fail "$1$2: no document"; }
	judge page dom
}
for page in hostile.svg hostile.heatmap-svg compared.svg 'hostile.html #view=table' 'hostile.html #view=sandwich&frame=1&search=a' \
	'compared.html #view=table'; do
	# shellcheck disable=SC2086
	set -- $page
	open_page "$1" "${2:-}"
done
exit $bad
