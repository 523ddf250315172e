// What can be measured: the machine's drives, folders and files, modelled drives.

import { bytes, button, cell, chosen, el, lang, look, number, refusal, round, t, table, words } from "./dom.js";
import { link } from "./names.js";

let devices = null;
let models = null;
const health = new Map();
const places = JSON.parse(localStorage.getItem("places") ?? '["."]');
const filter = { words: "", kind: "", link: "", from: "" };
/// By which column the modelled drives are sorted, and in which direction; the catalogue's order otherwise.
const order = { by: null, falls: false };

export function show(main) {
  const machine = el("div", { class: "cards", "aria-busy": "true" }, el("p", { class: "soft" }, t("loading")));
  const folders = el("div", { class: "cards" });
  const modelled = el("div", {});
  main.append(
    el("section", {}, el("h2", {}, t("this-machine")), machine),
    el("section", {}, el("h2", {}, t("folders")), el("p", { class: "soft" }, t("folders-hint")), folders, addPlace(folders)),
    el("section", {}, el("h2", {}, t("modelled")), modelled));
  showPlaces(folders);
  showDevices(machine);
  showModels(modelled);
}

/// What was there the last time, then what is there now: drives are plugged in while a page is open.
async function showDevices(box) {
  const list = () => {
    box.removeAttribute("aria-busy");
    box.replaceChildren(...devices.map(card));
    if (devices.length === 0) box.append(el("p", { class: "empty" }, t("no-devices")));
  };
  if (devices) list();
  try {
    const before = JSON.stringify(devices);
    devices = (await look("devices")).devices;
    if (JSON.stringify(devices) !== before) list();
  } catch (why) {
    box.replaceChildren(refusal(why));
  }
}

function toggle(target, title) {
  const pressed = () => String(chosen.has(target));
  const own = button(t("select"), () => {
    chosen.toggle(target, title);
    own.setAttribute("aria-pressed", pressed());
  }, { class: "toggle", "aria-pressed": pressed(), "aria-label": t("select-drive", { what: title }) });
  return own;
}

function card(device) {
  const title = device.model ?? device.path;
  const state = el("div", { class: "health" });
  const state_word = { "in use": t("in-use"), free: t("free") }[device.state] ?? t("use-unknown");
  askHealth(device.path, state);
  return el("article", { class: "card", "aria-label": title },
    el("header", {}, el("h3", {}, title), toggle(device.path, title)),
    el("p", { class: "big" }, bytes(device.capacity), el("span", { class: "soft" }, ` ${link(device.link)}`)),
    el("p", { class: "soft mono" }, [device.path, device.serial].filter(Boolean).join("  ")),
    el("p", {}, el("span", { class: `badge ${device.state === "free" ? "free" : ""}` }, state_word), ` ${(device.uses.length > 0 ? device.uses : device.state === "unknown" ? device.unseen ?? [] : []).join("; ")}`),
    state,
    el("p", {}, el("a", { href: `#results/of/${encodeURIComponent(device.serial ?? device.path)}` }, t("history"))));
}

async function askHealth(target, box) {
  try {
    if (!health.has(target)) health.set(target, look("health", target));
    const { drives } = await health.get(target);
    box.replaceChildren(...drives.map(healthOf));
  } catch (why) {
    box.replaceChildren(el("p", { class: "soft" }, String(why.message)));
  }
}

const reasons = (drive) => (lang === "ja" && drive.reasons_ja) || drive.reasons;
const CONDITIONS = { good: "health-good", suspect: "health-suspect", failing: "health-failing", unknown: "health-unknown" };

function healthOf(drive) {
  const report = drive.health ?? {};
  const facts = [
    [t("temperature"), report.temperature_celsius, (value) => `${value} °C`],
    [t("power-on"), report.power_on_hours, (value) => `${number(value)} h`],
    [t("written-in-life"), report.host_written?.bytes, bytes],
    [t("used"), report.percentage_used, (value) => `${round(value)} %`],
  ].filter(([, value]) => value !== undefined && value !== null);
  return el("div", {},
    el("p", {}, el("span", { class: `badge ${drive.condition}` }, t(CONDITIONS[drive.condition] ?? "health-unknown")),
      el("span", { class: "soft" }, ` ${reasons(drive).join(lang === "ja" ? "、" : "; ")}`)),
    facts.length > 0 && el("dl", { class: "facts" }, facts.map(([name, value, say]) => [el("dt", {}, name), el("dd", {}, say(value))])));
}

function showPlaces(box) {
  box.replaceChildren(...places.map((place) => el("article", { class: "card small", "aria-label": place },
    el("header", {}, el("h3", { class: "mono" }, place), toggle(place, place)),
    place !== "." && button(t("forget"), () => {
      places.splice(places.indexOf(place), 1);
      if (chosen.has(place)) chosen.toggle(place, place);
      keepPlaces(box);
    }, { class: "plain" }))));
}

function keepPlaces(box) {
  localStorage.setItem("places", JSON.stringify(places));
  showPlaces(box);
}

function addPlace(box) {
  const input = el("input", { id: "place", type: "text", autocomplete: "off", spellcheck: "false", placeholder: t("place-example") });
  const add = (event) => {
    event.preventDefault();
    const place = input.value.trim();
    if (!place) return;
    if (!places.includes(place)) places.push(place);
    if (!chosen.has(place)) chosen.toggle(place, place);
    input.value = "";
    keepPlaces(box);
  };
  return el("form", { class: "row", onsubmit: add }, el("label", { for: "place" }, t("place")), input, el("button", {}, t("add")));
}

async function showModels(box) {
  try {
    models ??= (await look("drives")).drives;
  } catch (why) {
    box.replaceChildren(refusal(why));
    return;
  }
  const list = el("div", {});
  box.replaceChildren(filters(() => listModels(list)), list);
  listModels(list);
}

const family = (link) => link.replace(/[-0-9].*$/, "").replace("pcie", "nvme");

function filters(changed) {
  const input = (key, properties, ...options) => {
    const control = el(options.length ? "select" : "input", { id: `filter-${key}`, ...properties }, options);
    control.value = filter[key];
    control.addEventListener("input", () => {
      filter[key] = control.value;
      changed();
    });
    return control;
  };
  const option = (value, text) => el("option", { value }, text);
  const links = [...new Set(models.map((drive) => family(drive.link)))].sort();
  const label = (key, text, control) => el("label", { for: `filter-${key}` }, text, control);
  return el("div", { class: "filters", role: "search", "aria-label": t("filters") },
    label("words", t("name"), input("words", { type: "search", autocomplete: "off" })),
    label("kind", t("kind"), input("kind", {}, option("", t("any")), option("ssd", "SSD"), option("hdd", "HDD"))),
    label("link", t("link"), input("link", {}, option("", t("any")), links.map((link) => option(link, link.toUpperCase())))),
    label("from", t("year-from"), input("from", { type: "number", min: "1990", max: "2100" })));
}

function listModels(box) {
  const wanted = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (drive) => wanted.every((word) => `${drive.title} ${drive.slug}`.toLowerCase().includes(word))
    && (!filter.kind || drive.kind === filter.kind) && (!filter.link || family(drive.link) === filter.link)
    && (!filter.from || drive.year >= Number(filter.from));
  const found = sorted(models.filter(fits));
  const row = (drive) => {
    const target = `model:${drive.slug}`;
    return el("tr", {}, cell(toggle(target, drive.title)), el("th", { scope: "row" }, words(drive.title)),
      cell(bytes(drive.capacity), { class: "number" }), cell(drive.kind.toUpperCase()), cell(link(drive.link)), cell(drive.year, { class: "number wide" }),
      cell(drive.known_by === "figures" ? t("by-figures") : t("by-data-sheet"), { class: "soft wide" }));
  };
  const head = (by, properties = {}) => sortable(by, properties, () => listModels(box));
  const heads = ["", head("drive"), head("capacity", { class: "number" }), head("kind"), head("link"), head("year", { class: "number wide" }), { text: t("known-by"), class: "wide" }];
  box.replaceChildren(el("p", { class: "soft", role: "status" }, t("shown-of", { n: found.length, all: models.length })),
    found.length > 0 ? table(heads, found.map(row), { class: "dense", label: t("modelled") }) : el("p", { class: "empty" }, t("no-models")));
}

const KEYS = { drive: (drive) => words(drive.title), capacity: (drive) => drive.capacity, kind: (drive) => drive.kind, link: (drive) => drive.link, year: (drive) => drive.year };

function sorted(drives) {
  const key = KEYS[order.by];
  if (!key) return drives;
  const compared = (one, other) => (typeof key(one) === "number" ? key(one) - key(other) : key(one).localeCompare(key(other), undefined, { numeric: true }));
  return drives.toSorted((one, other) => (order.falls ? compared(other, one) : compared(one, other)));
}

/// A head of a column that sorts by it, and turns the order around when it does already.
function sortable(by, properties, changed) {
  const isBy = order.by === by;
  const act = button(t(by), () => {
    Object.assign(order, { by, falls: isBy && !order.falls });
    changed();
    document.getElementById(`sort-${by}`).focus();
  }, { id: `sort-${by}`, class: "plain" });
  return { ...properties, text: act, sort: isBy ? (order.falls ? "descending" : "ascending") : "none" };
}
