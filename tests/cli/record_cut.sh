#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Whatever ends a recording, what was written before is good: a killed recorder, a
# full disk, a reader that goes away.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
size() { stat -c %s "$1" 2>/dev/null || echo 0; }

# something to record, with ever new stacks
python3 -c '
import json, re, time
while True:
    re.sub("[a-m]+", "x", json.dumps({str(i): time.time() for i in range(300)}))
' &
load=$!
trap 'kill $load' EXIT

# ---- kill -9 between batches
"$FOLD_RECORD" -q -F 999 -o killed.foldrec &
pid=$!
for i in $(seq 3000); do # some batches: it grew four times
	now=$(size killed.foldrec)
	[ "$now" -ne "${last:-0}" ] && { last=$now; grown=$((${grown:-0} + 1)); }
	[ "${grown:-0}" -ge 4 ] && break
	sleep 0.1
done
kill -9 $pid
wait $pid 2>/dev/null
"$FOLD_REPORT" -f json -o killed.json killed.foldrec 2>said || { cat said; exit 1; }
python3 - <<'P' || exit 1
import json, sys
r = json.load(open("killed.json"))
rec, event = r["recordings"][0], r["events"][0]
if rec["ended"] or rec["damages"]:
    sys.exit(f"a killed recording is told as {rec}")
if event["read"] < 100 or event["read"] != event["written"] or event["taken"] != event["written"] + event["lost"]:
    sys.exit(f"a killed recording has {event}")
P
grep -q "the end of the recording is missing" said || { echo "the report does not say that the end is missing:"; cat said; exit 1; }

# ---- a disk that fills up: as root in a mount namespace of its own
cat >full.sh <<'F'
mount -t tmpfs -o size=128k none disk || exit 77
"$FOLD_RECORD" -F 4999 --paths full -o disk/full.foldrec -d 500
rc=$?
cp disk/full.foldrec full.foldrec
exit $rc
F
mkdir disk
if unshare -m true 2>/dev/null; then
	unshare -m sh ./full.sh 2>said
	rc=$?
	[ $rc -eq 77 ] && { echo "cannot mount a small disk here"; exit 77; }
	[ $rc -eq 1 ] || { echo "status $rc after a full disk"; cat said; exit 1; }
	grep -q "No space left on device" said || { echo "a full disk is not told:"; cat said; exit 1; }
	"$FOLD_REPORT" -f json -o full.json full.foldrec 2>said
	[ $? -eq 0 ] || { echo "what is on a full disk is not read:"; cat said; exit 1; }
	grep -q "the end of the recording is missing" said || { echo "the report does not say that the end is missing:"; cat said; exit 1; }
else
	echo "no mount namespace here: a full disk was not tried"
fi

# ---- nobody reads any more
"$FOLD_RECORD" -F 999 -d 500 -o - 2>said | head -c 2000 >part.foldrec
rc=${PIPESTATUS[0]}
[ "$rc" -eq 1 ] || { echo "status $rc after a closed pipe"; cat said; exit 1; }
grep -q "nobody reads it any more" said || { echo "a closed pipe is not told:"; cat said; exit 1; }
"$FOLD_REPORT" -q -f json part.foldrec >/dev/null
[ $? -le 3 ] || { echo "the report fell over a part of a recording"; exit 1; }
