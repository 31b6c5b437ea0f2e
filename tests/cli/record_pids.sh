#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Given processes: theirs and their later children's samples, nobody else's, each
# once, also while threads come and go; and the recording ends when they do.
set -u
"$FOLD_RECORD" -q -d 0.1 -o probe.foldrec 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
cat >busy.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double used(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
/* A little work, then a thread that goes on instead, without end. */
static void *relay(void *arg)
{
	pthread_t t;

	while (used(CLOCK_THREAD_CPUTIME_ID) < 0.004)
		;
	usleep(50000);
	while (pthread_create(&t, NULL, relay, arg))
		usleep(1000);
	pthread_detach(t);
	return NULL;
}
int main(int argc, char **argv)
{
	double seconds = atof(argv[1]);

	if (argc > 2)
		for (int i = 0; i < 20; i++) {
			pthread_t t;

			pthread_create(&t, NULL, relay, NULL);
		}
	while (used(CLOCK_PROCESS_CPUTIME_ID) < seconds)
		if (argc > 2)
			usleep(1000);
	_exit(0);
}
C
${CC:-cc} -O1 -o busy busy.c -lpthread || exit 1
cp busy other

# A file of its own each time: the shell empties one only when the program starts, too late for who looks into it.
started() { for i in $(seq 3000); do grep -q recording "$1" && return; sleep 0.1; done; cat "$1"; exit 1; }
# ends with its process; another one of the same kind is not in it
./other 1000 &
other=$!
sh -c 'until [ -e begin ]; do sleep 0.1; done; exec ./busy 1' &
pid=$!
trap 'kill $other $pid 2>/dev/null' EXIT
"$FOLD_RECORD" -F 999 -p $pid -o one.foldrec 2>one.said &
recorder=$!
started one.said
touch begin
wait $recorder || { cat one.said; exit 1; }
wait $pid
kill $other
"$FOLD_REPORT" -q -f json one.foldrec >one.json || exit 1
grep -q '"reason":"all processes to record had ended"' one.json || { echo "it did not end with its process:"; grep -o '"reason":"[^"]*"' one.json; exit 1; }
"$FOLD_REPORT" -q --by comm -f folded one.foldrec >one.folded || exit 1
grep -vE '^(busy|sh|sleep);' one.folded && { echo "samples of others"; exit 1; }
grep -q '^busy;' one.folded || { echo "no samples of the process"; exit 1; }
wait $other 2>/dev/null

# children that come later are in it
sh -c 'while [ ! -e go ]; do sleep 0.1; done; ./busy 1; ./busy 1' &
pid=$!
"$FOLD_RECORD" -F 999 -p $pid -o children.foldrec 2>children.said &
recorder=$!
started children.said
touch go
wait $recorder || { cat children.said; exit 1; }
wait $pid
n=$("$FOLD_REPORT" -q --by comm -f folded children.foldrec | awk '/^busy;/ { n += $NF } END { print n + 0 }')
[ "$n" -gt 1730 ] && [ "$n" -lt 2270 ] || { echo "$n samples of children, of about 2000"; exit 1; } # six standard deviations

# threads that come and go: no sample twice
./busy 1000 threads &
pid=$!
trap 'kill $pid 2>/dev/null' EXIT
"$FOLD_RECORD" -F 999 -p $pid -d 2 -o threads.foldrec 2>said || { cat said; exit 1; }
kill $pid
wait $pid 2>/dev/null
"$FOLD_REPORT" dump threads.foldrec >dump || exit 1
python3 - <<'P' || exit 1
import collections, json, sys
# one thread is on one CPU at a time: two events on it would give pairs of samples
threads, rows = {}, collections.defaultdict(list)
for line in open("dump"):
    r = json.loads(line)
    if r["is"] == "thread":
        threads[r["id"]] = r["tid"]
    if r["is"] == "sample":
        rows[threads[r["thread"]]].append(r["time"])
close = sum(b - a < 300 for times in rows.values() for a, b in zip(times, times[1:]))
total = sum(len(t) for t in rows.values())
if total < 100:
    sys.exit("the dump has no samples")
print(f"{close} of {total} samples close to the one before")
if close > total / 50:
    sys.exit(f"{close} of {total} samples follow the one before in less than a third of the period: counted twice")
P
