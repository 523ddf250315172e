//! Points: runs on modelled drives that are written as one line each, and so can be made anywhere.
//!
//! A modelled drive knows no host and no clock, so a run on it is a function of what its line says: drivelab's version,
//! the method, the target with its overrides, the scale, the seed, the settings. Whoever has the line can make the run,
//! and its result is the same to the byte. So work is sent to other machines as lines, a lost one is sent again, and a
//! store that notes the line of each result it took knows which points are left.

use std::collections::BTreeMap;

use base::{Interrupt, Scale, Settings};
use results::RunResult;
use serde::{Deserialize, Serialize};
use store::{RunId, RunState, Store};
use targets::grammar::Spec;
use targets::{TargetError, check_models};

use crate::error::LabError;
use crate::importing::store_finished;
use crate::progress::Progress;
use crate::running::{Request, method, prepare};

/// A run on a modelled drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// The version of drivelab: another one's models may be others.
    drivelab: String,
    method: String,
    target: String,
    scale: Scale,
    seed: u64,
    /// Settings of the method, each `key=value`.
    set: Vec<String>,
}

/// What stands in a run's settings besides what every run has.
#[derive(Deserialize)]
struct MadeSettings {
    point: Point,
}

impl Point {
    /// A point of this version.
    pub fn new(method: &str, target: &str, scale: Scale, seed: u64, set: Vec<String>) -> Point {
        Point {
            drivelab: env!("CARGO_PKG_VERSION").to_owned(),
            method: method.to_owned(),
            target: target.to_owned(),
            scale,
            seed,
            set,
        }
    }

    /// The point that a line describes.
    ///
    /// # Errors
    /// No point, or one of another version.
    pub fn read(line: &str) -> Result<Point, LabError> {
        let point: Point = serde_json::from_str(line).map_err(|why| LabError::NoPoint {
            line: line.chars().take(80).collect(),
            why: why.to_string(),
        })?;
        if point.drivelab != env!("CARGO_PKG_VERSION") {
            return Err(LabError::PointOfAnotherVersion {
                is: point.drivelab,
                here: env!("CARGO_PKG_VERSION"),
            });
        }
        Ok(point)
    }

    /// The line: JSON with its keys in one order.
    pub fn line(&self) -> String {
        // Texts and numbers alone: nothing of it can fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Checks all its words, as a run does before it begins. A combination of parameters that no drive can have is no
    /// error here, but that of the run.
    ///
    /// # Errors
    /// An unknown name, a value outside its range, a real target.
    pub fn check(&self) -> Result<(), LabError> {
        match check_models(&self.target, self.seed) {
            Err(TargetError::Catalogue(why)) if why.is_of_a_combination() => {}
            checked => checked?,
        }
        Settings::new(
            method(&self.method)?.card(),
            self.scale,
            self.seed,
            &self.set,
        )?;
        Ok(())
    }

    /// Checks that the line says all: a file of this machine may be missing on another one, or be another file.
    ///
    /// # Errors
    /// A drive file or a setting that is a path.
    pub fn check_it_names_no_file(&self) -> Result<(), LabError> {
        let spec: Spec = self.target.parse()?;
        let is_a_path = |name: &&str| name.contains('/') || name.ends_with(".toml");
        let drive = spec.models().into_iter().find(is_a_path).map(str::to_owned);
        let card = method(&self.method)?.card();
        let settings = Settings::new(card, self.scale, self.seed, &self.set)?;
        let of_a_path = |setting: &&base::method::Setting| {
            let text = settings.text(setting.key);
            setting.kind.is_a_path(text)
        };
        let setting = card.settings.iter().find(of_a_path);
        let setting = setting.map(|one| format!("{}={}", one.key, settings.text(one.key)));
        match drive.or(setting) {
            Some(file) => Err(LabError::PointNamesAFile { file }),
            None => Ok(()),
        }
    }

    /// Makes the run. Its result is not stored.
    ///
    /// # Errors
    /// As of any run.
    pub fn run(
        &self,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<RunResult, LabError> {
        let request = Request {
            set: self.set.clone(),
            ..Request::new(&self.method, &self.target, self.scale, self.seed)
        };
        prepare(request)?.run(None, progress, interrupt)
    }
}

/// The points whose results a store has, by their lines.
///
/// # Errors
/// Where the store cannot be read.
pub fn stored_points(store: &Store) -> Result<BTreeMap<String, RunId>, LabError> {
    in_state(store, &RunState::Finished)
}

/// Deletes points whose storing was cut off, by a full disk or a kill: such a run has no phase to go on with.
///
/// # Errors
/// Where the store cannot be read or written.
pub fn delete_cut_off(store: &Store) -> Result<(), LabError> {
    for run in in_state(store, &RunState::Interrupted)?.into_values() {
        store.delete(run)?;
    }
    Ok(())
}

fn in_state(store: &Store, state: &RunState) -> Result<BTreeMap<String, RunId>, LabError> {
    let runs = store.list()?.into_iter().filter(|run| run.state == *state);
    let with_line = runs.filter_map(|run| {
        let made: MadeSettings = serde_json::from_str(&run.settings).ok()?;
        Some((made.point.line(), run.id))
    });
    Ok(with_line.collect())
}

/// Stores the result of a point that was made elsewhere, as a finished run.
///
/// # Errors
/// Where the store cannot be written.
pub fn store_point(
    store: &Store,
    point: &Point,
    result: RunResult,
    now_unix_ms: u64,
) -> Result<RunResult, LabError> {
    let settings = serde_json::json!({
        "scale": point.scale,
        "seed": point.seed,
        "set": point.set,
        "destroy_data": false,
        "begins_anew": true,
        "point": point,
    });
    store_finished(store, result, &settings, now_unix_ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    fn point(target: &str, set: &[&str]) -> Point {
        let set = set.iter().map(|&one| one.to_owned()).collect();
        Point::new("full-scan", target, Scale::Quick, 7, set)
    }

    const DRIVE: &str = "model:samsung-840-evo-250gb";

    fn made(point: &Point) -> RunResult {
        point.run(&mut Silent, &Interrupt::new()).unwrap()
    }

    #[test]
    fn a_line_is_read_back_and_gives_the_same_result_to_the_byte() {
        let point = point(DRIVE, &[]);
        let again = Point::read(&point.line()).unwrap();
        assert_eq!((&again, again.line()), (&point, point.line()));
        let bytes = |point| serde_json::to_string(&made(point)).unwrap();
        assert_eq!(bytes(&point), bytes(&again));
    }

    #[test]
    fn a_line_of_another_version_or_with_unknown_words_is_refused() {
        let line = point(DRIVE, &[]).line();
        let newer = line.replace(env!("CARGO_PKG_VERSION"), "99.0.0");
        let refused = Point::read(&newer).unwrap_err().to_string();
        assert!(refused.contains("99.0.0"), "{refused}");
        assert!(Point::read(&line.replace("\"seed\"", "\"sead\"")).is_err());
        assert!(Point::read("").is_err());
    }

    #[test]
    fn a_point_that_names_a_file_stays_on_its_machine() {
        assert!(point(DRIVE, &[]).check_it_names_no_file().is_ok());
        for drive in ["model:./mine.toml", "raid0(model:a/b,model:c)"] {
            let refused = point(drive, &[]).check_it_names_no_file().unwrap_err();
            assert!(refused.to_string().contains("file"), "{refused}");
        }
        let trace = vec!["trace=some.csv".to_owned()];
        let replay = Point::new("replay", DRIVE, Scale::Quick, 1, trace);
        let refused = replay.check_it_names_no_file().unwrap_err().to_string();
        assert!(refused.contains("some.csv"), "{refused}");
    }

    #[test]
    fn a_real_target_is_no_point() {
        assert!(point("/dev/null", &[]).check().is_err());
        assert!(point(DRIVE, &["no-such=1"]).check().is_err());
        assert!(point(DRIVE, &[]).check().is_ok());
    }

    #[test]
    fn a_store_knows_the_points_that_it_has() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = Store::open(&folder.path().join("results.sqlite3")).unwrap();
        let (one, other) = (
            point(DRIVE, &[]),
            point(&format!("{DRIVE}?state=worn"), &[]),
        );
        assert!(stored_points(&store).unwrap().is_empty());
        let stored = store_point(&store, &one, made(&one), 1_700_000_000_000).unwrap();
        let there = stored_points(&store).unwrap();
        assert_eq!(there.get(&one.line()), Some(&RunId(stored.id)));
        assert_eq!(there.get(&other.line()), None);
        let cut_off = store
            .begin_run(&store::RunHeader {
                method: "full-scan",
                target: DRIVE,
                settings: &format!("{{\"point\": {}}}", other.line()),
                environment: "{}",
                started_unix_ms: 0,
            })
            .unwrap();
        drop(cut_off);
        assert_eq!(stored_points(&store).unwrap().len(), 1);
        delete_cut_off(&store).unwrap();
        assert_eq!(store.list().unwrap().len(), 1);
        let read = crate::running::stored_result(&store, store::Which::Last).unwrap();
        assert_eq!(read.figures, made(&one).figures);
    }
}
