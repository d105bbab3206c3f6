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

/** What to type to make the rows again: one line for each workload and platform. */
function commandsOf(report) {
  const lines = new Set();
  for (const table of report.tables) {
    if (!table.header.includes("strategy") || table.header.includes("quantity")) continue;
    for (const [, rows] of groupedBy(recordsOf(table), (record) => `${record.workload} ${record.platform} ${record.source} ${record.seed}`)) {
      const { workload, platform, source, seed } = rows[0];
      const strategies = [...new Set(rows.map((row) => row.strategy))];
      const command = { predicted: "predict", executed: "run" }[source] || "simulate";
      const replicates = Math.max(...rows.map((row) => Math.max(Number(row.replicate || 0) + 1, Number(row.n || 1))));
      lines.add(`damocles ${command} ${workload} ${platform} --strategies ${strategies.join(",")} --seed ${seed || 1}${source === "predicted" ? "" : ` --replicates ${replicates}`}`);
    }
  }
  if (lines.size === 0) return null;
  const all = [...lines];
  return el("details", {}, el("summary", {}, `${counted(all.length, "command")} that make the rows again`),
    el("pre", { class: "hash", tabindex: "0" }, all.slice(0, 200).join("\n") + (all.length > 200 ? `\n… ${all.length - 200} more` : "")));
}

function build() {
  const report = JSON.parse(document.getElementById("data").textContent);
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
  report.runs.forEach((run, place) => page.append(runSection(run, place)));
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
