#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The command line of fold-report: exit status, where text goes, and that a file
# appears only when it is complete.
set -u
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 "$SRC/tests/cli/spec_recordings.py" || exit 1
bad=0
fail() { echo "$*"; bad=1; }
run() { # STATUS ARGUMENTS: stdout to out, stderr to err
	local want=$1 got
	shift
	"$FOLD_REPORT" "$@" >out 2>err; got=$?
	[ "$got" -eq "$want" ] || { fail "fold-report $*: exit $got, want $want"; cat err; }
}
says() { grep -qe "$1" "${2:-err}" || { fail "no \"$1\" in:"; cat "${2:-err}"; }; }
silent() { [ ! -s "$1" ] || { fail "$1 should be empty:"; head -n 3 "$1"; }; }

# Usage: 2, on stderr, with what is wrong.
run 2; says "no recording given"; silent out
run 2 --nonsense events.foldrec; says "no option --nonsense"
run 2 -Z events.foldrec; says "no option -Z"
run 2 -f nonsense events.foldrec; says 'no format "nonsense"'
run 2 -o x.png events.foldrec; says "choose one with -f"; [ ! -e x.png ] || fail "x.png was made"
run 2 --by nonsense events.foldrec; says "one of comm, process"
run 2 --pid 1,x events.foldrec; says '"1,x" is not a list of numbers'
run 2 --min 101 events.foldrec
run 2 --min-width wide events.foldrec
run 2 --height -3 events.foldrec
run 2 --colors rainbow events.foldrec; says "one of kind|module|hash"
run 2 --top events.foldrec; says '"events.foldrec" is not'
run 2 events.foldrec --top; says "needs an argument"
run 2 --reverse=yes events.foldrec; says "takes no argument"
run 2 --from yesterday events.foldrec; says "is no time"
run 2 diff events.foldrec; says "takes two recordings"
run 2 diff -f top events.foldrec events.foldrec; says "cannot compare"
run 2 -f diff events.foldrec; says "diff BEFORE NOW"
run 2 dump; says "one recording"
run 2 -q info events.foldrec; says "comes before all options"
run 0 -v events.foldrec; says "reading took [0-9.]* s, names"
run 2 -f missing events.foldrec; says "fold-report missing FILE"
run 2 --top -1 events.foldrec; says '"-1" is not a whole number'
run 2 --min-width wide events.foldrec; says "a number from 0 to 100"
run 2 --max-memory much events.foldrec; says "a size, such as"
run 2 --from 5 --to 3 events.foldrec; says "no time between them"
run 2 -o '' events.foldrec; says '"" is not a name'
run 2 --sysroot= events.foldrec

# What a format has no use for is not passed over in silence.
run 0 -f script --by thread --reverse events.foldrec; says "warning: --by changes nothing in script"; says "warning: --reverse changes nothing in script"
run 0 -f html --by host events.foldrec; says "warning: html cannot begin with --by host"
run 0 -f html --by thread --reverse events.foldrec; ! grep -q warning err || { fail "a warning without a reason:"; cat err; }

# Help and its like: 0, on stdout.
run 0 diff --help; says "diff .*BEFORE NOW" out; ! grep -q "^  top " out || fail "diff offers a format that cannot compare"
run 0 --help; awk 'length > 90' out | grep . && fail "help is too wide"; says "Exit status" out; says "^  svg " out; says "fold-report dump" out; silent err
run 0 --version; says "^fold-report [0-9]" out
run 0 --schema; says "json-schema.org" out

# Input that is none: 1.
run 1 nowhere.foldrec; says "nowhere.foldrec"; silent out
echo "some text" >text; run 1 text; says "not a fold recording"; silent out
: >empty; run 1 empty; says "the file is empty"; silent out
for verb in "" check info dump missing; do # shellcheck disable=SC2086
	run 1 $verb .; says "is a directory"; silent out
done
gzip -c events.foldrec >packed.gz; run 1 packed.gz; says "not a fold recording.*gzip -dc"
gzip -dc packed.gz | "$FOLD_REPORT" - >out 2>err || fail "the advice does not help"
run 1 - <empty; says "the file is empty"
true | "$FOLD_REPORT" - >out 2>err && fail "nothing is no recording"; says "nothing came through"; silent out

# Data on stdout, the loss line on stderr; -q keeps only failures.
run 0 events.foldrec; says " [0-9]*$" out; says "4 samples of cpu-clock.*2 lost"
run 0 -q events.foldrec; silent err
"$FOLD_REPORT" - <events.foldrec >piped 2>/dev/null || fail "standard input"
cmp out piped || fail "standard input gives another report"
run 0 damaged.foldrec; says "the end of the recording is missing: recorded until"; says "damaged place"
cat events.foldrec events.foldrec >twice.foldrec
run 0 check events.foldrec; says "0 violations in [0-9]* chunks of 1 recording, 4 samples" out
run 0 twice.foldrec; says "8 samples of cpu-clock"; says "twice.foldrec and twice.foldrec are the same recording"
run 0 events.foldrec; ! grep -q "the same recording" err || fail "one recording is called two"

# Where names are looked for in vain, and why they are missing.
run 0 --symbols nowhere --sysroot events.foldrec events.foldrec; says "symbols nowhere: No such file"; says "sysroot events.foldrec: is no directory"
! grep -q "fold-report missing" err || fail "no file brings a name for [unknown]"
unset DEBUGINFOD_URLS
run 1 --debuginfod events.foldrec; says "names no server"; ! grep -q "out of memory" err || fail "memory is not what was missing"

# Nothing matched: 3, why, and a valid empty output.
run 3 --comm nobody events.foldrec; says "none of 4 samples was selected"; silent out
says "fold-report info"
run 3 --from 2001-01-01T00:00:00Z --to 2001-01-02T00:00:00Z events.foldrec; says "it was recorded from 20.*Z to 20.*Z"
run 3 --pid 99 events.foldrec; says "by process"
run 3 --match nothing-is-called-so events.foldrec; says "no stack has a frame like"; silent out
run 3 -f svg --comm nobody events.foldrec; says "No samples to show" out
run 3 --event nonsense events.foldrec; says "cpu-clock@99: 4 samples"
run 0 --event cpu-clock@99 events.foldrec
run 3 --event cpu-clock@9 events.foldrec
run 2 --match '(' events.foldrec

# Several events are never mixed.
run 2 counts.foldrec; says "choose with --event"; silent out
run 0 -f heatmap --event cpu-clock counts.foldrec; says "times of intervals"
run 0 -f top counts.foldrec; ! grep -q "times of intervals" err || fail "a table has no times"
says "^off-cpu" out; says "^cpu-clock" out

# Pictures as asked for.
run 0 -f svg --colors hot --height 20 --min-width 0.5 --notes "seen <here>" --inverted events.foldrec
says 'height="19"' out; says 'seen &lt;here&gt;' out; says 'data-inverted="1"' out; says '<g class="h' out

# A file appears only when it is complete.
run 0 -o x.svg events.foldrec; silent out; says "<svg" x.svg
[ "$(stat -c %a x.svg)" = "$(printf %o $((0666 & ~$(umask))))" ] || fail "mode of x.svg is $(stat -c %a x.svg)"
cp x.svg before; run 1 -o x.svg text; cmp x.svg before || fail "a failure changed the file that was there"
run 1 -o nowhere/x.svg events.foldrec; says "nowhere/x.svg"
run 1 -o . -f svg events.foldrec
[ "$(find . -name '.?*.*' | wc -l)" -eq 0 ] || fail "temporary files are left: $(ls -A)"
if [ -w /dev/full ]; then
	"$FOLD_REPORT" events.foldrec >/dev/full 2>err && fail "a full disk was not noticed"
	says "writing failed"
	run 1 -o /dev/full -f svg events.foldrec; says "writing failed"
fi
exit $bad
