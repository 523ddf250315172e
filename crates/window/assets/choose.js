// What to run: a method with its settings, a plan, a question or a review; and what it would take, before it starts.

import { announce, button, bytes, chosen, duration, el, fill, lang, look, post, refusal, t } from "./dom.js";

/// What the form says, kept across a change of language.
const asked = { kind: "method", method: "crystaldiskmark", plan: "quick", question: "cache", scale: "quick", repeat: "", set: {},
  ...JSON.parse(sessionStorage.getItem("asked") ?? "{}") };
let lists = null;
let waiting = null;
let turn = 0;

export async function show(main) {
  main.append(el("p", { class: "soft" }, t("loading")));
  try {
    lists ??= await Promise.all(["methods", "plans", "questions"].map((what) => look(what)));
  } catch (why) {
    main.replaceChildren(refusal(why));
    return;
  }
  draw(main);
}

function draw(main) {
  const form = el("div", { class: "form" });
  const forecast = el("section", { class: "forecast", "aria-label": t("forecast"), "aria-live": "polite" });
  const changed = () => foresee(forecast);
  form.append(targets(main), kinds(main), what(main, changed), scale(changed, main), settings(changed));
  main.replaceChildren(el("div", { class: "two" }, form, forecast));
  changed();
}

function targets(main) {
  const one = ({ target, title }) => el("li", {}, title, target === title ? "" : el("span", { class: "soft mono" }, ` ${target}`),
    button("×", () => {
      chosen.toggle(target, title);
      draw(main);
    }, { class: "plain", "aria-label": t("take-away", { what: title }) }));
  return el("section", {}, el("h2", {}, t("targets")),
    chosen.all.length > 0 ? el("ul", { class: "chips" }, chosen.all.map(one)) : el("p", { class: "empty" }, t("no-targets"), " "),
    el("p", {}, el("a", { href: "#drives" }, t("choose-drives"))));
}

function radios(legend, name, values, current, onchange) {
  const one = ([value, text, hint]) => el("label", { class: "radio" },
    el("input", { type: "radio", name, value, checked: value === current, onchange: () => onchange(value) }), text,
    hint && el("span", { class: "soft" }, ` ${hint}`));
  return el("fieldset", {}, el("legend", {}, legend), values.map(one));
}

function kinds(main) {
  const values = [["method", t("a-method")], ["plan", t("a-plan")], ["question", t("a-question")], ["review", t("a-review")]];
  return radios(t("what"), "kind", values, asked.kind, (kind) => {
    asked.kind = kind;
    draw(main);
    main.querySelector(`input[value="${kind}"]`).focus();
  });
}

const GROUPS = { program: "group-program", surface: "group-surface", response: "group-response", inside: "group-inside", work: "group-work", standard: "group-standard" };

function what(main, changed) {
  const [{ methods }, { plans }, { questions }] = lists;
  if (asked.kind === "review") return el("p", { class: "lead" }, t("review-hint"));
  const set = (key) => (event) => {
    asked[key] = event.target.value;
    asked.set = {};
    draw(main);
    main.querySelector("#what").focus();
  };
  const select = (key, options) => {
    const control = el("select", { id: "what", onchange: set(key) }, options);
    control.value = asked[key];
    return control;
  };
  const label = (text, control, ...more) => el("div", {}, el("label", { for: "what" }, text), control, more);
  if (asked.kind === "plan") {
    const plan = plans.find((one) => one.name === asked.plan);
    return label(t("a-plan"), select("plan", plans.map((one) => el("option", { value: one.name }, one.title))),
      el("p", { class: "soft" }, plan?.methods.join(", ")));
  }
  if (asked.kind === "question") {
    const question = questions.find((one) => one.id === asked.question);
    const { least_drives: least, most_drives: most } = question;
    return label(t("a-question"), select("question", questions.map((one) => el("option", { value: one.id }, one.asks))),
      el("p", { class: "soft" }, least === most ? t("takes-drives", { n: least }) : t("takes-drives-from", { n: least })));
  }
  const groups = Object.entries(GROUPS).map(([group, key]) => el("optgroup", { label: t(key) },
    methods.filter((one) => one.group === group).map((one) => el("option", { value: one.id }, `${inOwn(one, "title")} – ${inOwn(one, "short")}`))));
  const method = methods.find((one) => one.id === asked.method);
  return label(t("a-method"), select("method", groups), el("p", { class: "soft" }, inOwn(method, "summary")));
}

const inOwn = (method, text) => (lang === "ja" && method[`${text}_ja`]) || method[text];

function scale(changed, main) {
  const values = [["quick", t("scale-quick"), t("scale-quick-hint")], ["default", t("scale-default"), t("scale-default-hint")], ["full", t("scale-full"), t("scale-full-hint")]];
  return radios(t("scale"), "scale", values, asked.scale, (value) => {
    asked.scale = value;
    for (const [key, input] of main.querySelectorAll("[data-setting]").entries()) showDefault(input, key);
    changed();
  });
}

function showDefault(input) {
  const value = input.dataset[asked.scale];
  if (input.tagName === "SELECT") input.options[0].textContent = t("as-scale", { value });
  else input.placeholder = value;
}

function settings(changed) {
  if (asked.kind !== "method") return "";
  const method = lists[0].methods.find((one) => one.id === asked.method);
  const repeat = el("input", { id: "repeat", type: "text", autocomplete: "off", placeholder: "1", "aria-describedby": "repeat-takes", oninput: () => {
    asked.repeat = repeat.value;
    changed();
  } });
  repeat.value = asked.repeat;
  return el("details", { class: "settings", open: Object.keys(asked.set).length > 0 },
    el("summary", {}, t("settings", { n: method.settings.length })),
    el("div", { class: "setting" }, el("label", { for: "repeat" }, t("repeat")), repeat, el("p", { id: "repeat-takes", class: "soft" }, t("repeat-hint"))),
    method.settings.map((one) => setting(one, changed)));
}

function setting(one, changed) {
  const id = `set-${one.key}`;
  const words = /^one of (.+)$/.exec(one.takes)?.[1].split(", ");
  const onchange = () => {
    const value = control.value.trim();
    if (value) asked.set[one.key] = value;
    else delete asked.set[one.key];
    changed();
  };
  const shared = { id, "data-setting": one.key, "data-quick": one.quick, "data-default": one.default, "data-full": one.full, "aria-describedby": `${id}-takes`, oninput: onchange };
  const control = words
    ? el("select", shared, el("option", { value: "" }, ""), words.map((word) => el("option", { value: word }, word)))
    : el("input", { ...shared, type: "text", autocomplete: "off", spellcheck: "false" });
  showDefault(control);
  control.value = asked.set[one.key] ?? "";
  return el("div", { class: "setting" }, el("label", { for: id }, el("code", {}, one.key)), control,
    el("p", { id: `${id}-takes`, class: "soft" }, `${one.help}; ${one.takes}`));
}

function request() {
  const targets = chosen.all.map((one) => one.target);
  switch (asked.kind) {
    case "plan": return { run: { what: asked.plan, targets, scale: asked.scale } };
    case "question": return { ask: { question: asked.question, targets, scale: asked.scale } };
    case "review": return { review: { target: targets[0] ?? ".", beside: targets.slice(1), scale: asked.scale } };
    default: {
      const run = { what: asked.method, targets, set: asked.set, scale: asked.scale };
      if (asked.repeat.trim()) run.repeat = asked.repeat.trim();
      return { run };
    }
  }
}

/// After a pause in typing; an answer that has been overtaken is not shown.
function foresee(box) {
  clearTimeout(waiting);
  const own = ++turn;
  sessionStorage.setItem("asked", JSON.stringify(asked));
  box.setAttribute("aria-busy", "true");
  if (!box.hasChildNodes()) box.append(el("h2", {}, t("forecast")), el("p", { class: "soft" }, t("loading")));
  waiting = setTimeout(async () => {
    if (chosen.all.length === 0) {
      if (own === turn) box.replaceChildren(el("h2", {}, t("forecast")), el("p", { class: "empty" }, t("forecast-needs-target")));
      return;
    }
    const wanted = request();
    try {
      const { dry_run: said, typed } = await post("/api/forecast", wanted);
      if (own === turn) showForecast(box, said, typed, wanted);
    } catch (why) {
      if (own === turn) fill(box, el("h2", {}, t("forecast")), refusal(why), inTerminal(why.message, why.typed));
    }
    box.removeAttribute("aria-busy");
  }, 300);
}

function showForecast(box, said, typed, wanted) {
  const { forecast } = said;
  const sum = (key, real) => forecast.targets.filter((one) => one.real === real).reduce((all, one) => all + one[key], 0);
  const isReal = forecast.targets.some((one) => one.real);
  const file = Math.max(0, ...forecast.targets.filter((one) => one.real).map((one) => one.test_file ?? 0));
  const facts = [];
  if (isReal) {
    facts.push([forecast.estimated ? t("takes-about") : t("takes-at-most"), duration(forecast.real_hours * 3600)],
      [t("writes"), bytes(sum("written", true))], [t("reads"), bytes(sum("read", true))]);
    if (file > 0) facts.push([t("test-file"), bytes(file)]);
  }
  if (forecast.targets.some((one) => !one.real)) facts.push([t("simulation-takes"), duration(Math.max(1, forecast.simulated_seconds))]);
  const begin = button(t("start"), () => start(begin, wanted, box), { class: "main", disabled: Boolean(said.refused) });
  fill(box, el("h2", {}, t("forecast")),
    el("dl", { class: "facts large" }, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    said.refused && refusal(said.refused), said.refused && inTerminal(said.refused, typed), begin,
    el("details", {}, el("summary", {}, t("in-detail")), el("pre", {}, said.lines.join("\n"))));
}

/// Consent to overwrite stays in a terminal: the page says what to type there.
function inTerminal(refused, typed) {
  if (!refused.includes("--destroy-data") || !typed) return "";
  const token = /--confirm with .*?(\S+)$/m.exec(refused)?.[1] ?? "…";
  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  const apart = typed.indexOf("--");
  const options = [...typed.slice(0, apart), "--destroy-data", `--confirm=${token}`, ...typed.slice(apart + 1)];
  return [el("p", {}, t("in-terminal")), el("pre", { class: "command" }, ["drivelab", ...options].map(quoted).join(" "))];
}

async function start(begin, wanted, box) {
  begin.disabled = true;
  try {
    const { id } = await post("/api/runs", wanted);
    announce(t("started"));
    location.hash = `watch/${id}`;
  } catch (why) {
    begin.disabled = false;
    box.append(refusal(why));
  }
}
