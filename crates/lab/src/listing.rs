//! What there is: methods, drives, stored results, as documents on versioned schemas.

use base::method::{OnModels, Scale};
use inspect::Root;
use results::devices::{DEVICES_SCHEMA, DeviceListing, Devices};
use results::listing::{
    DRIVE_SCHEMA, DRIVES_SCHEMA, DriveListing, Drives, METHODS_SCHEMA, MethodListing, Methods,
    RUNS_SCHEMA, ResultListing, SettingListing, Sheet, SheetValue, StepListing, StoredRuns,
};
use sim::catalogue::{self, DriveCard};
use sim::sheet::Source;
use store::Store;

use crate::error::LabError;

/// All methods.
pub fn methods() -> Methods {
    let setting = |s: &base::method::Setting| SettingListing {
        key: s.key,
        help: s.help,
        takes: s.kind.to_string(),
        quick: s.by_scale[Scale::Quick as usize],
        default: s.by_scale[Scale::Default as usize],
        full: s.by_scale[Scale::Full as usize],
    };
    let listed = methods::METHODS.iter().map(|method| {
        let card = method.card();
        MethodListing {
            id: card.id,
            title: card.title,
            title_ja: card.title_ja(),
            group: card.group.name(),
            short: card.short,
            short_ja: card.short_ja(),
            publisher: card.publisher,
            summary: card.summary,
            summary_ja: card.summary_ja(),
            version: card.version,
            writes: card.writes,
            files: card.files,
            models_only: card.on_models == OnModels::Only,
            needs: card.needs.iter().map(|needs| needs.name()).collect(),
            on_zoned: method.on_zoned(),
            shortest: card.shortest,
            settings: card.settings.iter().map(setting).collect(),
        }
    });
    Methods {
        schema: METHODS_SCHEMA,
        methods: listed.collect(),
    }
}

fn listing_of(card: &DriveCard) -> DriveListing {
    DriveListing {
        slug: card.slug.clone(),
        title: card.title.clone(),
        maker: card.maker.clone(),
        capacity: card.capacity,
        kind: card.kind.name(),
        link: card.interface.to_string(),
        year: card.year,
        known_by: match catalogue::is_known_by_data_sheet(&card.slug) {
            true => "data sheet",
            false => "figures",
        },
    }
}

/// All modelled drives of the catalogue; those known by little more than their data sheets come last.
///
/// # Errors
/// Where a file of the catalogue is at fault: the tests see to it that none is.
pub fn drives() -> Result<Drives, LabError> {
    let mut cards = catalogue::drives()?;
    cards.extend(catalogue::sheet_drives()?);
    Ok(Drives {
        schema: DRIVES_SCHEMA,
        drives: cards.iter().map(listing_of).collect(),
    })
}

/// A drive's sheet, by its name or the path of its file.
///
/// # Errors
/// No such drive (nearest names are offered), or a file at fault.
pub fn sheet(name: &str) -> Result<Sheet, LabError> {
    let name = name.strip_prefix("model:").unwrap_or(name);
    let sheet = catalogue::describe(name)?;
    let values = sheet.sections.iter().flat_map(|section| {
        section.rows.iter().map(|row| SheetValue {
            section: section.name,
            key: row.key,
            value: row.value.clone(),
            unit: row.unit,
            source: row.source.name(),
            by: (row.source == Source::Fitted).then(|| row.by.unwrap_or_default().name()),
            within: row.within,
            facts: row.facts.clone(),
            why: row.why.clone(),
        })
    });
    Ok(Sheet {
        schema: DRIVE_SCHEMA,
        drive: listing_of(&sheet.card),
        identity: sheet.identity.clone(),
        values: values.collect(),
        divergences: sheet.divergences.clone(),
        warnings: sheet.warnings.clone(),
    })
}

/// The devices of this machine, and their users. Nothing is opened for writing, and nothing is refused.
///
/// # Errors
/// Where the system has no list of its devices.
pub fn devices() -> Result<Devices, LabError> {
    let path = std::path::Path::new("/sys/class/block");
    let attached = inspect::attached(&Root::new("/")).map_err(|source| LabError::File {
        path: path.to_owned(),
        source,
    })?;
    let listed = attached.into_iter().map(|one| {
        let drive = &one.drive;
        DeviceListing {
            path: one.path.display().to_string(),
            model: drive.id.model.clone(),
            serial: drive.id.serial.clone(),
            namespace: drive.id.namespace,
            confirmed_by: one.confirmed_by,
            capacity: drive.capacity,
            link: match &drive.link {
                Some(link) => link.to_string(),
                None => drive.transport.to_string(),
            },
            zones: drive.zones,
            state: match (one.uses.is_empty(), one.unseen.is_empty()) {
                (false, _) => "in use",
                (true, true) => "free",
                (true, false) => "unknown",
            },
            uses: one.uses.iter().map(|use_| use_.in_brief()).collect(),
            unseen: one.unseen.iter().map(|use_| use_.in_brief()).collect(),
        }
    });
    Ok(Devices {
        schema: DEVICES_SCHEMA,
        devices: listed.collect(),
    })
}

/// The stored runs.
///
/// # Errors
/// Where the store cannot be read.
pub fn results(store: &Store) -> Result<StoredRuns, LabError> {
    let listing = |run: store::StoredRun| -> Result<ResultListing, LabError> {
        let step = store.step_of(run.id)?;
        let figure = run.headline.as_deref();
        Ok(ResultListing {
            id: run.id.0,
            began: date(run.started_unix_ms),
            state: state_word(&run).to_owned(),
            scale: scale_of(&run.settings),
            serial: crate::running::serial_of(&run.settings),
            figure: figure.and_then(|figure| serde_json::from_str(figure).ok()),
            name: run.name,
            tags: run.tags,
            note: run.note,
            method: run.method,
            target: run.target,
            plan: step.map(|step| StepListing {
                id: step.plan.0,
                step: step.number,
            }),
        })
    };
    let runs = store.list()?.into_iter().map(listing);
    let mut listed = runs.collect::<Result<Vec<_>, _>>()?;
    listed.sort_by_key(|run| std::cmp::Reverse(run.id));
    Ok(StoredRuns {
        schema: RUNS_SCHEMA,
        results: listed,
    })
}

/// The scale of a run's settings, as they were stored.
fn scale_of(settings: &str) -> Option<String> {
    let settings: serde_json::Value = serde_json::from_str(settings).ok()?;
    Some(settings["scale"].as_str()?.to_owned())
}

fn state_word(run: &store::StoredRun) -> &'static str {
    match &run.state {
        store::RunState::Running => "running",
        store::RunState::Interrupted => "interrupted",
        store::RunState::WentAway { .. } => "went away",
        store::RunState::Finished if run.early.is_some() => "ended early",
        store::RunState::Finished => "finished",
        store::RunState::Failed { .. } => "failed",
    }
}

/// The last second that has four digits for its year: 9999-12-31T23:59:59Z.
const LAST_DATE_MS: u64 = 253_402_300_799_999;

/// A date that is out of range, from a wrong clock or a damaged store, is shown as the first or the last date.
fn date(unix_ms: i64) -> String {
    let known = u64::try_from(unix_ms).unwrap_or(0).min(LAST_DATE_MS);
    let since = std::time::Duration::from_millis(known);
    humantime::format_rfc3339_seconds(std::time::UNIX_EPOCH + since).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_wrong_gives_a_date_all_the_same() {
        assert_eq!(date(1_700_000_000_000), "2023-11-14T22:13:20Z");
        assert_eq!(date(-1), "1970-01-01T00:00:00Z");
        assert_eq!(date(i64::MIN), "1970-01-01T00:00:00Z");
        assert_eq!(date(i64::MAX), "9999-12-31T23:59:59Z");
    }
}
