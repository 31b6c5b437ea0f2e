/* SPDX-License-Identifier: BSD-2-Clause
 * The tree below its roots: commands, processes, threads, CPUs or recordings.  Built
 * once for all rows; what a view shows of it are the weights of some of them.
 * Nodes stand depth first, so that node i and all below it are i .. i + size[i] - 1. */

class Groups { /* which group each thread or CPU is in, and how groups are called, sorted */
	constructor(page, tree, by) {
		const threads = page.threads, processes = page.processes;
		const names = {
			comm: (t, p) => processes.comm[p],
			process: (t, p) => processes.comm[p] + "-" + processes.pid[p],
			thread: (t, p) => threads.comm[t] + "-" + processes.pid[p] + "/" + threads.tid[t],
			recording: (t, p) => page.recordings[processes.recording[p]].label,
		};
		if (by === "cpu") {
			this.column = tree.cpu;
			this.sort(Array.from({length: tree.cpu.reduce((a, b) => Math.max(a, b), 0) + 1}, (_, i) => i ? "cpu-" + (i - 1) : "cpu-?"));
		} else {
			this.column = tree.thread;
			this.sort(threads.tid.map((_, t) => names[by](t, threads.process[t]) || "[unknown]"));
		}
	}
	sort(labels) {
		this.labels = [...new Set(labels)].sort();
		const places = new Map(this.labels.map((label, i) => [label, i]));
		this.of = Int32Array.from(labels, label => places.get(label));
	}
}

class Growing { /* a typed array that gets longer */
	constructor(Kind, n = 1024) {
		this.v = new Kind(n);
	}
	room(n) {
		if (n > this.v.length) {
			const longer = new this.v.constructor(Math.max(n, 2 * this.v.length));
			longer.set(this.v);
			this.v = longer;
		}
	}
}

class Forest {
	/* by: "none" or what Groups know */
	constructor(page, tree, by) {
		this.tree = tree;
		this.labels = [];
		this.nframes = tree.nframes;
		if (by === "none") {
			Object.assign(this, {n: tree.n, parent: tree.parent, frame: tree.frame, leaf: tree.node});
		} else {
			const groups = new Groups(page, tree, by);
			this.labels = groups.labels;
			this.nframes += this.labels.length;
			this.plant(groups);
		}
		measure(this);
	}
	plant({column, of, labels}) {
		const tree = this.tree, rows = new Int32Array(tree.rows), begin = new Int32Array(labels.length + 1);
		for (let row = 0; row < tree.rows; row++)
			begin[of[column[row]] + 1]++;
		for (let g = 0; g < labels.length; g++)
			begin[g + 1] += begin[g];
		const at = begin.slice();
		for (let row = 0; row < tree.rows; row++)
			rows[at[of[column[row]]]++] = row;
		const to = this.to = {parent: new Growing(Int32Array, tree.n), frame: new Growing(Int32Array, tree.n)};
		const scratch = {mark: new Int32Array(tree.n).fill(-1), place: new Int32Array(tree.n), touched: new Int32Array(tree.n)};
		this.leaf = new Int32Array(tree.rows); /* by row: the node it ends in */
		this.n = 1;
		to.parent.v[0] = -1;
		for (let g = 0; g < labels.length; g++)
			if (begin[g] < begin[g + 1])
				this.addGroup(g, rows.subarray(begin[g], begin[g + 1]), scratch);
		this.parent = to.parent.v.subarray(0, this.n);
		this.frame = to.frame.v.subarray(0, this.n);
		delete this.to;
	}
	addGroup(g, rows, {mark, place, touched}) {
		const {parent, frame, node, nframes} = this.tree;
		let n = 0;
		for (let i = 0; i < rows.length; i++)
			for (let at = node[rows[i]]; at >= 0 && mark[at] !== g; at = parent[at]) {
				mark[at] = g;
				touched[n++] = at;
			}
		this.inOrder(touched, n, mark, g);
		this.to.parent.room(this.n + n);
		this.to.frame.room(this.n + n);
		const toParent = this.to.parent.v, toFrame = this.to.frame.v;
		for (let i = 0; i < n; i++) {
			const at = touched[i], id = this.n++; /* the tree's root is the group */
			place[at] = id;
			toParent[id] = at ? place[parent[at]] : 0;
			toFrame[id] = at ? frame[at] : nframes + g;
		}
		for (let i = 0; i < rows.length; i++)
			this.leaf[rows[i]] = place[node[rows[i]]];
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
}

/* Sizes of all nodes, and the nodes of each level, from left to right. */
function measure(forest) {
	const {n, parent} = forest, depth = new Int32Array(n), counts = [1];
	forest.size = new Int32Array(n).fill(1);
	for (let i = n - 1; i > 0; i--)
		forest.size[parent[i]] += forest.size[i];
	for (let i = 1; i < n; i++) {
		depth[i] = depth[parent[i]] + 1;
		counts[depth[i]] = (counts[depth[i]] || 0) + 1;
	}
	forest.levels = counts.map(count => new Int32Array(count));
	counts.fill(0);
	for (let i = 0; i < n; i++)
		forest.levels[depth[i]][counts[depth[i]]++] = i;
}

/* ---- which rows are looked at */

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
	const {processes, threads, cpus, frames, side} = filter;
	if (!processes.size && !threads.size && !cpus.size && !frames.size && !side)
		return null;
	const threadPass = Uint8Array.from(page.threads.process, (p, t) => (!processes.size || processes.has(p)) && (!threads.size || threads.has(t)));
	const cpuPass = Uint8Array.from({length: tree.cpu.reduce((a, b) => Math.max(a, b), 0) + 1}, (_, i) => !cpus.size || cpus.has(i - 1));
	const nodePass = passingNodes(tree, filter), pass = new Uint8Array(tree.rows);
	for (let row = 0; row < pass.length; row++)
		pass[row] = threadPass[tree.thread[row]] & cpuPass[tree.cpu[row]] & nodePass[tree.node[row]];
	return pass;
}
/* Stacks that end in the kernel or outside of it, and that have all the frames asked for. */
function passingNodes(tree, filter) {
	const pass = new Uint8Array(tree.n).fill(1), has = new Uint8Array(tree.n);
	for (const frame of filter.frames) {
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
