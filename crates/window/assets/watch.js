// Runs under way: the curve as it grows, the figures as they come, the longest I/Os, and what is left.

import { chart } from "./charts.js";
import { bytes, button, cell, clock, date, duration, el, fill, look, ms, number, post, refusal, t, table } from "./dom.js";
import { method, target, titles } from "./names.js";
import { cells, figures, storedCharts } from "./results.js";

/// Worst I/Os of a run that are listed.
const WORST = 12;
/// Points of a curve and messages at most: a page may be open for days.
const MOST_POINTS = 4000;
const MOST_MESSAGES = 500;
let list = null;
let followed = null;
let box = null;
let drawing = false;
const notes = new Map();

export function show(main, of) {
  box = main;
  const id = of ? Number(of) : null;
  // The stream begins with the first line again.
  followed = id === null ? null : fresh(id);
  main.append(el("p", { class: "soft" }, t("loading")));
  titles().then(schedule);
  if (list) draw();
}

function fresh(id) {
  return { id, points: [], worst: [], messages: [], rows: new Map(), offset: 0, phase: null, end: 0, last: null, axis: "auto", stored: null, summary: "" };
}

export function runs(all) {
  list = all;
  if (box?.className === "watch") schedule();
}

export function lines({ run, lines: some }) {
  if (!followed || followed.id !== run) return;
  for (const line of some) take(followed, line);
  schedule();
}

function schedule() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    if (box?.className === "watch") draw();
  });
}

const isWrite = (phase) => /\bwrit|prepare|fill/.test(phase ?? "");

/// Phases follow each other on the axis of time; each has its own address.
function take(state, line) {
  if (line.message) {
    state.messages.push(line.message);
    state.messages.splice(0, state.messages.length - MOST_MESSAGES);
    return;
  }
  const name = `${line.step ?? ""} ${line.target ?? ""} ${line.phase ?? ""}`;
  if (name !== state.phase) {
    state.offset = state.end;
    state.phase = name;
  }
  state.last = line;
  const { since } = line;
  if (!since) return;
  state.end = Math.max(state.end, state.offset + since.to_seconds);
  const longest = line.worst?.[0];
  state.points.push({ time: state.offset + since.to_seconds, longestAt: state.offset + (longest?.at_seconds ?? since.to_seconds), byte: since.to_byte, since, write: isWrite(line.phase), phase: name });
  if (state.points.length > MOST_POINTS) state.points = thinned(state.points);
  for (const io of line.worst ?? []) {
    state.worst.push({ ...io, time: state.offset + io.at_seconds, phase: line.phase });
  }
  state.worst.sort((a, b) => b.ms - a.ms);
  state.worst.length = Math.min(state.worst.length, WORST);
  row(state, name, line);
}

/// Neighbours of the older half become one each: what is long ago is drawn coarser, its longest responses are kept.
function thinned(points) {
  const half = points.length >> 1;
  const merged = [];
  for (const point of points.slice(0, half)) {
    const before = merged.at(-1);
    if (before && !before.both && before.phase === point.phase) merged[merged.length - 1] = together(before, point);
    else merged.push({ ...point, both: false });
  }
  return merged.concat(points.slice(half));
}

function together(one, other) {
  const [a, b] = [one.since, other.since];
  const seconds = (it) => Math.max(it.to_seconds - it.from_seconds, 1e-9);
  const mean = (of) => (a[of] * seconds(a) + b[of] * seconds(b)) / (seconds(a) + seconds(b));
  const larger = (of) => (a[of] === undefined || b[of] === undefined ? a[of] ?? b[of] : Math.max(a[of], b[of]));
  const since = { ...b, from_seconds: a.from_seconds, mb_s: mean("mb_s"), iops: mean("iops"), p50_ms: larger("p50_ms"), p99_ms: larger("p99_ms"), longest_ms: larger("longest_ms") };
  const longestAt = (a.longest_ms ?? 0) > (b.longest_ms ?? 0) ? one.longestAt : other.longestAt;
  return { ...other, since, longestAt, both: true };
}

/// A row a phase: the rate so far, and the tail of all of it.
function row(state, name, line) {
  const { since } = line;
  const before = state.rows.get(name);
  state.rows.set(name, {
    target: line.target, phase: line.phase, mb_s: line.mb_s, iops: line.iops,
    p99: line.p99_ms ?? before?.p99 ?? null,
    longest: Math.max(before?.longest ?? 0, since.longest_ms ?? 0) || null,
  });
}

function draw() {
  const held = document.activeElement?.dataset?.keep;
  const scroll = [...box.querySelectorAll("details[data-keep]")].filter((one) => one.open).map((one) => one.dataset.keep);
  const run = followed && list.find((one) => one.id === followed.id);
  const parts = [tabs()];
  if (followed && !run) parts.push(el("p", { class: "empty" }, t("no-such-run")));
  else if (run) parts.push(whole(run, followed));
  else if (list.length === 0) parts.push(el("div", { class: "empty" }, el("p", {}, t("no-runs")), el("a", { class: "button main", href: "#choose" }, t("choose"))));
  else if (list.length > 0) parts.push(el("p", { class: "empty" }, t("choose-run")));
  fill(box, ...parts);
  for (const name of scroll) box.querySelector(`details[data-keep="${name}"]`)?.setAttribute("open", "");
  if (held) box.querySelector(`[data-keep="${held}"]`)?.focus({ preventScroll: true });
}

const STATES = { running: "running", stopping: "stopping", ended: "over" };

/// A failing drive (3) and one to be checked (4) are verdicts of a run that has finished.
const isFinished = (run) => run.state === "ended" && [0, 3, 4].includes(run.code);

function stateOf(run) {
  if (run.state === "ended" && !isFinished(run)) return run.code === 130 ? t("stopped") : t("ended-with", { code: run.code ?? "–" });
  return t(STATES[run.state]);
}

function tabs() {
  const one = (run) => el("li", {}, el("a", { href: `#watch/${run.id}`, "data-keep": `run-${run.id}`, "aria-current": followed?.id === run.id ? "true" : null },
    el("strong", {}, what(run)), el("span", { class: "soft", title: run.targets.join(", ") }, run.targets.map(target).join(", ")), el("span", { class: "soft" }, clock(run.began_unix_ms)),
    el("span", { class: `badge ${run.state}` }, run.state === "running" && run.progress?.fraction !== undefined ? `${Math.floor(run.progress.fraction * 100)} %` : stateOf(run))));
  return list.length === 0 ? "" : el("nav", { "aria-label": t("runs") }, el("ul", { class: "tabs" }, list.map(one)));
}

function whole(run, state) {
  const isOver = run.state === "ended";
  return el("article", {}, head(run, state), isOver && [trouble(run, state), outcome(run, state)], !isOver && [tiles(state), cells(liveCells(state))],
    charts(run, state), worst(state), grid(state), !isTrouble(run) && messages(state));
}

/// What was started, by its title.
function what(run) {
  if (run.what === "review") return t("a-review");
  return run.what === "resume" && run.progress?.method ? method(run.progress.method) : method(run.what);
}

function head(run, state) {
  const isOver = run.state === "ended";
  const line = state.last ?? {};
  const fraction = isFinished(run) ? 1 : line.fraction;
  const left = [!isOver && line.phase, line.seconds_left !== undefined && !isOver && t("left", { time: duration(line.seconds_left) }),
    line.seconds_left_in_all !== undefined && !isOver && t("left-in-all", { time: duration(line.seconds_left_in_all) })];
  const place = line.step && line.of ? `${line.step}/${line.of}  ` : "";
  return el("header", { class: "run" },
    el("div", {}, el("h2", {}, isOver ? what(run) : `${place}${method(line.method ?? run.what)}`), el("p", {}, isOver || !line.target ? run.targets.map(target).join(", ") : target(line.target)),
      el("p", { class: "soft" }, `${date(run.began_unix_ms)}  ${stateOf(run)}`)),
    el("div", { class: "acts" }, run.state === "running" && button(t("stop"), () => stop(run.id), { "data-keep": "stop", class: "stop" }),
      run.state === "stopping" && el("span", { role: "status" }, t("stopping-hint")), resumable(run), reports(run)),
    el("progress", { max: "1", value: fraction, "aria-label": t("done-of-it") }),
    el("p", { class: "phase" }, left.filter(Boolean).join("  ·  ") || (isOver ? "" : t("no-progress-yet"))),
    notes.has(run.id) && refusal(notes.get(run.id)));
}

const stop = (id) => noted(id, post(`/api/runs/${id}/stop`));

/// What is refused stands on the run's page.
async function noted(id, done) {
  try {
    await done;
    notes.delete(id);
  } catch (why) {
    notes.set(id, why);
    schedule();
  }
}

/// The command line says how to go on: `drivelab resume 12`.
function resumable(run) {
  const which = run.state === "ended" && /drivelab resume ([\w-]+)/.exec(run.words.join(" "))?.[1];
  return which && button(t("go-on"), () => noted(run.id, resume(which)), { "data-keep": "resume" });
}

export async function resume(which) {
  const { id: next } = await post("/api/runs", { resume: { run: which } });
  location.hash = `watch/${next}`;
}

function stored(run) {
  return run.plan ?? run.results.join(",");
}

function reports(run) {
  const of = stored(run);
  return of && el("a", { class: "button", href: `/report?of=${encodeURIComponent(of)}&lang=${document.documentElement.lang}`, target: "_blank", rel: "noopener" }, t("report"));
}

/// What was completed since the line before, and beside it the longest of the whole run: a stutter is over before one looks.
function tiles(state) {
  const { since } = state.points.at(-1) ?? {};
  const now = t("now");
  const all = [[t("rate"), now, number(since?.mb_s), "MB/s"], ["IOPS", now, number(since?.iops)], [t("median"), now, ms(since?.p50_ms)], ["p99", now, ms(since?.p99_ms)],
    [t("longest"), t("in-this-run"), ms(state.worst[0]?.ms)]];
  const { temperature_celsius: celsius } = state.last ?? {};
  if (celsius !== undefined) all.push([t("temperature"), now, String(celsius), "°C"]);
  const tile = ([name, of, value, unit]) => el("div", {}, el("dt", {}, name, el("small", {}, ` ${of}`)), el("dd", {}, value, unit && el("small", {}, ` ${unit}`)));
  return el("dl", { class: "tiles" }, all.map(tile));
}

/// Points of one direction after another: no line leads over what the other did in between.
function stretches(points) {
  const all = [];
  for (const point of points) {
    if (all.length > 0 && all.at(-1)[0].write === point.write) all.at(-1).push(point);
    else all.push([point]);
  }
  return all;
}

function charts(run, state) {
  if (state.points.length === 0) return "";
  const now = state.points.filter((point) => point.phase === state.phase);
  const hasAddress = now.length > 1 && now.every((point) => point.byte !== undefined);
  const byAddress = state.axis === "address" ? hasAddress : state.axis === "auto" && hasAddress && state.rows.size <= 2;
  const points = byAddress ? now : state.points;
  const at = (point) => (byAddress ? point.byte : point.time);
  const x = { unit: byAddress ? "B" : "s" };
  const curve = (name, kind, of, some = points) => ({ name, class: kind, points: some.filter((point) => of(point) !== undefined).map((point) => [kind === "of-longest" && !byAddress ? point.longestAt : at(point), of(point)]) });
  const rate = (point) => point.since.mb_s;
  const marks = byAddress ? [] : state.worst.slice(0, 5).map((io) => ({ point: [io.time, io.ms], text: `${io.op} ${bytes(io.byte)}: ${ms(io.ms)}` }));
  const width = Math.max(320, Math.min(1200, box.clientWidth - 8));
  const choice = hasAddress && state.rows.size > 0 && el("p", { class: "row" },
    ["time", "address"].map((axis) => button(axis === "time" ? t("over-time") : t("over-address"), () => {
      state.axis = axis;
      schedule();
    }, { class: "toggle", "data-keep": `axis-${axis}`, "aria-pressed": String(byAddress === (axis === "address")) })));
  return el("section", {}, choice,
    chart({ label: `${t("transfer-rate")} (MB/s)`, x, y: { unit: "MB/s" }, width, height: 240,
      curves: stretches(points).map((some) => curve("", some[0].write ? "of-write" : "of-read", rate, some)).concat([curve(t("read"), "of-read", rate, points.filter((point) => !point.write).slice(0, 1)), curve(t("write"), "of-write", rate, points.filter((point) => point.write).slice(0, 1))]) }),
    chart({ label: t("response-times"), x, y: { unit: "ms", log: true }, width, height: 190, marks,
      curves: [curve(t("median"), "of-median", (point) => point.since.p50_ms), curve("p99", "of-p99", (point) => point.since.p99_ms), curve(t("longest"), "of-longest", (point) => point.since.longest_ms)] }));
}

function worst(state) {
  if (state.worst.length === 0) return "";
  const one = (io) => el("tr", {}, cell(ms(io.ms), { class: "number strong" }), cell(io.op), cell(bytes(io.byte), { class: "number" }), cell(duration(io.time), { class: "number" }), cell(io.phase ?? ""));
  const heads = [{ text: t("response"), class: "number" }, t("operation"), { text: t("address"), class: "number" }, { text: t("at"), class: "number" }, t("phase")];
  return el("details", { "data-keep": "worst" }, el("summary", { "data-keep": "worst-summary" }, t("longest-ios", { longest: ms(state.worst[0].ms) })), table(heads, state.worst.map(one), { class: "dense", label: t("longest") }));
}

/// The cells of a benchmark as they come: the best counted run so far, as the original shows it, and the longest of all.
function liveCells(state) {
  const tests = new Map();
  for (const { phase, mb_s, longest } of state.rows.values()) {
    const [, test, op, discarded] = /^([\w-]+) (read|write|mix) run \d+( \(discarded\))?$/.exec(phase ?? "") ?? [];
    if (!test) continue;
    const before = tests.get(test)?.[op];
    const rate = discarded ? (before?.rate ?? null) : Math.max(before?.rate ?? 0, mb_s);
    tests.set(test, { ...tests.get(test), [op]: { rate, longest: Math.max(before?.longest ?? 0, longest ?? 0) } });
  }
  return tests;
}

/// A row a phase.
function grid(state) {
  if (state.rows.size === 0) return "";
  const rows = [...state.rows.values()];
  const heads = [t("phase"), { text: "MB/s", class: "number" }, { text: "IOPS", class: "number" }, { text: "p99", class: "number" }, { text: t("longest"), class: "number" }];
  const several = new Set(rows.map((one) => one.target)).size > 1;
  const one = (row) => el("tr", {}, el("th", { scope: "row" }, several ? `${target(row.target)}: ${row.phase}` : row.phase), cell(number(row.mb_s), { class: "number strong" }), cell(number(row.iops), { class: "number" }),
    cell(ms(row.p99), { class: "number" }), cell(ms(row.longest), { class: "number" }));
  return el("details", { "data-keep": "phases" }, el("summary", { "data-keep": "phases-summary" }, t("phases-so-far", { n: rows.length })), table(heads, rows.slice(-200).map(one), { class: "dense", label: t("phases") }));
}

const isTrouble = (run) => run.state === "ended" && !isFinished(run);

/// What the command line said is the first thing to read where it ended early.
function trouble(run, state) {
  return isTrouble(run) && messages(state, run.code === 130 ? "" : "refused");
}

function messages(state, kind = "") {
  const all = state.messages.slice(-30);
  return all.length > 0 && el("section", {}, el("h3", {}, t("messages")), el("pre", { class: kind }, all.join("\n")));
}

/// What came of it: an answer in words, or the stored result.
function outcome(run, state) {
  if (run.state !== "ended") return "";
  if (run.text) return el("section", {}, el("h3", {}, t("answer")), el("pre", { class: "answer" }, run.text));
  const of = stored(run);
  if (!of) return "";
  if (state.stored === null) {
    state.stored = "asked";
    look("results", of).then(({ results }) => (state.stored = results), (why) => (state.stored = why)).then(schedule);
    // What it comes to is the first paragraph of what the command line prints.
    look("summary", of).then(({ summary }) => (state.summary = summary.split(/\n\s*\n/)[0]), () => {}).then(schedule);
  }
  if (state.stored === "asked") return el("p", { class: "soft" }, t("loading"));
  if (!Array.isArray(state.stored)) return refusal(state.stored);
  return [state.summary && el("pre", { class: "answer" }, state.summary),
    [...Map.groupBy(state.stored, (result) => result.method)].map(([id, results]) => [state.stored.length > results.length && el("h3", {}, method(id)), side(results, state)])];
}

/// The drives side by side, as wide as a grid is.
function side(results, state) {
  const columns = Math.max(1, Math.min(results.length, Math.floor(box.clientWidth / 540)));
  const one = (result) => el("section", {}, results.length > 1 && el("h4", {}, result.target.title?.text ?? result.target.title), figures(result),
    state.points.length < 8 && storedCharts(result, box.clientWidth / columns - 16));
  return el("div", { class: "side" }, results.map(one));
}
