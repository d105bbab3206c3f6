"use strict";
// Tables that sort and filter.

const ROWS_AT_ONCE = 25;

/** The condition that one word of a filter states: `strategy=darts`, `makespan_s<0.5`, or a text
 * that some cell has. */
function conditionOf(word, header) {
  const parts = /^([A-Za-z_0-9]+)(<=|>=|!=|=|<|>)(.*)$/.exec(word);
  const column = parts ? header.indexOf(parts[1]) : -1;
  if (column < 0) {
    const text = word.toLowerCase();
    return (row) => row.some((cell) => cell.toLowerCase().includes(text));
  }
  const [, , sign, value] = parts;
  if (sign === "=" || sign === "!=") {
    const same = (cell) => cell === value || (value !== "" && cell !== "" && Number(cell) === Number(value));
    return (row) => same(row[column]) === (sign === "=");
  }
  const bound = Number(value);
  const holds = { "<": (x) => x < bound, ">": (x) => x > bound, "<=": (x) => x <= bound, ">=": (x) => x >= bound }[sign];
  return (row) => row[column] !== "" && holds(Number(row[column]));
}

function conditionsOf(text, header) {
  const all = text.trim().split(/\s+/).filter((word) => word !== "").map((word) => conditionOf(word, header));
  return (row) => all.every((holds) => holds(row));
}

/** Numbers by value, words by letters, empty cells last. */
function compareCells(a, b, numeric) {
  if (a === "" || b === "") return a === b ? 0 : a === "" ? 1 : -1;
  return numeric ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0;
}

function isNumeric(rows, column) {
  let some = false;
  for (const row of rows) {
    if (row[column] === "") continue;
    if (!Number.isFinite(Number(row[column]))) return false;
    some = true;
  }
  return some;
}

class SortableTable {
  /** @param shown  names of the columns that are shown at first */
  constructor(header, rows, shown, caption) {
    this.header = header;
    this.rows = rows;
    this.numeric = header.map((_, column) => isNumeric(rows, column));
    this.shown = header.map((name) => shown.includes(name));
    this.sort = { column: -1, sign: 1 };
    this.most = ROWS_AT_ONCE;
    this.filter = el("input", { type: "search", placeholder: "filter: darts makespan_s<0.5",
      "aria-label": `Filter rows of ${caption}`, oninput: () => this.update(true) });
    this.count = el("span", { class: "quiet", role: "status" });
    this.head = el("thead");
    this.body = el("tbody");
    this.more = el("button", { onclick: () => { this.most *= 10; this.update(); } });
    const table = el("table", {}, el("caption", { class: "unseen" }, caption), this.head, this.body);
    this.element = el("div", {},
      el("div", { class: "controls" }, this.filter, this.count), this.columnChoice(),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table), this.more);
    this.update();
  }

  columnChoice() {
    const boxes = this.header.map((name, column) => el("label", {},
      el("input", { type: "checkbox", checked: this.shown[column], onchange: (event) => {
        this.shown[column] = event.target.checked;
        this.update();
      } }), " ", name));
    return el("details", { class: "noprint" }, el("summary", {}, "columns"), el("div", { class: "checks" }, boxes));
  }

  update(filtered = false) {
    if (filtered) this.most = ROWS_AT_ONCE;
    const holds = conditionsOf(this.filter.value, this.header);
    this.kept = this.rows.filter(holds);
    const { column, sign } = this.sort;
    if (column >= 0) {
      // What is empty stays last in both directions.
      this.kept.sort((a, b) => {
        const order = compareCells(a[column], b[column], this.numeric[column]);
        return a[column] === "" || b[column] === "" ? order : sign * order;
      });
    }
    const columns = this.header.map((_, place) => place).filter((place) => this.shown[place]);
    this.head.replaceChildren(el("tr", {}, columns.map((place) => this.headCell(place))));
    this.body.replaceChildren(...this.kept.slice(0, this.most).map((row) =>
      el("tr", {}, columns.map((place) => this.cell(row[place], place)))));
    const left = this.kept.length - this.most;
    this.more.hidden = left <= 0;
    this.more.textContent = `show ${Math.min(left, 9 * this.most)} more rows`;
    this.count.textContent = this.kept.length === this.rows.length
      ? counted(this.rows.length, "row") : `${this.kept.length} of ${counted(this.rows.length, "row")}`;
  }

  headCell(place) {
    const { column, sign } = this.sort;
    const order = place !== column ? "none" : sign > 0 ? "ascending" : "descending";
    const mark = { none: "", ascending: " ▲", descending: " ▼" }[order];
    return el("th", { scope: "col", "aria-sort": order, class: this.numeric[place] ? "number" : null },
      el("button", { onclick: () => {
        this.sort = { column: place, sign: place === column ? -sign : 1 };
        this.update();
        this.head.querySelectorAll("button")[this.shown.slice(0, place).filter(Boolean).length].focus();
      } }, this.header[place] + mark));
  }

  cell(text, place) {
    if (!this.numeric[place]) return el("td", { class: text.length > 60 ? "long" : null }, text);
    return el("td", { class: "number", title: text }, text === "" ? "" : sixDigits(Number(text)));
  }
}

/** A small table without controls. @param rows  of strings; numbers stand right */
function plainTable(header, rows, caption) {
  const numeric = header.map((_, column) => column > 0 && rows.every((row) => /^[-+]?[\d.]/.test(row[column]) || row[column] === ""));
  const side = (place, text = "") => ({ class: numeric[place] ? "number" : text.length > 24 ? "long" : null });
  return el("div", { class: "scroll snug", tabindex: "0", role: "region", "aria-label": caption },
    el("table", { class: "plain" }, el("caption", { class: "unseen" }, caption),
      el("thead", {}, el("tr", {}, header.map((name, place) => el("th", { scope: "col", ...side(place) }, name)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, place) => el("td", side(place, cell), cell)))))));
}
