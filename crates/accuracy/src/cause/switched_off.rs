//! Mechanisms that both drives have, switched off in both.
//!
//! What is the same in two drives has no share in their difference, and may cost both of them more than the difference. And
//! the state before a run or the place of a partition do nothing by themselves: they act through a mechanism of the drive, and
//! without it their difference is gone.

use results::cause::CommonMechanism;
use targets::check_models;

use super::CauseError;
use super::groups::{mechanism, path_of};
use super::pair::Pair;
use super::runs::Figures;
use super::side::Side;

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
pub(super) fn in_both(
    pair: &Pair,
    figures: &mut Figures<'_>,
    values: [f64; 2],
) -> Result<Vec<CommonMechanism>, CauseError> {
    let mut found = Vec::new();
    let mut targets = Vec::new();
    for section in OPTIONAL {
        let key = path_of(&pair.a.sheet, section);
        match [&pair.a, &pair.b].map(|side| without(side, section)) {
            [Some(Ok(a)), Some(Ok(b))] => targets.push((key, [a, b])),
            // What one of both has been through needs the mechanism.
            [Some(Ok(_)), Some(Err(()))] | [Some(Err(())), Some(Ok(_))] => {
                found.push(CommonMechanism {
                    mechanism: mechanism(&key),
                    key,
                    a: None,
                    b: None,
                    of_difference_percent: None,
                });
            }
            _ => {}
        }
    }
    let seed = figures.seed();
    let runs = targets.iter().flat_map(|(_, targets)| targets.clone());
    figures.find(runs.map(|target| (target, seed)))?;
    for (key, [a, b]) in targets {
        if let (Ok(a), Ok(b)) = (figures.of(&a), figures.of(&b)) {
            found.extend(telling(key, values, [a, b]));
        }
    }
    Ok(found)
}

/// What the figures without a mechanism say of it, if anything.
fn telling(key: String, [a, b]: [f64; 2], without: [f64; 2]) -> Option<CommonMechanism> {
    let left = (without[1] - without[0]) / (b - a);
    let changes = [(without[0] - a) / a.abs(), (without[1] - b) / b.abs()];
    let alike = changes.iter().all(|change| *change > ALIKE)
        || changes.iter().all(|change| *change < -ALIKE);
    (alike || left.abs() < THROUGH).then(|| CommonMechanism {
        mechanism: mechanism(&key),
        key,
        a: Some(without[0]),
        b: Some(without[1]),
        of_difference_percent: Some(100.0 * left),
    })
}

/// The target without a section; `None` if the drive lacks it as it is, an error if it cannot be without.
fn without(side: &Side, section: &str) -> Option<Result<String, ()>> {
    let mut sections = side.sheet.sections.iter();
    sections.find(|known| known.name == section)?;
    let key = path_of(&side.sheet, section);
    let mut side = side.clone();
    side.options.retain(|(known, _)| *known != key);
    side.options.push((key, "off".to_owned()));
    let target = side.target();
    let checked = check_models(&target, 0);
    Some(checked.map(|()| target).map_err(|_| ()))
}
