/* SPDX-License-Identifier: BSD-2-Clause
 * Makes the still picture zoom, search, and fill the window.  Reads the frames
 * that are already drawn; knows nothing that is not in the document. */
(() => {
"use strict";
const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
const PAD = 14, LABEL_PX = 20, LABEL_LEAST = 3, TOOLS = 430, FONT = '11.5px "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif';
const svg = document.currentScript.closest("svg");
const at = id => svg.querySelector("#" + id);
const group = at("frames"), bar = at("bar"), details = at("details"), titleText = at("title"), summaryText = at("summary");
const total = Number(group.dataset.total), unit = Number(group.dataset.unit);
const alone = document.documentElement === svg;

const frames = Array.from(group.children, (g, index) => {
	const [start, width, depth] = g.dataset.s.split(" ").map(Number);
	const [name, ...rest] = g.querySelector("title").textContent.split("\n");
	return {g, index, start, width, depth, name, about: rest.join(" "), rect: g.querySelector("rect"), text: g.querySelector("text"), hit: false};
});
const byElement = new Map(frames.map(f => [f.g, f]));
const state = {zoom: 0, search: "", ignoreCase: false};

/* ---- text that fits */
const pen = document.createElementNS(HTML, "canvas").getContext("2d");
const widths = new Map();
function charWidth(c) {
	let w = widths.get(c);
	if (w === undefined)
		widths.set(c, w = pen.measureText(c).width);
	return w;
}
function fitted(text, px, font) {
	pen.font = font;
	if (pen.measureText(text).width <= px)
		return text;
	let used = pen.measureText("…").width, n = 0;
	for (const c of text) {
		used += pen.measureText(c).width;
		if (used > px)
			break;
		n += c.length;
	}
	return n ? text.slice(0, n) + "…" : "";
}
function frameLabel(name, px) {
	if (px < LABEL_PX)
		return "";
	let used = 0, cut = 0, n = 0;
	const room = px - 7, dots = charWidth("…");
	for (const c of name) {
		used += charWidth(c);
		if (used > room)
			return cut < LABEL_LEAST ? "" : name.slice(0, cut) + "…";
		n += c.length;
		if (used + dots <= room)
			cut = n;
	}
	return name;
}

/* ---- layout */
function pageWidth() {
	return alone ? Math.max(300, window.innerWidth && document.documentElement.clientWidth || window.innerWidth) : svg.clientWidth || 1200;
}
function place(f, x, width) {
	const label = frameLabel(f.name, width);
	f.g.style.display = "";
	f.rect.setAttribute("x", x.toFixed(2));
	f.rect.setAttribute("width", (width > 1.5 ? width - 0.5 : width).toFixed(2));
	if (!label) {
		if (f.text)
			f.text.style.display = "none";
		return;
	}
	if (!f.text) {
		f.text = f.g.appendChild(document.createElementNS(SVG, "text"));
		f.text.setAttribute("y", Number(f.rect.getAttribute("y")) + Number(f.rect.getAttribute("height")) / 2 + 4);
	}
	f.text.style.display = "";
	f.text.setAttribute("x", (x + 3.5).toFixed(1));
	f.text.textContent = label;
}
function inside(f, zoom) {
	return f.depth >= zoom.depth && f.start >= zoom.start && f.start + f.width <= zoom.start + zoom.width;
}
function above(f, zoom) {
	return f.depth < zoom.depth && f.start <= zoom.start && f.start + f.width >= zoom.start + zoom.width;
}
function layout() {
	const width = pageWidth(), zoom = frames[state.zoom], room = width - 2 * PAD;
	pen.font = FONT;
	for (const f of frames) {
		const parent = above(f, zoom);
		f.g.classList.toggle("parent", parent);
		if (parent)
			place(f, PAD, room);
		else if (inside(f, zoom) && f.width / zoom.width * room >= 0.05)
			place(f, PAD + (f.start - zoom.start) / zoom.width * room, f.width / zoom.width * room);
		else
			f.g.style.display = "none";
	}
	head(width);
}
const headTexts = [[titleText, titleText.textContent, "600 17px " + FONT.slice(7)], [summaryText, summaryText.textContent, "12px " + FONT.slice(7)]];
for (const note of svg.querySelectorAll(".note"))
	headTexts.push([note, note.textContent, "12px " + FONT.slice(7)]);
function head(width) {
	const room = width - 2 * PAD, narrow = room < 1.5 * TOOLS, own = narrow ? room / 2 : TOOLS;
	for (const [element, text, font] of headTexts)
		element.textContent = fitted(text, room - (element === titleText ? own + 10 : 0), font);
	caseButton.hidden = narrow; /* Ctrl-I does it too */
	tools.setAttribute("width", own);
	tools.setAttribute("x", PAD + room - own);
}

/* ---- numbers */
function scaled(value, units, sizes) {
	let i = 0;
	while (i < units.length - 1 && value < sizes[i])
		i++;
	return (value / sizes[i]).toFixed(i === units.length - 1 ? 0 : value < 10 * sizes[i] ? 2 : 1) + " " + units[i];
}
function value(v) {
	if (unit === 9) /* a comparison: shares are all there is */
		return percent(v, total);
	if (unit === 2)
		return scaled(v, ["s", "ms", "µs", "ns"], [1e9, 1e6, 1e3, 1]);
	if (unit === 3)
		return scaled(v, ["GiB", "MiB", "KiB", "B"], [2 ** 30, 2 ** 20, 2 ** 10, 1]);
	return v.toLocaleString("en-US") + (unit === 0 ? v === 1 ? " sample" : " samples" : "");
}
const percent = (part, whole) => (whole ? 100 * part / whole : 0).toFixed(2) + " %";

/* ---- what the pointer is on */
const HINT = "Point at a frame for details, click to zoom in, Ctrl-F to search, Esc to go back.";
const DETAILS_FONT = "12.5px " + FONT.slice(7);
function tell(f) {
	const zoom = frames[state.zoom];
	details.classList.toggle("hint", !f);
	if (!f) {
		details.textContent = fitted(HINT, pageWidth() - 2 * PAD, DETAILS_FONT);
		return;
	}
	let about = f.about;
	if (state.zoom && inside(f, zoom))
		about += "; " + percent(f.width, zoom.width) + " of the zoomed frame";
	const room = pageWidth() - 2 * PAD;
	pen.font = DETAILS_FONT;
	const name = fitted(f.name, Math.max(160, room - pen.measureText(about).width - 24), DETAILS_FONT);
	details.textContent = name + "  (" + about + ")";
}

/* ---- zoom */
function zoomTo(index) {
	state.zoom = index;
	reset.hidden = index === 0;
	layout();
	matched();
	keep();
}

/* ---- search */
function pattern() {
	if (!state.search)
		return null;
	try {
		input.classList.remove("bad");
		return new RegExp(state.search, state.ignoreCase ? "iu" : "u");
	} catch (e) {
		input.classList.add("bad");
		return new RegExp(state.search.replace(/[\\^$.*+?()[\]{}|\/-]/g, "\\$&"), state.ignoreCase ? "iu" : "u");
	}
}
function find() {
	const wanted = pattern();
	for (const f of frames) {
		const hit = wanted !== null && wanted.test(f.name);
		if (hit !== f.hit)
			f.g.classList.toggle("hit", hit);
		f.hit = hit;
	}
	matched();
	keep();
}
/* Samples under at least one hit, each counted once: frames come depth first,
 * so what lies inside the last hit is passed over. */
function matched() {
	const zoom = frames[state.zoom];
	let sum = 0, end = -1;
	for (const f of frames)
		if (f.hit && f.start >= end && (inside(f, zoom) || above(f, zoom))) {
			const from = Math.max(f.start, zoom.start), to = Math.min(f.start + f.width, zoom.start + zoom.width);
			sum += to - from;
			end = f.start + f.width;
		}
	count.textContent = state.search && zoom ? "Matched " + percent(sum, zoom.width) : "";
	count.title = state.search && zoom ? value(sum) + (state.zoom ? " of the zoomed frame" : "") : "";
}
function setSearch(text) {
	state.search = text;
	if (input.value !== text)
		input.value = text;
	find();
}
function setCase(ignore) {
	state.ignoreCase = ignore;
	caseButton.setAttribute("aria-pressed", String(ignore));
	find();
}

/* ---- state in the address */
let restoring = false;
function keep() {
	if (restoring || !alone)
		return;
	const parts = new URLSearchParams();
	if (state.zoom)
		parts.set("zoom", state.zoom);
	if (state.search)
		parts.set("search", state.search);
	if (state.ignoreCase)
		parts.set("case", "ignore");
	try {
		history.replaceState(null, "", location.pathname + location.search + (parts.size ? "#" + parts : ""));
	} catch (e) { /* some viewers forbid it */ }
}
function restore() {
	const parts = new URLSearchParams(location.hash.slice(1)), zoom = Number(parts.get("zoom"));
	restoring = true;
	setCase(parts.get("case") === "ignore");
	setSearch(parts.get("search") || "");
	if (frames.length)
		zoomTo(zoom > 0 && zoom < frames.length && Number.isInteger(zoom) ? zoom : 0);
	restoring = false;
}

/* ---- controls: they exist only when this script runs */
const tools = bar.appendChild(document.createElementNS(SVG, "foreignObject"));
tools.setAttribute("y", 8);
tools.setAttribute("height", 30);
const box = tools.appendChild(document.createElementNS(HTML, "div"));
box.className = "tools";
function control(tag, text, hint) {
	const element = box.appendChild(document.createElementNS(HTML, tag));
	element.textContent = text;
	if (hint)
		element.title = hint;
	return element;
}
const count = control("span", "");
count.className = "matched";
const reset = control("button", "Reset zoom", "Esc");
const input = control("input", "", "Regular expression; Ctrl-F");
input.type = "search";
input.placeholder = "Search";
input.setAttribute("aria-label", "Search, regular expression");
const caseButton = control("button", "Ignore case", "Ctrl-I");
reset.hidden = true;

reset.addEventListener("click", () => zoomTo(0));
caseButton.addEventListener("click", () => setCase(!state.ignoreCase));
input.addEventListener("input", () => setSearch(input.value));
const frameOf = target => byElement.get(target.closest && target.closest("#frames > g"));
group.addEventListener("mouseover", event => tell(frameOf(event.target)));
group.addEventListener("mouseout", () => tell(null));
group.addEventListener("click", event => {
	const f = frameOf(event.target);
	if (f)
		zoomTo(f.index);
});
window.addEventListener("keydown", event => {
	const control = event.ctrlKey || event.metaKey, key = event.key.toLowerCase();
	if (((control && key === "f") || key === "f3") && document.activeElement !== input) {
		input.focus(); /* once more: the browser's own search */
		input.select();
	} else if (control && key === "i") {
		setCase(!state.ignoreCase);
	} else if (key === "escape" && state.search) {
		setSearch("");
	} else if (key === "escape" && state.zoom) {
		zoomTo(0);
	} else {
		return;
	}
	event.preventDefault();
});

/* ---- the head stays in sight, the width follows the window */
function follow() {
	bar.setAttribute("transform", "translate(0," + Math.max(0, window.scrollY) + ")");
}
tell(null);
if (alone) {
	svg.classList.add("alone"); /* its paper covers the window */
	svg.removeAttribute("viewBox");
	svg.setAttribute("width", "100%");
	window.addEventListener("scroll", follow, {passive: true});
	window.addEventListener("resize", () => frames.length && layout());
	window.addEventListener("hashchange", restore);
	restore();
	if (!Number(group.dataset.inverted))
		window.scrollTo(0, document.documentElement.scrollHeight);
	follow();
} else if (frames.length) {
	layout();
}
if (!frames.length)
	head(pageWidth());
})();
