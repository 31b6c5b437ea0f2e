"use strict";
/* SPDX-License-Identifier: BSD-2-Clause
 * From the packed data in the page to typed arrays: report/output/page.h says how
 * it is laid out.  Knows nothing of what is drawn. */

const KIND = {root: 0, user: 1, kernel: 2, jit: 3, inlined: 4, unknown: 5};
const KIND_NAMES = ["", "user", "kernel", "JIT", "inlined", "unknown"];
const UNIT = {samples: 0, count: 1, ns: 2, bytes: 3};

function bytesOfBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text), bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

async function unzip(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Numbers {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}
	/* n LEB128 numbers; doubles are exact to 2^53. */
	take(n, Column) {
		const bytes = this.bytes, column = new Column(n);
		let at = this.at;
		for (let i = 0; i < n; i++) {
			let b = bytes[at++], v = b & 127, scale = 128;
			while (b > 127) {
				b = bytes[at++];
				v += (b & 127) * scale;
				scale *= 128;
			}
			column[i] = v;
		}
		this.at = at;
		return column;
	}
}

/* Differences, zigzag or not, to values, in place. */
function sumUp(column, signed) {
	let last = 0;
	for (let i = 0; i < column.length; i++) {
		const v = column[i];
		last += !signed ? v : v % 2 ? -(v + 1) / 2 : v / 2;
		column[i] = last;
	}
	return column;
}

/* A tree of names, depth first, and the rows that end in it. */
class Tree {
	constructor(json, numbers) {
		const n = json.nodes;
		Object.assign(this, {title: json.title, event: json.event, unit: json.unit, n, rows: json.rows, frames: json.frames});
		this.nframes = json.frames.name.length;
		this.link(numbers.take(n, Int32Array));
		this.frame = numbers.take(n, Int32Array);
		this.time = sumUp(numbers.take(json.rows, Float64Array), false);
		this.thread = numbers.take(json.rows, Int32Array);
		this.cpu = numbers.take(json.rows, Int32Array);
		this.node = Int32Array.from(sumUp(numbers.take(json.rows, Float64Array), true));
		this.count = json.counted ? numbers.take(json.rows, Float64Array) : new Float64Array(json.rows).fill(1);
		const sum = column => column.reduce((a, b) => a + b, 0);
		this.weight = json.weighted ? numbers.take(json.rows, Float64Array) : this.count;
		this.meanWeight = json.weighted && json.rows ? sum(this.weight) / sum(this.count) : 1; /* of a sample */
	}
	link(up) {
		const path = [];
		this.parent = new Int32Array(this.n);
		this.parent[0] = -1;
		for (let i = 0, depth = 0; i < this.n; i++) {
			depth = i ? depth + 1 - up[i] : 0;
			if (i)
				this.parent[i] = path[depth - 1];
			path[depth] = i;
		}
	}
}

async function loadPage() {
	const bytes = await unzip(bytesOfBase64(document.getElementById("data").textContent.trim()));
	const numbers = new Numbers(bytes), length = numbers.take(1, Float64Array)[0];
	const page = JSON.parse(new TextDecoder().decode(bytes.subarray(numbers.at, numbers.at + length)));
	numbers.at += length;
	page.trees = page.trees.map(json => new Tree(json, numbers));
	return page;
}

/* ---- numbers for people */

function scaled(value, units, sizes) {
	let i = 0;
	while (i < units.length - 1 && Math.abs(value) < sizes[i])
		i++;
	return (value / sizes[i]).toFixed(Math.abs(value) < 10 * sizes[i] ? 2 : 1) + " " + units[i];
}
function valueText(unit, v) {
	if (unit === UNIT.ns)
		return scaled(v, ["s", "ms", "µs", "ns"], [1e9, 1e6, 1e3, 1]);
	if (unit === UNIT.bytes)
		return scaled(v, ["GiB", "MiB", "KiB", "B"], [2 ** 30, 2 ** 20, 2 ** 10, 1]);
	const n = Math.round(v);
	return n.toLocaleString("en-US") + (unit === UNIT.samples ? n === 1 ? " sample" : " samples" : "");
}
function percentText(part, whole, digits = 2) {
	return (whole ? 100 * part / whole : 0).toFixed(digits) + " %";
}
/* Seconds with as many decimals as a window of `span` seconds can use. */
function secondsText(seconds, span) {
	return seconds.toFixed(Math.max(0, Math.min(6, Math.ceil(2 - Math.log10(span || 1))))) + " s";
}
/* Time of day of a row's time: the axis leaves out gaps between recordings. */
function utcText(page, time) {
	const piece = page.pieces.filter(([at]) => at <= time).pop() || page.pieces[0];
	return new Date((piece[1] + time - piece[0]) / 1000).toISOString().slice(11, 23) + " UTC";
}
