// The page: its sections, the language, and the one stream that tells of runs.

import { announce, button, chosen, el, lang, t } from "./dom.js";
import * as drives from "./drives.js";
import * as choose from "./choose.js";
import * as watch from "./watch.js";
import * as results from "./results.js";

const SECTIONS = { drives, choose, watch, results };
const main = document.getElementById("main");
let stream = null;
let followed = null;
let current = null;
let states = new Map();

for (const element of document.querySelectorAll("[data-text]")) element.prepend(t(element.dataset.text));
for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));

function where() {
  const [section, ...rest] = location.hash.replace(/^#/, "").split("/");
  return { section: section in SECTIONS ? section : "drives", of: decodeURIComponent(rest.join("/")) };
}

function show() {
  const { section, of } = where();
  for (const link of document.querySelectorAll("#sections a")) {
    if (link.getAttribute("href") === `#${section}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const isNew = current !== section;
  current = section;
  document.title = `${t(section)} – drivelab`;
  main.className = section;
  main.replaceChildren();
  SECTIONS[section].show(main, of);
  if (isNew) {
    announce(t(section));
    scrollTo(0, 0);
  }
  follow(section === "watch" && of ? Number(of) : null);
  showChosen();
  linkOfLanguage();
}

function linkOfLanguage() {
  const other = lang === "ja" ? "en" : "ja";
  const link = document.getElementById("language");
  link.href = `/?lang=${other}${location.hash}`;
  link.lang = other;
  link.hreflang = other;
}

/// One stream a page: which run it follows is part of its address. The browser connects again by itself.
function follow(run) {
  if (stream && run === null && followed === null) return;
  stream?.close();
  followed = run;
  stream = new EventSource(run === null ? "/api/events" : `/api/events?run=${run}`);
  stream.addEventListener("open", () => (document.getElementById("lost").hidden = true));
  stream.addEventListener("error", () => (document.getElementById("lost").hidden = false));
  stream.addEventListener("lines", (event) => watch.lines(JSON.parse(event.data)));
  stream.addEventListener("runs", (event) => told(JSON.parse(event.data).runs));
}

function told(runs) {
  const underWay = runs.filter((run) => run.state !== "ended").length;
  const count = document.getElementById("under-way");
  count.hidden = underWay === 0;
  count.textContent = underWay;
  for (const run of runs) {
    if (states.get(run.id) && states.get(run.id) !== "ended" && run.state === "ended") {
      announce(t("run-over", { what: run.what }));
    }
  }
  states = new Map(runs.map((run) => [run.id, run.state]));
  watch.runs(runs);
}

/// What is set beside each other, at the foot of the page.
function showChosen() {
  const aside = document.getElementById("chosen");
  aside.hidden = chosen.all.length === 0 || current !== "drives";
  const one = ({ target, title }) => el("li", {}, el("span", {}, title),
    button("×", () => chosen.toggle(target, title), { class: "plain", "aria-label": t("take-away", { what: title }) }));
  aside.replaceChildren(el("ul", {}, chosen.all.map(one)),
    el("a", { class: "button main", href: "#choose" }, chosen.all.length > 1 ? t("measure-several", { n: chosen.all.length }) : t("measure-one")));
}

document.addEventListener("chosen", showChosen);
addEventListener("hashchange", show);
// The key has done its work: it need not stand in the address or in the history.
const address = new URL(location.href);
if (address.searchParams.has("key")) {
  address.searchParams.delete("key");
  history.replaceState(null, "", address);
}
show();
