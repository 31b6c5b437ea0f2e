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
		return [["self", "Self"], ["total", "Total"], ...(compared ? [["change", "Change of total"]] : []), ["name", "Function"], ["module", "Module"]];
	}
	show(view, hit) {
		const table = view.table(), frames = view.tree.frames;
		if (Boolean(view.before) !== Boolean(this.view && this.view.before))
			this.sort = {column: view.before ? "change" : "self", down: true};
		this.view = view;
		this.rows = [];
		for (let f = 1; f < view.tree.nframes; f++)
			if ((table.total[f] || table.other[f]) && (!hit || hit[f]))
				this.rows.push({frame: f, self: table.self[f], total: table.total[f], change: table.total[f] - table.other[f] * view.scale,
					before: table.other[f], name: frameName(view, f), module: frames.module[f]});
		this.order();
		this.paintHead();
		this.body.scrollTop = 0;
		this.paint();
	}
	order() {
		const {column, down} = this.sort, sign = down ? -1 : 1;
		const text = column === "name" || column === "module";
		this.rows.sort((a, b) => {
			const x = a[column], y = b[column];
			const c = text ? (x < y ? -1 : x > y ? 1 : 0) : column === "change" ? Math.abs(x) - Math.abs(y) : x - y;
			return sign * c || b.total - a.total || (a.name < b.name ? -1 : 1);
		});
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
			const r = this.rows[i], row = document.createElement("div");
			row.className = "row";
			row.tabIndex = 0;
			row.dataset.frame = r.frame;
			row.style.top = i * TABLE_ROW + "px";
			row.append(this.cell("self", percentText(r.self, sum) + "  " + valueText(unit || UNIT.count, r.self), 100 * r.self / sum),
				this.cell("total", percentText(r.total, sum) + "  " + valueText(unit || UNIT.count, r.total), 100 * r.total / sum));
			if (this.view.before)
				row.append(this.cell("change " + (!sureDifference({now: r.total, before: r.before}, this.view) ? "unsure" : r.change > 0 ? "more" : "less"),
					(r.change > 0 ? "+" : "−") + percentText(Math.abs(r.change), sum || r.before)));
			row.append(this.cell("name", r.name), this.cell("module", r.module));
			row.title = r.name;
			elements.push(row);
		}
		this.spacer.replaceChildren(...elements);
	}
}
