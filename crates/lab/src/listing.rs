//! What there is: methods, drives, stored results, as documents on versioned schemas.

use base::method::{OnModels, Scale};
use base::size::Bytes;
use serde::Serialize;
use sim::catalogue::{self, DriveCard};
use sim::sheet::Source;
use store::Store;

use crate::error::LabError;

/// All methods: `drivelab.methods/1`.
#[derive(Debug, Serialize)]
pub struct Methods {
    /// The schema.
    pub schema: &'static str,
    /// The methods.
    pub methods: Vec<MethodListing>,
}

/// One method.
#[derive(Debug, Serialize)]
pub struct MethodListing {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Who published it.
    pub publisher: &'static str,
    /// What it measures.
    pub summary: &'static str,
    /// Its version.
    pub version: u32,
    /// True where it may write to the target.
    pub writes: bool,
    /// True where it works in a test file.
    pub files: bool,
    /// True where it is refused on anything but a modelled drive.
    pub models_only: bool,
    /// The settings of its shortest run that still gives figures, as `key=value`.
    pub shortest: &'static [&'static str],
    /// What can be set.
    pub settings: Vec<SettingListing>,
}

/// One setting.
#[derive(Debug, Serialize)]
pub struct SettingListing {
    /// Its name.
    pub key: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Which values it takes.
    pub takes: String,
    /// Its value at quick scale.
    pub quick: &'static str,
    /// Its value at default scale.
    pub default: &'static str,
    /// Its value at full scale.
    pub full: &'static str,
}

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
            publisher: card.publisher,
            summary: card.summary,
            version: card.version,
            writes: card.writes,
            files: card.files,
            models_only: card.on_models == OnModels::Only,
            shortest: card.shortest,
            settings: card.settings.iter().map(setting).collect(),
        }
    });
    Methods {
        schema: "drivelab.methods/1",
        methods: listed.collect(),
    }
}

/// All modelled drives: `drivelab.drives/1`.
#[derive(Debug, Serialize)]
pub struct Drives {
    /// The schema.
    pub schema: &'static str,
    /// The drives.
    pub drives: Vec<DriveListing>,
}

/// One modelled drive.
#[derive(Debug, Serialize)]
pub struct DriveListing {
    /// Its name after `model:`.
    pub slug: String,
    /// Its name for people.
    pub title: String,
    /// Who made it.
    pub maker: String,
    /// Bytes that it holds.
    pub capacity: Bytes,
    /// `ssd` or `hdd`.
    pub kind: &'static str,
    /// The year it came out.
    pub year: u32,
}

fn listing_of(card: &DriveCard) -> DriveListing {
    DriveListing {
        slug: card.slug.clone(),
        title: card.title.clone(),
        maker: card.maker.clone(),
        capacity: card.capacity,
        kind: card.kind.name(),
        year: card.year,
    }
}

/// All modelled drives of the catalogue.
///
/// # Errors
/// Where a file of the catalogue is at fault: the tests see to it that none is.
pub fn drives() -> Result<Drives, LabError> {
    let drives = catalogue::drives()?.iter().map(listing_of).collect();
    Ok(Drives {
        schema: "drivelab.drives/1",
        drives,
    })
}

/// All that a modelled drive's file says: `drivelab.drive/1`.
#[derive(Debug, Serialize)]
pub struct Sheet {
    /// The schema.
    pub schema: &'static str,
    /// The drive.
    #[serde(flatten)]
    pub drive: DriveListing,
    /// What it says of itself.
    pub identity: std::collections::BTreeMap<String, String>,
    /// Every value of the model.
    pub values: Vec<SheetValue>,
    /// Where the model differs from the real drive.
    pub divergences: Vec<String>,
}

/// One value of a modelled drive.
#[derive(Debug, Serialize)]
pub struct SheetValue {
    /// The section of the file.
    pub section: &'static str,
    /// Its name.
    pub key: &'static str,
    /// The value as text.
    pub value: String,
    /// Its unit.
    pub unit: &'static str,
    /// `published`, `construction`, `estimated` or `fitted`.
    pub source: &'static str,
    /// Of a fitted value: `calibrate` (the program) or `likelihood`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<&'static str>,
    /// Of a fitted value: the least and the greatest that is physically possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<[f64; 2]>,
    /// The facts behind it.
    pub facts: Vec<String>,
    /// Why it is believed.
    pub why: String,
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
        schema: "drivelab.drive/1",
        drive: listing_of(&sheet.card),
        identity: sheet.identity.clone(),
        values: values.collect(),
        divergences: sheet.divergences.clone(),
    })
}

/// A sheet for the terminal.
pub fn sheet_text(sheet: &Sheet) -> String {
    let mut text = format!(
        "{} ({}), {}\n",
        sheet.drive.title, sheet.drive.year, sheet.drive.capacity
    );
    let mut section = "";
    for value in &sheet.values {
        if value.section != section {
            section = value.section;
            text.push_str(&format!("\n[{section}]\n"));
        }
        text.push_str(&format!("{} = {} {}\n", value.key, value.value, value.unit));
        text.push_str(&format!("    {}: {}\n", origin(value), value.why));
    }
    text.push_str("\nDivergence from the real drive\n");
    for divergence in &sheet.divergences {
        text.push_str(&format!("- {divergence}\n"));
    }
    text
}

/// Where a value comes from: `fitted by calibrate within 120 to 320 to F008 F013`.
fn origin(value: &SheetValue) -> String {
    let mut origin = value.source.to_owned();
    if let Some(by) = value.by {
        origin.push_str(&format!(" by {by}"));
    }
    if let Some([low, high]) = value.within {
        origin.push_str(&format!(" within {low} to {high}, to"));
    }
    if !value.facts.is_empty() {
        origin.push_str(&format!(" {}", value.facts.join(" ")));
    }
    origin
}

/// All stored runs: `drivelab.runs/1`.
#[derive(Debug, Serialize)]
pub struct Results {
    /// The schema.
    pub schema: &'static str,
    /// The runs, the latest first.
    pub results: Vec<ResultListing>,
}

/// One stored run.
#[derive(Debug, Serialize)]
pub struct ResultListing {
    /// Its number.
    pub id: i64,
    /// The method's name.
    pub method: String,
    /// The target's name.
    pub target: String,
    /// When it began, UTC.
    pub began: String,
    /// `finished`, `running`, `interrupted`, `went away` or `failed`.
    pub state: String,
    /// The plan of which it is a step, and which step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<StepListing>,
}

/// Which step of a plan a run is.
#[derive(Debug, Serialize)]
pub struct StepListing {
    /// The plan's number.
    pub id: i64,
    /// The step's number, from 1.
    pub step: u32,
}

/// The stored runs.
///
/// # Errors
/// Where the store cannot be read.
pub fn results(store: &Store) -> Result<Results, LabError> {
    let listing = |run: store::StoredRun| -> Result<ResultListing, LabError> {
        let step = store.step_of(run.id)?;
        Ok(ResultListing {
            id: run.id.0,
            began: date(run.started_unix_ms),
            state: state_word(&run.state).to_owned(),
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
    Ok(Results {
        schema: "drivelab.runs/1",
        results: listed,
    })
}

fn state_word(state: &store::RunState) -> &'static str {
    match state {
        store::RunState::Running => "running",
        store::RunState::Interrupted => "interrupted",
        store::RunState::WentAway { .. } => "went away",
        store::RunState::Finished => "finished",
        store::RunState::Failed { .. } => "failed",
    }
}

/// The last second that has four digits for its year: 9999-12-31T23:59:59Z.
const LAST_DATE_MS: u64 = 253_402_300_799_999;

/// What a clock said that was wrong, or a damaged store, is shown as the first or the last date.
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
