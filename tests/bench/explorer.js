/* SPDX-License-Identifier: BSD-2-Clause
 * What the explorer costs in Chromium: explorer.js CHROMIUM PAGE.html [TIMES].
 * Opens the page TIMES times and prints medians: when the picture was first
 * painted, when everything was there, what the main thread worked till then; and
 * what one frame of a zoom, a search, a brush and a change of roots takes. */
"use strict";
const path = require("path");
const {chromium} = require("playwright-core");
const [browserPath, file, times = "3"] = process.argv.slice(2);
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const at = (list, share) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];

async function task(client) {
	const {metrics} = await client.send("Performance.getMetrics");
	return metrics.find(m => m.name === "TaskDuration").value * 1000;
}
/* Zooms in along the heaviest path and out again; what the frames took, ms. */
const zooming = () => new Promise(done => {
	const {explorer} = window, frames = [], path = [], view = explorer.view;
	const layOut = explorer.layOutGraph;
	explorer.layOutGraph = function (...rest) {
		const begin = performance.now();
		layOut.apply(this, rest);
		frames.push(performance.now() - begin);
	};
	for (let at = 0, kids = []; view.children(at, kids).length && path.length < 12;) {
		at = kids.reduce((a, b) => view.value(b) > view.value(a) ? b : a);
		path.push(view.frameOf(at));
	}
	const stops = [...path.keys()].map(i => path.slice(0, i + 1));
	stops.push(...stops.slice(0, -1).reverse(), []);
	const next = () => {
		if (!stops.length) {
			explorer.layOutGraph = layOut;
			done(frames);
			return;
		}
		explorer.set({zoom: stops.shift()}, "zoom");
		setTimeout(next, 260);
	};
	next();
});
/* From a change of the state to what it looks like painted, ms: median of five. */
const changing = ([changes, what]) => new Promise(done => {
	const took = [], {explorer} = window;
	const next = () => {
		if (took.length === 5)
			return done(took.sort((a, b) => a - b)[2]);
		const begin = performance.now();
		Object.assign(explorer.state, changes);
		explorer.update(what);
		took.push(performance.now() - begin);
		return setTimeout(next, 20);
	};
	next();
});

(async () => {
	const browser = await chromium.launch({executablePath: browserPath, args: flags});
	const painted = [], first = [], ready = [], worked = [], frames = [], cpu = [];
	let page;
	for (let i = 0; i < Number(times); i++) {
		page = await browser.newPage({viewport: {width: 1600, height: 1000}});
		const client = await page.context().newCDPSession(page);
		await client.send("Performance.enable", {timeDomain: "threadTicks"});
		for (const event of ["console", "pageerror"])
			page.on(event, e => console.log(String(e.text ? e.text() : e.stack)));
		await page.goto("file://" + path.resolve(file), {waitUntil: "commit"});
		await page.waitForFunction(() => performance.getEntriesByName("fold-painted").length);
		first.push(await task(client));
		await page.waitForFunction(() => performance.getEntriesByName("fold-ready").length);
		worked.push(await task(client));
		painted.push(await page.evaluate(() => performance.getEntriesByName("fold-painted")[0].startTime));
		ready.push(await page.evaluate(() => performance.getEntriesByName("fold-ready")[0].startTime));
		const before = await task(client), took = await page.evaluate(zooming);
		cpu.push((await task(client) - before) / took.length);
		frames.push(...took);
		if (i < Number(times) - 1)
			await page.close();
	}
	const ms = v => v.toFixed(0).padStart(6) + " ms";
	console.log(`  first painted ${ms(at(painted, 0.5))}, of which the main thread worked ${ms(at(first, 0.5))}`);
	console.log(`  all there     ${ms(at(ready, 0.5))}, of which the main thread worked ${ms(at(worked, 0.5))}`);
	console.log(`  zoom: ${frames.length} frames, median ${at(frames, 0.5).toFixed(1)} ms, p95 ${at(frames, 0.95).toFixed(1)} ms, longest ${at(frames, 1).toFixed(1)} ms; main thread ${at(cpu, 0.5).toFixed(1)} ms a frame`);
	for (const [name, changes, what] of [["search", {search: "a"}, "search"], ["half of the time", {range: "half"}, "brush"], ["roots by thread", {by: "thread"}, "rows"],
		["inverted", {view: "inverted", by: "comm"}, "rows"], ["functions", {view: "table"}, "rows"]]) {
		if (changes.range)
			changes.range = await page.evaluate(() => [0, explorer.timeline.end / 2]);
		console.log(`  ${name.padEnd(18)} ${ms(await page.evaluate(changing, [changes, what]))}`);
	}
	await browser.close();
})().catch(error => {
	console.log(error.stack);
	process.exit(1);
});
