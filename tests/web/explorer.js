/* SPDX-License-Identifier: BSD-2-Clause
 * Drives the explorer in Chromium and compares its numbers with those of
 * fold-report: explorer.js CHROMIUM FOLD_REPORT ONE.foldrec OTHER.foldrec
 * TWO.foldrec (TWO holds both). */
"use strict";
const {execFileSync} = require("child_process");
const path = require("path");
const {chromium} = require("playwright-core");
const [browserPath, report, one, other, two] = process.argv.slice(2);
const PATIENCE = 300000; /* ms: a busy machine */
let failures = 0;

function same(what, got, want) {
	const a = JSON.stringify(got), b = JSON.stringify(want);
	if (a !== b) {
		failures++;
		console.log(`${what}:\n  got  ${a.slice(0, 300)}\n  want ${b.slice(0, 300)}`);
	}
}
const run = (...args) => execFileSync(report, ["-q", "--no-system", "--unnamed", "module", ...args], {encoding: "utf8", maxBuffer: 1 << 28});
const json = (...args) => JSON.parse(run("-f", "json", ...args)).trees[0];
const settle = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 260)))));

/* What the page says, from inside of it. */
const sum = page => page.evaluate(() => explorer.view.sum);
const roots = page => page.evaluate(() => explorer.view.children(0, []).map(i => [frameName(explorer.view, explorer.view.frame[i]), explorer.view.now[i]]));
const set = async (page, changes, what) => {
	await page.evaluate(([c, w]) => explorer.set(c, w), [changes, what]);
	await settle(page);
};
/* The middle of the box of the first frame with that name, on the screen. */
const boxCenter = (page, name) => page.evaluate(wanted => {
	const {picture} = explorer, bounds = picture.scroller.getBoundingClientRect();
	for (const part of picture.parts)
		for (let depth = 1; depth < part.rows.n; depth++) {
			const row = part.rows.rows[depth];
			for (let i = 0; i < row.n; i++)
				if (row.w[i] > 8 && frameName(explorer.view, part.graph.frameOf(row.id[i])) === wanted)
					return [bounds.left + Math.max(0, row.x[i]) + 4, bounds.top + picture.boxTop(part, depth) + 8 - picture.scroller.scrollTop];
		}
	return null;
}, name);

async function open(browser, file, options = {}) {
	const page = await browser.newPage({viewport: {width: 1200, height: 800}, colorScheme: options.colorScheme});
	page.setDefaultTimeout(PATIENCE);
	for (const event of ["console", "pageerror"])
		page.on(event, e => same(event, String(e.text ? e.text() : e.stack), ""));
	page.on("request", request => same("request", /^(file|blob|data):/.test(request.url()) ? "local" : request.url(), "local"));
	if (options.early)
		await page.addInitScript(holdRest);
	await page.goto("file://" + path.resolve(file));
	if (options.early)
		await options.early(page);
	await ready(page);
	return page;
}
async function ready(page) {
	await page.waitForFunction(() => window.explorer && !document.body.classList.contains("loading"));
	await settle(page);
}

/* Keeps the second part of the data back until go() is called. */
function holdRest() {
	const real = Response.prototype.arrayBuffer, held = new Promise(done => (window.go = done));
	let parts = 0;
	Response.prototype.arrayBuffer = async function () {
		if (parts++)
			await held;
		return real.call(this);
	};
}
/* All boxes wider than a pixel: names, places, widths. */
const boxes = page => page.evaluate(() => explorer.picture.parts[0].rows.rows.slice(0, explorer.picture.parts[0].rows.n).map((row, depth) =>
	[...row.id.subarray(0, row.n)].map((id, i) => [depth, frameName(explorer.view, explorer.view.frame[id]), explorer.view.value(id), row.x[i].toFixed(3), row.w[i]])
		.filter(box => box[4] > 1).map(box => box.slice(0, 4))));

/* What is painted before all is there is what is painted then. */
async function first(browser, file, compared) {
	let early, legend;
	const page = await open(browser, file, {early: async held => {
		await held.waitForFunction(() => performance.getEntriesByName("fold-painted").length);
		early = await boxes(held);
		legend = await held.locator("#legend").textContent();
		await held.evaluate(() => go());
	}});
	same("painted first", early, await boxes(page));
	same("painted first, some", early.flat().length > 30, true);
	same("legend", (await page.locator("#legend").textContent()).replace(/\d+\.\d % /g, ""), legend);
	same("compared", await page.evaluate(() => Boolean(explorer.view.before)), compared);
	await page.close();
}

/* What is done to the page before all is there is done then. */
async function eager(browser, file) {
	let name;
	const page = await open(browser, file, {early: async held => {
		await held.waitForFunction(() => performance.getEntriesByName("fold-painted").length);
		name = (await roots(held)).sort((a, b) => b[1] - a[1])[0][0];
		await held.mouse.click(...await boxCenter(held, name));
		await held.fill("#search", "a");
		await held.selectOption("#color", "module");
		await held.click("#case");
		await held.evaluate(() => go());
	}});
	same("what was done early", await page.evaluate(() => [frameName(explorer.view, explorer.zoomed.graph.frameOf(explorer.zoomed.id)),
		explorer.state.search, explorer.state.color, explorer.state.ignoreCase, $("search").value]), [name, "a", "module", true, "a"]);
	await page.click("#case");
	await settle(page);
	same("and only once", await page.evaluate(() => explorer.state.ignoreCase), false);
	await page.close();
}

async function numbers(page) {
	const plain = json("--by", "none", one), byComm = json("--by", "comm", one);
	same("total", await sum(page), plain.total);
	const {nodes, frames} = byComm;
	same("roots", await roots(page), nodes.parent.map((p, i) => [p, i]).filter(([p]) => p === 0)
		.map(([, i]) => [frames[nodes.frame[i]].name.replace(/ /g, "_"), nodes.total[i]]).sort((a, b) => a[0] < b[0] ? -1 : 1));
	const key = f => f.name + " " + f.module;
	same("functions", await page.evaluate(() => {
		const t = explorer.view.table(), f = explorer.tree.frames;
		return f.name.map((name, i) => [name + " " + f.module[i], t.self[i], t.total[i]]).slice(1).filter(r => r[2]).sort();
	}), plain.frames.slice(1).filter(f => f.total).map(f => [key(f), f.self, f.total]).sort());
	same("folded", (await page.evaluate(() => explorer.view.folded(0, 1e6))).sort(), run("-f", "folded", one).trim().split("\n").sort());
	return plain;
}

async function zooming(page) {
	const [name, value] = (await roots(page)).sort((a, b) => b[1] - a[1])[0];
	await page.mouse.click(...await boxCenter(page, name));
	await settle(page);
	same("crumbs", await page.locator("#crumbs button").allTextContents(), ["all", name]);
	same("zoomed", await page.evaluate(() => explorer.view.now[explorer.zoomed.id]), value);
	same("address", await page.evaluate(() => location.hash.includes("zoom=")), true);
	const address = page.url();
	await page.keyboard.press("Escape");
	await settle(page);
	same("zoomed out", await page.locator("#crumbs button").allTextContents(), ["all"]);
	await page.evaluate(url => (location.hash = new URL(url).hash), address);
	await settle(page);
	same("from the address", await page.locator("#crumbs button").allTextContents(), ["all", name]);
	await page.locator("#crumbs button").first().click();
	await settle(page);
}

async function searching(page, plain) {
	const {nodes, frames} = plain, wanted = frames.slice(1).sort((a, b) => b.self - a.self)[0].name;
	const hit = nodes.frame.map(f => frames[f].name === wanted), covered = [];
	let matched = 0;
	nodes.parent.forEach((p, i) => {
		covered[i] = p >= 0 && covered[p] || hit[i];
		matched += hit[i] && !(p >= 0 && covered[p]) ? nodes.total[i] : 0;
	});
	await page.keyboard.press("Control+f");
	await page.keyboard.type("^" + wanted.replace(/[[\].+]/g, "\\$&") + "$");
	await settle(page);
	const text = await page.locator("#matched").textContent();
	same("matched", text.split(" ·")[0], "Matched " + (100 * matched / plain.total).toFixed(2) + " %");
	await page.keyboard.press("Enter");
	await settle(page);
	same("next match", / · 1 of /.test(await page.locator("#matched").textContent()), true);
	const places = Number(text.match(/(\d+) place/)[1]), below = json("--by", "comm", one), inside = [];
	let outermost = 0;
	below.nodes.frame.forEach((f, i) => {
		const above = inside[below.nodes.parent[i]] || false, is = below.frames[f].name === wanted;
		outermost += is && !above ? 1 : 0;
		inside[i] = above || is;
	});
	same("places", places, outermost);
	await page.locator("#next").click();
	await page.locator("#previous").click();
	await page.locator("#previous").click();
	await settle(page);
	same("match before the first", (await page.locator("#matched").textContent()).includes(` · ${places} of ${places} `), true);
	await page.keyboard.press("Escape");
	await settle(page);
	await set(page, {zoom: [], search: ""}, "search");
}

async function time(page) {
	const strip = await page.locator("#timeline .strip").boundingBox();
	await page.mouse.move(strip.x + strip.width * 0.25, strip.y + 20);
	await page.mouse.down();
	await page.mouse.move(strip.x + strip.width * 0.5, strip.y + 20, {steps: 4});
	await page.mouse.up();
	await settle(page);
	const range = await page.evaluate(() => explorer.state.range), whole = await page.evaluate(() => explorer.tree.rows);
	const part = await sum(page);
	same("a quarter was brushed", part > whole * 0.15 && part < whole * 0.35, true);
	const [from, to] = range.map(t => Math.round(t / 1000) * 1000);
	await set(page, {range: [from, to]}, "rows");
	same("brushed", await sum(page), json("--from", String(from / 1e6), "--to", String(to / 1e6), one).total);
	await set(page, {compare: "time", color: "difference"}, "rows");
	same("the rest", await page.evaluate(() => explorer.view.now[0] + explorer.view.before[0]), whole);
	await set(page, {compare: "none", color: "kind"}, "rows");
	await page.locator("#timeline .strip").dblclick();
	await settle(page);
	same("all time", await sum(page), whole);
	for (const [by, bands] of [["thread", 8], ["process", 8], ["cpu", 8], ["kind", 1], ["comm", 8]]) {
		await page.locator("#bands").selectOption(by);
		await settle(page);
		same("bands by " + by, Math.min(bands, await page.locator("#timeline .legend > span").count()), bands);
	}
}

/* Only stacks with a function, copied; where its boxes are and what they are painted with. */
async function choosing(page, plain) {
	const {name} = plain.frames.slice(1).sort((a, b) => b.total - a.total)[5], pattern = "^" + name.replace(/[[\].+]/g, "\\$&") + "$";
	await page.evaluate(wanted => explorer.only(explorer.tree.frames.name.indexOf(wanted)), name);
	await settle(page);
	same("only with a function", await sum(page), json("--match", pattern, one).total);
	await page.evaluate(() => Object.defineProperty(navigator, "clipboard", {value: {writeText: async text => (window.copied = text)}}));
	await page.keyboard.press("c");
	await settle(page);
	same("copied", (await page.evaluate(() => copied)).trim().split("\n"), run("-f", "folded", "--match", pattern, one).trim().split("\n").sort());
	await page.locator("#chips button").click();
	await page.locator("#order").selectOption("weight");
	await settle(page);
	const shown = await page.evaluate(() => [...explorer.rows[0].rows[1].id.subarray(0, explorer.rows[0].rows[1].n)].map(id => explorer.view.value(id)));
	same("heaviest first", shown, [...shown].sort((a, b) => b - a));
	await page.locator("#color").selectOption("module");
	await settle(page);
	const modules = new Map();
	for (const f of plain.frames.slice(1))
		modules.set(f.module || "no module", (modules.get(f.module || "no module") || 0) + f.self);
	const heaviest = [...modules].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0];
	same("heaviest module", (await page.locator("#legend span").first().textContent()), (100 * heaviest[1] / plain.total).toFixed(1) + " % " + heaviest[0]);
	await page.keyboard.press("i");
	await settle(page);
	same("looks at the root", await page.evaluate(() => $("picture").scrollTop + $("picture").clientHeight >= explorer.picture.height - 1), true);
	same("root at the bottom", await page.evaluate(() => explorer.picture.boxTop(explorer.picture.parts[0], 1) < explorer.picture.boxTop(explorer.picture.parts[0], 0)), true);
	await page.locator("#picture").focus();
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("Enter");
	await settle(page);
	same("with keys alone", await page.evaluate(() => [explorer.zoomed.depth, explorer.view.value(explorer.zoomed.id)]), [1, shown[0]]);
	const address = page.url();
	await page.goto("about:blank");
	await page.goto(address);
	await ready(page);
	same("the address brings all back", await page.evaluate(() => [explorer.zoomed.depth, explorer.state.flip, explorer.state.color, explorer.order]), [1, true, "module", "weight"]);
	await page.evaluate(() => (location.hash = ""));
	await settle(page);
}

async function filters(page, plain) {
	const pid = await page.evaluate(() => explorer.page.processes.pid[explorer.page.threads.process[explorer.tree.thread[0]]]);
	await page.keyboard.press("f");
	await page.locator("#filters ul").first().locator("label", {hasText: "-" + pid}).first().click();
	await page.locator("#filters button.main").click();
	await settle(page);
	same("of a process", await sum(page), json("--pid", String(pid), one).total);
	same("chip", await page.locator("#chips button").count(), 1);
	await page.locator("#chips button").click();
	await settle(page);
	same("all again", await sum(page), plain.total);
	const [thread, tid] = await page.evaluate(() => [explorer.tree.thread[5], explorer.page.threads.tid[explorer.tree.thread[5]]]);
	await page.evaluate(index => explorer.state.filter.threads.add(index), thread);
	await set(page, {}, "filters");
	same("of a thread", await sum(page), json("--tid", String(tid), one).total);
	await page.evaluate(() => explorer.state.filter.threads.clear());
	const cpu = await page.evaluate(() => explorer.tree.cpu[0] - 1);
	await page.evaluate(c => explorer.state.filter.cpus.add(c), cpu);
	await set(page, {}, "filters");
	same("of a CPU", await sum(page), json("--cpu", String(cpu), one).total);
	await page.evaluate(() => explorer.state.filter.cpus.clear());
	await set(page, {}, "filters");
	same("sides", await page.evaluate(() => {
		const sums = ["user", "kernel"].map(side => {
			explorer.state.filter.side = side;
			explorer.filterRows();
			explorer.buildView();
			return explorer.view.sum;
		});
		explorer.state.filter.side = "";
		return sums[0] + sums[1];
	}), plain.total);
	await set(page, {}, "filters");
}

async function sandwich(page, plain) {
	const frame = plain.frames.slice(1).sort((a, b) => b.total - a.total)[3];
	await page.keyboard.press("3");
	await settle(page);
	await page.locator("#table .head .total").click();
	await settle(page);
	const shares = await page.locator("#table .row .total").allTextContents();
	same("sorted by total", shares, [...shares].sort((a, b) => parseFloat(b) - parseFloat(a)));
	await page.evaluate(name => explorer.sandwich(explorer.tree.frames.name.indexOf(name)), frame.name);
	await settle(page);
	const parts = await page.evaluate(() => explorer.picture.parts.map(p => p.graph.value(0)));
	same("callers and callees", parts, [frame.total, frame.total]);
	const callees = await page.evaluate(() => {
		const g = explorer.picture.parts[0].graph;
		return g.children(0, []).reduce((s, c) => s + g.value(c), 0);
	});
	same("callees and self", callees <= frame.total, true);
	await page.keyboard.press("2");
	await settle(page);
	const leaves = await page.evaluate(() => {
		const g = explorer.graph;
		return g.children(0, []).filter(c => g.frameOf(c) < explorer.tree.nframes).map(c => [frameName(explorer.view, g.frameOf(c)), g.value(c)]);
	});
	const self = new Map(plain.frames.slice(1).map(f => [f.name, f.self]));
	same("inverted", leaves, leaves.map(([name]) => [name, self.get(name)]));
	same("inverted, all", leaves.reduce((s, [, v]) => s + v, 0), plain.total);
	await page.keyboard.press("1");
	await settle(page);
}

async function comparing(browser) {
	const page = await open(browser, "two.html", {colorScheme: "dark"});
	same("dark", await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(22, 25, 29)");
	await page.locator("#compare").selectOption("recordings:0,1");
	await settle(page);
	const sides = await page.evaluate(() => [explorer.view.before[0], explorer.view.now[0]]);
	const whole = json("--by", "none", two).total;
	same("both sides", sides[0] + sides[1], whole);
	same("colour follows", await page.locator("#color").inputValue(), "difference");
	await page.keyboard.press("3");
	await settle(page);
	same("change column", await page.locator("#table .head .change").count(), 1);
	await page.keyboard.press("1");
	await settle(page);
	await page.locator("#by").selectOption("recording");
	await page.locator("#compare").selectOption("none");
	await settle(page);
	same("by recording", (await roots(page)).map(([name]) => name), ["two.foldrec_#1", "two.foldrec_#2"]);
	same("by recording, all", (await roots(page)).reduce((s, [, v]) => s + v, 0), whole);
	await page.close();
}

/* No samples, and a title that would like to be markup. */
async function nothing(browser) {
	const title = "<b>&amp;</script><script>alert(1)</script>";
	try {
		run("-f", "html", "-o", "none.html", "--comm", "nobody", "--title", title, one);
	} catch (error) {
		same("nothing matched", error.status, 3);
	}
	const page = await open(browser, "none.html");
	same("title", await page.locator("#title").textContent(), title);
	same("says so", await page.locator("#empty").textContent(), "There are no samples.");
	same("no timeline", await page.locator("#timeline").isVisible(), false);
	await page.close();
}

/* The page begins with the roots and the direction that the command line asked for. */
async function beginning(browser) {
	for (const by of ["process", "thread", "cpu", "none"]) {
		run("-f", "html", "-o", "by.html", "--by", by, one);
		const page = await open(browser, "by.html"), {nodes, frames} = json("--by", by, one);
		same("begins by " + by, await page.locator("#by").inputValue(), by);
		same("roots by " + by, (await roots(page)).map(([name, value]) => name + " " + value).sort(), nodes.parent.map((p, i) => [p, i]).filter(([p]) => p === 0)
			.map(([, i]) => frames[nodes.frame[i]].name.replace(/ /g, "_") + " " + nodes.total[i]).sort());
		same("no word of it in the address", await page.evaluate(() => location.hash), "");
		await page.close();
	}
	run("-f", "html", "-o", "by.html", "--reverse", one);
	const page = await open(browser, "by.html");
	same("begins inverted", await page.locator("#tabs [aria-selected=true]").getAttribute("data-view"), "inverted");
	await page.close();
}

(async () => {
	const flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync"];
	run("-f", "html", "-o", "one.html", one);
	run("-f", "html", "-o", "two.html", two);
	execFileSync(report, ["diff", "-q", "--no-system", "--unnamed", "module", "-o", "diff.html", one, other]);
	const browser = await chromium.launch({executablePath: browserPath, timeout: PATIENCE, args: flags});
	const page = await open(browser, "one.html");
	const plain = await numbers(page);
	await zooming(page);
	await searching(page, plain);
	await time(page);
	await filters(page, plain);
	await sandwich(page, plain);
	await choosing(page, plain);
	await page.close();
	await first(browser, "one.html", false);
	await first(browser, "diff.html", true);
	await eager(browser, "one.html");
	await comparing(browser);
	await beginning(browser);
	await nothing(browser);
	await browser.close();
	process.exit(failures ? 1 : 0);
})().catch(error => {
	console.log(error.stack);
	process.exit(1);
});
