//! The one place where what was read of a file becomes a result.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base::message::{Argument, Message};
use base::method::{Scale, Settings};
use results::imported::ImportedFrom;
use results::{
    Environment, IMPORTED_FROM, RESULT_SCHEMA, RunEnd, RunResult, TargetKind, TargetRecord,
};
use sha2::{Digest, Sha256};

use crate::imported::{Imported, Same, When};

/// What nobody knows of an imported drive: what it had been through.
const STATE: &str = "unknown";

/// The file, and by what it is read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its name, without its folder.
    pub file: &'a str,
    /// All of it.
    pub bytes: &'a [u8],
    /// drivelab's version.
    pub drivelab: &'a str,
    /// The command line.
    pub command: &'a [String],
}

/// The result that a file holds.
pub fn into_result(imported: Imported, source: Source<'_>) -> RunResult {
    let from = from(&imported, source);
    let notes = notes(&imported, source.file);
    let settings = Settings {
        scale: Scale::Full,
        seed: 0,
        values: imported.settings,
        given: imported.changed,
        inputs: Default::default(),
    };
    // Only of a method's own tests is it known which counts and times are the original's.
    let is_the_original = imported.same != Same::NONE && imported.alike.is_none();
    let mut figures = imported.figures;
    let scale = imported.alike.unwrap_or_else(|| scale(&settings));
    for figure in &mut figures {
        figure.comparable_by.state = STATE.to_owned();
        figure.comparable_by.scale = scale.clone();
    }
    RunResult {
        schema: RESULT_SCHEMA.to_owned(),
        id: 0,
        label: None,
        method: imported.same.method.to_owned(),
        method_title: imported.same.title.to_owned(),
        method_title_ja: imported.same.title_ja.to_owned(),
        method_version: imported.same.version,
        scale: settings.scale,
        stands_beside_published: is_the_original && settings.given.is_empty(),
        settings,
        began_unix_ms: match imported.when {
            When::UnixMs(moment) => moment,
            When::NotStated | When::Local(_) => 0,
        },
        target: target(imported.target, imported.identity, &from),
        environment: Environment {
            drivelab: source.drivelab.to_owned(),
            command: source.command.to_vec(),
            host: imported.host,
            activity: None,
        },
        figures,
        charts: imported.charts,
        phases: Vec::new(),
        notes,
        warnings: Vec::new(),
        messages: Vec::new(),
        ended: RunEnd::Complete,
        health_before: None,
        health_after: None,
        health_during: Vec::new(),
        change_points: Vec::new(),
        repeats: None,
        imported: Some(from),
    }
}

fn from(imported: &Imported, source: Source<'_>) -> ImportedFrom {
    let digest = Sha256::digest(source.bytes);
    let sha256 = digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    ImportedFrom {
        tool: imported.tool.to_owned(),
        version: imported.version.clone(),
        file: source.file.to_owned(),
        sha256,
        when: match &imported.when {
            When::Local(text) => Some(text.clone()),
            When::NotStated | When::UnixMs(_) => None,
        },
    }
}

/// The target is named after the file and its digest: two files that name the same model or letter need not be of one
/// drive, and are never taken for it.
fn target(
    named: String,
    mut identity: BTreeMap<String, String>,
    from: &ImportedFrom,
) -> TargetRecord {
    let tool = match &from.version {
        Some(version) => format!("{} {version}", from.tool),
        None => from.tool.clone(),
    };
    identity.insert(IMPORTED_FROM.to_owned(), tool);
    let digest = from.sha256.get(..8).unwrap_or_default();
    let title = match (identity.get("model"), named.is_empty()) {
        (Some(model), _) => model.clone(),
        (None, false) => named,
        (None, true) => from.file.clone(),
    };
    TargetRecord {
        name: format!("{}#{digest}", from.file),
        title: Message::as_it_stands(title),
        kind: TargetKind::Real,
        identity,
        state: STATE.to_owned(),
        path: Message::as_it_stands(&from.tool),
        ..TargetRecord::default()
    }
}

/// The scale, and each setting that was changed, as the lab writes them.
fn scale(settings: &Settings) -> String {
    let mut scale = settings.scale.name().to_owned();
    for key in &settings.given {
        let value = settings.values.get(key).map_or("", String::as_str);
        let _ = write!(scale, ", {key}={value}");
    }
    scale
}

/// From where it came, what distorts, and what is not known.
fn notes(imported: &Imported, file: &str) -> Vec<Message> {
    let version = match &imported.version {
        Some(version) => Message::new("import-version", [("version", version.into())]),
        None => Message::of("import-version-not-stated"),
    };
    let from = [
        ("file", file.into()),
        ("tool", imported.tool.into()),
        ("version", version.into()),
    ];
    let mut notes = vec![Message::new("note-imported", from)];
    notes.extend(imported.notes.iter().cloned());
    let mut lacks = imported.not_stated.clone();
    if matches!(imported.when, When::Local(_)) {
        lacks.push(Message::of("import-what-zone"));
    }
    if !lacks.is_empty() {
        let what = Argument::list(lacks);
        notes.push(Message::new("note-import-not-stated", [("what", what)]));
    }
    notes
}
