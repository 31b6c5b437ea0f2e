#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Exit statuses, where the recording goes, and what is refused before anything is
# recorded.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
failed=0
expect() { # STATUS TEXT-IN-STDERR COMMAND...
	local status=$1 text=$2 rc
	shift 2
	"$@" >out 2>err
	rc=$?
	[ $rc -eq "$status" ] || { echo "status $rc, not $status: $*"; cat err; failed=1; }
	[ -z "$text" ] || grep -qF -- "$text" err || { echo "no '$text' on stderr: $*"; cat err; failed=1; }
}

# a command's status is passed on
expect 0 "samples in" "$FOLD_RECORD" -o a.foldrec -- true
expect 7 "" "$FOLD_RECORD" -q -f -o a.foldrec -- sh -c 'exit 7'
expect 143 "" "$FOLD_RECORD" -q -f -o a.foldrec -- sh -c 'kill -TERM $$'
expect 3 "waiting for sh" "$FOLD_RECORD" -f -d 0.2 -o a.foldrec -- sh -c 'i=0; until grep -q "waiting for" err || [ $((i += 1)) -gt 600 ]; do sleep 0.1; done; exit 3'
"$FOLD_REPORT" -q -f json a.foldrec | grep -q '"reason":"the duration was over"' || { echo "the recording did not end with its duration"; failed=1; }

# its priority is its own: only the recorder goes ahead
for n in 0 5; do
	was=$(nice -n $n nice)
	nice -n $n "$FOLD_RECORD" -q -f -o a.foldrec -- nice >out
	[ "$(cat out)" = "$was" ] || { echo "the command ran with nice $(cat out), not $was"; failed=1; }
done

# a command that cannot be run leaves nothing behind
expect 127 "cannot run ./nothing" "$FOLD_RECORD" -o b.foldrec -- ./nothing
expect 126 "cannot run /etc/passwd" "$FOLD_RECORD" -o b.foldrec -- /etc/passwd
[ -e b.foldrec ] && { echo "a recording of nothing was left behind"; failed=1; }

# the file: private, not over another, not through a link
[ "$(stat -c %a a.foldrec)" = 600 ] || { echo "the recording is not private"; failed=1; }
cp a.foldrec keep
expect 1 "File exists" "$FOLD_RECORD" -d 0.1 -o a.foldrec
cmp -s a.foldrec keep || { echo "an existing file was touched"; failed=1; }
[ ! -w /dev/full ] || expect 1 "cannot write to /dev/full: No space left on device" "$FOLD_RECORD" -d 0.1 -o /dev/full
ln -s target.foldrec link.foldrec
expect 1 "cannot write to link.foldrec" "$FOLD_RECORD" -d 0.1 -o link.foldrec
expect 1 "cannot write to link.foldrec" "$FOLD_RECORD" -f -d 0.1 -o link.foldrec
[ -e target.foldrec ] && { echo "a symbolic link was followed"; failed=1; }
expect 1 "No such file or directory" "$FOLD_RECORD" -d 0.1 -o no/such/place.foldrec
expect 0 "samples in" "$FOLD_RECORD" -d 0.1 -o /dev/null

# stdout: the recording alone, the command's text goes to stderr
expect 0 "said by the command" "$FOLD_RECORD" -o - -- sh -c 'echo said by the command'
"$FOLD_REPORT" -q -f json - <out >/dev/null; [ $? -le 3 ] || { echo "stdout holds no recording"; failed=1; }
grep -q "said by" out && { echo "the command's text is in the recording"; failed=1; }
"$FOLD_RECORD" -q -F 999 -o - -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' | "$FOLD_REPORT" -q -f top - >top || { echo "a pipe to the report failed"; failed=1; }
grep -q "cpu-clock" top || { echo "a pipe to the report gave nothing"; failed=1; }
python3 - "$FOLD_RECORD" <<'P' || { echo "a terminal was written to"; failed=1; }
import os, pty, sys
try:
    pid, fd = pty.fork()
except OSError as e:
    print("no terminal to be had here:", e)
    sys.exit(0)
if not pid:
    os.execv(sys.argv[1], [sys.argv[1], "-d", "0.1", "-o", "-"])
text = b""
try:
    while True:
        text += os.read(fd, 4096)
except OSError:
    pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(status != 1 or b"terminal" not in text or b"FOLD" in text)
P

# wrong usage
expect 2 "exclude each other" "$FOLD_RECORD" -K -U
expect 2 "exclude each other" "$FOLD_RECORD" -p 1 -- true
expect 2 "is not a number from 1 to" "$FOLD_RECORD" -F 0
expect 2 "is not a number from 1 to" "$FOLD_RECORD" -F 99x
expect 2 "is not a time" "$FOLD_RECORD" -d soon
expect 2 'pid: "12,x" is not a list of' "$FOLD_RECORD" -p 12,x
expect 2 "is not a name" "$FOLD_RECORD" -o ""
expect 2 "an empty word" "$FOLD_RECORD" -o e.foldrec -- ""
expect 2 "is not system, base or full" "$FOLD_RECORD" --paths some
expect 2 "--help" "$FOLD_RECORD" --no-such-option
expect 1 "there is no CPU 65000" "$FOLD_RECORD" -C 65000 -d 0.1 -f -o a.foldrec
expect 1 "there is no process 4194303" "$FOLD_RECORD" -p 4194303 -d 0.1 -f -o a.foldrec
expect 0 "" "$FOLD_RECORD" --help
grep -q -- "--test-table-size" out || { echo "--help does not tell all options"; failed=1; }
awk 'length > 80' out | grep . && { echo "--help is wider than 80 columns"; failed=1; }
expect 0 "" "$FOLD_RECORD" --version

# a recording that holds nothing says so, and how to get something
"$FOLD_RECORD" -F 1 -f -o none.foldrec -- true 2>err || failed=1
! grep -q " 0 samples" err || grep -q "warning: no samples.*larger -F" err || { echo "an empty recording is not told of:"; cat err; failed=1; }
exit $failed
