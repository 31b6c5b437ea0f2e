/* SPDX-License-Identifier: BSD-2-Clause
 * Buttons, menus, keys, dialogs: everything that changes the explorer's state, and
 * everything around the picture that shows it. */

function make(tag, text, properties = {}) {
	const element = Object.assign(document.createElement(tag), properties);
	element.textContent = text;
	return element;
}

/* ---- showing */

function showControls(app) {
	const {state, page, view} = app;
	for (const tab of $("tabs").children)
		tab.setAttribute("aria-selected", String(tab.dataset.view === state.view));
	for (const name of ["by", "color", "bands", "compare"])
		$(name).value = state[name];
	$("order").value = app.order;
	for (const name of ["by", "color", "order", "flip"])
		$(name).disabled = state.view === "table" || name === "flip" && state.view === "sandwich";
	$("event").value = state.tree;
	$("flip").setAttribute("aria-pressed", String(state.flip));
	$("case").setAttribute("aria-pressed", String(state.ignoreCase));
	if ($("search").value !== state.search)
		$("search").value = state.search;
	$("color").querySelector("[value=difference]").disabled = !view.before;
	$("compare").querySelector("[value=time]").disabled = !state.range && state.compare !== "time";
	$("title").textContent = page.title || app.tree.title;
	$("legend").replaceChildren(...app.palette.keys.filter(([, , self]) => self === null || self >= view.sum / 2000).map(([name, color, self]) => {
		const item = make("span", "", {title: name === KIND_NAMES[KIND.unknown] ? "code " + NAMELESS : ""}), dot = make("i", "");
		dot.style.background = color;
		item.append(dot, (self === null ? "" : percentText(self, view.sum, 1) + " ") + name);
		return item;
	}));
	showChips(app);
}

function showChips(app) {
	const {state, page, tree} = app, {filter} = state, {threads, processes} = page, chips = [];
	const chip = (text, remove) => {
		const button = make("button", text + "  ×", {title: "Remove this filter"});
		button.addEventListener("click", () => {
			remove();
			app.set({zoom: []}, "filters");
		});
		chips.push(button);
	};
	for (const p of filter.processes)
		chip("process " + processes.comm[p] + "-" + processes.pid[p], () => filter.processes.delete(p));
	for (const t of filter.threads)
		chip("thread " + threads.comm[t] + "-" + processes.pid[threads.process[t]] + "/" + threads.tid[t], () => filter.threads.delete(t));
	for (const cpu of filter.cpus)
		chip("CPU " + cpu, () => filter.cpus.delete(cpu));
	for (const f of filter.frames)
		chip("with " + tree.frames.name[f], () => filter.frames.delete(f));
	if (filter.side)
		chip(filter.side === "kernel" ? "ends in the kernel" : "ends outside the kernel", () => (filter.side = ""));
	if (state.range)
		chip("time " + secondsText(state.range[0] / 1e6, (state.range[1] - state.range[0]) / 1e6) + " to " +
			secondsText(state.range[1] / 1e6, (state.range[1] - state.range[0]) / 1e6), () => app.timeline.select(null, true));
	$("chips").hidden = !chips.length;
	$("chips").replaceChildren(...chips);
}

function showCrumbs(app, path) {
	const {view} = app, shown = path.length > 8 ? [...path.slice(0, 3), null, ...path.slice(-4)] : path, crumbs = [];
	const crumb = (text, length) => {
		const button = make("button", text, {title: text});
		button.addEventListener("click", () => {
			app.picture.selected = null;
			app.set({zoom: path.slice(0, length)}, "zoom");
		});
		crumbs.push(button);
	};
	crumb("all", 0);
	shown.forEach((frame, i) => {
		crumbs.push("›");
		if (frame === null)
			crumbs.push("…");
		else
			crumb(frameName(view, frame), i < 3 || shown === path ? i + 1 : path.length - (shown.length - 1 - i));
	});
	$("crumbs").replaceChildren(...crumbs);
}

function showSandwichTitle(app, frame) {
	$("crumbs").replaceChildren("Callers above, callees below:", make("button", frameName(app.view, frame), {disabled: true}));
}

function showMatches(app) {
	const some = app.matches.length > 0;
	$("previous").hidden = $("next").hidden = !some;
	$("matched").textContent = !app.state.search ? "" : "Matched " + percentText(app.matched, app.view.total[0]) +
		(some ? " · " + (app.match < 0 ? "" : (app.match + 1).toLocaleString("en-US") + " of ") +
			app.matches.length.toLocaleString("en-US") + (app.matches.length === 1 ? " place" : " places") : "");
}

function showSubject(app, about) {
	$("details").textContent = about ? about.name + "  (" + about.lines.join("; ") + ")" : "";
	for (const button of $("actions").children)
		button.disabled = button.dataset.do === "copy" ? !(app.view.sum > 0) : app.subject < 0;
}

function showTip(about, event) {
	const tip = $("tip");
	tip.hidden = !about;
	if (!about)
		return;
	tip.querySelector("b").textContent = about.name;
	tip.querySelector("span").textContent = about.lines.join("\n");
	const {offsetWidth: w, offsetHeight: h} = tip;
	tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - w - 6)) + "px";
	tip.style.top = (event.clientY + 18 + h > innerHeight ? event.clientY - h - 10 : event.clientY + 18) + "px";
}

async function copyText(text, said) {
	try {
		await navigator.clipboard.writeText(text);
	} catch (e) { /* not allowed here: the old way */
		const area = document.body.appendChild(make("textarea", text));
		area.select();
		document.execCommand("copy");
		area.remove();
	}
	$("details").textContent = said;
}

/* ---- the filter dialog */

const LIST_MAX = 300;

function filterList(app, title, items, chosen, changed) {
	const box = make("div", ""), list = make("ul", ""), search = make("input", "", {type: "search", placeholder: "Find"});
	const fill = () => {
		const word = search.value.toLowerCase(), fits = items.filter(item => item.label.toLowerCase().includes(word));
		list.replaceChildren(...fits.slice(0, LIST_MAX).map(item => {
			const line = make("li", ""), label = make("label", ""), check = make("input", "", {type: "checkbox", checked: chosen.has(item.key)});
			check.addEventListener("change", () => {
				chosen[check.checked ? "add" : "delete"](item.key);
				changed();
			});
			label.append(check, make("span", item.label, {title: item.label}), make("em", percentText(item.sum, app.tree.sum, 1)));
			line.append(label);
			return line;
		}));
		if (fits.length > LIST_MAX)
			list.append(make("li", (fits.length - LIST_MAX).toLocaleString("en-US") + " more"));
	};
	search.setAttribute("aria-label", "Find " + title);
	search.addEventListener("input", fill);
	search.addEventListener("keydown", event => event.key === "Enter" && event.preventDefault());
	fill();
	box.append(make("h3", title), search, list);
	return box;
}

function openFilters(app) {
	const {tree, page, state} = app, {threads, processes} = page, {filter} = state;
	const ofThread = new Float64Array(threads.tid.length), ofProcess = new Float64Array(processes.pid.length), ofCpu = [];
	for (let row = 0; row < tree.rows; row++) {
		ofThread[tree.thread[row]] += tree.weight[row];
		if (tree.cpu[row])
			ofCpu[tree.cpu[row] - 1] = (ofCpu[tree.cpu[row] - 1] || 0) + tree.weight[row];
	}
	ofThread.forEach((sum, t) => (ofProcess[threads.process[t]] += sum));
	const items = (sums, label) => Array.from(sums, (sum, key) => ({key, sum, label: label(key)})).filter(item => item.sum).sort((a, b) => b.sum - a.sum || a.key - b.key);
	const changed = () => app.set({zoom: []}, "filters");
	$("filters").querySelector(".lists").replaceChildren(
		filterList(app, "Processes", items(ofProcess, p => processes.comm[p] + "-" + processes.pid[p]), filter.processes, changed),
		filterList(app, "Threads", items(ofThread, t => threads.comm[t] + "-" + processes.pid[threads.process[t]] + "/" + threads.tid[t]), filter.threads, changed),
		filterList(app, "CPUs", items(ofCpu, cpu => "CPU " + cpu), filter.cpus, changed));
	for (const radio of $("filters").querySelectorAll("[name=side]")) {
		radio.checked = radio.value === filter.side;
		radio.onchange = () => {
			filter.side = radio.value;
			changed();
		};
	}
	$("filters").onclose = () => {
		if ($("filters").returnValue === "clear")
			app.set({filter: freshFilter(), zoom: []}, "filters");
		$("filters").returnValue = "";
	};
	$("filters").showModal();
}

/* ---- connecting */

function connectMenus(app) {
	for (const [i, tree] of app.page.trees.entries())
		$("event").append(make("option", tree.event || "event " + i, {value: i}));
	$("event").hidden = app.page.trees.length < 2;
	app.page.recordings.forEach((now, i) => app.page.recordings.forEach((before, k) => {
		if (k < i)
			$("compare").append(make("option", now.label + " with " + before.label, {value: "recordings:" + k + "," + i}));
	}));
	if (app.page.recordings.length < 2)
		$("by").querySelector("[value=recording]").remove();
	$("event").addEventListener("change", () => app.set({tree: Number($("event").value), zoom: [], frame: -1, filter: {...app.state.filter, frames: new Set()}}, "filters"));
	$("by").addEventListener("change", () => app.set({by: $("by").value, zoom: []}, "rows"));
	$("color").addEventListener("change", () => app.set({color: $("color").value}, "colors"));
	$("order").addEventListener("change", () => app.set({order: $("order").value}, "layout"));
	$("bands").addEventListener("change", () => app.set({bands: $("bands").value}, "colors"));
	$("compare").addEventListener("change", () => {
		const compare = $("compare").value;
		app.set({compare, color: compare === "none" ? app.page.color : "difference"}, "rows");
	});
	$("tabs").addEventListener("click", event => event.target.dataset.view && app.set({view: event.target.dataset.view, zoom: []}, "layout"));
	$("flip").addEventListener("click", () => flip(app));
	$("filter").addEventListener("click", () => openFilters(app));
}
function flip(app) {
	app.set({flip: !app.state.flip}, "layout");
}

function connectSearch(app) {
	$("search").addEventListener("input", () => app.set({search: $("search").value}, "search"));
	$("search").addEventListener("keydown", event => {
		if (event.key === "Enter")
			app.step(event.shiftKey ? -1 : 1);
	});
	$("next").addEventListener("click", () => app.step(1));
	$("previous").addEventListener("click", () => app.step(-1));
	$("case").addEventListener("click", () => app.set({ignoreCase: !app.state.ignoreCase}, "search"));
}

function connectPicture(app) {
	const {picture} = app, box = $("picture");
	let pointed = null;
	const point = event => {
		pointed = event ? picture.hitTest(event.clientX, event.clientY) : null;
		picture.point(pointed);
		showTip(pointed && app.about(pointed.part.graph, pointed.id), event);
	};
	box.addEventListener("pointermove", point);
	box.addEventListener("pointerleave", () => point(null));
	box.addEventListener("scroll", () => point(null), {passive: true});
	box.addEventListener("click", event => {
		const found = picture.hitTest(event.clientX, event.clientY);
		if (found && event.detail < 2)
			app.zoom(found.part.graph, found.id);
		point(null);
	});
	box.addEventListener("dblclick", () => app.sandwich(app.subject));
	$("actions").addEventListener("click", event => act(app, event.target.dataset.do));
	new ResizeObserver(() => app.view && app.later("layout")).observe(box);
	addEventListener("resize", () => app.view && app.later("colors"));
}
function act(app, what) {
	if (what === "sandwich")
		app.sandwich(app.subject);
	else if (what === "only")
		app.only(app.subject);
	else if (what === "copy")
		app.copy();
}

function connectKeys(app) {
	const views = {1: "flame", 2: "inverted", 3: "table", 4: "sandwich"};
	const keys = {
		"/": () => $("search").focus(), "?": () => $("keys").showModal(), n: () => app.step(1), N: () => app.step(-1),
		i: () => flip(app), f: () => openFilters(app), o: () => app.only(app.subject), c: () => app.copy(), s: () => app.sandwich(app.subject),
		Escape: () => app.zoomOut(),
		Enter: () => app.picture.selected && app.zoom(app.picture.selected.graph, app.picture.selected.id),
		ArrowLeft: () => app.walk("left"), ArrowRight: () => app.walk("right"),
		ArrowUp: () => app.walk(app.state.flip ? "in" : "out"), ArrowDown: () => app.walk(app.state.flip ? "out" : "in"),
	};
	addEventListener("keydown", event => {
		const typing = event.target.closest("input, select, dialog, textarea, #table .row"), control = event.ctrlKey || event.metaKey;
		if (control && event.key === "f" && document.activeElement !== $("search")) {
			$("search").focus();
			$("search").select();
		} else if (control && event.key === "i") {
			app.set({ignoreCase: !app.state.ignoreCase}, "search");
		} else if (event.target === $("search") && event.key === "Escape") {
			app.set({search: ""}, "search");
			$("picture").focus();
		} else if (!typing && !control && !event.altKey && views[event.key]) {
			app.set({view: views[event.key], zoom: []}, "layout");
		} else if (!typing && !control && !event.altKey && keys[event.key]) {
			keys[event.key]();
		} else {
			return;
		}
		event.preventDefault();
	});
	$("help").addEventListener("click", () => $("keys").showModal());
}

/* What is done to the page before it has all its data is done again once it has. */
class Early {
	constructor() {
		this.events = [];
		this.kinds = ["click", "keydown", "input", "change"];
		this.keep = event => this.events.push({event, value: event.target.value});
		for (const kind of this.kinds)
			document.addEventListener(kind, this.keep, true);
	}
	replay() {
		for (const kind of this.kinds)
			document.removeEventListener(kind, this.keep, true);
		for (const {event, value} of this.events) {
			const {type, target} = event;
			if (!target.isConnected)
				continue;
			if (type === "input" || type === "change")
				target.value = value;
			target.dispatchEvent(new event.constructor(type, event));
		}
	}
}

/* A page that is not in sight is not painted, and should be ready all the same. */
const painted = () => new Promise(done => {
	requestAnimationFrame(() => setTimeout(done));
	setTimeout(done, 1000);
});
const parsed = () => new Promise(done => document.readyState === "loading" ? addEventListener("DOMContentLoaded", done, {once: true}) : done());

async function start() {
	const early = new Early(), page = await loadFirst(), app = window.explorer = new Explorer(page); /* for the curious, and for tests */
	$("summary").textContent = page.summary + (page.quality ? "; " + page.quality : "") + ".";
	$("notes").textContent = page.notes;
	$("notes").hidden = !page.notes;
	if (app.plain)
		app.drawOverview();
	await painted();
	performance.mark("fold-painted"); /* for those who measure */
	await parsed();
	await loadRest(page);
	connectMenus(app);
	connectSearch(app);
	connectPicture(app);
	connectKeys(app);
	addEventListener("hashchange", () => app.restore());
	app.restore();
	document.body.classList.remove("loading");
	early.replay();
	await painted();
	performance.mark("fold-ready");
}
start().catch(error => {
	$("summary").textContent = "This page could not be read: " + error.message;
	throw error;
});
