"use strict";
// The critical path on a Gantt chart: outlines of what the end of the run waited for, and lines between them.

const WRITE_BACK = 3; // kinds of links: task, task on core, transfer, write-back
const NARROW_LINK = 10; // pixels: of a shorter link no sides are drawn, which would hide its colour

/** The path of a run, its times in ticks; null where nobody explained the run. */
function unpackPath(run) {
  if (!run.path) return null;
  const { start, columns, count } = unpacked(run.path.drawn, 5);
  const [length, row, kind, name] = columns;
  return { start, length, row, kind, name, count, links: run.path.links };
}

function isTaskLink(path, i) {
  return path.kind[i] < 2;
}

/** Whether a task (or else a transfer) of that name, on that row, from that time on, is a link. */
function isOnPath(path, row, isTask, start, name) {
  if (!path) return false;
  for (let i = placeOf(path.start, start); i < path.count && path.start[i] === start; i++) {
    if (path.row[i] === row && path.kind[i] !== WRITE_BACK && isTaskLink(path, i) === isTask && path.name[i] === name) return true;
  }
  return false;
}

/** The link that is under way on that row at that time, among those that are tasks or those that are not; or -1. */
function linkAt(path, row, time, isTask, wanted = () => true) {
  if (!path) return -1;
  for (let i = placeOf(path.start, time + 1) - 1; i >= 0; i--) {
    const end = path.start[i] + path.length[i];
    if (path.row[i] === row && isTaskLink(path, i) === isTask && end >= time && wanted(i)) return i;
    if (end < time) return -1; // links do not overlap, so that those before it ended even earlier
  }
  return -1;
}

/** A link in words. */
function linkText(run, path, i) {
  const name = isTaskLink(path, i) ? run.task_names[path.name[i]] : run.data_names[path.name[i]];
  if (path.kind[i] === WRITE_BACK) return `writes ${name} back to host memory`;
  return isTaskLink(path, i) ? name : `loads ${name}`;
}

/** Where a link stands on the chart [px]. */
function boxOfLink(gantt, path, i, size) {
  const row = gantt.rows[path.row[i]];
  const top = path.row[i] * size.row + 4;
  const x = gantt.pixelOf(path.start[i]);
  const box = { x, width: Math.max(gantt.pixelOf(path.start[i] + path.length[i]) - x, NARROW), y: top, height: size.compute };
  if (isTaskLink(path, i)) return box;
  box.y = top + size.compute + 3;
  box.height = size.copy;
  if (path.kind[i] === WRITE_BACK || !gantt.run.whole) return box;
  for (let copy = placeOf(row.copy.start, path.start[i]); copy < row.copy.start.length && row.copy.start[copy] === path.start[i]; copy++) {
    if (row.copy.name[copy] !== path.name[i]) continue;
    box.height = size.copy / row.copyLanes;
    box.y += row.copy.lane[copy] * box.height;
    break;
  }
  return box;
}

function addOutline(outline, box) {
  outline.rect(box.x + 0.75, box.y + 0.75, box.width - 1.5, Math.max(box.height - 1.5, 0.5));
}
function addEdges(outline, box) {
  for (const y of [box.y, box.y + box.height]) {
    outline.moveTo(box.x, y);
    outline.lineTo(box.x + box.width, y);
  }
}

/** Joins what follows on one line without a gap, as a long run has thousands in a pixel. */
class NarrowLinks {
  constructor(outline) {
    this.outline = outline;
    this.joined = new Map(); // by height on the chart
  }
  add(box) {
    const before = this.joined.get(box.y);
    if (before && before.height === box.height && box.x - before.x - before.width < 1) {
      before.width = box.x + box.width - before.x;
      return;
    }
    if (before) addEdges(this.outline, before);
    this.joined.set(box.y, { ...box });
  }
  end() {
    for (const box of this.joined.values()) addEdges(this.outline, box);
  }
}

/** Draws what is in view of it. Lines nearer to each other than two pixels are drawn once. */
function drawPath(gantt, context, size, height) {
  const path = gantt.run.unpackedPath;
  const { from, to } = gantt.view;
  const outline = new Path2D();
  const narrow = new NarrowLinks(outline);
  const free = new Map(); // by the two heights that a line joins: where the last one is
  let last = null;
  const first = Math.max(0, placeOf(path.start, from) - 2);
  for (let i = first; i < path.count; i++) {
    if (path.row[i] >= gantt.rows.length) {
      last = null;
      continue;
    }
    const box = boxOfLink(gantt, path, i, size);
    const middle = box.y + box.height / 2;
    if (path.start[i] <= to && path.start[i] + path.length[i] >= from) {
      if (box.width < NARROW_LINK) narrow.add(box);
      else addOutline(outline, box);
    }
    const way = last && `${last.middle} ${middle}`;
    if (last && (last.middle !== middle || box.x - last.x > 1) && !(Math.abs(box.x - free.get(way)) < 2)) {
      outline.moveTo(last.x, last.middle);
      outline.lineTo(box.x, middle);
      free.set(way, box.x);
    }
    last = { x: box.x + box.width, middle };
    if (path.start[i] > to) break;
  }
  narrow.end();
  context.save();
  context.beginPath();
  context.rect(size.names, 0, size.width - size.names, height);
  context.clip();
  for (const [width, name] of [[3.5, "--paper"], [1.5, "--ink"]]) {
    context.lineWidth = width;
    context.strokeStyle = styleColour(name);
    context.stroke(outline);
  }
  context.restore();
}

/** How the makespan divides on the path, for those who do not see it too. */
function pathSentence(run) {
  const sums = run.explanation.runs[0].critical_path;
  const parts = [["tasks", sums.task_s], ["tasks on cores", sums.task_on_core_s], ["transfers", sums.transfer_s],
    ["write-backs", sums.write_back_s], ["waiting", sums.waiting_s], ["write-backs after the last task", sums.end_s]]
    .filter(([, seconds]) => seconds >= 0.0005 * run.makespan_s)
    .map(([words, seconds]) => `${words} ${timeText(seconds)} (${percent(seconds / run.makespan_s)})`);
  const { links, drawn } = run.path;
  const part = drawn.length / 5 < links ? ` The chart outlines the longest link that starts in each ten-thousandth of the run, ${drawn.length / 5} of ${links}.` : "";
  return `Critical path, the chain of ${counted(links, "link")} that the end of the run waited for: ${parts.join(", ")}.${part}`;
}
