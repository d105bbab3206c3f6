"use strict";
// Tables that sort and filter.

const ROWS_AT_ONCE = 25;

const FILTER_FORMS = "write COLUMN=VALUE,VALUE or COLUMN!=VALUE, COLUMN<NUMBER (or <=, >, >=), or a text to look for";

/** What a filter says that it cannot mean. */
class FilterError extends Error {}

/** The column of that name; else the nearest name is proposed. */
function columnNamed(name, header) {
  const column = header.indexOf(name);
  if (column >= 0) return column;
  if (name === "") throw new FilterError(`a condition names no column: ${FILTER_FORMS}`);
  const near = header.find((one) => one.startsWith(name) || name.startsWith(one));
  throw new FilterError(`no column '${name}'${near ? `; did you mean ${near}?` : `: ${FILTER_FORMS}`}`);
}

function isEqual(cell, value) {
  return cell === value || (cell !== "" && cell.split(":")[0] === value) ||
    (value !== "" && cell !== "" && Number(cell) === Number(value));
}

/** The condition `strategy=darts,eager`, `makespan_s<0.5`. As `query --where` reads it. */
function conditionOf(name, sign, value, header) {
  const column = columnNamed(name, header);
  if (value === "") throw new FilterError(`'${name}${sign}' has no value: ${FILTER_FORMS}`);
  if (["=", "==", "!="].includes(sign)) {
    const values = [value, ...value.split(",").map((one) => one.trim())];
    return (row) => values.some((one) => isEqual(row[column], one)) === (sign !== "!=");
  }
  const bound = Number(value);
  if (!Number.isFinite(bound)) throw new FilterError(`'${value}' is not a number: ${FILTER_FORMS}`);
  const holds = { "<": (x) => x < bound, ">": (x) => x > bound, "<=": (x) => x <= bound, ">=": (x) => x >= bound }[sign];
  return (row) => row[column] !== "" && holds(Number(row[column]));
}

/** Columns that are no options of what a name before them says, as depth is in strategy=darts:eviction=lru,depth=3. */
const NEVER_OPTIONS = ["source", "model", "strategy", "workload", "platform", "status"];

/** Of `darts makespan_s < 0.5, loads>=3` the parts: [{name, sign, value}], or of a text to look for [{value}].
 * A comma or a blank stands between two; behind a comma a word without a sign is another value. */
function partsOfFilter(text) {
  const parts = [];
  const words = text.replace(/\s*(<=|>=|!=|==|=|<|>)\s*/g, "$1").replace(/\s*,\s*/g, ",").split(/\s+/);
  for (const word of words.filter((one) => one !== "")) {
    let last = null; // of this word
    for (const piece of word.split(",")) {
      const found = /^([^=!<>:]*)(<=|>=|!=|==|=|<|>)(.*)$/.exec(piece);
      const goesOn = last && last.value.includes(":") && (!found || (found[2] === "=" && !NEVER_OPTIONS.includes(found[1])));
      if (last && (goesOn || (!found && last.sign && !/[<>]/.test(last.sign)))) {
        last.value += `,${piece}`;
        continue;
      }
      last = found ? { name: found[1], sign: found[2], value: found[3] } : { value: piece };
      parts.push(last);
    }
  }
  return parts.filter((part) => part.sign || part.value !== "");
}

/** @throws FilterError */
function conditionsOf(text, header) {
  const all = partsOfFilter(text).map(({ name, sign, value }) => {
    if (sign) return conditionOf(name, sign, value, header);
    const wanted = value.toLowerCase();
    return (row) => row.some((cell) => cell.toLowerCase().includes(wanted));
  });
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
    let wrong = "";
    try {
      this.kept = this.rows.filter(conditionsOf(this.filter.value, this.header));
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      wrong = error.message;
      this.kept = [];
    }
    this.filter.setAttribute("aria-invalid", String(wrong !== ""));
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
    this.count.textContent = wrong ? wrong : this.kept.length === this.rows.length
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
