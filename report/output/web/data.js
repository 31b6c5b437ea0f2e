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
			let v = bytes[at++];
			if (v > 127) {
				v &= 127;
				for (let scale = 128, b = 128; b > 127; scale *= 128) {
					b = bytes[at++];
					v += (b & 127) * scale;
				}
			}
			column[i] = v;
		}
		this.at = at;
		return column;
	}
}

/* Differences to values, in place. */
function sumUp(column) {
	let last = 0;
	for (let i = 0; i < column.length; i++)
		column[i] = last += column[i];
	return column;
}
function unzigzag(column) {
	for (let i = 0; i < column.length; i++)
		column[i] = column[i] >>> 1 ^ -(column[i] & 1);
	return column;
}
function sumOf(column) {
	let sum = 0;
	for (let i = 0; i < column.length; i++)
		sum += column[i];
	return sum;
}

/* Nodes depth first: parents, from how far up each begins. */
function parentsOf(up) {
	const path = [], parent = new Int32Array(up.length);
	parent[0] = -1;
	for (let i = 0, depth = 0; i < up.length; i++) {
		depth = i ? depth + 1 - up[i] : 0;
		if (i)
			parent[i] = path[depth - 1];
		path[depth] = i;
	}
	return parent;
}

/* A tree of names, depth first, and the rows that end in it. */
class Tree {
	constructor(words, json, numbers) {
		const n = json.nodes;
		Object.assign(this, words, {n, rows: json.rows, frames: json.frames, nframes: json.frames.name.length, names: []});
		this.parent = parentsOf(numbers.take(n, Int32Array));
		this.frame = numbers.take(n, Int32Array);
		this.time = sumUp(numbers.take(json.rows, Float64Array));
		this.thread = numbers.take(json.rows, Int32Array);
		this.cpu = numbers.take(json.rows, Int32Array);
		this.node = sumUp(unzigzag(numbers.take(json.rows, Int32Array)));
		this.count = json.counted ? numbers.take(json.rows, Float64Array) : new Float64Array(json.rows).fill(1);
		this.weight = json.weighted ? numbers.take(json.rows, Float64Array) : this.count;
		this.sum = sumOf(this.weight);
		this.meanWeight = json.weighted && json.rows ? this.sum / sumOf(this.count) : 1; /* of a sample */
	}
}

/* What is painted first: as much of the first tree as has no need of the rest. */
class Overview {
	constructor(page, numbers) {
		const {nodes, nframes, groups, places, frames} = page.overview, sparse = {};
		for (const [name, column] of Object.entries(frames)) {
			sparse[name] = [];
			places.forEach((place, i) => (sparse[name][place] = column[i]));
		}
		this.tree = {...page.trees[0], nframes, frames: sparse, names: [], rows: 0, meanWeight: 1};
		this.labels = groups;
		this.n = nodes;
		this.parent = parentsOf(numbers.take(nodes, Int32Array));
		this.frame = numbers.take(nodes, Int32Array);
		for (const side of page.compare === "none" ? ["now"] : ["now", "before"])
			this[side] = {self: numbers.take(nodes, Float64Array), total: numbers.take(nodes, Float64Array), gap: numbers.take(nodes, Float64Array)};
	}
}

async function unpack(id) {
	const element = document.getElementById(id), bytes = await unzip(bytesOfBase64(element.textContent));
	const numbers = new Numbers(bytes), length = numbers.take(1, Float64Array)[0];
	const json = JSON.parse(new TextDecoder().decode(bytes.subarray(numbers.at, numbers.at + length)));
	numbers.at += length;
	element.remove();
	return [json, numbers];
}
/* By their files; by number too where a file holds several. */
function nameRecordings(recordings) {
	const seen = new Map(), same = new Map();
	for (const {file} of recordings)
		same.set(file, (same.get(file) || 0) + 1);
	for (const recording of recordings) {
		const {file} = recording, turn = (seen.get(file) || 0) + 1;
		seen.set(file, turn);
		recording.label = same.get(file) > 1 ? file + " #" + turn : file;
	}
}
async function loadFirst() {
	const [page, numbers] = await unpack("first");
	page.overview = new Overview(page, numbers);
	nameRecordings(page.recordings);
	return page;
}
/* Adds the rest to what loadFirst() gave. */
async function loadRest(page) {
	const [json, numbers] = await unpack("rest"), {pieces, processes, threads} = json;
	Object.assign(page, {pieces, processes, threads, overview: null});
	page.trees = page.trees.map((words, i) => new Tree(words, json.trees[i], numbers));
}

/* ---- numbers for people */

function scaled(value, units, sizes) {
	let i = 0;
	while (i < units.length - 1 && Math.abs(value) < sizes[i])
		i++;
	return (value / sizes[i]).toFixed(i === units.length - 1 ? 0 : Math.abs(value) < 10 * sizes[i] ? 2 : 1) + " " + units[i];
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
