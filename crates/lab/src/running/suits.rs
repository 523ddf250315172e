//! Whether a method applies to a target, according to its card: decided before anything is run.
//!
//! A hard disk does not collect garbage, has no map cache that could be exceeded and does not wear out by writes; a
//! method about these would print figures that look like findings. A write-only method has nothing to measure on a
//! read-only target. The declarations are on the cards ([`Needs`]), and this is the one place that checks a target
//! against them.

use base::{Card, Forecast, Needs, OnModels, Span};

use super::Request;
use crate::error::LabError;
use targets::ResolvedTarget;

/// Refuses a method that does not apply to the target.
///
/// # Errors
/// The first thing that the target lacks, with the reason.
pub(super) fn check(
    card: &Card,
    request: &Request,
    resolved: &ResolvedTarget,
) -> Result<(), LabError> {
    if card.on_models == OnModels::Only && !resolved.is_a_model() {
        return Err(LabError::ModelsOnly {
            method: request.method.clone(),
            target: request.target.clone(),
        });
    }
    for needs in card.needs {
        match needs {
            Needs::Flash(why) => {
                if let Some(known) = resolved.is_known_as_a_disk() {
                    return Err(LabError::MeansNothing {
                        method: request.method.clone(),
                        target: request.target.clone(),
                        why,
                        known,
                    });
                }
            }
            Needs::Writing if resolved.is_the_users_own() && !request.consent.destroy_data => {
                return Err(resolved.would_destroy(&request.method).into());
            }
            Needs::Writing => {}
            Needs::Zones if resolved.zones().is_none() => {
                return Err(LabError::NotZoned {
                    method: request.method.clone(),
                    target: request.target.clone(),
                });
            }
            Needs::Zones => {}
        }
    }
    Ok(())
}

/// Refuses writes of a method that ignores zones on a drive whose zones must be written sequentially.
///
/// # Errors
/// Where it would write.
pub(super) fn check_zones(
    respects_zones: bool,
    request: &Request,
    resolved: &ResolvedTarget,
    forecast: &Forecast,
) -> Result<(), LabError> {
    match resolved.zones() {
        Some(limits) if !respects_zones && !forecast.written.is_empty() => {
            Err(LabError::ZonesInOrder {
                method: request.method.clone(),
                target: request.target.clone(),
                zones: limits.zones,
            })
        }
        _ => Ok(()),
    }
}

/// What will be written of a zoned drive is whole zones, since they are reset.
pub(super) fn to_whole_zones(resolved: &ResolvedTarget, forecast: &mut Forecast) {
    let Some(zone) = resolved.zones().map(|limits| limits.zone_length) else {
        return;
    };
    let capacity = resolved.provisional.capacity;
    for span in &mut forecast.written {
        let (start, end) = (span.start.round_down(zone), span.end().round_up(zone));
        *span = Span::new(start, end.min(capacity).saturating_sub(start));
    }
}

#[cfg(test)]
mod tests {
    use base::method::Scale;

    use super::*;
    use crate::running::prepare;

    fn refused(method: &str, target: &str) -> Option<String> {
        let set: &[&str] = match method {
            "replay" => &["until=100ms"],
            _ => &[],
        };
        refused_with(method, target, set)
    }

    fn refused_with(method: &str, target: &str, set: &[&str]) -> Option<String> {
        let request = Request {
            set: set.iter().map(|pair| (*pair).to_owned()).collect(),
            ..Request::new(method, target, Scale::Quick, 1)
        };
        prepare(request).err().map(|error| {
            assert_eq!(error.exit(), base::exit::Exit::Invalid, "{method}: {error}");
            error.to_string()
        })
    }

    #[test]
    fn what_asks_for_flash_is_refused_on_a_disk_and_under_layers_and_on_nothing_else() {
        for method in methods::METHODS {
            let card = method.card();
            let flash = card.needs.iter().any(|n| matches!(n, Needs::Flash(_)));
            for disk in [
                "model:wd-red-wd30efrx-3tb",
                "fault(model:wd-red-wd30efrx-3tb)?errors=1",
            ] {
                let said = refused(card.id, disk);
                let means_nothing = said.as_ref().is_some_and(|s| s.contains("does not apply"));
                assert_eq!(means_nothing, flash, "{}: {said:?}", card.id);
            }
            if card.respects_zones() {
                continue;
            }
            for other in ["model:samsung-840-evo-750gb", "null:"] {
                assert_eq!(refused(card.id, other), None, "{}", card.id);
            }
        }
    }

    #[test]
    fn what_only_writes_asks_for_consent_on_a_file_and_what_reads_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("own.img");
        std::fs::File::create(&file)
            .unwrap()
            .set_len(8 << 30)
            .unwrap();
        let file = file.display().to_string();
        for method in methods::METHODS {
            let card = method.card();
            if card.on_models == OnModels::Only || card.id == "replay" || card.respects_zones() {
                continue;
            }
            let said = refused(card.id, &file);
            let writing = card.needs.contains(&Needs::Writing);
            assert_eq!(said.is_some(), writing, "{}: {said:?}", card.id);
            assert!(
                said.is_none_or(|s| s.contains("--destroy-data")),
                "{}",
                card.id
            );
        }
    }

    #[test]
    fn on_a_zoned_drive_what_writes_is_refused_unless_it_minds_zones_and_what_reads_is_not() {
        for drive in [
            "model:wd-ultrastar-dc-hc620-14tb",
            "model:wd-ultrastar-dc-zn540-1tb",
        ] {
            let said = refused("crystaldiskmark", drive).unwrap();
            assert!(
                said.contains("zones must be written sequentially"),
                "{said}"
            );
            assert!(refused("quick-scan", drive).is_some());
            assert_eq!(refused_with("quick-scan", drive, &["ops=read"]), None);
            // Its writes are in order, and it resets the zones first; not at both ends alone.
            assert_eq!(refused("full-scan", drive), None);
            assert!(refused_with("full-scan", drive, &["ends=8"]).is_some());
            assert_eq!(refused("zones", drive), None);
        }
        // Of every other method: it minds zones, writes nothing, or is refused in one line that says why.
        for method in methods::METHODS {
            let card = method.card();
            let Some(said) = refused(card.id, "model:wd-ultrastar-dc-zn540-1tb") else {
                let runs = card.respects_zones() || !card.writes || card.id == "full-scan";
                assert!(runs, "{}", card.id);
                continue;
            };
            let why = said.contains("must be written sequentially") || said.contains("given");
            assert!(why && !said.contains('\n'), "{}: {said}", card.id);
        }
        let said = refused("zones", "null:").unwrap();
        assert!(said.contains("has no zones"), "{said}");
    }
}
