/* SPDX-License-Identifier: BSD-2-Clause
 * Boxes on a canvas: colours, text that fits, and a picture of one or two graphs
 * that draws what is in sight and tells what lies under a point. */

const ROW = 19, FONT = '11.5px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const LABEL_PX = 26, LABEL_CHARS = 3; /* less says nothing */

/* ---- colours: families by kind or module, shades by name, as in the SVG */

const FAMILIES = { /* hue, saturation, lightness on light and on dark paper */
	kinds: [[222, 10, 82, 34], [32, 80, 70, 36], [211, 62, 72, 38], [146, 42, 66, 32], [52, 72, 76, 40], [230, 3, 76, 42]],
	modules: [[32, 80, 70, 36], [211, 62, 72, 38], [146, 42, 66, 32], [348, 62, 74, 40], [270, 46, 76, 42], [184, 46, 66, 32],
		[52, 72, 72, 36], [84, 44, 66, 32], [316, 44, 76, 40], [238, 54, 78, 44], [12, 62, 70, 40], [222, 8, 80, 38]],
	names: Array.from({length: 12}, (_, i) => [30 * i, 60, 74, 38]),
};
function hashOf(name) {
	let h = 2166136261;
	for (let i = 0; i < name.length; i++)
		h = Math.imul(h ^ name.charCodeAt(i), 16777619);
	return (h ^ h >>> 15) >>> 0;
}
function familyColor([hue, saturation, light, dark], shade, isDark) {
	return `hsl(${hue + shade * 2.5} ${isDark ? saturation * 0.62 : saturation}% ${(isDark ? dark : light) + shade * 2.2}%)`;
}
/* Is the difference more than three standard errors of counting, as in
 * report/output/compare.c?  A side without samples is taken for one of a single
 * sample; shares scatter the less the nearer they are to all. */
function sureDifference(sides, view) {
	const unit = view.meanWeight, before = sides.before * view.scale;
	let variance = unit * (Math.max(sides.now, unit) + Math.max(before, unit * view.scale) * view.scale);
	if (view.shares)
		variance = Math.max(variance * (1 - (sides.now + before) / (view.sum + view.before[0] * view.scale)), unit * unit);
	return Math.abs(sides.now - before) > 3 * Math.sqrt(variance);
}
/* What a node's colour tells: what it and all below it came to; where that is no sure
 * difference, what ended in it, of which what it calls may have made up. */
function told(sides, own, view) {
	return own && !sureDifference(sides, view) && sureDifference(own, view) ? own : sides;
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
		this.cache = []; /* by frame */
		this.keys = []; /* [name, colour, self] for the legend */
		const {tree} = view, table = view.table(), sums = new Map();
		const keyOf = f => mode === "module" ? tree.frames.module[f] || "no module" : tree.frames.kind[f];
		for (let f = 1; f < tree.nframes; f++)
			if (table.total[f] || table.other[f])
				sums.set(keyOf(f), (sums.get(keyOf(f)) || 0) + table.self[f]);
		const order = [...sums].sort((a, b) => mode === "module" ? b[1] - a[1] || (a[0] < b[0] ? -1 : 1) : a[0] - b[0]);
		this.rank = new Map();
		for (const [key, self] of mode === "difference" || mode === "hash" ? [] : order) {
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
	color(graph, id, frame) {
		if (this.mode === "difference" && this.view.before)
			return differenceColor(told(graph.sides(id), graph.own && graph.own(id), this.view), this.view, this.dark);
		let color = this.cache[frame];
		if (color === undefined) {
			const root = frame === 0 || frame >= this.view.tree.nframes, hash = hashOf(frameName(this.view, frame));
			const family = root ? FAMILIES.kinds[0] : this.mode === "hash" ? FAMILIES.names[Math.floor(hash / 5) % FAMILIES.names.length] :
				this.families()[this.rank.get(this.keyOf(frame))] || FAMILIES.kinds[0];
			color = familyColor(family, hash % 5 - 2, this.dark);
			this.cache[frame] = color;
		}
		return color;
	}
}

/* ---- text that fits */

class Pen {
	constructor(context) {
		this.context = context;
		this.ascii = new Float64Array(128);
		this.others = new Map();
	}
	width(code) {
		const w = code < 128 ? this.ascii[code] : this.others.get(code);
		return w || this.measure(code);
	}
	measure(code) {
		const w = this.context.measureText(String.fromCodePoint(code)).width;
		if (code < 128)
			this.ascii[code] = w;
		else
			this.others.set(code, w);
		return w;
	}
	fitted(text, px) {
		const dots = this.width(0x2026);
		let used = 0, cut = 0;
		for (let n = 0; n < text.length;) {
			const code = text.codePointAt(n);
			used += this.width(code);
			if (used > px)
				return cut < LABEL_CHARS ? "" : text.slice(0, cut) + "…";
			n += code > 0xffff ? 2 : 1;
			if (used + dots <= px)
				cut = n;
		}
		return text;
	}
}

/*
 * A canvas in a scrolling box.  `parts`: [{graph, rows, top, up, dim, plain}]: rows
 * from layOut(), the root's upper edge at `top`, growing up or down from it.
 */
class Picture {
	constructor(scroller) {
		this.scroller = scroller;
		this.canvas = scroller.querySelector("canvas");
		this.spacer = scroller.querySelector(".spacer");
		this.outline = scroller.querySelector(".outline");
		this.context = this.canvas.getContext("2d", {alpha: false});
		this.pen = new Pen(this.context);
		this.parts = [];
		this.height = 0;
		this.selected = null; /* {graph, id} */
		this.measure();
		scroller.addEventListener("scroll", () => this.paint(), {passive: true});
	}
	/* Asking the document for sizes is dear: once for each change of them. */
	measure() {
		this.width = this.scroller.clientWidth;
		this.seen = this.scroller.clientHeight;
	}
	/* style: {palette, hit, view, ink} */
	show(parts, height, style) {
		this.parts = parts;
		this.style = style;
		if (this.height !== Math.max(height, this.seen)) {
			this.height = Math.max(height, this.seen);
			this.spacer.style.height = this.height + "px";
		}
		this.paint();
	}
	boxTop(part, depth) {
		return part.up ? part.top - depth * ROW : part.top + depth * ROW;
	}
	paint() {
		if (!this.style)
			return;
		const ratio = window.devicePixelRatio || 1, {width, seen: height, canvas, context} = this, scroll = this.scroller.scrollTop;
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
			canvas.style.width = width + "px";
			canvas.style.height = height + "px";
		}
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.fillStyle = this.style.ink.paper;
		context.fillRect(0, 0, width, height);
		context.font = FONT;
		context.textBaseline = "middle";
		for (const part of this.parts)
			for (let depth = 0; depth < part.rows.n; depth++) {
				const y = this.boxTop(part, depth) - scroll;
				if (y > -ROW && y < height)
					this.paintRow(part, depth, y);
			}
		this.paintSelected(scroll);
	}
	paintRow(part, depth, y) {
		const {palette, hit, view, ink} = this.style, {context, width} = this, {graph} = part, row = part.rows.rows[depth];
		const searched = hit && !(part.plain && depth === 0), dim = depth < part.dim, labels = [];
		let last = "";
		context.globalAlpha = dim ? 0.55 : 1;
		for (let i = 0; i < row.n; i++) {
			const frame = graph.frameOf(row.id[i]), isHit = searched && hit[frame];
			const color = isHit ? ink.hit : palette.color(graph, row.id[i], frame);
			const x = Math.max(0, row.x[i]), w = Math.min(width, row.x[i] + row.w[i]) - x;
			if (color !== last)
				context.fillStyle = last = color;
			context.fillRect(x, y, w > 1.5 ? w - 0.6 : Math.max(LEAST_PX, w), ROW - 1);
			if (w >= LABEL_PX)
				labels.push(i);
		}
		context.globalAlpha = dim ? 0.7 : 1;
		last = "";
		for (const i of labels) {
			const frame = graph.frameOf(row.id[i]), color = searched && hit[frame] ? ink.hitText : ink.text;
			const x = Math.max(0, row.x[i]), w = Math.min(width, row.x[i] + row.w[i]) - x;
			const text = this.pen.fitted(frame ? frameName(view, frame) : "all", w - 7);
			if (color !== last)
				context.fillStyle = last = color;
			if (text)
				context.fillText(text, x + 4, y + ROW / 2);
		}
		context.globalAlpha = 1;
	}
	/* What of a box is in the window. */
	bounds({part, depth, i}) {
		const row = part.rows.rows[depth], left = Math.max(0, row.x[i]);
		return {left, top: this.boxTop(part, depth), width: Math.min(this.width, row.x[i] + row.w[i]) - left};
	}
	/* {part, depth, i} of a node's box, or null. */
	boxOf(graph, id) {
		for (const part of this.parts) {
			const found = part.graph === graph && part.rows.find(id);
			if (found)
				return {part, ...found};
		}
		return null;
	}
	paintSelected(scroll) {
		const found = this.selected && this.boxOf(this.selected.graph, this.selected.id);
		if (!found)
			return;
		const {left, top, width} = this.bounds(found);
		this.context.strokeStyle = this.style.ink.select;
		this.context.lineWidth = 2;
		this.context.strokeRect(left + 1, top - scroll + 1, Math.max(1, width - 2.6), ROW - 3);
	}
	/* What lies at a point of the page: {part, depth, i, id} or null. */
	hitTest(clientX, clientY) {
		const bounds = this.scroller.getBoundingClientRect();
		const x = clientX - bounds.left, y = clientY - bounds.top + this.scroller.scrollTop;
		for (const part of this.parts) {
			const depth = part.up ? Math.ceil((part.top - y) / ROW) : Math.floor((y - part.top) / ROW);
			const i = depth >= 0 && depth < part.rows.n ? part.rows.rows[depth].at(x) : -1;
			if (i >= 0)
				return {part, depth, i, id: part.rows.rows[depth].id[i]};
		}
		return null;
	}
	point(found) {
		this.outline.hidden = !found;
		if (!found)
			return;
		const {left, top, width} = this.bounds(found);
		this.outline.style.transform = `translate(${left}px, ${top}px)`;
		this.outline.style.width = Math.max(2, width - 0.6) + "px";
	}
	reveal(found) {
		const top = this.boxTop(found.part, found.depth), view = this.scroller;
		if (top < view.scrollTop)
			view.scrollTop = top - ROW;
		else if (top + ROW > view.scrollTop + view.clientHeight)
			view.scrollTop = top + 2 * ROW - view.clientHeight;
	}
}
