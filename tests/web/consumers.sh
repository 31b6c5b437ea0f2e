#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The real readers of our exchange formats take them, and find the same sums:
# speedscope, protoc, the Firefox Profiler's importer, and Go's pprof where it is packaged.
set -u
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no Chromium"; exit 77; }
command -v node >/dev/null && command -v npm >/dev/null || { echo "no node or npm"; exit 77; }
modules=$BUILD/tests/web/node_modules
mkdir -p "$BUILD/tests/web"
if [ ! -d "$modules/speedscope" ] || [ ! -d "$modules/ajv" ] || [ ! -d "$modules/playwright-core" ] || [ ! -d "$modules/@firefox-devtools/profiler-cli" ]; then
	PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --fetch-retries=1 --fetch-timeout=20000 --silent --no-audit --no-fund --prefix "$BUILD/tests/web" \
		playwright-core speedscope ajv @firefox-devtools/profiler-cli >npm.log 2>&1 || { cat npm.log; echo "packages cannot be installed"; exit 77; }
fi
"$BUILD/tests/gen/gen" --samples 20000 --stacks 400 --threads 30 one.foldrec || exit 1
bad=0
fail() { echo "$*"; bad=1; }
for suffix in .folded .speedscope.json .firefox.json .pb.gz .perf.txt; do
	"$FOLD_REPORT" -q --no-system -o "one$suffix" one.foldrec || fail "one$suffix"
done
total=$(awk '{ sum += $NF } END { print sum }' one.folded)

NODE_PATH=$modules timeout 1500 node "$SRC/tests/web/consumers.js" "$browser" "$modules" one || fail speedscope

# The command line client may give up on its daemon before that is ready: ask again.
export HOME=$PWD
pq() { timeout 120 node "$modules/.bin/profiler-cli" "$@" 2>&1; }
pq load one.firefox.json >loaded
for _ in $(seq 200); do
	pq status >status
	grep -q 'Selected thread' status && break
	sleep 0.5
done
pq thread samples-top-down --include-idle >tree
grep -q 'Top-Down Call Tree' tree || { cat loaded status tree; fail "the Firefox Profiler does not take it"; }
pq stop --all >/dev/null

"$FOLD_REPORT" -q --no-system --by none -f folded -o plain.folded one.foldrec || fail plain.folded
if command -v protoc >/dev/null; then
	gzip -dc one.pb.gz | protoc -I"$SRC/tests/web" --decode=Profile profile.proto >decoded || fail "protoc does not decode it"
	python3 "$SRC/tests/web/pprof.py" protoc plain.folded decoded || fail "protoc finds something else"
else
	echo "protoc is not installed: not tried"
fi
source=/usr/share/gocode/src/github.com/google/pprof
if command -v go >/dev/null && [ -d "$source" ]; then
	[ -x "$BUILD/tests/web/pprof" ] || GO111MODULE=off GOPATH=/usr/share/gocode GOFLAGS=-p=1 go build -o "$BUILD/tests/web/pprof" github.com/google/pprof
	sum=$("$BUILD/tests/web/pprof" -raw one.pb.gz 2>/dev/null | awk '/^Samples:/ { on = 1; next } /^Locations/ { on = 0 } on && $1 ~ /^[0-9]+$/ { sum += $1 } END { print sum }')
	[ "$sum" = "$total" ] || fail "pprof finds $sum samples, folded has $total"
	for as in top tree traces; do
		"$BUILD/tests/web/pprof" -$as -nodecount=1000000 -nodefraction=0 -edgefraction=0 -sample_index=samples one.pb.gz >one.$as 2>/dev/null
	done
	python3 "$SRC/tests/web/pprof.py" go plain.folded one.top one.tree one.traces || fail "pprof's numbers are not ours"
else
	echo "Go's pprof is not packaged here: not tried"
fi
exit $bad
