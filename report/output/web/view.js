/* SPDX-License-Identifier: BSD-2-Clause
 * What part of the data is looked at: from rows that pass the filters to a tree
 * with roots.  A view's nodes stand depth first, so that node i and all below it
 * are i .. i + size[i] - 1. */

class Groups { /* what --by puts below the stacks */
	constructor(page, by) {
		const threads = page.threads, processes = page.processes;
		this.by = by;
		this.labels = [];
		this.ofThread = null;
		if (by === "none" || by === "cpu")
			return;
		const ids = new Map();
		this.ofThread = Int32Array.from(threads.tid, (tid, i) => {
			const p = threads.process[i];
			const label = by === "comm" ? processes.comm[p] : by === "process" ? processes.comm[p] + "-" + processes.pid[p] :
				by === "thread" ? threads.comm[i] + "-" + processes.pid[p] + "/" + tid : page.recordings[processes.recording[p]].file;
			if (!ids.has(label)) {
				ids.set(label, this.labels.length);
				this.labels.push(label || "[unknown]");
			}
			return ids.get(label);
		});
	}
	/* Group of each row: null when there is one group without a name. */
	ofRows(tree) {
		if (this.by === "none")
			return null;
		if (this.ofThread)
			return tree.thread.map(thread => this.ofThread[thread]);
		this.labels = [];
		for (let i = 0, most = tree.cpu.reduce((a, b) => Math.max(a, b), 0); i <= most; i++)
			this.labels.push(i ? "cpu-" + (i - 1) : "cpu-?");
		return tree.cpu;
	}
}

/* Rows in [from, to) microseconds: indices [lo, hi). */
function rowsBetween(tree, from, to) {
	const first = time => {
		let lo = 0, hi = tree.rows;
		while (lo < hi) {
			const mid = (lo + hi) >> 1;
			if (tree.time[mid] < time)
				lo = mid + 1;
			else
				hi = mid;
		}
		return lo;
	};
	return [first(from), first(to)];
}

/* Which rows pass all filters but time: Uint8Array, or null for all. */
function passing(page, tree, filter) {
	const tests = [];
	if (filter.processes.size)
		tests.push(row => filter.processes.has(page.threads.process[tree.thread[row]]));
	if (filter.threads.size)
		tests.push(row => filter.threads.has(tree.thread[row]));
	if (filter.cpus.size)
		tests.push(row => filter.cpus.has(tree.cpu[row] - 1));
	if (filter.side || filter.frames.size) {
		const nodes = passingNodes(tree, filter);
		tests.push(row => nodes[tree.node[row]]);
	}
	if (!tests.length)
		return null;
	const pass = new Uint8Array(tree.rows);
	for (let row = 0; row < pass.length; row++)
		pass[row] = tests.every(test => test(row)) ? 1 : 0;
	return pass;
}
/* Stacks that end in the kernel or outside of it, and that have all the frames asked for. */
function passingNodes(tree, filter) {
	const pass = new Uint8Array(tree.n).fill(1), has = new Uint8Array(tree.n);
	for (const frame of filter.frames) {
		has[0] = 0;
		for (let i = 1; i < tree.n; i++) {
			has[i] = has[tree.parent[i]] || tree.frame[i] === frame ? 1 : 0;
			pass[i] &= has[i];
		}
		pass[0] = 0;
	}
	for (let i = 0; filter.side && i < tree.n; i++)
		pass[i] &= (tree.frames.kind[tree.frame[i]] === KIND.kernel) === (filter.side === "kernel") ? 1 : 0;
	return pass;
}

class Growing { /* a typed array that gets longer */
	constructor(Kind) {
		this.v = new Kind(1024);
	}
	room(n) {
		if (n > this.v.length) {
			const longer = new this.v.constructor(Math.max(n, 2 * this.v.length));
			longer.set(this.v);
			this.v = longer;
		}
	}
}

/*
 * query: {groups, pass, lo, hi, side}
 *   groups  Groups
 *   pass    from passing()
 *   side    null, or row -> 0 (counts), 1 (is compared with), -1 (neither)
 * With a side, `total` is the mean of both after the other side was scaled to
 * the size of the first, so that what vanished has a width too.
 */
class View {
	constructor(tree, query) {
		const labels = query.groups;
		this.tree = tree;
		this.query = query;
		this.groupOf = query.groups.ofRows(tree);
		this.labels = labels.labels;
		this.ngroups = this.groupOf ? this.labels.length : 1;
		this.nframes = tree.nframes + (this.groupOf ? this.ngroups : 0);
		this.n = 1;
		this.columns = {parent: new Growing(Int32Array), frame: new Growing(Int32Array), self: new Growing(Float64Array)};
		if (query.side)
			this.columns.otherSelf = new Growing(Float64Array);
		this.columns.parent.v[0] = -1;
		this.fill(this.rowsByGroup());
		for (const [name, column] of Object.entries(this.columns))
			this[name] = column.v.subarray(0, this.n);
		delete this.columns;
		this.addUp();
	}
	/* Rows wanted, group by group; where each group begins. */
	rowsByGroup() {
		const {pass, lo, hi, side} = this.query, groupOf = this.groupOf;
		const from = side ? 0 : lo, to = side ? this.tree.rows : hi;
		const begin = new Int32Array(this.ngroups + 1), rows = new Int32Array(to - from);
		for (let row = from; row < to; row++)
			if (!pass || pass[row])
				begin[(groupOf ? groupOf[row] : 0) + 1]++;
		for (let g = 0; g < this.ngroups; g++)
			begin[g + 1] += begin[g];
		const at = begin.slice();
		for (let row = from; row < to; row++)
			if (!pass || pass[row])
				rows[at[groupOf ? groupOf[row] : 0]++] = row;
		return {begin, rows};
	}
	fill({begin, rows}) {
		const tree = this.tree, order = Array.from({length: this.ngroups}, (_, g) => g);
		const scratch = {mark: new Int32Array(tree.n).fill(-1), place: new Int32Array(tree.n), touched: new Int32Array(tree.n),
			self: new Float64Array(tree.n), other: this.query.side ? new Float64Array(tree.n) : null};
		if (this.groupOf)
			order.sort((a, b) => this.labels[a] < this.labels[b] ? -1 : this.labels[a] > this.labels[b] ? 1 : a - b);
		for (const g of order)
			if (begin[g] < begin[g + 1])
				this.addGroup(g, rows.subarray(begin[g], begin[g + 1]), scratch);
	}
	addGroup(g, rows, {mark, place, touched, self, other}) {
		const {parent, frame, node, weight} = this.tree, side = this.query.side, c = this.columns;
		let n = 0;
		for (let i = 0; i < rows.length; i++) {
			const row = rows[i], which = side ? side(row) : 0;
			if (which < 0)
				continue;
			(which ? other : self)[node[row]] += weight[row];
			for (let at = node[row]; at >= 0 && mark[at] !== g; at = parent[at]) {
				mark[at] = g;
				touched[n++] = at;
			}
		}
		this.inOrder(touched, n, mark, g);
		for (const column of Object.values(c))
			column.room(this.n + n + 1);
		const to = {parent: c.parent.v, frame: c.frame.v, self: c.self.v, other: other && c.otherSelf.v};
		for (let i = 0; i < n; i++) {
			/* The tree's root is the group, or, without groups, the view's root. */
			const at = touched[i], id = at || this.groupOf ? this.n++ : 0;
			place[at] = id;
			to.parent[id] = id ? at ? place[parent[at]] : 0 : -1;
			to.frame[id] = at ? frame[at] : this.groupOf ? this.tree.nframes + g : 0;
			to.self[id] = self[at];
			self[at] = 0;
			if (other) {
				to.other[id] = other[at];
				other[at] = 0;
			}
		}
	}
	/* The marked nodes, depth first: sorted, or, when they are many, looked for. */
	inOrder(touched, n, mark, g) {
		if (n * 32 < this.tree.n) {
			touched.subarray(0, n).sort();
			return;
		}
		for (let at = 0, i = 0; i < n; at++)
			if (mark[at] === g)
				touched[i++] = at;
	}
	addUp() {
		const {n, parent, self, otherSelf} = this;
		const sum = from => {
			const total = Float64Array.from(from);
			for (let i = n - 1; i > 0; i--)
				total[parent[i]] += total[i];
			return total;
		};
		this.size = new Int32Array(n).fill(1);
		for (let i = n - 1; i > 0; i--)
			this.size[parent[i]] += this.size[i];
		this.total = sum(self);
		this.now = this.total;
		this.sum = this.total[0];
		if (!otherSelf)
			return;
		this.before = sum(otherSelf);
		this.scale = this.before[0] ? (this.sum || this.before[0]) / this.before[0] : 0;
		this.total = this.now.map((v, i) => this.mix(v, this.before[i]));
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
	get meanWeight() {
		return this.tree.meanWeight;
	}
	get root() {
		return 0;
	}
	children(id, out) {
		out.length = 0;
		for (let c = id + 1, end = id + this.size[id]; c < end; c += this.size[c])
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
	outermost(hit, from = 0) {
		const found = [], end = from + this.size[from];
		for (let i = from; i < end;) {
			if (hit[this.frame[i]]) {
				found.push(i);
				i += this.size[i];
			} else {
				i++;
			}
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

/* ---- names, safe for a line and for folded stacks */
function cleanName(name) {
	return name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, " ").replace(/;/g, ":").trim() || "[unknown]";
}
function frameName(view, frame) {
	const tree = view.tree;
	if (!tree.names)
		tree.names = tree.frames.name.map(cleanName);
	if (!view.roots)
		view.roots = view.labels.map(label => cleanName(label).replace(/ /g, "_"));
	return frame < tree.nframes ? tree.names[frame] : view.roots[frame - tree.nframes];
}
/* Place of each frame when frames are sorted by name. */
function nameOrder(view) {
	if (!view.order) {
		const frames = Array.from({length: view.nframes}, (_, f) => f);
		frames.sort((a, b) => {
			const x = frameName(view, a), y = frameName(view, b);
			return x < y ? -1 : x > y ? 1 : a - b;
		});
		view.order = new Int32Array(view.nframes);
		frames.forEach((f, i) => (view.order[f] = i));
	}
	return view.order;
}
