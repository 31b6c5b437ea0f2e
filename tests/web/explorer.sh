#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The explorer in a real browser, its numbers against those of the other formats.
set -u
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no Chromium"; exit 77; }
command -v node >/dev/null && command -v npm >/dev/null || { echo "no node or npm"; exit 77; }
modules=$BUILD/tests/web
if [ ! -d "$modules/node_modules/playwright-core" ]; then
	mkdir -p "$modules"
	PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --fetch-retries=1 --fetch-timeout=20000 --silent --no-audit --no-fund --prefix "$modules" playwright-core >npm.log 2>&1 ||
		{ cat npm.log; echo "playwright-core cannot be installed"; exit 77; }
fi
gen=$BUILD/tests/gen/gen
"$gen" --samples 20000 --stacks 400 --threads 30 --seed 1 one.foldrec || exit 1
"$gen" --samples 5000 --stacks 400 --threads 30 --seed 2 other.foldrec || exit 1
cat one.foldrec other.foldrec >two.foldrec
NODE_PATH=$modules/node_modules timeout 1500 node "$SRC/tests/web/explorer.js" "$browser" "$FOLD_REPORT" one.foldrec other.foldrec two.foldrec
