"use strict";
// A run: its explanation, its Gantt chart, its memory over time, its grid.

function percent(share) {
  return `${(100 * share).toFixed(1)}\u00a0%`;
}

/** Tables of what `explain` counted. @param run  one of its "runs" */
function explanationTables(run) {
  const parts = [];
  const terms = Object.entries(run.loads.terms).filter(([, own]) => own.loads > 0);
  parts.push(el("h3", {}, "Loads by cause"), plainTable(["cause", "loads", "size", "what they are"],
    [...terms.map(([name, own]) => [name, String(own.loads), sizeText(own.bytes), own.meaning || ""]),
      ["all", String(run.loads.loads), sizeText(run.loads.bytes), ""]], "Loads by cause"));
  if (run.memory_nodes.length > 0) {
    parts.push(el("h3", {}, "Memory nodes"), plainTable(["memory", "required", "from host", "from peers", "to host"],
      run.memory_nodes.map((node) => [node.processor, sizeText(node.required_bytes), sizeText(node.from_host_bytes),
        sizeText(node.from_peers_bytes), sizeText(node.to_host_bytes)]), "Traffic of memory nodes"));
  }
  const reasons = new Map();
  for (const one of run.processors) {
    for (const [name, seconds] of Object.entries(one.idle_s)) reasons.set(name, (reasons.get(name) || 0) + seconds);
  }
  const all = run.makespan_s * run.processors.length || 1;
  reasons.set("computing", all - [...reasons.values()].reduce((sum, one) => sum + one, 0));
  parts.push(el("h3", {}, "Time of the processors"), plainTable(["doing", "share"],
    [...reasons].filter(([, seconds]) => seconds > 0).sort((a, b) => b[1] - a[1]).map(([name, seconds]) => [name, percent(seconds / all)]), "Time of the processors"));
  if (run.loads.reloaded.length > 0) {
    parts.push(el("h3", {}, "Most reloaded"), plainTable(["data item", "reloads"],
      run.loads.reloaded.slice(0, 8).map((item) => [item.name, String(item.reloads)]), "Most reloaded data items"));
  }
  if (run.what_if.length > 0) {
    parts.push(el("h3", {}, "What would help"), plainTable(["change", "makespan", "loads"],
      run.what_if.map((one) => [one.change, timeText(one.makespan_s), String(one.loads)]), "What would help"));
  }
  return parts;
}

function explanationSection(explanation, place) {
  return el("section", { id: `explanation${place}` },
    explanation.runs.map((run) => [el("h2", {}, `Why ${run.strategy} moves what it moves`),
      el("p", { class: "quiet" }, `${run.workload} on ${run.platform}`),
      run.findings.map((text) => el("p", {}, text)), el("details", { open: true }, el("summary", {}, "the numbers behind it"), explanationTables(run))]).flat(3),
    explanation.difference ? [el("h2", {}, "Where the two runs part"), ...explanation.difference.findings.map((text) => el("p", {}, text))] : null);
}

/** Loads so far, and memory, of all processors over time. */
function overTime(run, end_s) {
  const series = (key, source) => run.processors.slice(0, 8).filter((row) => row[key]).map((row, place) => ({
    label: `${row.name}${source}`, place, dots: false, dash: key === "in_use" ? [3, 3] : [],
    points: row[key].map((y, i) => ({ x: ((i + 1) / row[key].length) * run.makespan_s, y })) }));
  const parts = [el("h3", {}, "Loads so far"), lineChart(series("loads", ""), { x: "time", y: "loads", xText: timeText, yText: sixDigits, fromZero: true, end: end_s },
    `Loads over time of ${run.strategy}`)];
  const held = [...series("resident", " resident"), ...series("in_use", " in use")];
  if (held.length > 0) {
    const limit = run.processors[0].memory_bytes;
    if (limit) held.push({ label: `memory of ${run.processors[0].name}`, place: -1, dots: false, dash: [4, 3], points: [{ x: 0, y: limit }, { x: run.makespan_s, y: limit }] });
    parts.push(el("h3", {}, "Memory"), el("p", { class: "quiet" }, "Resident: all that is in memory. In use: inputs of the running task."),
      lineChart(held, { x: "time", y: "memory", xText: timeText, yText: sizeText, fromZero: true, end: end_s }, `Memory over time of ${run.strategy}`));
  }
  if (run.processors.length > 8) parts.push(el("p", { class: "quiet" }, `The first 8 of ${run.processors.length} processors.`));
  return parts;
}

/** Which times the run shows, for whoever reads "executed" and a time in one line. */
function timesOf(run) {
  if (run.source !== "executed") return "";
  return run.times === "measured" ? " (measured)" : " (simulated: the recording has no measured times, and its decisions were carried out again in virtual time)";
}

function factsOf(run) {
  const facts = [`${run.source}, ${run.workload} on ${run.platform}`, `makespan ${timeText(run.makespan_s)}${timesOf(run)}`];
  if (run.makespan_lower_bound_s > 0) facts.push(`lower bound ${timeText(run.makespan_lower_bound_s)}`);
  if (run.loads !== null) facts.push(`${run.loads} loads${run.lower_bound > 0 ? `, lower bound ${sixDigits(run.lower_bound)}` : ""}`);
  if (run.seed !== null) facts.push(`seed ${run.seed}, replicate ${run.replicate}`);
  return `${facts.join("; ")}.`;
}

/** Where the time axis of a run ends: with the longest run whose times are of the same kind. */
function endOfAxis(run, runs) {
  return Math.max(...runs.filter((one) => one.times === run.times).map((one) => one.makespan_s));
}

/** @param runs  all of the page */
function runSection(run, place, runs) {
  unpackRun(run);
  const parts = [el("h2", {}, `Run of ${run.strategy}`), el("p", { class: "quiet" }, factsOf(run))];
  const explained = run.explanation ? run.explanation.runs[0] : null;
  if (explained) parts.push(...explained.findings.map((text) => el("p", {}, text)));
  parts.push(el("h3", {}, `Gantt chart, ${run.times} times`), new Gantt(run, endOfAxis(run, runs)).element);
  if (!run.whole) parts.push(el("p", { class: "quiet" }, "This run has more activities than a page can hold: the chart shows shares of 2000 slices of its time."));
  parts.push(...overTime(run, endOfAxis(run, runs)));
  const steps = gridSteps(run);
  if (steps) parts.push(el("h3", {}, "Grid of blocks, step by step"), new GridPlayer(run, steps).element);
  if (explained) parts.push(el("details", {}, el("summary", {}, "why: the numbers behind the explanation"), explanationTables(explained)));
  return el("section", { id: `run${place}` }, parts);
}
