/* SPDX-License-Identifier: BSD-2-Clause
 * speedscope reads what we write for it and for others: consumers.js CHROMIUM
 * MODULES PREFIX, with files PREFIX.speedscope.json, .folded, .perf.txt, .pb.gz. */
"use strict";
const fs = require("fs");
const path = require("path");
const {chromium} = require("playwright-core");
const Ajv = require("ajv");
const [browserPath, modules, prefix] = process.argv.slice(2);
const release = path.join(modules, "speedscope", "dist", "release");
const PATIENCE = 300000; /* ms: a busy machine */
let failures = 0;
function check(what, good) {
	if (!good) {
		failures++;
		console.log("not so: " + what);
	}
}

(async () => {
	const schema = JSON.parse(fs.readFileSync(path.join(release, "file-format-schema.json")));
	const valid = new Ajv({strict: false}).compile(schema);
	check("valid by speedscope's schema", valid(JSON.parse(fs.readFileSync(prefix + ".speedscope.json"))));
	const browser = await chromium.launch({executablePath: browserPath, timeout: PATIENCE, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--allow-file-access-from-files"]});
	for (const [suffix, importer] of [[".speedscope.json", "speedscope json"], [".folded", "collapsed stack"], [".perf.txt", "linux perf script"], [".pb.gz", "pprof"]]) {
		const page = await browser.newPage(), said = [];
		page.setDefaultTimeout(PATIENCE);
		page.on("console", message => said.push(message.text()));
		page.on("pageerror", error => said.push("error: " + error));
		page.on("dialog", dialog => {
			said.push("error: " + dialog.message());
			dialog.dismiss();
		});
		await page.goto("file://" + path.join(release, "index.html"));
		await page.waitForSelector("input[type=file]", {state: "attached"});
		await page.setInputFiles("input[type=file]", path.resolve(prefix + suffix));
		for (let i = 0; i < 3000 && !said.some(text => text.startsWith("import:") || text.startsWith("error")); i++)
			await page.waitForTimeout(100);
		check(suffix + " is imported as " + importer + ": " + said.join("; ").slice(0, 400),
			said.some(text => text.includes(importer)) && said.some(text => text.startsWith("import:")) && !said.some(text => text.startsWith("error")));
		await page.close();
	}
	await browser.close();
	process.exit(failures ? 1 : 0);
})().catch(error => {
	console.log(error.stack);
	process.exit(1);
});
