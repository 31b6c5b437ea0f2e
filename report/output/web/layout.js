/* SPDX-License-Identifier: BSD-2-Clause
 * From a graph to boxes in a window [x0, x1] of the unit interval: one row of
 * boxes for each depth, left to right, in typed arrays that are used again from
 * frame to frame.  A graph is anything with root, children(), value(), frameOf(),
 * parentOf() and sides(). */

const LEAST_PX = 0.4;

class Row {
	constructor() {
		this.n = 0;
		this.id = new Int32Array(64);
		this.x = new Float64Array(64);
		this.w = new Float64Array(64);
	}
	put(id, x, w) {
		if (this.n === this.id.length)
			for (const name of ["id", "x", "w"]) {
				const longer = new this[name].constructor(2 * this.n);
				longer.set(this[name]);
				this[name] = longer;
			}
		this.id[this.n] = id;
		this.x[this.n] = x;
		this.w[this.n++] = w;
	}
	/* The box at x, or -1. */
	at(x) {
		let lo = 0, hi = this.n;
		while (lo < hi) {
			const mid = (lo + hi) >> 1;
			if (this.x[mid] + this.w[mid] < x)
				lo = mid + 1;
			else
				hi = mid;
		}
		return lo < this.n && this.x[lo] <= x ? lo : -1;
	}
}

class Rows {
	constructor() {
		this.rows = [];
		this.n = 0; /* that have boxes */
	}
	clear() {
		for (const row of this.rows)
			row.n = 0;
		this.n = 0;
	}
	row(depth) {
		while (depth >= this.rows.length)
			this.rows.push(new Row());
		this.n = Math.max(this.n, depth + 1);
		return this.rows[depth];
	}
	/* {depth, i} of a node's box, or null. */
	find(id) {
		for (let depth = 0; depth < this.n; depth++) {
			const i = this.rows[depth].id.subarray(0, this.rows[depth].n).indexOf(id);
			if (i >= 0)
				return {depth, i};
		}
		return null;
	}
}

/* Boxes of a view.  Work follows what is seen: what is too narrow is leapt over. */
function layOutView(view, window, width, heaviestFirst, rows) {
	const {left, levels} = view.place(heaviestFirst), {total} = view, whole = total[0];
	const begin = window.x0 * whole, end = window.x1 * whole, scale = width / (end - begin), least = LEAST_PX / scale;
	rows.clear();
	/* The first of level[from ..] that reaches beyond `edge`. */
	const beyond = (level, from, edge) => {
		let step = 1, lo = from, hi = from;
		while (hi < level.length && left[level[hi]] + total[level[hi]] <= edge) {
			lo = hi + 1;
			hi += step;
			step *= 2;
		}
		hi = Math.min(hi, level.length);
		while (lo < hi) {
			const mid = (lo + hi) >> 1;
			if (left[level[mid]] + total[level[mid]] <= edge)
				lo = mid + 1;
			else
				hi = mid;
		}
		return lo;
	};
	for (let depth = 0; whole > 0 && depth < levels.length; depth++) {
		const level = levels[depth];
		let row = null;
		for (let k = beyond(level, 0, begin); k < level.length && left[level[k]] < end;) {
			const id = level[k], w = total[id];
			if (w >= least) {
				row = row || rows.row(depth);
				row.put(id, (left[id] - begin) * scale, w * scale);
				k++;
			} else {
				k = beyond(level, k + 1, left[id] + least);
			}
		}
		if (!row)
			break;
	}
}

/* Boxes of a graph that is made while it is looked at (Merged). */
function layOutMerged(graph, window, width, heaviestFirst, rows) {
	const whole = graph.value(graph.root), scale = width / (window.x1 - window.x0), stack = [], kids = [];
	rows.clear();
	const put = (id, depth, x, share) => {
		const left = (x - window.x0) * scale, w = share * scale;
		if (w >= LEAST_PX && left <= width && left + w >= 0)
			stack.push(id, depth, x, share);
	};
	if (whole > 0)
		put(graph.root, 0, 0, 1);
	while (stack.length) {
		const share = stack.pop(), x = stack.pop(), depth = stack.pop(), id = stack.pop();
		rows.row(depth).put(id, (x - window.x0) * scale, share * scale);
		graph.children(id, kids, heaviestFirst);
		let right = x;
		for (const c of kids)
			right += graph.value(c) / whole;
		for (let i = kids.length - 1; i >= 0; i--) { /* the leftmost is popped first */
			const part = graph.value(kids[i]) / whole;
			right -= part;
			put(kids[i], depth + 1, right, part);
		}
	}
}

function layOut(graph, window, width, heaviestFirst, rows) {
	(graph instanceof View ? layOutView : layOutMerged)(graph, window, width, heaviestFirst, rows);
	return rows;
}
