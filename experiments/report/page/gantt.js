"use strict";
// Gantt chart of a run: who computed, copied and evicted what, when. It zooms.

const REASONS = ["waiting for data", "starting", "no work"];
const MOST_GANTT_ROWS = 300; // a canvas has a greatest height
const MOST_LINKS_AT_FIRST = 100; // a longer critical path covers what it outlines
const NARROW = 0.7; // pixels: shorter activities are drawn as shares of a pixel's width

/** Activities as arrays; times in ticks. The data have each start counted from the one before. */
function unpacked(numbers, width) {
  const count = numbers.length / width;
  const start = new Float64Array(count);
  const columns = Array.from({ length: width - 1 }, () => new Float64Array(count));
  let now = 0;
  for (let i = 0; i < count; i++) {
    now += numbers[i * width];
    start[i] = now;
    for (let c = 1; c < width; c++) columns[c - 1][i] = numbers[i * width + c];
  }
  return { start, columns, count };
}

/** The first place at which the sorted values are at least `value`. */
function placeOf(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function unpackRun(run) {
  if (run.unpacked) return;
  run.unpacked = true;
  run.ticks = run.tick_s > 0 ? run.makespan_s / run.tick_s : 1;
  run.unpackedPath = unpackPath(run);
  for (const row of run.processors) {
    if (!run.whole) continue;
    const tasks = unpacked(row.tasks, 3);
    row.task = { start: tasks.start, length: tasks.columns[0], name: tasks.columns[1] };
    const copies = unpacked(row.copies, 4);
    row.copy = { start: copies.start, length: copies.columns[0], name: copies.columns[1], lane: copies.columns[2] };
    row.copyLanes = 1 + copies.columns[2].reduce((most, lane) => Math.max(most, lane), 0);
    row.longestCopy = copies.columns[0].reduce((most, length) => Math.max(most, length), 0);
    const evictions = unpacked(row.evictions, 3);
    row.eviction = { start: evictions.start, name: evictions.columns[0], room: evictions.columns[1] };
    const waits = unpacked(row.waits, 3);
    row.wait = { start: waits.start, length: waits.columns[0], reason: waits.columns[1] };
  }
}

class Gantt {
  /** @param end_s  where the time axis ends, at least where the run does */
  constructor(run, end_s = run.makespan_s) {
    unpackRun(run);
    this.run = run;
    this.end = run.tick_s > 0 ? Math.max(run.ticks, end_s / run.tick_s) : run.ticks;
    this.rows = run.processors.slice(0, MOST_GANTT_ROWS);
    this.view = { from: 0, to: this.end };
    this.picked = null;
    this.path = run.unpackedPath && el("input", { type: "checkbox", checked: run.unpackedPath.links <= MOST_LINKS_AT_FIRST, onchange: () => this.draw() });
    this.canvas = el("canvas", { tabindex: "0", role: "application", "aria-label": ganttLabel(run) });
    this.axis = el("canvas", { "aria-hidden": "true" });
    this.said = el("p", { class: "quiet", role: "status" });
    this.listen();
    const zoom = (words, title, act) => el("button", { title, "aria-label": title, onclick: act }, words);
    this.element = el("div", {},
      el("div", { class: "controls noprint" },
        zoom("+", "zoom in", () => this.zoom(0.5)), zoom("−", "zoom out", () => this.zoom(2)),
        zoom("←", "earlier", () => this.pan(-0.25)), zoom("→", "later", () => this.pan(0.25)),
        zoom("whole run", "show the whole run", () => this.show(0, this.end)),
        this.path && el("label", {}, this.path, "critical path"),
        el("span", { class: "quiet" }, `drag to zoom; keys: + − ← → 0, n for the next task, ↑ ↓ for another processor${this.path ? ", c for the critical path" : ""}`)),
      el("div", { class: "picture" }, this.axis, el("div", { class: "rows" }, this.canvas)), this.said, ganttKey(run),
      this.path && el("p", { class: "quiet" }, pathSentence(run)),
      run.processors.length > MOST_GANTT_ROWS ? el("p", { class: "quiet" }, `The first ${MOST_GANTT_ROWS} of ${run.processors.length} processors.`) : "");
    drawn(this.canvas, () => this.draw());
  }

  listen() {
    const place = (event) => {
      const box = this.canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.drag = place(event).x;
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const at = place(event);
      if (this.drag !== undefined) {
        this.draw({ from: Math.min(this.drag, at.x), to: Math.max(this.drag, at.x) });
        hint.hide();
        return;
      }
      const text = this.textAt(at);
      if (text) hint.show(event, text);
      else hint.hide();
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const [from, to] = [this.drag, place(event).x].sort((a, b) => a - b);
      this.drag = undefined;
      if (to - from > 4) this.show(this.timeAt(from), this.timeAt(to));
      else this.draw();
    });
    this.canvas.addEventListener("pointerleave", () => hint.hide());
    this.canvas.addEventListener("dblclick", () => this.show(0, this.end));
    this.canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(place(event).x));
    }, { passive: false });
    this.canvas.addEventListener("keydown", (event) => {
      const act = { "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), ArrowLeft: () => this.pan(-0.25),
        ArrowRight: () => this.pan(0.25), 0: () => this.show(0, this.end), n: () => this.pick(0, 1), p: () => this.pick(0, -1),
        ArrowUp: () => this.pick(-1, 0), ArrowDown: () => this.pick(1, 0), c: this.path && (() => this.path.click()) }[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    });
  }

  show(from, to) {
    const least = Math.max(10, this.end * 1e-7);
    if (to - from < least) to = from + least;
    const width = Math.min(to - from, this.end);
    const start = Math.min(Math.max(0, from), this.end - width);
    this.view = { from: start, to: start + width };
    this.draw();
  }
  zoom(factor, around = (this.view.from + this.view.to) / 2) {
    this.show(around - (around - this.view.from) * factor, around + (this.view.to - around) * factor);
  }
  pan(share) {
    const by = share * (this.view.to - this.view.from);
    this.show(this.view.from + by, this.view.to + by);
  }

  /** Chooses another task or processor by keys, and says what it is. */
  pick(rows, tasks) {
    if (!this.run.whole) return;
    const last = this.picked || { row: 0, task: tasks > 0 ? -1 : 0 };
    const row = Math.min(Math.max(0, last.row + rows), this.rows.length - 1);
    const of = this.run.processors[row].task;
    const task = Math.min(Math.max(0, last.task + tasks), of.start.length - 1);
    if (task < 0) return;
    this.picked = { row, task };
    if (of.start[task] < this.view.from || of.start[task] > this.view.to) {
      const half = (this.view.to - this.view.from) / 2;
      this.show(of.start[task] - half, of.start[task] + half);
    } else {
      this.draw();
    }
    this.said.textContent = `${this.run.processors[row].name}: ${this.taskText(row, task).replaceAll("\n", ", ")}`;
  }

  /** Where things stand [px]. */
  layout() {
    const many = this.rows.length > 16;
    const row = many ? 22 : 40;
    const names = Math.min(90, 12 + 7 * Math.max(...this.rows.map((one) => one.name.length)));
    return { names, row, compute: many ? 11 : 18, copy: many ? 5 : 12, width: this.canvas.clientWidth || 800 };
  }
  timeAt(x) {
    const { names, width } = this.layout();
    return this.view.from + ((x - names) / (width - names)) * (this.view.to - this.view.from);
  }
  pixelOf(ticks) {
    const { names, width } = this.layout();
    return names + ((ticks - this.view.from) / (this.view.to - this.view.from)) * (width - names);
  }

  colourOf(row, name) {
    return colour(this.run.kinds.length > 0 ? this.run.task_kinds[name] : row);
  }

  draw(selection = null) {
    const size = this.layout();
    const height = this.rows.length * size.row + 4;
    const context = sharp(this.canvas, size.width, height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.rows.forEach((row, place) => {
      const top = place * size.row + 4;
      context.fillStyle = styleColour("--ink");
      context.fillText(row.name, 4, top + size.compute / 2, size.names - 8);
      context.save();
      context.beginPath();
      context.rect(size.names, top - 2, size.width - size.names, size.row);
      context.clip();
      if (this.run.whole) this.drawRow(context, row, place, top, size);
      else this.drawShares(context, row, place, top, size);
      context.restore();
    });
    if (this.path?.checked) drawPath(this, context, size, height);
    if (selection) {
      context.fillStyle = styleColour("--accent") + "33";
      context.fillRect(selection.from, 0, selection.to - selection.from, height);
    }
    this.drawAxis(size);
  }

  drawAxis(size) {
    const context = sharp(this.axis, size.width, 22);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = context.strokeStyle = styleColour("--quiet");
    const seconds = (this.view.to - this.view.from) * this.run.tick_s;
    const rough = seconds / Math.max(2, (size.width - size.names) / 110);
    const power = 10 ** Math.floor(Math.log10(rough || 1));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) || power;
    for (let time = Math.ceil((this.view.from * this.run.tick_s) / step) * step; time <= this.view.to * this.run.tick_s; time += step) {
      const x = this.pixelOf(time / this.run.tick_s);
      context.fillRect(x, 16, 1, 6);
      if (x < size.width - 40) context.fillText(timeText(Number(time.toPrecision(8))), x + 3, 12);
    }
  }

  /** Calls draw(x0, x1, i) for what is in view, and merges what is narrower than a pixel. */
  eachInView(of, longest, draw) {
    const first = Math.max(0, placeOf(of.start, this.view.from - longest));
    let free = -Infinity;
    for (let i = first; i < of.start.length && of.start[i] <= this.view.to; i++) {
      const end = of.start[i] + of.length[i];
      if (end < this.view.from) continue;
      const x0 = this.pixelOf(of.start[i]);
      const x1 = this.pixelOf(end);
      if (x1 - x0 < NARROW && x1 < free + NARROW) continue;
      free = x1;
      draw(x0, Math.max(x1, x0 + NARROW), i);
    }
  }

  drawRow(context, row, place, top, size) {
    const longest = (of) => of.longest ?? (of.longest = of.length.reduce((most, one) => Math.max(most, one), 0));
    context.fillStyle = styleColour("--wait");
    this.eachInView(row.wait, longest(row.wait), (x0, x1, i) => {
      if (row.wait.reason[i] === 0) context.fillRect(x0, top, x1 - x0, size.compute);
    });
    this.eachInView(row.task, longest(row.task), (x0, x1, i) => {
      context.fillStyle = this.colourOf(place, row.task.name[i]);
      const wide = x1 - x0;
      context.fillRect(x0, top, wide > 3 ? wide - 0.5 : wide, size.compute);
      const name = this.run.task_names[row.task.name[i]];
      if (wide > 7 * name.length && size.compute > 14) {
        context.fillStyle = isDark() ? "#000" : "#fff";
        context.fillText(name, x0 + 3, top + size.compute / 2 + 1, wide - 5);
      }
      if (this.picked && this.picked.row === place && this.picked.task === i) {
        context.strokeStyle = styleColour("--ink");
        context.lineWidth = 2;
        context.strokeRect(x0 - 2, top - 2, Math.max(wide, 3) + 4, size.compute + 4); // around an outline of the path
      }
    });
    const lane = size.copy / row.copyLanes;
    context.fillStyle = styleColour("--copy");
    for (let one = 0; one < row.copyLanes; one++) this.drawLane(context, row, one, top + size.compute + 3, lane);
    for (let i = placeOf(row.eviction.start, this.view.from); i < row.eviction.start.length && row.eviction.start[i] <= this.view.to; i++) {
      context.fillStyle = styleColour(row.eviction.room[i] === -2 ? "--invalid" : "--evict");
      context.fillRect(this.pixelOf(row.eviction.start[i]) - 0.75, top + size.compute + 1, 1.5, size.copy + 4);
    }
  }

  drawLane(context, row, lane, top, height) {
    let free = -Infinity;
    const first = placeOf(row.copy.start, this.view.from - row.longestCopy);
    for (let i = first; i < row.copy.start.length && row.copy.start[i] <= this.view.to; i++) {
      if (row.copy.lane[i] !== lane) continue;
      const x0 = this.pixelOf(row.copy.start[i]);
      const x1 = Math.max(this.pixelOf(row.copy.start[i] + row.copy.length[i]), x0 + NARROW);
      if (x1 < free + NARROW) continue;
      free = x1;
      context.fillRect(x0, top, x1 - x0 > 3 ? x1 - x0 - 0.5 : x1 - x0, Math.max(1, height - 0.5));
    }
  }

  /** Of a long run the shares of the time, in thousandths. */
  drawShares(context, row, place, top, size) {
    const slice = this.run.ticks / row.computing.length;
    const first = Math.max(0, Math.floor(this.view.from / slice));
    for (let i = first; i < row.computing.length && i * slice < this.view.to; i++) {
      const x = this.pixelOf(i * slice);
      const width = this.pixelOf((i + 1) * slice) - x + 0.3;
      const compute = (size.compute * row.computing[i]) / 1000;
      const copy = (size.copy * row.copying[i]) / 1000;
      context.fillStyle = colour(place);
      context.fillRect(x, top + size.compute - compute, width, compute);
      context.fillStyle = styleColour("--copy");
      context.fillRect(x, top + size.compute + 3, width, copy);
    }
  }

  taskText(place, task) {
    const row = this.run.processors[place];
    const name = row.task.name[task];
    const kind = this.run.kinds.length > 0 ? `\nkind ${this.run.kinds[this.run.task_kinds[name]]}` : "";
    return `${this.run.task_names[name]}${kind}\n${this.between(row.task, task)}${this.onPath(place, true, row.task, task)}`;
  }
  onPath(place, isTask, of, i) {
    return isOnPath(this.run.unpackedPath, place, isTask, of.start[i], of.name[i]) ? "\non the critical path" : "";
  }
  between(of, i) {
    const tick = this.run.tick_s;
    return `from ${timeText(of.start[i] * tick)} for ${timeText(of.length[i] * tick)}`;
  }

  /** What is drawn there, in words; "" where nothing is. */
  textAt({ x, y }) {
    const size = this.layout();
    const place = Math.floor((y - 2) / size.row);
    const row = this.rows[place];
    if (!row || x < size.names) return "";
    const time = this.timeAt(x);
    if (time > this.run.ticks) return "";
    if (!this.run.whole) {
      const slice = Math.min(row.computing.length - 1, Math.floor((time / this.run.ticks) * row.computing.length));
      return `${row.name}\ncomputing ${row.computing[slice] / 10} %, copying ${row.copying[slice] / 10} % of this time${this.linkTextAt(place, time, y - place * size.row - 4 <= size.compute)}`;
    }
    const near = ((this.view.to - this.view.from) * 3) / (size.width - size.names);
    if (y - place * size.row - 4 > size.compute) return this.copyTextAt(place, time, near, (y - place * size.row - 7 - size.compute) / (size.copy / row.copyLanes));
    const task = placeOf(row.task.start, time) - 1;
    if (task >= 0 && row.task.start[task] + row.task.length[task] >= time) return `${row.name}: ${this.taskText(place, task)}`;
    const wait = placeOf(row.wait.start, time) - 1;
    if (wait >= 0 && row.wait.start[wait] + row.wait.length[wait] >= time) {
      return `${row.name}: ${REASONS[row.wait.reason[wait]]}\n${this.between(row.wait, wait)}`;
    }
    return "";
  }

  linkTextAt(place, time, isTask, wanted) {
    const link = linkAt(this.run.unpackedPath, place, time, isTask, wanted);
    if (link < 0) return "";
    return `\n${linkText(this.run, this.run.unpackedPath, link)}\n${this.between(this.run.unpackedPath, link)}\non the critical path`;
  }

  copyTextAt(place, time, near, lane) {
    const row = this.rows[place];
    const eviction = placeOf(row.eviction.start, time - near);
    if (eviction < row.eviction.start.length && row.eviction.start[eviction] <= time + near) {
      const room = row.eviction.room[eviction];
      const item = this.run.data_names[row.eviction.name[eviction]];
      const why = room === -2 ? `${item} is invalidated: it is written elsewhere, or over` : `evicts ${item}${room >= 0 ? `\nto make room for ${this.run.data_names[room]}` : ""}`;
      return `${row.name}: ${why}\nat ${timeText(row.eviction.start[eviction] * this.run.tick_s)}`;
    }
    // A write-back on the path shares the place of the loads that go on meanwhile.
    const back = this.linkTextAt(place, time, false, (link) => this.run.unpackedPath.kind[link] === WRITE_BACK);
    for (let i = placeOf(row.copy.start, time) - 1; i >= 0 && row.copy.start[i] >= time - row.longestCopy; i--) {
      const on = row.copy.lane[i] === Math.max(0, Math.floor(lane)) && row.copy.start[i] + row.copy.length[i] >= time;
      if (on) return `${row.name} loads ${this.run.data_names[row.copy.name[i]]}\n${this.between(row.copy, i)}${this.onPath(place, false, row.copy, i)}${back}`;
    }
    return back && row.name + back;
  }
}

function ganttLabel(run) {
  const rows = run.processors.slice(0, 16).map((row) =>
    `${row.name}: ${counted(row.tasks_run, "task")}, ${counted(row.copies_made, "load")}, ${counted(row.evictions_made, "eviction")}`);
  return `Gantt chart of ${run.strategy}, ${timeText(run.makespan_s)}. ${rows.join(". ")}.`;
}

function ganttKey(run) {
  const key = el("p", { class: "keys" });
  const add = (words, colourNow) => {
    const box = el("i", { "aria-hidden": "true" });
    drawn(box, () => { box.style.background = colourNow(); });
    key.append(el("span", {}, box, words));
  };
  run.kinds.forEach((kind, place) => add(kind, () => colour(place)));
  if (run.kinds.length === 0) add("task (a colour for each processor)", () => colour(0));
  add("load", () => styleColour("--copy"));
  if (run.path) key.append(el("span", {}, el("i", { class: "onpath", "aria-hidden": "true" }), "on the critical path"));
  if (!run.whole) return key;
  add("waiting for data", () => styleColour("--wait"));
  add("eviction", () => styleColour("--evict"));
  add("invalidation", () => styleColour("--invalid"));
  return key;
}
