/* SPDX-License-Identifier: BSD-2-Clause
 * A table of functions of any length: only the rows in sight are elements. */

const TABLE_ROW = 24;

class Table {
	/* opened(frame): a row was chosen */
	constructor(element, opened) {
		this.element = element;
		this.head = element.querySelector(".head");
		this.body = element.querySelector(".body");
		this.spacer = element.querySelector(".spacer");
		this.opened = opened;
		this.sort = {column: "self", down: true};
		this.body.addEventListener("scroll", () => this.paint(), {passive: true});
		this.head.addEventListener("click", event => this.clickHead(event));
		this.spacer.addEventListener("click", event => {
			const row = event.target.closest("[data-frame]");
			if (row)
				this.opened(Number(row.dataset.frame));
		});
		this.spacer.addEventListener("keydown", event => {
			if (event.key === "Enter" && event.target.dataset.frame)
				this.opened(Number(event.target.dataset.frame));
		});
	}
	columns() {
		const compared = Boolean(this.view.before);
		return [["self", "Self"], ["total", "Total"], ...(compared ? [["change", "Change"]] : []), ["name", "Function"], ["module", "Module"]];
	}
	show(view, hit) {
		const table = view.table(), frames = view.tree.frames;
		if (Boolean(view.before) !== Boolean(this.view && this.view.before))
			this.sort = {column: view.before ? "change" : "self", down: true};
		this.view = view;
		this.frames = frames;
		this.sums = table;
		this.rows = Int32Array.from({length: view.tree.nframes}, (_, f) => f).filter(f => f && (table.total[f] || table.other[f]) && (!hit || hit[f]));
		this.order();
		this.paintHead();
		this.body.scrollTop = 0;
		this.paint();
	}
	/* What it and all that it calls came to, or, where that is what tells, it alone. */
	sidesOf(frame) {
		const {self, total, otherSelf, other} = this.sums;
		const all = {now: total[frame], before: other[frame]}, own = {now: self[frame], before: otherSelf[frame], self: true};
		return told(all, own, this.view);
	}
	changeOf(frame) {
		const {now, before} = this.sidesOf(frame);
		return now - before * this.view.scale;
	}
	isSure(frame) {
		return sureDifference(this.sidesOf(frame), this.view);
	}
	/* Numbers of frames are in order of names. */
	order() {
		const {column, down} = this.sort, sign = down ? -1 : 1, {self, total} = this.sums, {module} = this.frames;
		const compare = {
			self: (a, b) => self[a] - self[b],
			total: (a, b) => total[a] - total[b],
			change: (a, b) => this.isSure(a) - this.isSure(b) || Math.abs(this.changeOf(a)) - Math.abs(this.changeOf(b)),
			name: (a, b) => a - b,
			module: (a, b) => module[a] < module[b] ? -1 : module[a] > module[b] ? 1 : 0,
		}[column];
		this.rows.sort((a, b) => sign * compare(a, b) || total[b] - total[a] || a - b);
	}
	paintHead() {
		this.element.classList.toggle("compared", Boolean(this.view.before));
		this.head.replaceChildren(...this.columns().map(([column, label]) => {
			const cell = document.createElement("button");
			cell.dataset.column = column;
			cell.className = column;
			cell.textContent = label + (this.sort.column === column ? this.sort.down ? " ▾" : " ▴" : "");
			return cell;
		}));
	}
	clickHead(event) {
		const column = event.target.dataset.column;
		if (!column)
			return;
		const text = column === "name" || column === "module";
		this.sort = {column, down: this.sort.column === column ? !this.sort.down : !text};
		this.order();
		this.paintHead();
		this.paint();
	}
	cell(name, text, share) {
		const cell = document.createElement("span");
		cell.className = name;
		cell.textContent = text;
		if (share !== undefined)
			cell.style.setProperty("--share", Math.min(100, Math.abs(share)) + "%");
		return cell;
	}
	paint() {
		if (!this.view)
			return;
		const {unit} = this.view.tree, sum = this.view.sum;
		const from = Math.max(0, Math.floor(this.body.scrollTop / TABLE_ROW) - 4);
		const to = Math.min(this.rows.length, from + Math.ceil(this.body.clientHeight / TABLE_ROW) + 8);
		const elements = [];
		this.spacer.style.height = this.rows.length * TABLE_ROW + "px";
		for (let i = from; i < to; i++) {
			const f = this.rows[i], row = document.createElement("div"), name = frameName(this.view, f);
			const {self, total, other} = this.sums, value = v => percentText(v, sum) + "  " + valueText(unit || UNIT.count, v);
			row.className = "row";
			row.tabIndex = 0;
			row.dataset.frame = f;
			row.style.top = i * TABLE_ROW + "px";
			row.append(this.cell("self", value(self[f]), 100 * self[f] / sum), this.cell("total", value(total[f]), 100 * total[f] / sum));
			if (this.view.before)
				row.append(this.cell("change " + (!this.isSure(f) ? "unsure" : this.changeOf(f) > 0 ? "more" : "less"),
					(this.sidesOf(f).self ? "self " : "") + (this.changeOf(f) > 0 ? "+" : "−") + percentText(Math.abs(this.changeOf(f)), sum || other[f])));
			row.append(this.cell("name", name), this.cell("module", this.frames.module[f]));
			row.title = name;
			elements.push(row);
		}
		this.spacer.replaceChildren(...elements);
	}
}
