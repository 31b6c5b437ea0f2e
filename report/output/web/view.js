/* SPDX-License-Identifier: BSD-2-Clause
 * What part of the data is looked at: a forest, and how much of the wanted rows
 * ends in each of its nodes and below.  With two sides, `total` is the mean of
 * both after the other side was scaled, to the size of the first or as asked, so
 * that what vanished has a width too. */

class View {
	/* now, before: {self, total} by node; before may be null.  forest: a Forest, or
	 * an Overview that was measured.  scale: see ofRows(). */
	constructor(forest, now, before, scale) {
		Object.assign(this, {forest, tree: forest.tree, labels: forest.labels, n: forest.n, nframes: forest.tree.nframes + forest.labels.length,
			parent: forest.parent, frame: forest.frame, size: forest.size});
		this.self = now.self;
		this.now = this.total = now.total;
		this.sum = this.now[0];
		this.gap = now.gap; /* only of an Overview: what is left out before a node */
		this.positions = {};
		if (!before)
			return;
		this.otherSelf = before.self;
		this.before = before.total;
		this.shares = !scale && this.sum > 0; /* sides are made equal: only shares can differ */
		this.scale = !this.before[0] ? 0 : scale || (this.sum || this.before[0]) / this.before[0];
		this.total = this.now.map((v, i) => this.mix(v, this.before[i]));
		this.gap = now.gap && now.gap.map((v, i) => this.mix(v, before.gap[i]));
	}
	/* query: {pass, lo, hi, side}
	 *   pass    from passing()
	 *   lo, hi  rows
	 *   side    null; {lo, hi}: rows between are compared with all others; or, by
	 *           thread, 0 now, 1 before, -1 neither
	 *   scale   of the other side; none: both are made equal */
	static ofRows(forest, {pass, lo, hi, side, scale}) {
		const {n, leaf} = forest, {weight, thread, rows} = forest.tree, now = new Float64Array(n), before = side ? new Float64Array(n) : null;
		const add = (to, from, end, wanted) => {
			for (let row = from; row < end; row++)
				if ((!pass || pass[row]) && (wanted === null || side[thread[row]] === wanted))
					to[leaf[row]] += weight[row];
		};
		if (side && side.length !== undefined) {
			add(now, lo, hi, 0);
			add(before, lo, hi, 1);
		} else {
			add(now, lo, hi, null);
		}
		if (side && side.length === undefined) {
			add(before, 0, lo, null);
			add(before, hi, rows, null);
		}
		const sums = self => self && {self, total: addUp(forest.parent, self)};
		return new View(forest, sums(now), sums(before), scale);
	}
	/* The width of what was `now` in one side and `before` in the other. */
	mix(now, before) {
		if (!this.before)
			return now;
		return (now + before * this.scale) / (this.sum && this.before[0] ? 2 : 1);
	}
	sides(id) {
		return this.before ? {now: this.now[id], before: this.before[id]} : null;
	}
	/* The same of what ends in the node itself. */
	own(id) {
		return this.before ? {now: this.self[id], before: this.otherSelf[id]} : null;
	}
	get meanWeight() {
		return this.tree.meanWeight;
	}
	get root() {
		return 0;
	}
	/* Only what has a weight is a child. */
	children(id, out) {
		out.length = 0;
		for (let c = id + 1, end = id + this.size[id]; c < end; c += this.size[c])
			if (this.total[c] > 0)
				out.push(c);
		return out;
	}
	value(id) {
		return this.total[id];
	}
	frameOf(id) {
		return this.frame[id];
	}
	parentOf(id) {
		return this.parent[id];
	}
	/* Where each node begins, and the nodes of each level from left to right. */
	place(heaviestFirst) {
		const key = heaviestFirst ? "heaviest" : "name";
		return this.positions[key] = this.positions[key] || (heaviestFirst ? placeHeaviest(this) : placeByName(this));
	}
	/* By frame: self, and total with every stack counted once. */
	table() {
		if (this.sums)
			return this.sums;
		const self = new Float64Array(this.nframes), total = new Float64Array(this.nframes), end = new Int32Array(this.nframes);
		const otherSelf = new Float64Array(this.nframes), other = new Float64Array(this.nframes);
		for (let i = 1; i < this.n; i++) {
			const f = this.frame[i];
			self[f] += this.self[i];
			if (this.before)
				otherSelf[f] += this.otherSelf[i];
			if (i < end[f])
				continue; /* below itself */
			end[f] = i + this.size[i];
			total[f] += this.now[i];
			if (this.before)
				other[f] += this.before[i];
		}
		return this.sums = {self, total, otherSelf, other};
	}
	/* Nodes under which a stack has a frame with hit[frame], outermost only. */
	outermost(hit) {
		const found = [];
		for (let i = 0; i < this.n;) {
			if (hit[this.frame[i]] && this.total[i] > 0)
				found.push(i);
			i += hit[this.frame[i]] || !this.total[i] ? this.size[i] : 1;
		}
		return found;
	}
	/* Frames from the root (not counting it) to a node, and back. */
	path(id) {
		const frames = [];
		for (; id > 0; id = this.parent[id])
			frames.push(this.frame[id]);
		return frames.reverse();
	}
	find(path) {
		let at = 0;
		for (const frame of path) {
			const next = this.children(at, []).find(c => this.frame[c] === frame);
			if (next === undefined)
				break;
			at = next;
		}
		return at;
	}
	/* Folded stacks below a node, as fold-report writes them. */
	folded(from, limit) {
		const names = this.path(from).map(f => frameName(this, f)), lines = [];
		const last = name => name.replace(/ +(?=[\d.]+$)/, blanks => "_".repeat(blanks.length));
		const walk = (id, path) => {
			if (lines.length >= limit)
				return;
			if (this.self[id] > 0)
				lines.push([...path.slice(0, -1), last(path[path.length - 1] || "[unknown]")].join(";") + " " + Math.round(this.self[id]));
			for (const c of this.children(id, []))
				walk(c, path.concat(frameName(this, this.frame[c])));
		};
		walk(from, names);
		return lines.sort((a, b) => a < b ? -1 : 1);
	}
}

function addUp(parent, self) {
	const total = self.slice();
	for (let i = total.length - 1; i > 0; i--)
		total[parent[i]] += total[i];
	return total;
}

function placeByName({n, parent, total, gap, forest}) {
	const left = new Float64Array(n), next = new Float64Array(n); /* where the next child begins */
	for (let i = 1; i < n; i++) {
		const above = parent[i];
		left[i] = next[i] = next[above] + (gap ? gap[i] : 0);
		next[above] = left[i] + total[i];
	}
	return {left, levels: forest.levels};
}
function placeHeaviest(view) {
	const {n, total} = view, left = new Float64Array(n), levels = [], kids = [], stack = [0, 0]; /* node, depth */
	while (stack.length) {
		const depth = stack.pop(), id = stack.pop();
		(levels[depth] = levels[depth] || []).push(id);
		view.children(id, kids).sort((a, b) => total[b] - total[a] || a - b);
		let x = left[id];
		for (const c of kids) {
			left[c] = x;
			x += total[c];
		}
		for (let i = kids.length - 1; i >= 0; i--)
			stack.push(kids[i], depth + 1);
	}
	return {left, levels: levels.map(level => Int32Array.from(level))};
}

/* ---- names, safe for a line and for folded stacks */
function cleanName(name) {
	return name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, " ").replace(/;/g, ":").trim() || "[unknown]";
}
function frameName(view, frame) {
	const {names, nframes, frames} = view.tree;
	if (frame < nframes)
		return names[frame] || (names[frame] = cleanName(frames.name[frame] || ""));
	if (!view.roots)
		view.roots = view.labels.map(label => cleanName(label).replace(/ /g, "_"));
	return view.roots[frame - nframes];
}
