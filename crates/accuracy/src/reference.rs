//! Published figures of real drives, each in the role in which it may be used.
//!
//! A model that is fitted to what it is judged by proves nothing. So a figure to calibrate to and one to predict are
//! different types: only [`Facts::calibrate`] returns the former, and a fit accepts nothing else. The README of the
//! data describes the columns.
//!
//! ```compile_fail
//! fn fit(_to: &[&crate::reference::Calibrate]) {}
//! fit(&crate::reference::Facts::published().unwrap().predict().collect::<Vec<_>>());
//! ```

use std::collections::BTreeMap;
use std::fmt;

use results::reproduction::{FactId, InJapanese, Independence};
use serde::Deserialize;

mod value;

pub use value::Value;

/// The figures, compiled in.
const PUBLISHED: &str = include_str!("../data/published/published.csv");
/// Their words in Japanese, compiled in.
const JAPANESE: &str = include_str!("../data/published/japanese.csv");
/// The guesses, compiled in.
const NULLS: &str = include_str!("../data/published/null.csv");

/// What every published figure has, whatever its role.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Its name.
    pub id: FactId,
    /// The document that contains it.
    pub document: String,
    /// The drive, as the document calls it.
    pub drive: String,
    /// Its capacity, or those that the figure is for.
    pub capacity: String,
    /// Its firmware, where that is known.
    pub firmware: String,
    /// What was done.
    pub test: String,
    /// Under which conditions.
    pub condition: String,
    /// What was measured.
    pub metric: String,
    /// What came out.
    pub value: Value,
    /// Its unit; empty for a word or a ratio.
    pub unit: String,
    /// Remarks.
    pub note: String,
    /// Its words in Japanese.
    pub japanese: InJapanese,
}

/// A figure that free parameters may be fitted to.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibrate {
    fact: Fact,
    /// The number: a figure to fit to always is one.
    number: f64,
}

impl Calibrate {
    /// The figure.
    pub fn fact(&self) -> &Fact {
        &self.fact
    }

    /// Its number, in its unit.
    pub fn number(&self) -> f64 {
        self.number
    }
}

/// A baseline that ignores the drive.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// The guess, in the figure's unit.
    pub value: f64,
    /// How it was made.
    pub rule: String,
}

/// A figure that a model is judged by, and that nothing may be fitted to.
#[derive(Clone, Debug, PartialEq)]
pub struct Predict {
    fact: Fact,
    /// What a good prediction is worth.
    pub independence: Independence,
    /// The guess to beat, for a number.
    pub guess: Option<Guess>,
}

impl Predict {
    /// The figure.
    pub fn fact(&self) -> &Fact {
        &self.fact
    }
}

/// A published figure in its role.
#[derive(Clone, Debug, PartialEq)]
pub enum Published {
    /// A fact of construction or of the host.
    Input(Fact),
    /// May be fitted to.
    Calibrate(Calibrate),
    /// Judges the model.
    Predict(Predict),
    /// Is compared alone.
    Range(Fact),
}

impl Published {
    /// The figure itself.
    pub fn fact(&self) -> &Fact {
        match self {
            Published::Input(fact) | Published::Range(fact) => fact,
            Published::Calibrate(calibrate) => &calibrate.fact,
            Published::Predict(predict) => &predict.fact,
        }
    }

    fn fact_mut(&mut self) -> &mut Fact {
        match self {
            Published::Input(fact) | Published::Range(fact) => fact,
            Published::Calibrate(calibrate) => &mut calibrate.fact,
            Published::Predict(predict) => &mut predict.fact,
        }
    }

    /// Its role, as the table writes it.
    pub fn role(&self) -> &'static str {
        match self {
            Published::Input(_) => "input",
            Published::Calibrate(_) => "calibrate",
            Published::Predict(_) => "predict",
            Published::Range(_) => "range",
        }
    }

    /// What a prediction of it is worth; nothing in another role.
    pub fn independence(&self) -> Option<Independence> {
        match self {
            Published::Predict(predict) => Some(predict.independence),
            _ => None,
        }
    }
}

/// All published figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    rows: BTreeMap<FactId, Published>,
}

/// Why a table of figures cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadFacts {
    /// A row that is not one.
    #[error("{table}, line {line}: {what}")]
    Row {
        table: &'static str,
        /// Which line, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
}

#[derive(Deserialize)]
struct Record {
    id: FactId,
    document: String,
    drive: String,
    capacity: String,
    firmware: String,
    test: String,
    condition: String,
    metric: String,
    value: String,
    unit: String,
    role: String,
    note: String,
    independence: String,
}

/// A row's words in Japanese, each empty where it is the same.
#[derive(Deserialize)]
struct JapaneseRecord {
    id: FactId,
    test: String,
    condition: String,
    metric: String,
    value: String,
}

#[derive(Deserialize)]
struct NullRecord {
    id: FactId,
    null: f64,
    rule: String,
}

impl Facts {
    /// The figures that are compiled in.
    ///
    /// # Errors
    /// If the data is invalid; a test checks it.
    pub fn published() -> Result<Facts, BadFacts> {
        let mut facts = Facts::read(PUBLISHED, NULLS)?;
        facts.say_in_japanese(JAPANESE)?;
        Ok(facts)
    }

    /// Adds the words in Japanese from a table of them.
    fn say_in_japanese(&mut self, japanese: &str) -> Result<(), BadFacts> {
        each("japanese.csv", japanese, |record: JapaneseRecord| {
            let id = record.id;
            let row = self.rows.get_mut(&id);
            let row = row.ok_or_else(|| format!("{id} is not a published figure"))?;
            row.fact_mut().japanese = InJapanese {
                test: record.test,
                condition: record.condition,
                metric: record.metric,
                published: record.value,
            };
            Ok(())
        })
    }

    /// Reads a table of figures, and the guesses for the predicted ones.
    ///
    /// # Errors
    /// A row that is malformed, twice there, in an unknown role, or without a number where its role
    /// needs one; a guess for a row that is not predicted.
    pub fn read(published: &str, nulls: &str) -> Result<Facts, BadFacts> {
        let mut guesses = BTreeMap::new();
        each("null.csv", nulls, |record: NullRecord| {
            let guess = Guess {
                value: record.null,
                rule: record.rule,
            };
            once(&mut guesses, record.id, guess)
        })?;
        let mut rows = BTreeMap::new();
        each("published.csv", published, |record: Record| {
            let id = record.id;
            let row = in_role(record, guesses.remove(&id))?;
            once(&mut rows, id, row)
        })?;
        match guesses.keys().next() {
            None => Ok(Facts { rows }),
            Some(id) => Err(BadFacts::Row {
                table: "null.csv",
                line: 1,
                what: format!("there is a guess for {id}, which is not a published figure"),
            }),
        }
    }

    /// All of them, in the order of their ids.
    pub fn all(&self) -> impl Iterator<Item = &Published> {
        self.rows.values()
    }

    /// One of them.
    pub fn get(&self, id: FactId) -> Option<&Published> {
        self.rows.get(&id)
    }

    /// Those that may be fitted to.
    pub fn calibrate(&self) -> impl Iterator<Item = &Calibrate> {
        self.all().filter_map(|row| match row {
            Published::Calibrate(calibrate) => Some(calibrate),
            _ => None,
        })
    }

    /// Those that judge a model.
    pub fn predict(&self) -> impl Iterator<Item = &Predict> {
        self.all().filter_map(|row| match row {
            Published::Predict(predict) => Some(predict),
            _ => None,
        })
    }
}

/// Passes on each record of a table; errors get their position.
fn each<T: serde::de::DeserializeOwned>(
    table: &'static str,
    text: &str,
    mut take: impl FnMut(T) -> Result<(), String>,
) -> Result<(), BadFacts> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().cloned().map_err(|e| at(table, 1, &e))?;
    for record in reader.records() {
        let record = record.map_err(|e| {
            let line = e.position().map_or(0, csv::Position::line);
            at(table, line, &e)
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let parsed = record.deserialize(Some(&headers));
        let parsed = parsed.map_err(|e| at(table, line, &e))?;
        take(parsed).map_err(|what| at(table, line, &what))?;
    }
    Ok(())
}

fn at(table: &'static str, line: u64, what: &dyn fmt::Display) -> BadFacts {
    BadFacts::Row {
        table,
        line,
        what: what.to_string(),
    }
}

fn once<T>(rows: &mut BTreeMap<FactId, T>, id: FactId, row: T) -> Result<(), String> {
    match rows.insert(id, row) {
        None => Ok(()),
        Some(_) => Err(format!("{id} is in the table twice")),
    }
}

fn in_role(record: Record, guess: Option<Guess>) -> Result<Published, String> {
    let (role, independence) = (record.role.clone(), record.independence.clone());
    let fact = fact_of(record);
    if role != "predict" && (guess.is_some() || !independence.is_empty()) {
        return Err(format!(
            "{} is '{role}': independence and a guess are for predicted figures",
            fact.id
        ));
    }
    match role.as_str() {
        "input" => Ok(Published::Input(fact)),
        "range" => Ok(Published::Range(fact)),
        "calibrate" => match fact.value {
            Value::Number { value, .. } => Ok(Published::Calibrate(Calibrate {
                number: value,
                fact,
            })),
            _ => Err(format!(
                "{} is to calibrate to, but is not a number",
                fact.id
            )),
        },
        "predict" => {
            let independence = match independence.as_str() {
                "own" => Independence::Own,
                "derived" => Independence::Derived,
                "trivial" => Independence::Trivial,
                other => return Err(format!("'{other}' is not own, derived or trivial")),
            };
            Ok(Published::Predict(Predict {
                fact,
                independence,
                guess,
            }))
        }
        other => Err(format!(
            "'{other}' is not a role: input, calibrate, predict or range"
        )),
    }
}

fn fact_of(record: Record) -> Fact {
    let value = Value::read(&record.value, &record.unit);
    Fact {
        id: record.id,
        document: record.document,
        drive: record.drive,
        capacity: record.capacity,
        firmware: record.firmware,
        test: record.test,
        condition: record.condition,
        metric: record.metric,
        value,
        unit: record.unit,
        note: record.note,
        japanese: InJapanese::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "id,document,drive,capacity,firmware,test,condition,metric,value,unit,role,note,independence\n";

    fn read(row: &str, nulls: &str) -> Result<Facts, String> {
        let nulls = format!("id,null,rule\n{nulls}");
        Facts::read(&format!("{HEAD}{row}\n"), &nulls).map_err(|e| e.to_string())
    }

    #[test]
    fn every_published_figure_is_read_in_its_role() {
        let facts = Facts::published().unwrap();
        let count = |role| facts.all().filter(|row| row.role() == role).count();
        assert_eq!(
            ["input", "calibrate", "predict", "range"].map(count),
            [54, 98, 197, 93]
        );
        assert_eq!(facts.calibrate().count(), 98);
    }

    #[test]
    fn what_a_document_calls_its_tests_and_figures_has_words_in_japanese() {
        let facts = Facts::published().unwrap();
        for fact in facts.all().map(Published::fact) {
            let words = &fact.japanese;
            let pairs = [
                (&fact.condition, &words.condition),
                (&fact.metric, &words.metric),
            ];
            for (english, japanese) in pairs {
                // What has no words is a name.
                let has_words = english
                    .split(' ')
                    .any(|word| word.len() > 2 && is_word(word));
                let is_said = !japanese.is_empty() && !japanese.is_ascii();
                assert!(is_said || !has_words, "{}: {english}: {japanese}", fact.id);
            }
        }
        let mut facts = facts;
        let error = facts.say_in_japanese("id,test,condition,metric,value\nF999,,,,\n");
        let error = error.unwrap_err().to_string();
        assert_eq!(
            error,
            "japanese.csv, line 2: F999 is not a published figure"
        );
    }

    fn is_word(word: &str) -> bool {
        word.bytes().all(|b| b.is_ascii_lowercase() || b == b',')
    }

    #[test]
    fn every_own_number_has_a_guess_to_beat_and_nothing_else_has() {
        let facts = Facts::published().unwrap();
        let guessed: Vec<&Predict> = facts.predict().filter(|row| row.guess.is_some()).collect();
        let own = |row: &&Predict| row.independence == Independence::Own;
        assert!(guessed.iter().all(own));
        let numbers = |row: &&Predict| {
            row.independence == Independence::Own
                && matches!(row.fact().value, Value::Number { .. })
        };
        assert_eq!(facts.predict().filter(numbers).count(), 73);
        assert_eq!(guessed.len(), 73);
    }

    #[test]
    fn a_bad_row_is_named_with_its_line() {
        let row = "F001,d,,,,,,read,fast,MB/s,calibrate,,";
        let error = read(row, "").unwrap_err();
        assert_eq!(
            error,
            "published.csv, line 2: F001 is to calibrate to, but is not a number"
        );
        let error = read("F1,d,,,,,,read,1,MB/s,range,,", "").unwrap_err();
        assert!(
            error.contains("line 2") && error.contains("'F1' is not an id"),
            "{error}"
        );
        let error = read("F001,d,,,,,,read,1,MB/s,predict,,mine", "").unwrap_err();
        assert!(
            error.contains("'mine' is not own, derived or trivial"),
            "{error}"
        );
    }

    #[test]
    fn a_guess_belongs_to_a_predicted_figure() {
        let row = "F001,d,,,,,,read,1,MB/s,calibrate,,";
        assert!(read(row, "F001,2,copied\n").is_err());
        assert!(read(row, "F002,2,copied\n").unwrap_err().contains("F002"));
        let predicted = "F001,d,,,,,,read,1,MB/s,predict,,own";
        let facts = read(predicted, "F001,2,copied\n").unwrap();
        let row = facts.predict().next().unwrap();
        assert_eq!(row.guess.as_ref().map(|g| g.value), Some(2.0));
    }
}
