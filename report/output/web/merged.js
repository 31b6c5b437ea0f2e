/* SPDX-License-Identifier: BSD-2-Clause
 * Trees that join many places of a view: all callers of a function, all it calls,
 * or everything from the leaves up.  A node is opened when it is first looked at,
 * so that work follows what is wide enough to be seen. */

class Merged {
	/* `places`: nodes of the view, whose frames are one and the same (frame) or
	 * differ (frame -1: a root above them); `up`: towards callers. */
	constructor(view, places, up, frame) {
		const leaves = up && frame < 0, n = places.length, column = from => from && Float64Array.from(places, i => from[i]);
		this.view = view;
		this.up = up;
		this.n = 0;
		/* A node: the entries [from, to) of a block, and, once opened, its children
		 * kid .. kid + kids - 1. */
		this.columns = {parent: new Growing(Int32Array), frame: new Growing(Int32Array), block: new Growing(Int32Array), from: new Growing(Int32Array),
			to: new Growing(Int32Array), kid: new Growing(Int32Array), kids: new Growing(Int32Array), now: new Growing(Float64Array), before: new Growing(Float64Array)};
		this.sorted = new Map(); /* children of a node, heaviest first */
		this.slot = new Int32Array(view.nframes); /* scratch of split() */
		/* A block: nodes of the view, and how much of each. */
		this.blocks = [{entries: Int32Array.from(places), now: column(leaves ? view.self : view.now), before: column(leaves ? view.otherSelf : view.before)}];
		this.add(-1, frame, 0, 0, n);
		if (frame < 0)
			this.split(0, this.blocks[0]);
	}
	add(parent, frame, block, from, to) {
		const id = this.n++, c = this.columns, {now, before} = this.blocks[block];
		for (const name in c)
			c[name].room(this.n);
		const values = {parent, frame, block, from, to, kid: -1, kids: 0, now: 0, before: 0};
		for (let i = from; i < to; i++) {
			values.now += now[i];
			values.before += before ? before[i] : 0;
		}
		for (const name in c)
			c[name].v[id] = values[name];
		return id;
	}
	/* Entries by frame: a block of their own, whose parts are the children of `id`. */
	split(id, {entries, now, before}) {
		const {frame} = this.view, {slot} = this, n = entries.length, found = [];
		for (let i = 0; i < n; i++)
			if (!slot[frame[entries[i]]]++)
				found.push(frame[entries[i]]);
		const frames = Int32Array.from(found).sort(); /* numbers of frames are in order of names */
		const block = {entries: new Int32Array(n), now: new Float64Array(n), before: before && new Float64Array(n)};
		const ends = new Int32Array(frames.length);
		let begin = 0;
		for (let k = 0; k < frames.length; k++) {
			ends[k] = begin + slot[frames[k]];
			slot[frames[k]] = begin;
			begin = ends[k];
		}
		for (let i = 0; i < n; i++) {
			const at = slot[frame[entries[i]]]++;
			block.entries[at] = entries[i];
			block.now[at] = now[i];
			if (before)
				block.before[at] = before[i];
		}
		this.blocks.push(block);
		this.columns.kid.v[id] = this.n;
		this.columns.kids.v[id] = frames.length;
		for (let k = 0; k < frames.length; k++) {
			this.add(id, frames[k], this.blocks.length - 1, k ? ends[k - 1] : 0, ends[k]);
			slot[frames[k]] = 0;
		}
	}
	open(id) {
		const c = this.columns, {entries, now, before} = this.blocks[c.block.v[id]], from = c.from.v[id], to = c.to.v[id], view = this.view;
		const next = {entries: [], now: [], before: view.before ? [] : null};
		const put = (entry, isNow, wasBefore) => {
			next.entries.push(entry);
			next.now.push(isNow);
			if (view.before)
				next.before.push(wasBefore);
		};
		for (let i = from; i < to; i++) {
			const at = entries[i];
			if (this.up && view.parent[at] > 0)
				put(view.parent[at], now[i], before ? before[i] : 0);
			for (let kid = at + 1, end = at + view.size[at]; !this.up && kid < end; kid += view.size[kid])
				if (view.total[kid] > 0)
					put(kid, view.now[kid], view.before ? view.before[kid] : 0);
		}
		this.split(id, next);
	}
	get root() {
		return 0;
	}
	children(id, out, heaviestFirst = false) {
		const c = this.columns;
		if (c.kid.v[id] < 0)
			this.open(id);
		out.length = 0;
		for (let i = 0, kid = c.kid.v[id], n = c.kids.v[id]; i < n; i++)
			out.push(kid + i);
		if (heaviestFirst && !this.sorted.has(id))
			this.sorted.set(id, out.slice().sort((a, b) => this.value(b) - this.value(a) || a - b));
		if (heaviestFirst)
			this.sorted.get(id).forEach((kid, i) => (out[i] = kid));
		return out;
	}
	value(id) {
		return this.view.mix(this.columns.now.v[id], this.columns.before.v[id]);
	}
	frameOf(id) {
		return Math.max(0, this.columns.frame.v[id]);
	}
	parentOf(id) {
		return this.columns.parent.v[id];
	}
	path(id) {
		const frames = [];
		for (; id > 0; id = this.parentOf(id))
			frames.push(this.frameOf(id));
		return frames.reverse();
	}
	find(path) {
		let at = 0;
		for (const frame of path) {
			const next = this.children(at, []).find(c => this.frameOf(c) === frame);
			if (next === undefined)
				break;
			at = next;
		}
		return at;
	}
	sides(id) {
		return this.view.before ? {now: this.columns.now.v[id], before: this.columns.before.v[id]} : null;
	}
}

/* Everything from the leaves up. */
function inverted(view) {
	const leaves = new Int32Array(view.n);
	let n = 0;
	for (let i = 1; i < view.n; i++)
		if (view.self[i] > 0 || view.before && view.otherSelf[i] > 0)
			leaves[n++] = i;
	return new Merged(view, leaves.subarray(0, n), true, -1);
}
