// Stored results: found, labelled, reported, compared, and a drive's history.

import { chart } from "./charts.js";
import { button, cell, date, el, fill, lang, look, ms, number, post, refusal, t, table, withUnit, words } from "./dom.js";
import * as names from "./names.js";
import { resume } from "./watch.js";

let search = "";
const marked = new Set();

export async function show(main, of) {
  const [kind, ...rest] = of.split("/");
  const rest_of = rest.join("/");
  const box = el("div", {}, el("p", { class: "soft" }, t("loading")));
  main.append(box);
  try {
    if (kind === "compare") await compared(box, rest_of);
    else if (kind === "one") await one(box, rest_of);
    else if (kind === "of") await history(box, rest_of);
    else await list(box);
  } catch (why) {
    box.replaceChildren(refusal(why), back());
  }
}

const back = () => el("p", {}, el("a", { href: "#results" }, t("all-results")));
const reportLink = (of, text) => el("a", { class: "button", href: `/report?of=${encodeURIComponent(of)}&lang=${lang}`, target: "_blank", rel: "noopener" }, text);

async function list(box) {
  const [{ results }] = await Promise.all([look("runs"), names.titles()]);
  if (results.length === 0) {
    box.replaceChildren(el("div", { class: "empty" }, el("p", {}, t("no-results")), el("a", { class: "button main", href: "#choose" }, t("choose"))));
    return;
  }
  const acts = el("div", { class: "acts row", role: "toolbar", "aria-label": t("with-marked") });
  const rows = el("div", {});
  const input = el("input", { id: "search", type: "search", autocomplete: "off", placeholder: t("search-hint"), oninput: () => {
    search = input.value;
    draw();
  } });
  input.value = search;
  const draw = () => {
    const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (run) => [run.id, run.method, names.method(run.method), run.target, names.target(run.target), run.serial, run.state, run.name, run.note, run.scale, ...(run.tags ?? []).map((tag) => `#${tag}`)].join(" ").toLowerCase();
    const found = results.filter((run) => wanted.every((word) => text(run).includes(word)));
    rows.replaceChildren(found.length === 0 ? el("p", { class: "empty" }, t("none-found")) : table(HEADS(), found.map((run) => row(run, drawActs)), { class: "dense", label: t("results") }));
  };
  const drawActs = () => actions(acts, results);
  box.replaceChildren(el("div", { class: "row", role: "search" }, el("label", { for: "search" }, t("search")), input), acts, rows);
  draw();
  drawActs();
}

const HEADS = () => [el("span", { class: "unseen" }, t("mark")), { text: t("number"), class: "number" }, { text: t("began"), class: "wide" }, t("method"), t("target"), { text: t("figure"), class: "number" }, t("state"), t("label")];
const STATES = { finished: "finished", "ended early": "ended-early", running: "running", interrupted: "interrupted", "went away": "went-away", failed: "failed" };

function row(run, changed) {
  const box = el("input", { type: "checkbox", "aria-label": t("mark-result", { n: run.id }), onchange: () => {
    if (box.checked) marked.add(run.id);
    else marked.delete(run.id);
    changed();
  } });
  box.checked = marked.has(run.id);
  const state = run.state === "finished" ? t("finished") : el("span", { class: "badge" }, t(STATES[run.state] ?? "failed"));
  const again = run.state === "interrupted" || run.state === "went away";
  return el("tr", {}, cell(box), cell(run.id, { class: "number" }), cell(date(run.began), { class: "date wide" }),
    cell(run.state === "finished" || run.figure ? el("a", { href: `#results/one/${run.id}` }, names.method(run.method)) : names.method(run.method)),
    cell(el("a", { href: `#results/of/${encodeURIComponent(run.serial ?? run.target)}`, title: `${run.target}: ${t("history")}` }, names.target(run.target))),
    cell(run.figure ? [el("span", { class: "soft key" }, run.figure.key), " ", withUnit(run.figure.value, run.figure.unit)] : "", { class: "number strong" }),
    again ? resumable(run, state) : cell(state),
    cell([run.name && el("strong", {}, run.name), (run.tags ?? []).map((tag) => el("span", { class: "tag" }, `#${tag}`)), run.note && el("span", { class: "soft" }, run.note)]));
}

/// A state with a way to go on; a refusal stands beside it.
function resumable(run, state) {
  const own = cell([state, button(t("go-on"), async () => {
    try {
      await resume(run.plan ? `plan-${run.plan.id}` : String(run.id));
    } catch (why) {
      own.append(refusal(why));
    }
  }, { class: "plain" })]);
  return own;
}

function actions(acts, results) {
  const ids = [...marked].filter((id) => results.some((run) => run.id === id));
  const of = ids.join(",");
  fill(acts, el("span", { class: "soft", role: "status" }, ids.length === 0 ? t("nothing-marked") : t("marked", { n: ids.length })),
    ids.length > 0 && [reportLink(of, t("report")),
      ids.length > 1 ? el("a", { class: "button", href: `#results/compare/${of}` }, t("compare")) : "",
      button(t("label-them"), () => acts.append(labels(ids)))]);
}

function labels(ids) {
  document.getElementById("labels")?.remove();
  const field = (key, text, properties = {}) => {
    const input = el("input", { id: `label-${key}`, type: "text", autocomplete: "off", ...properties });
    return el("label", { for: `label-${key}`, class: "field" }, text, input);
  };
  const [name, tag, untag, note] = [field("name", t("label-name"), { disabled: ids.length > 1 }), field("tag", t("tag-add")), field("untag", t("tag-remove")), field("note", t("note"))];
  const value = (label) => label.querySelector("input").value.trim();
  const said = el("span", { role: "status" });
  const save = async (event) => {
    event.preventDefault();
    const wanted = { results: ids.map(String) };
    if (value(name)) wanted.name = value(name);
    if (value(note)) wanted.note = value(note);
    if (value(tag)) wanted.tag = value(tag).split(/[\s,]+/);
    if (value(untag)) wanted.untag = value(untag).split(/[\s,]+/);
    try {
      await post("/api/label", wanted);
      dispatchEvent(new Event("hashchange"));
    } catch (why) {
      said.replaceChildren(refusal(why));
    }
  };
  const form = el("form", { id: "labels", class: "fields", onsubmit: save }, name, tag, untag, note, el("button", {}, t("save")), said);
  queueMicrotask(() => form.querySelector("input:not(:disabled)").focus());
  return form;
}

async function one(box, id) {
  const { results } = await look("results", id);
  fill(box, back(), results.map((result) => el("article", {},
    el("h2", {}, lang === "ja" && result.method_title_ja ? result.method_title_ja : result.method_title),
    el("p", {}, title(result), el("span", { class: "soft" }, `  ${result.began_unix_ms > 0 ? date(result.began_unix_ms) : ""}  ${result.scale}`)),
    el("p", { class: "row" }, reportLink(String(result.id || id), t("report")), el("a", { class: "button", href: `#results/of/${encodeURIComponent(result.target.identity?.serial ?? result.target.name)}` }, t("history"))),
    warnings(result), storedCharts(result, box.clientWidth), figures(result))));
}

const title = (result) => result.target.title?.text ?? result.target.title ?? result.target.name;

function warnings(result) {
  const all = result.warnings.map((warning) => warning.text ?? warning);
  return all.length > 0 && el("ul", { class: "warnings" }, all.map((warning) => el("li", {}, warning)));
}

/// The charts of a stored result that are curves.
export function storedCharts(result, width) {
  const drawn = result.charts.filter((one) => one.design.shape === "line" && one.curves.some((curve) => curve.x.length > 1)).slice(0, 6);
  // Parts of a method have charts of the same title: their key tells which.
  const part = (one) => one.key.split(".").slice(0, -1).join(" ");
  return drawn.map((one) => chart({
    label: [part(one), `${words(one.design.title)} (${one.design.y.unit})`].filter(Boolean).join(" – "), width: Math.max(320, Math.min(1200, width - 8)), height: 230,
    x: { unit: one.design.x.unit, log: one.design.x.scale === "log" }, y: { unit: one.design.y.unit, log: one.design.y.scale === "log" },
    marks: one.marks.map((mark) => ({ point: [mark.x, mark.y], text: mark.label })),
    curves: one.curves.slice(0, 6).map((curve, at) => ({ name: words(curve.name), class: ["of-read", "of-write", "of-median", "of-p99"].at(/write/.test(words(curve.name)) ? 1 : at) ?? "of-longest",
      points: curve.x.map((x, index) => [x, curve.y[index]]).filter(([, y]) => y !== null && y !== undefined) })),
  }));
}

/// Tests of a benchmark as its grid, with the longest response in each cell; then all figures.
export function figures(result) {
  const has = result.figures.filter((figure) => figure.value !== null);
  const grid = cells(storedCells(has));
  return [grid, el("details", { open: grid === "" }, el("summary", {}, t("all-figures", { n: has.length })),
    table([t("figure"), { text: t("value"), class: "number" }, t("statistic")], has.map((figure) => el("tr", {}, el("th", { scope: "row" }, figure.key), cell(withUnit(figure.value, figure.unit), { class: "number strong" }), cell(figure.statistic, { class: "soft" }))), { class: "dense", label: t("all-figures", { n: has.length }) }))];
}

function storedCells(all) {
  const tests = new Map();
  for (const figure of all) {
    const [, test, op] = /^([\w-]+)\.(read|write|mix)$/.exec(figure.key) ?? [];
    if (!test || figure.unit !== "MB/s") continue;
    const worst = all.find((other) => other.key === `${figure.key}.worst`);
    tests.set(test, { ...tests.get(test), [op]: { rate: figure.value, longest: worst?.value / 1000 } });
  }
  return tests.size < 2 ? new Map() : tests;
}

/// A row a test, a column a direction: the rate, and below it the longest response.
export function cells(tests) {
  if (tests.size === 0) return "";
  const one = (side) => cell(side ? [el("span", { class: "big" }, number(side.rate)), side.longest > 0 && el("span", { class: "soft worst" }, t("longest-short", { time: ms(side.longest) }))] : t("no-value"), { class: "number" });
  const rows = [...tests].map(([test, sides]) => el("tr", {}, el("th", { scope: "row" }, test.toUpperCase().replaceAll("-", " ")), one(sides.read), one(sides.write)));
  return table([t("test"), { text: `${t("read")} (MB/s)`, class: "number" }, { text: `${t("write")} (MB/s)`, class: "number" }], rows, { class: "cells", label: t("figures") });
}

async function compared(box, of) {
  const comparison = await look("comparison", of);
  const part = (method) => {
    const heads = [t("figure"), ...method.results.map((result) => ({ text: `${result.id}  ${words(result.title?.text ?? result.title)}`, class: "number" }))];
    const rows = method.figures.filter((figure) => figure.values.some((value) => value.value !== null)).map((figure) => el("tr", {},
      el("th", { scope: "row" }, figure.key, el("span", { class: "soft" }, ` ${figure.unit === "us" ? "µs" : figure.unit}`)),
      figure.values.map((value) => cell([number(value.value), value.ratio !== null && value.ratio !== undefined && value.ratio !== 1 ? el("span", { class: "soft" }, ` ×${number(value.ratio)}`) : ""],
        { class: "number", title: value.why_not ?? null }))));
    return [el("h2", {}, method.method), facts(method.facts), table(heads, rows, { class: "dense", label: method.method })];
  };
  box.replaceChildren(back(), el("p", { class: "row" }, reportLink(of, t("report"))), ...comparison.methods.flatMap(part),
    ...(comparison.refused > 0 ? [el("p", { class: "soft" }, t("refused-values", { n: comparison.refused }))] : []));
}

function facts(all) {
  if (!all || all.judged === 0) return el("p", { class: "soft" }, t("nothing-judged"));
  return el("p", {}, t("facts-differ", { n: all.differ, all: all.judged }));
}

/// All results of a drive, by its serial number, or of another target, by its name: one line a method, the main figure over
/// the runs. A path alone is no drive: after a restart it may be another one's.
async function history(box, of) {
  const [{ results }] = await Promise.all([look("runs"), names.titles()]);
  const own = results.filter((run) => (run.serial ?? run.target) === of && run.figure).reverse();
  const methods = Map.groupBy(own, (run) => `${run.method} ${run.scale ?? ""} ${run.figure.key}`);
  const part = ([name, runs]) => {
    const { figure } = runs[0];
    const points = runs.map((run) => [Date.parse(run.began) / 1000, run.figure.value]);
    const rows = runs.toReversed().map((run) => el("tr", {}, cell(date(run.began), { class: "date" }), cell(el("a", { href: `#results/one/${run.id}` }, run.id), { class: "number" }), cell(withUnit(run.figure.value, run.figure.unit), { class: "number strong" }), cell([run.name, ...(run.tags ?? []).map((tag) => `#${tag}`)].filter(Boolean).join(" "))));
    const [{ method, scale }] = runs;
    return el("section", {}, el("h3", {}, names.method(method), el("span", { class: "soft" }, `  ${scale ?? ""}  ${figure.key}`)), runs.length > 1 && chart({ label: `${figure.key} (${figure.unit === "us" ? "µs" : figure.unit})`, x: { unit: "date", from: points[0][0] }, y: { unit: figure.unit }, height: 170, width: Math.max(320, Math.min(1200, box.clientWidth - 8)), curves: [{ name: "", class: "of-median", points, dots: true }] }),
      table([t("began"), { text: t("number"), class: "number" }, { text: figure.key, class: "number" }, t("label")], rows, { class: "dense", label: name }));
  };
  const paths = [...new Set(own.map((run) => run.target))].filter((name) => name !== of).join(", ");
  box.replaceChildren(back(), el("h2", {}, names.target(of), paths && el("span", { class: "soft" }, `  ${paths}`)), ...(own.length === 0 ? [el("p", { class: "empty" }, t("no-history"))] : [...methods].map(part)));
}
