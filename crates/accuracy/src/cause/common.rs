//! Mechanisms that both drives have, switched off in both.
//!
//! What is the same in two drives has no share in their difference, and may cost both of them more than the difference. And
//! the state before a run or the place of a partition do nothing by themselves: they act through a mechanism of the drive, and
//! without it their difference is gone.

use results::cause::CommonMechanism;
use targets::check_models;

use super::CauseError;
use super::groups::{mechanism, path_of};
use super::pair::{Pair, Side};
use super::runs::Figures;

/// Sections that a drive can be without, and that people ask for.
const OPTIONAL: [&str; 9] = [
    "map_cache",
    "sub_unit",
    "slc",
    "read_ahead",
    "thermal",
    "retention",
    "cold_start",
    "write_cache",
    "shingled",
];

/// What both figures must change by to be told, as a share.
const ALIKE: f64 = 0.1;
/// The difference acts through a mechanism without which less than this share of it is left.
const THROUGH: f64 = 0.5;

/// The mechanisms without which both figures are others, or the difference is gone.
pub(super) fn common(
    pair: &Pair,
    figures: &mut Figures<'_>,
    [a, b]: [f64; 2],
) -> Result<Vec<CommonMechanism>, CauseError> {
    let sections = OPTIONAL.iter().filter_map(|section| {
        let key = path_of(&pair.a.sheet, section);
        let without = [&pair.a, &pair.b].map(|side| without(side, section));
        let [Some(a), Some(b)] = without else {
            return None;
        };
        Some((key, [a, b]))
    });
    let sections: Vec<(String, [String; 2])> = sections.collect();
    let seed = figures.seed();
    let targets = sections.iter().flat_map(|(_, targets)| targets.clone());
    figures.find(targets.map(|target| (target, seed)))?;
    let mut found = Vec::new();
    for (key, [of_a, of_b]) in sections {
        let (Ok(without_a), Ok(without_b)) = (figures.of(&of_a), figures.of(&of_b)) else {
            continue;
        };
        let left = (without_b - without_a) / (b - a);
        let changes = [(without_a - a) / a.abs(), (without_b - b) / b.abs()];
        let alike = changes.iter().all(|change| *change > ALIKE)
            || changes.iter().all(|change| *change < -ALIKE);
        if alike || left.abs() < THROUGH {
            found.push(CommonMechanism {
                mechanism: mechanism(&key),
                key,
                a: without_a,
                b: without_b,
                of_difference_percent: 100.0 * left,
            });
        }
    }
    Ok(found)
}

/// The drive without a section that it has, where it can be without.
fn without(side: &Side, section: &str) -> Option<String> {
    let has = side
        .sheet
        .sections
        .iter()
        .any(|known| known.name == section);
    let key = path_of(&side.sheet, section);
    let mut side = side.clone();
    side.options.retain(|(known, _)| *known != key);
    side.options.push((key, "off".to_owned()));
    let target = side.target();
    (has && check_models(&target, 0).is_ok()).then_some(target)
}
