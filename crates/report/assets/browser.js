// The list of stored results: filtering, sorting, details, two side by side. All texts come from outside and
// are set as text alone; a detail is a template of the page itself.
"use strict";
(() => {
  const json = (id) => JSON.parse(document.getElementById(id).textContent);
  const words = json("drivelab-words");
  const { strings, names, results, pairs } = json("drivelab-results");
  const [KEY, VALUE, UNIT, BETTER, STATISTIC, COUNT, SPAN] = [0, 1, 2, 3, 4, 5, 6];
  const CONDITIONS = ["span", "data", "alignment", "state", "scale"];
  const at = (id) => document.getElementById(id);
  const element = (name, text = "", attributes = {}) => {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  const number = (value, unit) => {
    if (value == null) return words["no-value"];
    const size = Math.abs(value);
    const decimals = unit === "IOPS" && size >= 100 ? 0 : size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 0.9995 || size === 0 ? 2 : size >= 0.09995 ? 3 : 4;
    const [whole, fraction] = value.toFixed(decimals).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return fraction === undefined ? grouped : grouped + "." + fraction;
  };
  const printed = (figure) => figure[VALUE] == null ? words["no-value"] : `${number(figure[VALUE], strings[figure[UNIT]])} ${strings[figure[UNIT]]}`;
  const when = (result) => result.began.slice(0, 16).replace("T", " ");
  const kindOf = (kind) => words["kind-" + kind] || kind;

  // What is chosen.
  const filters = { drive: at("drive"), method: at("method"), scale: at("scale"), kind: at("kind") };
  const read = { drive: (r) => r.drive, method: (r) => r.method, scale: (r) => r.scale, kind: (r) => r.kind };
  const labels = { drive: (r) => r.drive, method: (r) => r.title, scale: (r) => r.scale, kind: (r) => kindOf(r.kind) };
  const chosen = new Set();
  let order = { by: "id", down: true };

  const options = (select, pairs, first) => {
    const kept = select.value;
    select.replaceChildren(element("option", first, { value: "" }), ...pairs.map(([value, label]) => element("option", label, { value })));
    select.value = pairs.some(([value]) => value === kept) ? kept : "";
  };
  for (const [name, select] of Object.entries(filters)) {
    const pairs = new Map(results.filter((r) => read[name](r)).map((r) => [read[name](r), labels[name](r)]));
    options(select, [...pairs].sort((a, b) => a[1].localeCompare(b[1])), words["browser-all"]);
  }

  const matches = (result) => {
    const search = at("search").value.trim().toLowerCase();
    const day = result.began.slice(0, 10), from = at("from").value, to = at("to").value;
    const text = [result.id, result.drive, result.target, result.title, result.method, result.scale, result.run].join(" ").toLowerCase();
    return Object.entries(filters).every(([name, select]) => !select.value || read[name](result) === select.value)
      && search.split(/\s+/).every((word) => text.includes(word)) && (!from || day >= from) && (!to || day <= to);
  };

  // The figure of the column: the one that is chosen, else each result's first.
  const figureOf = (result) => {
    const key = at("figure").value;
    return key === "" ? result.figures[0] : result.figures.find((figure) => figure[KEY] === Number(key));
  };
  const sorters = {
    id: (r) => r.id, began: (r) => r.began, drive: (r) => r.drive, method: (r) => r.title, scale: (r) => r.scale,
    value: (r) => { const figure = figureOf(r); return figure && figure[VALUE] != null ? figure[VALUE] : -Infinity; },
  };

  const row = (result) => {
    const line = element("tr", "", { "data-result": result.id });
    const cell = (text, name = "td") => line.appendChild(element(name, text));
    const box = element("input", "", { type: "checkbox", "aria-label": `${words["browser-compare"]}: ${result.id}` });
    box.checked = chosen.has(result.id);
    box.disabled = result.figures.length === 0;
    box.addEventListener("change", () => {
      if (box.checked) chosen.add(result.id); else chosen.delete(result.id);
      tally();
    });
    cell("").append(box);
    cell(String(result.id));
    cell(when(result));
    const drive = cell("", "th");
    drive.setAttribute("scope", "row");
    drive.append(element("span", result.drive, { title: result.target }));
    if (result.kind) drive.append(" ", element("span", kindOf(result.kind), { class: "badge " + (result.kind === "model" ? "model" : "real") }));
    const method = cell(result.title);
    if (result.run !== "finished") method.append(" ", element("span", result.run, { class: "badge shortened" }));
    if (result.warnings) method.append(" ", element("span", `${words["warnings"]} ${result.warnings}`, { class: "badge shortened" }));
    cell(result.scale);
    const figure = figureOf(result), value = cell("");
    if (figure) {
      value.append(element("b", printed(figure)), element("small", names[figure[KEY]]));
    }
    const show = cell("");
    const button = element("button", words["browser-show"], { type: "button", class: "show" });
    button.addEventListener("click", () => detail(result));
    if (result.figures.length) show.append(button);
    return line;
  };

  let shown = [];
  const tally = () => {
    const two = [...chosen].length;
    at("shown").textContent = words["browser-shown"].replace("(shown)", shown.length).replace("(all)", results.length);
    at("compare").disabled = two !== 2;
    at("compare").textContent = two === 2 ? words["browser-compare"] : words["browser-choose-two"];
  };
  const list = () => {
    shown = results.filter(matches);
    const keys = new Map();
    for (const result of shown) for (const figure of result.figures) if (!keys.has(figure[KEY])) keys.set(figure[KEY], names[figure[KEY]]);
    options(at("figure"), [...keys].map(([key, name]) => [String(key), name]), words["browser-headline"]);
    const of = sorters[order.by], sign = order.down ? -1 : 1;
    const sorted = [...shown].sort((a, b) => {
      const [x, y] = [of(a), of(b)];
      const less = typeof x === "string" ? x.localeCompare(y) : x < y ? -1 : x > y ? 1 : 0;
      return less * sign || b.id - a.id;
    });
    at("results").replaceChildren(...sorted.map(row));
    for (const head of document.querySelectorAll("[data-sort]")) {
      head.setAttribute("aria-sort", head.dataset.sort !== order.by ? "none" : order.down ? "descending" : "ascending");
    }
    tally();
  };

  // One result: in full where the page has it, else its figures.
  const open = (section, title, ...parts) => {
    const close = element("button", "×", { type: "button", class: "close", "aria-label": "×" });
    close.addEventListener("click", () => { section.hidden = true; });
    section.replaceChildren(close, element("h2", title), ...parts);
    section.hidden = false;
    section.scrollIntoView({ block: "start" });
    section.focus({ preventScroll: true });
  };
  const table = (heads, rows) => {
    const made = element("table", "", { class: "figures" }), head = element("tr"), body = element("tbody");
    heads.forEach((text) => head.append(element("th", text, { scope: "col" })));
    rows.forEach((cells) => {
      const line = element("tr");
      cells.forEach((cell) => line.append(cell instanceof Node ? cell : element("td", cell)));
      body.append(line);
    });
    made.append(element("thead"), body);
    made.tHead.append(head);
    const scroll = element("div", "", { class: "scroll" });
    scroll.append(made);
    return scroll;
  };
  const heading = (figure) => {
    const head = element("th", names[figure[KEY]], { scope: "row" });
    head.append(document.createElement("br"), element("code", strings[figure[KEY]]));
    return head;
  };
  const conditions = (figure) => CONDITIONS.map((_, i) => strings[figure[SPAN + i]]).filter(Boolean).join("; ");
  const detail = (result) => {
    const template = at("detail-" + result.id);
    const title = `${result.id} · ${result.drive} · ${result.title}`;
    const command = element("p", words["browser-details"] + " ");
    command.append(element("code", `drivelab report ${result.id} --html report-${result.id}.html`));
    if (template) return open(at("detail"), title, command, template.content.cloneNode(true));
    const rows = result.figures.map((figure) => [heading(figure), element("td", printed(figure), { class: "number" }), strings[figure[STATISTIC]], String(figure[COUNT]), conditions(figure)]);
    open(at("detail"), title, element("p", words["browser-only-figures"]), command,
      table([words.figure, words.value, words.statistic, "n", words.conditions], rows));
  };

  // Two results, figure by figure. Whether they differ was said when the page was made, by what `drivelab compare` says
  // it by; here nothing is compared.
  const compare = () => {
    const [one, other] = [...chosen].sort((a, b) => a - b).map((id) => results.find((r) => r.id === id));
    const title = `${words["browser-compare"]}: ${one.id} / ${other.id}`;
    if (one.method !== other.method) return open(at("comparison"), title, element("p", words["browser-other-methods"]));
    const pair = pairs[`${one.id}-${other.id}`];
    const said = new Map(pair ? pair.rows.map(([key, text, better]) => [key, [strings[text], better]]) : []);
    const rows = [];
    for (const a of one.figures) {
      const b = other.figures.find((figure) => figure[KEY] === a[KEY]);
      if (!b) continue;
      const cells = [element("td", printed(a), { class: "number" }), element("td", printed(b), { class: "number" })];
      const [text, better] = said.get(a[KEY]) || ["", null];
      if (better != null) {
        cells[better].classList.add("best");
        cells[1 - better].classList.add("worst");
      }
      rows.push([heading(a), ...cells, text, words[a[BETTER] > 0 ? "better-higher" : a[BETTER] < 0 ? "better-lower" : "better-none"]]);
    }
    const notes = pair ? pair.conclusions.map((text) => element("p", text)) : [element("p", words["browser-not-compared"] + " ")];
    if (!pair) notes[0].append(element("code", `drivelab compare ${one.id} ${other.id}`));
    const name = (result, key) => `${words[key]}: ${result.id} · ${result.drive} · ${result.scale}`;
    open(at("comparison"), title, ...notes, table([words.figure, name(one, "browser-first"), name(other, "browser-second"), words["browser-difference"], ""], rows));
  };

  at("filters").addEventListener("input", list);
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("reset", () => setTimeout(list, 0));
  at("compare").addEventListener("click", compare);
  for (const head of document.querySelectorAll("[data-sort]")) {
    head.querySelector("button").addEventListener("click", () => {
      order = { by: head.dataset.sort, down: order.by === head.dataset.sort ? !order.down : head.dataset.sort === "id" || head.dataset.sort === "began" || head.dataset.sort === "value" };
      list();
    });
  }
  document.documentElement.classList.add("live");
  list();
})();
