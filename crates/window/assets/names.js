// Titles of what the command line calls by short names: methods, questions, modelled drives, links.

import { lang, look, words } from "./dom.js";

let asked = null;
/// Methods and questions: what can be run.
const methods = new Map();
const drives = new Map();

/// Loads the titles, once; without them the slugs are shown.
export function titles() {
  asked ??= Promise.all([look("methods"), look("drives"), look("questions")]).then(([told, modelled, questions]) => {
    for (const one of told.methods) methods.set(one.id, (lang === "ja" && one.title_ja) || one.title);
    for (const one of questions.questions) methods.set(one.id, one.asks);
    for (const one of modelled.drives) drives.set(one.slug, words(one.title));
  }).catch(() => (asked = null));
  return asked;
}

export const method = (id) => methods.get(id) ?? id;

/// A modelled drive by its title, with the options that are set: `model:wd-red?state=fresh`.
export function target(name) {
  const [, slug, options] = /^model:([^?]+)(.*)$/.exec(name) ?? [];
  return drives.has(slug) ? `${drives.get(slug)} ${options}`.trim() : name;
}

/// `sata-6` as it is printed on drives: SATA 6 Gb/s.
export function link(name) {
  const [, generation, lanes] = /^pcie(\d)x(\d+)$/.exec(name) ?? [];
  if (lanes) return `PCIe ${generation}.0 x${lanes}`;
  const [, family, rate] = /^(sata|sas|pata)-([\d.]+)$/.exec(name) ?? [];
  return rate ? `${family.toUpperCase()} ${rate}${family === "pata" ? "" : " Gb/s"}` : name;
}
