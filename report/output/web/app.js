/* SPDX-License-Identifier: BSD-2-Clause
 * The page: what is looked at (state), what follows from it, and the address that
 * keeps it.  Controls are connected in controls.js. */

const $ = id => document.getElementById(id);
const INK = {
	light: {paper: "#ffffff", text: "#1f2328", hit: "#a626a4", hitText: "#ffffff", select: "#1f2328"},
	dark: {paper: "#16191d", text: "#e9ecef", hit: "#c95fc6", hitText: "#16191d", select: "#ffffff"},
};
const GLIDE_MS = 160;
const NAMELESS = "without a name: fold-report missing tells which file would give it";

function freshFilter() {
	return {processes: new Set(), threads: new Set(), cpus: new Set(), frames: new Set(), side: ""};
}

class Explorer {
	constructor(page) {
		this.page = page;
		this.state = {tree: 0, view: page.view, by: page.by, color: page.compare === "none" ? page.color : "difference", order: "", flip: false, bands: "comm", compare: page.compare,
			range: null, zoom: [], frame: -1, search: "", ignoreCase: false, filter: freshFilter()};
		this.picture = new Picture($("picture"));
		this.table = new Table($("table"), frame => this.sandwich(frame));
		this.timeline = new Timeline($("timeline"), (range, done) => this.set({range}, done ? "rows" : "brush"));
		this.darkQuery = matchMedia("(prefers-color-scheme: dark)");
		this.darkQuery.addEventListener("change", () => this.update("colors"));
		this.calm = matchMedia("(prefers-reduced-motion: reduce)");
		this.window = {x0: 0, x1: 1};
		this.rows = [new Rows(), new Rows()];
		this.pending = new Set();
	}
	get tree() {
		return this.page.overview ? this.page.overview.tree : this.page.trees[this.state.tree];
	}
	get plainColor() {
		return this.page.compare === "none" ? this.page.color : "difference";
	}
	get dark() {
		return this.darkQuery.matches;
	}
	/* Change the state; `what` has to be worked out again. */
	set(changes, what) {
		Object.assign(this.state, changes);
		this.later(what);
	}
	/* Work is done once per frame on the screen, however often it is asked for. */
	later(what) {
		if (!this.pending.size)
			requestAnimationFrame(() => {
				const all = [...this.pending];
				this.pending.clear();
				const order = ["filters", "rows", "brush", "colors", "search", "layout", "zoom"];
				this.update(order.find(name => all.includes(name)), all.includes("zoom"));
			});
		this.pending.add(what);
	}
	update(what, glide = false) {
		const steps = {filters: 0, rows: 1, brush: 1, colors: 2, search: 3, layout: 4, zoom: 4}[what];
		if (this.page.overview)
			return;
		if (steps <= 0)
			this.filterRows();
		if (steps <= 1)
			this.buildView();
		if (steps <= 2)
			this.palette = new Palette(this.view, this.state.color, this.dark);
		if (steps <= 2 && what !== "brush")
			this.timeline.show(this.page, this.tree, this.pass, this.state.bands, this.dark);
		if (steps <= 3)
			this.find();
		this.draw(glide);
		this.tell();
		if (what !== "brush")
			this.keep();
	}
	filterRows() {
		this.pass = passing(this.page, this.tree, this.state.filter);
	}
	/* Which rows are compared with which: see View.ofRows(). */
	sides(lo, hi) {
		const compare = this.state.compare, {threads, processes} = this.page;
		if (compare === "time" && this.state.range)
			return {lo, hi};
		if (!compare.startsWith("recordings:"))
			return null;
		const [before, now] = compare.slice(11).split(",").map(Number);
		return Int8Array.from(threads.process, p => processes.recording[p] === now ? 0 : processes.recording[p] === before ? 1 : -1);
	}
	/* What --normalize asked for; null: sides are made equal. */
	get scale() {
		return this.state.compare === this.page.compare ? this.page.scale || null : null;
	}
	get forest() {
		const key = this.state.tree + " " + this.state.by;
		if (this.planted !== key) {
			this.planted = key;
			this.forests = new Forest(this.page, this.tree, this.state.by);
		}
		return this.forests;
	}
	buildView() {
		const {range} = this.state, tree = this.tree;
		const [lo, hi] = range ? rowsBetween(tree, range[0], range[1]) : [0, tree.rows];
		this.view = View.ofRows(this.forest, {pass: this.pass, lo, hi, side: this.sides(lo, hi), scale: this.scale});
		this.graphs = {};
	}
	/* The first picture, before the rest of the data is there. */
	drawOverview() {
		const overview = this.page.overview;
		measure(overview);
		this.view = new View(overview, overview.now, overview.before, this.scale);
		this.graphs = {};
		this.palette = new Palette(this.view, this.state.color, this.dark);
		this.palette.keys.forEach(key => (key[2] = null)); /* not all is there to be counted */
		this.find();
		this.draw(false);
		this.tell();
	}
	/* ---- what is drawn */
	get graph() {
		const {view, graphs} = this;
		if (this.state.view !== "inverted")
			return view;
		return graphs.inverted = graphs.inverted || inverted(view);
	}
	/* By name siblings stay where they are from picture to picture; leaves are too many for that. */
	get order() {
		return this.state.order || (this.state.view === "flame" ? "name" : "weight");
	}
	get heaviestFirst() {
		return this.order === "weight";
	}
	get frameOfInterest() {
		if (this.state.frame >= 0)
			return this.state.frame;
		const {self, total} = this.view.table();
		let best = 0;
		for (let f = 1; f < this.tree.nframes; f++)
			if (self[f] > self[best] || self[f] === self[best] && total[f] > total[best])
				best = f;
		return best;
	}
	windowOf(graph, id) {
		const whole = graph.value(graph.root), heaviest = this.heaviestFirst, kids = [];
		let x0 = 0;
		if (graph === this.view)
			x0 = graph.place(heaviest).left[id] / whole;
		else
			for (let at = id; at !== graph.root; at = graph.parentOf(at)) {
				graph.children(graph.parentOf(at), kids, heaviest);
				for (let i = 0; kids[i] !== at; i++)
					x0 += graph.value(kids[i]) / whole;
			}
		return {x0, x1: x0 + graph.value(id) / whole};
	}
	draw(glide) {
		const {view, state} = this, table = state.view === "table", sum = view.total[0];
		$("empty").hidden = sum > 0;
		$("empty").textContent = this.tree.sum ? "Nothing matches the filters." : "There are no samples.";
		$("picture").hidden = table || !(sum > 0);
		$("table").hidden = !table || !(sum > 0);
		$("crumbs").parentNode.hidden = table;
		showControls(this);
		this.picture.measure();
		if (table) {
			this.table.show(view, this.state.search ? this.hit : null);
			return;
		}
		if (!(sum > 0))
			return;
		if (state.view === "sandwich")
			this.drawSandwich();
		else
			this.drawGraph(glide);
	}
	drawGraph(glide) {
		const graph = this.graph, id = graph.find(this.state.zoom), target = this.windowOf(graph, id);
		const from = this.window, began = performance.now();
		this.zoomed = {graph, id, depth: graph.path(id).length};
		showCrumbs(this, graph.path(id));
		cancelAnimationFrame(this.gliding);
		const step = now => {
			const t = glide && !this.calm.matches ? Math.min(1, (now - began) / GLIDE_MS) : 1, eased = t * (2 - t);
			this.window = {x0: from.x0 + (target.x0 - from.x0) * eased, x1: from.x1 + (target.x1 - from.x1) * eased};
			this.layOutGraph(graph);
			if (t < 1)
				this.gliding = requestAnimationFrame(step);
		};
		step(performance.now());
	}
	layOutGraph(graph) {
		const {width, seen} = this.picture, up = this.state.flip;
		const rows = layOut(graph, this.window, width, this.heaviestFirst, this.rows[0]), height = Math.max(rows.n * ROW, seen);
		this.picture.show([{graph, rows, up, top: up ? height - ROW : 0, dim: this.zoomed.depth, plain: true}], height, this.style());
		if (this.turned !== this.state.view + up) { /* the root is where one begins to read */
			this.turned = this.state.view + up;
			$("picture").scrollTop = up ? height : 0;
		}
	}
	drawSandwich() {
		const frame = this.frameOfInterest, view = this.view, hit = new Uint8Array(view.nframes);
		hit[frame] = 1;
		const key = "sandwich" + frame;
		if (!this.graphs[key]) {
			const places = view.outermost(hit);
			this.graphs[key] = {callers: new Merged(view, places, true, frame), callees: new Merged(view, places, false, frame)};
		}
		const {callers, callees} = this.graphs[key], whole = {x0: 0, x1: 1}, heaviest = this.heaviestFirst;
		const above = layOut(callers, whole, this.picture.width, heaviest, this.rows[0]), below = layOut(callees, whole, this.picture.width, heaviest, this.rows[1]);
		const top = Math.max(0, above.n - 1) * ROW;
		this.zoomed = {graph: callees, id: 0, depth: 0};
		showSandwichTitle(this, frame);
		this.picture.show([{graph: callees, rows: below, up: false, top, dim: 0}, {graph: callers, rows: above, up: true, top, dim: 0}],
			top + below.n * ROW, this.style());
		if (this.centered !== key) {
			this.centered = key;
			$("picture").scrollTop = top - $("picture").clientHeight / 2;
		}
	}
	style() {
		return {palette: this.palette, hit: this.state.search ? this.hit : null, view: this.view, ink: INK[this.dark ? "dark" : "light"]};
	}
	/* ---- search */
	pattern() {
		const {search, ignoreCase} = this.state, flags = ignoreCase ? "iu" : "u";
		try {
			$("search").classList.remove("bad");
			return new RegExp(search, flags);
		} catch (e) {
			$("search").classList.add("bad");
			return new RegExp(search.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), flags);
		}
	}
	find() {
		const view = this.view, wanted = this.state.search ? this.pattern() : null;
		this.hit = new Uint8Array(view.nframes);
		this.matches = [];
		if (wanted)
			for (let f = 1; f < view.nframes; f++)
				this.hit[f] = wanted.test(frameName(view, f)) ? 1 : 0;
		if (wanted) {
			const found = view.outermost(this.hit);
			this.matched = found.reduce((sum, i) => sum + view.total[i], 0);
			this.matches = found.sort((a, b) => view.total[b] - view.total[a] || a - b);
		}
		this.match = -1;
		showMatches(this);
	}
	step(by) {
		if (!this.matches.length)
			return;
		this.match = (this.match + by + this.matches.length) % this.matches.length;
		const id = this.matches[this.match], view = this.view;
		this.picture.selected = {graph: view, id};
		this.set({view: "flame", zoom: view.path(view.parent[id])}, "zoom");
		requestAnimationFrame(() => setTimeout(() => this.reveal(), this.calm.matches ? 0 : GLIDE_MS + 40));
		showMatches(this);
	}
	reveal() {
		const selected = this.picture.selected, found = selected && this.picture.boxOf(selected.graph, selected.id);
		if (found)
			this.picture.reveal(found);
		this.picture.paint();
	}
	/* ---- choosing */
	select(graph, id) {
		this.picture.selected = graph ? {graph, id} : null;
		this.picture.paint();
		this.tell();
	}
	/* The function that actions are about: selected, zoomed, or none (-1). */
	get subject() {
		const at = this.picture.selected || (this.zoomed && this.zoomed.id ? this.zoomed : null);
		const frame = this.state.view === "sandwich" && !this.picture.selected ? this.frameOfInterest : at ? at.graph.frameOf(at.id) : -1;
		return frame > 0 && frame < this.tree.nframes ? frame : -1;
	}
	zoom(graph, id) {
		this.picture.selected = id === graph.root ? null : {graph, id};
		if (this.state.view === "sandwich") {
			const frame = graph.frameOf(id);
			if (id !== graph.root && frame < this.tree.nframes)
				this.sandwich(frame);
			return;
		}
		this.set({zoom: graph.path(id)}, "zoom");
	}
	zoomOut() {
		if (this.state.search)
			return this.set({search: ""}, "search");
		this.picture.selected = null;
		return this.set({zoom: this.state.zoom.slice(0, -1)}, "zoom");
	}
	sandwich(frame) {
		if (frame < 0)
			return;
		this.picture.selected = null;
		this.set({view: "sandwich", frame}, "layout");
	}
	only(frame) {
		if (frame < 0)
			return;
		this.state.filter.frames.add(frame);
		this.set({zoom: []}, "filters");
	}
	/* From frame to frame with the keyboard. */
	walk(direction) {
		const graph = this.state.view === "sandwich" ? null : this.graph, kids = [];
		if (!graph || this.state.view === "table")
			return;
		const selected = this.picture.selected && this.picture.selected.graph === graph ? this.picture.selected.id : null;
		let id = selected === null ? this.zoomed.id : selected;
		const heavy = list => list.reduce((a, b) => graph.value(b) > graph.value(a) ? b : a);
		if (direction === "in") {
			if (graph.children(id, kids).length)
				id = heavy(kids);
		} else if (direction === "out") {
			id = id === graph.root ? id : graph.parentOf(id);
		} else if (id !== graph.root) {
			graph.children(graph.parentOf(id), kids);
			if (this.heaviestFirst)
				kids.sort((a, b) => graph.value(b) - graph.value(a) || a - b);
			id = kids[Math.min(kids.length - 1, Math.max(0, kids.indexOf(id) + (direction === "right" ? 1 : -1)))];
		}
		this.select(graph, id);
		this.reveal();
	}
	/* ---- words */
	about(graph, id) {
		const {view, tree} = this, frame = graph.frameOf(id), value = graph.value(id), sum = view.total[0];
		const sides = graph.sides(id), lines = [], frames = tree.frames;
		if (frame < tree.nframes && frames.module[frame])
			lines.push(frames.kind[frame] === KIND.unknown ? NAMELESS : frames.module[frame] + (frames.source[frame] ? ", " + frames.source[frame] : ""));
		if (sides) {
			lines.push(this.difference(sides));
			if (graph.own && sureDifference(graph.own(id), view))
				lines.push("self " + this.difference(graph.own(id)));
		} else {
			lines.push(valueText(tree.unit, value) + ", " + percentText(value, sum) + " of all");
		}
		if (graph === view && view.self[id] && !sides)
			lines.push("self " + valueText(tree.unit, view.self[id]) + ", " + percentText(view.self[id], sum));
		if (this.zoomed && this.zoomed.graph === graph && this.zoomed.id)
			lines.push(percentText(value, graph.value(this.zoomed.id)) + " of the zoomed frame");
		return {name: frame ? frameName(view, frame) : "all", lines};
	}
	difference(sides) {
		const {view} = this, now = view.sum ? 100 * sides.now / view.sum : 0, before = view.before[0] ? 100 * sides.before / view.before[0] : 0;
		const [then, here] = this.state.compare === "time" ? ["of the rest", "of the selected time"] : ["before", "now"];
		return `${before.toFixed(2)} % ${then}, ${now.toFixed(2)} % ${here}: ${now >= before ? "+" : "−"}${Math.abs(now - before).toFixed(2)} points`;
	}
	tell() {
		const at = this.picture.selected || this.zoomed;
		showSubject(this, at && this.state.view !== "table" && this.view.total[0] > 0 ? this.about(at.graph, at.id) : null);
	}
	copy() {
		const at = this.zoomed && this.zoomed.graph === this.view ? this.zoomed.id : 0;
		const lines = this.view.folded(at, 100000);
		copyText(lines.join("\n") + "\n", lines.length.toLocaleString("en-US") + " folded stacks copied");
	}
	/* ---- the address */
	keep() {
		const {state} = this, parts = new URLSearchParams(), filter = state.filter;
		const put = (name, value, plain) => value !== plain && parts.set(name, value);
		put("event", state.tree, 0);
		put("view", state.view, this.page.view);
		put("by", state.by, this.page.by);
		put("color", state.color, this.plainColor);
		put("order", state.order, "");
		put("bands", state.bands, "comm");
		put("compare", state.compare, this.page.compare);
		put("up", state.flip ? 1 : 0, 0);
		put("time", state.range ? state.range.map(Math.round).join("-") : "", "");
		put("zoom", state.zoom.join("."), "");
		put("frame", state.frame, -1);
		put("search", state.search, "");
		put("case", state.ignoreCase ? "ignore" : "", "");
		for (const name of ["processes", "threads", "cpus", "frames"])
			put(name, [...filter[name]].join("."), "");
		put("side", filter.side, "");
		try {
			history.replaceState(null, "", location.pathname + location.search + (parts.size ? "#" + parts : ""));
		} catch (e) { /* some viewers forbid it */ }
	}
	restore() {
		const parts = new URLSearchParams(location.hash.slice(1)), {state} = this;
		const word = (name, plain, allowed) => allowed.includes(parts.get(name)) ? parts.get(name) : plain;
		const numbers = name => (parts.get(name) || "").split(".").filter(Boolean).map(Number).filter(n => Number.isInteger(n) && n >= 0);
		state.tree = Math.min(Math.max(0, Number(parts.get("event")) || 0), this.page.trees.length - 1);
		state.view = word("view", this.page.view, ["flame", "inverted", "table", "sandwich"]);
		state.by = word("by", this.page.by, ["none", "comm", "process", "thread", "cpu", "recording"]);
		state.color = word("color", this.plainColor, ["kind", "module", "hash", "difference"]);
		state.order = word("order", "", ["name", "weight"]);
		state.bands = word("bands", "comm", ["comm", "process", "thread", "cpu", "kind"]);
		state.compare = /^(none|time|recordings:\d+,\d+)$/.test(parts.get("compare")) ? parts.get("compare") : this.page.compare;
		state.flip = parts.get("up") === "1";
		state.zoom = numbers("zoom");
		state.frame = numbers("frame").concat(-1)[0];
		state.frame = state.frame < this.tree.nframes ? state.frame : -1;
		state.search = parts.get("search") || "";
		state.ignoreCase = parts.get("case") === "ignore";
		const range = (parts.get("time") || "").split("-").map(Number);
		state.range = range.length === 2 && range[0] < range[1] ? range : null;
		this.timeline.range = state.range;
		state.filter = freshFilter();
		for (const name of ["processes", "threads", "cpus", "frames"])
			state.filter[name] = new Set(numbers(name));
		state.filter.side = word("side", "", ["user", "kernel"]);
		this.picture.selected = null;
		this.update("filters");
	}
	/* Whether no more is asked for than the first picture shows. */
	get plain() {
		return location.hash.length < 2 && this.page.by === "comm" && this.page.view === "flame";
	}
}
