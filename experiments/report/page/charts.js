"use strict";
// Charts: lines with bands (uPlot), and bars with marks (SVG).

const DASHES = { simulated: [], executed: [2, 3], predicted: [8, 4] };

/**
 * Lines over x. @param series  [{label, place (of its colour), source, points: [{x, y, low, high}],
 * marks: [{x, y}]}]; low and high are optional, marks are drawn as points without a line.
 * @param axes  {x, y: labels, xText, yText: how numbers are written, fromZero, end: of x}
 */
function lineChart(series, axes, label) {
  const box = el("div", { class: "plot", role: "img", "aria-label": label });
  let chart = null;
  drawn(box, () => {
    if (chart) chart.destroy();
    chart = new uPlot(chartOptions(series, axes, box.clientWidth || 800), chartData(series), box);
  });
  return box;
}

function chartData(series) {
  const all = new Set(series.flatMap((one) => one.points.map((point) => point.x)));
  const xs = [...all].sort((a, b) => a - b);
  const data = [xs];
  for (const one of series) {
    const at = new Map(one.points.map((point) => [point.x, point]));
    const of = (key) => xs.map((x) => (at.has(x) && at.get(x)[key] !== undefined ? at.get(x)[key] : null));
    data.push(of("y"));
    if (hasBand(one)) data.push(of("high"), of("low"));
  }
  return data;
}

function hasBand(series) {
  return series.points.some((point) => point.high > point.low);
}

function chartOptions(series, axes, width) {
  const lines = [{ label: axes.x, value: (_, x) => (x === null ? "" : axes.xText(x)) }];
  const bands = [];
  for (const one of series) {
    const stroke = one.place < 0 ? styleColour("--quiet") : colour(one.place);
    lines.push({ label: one.label, stroke, width: 2, dash: one.dash || DASHES[one.source] || [], spanGaps: true,
      points: { show: one.dots !== false, size: 6 }, value: (_, y) => (y === null ? "" : axes.yText(y)) });
    if (!hasBand(one)) continue;
    bands.push({ series: [lines.length, lines.length + 1], fill: stroke + "33" });
    for (const side of ["upper", "lower"]) {
      lines.push({ label: `${one.label}, ${side} end`, stroke: "transparent", width: 0, points: { show: false }, class: "unseen" });
    }
  }
  const axis = { stroke: styleColour("--ink"), grid: { stroke: styleColour("--line"), width: 1 }, ticks: { stroke: styleColour("--line") },
    font: "12px system-ui, sans-serif", labelFont: "13px system-ui, sans-serif" };
  return { width: Math.max(260, width - 10), height: 320, series: lines, bands,
    scales: { x: { time: false, ...(axes.end ? { range: [0, axes.end] } : {}) }, y: { range: (_, low, high) => rangeOf(low, high, axes.fromZero) } },
    axes: [{ ...axis, label: axes.x, values: (_, ticks) => ticks.map(axes.xText) },
      { ...axis, label: axes.y, size: 70, values: (_, ticks) => ticks.map(axes.yText) }] };
}

function rangeOf(low, high, fromZero) {
  if (low === null) return [0, 1];
  const bottom = fromZero && low > 0 ? 0 : low;
  const room = 0.05 * (high - bottom || Math.abs(high) || 1);
  return [bottom === 0 ? 0 : bottom - room, high + room];
}

function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * A row of marks a name: bars for simulated values, circles for executed ones, diamonds for
 * predictions, each with its band. @param rows  [{name, marks: [{source, model, y, low, high}]}]
 * @param bound  {y, words} of a line, or null
 */
function barChart(rows, title, text, bound) {
  const box = el("div", { class: "plot" });
  drawn(box, () => {
    const width = Math.max(300, box.clientWidth - 8 || 800);
    const left = Math.min(190, width * 0.34);
    const most = Math.max(bound ? bound.y : 0, ...rows.flatMap((row) => row.marks.map((mark) => Math.max(mark.y, mark.high || 0)))) || 1;
    const scale = (value) => left + (width - left - 90) * (value / most);
    const picture = svg("svg", { class: "bars", viewBox: `0 0 ${width} ${rows.length * 24 + 30}`, role: "img" },
      svg("title", {}, `${title}: ${rows.map((row) => `${row.name} ${row.marks.map((mark) => text(mark.y)).join(", ")}`).join("; ")}`));
    rows.forEach((row, place) => drawBars(picture, row, place * 24 + 6, scale, left, text));
    if (bound) {
      picture.append(svg("line", { x1: scale(bound.y), x2: scale(bound.y), y1: 0, y2: rows.length * 24 + 8, stroke: styleColour("--ink"), "stroke-dasharray": "4 3" }),
        svg("text", { x: scale(bound.y), y: rows.length * 24 + 22, "text-anchor": "middle" }, `${bound.words} ${text(bound.y)}`));
    }
    box.replaceChildren(picture);
  });
  return el("div", {}, el("h3", {}, title), box, barKey(rows));
}

function drawBars(picture, row, top, scale, left, text) {
  const name = row.name.length > left / 7 ? `${row.name.slice(0, Math.floor(left / 7) - 1)}…` : row.name;
  picture.append(svg("text", { x: left - 8, y: top + 13, "text-anchor": "end" }, name));
  let end = left;
  for (const mark of row.marks) {
    const x = scale(mark.y);
    const fill = mark.source === "predicted" ? colour(1 + mark.place) : mark.source === "executed" ? styleColour("--ink") : colour(0);
    if (mark.high > mark.low) {
      picture.append(svg("line", { x1: scale(Math.max(0, mark.low)), x2: scale(mark.high), y1: top + 8, y2: top + 8, stroke: fill, "stroke-width": 5, opacity: 0.45 }));
    }
    const shape = mark.source === "simulated" ? svg("rect", { x: left, y: top, width: Math.max(1, x - left), height: 16, fill, opacity: 0.75 })
      : mark.source === "executed" ? svg("circle", { cx: x, cy: top + 8, r: 4.5, fill: "none", stroke: fill, "stroke-width": 2 })
      : svg("path", { d: `M${x} ${top + 2} l6 6 l-6 6 l-6 -6 z`, fill });
    shape.append(svg("title", {}, `${row.name}, ${mark.source}${mark.model ? ` (${mark.model})` : ""}: ${text(mark.y)}`));
    picture.append(shape);
    end = Math.max(end, x, mark.high > mark.low ? scale(mark.high) : 0);
  }
  const first = row.marks.find((mark) => mark.source === "simulated") || row.marks[0];
  if (first) picture.append(svg("text", { x: end + 9, y: top + 13 }, text(first.y)));
}

function barKey(rows) {
  const marks = rows.flatMap((row) => row.marks);
  const key = el("p", { class: "keys" });
  const seen = new Set();
  for (const mark of marks) {
    const words = mark.source === "predicted" ? `predicted (${mark.model})` : mark.source;
    if (seen.has(words)) continue;
    seen.add(words);
    const sign = { simulated: "▬ ", executed: "○ ", predicted: "◆ " }[mark.source] || "";
    const word = el("span", {}, sign + words);
    drawn(word, () => { word.style.color = mark.source === "predicted" ? colour(1 + mark.place) : mark.source === "executed" ? styleColour("--ink") : colour(0); });
    key.append(word);
  }
  return seen.size > 1 ? key : null;
}
