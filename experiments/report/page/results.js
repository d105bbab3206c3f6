"use strict";
// A file of results: its charts and its table.

/** What can stand on the y axis: how its numbers are written, and whose lower bound they have. */
const MEASURES = {
  makespan_s: { words: "makespan", text: timeText, bound: "makespan_lower_bound_s" },
  makespan_ratio: { words: "makespan over its lower bound", text: sixDigits, one: true },
  loads: { words: "loads", text: sixDigits, bound: "lower_bound" },
  volume_ratio: { words: "loads over their bound", text: sixDigits, one: true },
  bytes_loaded: { words: "bytes loaded", text: sizeText },
  gflops: { words: "GFlop/s", text: sixDigits },
  busy_fraction: { words: "share of the time that processors compute", text: sixDigits },
  energy_j: { words: "energy [J]", text: sixDigits },
  scheduling_s: { words: "time of decisions", text: timeText },
};
const USUAL_COLUMNS = ["source", "model", "strategy", "eviction", "workload", "platform", "replicate", "beta", "n", "runs", "loads",
  "lower_bound", "volume_ratio", "makespan_s", "makespan_ratio", "gflops", "status", "mean", "sd", "ci95", "domain"];
/** Of these simulated and executed numbers are of different clocks: the platform's, and this computer's. */
const OF_A_CLOCK = ["makespan_s", "gflops", "energy_j", "scheduling_s"];
const MOST_LINES = 8;
const MOST_BARS = 60;

function recordsOf(table) {
  return table.rows.map((row) => Object.fromEntries(table.header.map((name, place) => [name, row[place]])));
}

function hasResult(record) {
  return ["", "ok", "unverified", undefined].includes(record.status);
}

function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Mean and band of one measure over rows: twice the standard deviation of a prediction, else from
 * the least to the greatest run, or what a summarised row says. */
function markOf(rows, measure) {
  const values = rows.filter((row) => hasResult(row) && (row[measure] || "") !== "").map((row) => Number(row[measure]));
  if (values.length === 0) return null;
  const y = meanOf(values);
  const spread = measure === "volume_ratio" && values.length === 1
    ? rows[0].source === "predicted" ? 2 * Number(rows[0].sd || 0) : Number(rows[0].ci95 || 0) : 0;
  return { y, low: Math.min(...values) - spread, high: Math.max(...values) + spread };
}

function groupedBy(records, keyOf) {
  const groups = new Map();
  for (const record of records) {
    const key = keyOf(record);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(record);
  }
  return groups;
}

/** The measures of which the records have numbers. The first is the one that decides: time, where
 * the platform has times, else loads. */
function measuresOf(records) {
  const there = Object.keys(MEASURES).filter((name) => records.some((record) => (record[name] || "") !== ""));
  const timed = records.some((record) => (record.makespan_ratio || "") !== "" || record.source === "executed");
  return timed ? there : there.filter((name) => !["makespan_s", "gflops"].includes(name));
}

/** What stands on one axis: [[words, the things whose record is among them]]. Measured times stand apart
 * from simulated and predicted ones, as they have another scale. */
function onOneAxis(things, measure, recordOf) {
  const measured = things.filter((one) => recordOf(one).source === "executed");
  if (!OF_A_CLOCK.includes(measure) || measured.length === 0 || measured.length === things.length) return [["", things]];
  const others = things.filter((one) => recordOf(one).source !== "executed");
  const sources = [...new Set(others.map((one) => recordOf(one).source))].join(" and ");
  return [[sources, others], ["executed", measured]];
}

/** Strategy, source and model of a line in words. */
function lineName(record, sources) {
  const source = record.source === "predicted" ? record.model : record.source;
  return sources > 1 ? `${record.strategy}, ${source}` : record.strategy;
}

function choice(label, options, change) {
  const select = el("select", { onchange: () => change(select.value) },
    options.map(([value, words]) => el("option", { value }, words)));
  return el("label", {}, label, select);
}

/** Charts of records: lines where some option has several numbers, else bars. */
function chartsOf(records) {
  const measures = measuresOf(records);
  const varying = varyingOptions(records);
  const axis = axisOf(varying);
  if (measures.length === 0 || records.length < 2) return null;
  return axis ? lineCharts(records, measures, varying, axis) : barCharts(records, measures, varying);
}

function lineCharts(records, measures, varying, axis) {
  const others = varying.filter((one) => one !== axis && !follows(one, axis));
  const panelOf = (place) => others.map((one) => `${one.name} = ${one.texts[place]}`).join(", ");
  const panels = [...new Set(records.map((_, place) => panelOf(place)))];
  let measure = measures[0];
  let panel = panels[0];
  let limit = MOST_LINES;
  const space = el("div");
  const draw = () => {
    const some = records.map((record, place) => ({ record, x: axis.numbers[place], panel: panelOf(place) }))
      .filter((one) => one.panel === panel);
    space.replaceChildren(...onOneAxis(some, measure, (one) => one.record).flatMap(([words, own]) =>
      [...(words ? [el("h3", {}, `${MEASURES[measure].words}, ${words}`)] : []), ...linesOf(own, measure, axis, limit)]));
  };
  const controls = el("div", { class: "controls" },
    choice("show", measures.map((name) => [name, MEASURES[name].words]), (value) => { measure = value; draw(); }),
    panels.length > 1 ? choice("where", panels.map((words) => [words, words]), (value) => { panel = value; draw(); }) : null,
    choice("lines", [[MOST_LINES, `the best ${MOST_LINES}`], [1e9, "all"]], (value) => { limit = Number(value); draw(); }));
  draw();
  return el("div", {}, controls, space);
}

/** Whether the other option has one value for each of the axis: zipped, it needs no panels. */
function follows(other, axis) {
  const known = new Map();
  return axis.numbers.every((x, place) => {
    if (!known.has(x)) known.set(x, other.texts[place]);
    return known.get(x) === other.texts[place];
  });
}

function linesOf(some, measure, axis, limit) {
  const sources = new Set(some.map(({ record }) => `${record.source} ${record.model}`)).size;
  const strategies = [...new Set(some.map(({ record }) => record.strategy))];
  const series = [];
  for (const [name, rows] of groupedBy(some, ({ record }) => lineName(record, sources))) {
    const points = [];
    for (const [x, there] of groupedBy(rows, (one) => one.x)) {
      const mark = markOf(there.map((one) => one.record), measure);
      if (mark) points.push({ x, ...mark });
    }
    if (points.length > 0) {
      series.push({ label: name, points, source: rows[0].record.source, place: strategies.indexOf(rows[0].record.strategy) });
    }
  }
  const more = measure === "gflops" || measure === "busy_fraction" ? -1 : 1;
  series.sort((a, b) => more * (meanOf(a.points.map((point) => point.y)) - meanOf(b.points.map((point) => point.y))));
  const shown = series.slice(0, limit);
  const bound = boundLine(some, measure);
  if (bound) shown.push(bound);
  const unit = { s: timeText, B: sizeText, "B/s": (x) => `${sizeText(x)}/s` }[axis.unit] || sixDigits;
  const about = MEASURES[measure];
  const chart = lineChart(shown, { x: `${axis.role} ${axis.name}${axis.unit && unit === sixDigits ? ` [${axis.unit}]` : ""}`, y: about.words, xText: unit, yText: about.text,
    fromZero: true }, `${about.words} by ${axis.name}, ${counted(shown.length, "line")}; the table below has the numbers`);
  const left = series.length - limit;
  return [chart, left > 0 ? el("p", { class: "quiet" }, `${counted(left, "more line")} not shown: the best ${limit} are.`) : null].filter(Boolean);
}

function boundLine(some, measure) {
  const points = [];
  let label = "";
  for (const [x, there] of groupedBy(some, (one) => one.x)) {
    const bound = boundOf(there.map((one) => one.record), measure);
    if (!bound) continue;
    points.push({ x, y: bound.y });
    label = bound.words;
  }
  return points.length > 0 ? { label, points, place: -1, dash: [4, 3], dots: false } : null;
}

function barCharts(records, measures, varying) {
  const panelOf = (record) => varying.length > 0 ? `${record.workload} on ${record.platform}` : "";
  const space = el("div");
  const panels = [...groupedBy(records, panelOf).keys()];
  const shown = [measures[0], measures.find((name) => name !== measures[0] && /loads|volume/.test(name) && !/loads|volume/.test(measures[0]))]
    .filter(Boolean);
  let panel = panels[0];
  const draw = () => {
    const some = records.filter((record) => panelOf(record) === panel);
    space.replaceChildren(...shown.flatMap((measure) =>
      onOneAxis(some, measure, (record) => record).map(([words, own]) => barsOf(own, measure, words))));
  };
  draw();
  return el("div", {}, panels.length > 1
    ? el("div", { class: "controls" }, choice("of", panels.map((words) => [words, words]), (value) => { panel = value; draw(); })) : null, space);
}

function barsOf(some, measure, sources) {
  const models = [...new Set(some.map((record) => record.model))].filter(Boolean);
  const rows = [];
  for (const [name, own] of groupedBy(some, (record) => record.strategy)) {
    const marks = [];
    for (const [, there] of groupedBy(own, (record) => `${record.source} ${record.model}`)) {
      const mark = markOf(there, measure);
      if (mark) marks.push({ ...mark, source: there[0].source, model: there[0].model, place: models.indexOf(there[0].model) });
    }
    const order = ["simulated", "executed", "predicted"];
    marks.sort((a, b) => order.indexOf(a.source) - order.indexOf(b.source));
    if (marks.length > 0) rows.push({ name, marks });
  }
  const more = measure === "gflops" || measure === "busy_fraction" ? -1 : 1;
  rows.sort((a, b) => more * (a.marks[0].y - b.marks[0].y));
  const about = MEASURES[measure];
  const bound = boundOf(some, measure);
  const named = sources ? `${about.words}, ${sources}` : about.words;
  const words = rows.length > MOST_BARS ? `${named} (the best ${MOST_BARS} of ${rows.length})` : named;
  return barChart(rows.slice(0, MOST_BARS), words[0].toUpperCase() + words.slice(1), about.text, bound);
}

/** {y, words}: what the measure is compared with, or null. As ratio_bound() and ratio_bound_words()
 * of experiments/studies/rows.cpp choose it, here of any rows at one x; tests/cli/report_test.py
 * holds them equal. */
function boundOf(records, measure) {
  const about = MEASURES[measure];
  const balanced = /loads|volume/.test(measure) && records.some((record) => (record.balanced_bound || "") !== "");
  const words = balanced ? "balanced bound" : "lower bound";
  if (about.one) return { y: 1, words };
  const mark = about.bound ? markOf(records, balanced ? "balanced_bound" : about.bound) : null;
  return mark && mark.y > 0 ? { y: mark.y, words } : null;
}

/** The lines that every row shares stand above a table once. */
function sharedValues(table, names) {
  if (table.rows.length < 2) return [];
  return names.filter((name) => {
    const place = table.header.indexOf(name);
    return place >= 0 && table.rows[0][place] !== "" && table.rows.every((row) => row[place] === table.rows[0][place]);
  });
}

/** The table; where there are replicates, their means at first. */
function tablesOf(table) {
  if (!table.means) return tableOf(table);
  const means = { file: table.file, ...table.means };
  const space = el("div", {}, tableOf(means));
  return el("div", {}, el("div", { class: "controls noprint" }, choice("rows",
    [["means", "means of replicates"], ["all", "every run"]], (value) => space.replaceChildren(tableOf(value === "all" ? table : means)))), space);
}

function tableOf(table) {
  const filled = table.header.filter((_, place) => table.rows.some((row) => row[place] !== ""));
  const shared = sharedValues(table, ["source", "model", "workload", "platform", "eviction", "beta", "status", "lower_bound", "domain"]);
  const usual = filled.filter((name) => USUAL_COLUMNS.includes(name) && !shared.includes(name));
  const words = shared.map((name) => `${name} ${table.rows[0][table.header.indexOf(name)]}`).join(", ");
  return el("div", {}, words ? el("p", { class: "quiet" }, `In all rows: ${words}.`) : null,
    new SortableTable(table.header, table.rows, usual.length > 0 ? usual : filled, `Table of ${table.file}`).element);
}

/** Volume over beta, of each model, its minimum marked. */
function betaCharts(table) {
  const records = recordsOf(table).filter((record) => (record.curve || "") !== "");
  if (records.length === 0) return null;
  const series = [];
  records.forEach((record, place) => {
    const points = record.curve.split(" ").map((pair) => pair.split(":").map(Number)).map(([x, y]) => ({ x, y }));
    series.push({ label: record.model, points, place, dots: false });
    if (record.beta !== "" && record.volume_ratio !== "") {
      series.push({ label: `${record.model}, minimum`, place, points: [{ x: Number(record.beta), y: Number(record.volume_ratio) }] });
    }
  });
  const least = Math.min(...records.map((record) => Number(record.volume_ratio || Infinity)));
  for (const one of series) one.points = one.points.filter((point) => point.y < 1.5 * least || !Number.isFinite(least));
  const advice = records[0].recommended_beta;
  return el("div", {}, advice ? el("p", {}, `Recommended: β = ${advice}.`) : null,
    lineChart(series, { x: "threshold β", y: "loads over their bound", xText: sixDigits, yText: sixDigits },
      `Predicted loads over the threshold beta, of ${counted(records.length, "model")}; the table below has the minima`));
}

/** Mean-field ODE beside simulated runs, over time. */
function trajectoryCharts(table) {
  const all = [];
  for (const [quantity, records] of groupedBy(recordsOf(table), (record) => record.quantity)) {
    const series = [...groupedBy(records, (record) => `${record.source}${record.speed ? `, speed ${record.speed}` : ""}`)].map(([label, rows], place) => ({
      label, place, source: rows[0].source, dots: false,
      points: rows.map((row) => ({ x: Number(row.time_s), y: Number(row.mean),
        ...(row.low !== "" ? { low: Number(row.low), high: Number(row.high) } : {}) })) }));
    all.push(el("h3", {}, quantity.replaceAll("_", " ")), lineChart(series, { x: "time", y: "share", xText: sixDigits, yText: sixDigits, fromZero: true },
      `${quantity} over time; the table below has the numbers`));
  }
  return el("div", {}, all);
}

function resultsSection(table, place) {
  const charts = table.header.includes("recommended_beta") ? betaCharts(table)
    : table.header.includes("quantity") ? trajectoryCharts(table)
    : table.header.includes("strategy") ? chartsOf(recordsOf(table)) : null;
  const shown = table.header.includes("curve")
    ? { ...table, header: table.header.filter((name) => name !== "curve"), rows: table.rows.map((row) => row.filter((_, at) => table.header[at] !== "curve")) }
    : table;
  return el("section", { id: `table${place}` }, el("h2", {}, table.file), charts, tablesOf(shown));
}
