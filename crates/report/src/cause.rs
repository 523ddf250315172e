//! What makes the difference between two drives in a figure: a conclusion in sentences, and a small table.

use base::result::Better;
use results::cause::{
    Cause, CauseChange, CauseGroup, CauseSide, CauseVerdict, CommonMechanism, DriveMechanism,
};

use crate::lang::{Lang, Texts};
use crate::number;
use crate::text_table::{TextCell, TextTable, hanging};

pub mod plan;

/// A share beyond this, in per cent, is all of it.
const ALL_PERCENT: f64 = 95.0;
/// An interaction below this share of the difference is not told.
const INTERACTION: f64 = 0.1;
/// Of the changes of a group, so many are listed.
const CHANGES: usize = 4;
/// Headlines that are whole sections, told by their first value.
const SECTIONS: [&str; 2] = ["ssd.map_cache", "ssd.slc"];
/// Of the mechanisms of a group, so many are named.
const NAMES: usize = 3;
/// Of the options that a target is told by, so many are.
const OPTIONS: usize = 2;
/// The one value that a group is known by, where it has one.
const HEADLINES: [&str; 15] = [
    "ssd.nand.dies",
    "ssd.nand.channels",
    "ssd.map_cache.memory_mib",
    "ssd.map_cache",
    "ssd.slc.size_gb",
    "ssd.slc",
    "ssd.buffer.size_mib",
    "ssd.nand.read_us",
    "ssd.nand.program_us",
    "drive.capacity_bytes",
    "drive.interface",
    "hdd.media.rpm",
    "state",
    "partition_offset",
    "drive",
];

/// The conclusion and the table, for a terminal `columns` wide.
pub fn text(cause: &Cause, columns: usize, lang: Lang) -> String {
    let telling = Telling {
        cause,
        texts: Texts::new(lang),
    };
    let mut out = String::new();
    out.push_str(&hanging("", &telling.conclusion(), columns));
    if !cause.groups.is_empty() {
        out.push('\n');
        out.push_str(&telling.table().render(columns, false));
        out.push('\n');
        for group in &cause.groups {
            out.push_str(&hanging("", &telling.changes(group), columns));
        }
    }
    for line in telling.notes() {
        out.push_str(&hanging("", &line, columns));
    }
    out
}

struct Telling<'a> {
    cause: &'a Cause,
    texts: Texts,
}

impl Telling<'_> {
    /// All sentences, in one paragraph.
    fn conclusion(&self) -> String {
        let mut said = Vec::new();
        match self.cause.verdict {
            CauseVerdict::ModelsMiss => said.extend(self.misses()),
            CauseVerdict::NoDifference => said.push(self.no_difference()),
            CauseVerdict::Unexplained => {
                said.push(self.ahead());
                said.push(self.unexplained());
            }
            CauseVerdict::Explained => {
                said.push(self.ahead());
                said.extend(self.shares());
                said.extend(self.together());
                said.extend(self.cause.common.iter().filter_map(|one| self.common(one)));
                said.extend(self.no_part());
            }
        }
        let said: Vec<String> = said.iter().map(|one| begun(one)).collect();
        said.join(&self.texts.say("sentence-separator"))
    }

    /// The one that is ahead first; of a figure that is neither good nor bad, the higher one.
    fn sides(&self) -> [&CauseSide; 2] {
        let (a, b) = (&self.cause.a, &self.cause.b);
        let b_is_first = match self.cause.figure.better {
            Better::Lower => b.value < a.value,
            Better::Higher | Better::None => b.value > a.value,
        };
        if b_is_first { [b, a] } else { [a, b] }
    }

    fn b_is_first(&self) -> bool {
        std::ptr::eq(self.sides()[0], &self.cause.b)
    }

    fn value(&self, value: f64) -> String {
        let unit = &self.cause.figure.unit;
        let number = number::value(value, unit);
        match unit.as_str() {
            "" | "ratio" => number,
            unit => format!("{number} {}", self.texts.unit(unit)),
        }
    }

    fn figure(&self) -> String {
        let Cause {
            method,
            method_title,
            figure,
            ..
        } = self.cause;
        let title = self.texts.find(&format!("method-{method}"), &[]);
        let title = title.unwrap_or_else(|| method_title.clone());
        let figure = self.texts.figure(&figure.key);
        let places = [("figure", &*figure), ("method", &title)];
        match figure == title {
            true => title,
            false => self.texts.with("cause-figure", &places),
        }
    }

    /// A drive's name; of one drive twice, with what its target says more.
    fn title(&self, side: &CauseSide) -> String {
        let Cause { a, b, .. } = self.cause;
        if a.title != b.title {
            return side.title.clone();
        }
        let other = if std::ptr::eq(side, a) { b } else { a };
        let others: Vec<&str> = options(&other.target).collect();
        let key = |option: &str| option.split('=').next().map(str::to_owned);
        let own = options(&side.target).filter(|one| !others.contains(one));
        let own = own.map(|one| {
            let same = others.iter().find(|other| key(other) == key(one));
            same.map_or_else(|| one.to_owned(), |other| apart(one, other))
        });
        let own: Vec<String> = own.collect();
        match own.is_empty() {
            true => self.texts.with("cause-plain", &[("title", &side.title)]),
            false => format!("{} ({})", side.title, self.few(own, OPTIONS)),
        }
    }

    fn ahead(&self) -> String {
        let [first, second] = self.sides();
        let key = match self.cause.figure.better {
            Better::None => "cause-higher",
            Better::Higher | Better::Lower => "cause-ahead",
        };
        self.texts.with(
            key,
            &[
                ("first", &self.title(first)),
                ("second", &self.title(second)),
                ("figure", &self.figure()),
                ("more", &self.value(first.value)),
                ("less", &self.value(second.value)),
            ],
        )
    }

    fn no_difference(&self) -> String {
        let Cause { a, b, noise, .. } = self.cause;
        self.texts.with(
            "cause-no-difference",
            &[
                ("figure", &self.figure()),
                ("a-title", &self.title(a)),
                ("a", &self.value(a.value)),
                ("b-title", &self.title(b)),
                ("b", &self.value(b.value)),
                ("noise", &self.value(*noise)),
            ],
        )
    }

    fn misses(&self) -> Vec<String> {
        let mut said = vec![
            self.texts
                .with("cause-models-miss", &[("figure", &self.figure())]),
        ];
        for side in [&self.cause.a, &self.cause.b] {
            if let (Some(measured), Some(off)) = (side.measured, side.off_percent) {
                let places = [
                    ("title", &*self.title(side)),
                    ("measured", &self.value(measured)),
                    ("model", &self.value(side.value)),
                    ("percent", &format!("{off:+.0} %")),
                ];
                said.push(self.texts.with("cause-miss", &places));
            }
        }
        said
    }

    fn unexplained(&self) -> String {
        let difference = self.cause.b.value - self.cause.a.value;
        let rest = self.cause.rest.unwrap_or(difference) / difference;
        let percent = self.percent(100.0 * rest);
        self.texts
            .with("cause-unexplained", &[("percent", &percent)])
    }

    fn percent(&self, percent: f64) -> String {
        // No "-0 %".
        format!("{:.0} %", percent.round() + 0.0)
    }

    /// Groups that take part in the difference, and those that act against it.
    fn shares(&self) -> Vec<String> {
        let all = self.cause.groups.iter().filter(|group| group.matters);
        let (with, against): (Vec<&CauseGroup>, Vec<&CauseGroup>) =
            all.partition(|group| group.share_percent > 0.0);
        let with: Vec<&CauseGroup> = told_in_words(with);
        let against: Vec<&CauseGroup> = told_in_words(against);
        let list = |groups: &[&CauseGroup]| {
            let each = groups.iter().map(|group| {
                let percent = self.percent(group.share_percent.abs());
                let places = [("part", &*self.part(group)), ("percent", &percent)];
                self.texts.with("cause-share", &places)
            });
            self.texts.list(&each.collect::<Vec<_>>())
        };
        let mut said = Vec::new();
        match with.as_slice() {
            [one] if one.share_percent >= ALL_PERCENT && against.is_empty() => {
                said.push(self.texts.with("cause-all", &[("part", &self.part(one))]));
            }
            [] => {}
            several => {
                said.push(
                    self.texts
                        .with("cause-several", &[("parts", &list(several))]),
                );
            }
        }
        if !against.is_empty() {
            said.push(
                self.texts
                    .with("cause-against", &[("parts", &list(&against))]),
            );
        }
        said
    }

    /// What the strongest pair does together.
    fn together(&self) -> Option<String> {
        let found = self.cause.interaction.as_ref()?;
        let share = found.value / (self.cause.b.value - self.cause.a.value);
        if share.abs() < INTERACTION {
            return None;
        }
        let group = |at: usize| self.cause.groups.get(at);
        let (first, second) = (group(found.first)?, group(found.second)?);
        let key = match share {
            all if 100.0 * all >= ALL_PERCENT => "cause-need-all",
            some if some > 0.0 => "cause-need",
            _ => "cause-stand-in",
        };
        let places = [
            ("first", &*self.name(&first.mechanisms)),
            ("second", &self.name(&second.mechanisms)),
            ("percent", &self.percent(100.0 * share.abs())),
        ];
        Some(self.texts.with(key, &places))
    }

    /// What both have, and what the difference acts through.
    fn common(&self, common: &CommonMechanism) -> Option<String> {
        let part = self.name(&[common.mechanism]);
        let Cause { a, b, figure, .. } = self.cause;
        let left = common.of_difference_percent;
        let (Some(without_a), Some(without_b), Some(left)) = (common.a, common.b, left) else {
            return Some(self.texts.with("cause-through-alone", &[("part", &part)]));
        };
        if left.abs() < 50.0 {
            // A part that differs itself has a share already.
            let mut groups = self.cause.groups.iter();
            let has_a_share = groups.any(|group| group.mechanisms.contains(&common.mechanism));
            let percent = self.percent(left);
            let places = [("part", &*part), ("percent", &percent)];
            return (!has_a_share).then(|| self.texts.with("cause-through", &places));
        }
        let is_more = without_a > a.value;
        let key = match (figure.better, is_more) {
            (Better::Higher, true) | (Better::Lower, false) => "cause-costs-both",
            (Better::Higher, false) | (Better::Lower, true) => "cause-helps-both",
            (Better::None, _) => "cause-changes-both",
        };
        let places = [
            ("part", &*part),
            ("a-title", &self.title(a)),
            ("a", &self.value(without_a)),
            ("b-title", &self.title(b)),
            ("b", &self.value(without_b)),
        ];
        Some(self.texts.with(key, &places))
    }

    fn no_part(&self) -> Option<String> {
        let idle = self.cause.groups.iter().filter(|group| !group.matters);
        let names: Vec<String> = idle.map(|group| self.name(&group.mechanisms)).collect();
        let parts = self.texts.list(&names);
        (!names.is_empty()).then(|| self.texts.with("cause-no-part", &[("parts", &parts)]))
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for one in &self.cause.inseparable {
            let places = [
                ("first", &*self.name(&one.first)),
                ("second", &self.name(&one.second)),
                ("why", &one.why),
            ];
            notes.push(self.texts.with("cause-inseparable", &places));
        }
        if let Some(orders) = self.cause.orders {
            let orders = orders.to_string();
            notes.push(self.texts.with("cause-orders", &[("count", &orders)]));
        }
        notes
    }

    /// A list of no more than so many, and how many more there are.
    fn few(&self, mut all: Vec<String>, most: usize) -> String {
        let more = all.len().saturating_sub(most);
        if more > 0 {
            all.truncate(most);
            let count = more.to_string();
            all.push(self.texts.with("cause-more", &[("count", &count)]));
        }
        self.texts.list(&all)
    }

    /// The names of mechanisms.
    fn name(&self, mechanisms: &[DriveMechanism]) -> String {
        let names = mechanisms.iter().map(|mechanism| {
            let word = crate::json::word(mechanism);
            self.texts.say(&format!("cause-part-{word}"))
        });
        let names: Vec<String> = names.collect();
        if let [_, _] = names.as_slice() {
            return names.join(&self.texts.say("cause-and"));
        }
        self.few(names, NAMES)
    }

    /// A group with the value that it is known by: that of the drive that is ahead first.
    fn part(&self, group: &CauseGroup) -> String {
        let name = self.name(&group.mechanisms);
        // Several mechanisms are not known by one of their values.
        let is_one = match group.mechanisms.as_slice() {
            [DriveMechanism::EverythingElse] => false,
            [DriveMechanism::Design] => group.changes.iter().any(|change| change.key == "drive"),
            mechanisms => mechanisms.len() == 1,
        };
        // Of cells that read and program otherwise, either may be what counts.
        let has = |key: &str| group.changes.iter().any(|change| change.key == key);
        let is_one = is_one && !(has("ssd.nand.read_us") && has("ssd.nand.program_us"));
        let headline = HEADLINES
            .iter()
            .filter(|_| is_one)
            .find_map(|key| group.changes.iter().find(|change| change.key == *key));
        let Some(change) = headline else {
            return name;
        };
        let [a, b] = self.both(change).map(|value| short(&value, &change.key));
        let [a, b] = [apart(&a, &b), apart(&b, &a)];
        let (more, less) = if self.b_is_first() { (b, a) } else { (a, b) };
        let places = [("part", &*name), ("more", &more), ("less", &less)];
        self.texts.with("cause-part-values", &places)
    }

    fn both(&self, change: &CauseChange) -> [String; 2] {
        let value = |value: &Option<String>| match (value, change.key.as_str()) {
            // A drive without this section has all of its map at hand.
            (None, "ssd.map_cache") => self.texts.say("cause-whole-map"),
            (None, _) => self.texts.say("cause-none"),
            (Some(design), "drive") => self.texts.say(&format!("cause-part-of-{design}")),
            (Some(bytes), "drive.capacity_bytes") => match bytes.parse::<f64>() {
                Ok(bytes) if bytes >= 1e12 => format!("{:.2} TB", bytes / 1e12),
                Ok(bytes) => format!("{:.0} GB", bytes / 1e9),
                Err(_) => bytes.clone(),
            },
            (Some(value), _) => value.clone(),
        };
        [value(&change.a), value(&change.b)]
    }

    fn table(&self) -> TextTable {
        let heads = [
            "cause-head-share",
            "cause-head-percent",
            "cause-head-from-a",
            "cause-head-from-b",
        ];
        let heads = heads.map(|key| self.texts.say(key));
        let unit = &self.cause.figure.unit;
        let cell = |text: String| TextCell {
            text,
            ..TextCell::default()
        };
        let number = |value: f64| cell(number::value(value, unit));
        let row = |group: &CauseGroup| {
            let cells = vec![
                number(group.share),
                cell(format!("{:.0}", group.share_percent.round() + 0.0)),
                number(group.alone_from_a),
                number(group.alone_from_b),
            ];
            (self.name(&group.mechanisms), self.texts.unit(unit), cells)
        };
        let mut rows: Vec<_> = self.cause.groups.iter().map(row).collect();
        if let Some(rest) = self.cause.rest {
            let difference = self.cause.b.value - self.cause.a.value;
            let percent = (100.0 * rest / difference).round() + 0.0;
            let cells = vec![
                number(rest),
                cell(format!("{percent:.0}")),
                cell("-".to_owned()),
                cell("-".to_owned()),
            ];
            rows.push((self.texts.say("cause-rest"), self.texts.unit(unit), cells));
        }
        TextTable {
            heads: heads.into(),
            rows,
        }
    }

    /// What differs, in a line.
    fn changes(&self, group: &CauseGroup) -> String {
        let listed = group.changes.iter().map(|change| {
            let [a, b] = self.both(change);
            format!("{} {a} → {b}", change.key)
        });
        let places = [
            ("part", &*self.name(&group.mechanisms)),
            ("changes", &self.few(listed.collect(), CHANGES)),
        ];
        self.texts.with("cause-changes", &places)
    }
}

/// The options of a target.
fn options(target: &str) -> impl Iterator<Item = &str> {
    let options = target.split_once('?').map(|(_, options)| options);
    options.into_iter().flat_map(|options| options.split('&'))
}

/// What a list has that another one has not; all of it, where that is nothing or either list is.
fn apart(list: &str, other: &str) -> String {
    let own = |list: &str, other: &str| {
        let others: Vec<&str> = other.split(',').collect();
        let own = list.split(',').filter(|one| !others.contains(one));
        own.map(str::to_owned).collect::<Vec<_>>()
    };
    let (here, there) = (own(list, other), own(other, list));
    match here.is_empty() || there.is_empty() || here.len() == list.split(',').count() {
        true => list.to_owned(),
        false => here.join(","),
    }
}

/// A value in a sentence: without the name that a section's first value has, and without a unit in words, which is the
/// same on both sides.
fn short(value: &str, key: &str) -> String {
    let words: Vec<&str> = value.split(' ').collect();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    match words.as_slice() {
        [_, number, rest @ ..] if SECTIONS.contains(&key) && is_number(number) => {
            [&[*number], rest].concat().join(" ")
        }
        [number, _, _, ..] if is_number(number) => (*number).to_owned(),
        _ => value.to_owned(),
    }
}

/// A sentence with a capital at its beginning.
fn begun(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Groups whose shares round to something; the others are in the table.
fn told_in_words(groups: Vec<&CauseGroup>) -> Vec<&CauseGroup> {
    let telling = |group: &&CauseGroup| group.share_percent.abs() >= 1.0;
    groups.into_iter().filter(telling).collect()
}
