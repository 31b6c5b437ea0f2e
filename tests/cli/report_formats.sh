#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Every format of every worked recording: same bytes twice, well-formed, and the
# same sum everywhere.
set -u
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 "$SRC/tests/cli/spec_recordings.py" || exit 1
bad=0
fail() { echo "$*"; bad=1; }
formats=$("$FOLD_REPORT" --help | sed -n '/^Formats:/,/^$/p' | awk 'NR > 1 && NF { print $1 }')
[ "$(echo "$formats" | wc -l)" -ge 5 ] || fail "--help lists too few formats: $formats"
report() { "$FOLD_REPORT" -q --no-system "$@"; }

[ -e events.foldrec ] || fail "no worked recordings"
for file in *.foldrec; do
	for event in $(report -f json "$file" | python3 -c 'import json, sys
for event in json.load(sys.stdin)["events"]: print(event["name"])'); do
		for format in $formats; do
			[ "$format" != diff ] || continue
			report -f "$format" --event "$event" -o one "$file"; rc=$?
			[ $rc -eq 0 ] || fail "$file $event $format: exit $rc"
			report -f "$format" --event "$event" "$file" >two
			cmp one two || fail "$file $event $format: two runs differ"
			cp one "one.$format"
			rm one
		done
		for picture in one.svg one.heatmap-svg; do
			python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' $picture || fail "$file $event: $picture"
		done
		python3 "$SRC/tests/cli/exchange.py" one || fail "$file $event: formats for other tools"
		LC_ALL=C sort -c one.folded || fail "$file $event: folded lines are not sorted"
		sum=$(awk '{ sum += $NF } END { printf "%.0f", sum }' one.folded)
		total=$(python3 -c 'import json, sys; print("%.0f" % json.load(sys.stdin)["trees"][0]["total"])' <one.json)
		[ "$sum" = "$total" ] || fail "$file $event: folded has $sum, JSON $total"
	done
	for format in diff folded svg html json; do
		"$FOLD_REPORT" diff -q --no-system --event "$event" -f $format -o "diff.$format" "$file" "$file" || fail "$file: diff -f $format"
	done
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' diff.svg || fail "$file: SVG of a comparison"
	awk '$NF != $(NF - 1) { bad = 1 } END { exit bad }' diff.folded || fail "$file: differs from itself"
	grep -q "nothing changed" diff.diff || fail "$file: a change to itself"
	"$FOLD_REPORT" --schema >schema.json || fail "--schema"
	python3 "$SRC/tests/cli/json_schema.py" schema.json diff.json || fail "$file: JSON of a comparison is not as its schema says"
	python3 -c 'import json, sys; d = json.load(sys.stdin)["trees"][0]["difference"]; sys.exit(any(map(abs, d["total_sigma"])))' <diff.json || fail "$file: JSON: differs from itself"
	report -f json -o all.json "$file"
	python3 "$SRC/tests/cli/json_schema.py" schema.json all.json || fail "$file: JSON is not as its schema says"
done
exit $bad
