"use strict";
// The grid of blocks, step by step: which processor computed which block, and what one memory held.

const BLOCK_NAME = /^([A-Za-z_]+) ?\((\d{1,6})(?:,(\d{1,6}))?(?:,(\d{1,6}))?\)$/;
const ITEM_NAME = /^([A-Za-z_]+) ?\((\d{1,6})(?:,(\d{1,6}))?\)$/;
const ONE_INDEX_KINDS = ["POTRF", "GETRF"];
const BLOCK_KINDS = ["T", "GEMM", "TRSM", "SYRK", ...ONE_INDEX_KINDS];
const MOST_SIDE = 600;

/** The block that a task of this name writes, or null. */
function blockOf(name) {
  const parts = BLOCK_NAME.exec(name);
  if (!parts || !BLOCK_KINDS.includes(parts[1])) return null;
  const [i, j] = [Number(parts[2]), parts[3]];
  if (j === undefined) return ONE_INDEX_KINDS.includes(parts[1]) ? [i, i] : null;
  return parts[1] === "SYRK" ? [i, i] : [i, Number(j)];
}

/** All tasks in the order of their starts, each with its block; null where they have none. */
function gridSteps(run) {
  if (!run.whole) return null;
  unpackRun(run);
  const blocks = run.task_names.map(blockOf);
  if (blocks.length === 0 || blocks.some((block) => block === null || Math.max(...block) >= MOST_SIDE)) return null;
  const steps = [];
  run.processors.forEach((row, place) => {
    for (let i = 0; i < row.task.start.length; i++) {
      steps.push({ start: row.task.start[i], end: row.task.start[i] + row.task.length[i], place, name: row.task.name[i], block: blocks[row.task.name[i]] });
    }
  });
  steps.sort((a, b) => a.start - b.start);
  return steps;
}

class GridPlayer {
  constructor(run, steps) {
    this.run = run;
    this.steps = steps;
    this.rows = 1 + Math.max(...steps.map((step) => step.block[0]));
    this.columns = 1 + Math.max(...steps.map((step) => step.block[1]));
    this.tasksOf = new Map();
    for (const step of steps) this.tasksOf.set(this.key(step.block), (this.tasksOf.get(this.key(step.block)) || 0) + 1);
    this.at = steps.length;
    this.memory = 0;
    this.changes = run.processors.map((row) => memoryChanges(row));
    this.canvas = el("canvas", { role: "img", "aria-label": `Grid of ${this.rows} by ${this.columns} blocks, coloured by processor` });
    this.slider = el("input", { type: "range", min: "0", max: String(steps.length), value: String(steps.length), "aria-label": "step", oninput: () => this.go(Number(this.slider.value)) });
    this.play = el("button", { onclick: () => this.toggle() }, "play");
    this.said = el("span", { class: "quiet", role: "status" });
    this.listen();
    this.element = el("div", {},
      el("div", { class: "controls noprint" }, this.play,
        el("button", { "aria-label": "one step back", onclick: () => this.go(this.at - 1) }, "‹"),
        el("button", { "aria-label": "one step on", onclick: () => this.go(this.at + 1) }, "›"), this.slider,
        choice("memory of", run.processors.map((row, place) => [place, row.name]), (value) => { this.memory = Number(value); this.draw(); })),
      el("div", { class: "picture" }, this.canvas), el("p", {}, this.said), gridKey(run));
    drawn(this.canvas, () => this.draw());
  }

  key(block) {
    return block[0] * this.columns + block[1];
  }
  listen() {
    this.canvas.addEventListener("pointermove", (event) => {
      const box = this.canvas.getBoundingClientRect();
      const { side, left, top } = this.layout();
      const [i, j] = [Math.floor((event.clientY - box.top - top) / side), Math.floor((event.clientX - box.left - left) / side)];
      const own = this.steps.filter((step) => step.block[0] === i && step.block[1] === j);
      if (own.length === 0) return hint.hide();
      const lines = own.slice(0, 8).map((step) => `${this.run.task_names[step.name]}: ${this.run.processors[step.place].name}, ${timeText(step.start * this.run.tick_s)}`);
      hint.show(event, lines.join("\n") + (own.length > 8 ? `\nand ${own.length - 8} more` : ""));
    });
    this.canvas.addEventListener("pointerleave", () => hint.hide());
  }
  go(step) {
    this.at = Math.min(Math.max(0, step), this.steps.length);
    this.slider.value = String(this.at);
    this.draw();
  }
  toggle() {
    if (this.timer) return this.stop();
    if (this.at >= this.steps.length) this.go(0);
    this.play.textContent = "pause";
    const stride = Math.max(1, Math.round(this.steps.length / 600));
    this.timer = setInterval(() => {
      if (!this.canvas.isConnected) return this.stop();
      this.go(this.at + stride);
      if (this.at >= this.steps.length) this.stop();
    }, Math.min(400, Math.max(16, 12000 / this.steps.length)));
  }
  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.play.textContent = "play";
  }

  layout() {
    const width = this.canvas.clientWidth || 800;
    const edge = 16;
    const side = Math.max(1, Math.min((width - edge - 8) / this.columns, 520 / this.rows, 48));
    return { width, side, left: edge, top: edge, height: edge + side * this.rows + 8 };
  }

  draw() {
    const { width, side, left, top, height } = this.layout();
    const context = sharp(this.canvas, width, height);
    const last = this.at > 0 ? this.steps[this.at - 1] : null;
    const now = this.at === this.steps.length ? Infinity : last ? last.start : -1;
    const gap = side > 6 ? 1 : 0;
    context.fillStyle = styleColour("--soft");
    for (const key of this.tasksOf.keys()) {
      context.fillRect(left + (key % this.columns) * side, top + Math.floor(key / this.columns) * side, side - gap, side - gap);
    }
    const done = new Map();
    for (let i = 0; i < this.at; i++) {
      const step = this.steps[i];
      const key = this.key(step.block);
      const before = done.get(key) || 0;
      done.set(key, before + 1);
      const share = (side - gap) / this.tasksOf.get(key);
      context.fillStyle = colour(step.place);
      context.fillRect(left + step.block[1] * side + before * share, top + step.block[0] * side, share, side - gap);
    }
    if (last && this.at < this.steps.length) {
      context.strokeStyle = styleColour("--ink");
      context.lineWidth = 2;
      context.strokeRect(left + last.block[1] * side, top + last.block[0] * side, side - gap, side - gap);
    }
    this.drawMemory(context, now, side, left, top);
    this.tell(last);
  }

  /** Marks beside rows and columns, or on blocks, of what the chosen memory holds. */
  drawMemory(context, now, side, left, top) {
    const held = heldAt(this.changes[this.memory], now);
    context.fillStyle = colour(this.memory);
    for (const name of held) {
      const parts = ITEM_NAME.exec(this.run.data_names[name]);
      if (!parts) continue;
      const i = Number(parts[2]);
      if (parts[3] !== undefined) {
        if (!this.run.data_names[name].startsWith("A(") || this.run.workload.startsWith("gemm3d") || this.run.workload.startsWith("matrix")) continue;
        context.beginPath();
        context.arc(left + (Number(parts[3]) + 0.5) * side, top + (i + 0.5) * side, Math.max(1, side / 8), 0, 7);
        context.fillStyle = styleColour("--paper");
        context.fill();
      } else if (parts[1].toLowerCase() === "a") {
        context.fillRect(left - 11, top + i * side, 7, Math.max(1, side - 1));
      } else if (parts[1].toLowerCase() === "b") {
        context.fillRect(left + i * side, top - 11, Math.max(1, side - 1), 7);
      }
    }
    this.heldNow = held.size;
  }

  tell(last) {
    const where = last ? `: ${this.run.task_names[last.name]} on ${this.run.processors[last.place].name} at ${timeText(last.start * this.run.tick_s)}` : "";
    this.said.textContent = `step ${this.at} of ${this.steps.length}${where}; ${this.run.processors[this.memory].name} holds ${counted(this.heldNow, "loaded data item")}`;
  }
}

/** What comes into a memory and leaves it, in order of time. */
function memoryChanges(row) {
  const changes = [];
  for (let i = 0; i < row.copy.start.length; i++) changes.push({ time: row.copy.start[i] + row.copy.length[i], name: row.copy.name[i], comes: true });
  for (let i = 0; i < row.eviction.start.length; i++) changes.push({ time: row.eviction.start[i], name: row.eviction.name[i], comes: false });
  // What leaves makes room for what comes at the same time.
  return changes.sort((a, b) => a.time - b.time || Number(a.comes) - Number(b.comes));
}

function heldAt(changes, time) {
  const held = new Set();
  for (const change of changes) {
    if (change.time > time) break;
    if (change.comes) held.add(change.name);
    else held.delete(change.name);
  }
  return held;
}

function gridKey(run) {
  const key = el("p", { class: "keys" });
  run.processors.slice(0, 16).forEach((row, place) => {
    const box = el("i", { "aria-hidden": "true" });
    drawn(box, () => { box.style.background = colour(place); });
    key.append(el("span", {}, box, row.name));
  });
  key.append(el("span", {}, "marks beside rows and columns, or dots on blocks: data items in the chosen memory"));
  return key;
}
