#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A ring that runs full loses samples, and every one of them is told.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
burn() { # CPU-SECONDS
	python3 -c '
import json, sys, time
end = time.process_time() + float(sys.argv[1])
while time.process_time() < end:
    json.loads(json.dumps(list(range(1000))))
' "$1"
}
# one slot for known stacks, so that frames travel again and again
"$FOLD_RECORD" -F 4999 --ring-size 64 --test-table-size 1 -o x.foldrec 2>said &
recorder=$!
for i in $(seq 3000); do grep -q recording said && break; sleep 0.1; done
kill -STOP $recorder
burn 1.5
kill -CONT $recorder
burn 0.5
kill -INT $recorder
wait $recorder || { cat said; exit 1; }
grep -q "ring full: [0-9]" said || { echo "a full ring is not told:"; cat said; exit 1; }
! grep -qE "ring full: [0-9]{4}" said || grep -q "warning.*larger --ring-size" said || { echo "no advice:"; cat said; exit 1; }
"$FOLD_REPORT" -q -f json x.foldrec >x.json || exit 1
python3 - <<'P'
import json, sys
r = json.load(open("x.json"))
e, rec = r["events"][0], r["recordings"][0]
lost = sum(c["count"] for c in e["causes"].values() if c["lost"])
print(e["taken"], "taken,", e["written"], "written,", e["lost"], "lost")
if not rec["sum_closes"] or not e["lost"] or e["lost"] != lost or e["taken"] != e["written"] + lost or e["read"] != e["written"]:
    sys.exit(f"the sum does not close: {e}")
if set(k for k, c in e["causes"].items() if c["lost"]) != {"1"}:
    sys.exit(f"lost by other causes: {e['causes']}")
P
