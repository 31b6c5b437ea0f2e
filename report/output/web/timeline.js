/* SPDX-License-Identifier: BSD-2-Clause
 * The recording over time: bars stacked by command, process, thread, CPU or kind, and a
 * brush that selects a span of time. */

const BAND_HUES = [[211, 55], [32, 75], [146, 40], [348, 55], [270, 40], [184, 42], [52, 65], [316, 38]];
const BANDS = BAND_HUES.length;

class Timeline {
	/* changed(from, to, done): microseconds, or null for all */
	constructor(section, changed) {
		const element = this.element = section.querySelector(".strip");
		this.canvas = section.querySelector("canvas");
		this.shade = section.querySelector(".brush");
		this.caption = section.querySelector(".caption");
		this.legend = section.querySelector(".legend");
		this.changed = changed;
		this.range = null;
		this.drag = null;
		element.addEventListener("pointerdown", event => this.down(event));
		element.addEventListener("pointermove", event => this.move(event));
		element.addEventListener("pointerup", event => this.up(event));
		element.addEventListener("pointerleave", () => this.say(null));
		element.addEventListener("dblclick", () => this.select(null, true));
	}
	/* tree, pass (filters), by: how bars are divided */
	show(page, tree, pass, by, dark) {
		Object.assign(this, {page, tree, pass, by, dark});
		this.element.parentNode.hidden = !tree.rows;
		this.begin = tree.rows ? tree.time[0] : 0;
		this.end = tree.rows ? tree.time[tree.rows - 1] + 1 : 1;
		this.divide();
		this.paint();
	}
	/* Band of each row, by a column of small numbers: the heaviest get their own, the
	 * rest shares the last. */
	divide() {
		const {tree, pass} = this, {column, of, labels} = this.parted(), weights = new Float64Array(labels.length);
		for (let row = 0; row < tree.rows; row++)
			if (!pass || pass[row])
				weights[of[column[row]]] += tree.weight[row];
		const order = [...labels.keys()].filter(i => weights[i]).sort((a, b) => weights[b] - weights[a] || a - b);
		const own = order.length > BANDS ? order.slice(0, BANDS - 1) : order, rank = new Uint8Array(labels.length).fill(own.length);
		own.forEach((i, k) => (rank[i] = k));
		this.names = own.map(i => labels[i]);
		if (own.length < order.length)
			this.names.push((order.length - own.length).toLocaleString("en-US") + " others");
		this.column = column;
		this.bandOf = Uint8Array.from(of, i => rank[i]);
	}
	/* {column, of, labels}: as Groups. */
	parted() {
		const {page, tree, by} = this;
		if (by !== "kind")
			return new Groups(page, tree, by);
		return {column: tree.node, of: tree.frame.map(f => tree.frames.kind[f]), labels: KIND_NAMES.map(name => name || "unknown")};
	}
	color(band) {
		const other = band === this.names.length - 1 && this.names[band].endsWith(" others");
		const [hue, saturation] = other ? [220, 6] : BAND_HUES[band];
		return `hsl(${hue} ${saturation}% ${this.dark ? 48 : 62}%)`;
	}
	paint() {
		const canvas = this.canvas, ratio = window.devicePixelRatio || 1;
		const width = this.element.clientWidth, height = canvas.clientHeight, context = canvas.getContext("2d"), {tree} = this;
		if (!tree || !width)
			return;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		/* Bars of a sample or two would show the clock's beat, not the load. */
		const bars = Math.max(1, Math.min(Math.floor(width / 3), Math.max(24, Math.round(tree.rows / 8)))), bands = this.names.length, sums = new Float64Array(bars * bands);
		const scale = bars / (this.end - this.begin), {pass, column, bandOf, begin} = this;
		for (let row = 0; row < tree.rows; row++)
			if (!pass || pass[row])
				sums[Math.min(bars - 1, Math.floor((tree.time[row] - begin) * scale)) * bands + bandOf[column[row]]] += tree.weight[row];
		let most = 0;
		for (let bar = 0; bar < bars; bar++) {
			let sum = 0;
			for (let b = 0; b < bands; b++)
				sum += sums[bar * bands + b];
			most = Math.max(most, sum);
		}
		for (let b = 0; b < bands; b++) {
			context.fillStyle = this.color(b);
			for (let bar = 0; bar < bars; bar++) {
				let below = 0;
				for (let k = 0; k < b; k++)
					below += sums[bar * bands + k];
				const h = sums[bar * bands + b] / most * (height - 2);
				if (h > 0)
					context.fillRect(bar * width / bars, height - below / most * (height - 2) - h, width / bars - (width / bars > 6 ? 1 : 0.5), h);
			}
		}
		this.legend.replaceChildren(...this.names.map((name, b) => {
			const item = document.createElement("span"), dot = document.createElement("i");
			dot.style.background = this.color(b);
			item.append(dot, name);
			return item;
		}));
		this.paintBrush();
	}
	paintBrush() {
		const width = this.element.clientWidth, at = t => (t - this.begin) / (this.end - this.begin) * width;
		this.shade.hidden = !this.range;
		if (this.range) {
			this.shade.style.left = at(this.range[0]) + "px";
			this.shade.style.width = Math.max(1, at(this.range[1]) - at(this.range[0])) + "px";
		}
		this.say(null);
	}
	timeAt(event) {
		const bounds = this.element.getBoundingClientRect();
		const share = Math.min(1, Math.max(0, (event.clientX - bounds.left) / bounds.width));
		return this.begin + share * (this.end - this.begin);
	}
	describe(t) {
		return secondsText(t / 1e6, (this.end - this.begin) / 1e6) + " (" + utcText(this.page, t) + ")";
	}
	say(t) {
		const [from, to] = this.range || [this.begin, this.end];
		if (t !== null)
			this.caption.textContent = this.describe(t);
		else
			this.caption.replaceChildren((this.range ? "Selected " : "") + this.describe(from) + " to " + this.describe(to),
				make("span", this.range ? " · double-click selects all" : " · drag to select a span of time", {className: "hint"}));
	}
	select(range, done) {
		this.range = range;
		this.paintBrush();
		this.changed(range, done);
	}
	down(event) {
		if (event.button)
			return;
		const t = this.timeAt(event), bounds = this.element.getBoundingClientRect();
		const near = (this.end - this.begin) / bounds.width * 6;
		const edge = this.range ? this.range.findIndex(edgeTime => Math.abs(edgeTime - t) < near) : -1;
		this.drag = {from: edge >= 0 ? this.range[1 - edge] : t, moved: false};
		this.element.setPointerCapture(event.pointerId);
	}
	move(event) {
		const t = this.timeAt(event);
		this.say(t);
		if (!this.drag)
			return;
		this.drag.moved = this.drag.moved || Math.abs(t - this.drag.from) * this.element.clientWidth > 3 * (this.end - this.begin);
		if (this.drag.moved) {
			this.select([Math.min(t, this.drag.from), Math.max(t, this.drag.from)], false);
			this.say(t);
		}
	}
	up() {
		if (this.drag && this.drag.moved)
			this.select(this.range, true);
		this.drag = null;
	}
}
