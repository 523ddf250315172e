//! What the lab adds to a method's output: the conditions under which figures may be compared, and what
//! spoils or limits a result.

use base::{Message, MethodOutput, PhaseRecord};
use results::RunResult;

use super::failures;
use crate::inputs;
use targets::Drive;

/// Puts the method's output into the result, with the conditions that only the lab knows: scale and settings, or what
/// has to be identical instead of them.
pub(super) fn take(result: &mut RunResult, output: MethodOutput, alike: Option<&str>) {
    result.figures = output.figures;
    // What the drive said of its temperature comes after what the method drew.
    let of_health = std::mem::replace(&mut result.charts, output.charts);
    result.charts.extend(of_health);
    result.figures.extend(failures::figures(&result.phases));
    result.notes.extend(output.notes);
    result.warnings.extend(output.warnings);
    let scale = alike.map_or_else(|| scale_and_settings(result), str::to_owned);
    for figure in &mut result.figures {
        figure.comparable_by.state = result.target.state.clone();
        figure.comparable_by.scale = scale.clone();
    }
}

/// The scale, and each setting that was changed.
fn scale_and_settings(result: &RunResult) -> String {
    let mut scale = result.scale.name().to_owned();
    for key in &result.settings.given {
        let value = match result.settings.input(key) {
            Some(input) => inputs::in_conditions(input),
            None => result.settings.text(key).to_owned(),
        };
        scale.push_str(&format!(", {key}={value}"));
    }
    scale
}

/// What spoils or limits a result.
pub(super) fn warn(
    result: &mut RunResult,
    drive: &Drive,
    shares_drive: bool,
    run: Option<&store::Run>,
) {
    let warnings = &mut result.warnings;
    if shares_drive {
        warnings.push(Message::of("warning-store-on-drive"));
    }
    let sum = |of: fn(&PhaseRecord) -> u64| result.phases.iter().map(of).sum::<u64>();
    let differing = sum(PhaseRecord::differing_reads);
    warnings.extend(failures::told(&result.phases));
    if differing > 0 {
        let reads = ("reads", differing.into());
        warnings.push(Message::new("warning-data-not-found", [reads]));
    }
    if matches!(drive, Drive::Real(real) if real.is_buffered()) {
        warnings.push(Message::of("warning-buffered"));
    }
    if let Some(trouble) = run.and_then(store::Run::progress_trouble) {
        warnings.push(trouble);
    }
}
