//! The format of a case: steps in order, and their postconditions.
//!
//! A step is a command (a string: it must end with 0), or a table with what else is expected of it, or something that
//! is done to the machine from outside. `each` makes one case of every value: `{method}` in any text is replaced.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::fleet::Fleet;

/// One case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// What is tried, as a sentence.
    pub(crate) holds: String,
    /// Values that make a case each.
    #[serde(default)]
    pub(crate) each: BTreeMap<String, Values>,
    /// What the guest must have, as `guest-needs` takes it: `module:f2fs`, `program:mkfs.f2fs`. Else the case is skipped.
    #[serde(default)]
    pub(crate) needs: Vec<String>,
    /// What the program has to learn before this can hold: until then the case is skipped with this reason where it does
    /// not hold.
    pub(crate) waits_for: Option<String>,
    /// Drives on which no byte may differ afterwards.
    #[serde(default)]
    pub(crate) unchanged: Vec<String>,
    pub(crate) steps: Vec<Step>,
    /// Commands that put things back; how they end does not matter.
    #[serde(default)]
    pub(crate) after: Vec<String>,
}

/// Values of `each`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Values {
    /// Those of the fleet's list of that name.
    Listed(String),
    Here(Vec<String>),
}

/// One step.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Step {
    /// A command that must end with 0.
    Plain(String),
    /// Everything else.
    Full(Box<FullStep>),
}

/// A step with its details: exactly one of the first group defines the action.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FullStep {
    /// A command.
    pub(crate) run: Option<String>,
    /// A command that continues in the background, under the name of `job`.
    pub(crate) start: Option<String>,
    /// Waits for the job of this name.
    pub(crate) finish: Option<String>,
    /// A command that may write, with `$DRIVE` in it: run on all of `on` in parallel, it must not change any byte
    /// outside the ranges of its own `--dry-run`. A method whose card requires flash must be refused on a hard disk.
    pub(crate) stated: Option<String>,
    /// `unplug ID`, `plug ID`, `resize ID MIB`, `limit ID BYTES_PER_SECOND`, `pause SECONDS`, `reset`, `kill`, `boot`,
    /// `boot WIRING`.
    pub(crate) machine: Option<String>,
    /// A stored number.
    pub(crate) value: Option<String>,
    /// A stick's machine: what is typed on its serial line.
    pub(crate) types: Option<String>,
    /// A stick's machine: what its screen has to show since something was typed, within `limit_s`.
    pub(crate) screen: Option<String>,

    /// The name of a background command.
    pub(crate) job: String,
    /// The drives of `stated`.
    pub(crate) on: Vec<String>,
    /// How the command must end.
    pub(crate) exit: i32,
    /// What the output must hold.
    pub(crate) says: Vec<String>,
    /// What it must not hold.
    pub(crate) never: Vec<String>,
    /// Numbers stored from JSON output, name by path: `/figures[key=seq.read]/value`.
    pub(crate) keep: BTreeMap<String, String>,
    /// `value`: another stored number that it must be near to.
    pub(crate) like: Option<String>,
    /// `like`: how far it may be away, as a share of the other.
    pub(crate) within: f64,
    /// `value`: the lowest and highest that will do.
    pub(crate) between: Option<[f64; 2]>,
    /// `stated`: that nothing needs to be changed inside the ranges, either.
    pub(crate) may_write_nothing: bool,
    /// `stated`: what a run says that has a reason to change nothing.
    pub(crate) writes_nothing_saying: Option<String>,
    /// Drives on which this step must change no byte.
    pub(crate) unchanged: Vec<String>,
    /// Bytes of drives, start and end, outside of which this step must not change any.
    pub(crate) may_change: BTreeMap<String, Vec<[u64; 2]>>,
    /// Seconds after which it counts as hung.
    pub(crate) limit_s: Option<u64>,
}

impl Case {
    /// Refuses what could never be tried.
    pub(crate) fn check(&self, fleet: &Fleet) -> Result<()> {
        for id in &self.unchanged {
            fleet.drive(id)?;
        }
        for step in &self.steps {
            let Step::Full(step) = step else { continue };
            let deeds = [
                &step.run,
                &step.start,
                &step.finish,
                &step.stated,
                &step.machine,
                &step.value,
                &step.types,
                &step.screen,
            ];
            if deeds.iter().filter(|deed| deed.is_some()).count() != 1 {
                bail!(
                    "case {}: a step has exactly one of run, start, finish, stated, machine, value, types, screen",
                    self.name
                );
            }
            for id in step.on.iter().chain(step.watched()) {
                fleet.drive(id)?;
                if self.unchanged.contains(id) {
                    bail!(
                        "case {}: {id} is unchanged over the case, and looked at in a step, too",
                        self.name
                    );
                }
            }
        }
        Ok(())
    }

    /// One case for each value of `each`, or for each combination of several.
    pub(crate) fn expand(&self, lists: &BTreeMap<String, Vec<String>>) -> Result<Vec<Case>> {
        let mut case = self.clone();
        for (name, values) in lists {
            case.put_everywhere(name, &values.join(" "));
        }
        let mut cases = vec![case];
        for (name, values) in &self.each {
            let values = match values {
                Values::Here(values) => values,
                Values::Listed(list) => lists
                    .get(list)
                    .with_context(|| format!("case {}: no list {list}", self.name))?,
            };
            cases = cases
                .iter()
                .flat_map(|case| values.iter().map(|value| case.with(name, value)))
                .collect();
        }
        Ok(cases)
    }

    fn with(&self, name: &str, value: &str) -> Case {
        let mut case = self.clone();
        case.each.clear();
        if !case.name.contains(&format!("{{{name}}}")) {
            // What follows the first word is particulars.
            let word = value.split_whitespace().next().unwrap_or(value);
            case.name = format!("{} {word}", case.name);
        }
        case.put_everywhere(name, value);
        case
    }

    /// Replaces `{name}` throughout the case.
    fn put_everywhere(&mut self, name: &str, value: &str) {
        let marker = format!("{{{name}}}");
        let put = |text: &String| text.replace(&marker, value);
        self.name = put(&self.name);
        self.holds = put(&self.holds);
        self.unchanged = self.unchanged.iter().map(put).collect();
        self.needs = self.needs.iter().map(put).collect();
        self.after = self.after.iter().map(put).collect();
        for step in &mut self.steps {
            match step {
                Step::Plain(command) => *command = put(command),
                Step::Full(step) => step.put(&put),
            }
        }
    }
}

impl FullStep {
    /// The drives that are compared before and after.
    pub(crate) fn watched(&self) -> impl Iterator<Item = &String> {
        self.unchanged.iter().chain(self.may_change.keys())
    }

    fn put(&mut self, put: &impl Fn(&String) -> String) {
        for text in [
            &mut self.run,
            &mut self.start,
            &mut self.stated,
            &mut self.machine,
        ] {
            *text = text.as_ref().map(put);
        }
        for list in [
            &mut self.on,
            &mut self.says,
            &mut self.never,
            &mut self.unchanged,
        ] {
            *list = list.iter().map(put).collect();
        }
        self.may_change = std::mem::take(&mut self.may_change)
            .into_iter()
            .map(|(id, ranges)| (put(&id), ranges))
            .collect();
        for path in self.keep.values_mut() {
            *path = put(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_makes_a_case_of_every_combination() {
        let case: Case = toml::from_str(
            r#"
            name = "reads {bus}"
            holds = "{method} on {bus}"
            each = { bus = ["n1", "s1"], method = ["a", "b"] }
            unchanged = ["{bus}"]
            steps = ["run {method} ${bus}", { run = "x", says = ["{method}"] }]
            "#,
        )
        .unwrap();
        let cases = case.expand(&BTreeMap::new()).unwrap();
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(
            names,
            ["reads n1 a", "reads n1 b", "reads s1 a", "reads s1 b"]
        );
        assert_eq!(cases[3].holds, "b on s1");
        assert_eq!(cases[3].unchanged, ["s1"]);
        assert!(matches!(&cases[3].steps[0], Step::Plain(run) if run == "run b $s1"));
        assert!(matches!(&cases[3].steps[1], Step::Full(step) if step.says == ["b"]));
    }
}
