/* SPDX-License-Identifier: BSD-2-Clause
 * Trees that join many places of a view: all callers of a function, all it calls,
 * or everything from the leaves up.  A node is opened when it is first looked at,
 * so that work follows what is wide enough to be seen. */

class Places { /* nodes of a view, and how much of each */
	constructor(n, compared) {
		this.entries = new Int32Array(n);
		this.now = new Float64Array(n);
		this.before = compared ? new Float64Array(n) : null;
		this.n = 0;
	}
	put(entry, now, before) {
		this.entries[this.n] = entry;
		this.now[this.n] = now;
		if (this.before)
			this.before[this.n] = before;
		this.n++;
	}
}

class Merged {
	/* `entries`: nodes of the view, whose frames are one and the same (frame) or
	 * differ (frame -1: a root above them); `up`: towards callers. */
	constructor(view, entries, up, frame) {
		const leaves = up && frame < 0, places = new Places(entries.length, view.before);
		this.view = view;
		this.up = up;
		this.nodes = [];
		this.slot = new Int32Array(view.nframes); /* scratch of group() */
		for (let i = 0; i < entries.length; i++)
			places.put(entries[i], (leaves ? view.self : view.now)[entries[i]], view.before ? (leaves ? view.otherSelf : view.before)[entries[i]] : 0);
		this.add(-1, frame, places);
		if (frame < 0)
			this.group(0, places);
	}
	add(parent, frame, places) {
		const sides = {now: 0, before: 0};
		for (let i = 0; i < places.n; i++) {
			sides.now += places.now[i];
			sides.before += places.before ? places.before[i] : 0;
		}
		this.nodes.push({parent, frame, places, sides, value: this.view.mix(sides.now, sides.before), kids: null});
		return this.nodes.length - 1;
	}
	/* Places by frame become the children of `id`. */
	group(id, {entries, now, before, n}) {
		const frame = this.view.frame, slot = this.slot, order = nameOrder(this.view), found = [];
		for (let i = 0; i < n; i++)
			if (!slot[frame[entries[i]]]++)
				found.push(frame[entries[i]]);
		found.sort((a, b) => order[a] - order[b]);
		const kids = found.map((f, k) => {
			const places = new Places(slot[f], before);
			slot[f] = k;
			return places;
		});
		for (let i = 0; i < n; i++)
			kids[slot[frame[entries[i]]]].put(entries[i], now[i], before ? before[i] : 0);
		this.nodes[id].kids = found.map((f, k) => this.add(id, f, kids[k]));
		for (const f of found)
			slot[f] = 0;
	}
	open(id) {
		const {entries, now, before, n} = this.nodes[id].places, view = this.view;
		let room = this.up ? n : 0;
		for (let i = 0; !this.up && i < n; i++)
			for (let c = entries[i] + 1, end = entries[i] + view.size[entries[i]]; c < end; c += view.size[c])
				room++;
		const next = new Places(room, before);
		for (let i = 0; i < n; i++) {
			const at = entries[i];
			if (this.up && view.parent[at] > 0)
				next.put(view.parent[at], now[i], before ? before[i] : 0);
			for (let c = at + 1, end = at + view.size[at]; !this.up && c < end; c += view.size[c])
				next.put(c, view.now[c], before ? view.before[c] : 0);
		}
		this.group(id, next);
	}
	get root() {
		return 0;
	}
	children(id, out) {
		if (!this.nodes[id].kids)
			this.open(id);
		out.length = 0;
		out.push(...this.nodes[id].kids);
		return out;
	}
	value(id) {
		return this.nodes[id].value;
	}
	frameOf(id) {
		return Math.max(0, this.nodes[id].frame);
	}
	parentOf(id) {
		return this.nodes[id].parent;
	}
	path(id) {
		const frames = [];
		for (; id > 0; id = this.nodes[id].parent)
			frames.push(this.nodes[id].frame);
		return frames.reverse();
	}
	find(path) {
		let at = 0;
		for (const frame of path) {
			const next = this.children(at, []).find(c => this.nodes[c].frame === frame);
			if (next === undefined)
				break;
			at = next;
		}
		return at;
	}
	sides(id) {
		return this.view.before ? this.nodes[id].sides : null;
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
