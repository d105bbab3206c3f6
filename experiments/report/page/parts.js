"use strict";
// Small parts that all of the page is made of: elements, numbers in words, colours by theme.

/** An element. Texts become text nodes, so that nothing in a name is ever read as HTML. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** As tables on a terminal have it: six digits. */
function sixDigits(value) {
  return String(Number(value.toPrecision(6)));
}

function scaled(value, units) {
  const [factor, unit] = units.find(([least]) => Math.abs(value) >= least) || units[units.length - 1];
  return `${Number((value / factor).toPrecision(4))} ${unit}`;
}

const TIMES = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
const SIZES = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];

function timeText(seconds) {
  return seconds === 0 ? "0 s" : scaled(seconds, TIMES);
}
function sizeText(bytes) {
  return bytes === 0 ? "0 B" : scaled(bytes, SIZES);
}
function counted(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** Told apart under the common colour blindnesses (Okabe and Ito, Tol); brighter on dark paper. */
const LIGHT_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#332288",
  "#882255", "#999933", "#555555"];
const DARK_COLOURS = ["#4FA8E0", "#FF8A4C", "#33C79B", "#E3A6C8", "#F2BE4A", "#8FD0F5", "#9D92E8",
  "#D47BA4", "#C9C96A", "#B0B0B0"];

function isDark() {
  return document.documentElement.dataset.theme === "dark";
}
function colour(place) {
  const all = isDark() ? DARK_COLOURS : LIGHT_COLOURS;
  return all[place % all.length];
}
function styleColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** What is drawn on canvases is drawn again where the theme or the width changes. */
let redraws = [];
function drawn(element, redraw) {
  redraws.push({ element, redraw });
  redraw();
}
function redrawAll() {
  redraws = redraws.filter(({ element }) => element.isConnected); // others were replaced
  for (const { redraw } of redraws) redraw();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  redrawAll();
}

/** A box that follows the pointer. */
const hint = {
  box: null,
  show(event, text) {
    if (!this.box) {
      this.box = el("div", { class: "hint", "aria-hidden": "true" });
      document.body.append(this.box);
    }
    this.box.textContent = text;
    this.box.hidden = false;
    const left = Math.min(event.clientX + 14, window.innerWidth - this.box.offsetWidth - 8);
    const top = event.clientY + 18 + this.box.offsetHeight > window.innerHeight
      ? event.clientY - this.box.offsetHeight - 10 : event.clientY + 18;
    this.box.style.left = `${Math.max(4, left)}px`;
    this.box.style.top = `${Math.max(4, top)}px`;
  },
  hide() {
    if (this.box) this.box.hidden = true;
  },
};

/** A canvas as sharp as the screen; returns its context, in CSS pixels. */
function sharp(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
