// Elements, words, numbers with their units, and requests. Data becomes text and never markup.

const texts = JSON.parse(document.getElementById("texts").textContent);
export const lang = document.documentElement.lang;

/// The words of a key, with its arguments filled in.
export function t(key, values = {}) {
  const text = texts[key] ?? key;
  return text.replace(/\{([a-z_]+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/// An element: properties, `on…` listeners, and children; empty children are left out.
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

function present(children) {
  return children.flat(4).filter((child) => child !== null && child !== undefined && child !== false && child !== "");
}

/// Replaces what an element holds; empty children are left out.
export function fill(element, ...children) {
  element.replaceChildren(...present(children));
}

export function button(text, onclick, properties = {}) {
  return el("button", { type: "button", onclick, ...properties }, text);
}

/// Tells a screen reader.
export function announce(text) {
  document.getElementById("live").textContent = text;
}

const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/// Three digits that count, as a data sheet has them.
export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return t("no-value");
  const size = Math.abs(value);
  if (size >= 1000) return plain.format(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 1 || size === 0) return value.toFixed(2);
  return value.toPrecision(2);
}

export function withUnit(value, unit) {
  if (value === null || value === undefined) return t("no-value");
  if (unit === "us") return ms(value / 1000);
  if (unit === "ms") return ms(value);
  return unit === "count" ? plain.format(value) : `${number(value)} ${unit}`;
}

/// A time of a response, in ms.
export function ms(value) {
  if (value === null || value === undefined) return t("no-value");
  if (value >= 1000) return `${number(value / 1000)} s`;
  return value < 1 ? `${number(value * 1000)} µs` : `${number(value)} ms`;
}

/// A number on an axis: no digits that say nothing.
export function round(value) {
  return String(Number(value.toPrecision(3)));
}

const DECIMAL = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];

/// Bytes in units of 1000, as drives are sold.
export function bytes(value) {
  if (value === null || value === undefined) return t("no-value");
  const [unit, name] = DECIMAL.find(([unit]) => value >= unit) ?? [1, "B"];
  return `${number(value / unit)} ${name}`;
}

/// A length of time for people.
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return t("no-value");
  if (seconds < 1) return `${number(seconds * 1000)} ms`;
  if (seconds < 90) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3600);
  return `${hours} h ${Math.round((seconds - hours * 3600) / 60)} min`;
}

/// The time of day.
export const clock = (value) => date(value).slice(11);

export function date(value) {
  const moment = new Date(value);
  if (Number.isNaN(moment.getTime())) return String(value);
  const two = (part) => String(part).padStart(2, "0");
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  return `${day} ${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

/// What the command line refuses, in its words.
export class Refusal extends Error {
  constructor({ refused, typed }, status) {
    super(refused || String(status));
    this.typed = typed;
  }
}

async function request(path, options) {
  const address = `${path}${path.includes("?") ? "&" : "?"}lang=${lang}`;
  const answer = await fetch(address, options);
  const kind = answer.headers.get("content-type") ?? "";
  const said = kind.startsWith("application/json") ? await answer.json() : { refused: await answer.text() };
  if (!answer.ok) throw new Refusal(said, answer.status);
  return said;
}

export const look = (what, of = "") => request(`/api/look/${what}?of=${encodeURIComponent(of)}`);
export const post = (path, body = {}) => request(path, { method: "POST", body: JSON.stringify(body) });

/// A refusal where it belongs, word for word.
export function refusal(why) {
  return el("p", { class: "refused", role: "alert" }, String(why.message ?? why).replace(/^drivelab: (would be refused: )?/gm, ""));
}

/// A title that may be in both languages.
export function words(text) {
  if (text && typeof text === "object") return text[lang] || text.en || "";
  return text ?? "";
}

export function table(heads, rows, properties = {}) {
  const head = heads.map((head) => el("th", { scope: "col", class: head.class, "aria-sort": head.sort }, head.text ?? head));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": properties.label },
    el("table", { class: properties.class }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)));
}

export function cell(text, properties = {}) {
  return el("td", properties, text);
}

/// The drives that are set beside each other: they are kept while the page is open, and across a reload.
export const chosen = {
  all: JSON.parse(sessionStorage.getItem("chosen") ?? "[]"),
  has(target) {
    return this.all.some((one) => one.target === target);
  },
  toggle(target, title) {
    this.all = this.has(target) ? this.all.filter((one) => one.target !== target) : [...this.all, { target, title }];
    sessionStorage.setItem("chosen", JSON.stringify(this.all));
    document.dispatchEvent(new Event("chosen"));
  },
};
