// Curves as SVG: axes with round numbers, a band or a line, marks; colours are the style sheet's.

import { date, el, round } from "./dom.js";

const SPACE = "http://www.w3.org/2000/svg";
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 12, 10, 26];
/// Points of a line at most: more than a screen has columns.
const MOST = 1200;

function svg(name, properties, ...children) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(properties)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const DECIMAL = [1, 2, 5, 10];
/// Lengths of time that a clock divides by.
const CLOCK = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800];

function step(span, parts, unit) {
  const rough = span / parts;
  if (unit === "count" && rough < 1) return 1;
  const isTime = unit === "s" || unit === "date";
  const clock = isTime && rough > 1 && CLOCK.find((one) => one >= rough);
  if (clock) return clock;
  const power = 10 ** Math.floor(Math.log10(rough));
  return DECIMAL.map((one) => one * power).find((one) => one >= rough) ?? rough;
}

function linear(from, to, begin, end, parts, unit) {
  const span = to - from || 1;
  const every = step(span, parts, unit);
  const ticks = [];
  for (let at = Math.ceil(from / every) * every; at <= to + every * 1e-9; at += every) ticks.push(at);
  return { at: (value) => begin + ((value - from) / span) * (end - begin), ticks };
}

function logarithmic(from, to, begin, end) {
  const [low, high] = [Math.floor(Math.log10(from)), Math.ceil(Math.log10(to))];
  const ticks = [];
  for (let power = low; power <= high; power++) ticks.push(10 ** power);
  const span = high - low || 1;
  return { at: (value) => begin + ((Math.log10(Math.max(value, 10 ** low)) - low) / span) * (end - begin), ticks };
}

function scaled(units) {
  return (value) => {
    const [unit, name] = units.find(([unit]) => value >= unit * 0.9999) ?? units.at(-1);
    return `${round(value / unit)} ${name}`;
  };
}

const SAY = {
  B: scaled([[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]]),
  s: scaled([[86400, "d"], [3600, "h"], [60, "min"], [1, "s"], [1e-3, "ms"]]),
  ms: scaled([[1e3, "s"], [1, "ms"], [1e-3, "µs"]]),
  us: scaled([[1e6, "s"], [1e3, "ms"], [1, "µs"]]),
};
const DAY = 86400;
/// A moment on an axis: the time of day, the day, or both, as the span asks.
function moment(seconds, span) {
  const text = date(seconds * 1000);
  if (span > 4 * DAY) return text.slice(0, 10);
  return span > DAY ? text.slice(5) : text.slice(11);
}

const say = (unit, value) => (value === 0 ? "0" : (SAY[unit]?.(value) ?? round(value)));

/// A chart: `curves` have a name, a class and points [x, y]; `marks` are points that stand out.
export function chart({ label, curves, marks = [], x, y, height = 220, width = 720 }) {
  const points = curves.flatMap((curve) => curve.points).concat(marks.map((mark) => mark.point));
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "chart" });
  const positive = points.filter((point) => !y.log || point[1] > 0);
  const top = positive.reduce((most, point) => Math.max(most, point[1]), 0) || 1;
  const low = positive.reduce((least, point) => Math.min(least, point[1]), top);
  const right = points.reduce((most, point) => Math.max(most, point[0]), x.to ?? 0) || 1;
  const left = x.from ?? (x.log ? points.reduce((least, point) => Math.min(least, point[0]), right) : 0);
  const across = x.log ? logarithmic(left, right, LEFT, width - RIGHT) : linear(left, right, LEFT, width - RIGHT, width > 500 ? 8 : 4, x.unit);
  const up = y.log ? logarithmic(low, top, height - BOTTOM, TOP) : linear(0, top * 1.08, height - BOTTOM, TOP, height > 160 ? 5 : 3);
  for (const value of up.ticks) {
    root.append(svg("line", { x1: LEFT, x2: width - RIGHT, y1: up.at(value), y2: up.at(value), class: "rule" }),
      svg("text", { x: LEFT - 6, y: up.at(value) + 4, class: "tick end" }, say(y.unit, value)));
  }
  for (const value of across.ticks) {
    const isLast = across.at(value) > width - RIGHT - 24;
    root.append(svg("text", { x: isLast ? width - RIGHT : across.at(value), y: height - 8, class: `tick ${isLast ? "end" : "middle"}` }, x.unit === "date" ? moment(value, right - left) : say(x.unit, value)));
  }
  for (const curve of curves) root.append(line(curve, across, up, y.log));
  for (const curve of curves.filter((one) => one.dots)) {
    for (const [at, value] of curve.points) root.append(svg("circle", { cx: across.at(at), cy: up.at(value), r: 3, class: `dot ${curve.class}` }));
  }
  for (const { point, text } of marks) {
    const mark = svg("circle", { cx: across.at(point[0]), cy: up.at(point[1]), r: 3.5, class: "mark" });
    mark.append(svg("title", {}, text));
    root.append(mark);
  }
  const legend = curves.filter((curve) => curve.name && curve.points.length > 0)
    .map((curve) => el("li", { class: curve.class }, curve.name));
  return el("figure", { class: "chart-box" }, el("figcaption", {}, el("strong", {}, label), el("ul", { class: "legend" }, legend)), root);
}

/// Of neighbours that would share a column the one that stands out stays: a fall for rates, a rise for times.
function thinned(points, isRise) {
  if (points.length <= MOST) return points;
  const group = Math.ceil(points.length / MOST);
  const kept = [];
  for (let at = 0; at < points.length; at += group) {
    const some = points.slice(at, at + group);
    kept.push(some.reduce((one, other) => ((other[1] > one[1]) === isRise ? other : one)));
  }
  return kept;
}

function line(curve, across, up, isRise) {
  const points = thinned(curve.points, isRise);
  if (points.length === 1) return svg("circle", { cx: across.at(points[0][0]), cy: up.at(points[0][1]), r: 2.5, class: `dot ${curve.class}` });
  const path = points.map(([x, y]) => `${across.at(x).toFixed(1)},${up.at(y).toFixed(1)}`).join(" ");
  return svg("polyline", { points: path, class: `curve ${curve.class}` });
}
