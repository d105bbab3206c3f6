"use strict";
// Puts the page together.

function contentsOf(report) {
  const links = [
    ...report.tables.map((table, place) => [`#table${place}`, table.file]),
    ...report.explanations.map((_, place) => [`#explanation${place}`, "explanation"]),
    ...report.runs.map((run, place) => [`#run${place}`, `run of ${run.strategy}`])];
  if (links.length < 2) return null;
  return el("nav", { class: "noprint", "aria-label": "Contents" }, el("p", {}, links.flatMap(([to, words], place) => [place > 0 ? " · " : "", el("a", { href: to }, words)])));
}

function provenance(report) {
  const rows = report.files.map((file) => el("tr", {}, el("td", {}, file.name), el("td", {}, file.kind), el("td", {}, file.version), el("td", { class: "hash" }, file.sha256)));
  return el("section", { id: "provenance" }, el("h2", {}, "Where this comes from"),
    el("p", {}, `Written by damocles ${report.version} on ${report.date}, on ${report.machine}.`),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Files" },
      el("table", {}, el("caption", { class: "unseen" }, "Files"),
        el("thead", {}, el("tr", {}, ["file", "kind", "written by", "SHA-256"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows))),
    commandsOf(report));
}

/** A word as a POSIX shell reads it, whatever a file holds. */
function shellWord(text) {
  return /^[A-Za-z0-9_@%+=:,.\/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Of rows of one workload, platform, source and model. */
function commandOf(rows) {
  const { workload, platform, source, model, seed } = rows[0];
  const words = ["damocles", { predicted: "predict", executed: "run" }[source] || "simulate", workload, platform,
    "--strategies", [...new Set(rows.map((row) => row.strategy))].join(","), "--seed", seed || "1"];
  if (source !== "predicted") {
    words.push("--replicates", String(Math.max(...rows.map((row) => Math.max(Number(row.replicate || 0) + 1, Number(row.n || row.runs || 1))))));
  } else if (model) {
    words.push("--model", model);
  }
  return words.map(shellWord).join(" ");
}

/** What to type to make the rows again. */
function commandsOf(report) {
  const lines = new Set();
  const unrecorded = new Set();
  for (const table of report.tables) {
    if (!table.header.includes("strategy") || table.header.includes("quantity")) continue;
    for (const rows of groupedBy(recordsOf(table), (record) => JSON.stringify([record.workload, record.platform, record.source, record.model, record.seed])).values()) {
      lines.add(commandOf(rows));
      if (rows[0].source === "executed") ["--backend", "--tile", "--depth"].forEach((option) => unrecorded.add(option));
      if (rows[0].source === "simulated" && rows.some((row) => row.scheduling_s)) unrecorded.add("--count-decision-time");
    }
  }
  if (lines.size === 0) return null;
  const all = [...lines];
  return el("details", {}, el("summary", {}, `${counted(all.length, "command")} that make the rows again`),
    unrecorded.size > 0 ? el("p", { class: "quiet" }, `Options that the file does not record, such as ${[...unrecorded].join(", ")}, are not repeated.`) : null,
    el("pre", { class: "hash", tabindex: "0" }, all.slice(0, 200).join("\n") + (all.length > 200 ? `\n… ${all.length - 200} more` : "")));
}

function build() {
  const report = JSON.parse(document.getElementById("data").textContent);
  for (const [name, unit] of Object.entries(report.units)) UNITS.set(name, unit);
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const theme = el("button", { class: "noprint", onclick: () => setTheme(isDark() ? "light" : "dark") }, "light / dark");
  const page = document.getElementById("report");
  page.replaceChildren(el("header", {}, el("h1", {}, report.title), theme));
  if (report.summary.length > 0) {
    page.append(el("ul", { class: "answer" }, report.summary.map((text) => el("li", {}, text))));
  }
  const nav = contentsOf(report);
  if (nav) page.append(nav);
  report.tables.forEach((table, place) => page.append(resultsSection(table, place)));
  report.explanations.forEach((one, place) => page.append(explanationSection(one, place)));
  report.runs.forEach((run, place) => page.append(runSection(run, place, report.runs)));
  page.append(provenance(report));
  redrawAll(); // now that all have their widths
  let width = page.clientWidth;
  new ResizeObserver(() => {
    if (page.clientWidth === width) return;
    width = page.clientWidth;
    redrawAll();
  }).observe(page);
  document.documentElement.dataset.ready = "yes";
}

build();
