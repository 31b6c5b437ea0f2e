/* SPDX-License-Identifier: BSD-2-Clause
 * Boxes on a canvas.  A graph is anything with root, children(), value(),
 * frameOf(), parentOf() and sides(); a picture lays one or two graphs out, draws
 * what is in sight, and tells what lies under a point. */

const ROW = 19, FONT = '11.5px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const LEAST_PX = 0.4, LABEL_PX = 22;

/* ---- colours: families by kind or module, shades by name, as in the SVG */

const FAMILIES = { /* hue, saturation, lightness on light and on dark paper */
	kinds: [[222, 10, 82, 34], [32, 80, 70, 36], [211, 62, 72, 38], [146, 42, 66, 32], [52, 72, 76, 40], [230, 3, 76, 42]],
	modules: [[32, 80, 70, 36], [211, 62, 72, 38], [146, 42, 66, 32], [348, 62, 74, 40], [270, 46, 76, 42], [184, 46, 66, 32],
		[52, 72, 72, 36], [84, 44, 66, 32], [316, 44, 76, 40], [238, 54, 78, 44], [12, 62, 70, 40], [222, 8, 80, 38]],
};
function shadeOf(name) {
	let h = 2166136261;
	for (let i = 0; i < name.length; i++)
		h = Math.imul(h ^ name.charCodeAt(i), 16777619);
	return ((h ^ h >>> 15) >>> 0) % 5 - 2;
}
function familyColor([hue, saturation, light, dark], shade, isDark) {
	return `hsl(${hue + shade * 2.5} ${isDark ? saturation * 0.62 : saturation}% ${(isDark ? dark : light) + shade * 2.2}%)`;
}
/* Is the difference more than two standard errors of counting?  A side without
 * samples is taken for one of a single sample. */
function sureDifference(sides, view) {
	const unit = view.meanWeight, now = Math.max(sides.now, unit), before = Math.max(sides.before, unit) * view.scale;
	return Math.abs(sides.now - sides.before * view.scale) > 2 * Math.sqrt((now + before * view.scale) * unit);
}
/* More is red, less is blue, what may be chance is grey. */
function differenceColor(sides, view, isDark) {
	const now = sides.now, before = sides.before * view.scale;
	const change = Math.max(now, before) ? (now - before) / Math.max(now, before) : 0;
	if (!sureDifference(sides, view))
		return isDark ? "hsl(220 5% 34%)" : "hsl(220 8% 86%)";
	const strength = Math.min(1, 0.25 + Math.abs(change));
	return isDark ? `hsl(${change > 0 ? 6 : 214} ${30 + 35 * strength}% ${34 + 10 * strength}%)` :
		`hsl(${change > 0 ? 6 : 214} ${45 + 35 * strength}% ${90 - 26 * strength}%)`;
}

class Palette {
	constructor(view, mode, dark) {
		this.view = view;
		this.mode = mode;
		this.dark = dark;
		this.cache = new Map();
		this.keys = []; /* [name, colour, self] for the legend */
		const {tree} = view, table = view.table(), sums = new Map();
		const keyOf = f => mode === "module" ? tree.frames.module[f] || "no module" : tree.frames.kind[f];
		for (let f = 1; f < tree.nframes; f++)
			if (table.total[f] || table.other[f])
				sums.set(keyOf(f), (sums.get(keyOf(f)) || 0) + table.self[f]);
		const order = [...sums].sort((a, b) => mode === "module" ? b[1] - a[1] || (a[0] < b[0] ? -1 : 1) : a[0] - b[0]);
		this.rank = new Map();
		for (const [key, self] of mode === "difference" ? [] : order) {
			const rank = mode === "module" ? Math.min(this.keys.length, FAMILIES.modules.length - 1) : key;
			const name = mode === "module" ? rank === FAMILIES.modules.length - 1 ? "others" : key : KIND_NAMES[key];
			this.rank.set(key, rank);
			if (mode === "module" && this.keys.length > rank)
				this.keys[rank][2] += self;
			else
				this.keys.push([name, familyColor(this.families()[rank], 0, dark), self]);
		}
		if (mode === "difference")
			for (const [name, now, before] of [["more", 1, 0], ["less", 0, 1], ["no sure difference", 0, 0]])
				this.keys.push([name, differenceColor({now, before}, {scale: 1, meanWeight: 0}, dark), null]);
		this.keyOf = keyOf;
	}
	families() {
		return this.mode === "module" ? FAMILIES.modules : FAMILIES.kinds;
	}
	color(graph, id) {
		const frame = graph.frameOf(id);
		if (this.mode === "difference" && this.view.before)
			return differenceColor(graph.sides(id), this.view, this.dark);
		let color = this.cache.get(frame);
		if (color === undefined) {
			const root = frame === 0 || frame >= this.view.tree.nframes;
			const family = root ? FAMILIES.kinds[0] : this.families()[this.rank.get(this.keyOf(frame))] || FAMILIES.kinds[0];
			color = familyColor(family, shadeOf(frameName(this.view, frame)), this.dark);
			this.cache.set(frame, color);
		}
		return color;
	}
}

/* ---- text that fits */

class Pen {
	constructor(context) {
		this.context = context;
		this.widths = new Map();
	}
	width(c) {
		let w = this.widths.get(c);
		if (w === undefined)
			this.widths.set(c, w = this.context.measureText(c).width);
		return w;
	}
	fitted(text, px) {
		let used = 0, n = 0, cut = 0;
		const dots = this.width("…");
		for (const c of text) {
			used += this.width(c);
			if (used > px)
				return cut ? text.slice(0, cut) + "…" : "";
			n += c.length;
			if (used + dots <= px)
				cut = n;
		}
		return text;
	}
}

/* ---- one graph, laid out in a window [x0, x1] of the unit interval */

function layOut(graph, window, width, heaviestFirst) {
	const rows = [], scale = width / (window.x1 - window.x0), whole = graph.value(graph.root);
	const stack = [], kids = [];
	const put = (id, depth, x, share) => {
		const left = (x - window.x0) * scale, w = share * scale;
		if (w < LEAST_PX || left > width || left + w < 0)
			return;
		(rows[depth] = rows[depth] || []).push({id, depth, x: left, w, at: x, share});
		stack.push(rows[depth][rows[depth].length - 1]);
	};
	if (!(whole > 0))
		return rows;
	put(graph.root, 0, 0, 1);
	while (stack.length) {
		const box = stack.pop();
		let x = box.at;
		graph.children(box.id, kids);
		const order = heaviestFirst ? kids.slice().sort((a, b) => graph.value(b) - graph.value(a)) : kids;
		for (const id of order.slice()) {
			const share = graph.value(id) / whole;
			put(id, box.depth + 1, x, share);
			x += share;
		}
	}
	for (const row of rows)
		row.sort((a, b) => a.x - b.x);
	return rows;
}

/*
 * A canvas in a scrolling box.  `parts`: [{graph, rows, top, up}], each with its
 * root's upper edge at `top` and growing up or down from it.
 */
class Picture {
	constructor(scroller) {
		this.scroller = scroller;
		this.canvas = scroller.querySelector("canvas");
		this.spacer = scroller.querySelector(".spacer");
		this.outline = scroller.querySelector(".outline");
		this.context = this.canvas.getContext("2d");
		this.pen = new Pen(this.context);
		this.parts = [];
		this.height = 0;
		this.selected = null; /* {graph, id} */
		scroller.addEventListener("scroll", () => this.paint(), {passive: true});
	}
	get width() {
		return this.scroller.clientWidth;
	}
	/* style: {palette, hit, view, dim} */
	show(parts, height, style) {
		this.parts = parts;
		this.height = height;
		this.style = style;
		this.spacer.style.height = Math.max(height, this.scroller.clientHeight) + "px";
		this.paint();
	}
	boxTop(part, box) {
		return part.up ? part.top - box.depth * ROW : part.top + box.depth * ROW;
	}
	paint() {
		if (!this.style)
			return;
		const ratio = window.devicePixelRatio || 1, width = this.width, height = this.scroller.clientHeight;
		const canvas = this.canvas, context = this.context, scroll = this.scroller.scrollTop;
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
			canvas.style.width = width + "px";
			canvas.style.height = height + "px";
		}
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		context.font = FONT;
		context.textBaseline = "middle";
		for (const part of this.parts)
			for (const row of part.rows)
				if (row && row.length) {
					const y = this.boxTop(part, row[0]) - scroll;
					if (y > -ROW && y < height)
						this.paintRow(part, row, y, width);
				}
		this.paintSelected(scroll);
	}
	paintRow(part, row, y, width) {
		const {palette, hit, view, ink} = this.style, context = this.context, graph = part.graph;
		const labels = [];
		let last = "";
		for (const box of row) {
			const frame = graph.frameOf(box.id), isHit = hit && hit[frame] && !(part.plain && box.depth === 0);
			const color = isHit ? ink.hit : palette.color(graph, box.id);
			const x = Math.max(0, box.x), right = Math.min(width, box.x + box.w);
			if (color !== last)
				context.fillStyle = last = color;
			context.globalAlpha = box.depth < part.dim ? 0.55 : 1;
			context.fillRect(x, y, Math.max(LEAST_PX, right - x - (box.w > 1.5 ? 0.6 : 0)), ROW - 1);
			if (right - x >= LABEL_PX)
				labels.push([x, right - x, frame, isHit, box.depth < part.dim]);
		}
		for (const [x, w, frame, isHit, dim] of labels) {
			const text = this.pen.fitted(frame ? frameName(view, frame) : "all", w - 7);
			context.globalAlpha = dim ? 0.7 : 1;
			context.fillStyle = isHit ? ink.hitText : ink.text;
			if (text)
				context.fillText(text, x + 4, y + ROW / 2);
		}
		context.globalAlpha = 1;
	}
	place(part, box) {
		return {left: Math.max(0, box.x), top: this.boxTop(part, box), width: Math.min(this.width, box.x + box.w) - Math.max(0, box.x)};
	}
	boxOf(graph, id) {
		for (const part of this.parts)
			if (part.graph === graph)
				for (const row of part.rows)
					for (const box of row || [])
						if (box.id === id)
							return {part, box};
		return null;
	}
	paintSelected(scroll) {
		const found = this.selected && this.boxOf(this.selected.graph, this.selected.id);
		if (!found)
			return;
		const {left, top, width} = this.place(found.part, found.box);
		this.context.strokeStyle = this.style.ink.select;
		this.context.lineWidth = 2;
		this.context.strokeRect(left + 1, top - scroll + 1, Math.max(1, width - 2.6), ROW - 3);
	}
	/* What lies at a point of the page: {part, box} or null. */
	hitTest(clientX, clientY) {
		const bounds = this.scroller.getBoundingClientRect();
		const x = clientX - bounds.left, y = clientY - bounds.top + this.scroller.scrollTop;
		for (const part of this.parts) {
			const depth = part.up ? Math.ceil((part.top - y) / ROW) : Math.floor((y - part.top) / ROW);
			const row = depth >= 0 && part.rows[depth];
			if (!row)
				continue;
			let lo = 0, hi = row.length;
			while (lo < hi) {
				const mid = (lo + hi) >> 1;
				if (row[mid].x + row[mid].w < x)
					lo = mid + 1;
				else
					hi = mid;
			}
			if (lo < row.length && row[lo].x <= x)
				return {part, box: row[lo]};
		}
		return null;
	}
	point(found) {
		this.outline.hidden = !found;
		if (!found)
			return;
		const {left, top, width} = this.place(found.part, found.box);
		this.outline.style.transform = `translate(${left}px, ${top}px)`;
		this.outline.style.width = Math.max(2, width - 0.6) + "px";
	}
	reveal(found) {
		const top = this.boxTop(found.part, found.box), view = this.scroller;
		if (top < view.scrollTop)
			view.scrollTop = top - ROW;
		else if (top + ROW > view.scrollTop + view.clientHeight)
			view.scrollTop = top + 2 * ROW - view.clientHeight;
	}
}
