//! The JSON schema of every document, made from its type: what `drivelab schema` prints, and what tests hold printed
//! documents against.

use std::collections::{BTreeMap, BTreeSet};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use crate::benchmarks::{
    EMULATE_BENCH_SCHEMA, ENDURANCE_BENCH_SCHEMA, ENGINE_BENCH_SCHEMA, EmulateBench,
    EnduranceBench, EngineBench, MECHANISM_BENCH_SCHEMA, MODEL_BENCH_SCHEMA, MechanismBench,
    ModelBench,
};
use crate::calibration::{CALIBRATION_SCHEMA, Calibration};
use crate::comparison::{COMPARISON_SCHEMA, Comparison};
use crate::devices::{DEVICES_SCHEMA, Devices};
use crate::gate::{GATE_SCHEMA, Gate};
use crate::health::{HEALTH_SCHEMA, HealthReport};
use crate::listing::{
    DRIVE_SCHEMA, DRIVES_SCHEMA, Drives, METHODS_SCHEMA, Methods, RUNS_SCHEMA, Sheet, StoredRuns,
};
use crate::plan::{PLAN_SCHEMA, PLANS_SCHEMA, PlanOutcome, ReadyPlans};
use crate::prediction::{PREDICTION_SCHEMA, Predictions};
use crate::progress::{PROGRESS_SCHEMA, ProgressLine};
use crate::rated::{RATED_FIT_SCHEMA, RatedFit};
use crate::reproduction::{REPRODUCTION_SCHEMA, Reproduction};
use crate::rescue::{RESCUE_SCHEMA, Rescued};
use crate::sweep::{SWEEP_SCHEMA, Sweep};
use crate::uses::{USES_SCHEMA, UseVerdicts};
use crate::{RESULT_SCHEMA, RESULTS_SCHEMA, RunResult, RunResults};

/// A document that a command prints with `--json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The name of its schema, with the version: `drivelab.result/2`.
    pub schema: &'static str,
    /// The commands that print it.
    pub printed_by: &'static [&'static str],
    /// The name of its type among [`Schemas::types`].
    pub root: String,
}

/// All documents, and the types that they are made of.
#[derive(Clone, Debug)]
pub struct Schemas {
    /// The documents, in the order in which they are described.
    pub documents: Vec<Document>,
    /// JSON Schema (draft 2020-12) of every type, by its name; a reference to one is `#/$defs/NAME`.
    pub types: BTreeMap<String, Value>,
}

impl Schemas {
    /// The schema of the document with this name, `drivelab.result/2` or `result` in short, with all types that it
    /// refers to.
    pub fn of(&self, name: &str) -> Option<Value> {
        let is_named = |document: &&Document| {
            let short = document.schema.strip_prefix("drivelab.");
            let bare = short.and_then(|short| short.split('/').next());
            [Some(document.schema), short, bare].contains(&Some(name))
        };
        let document = self.documents.iter().find(is_named)?;
        let mut met = BTreeSet::new();
        let mut waiting = vec![document.root.clone()];
        while let Some(name) = waiting.pop() {
            if let Some(schema) = self.types.get(&name) {
                references(schema, &mut waiting);
                waiting.retain(|name| !met.contains(name));
            }
            met.insert(name);
        }
        let types = self.types.iter().filter(|(name, _)| met.contains(*name));
        let types: BTreeMap<&String, &Value> = types.collect();
        Some(json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": document.schema,
            "$ref": format!("#/$defs/{}", document.root),
            "$defs": types,
        }))
    }
}

/// The names of the types that a schema refers to.
fn references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            let named = fields.get("$ref").and_then(Value::as_str);
            found.extend(
                named
                    .and_then(|name| name.strip_prefix("#/$defs/"))
                    .map(str::to_owned),
            );
            fields.values().for_each(|one| references(one, found));
        }
        Value::Array(all) => all.iter().for_each(|one| references(one, found)),
        _ => {}
    }
}

/// The schemas of all documents, as they are printed.
pub fn schemas() -> Schemas {
    let mut generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let all = &mut generator;
    let documents = vec![
        document::<RunResult>(
            all,
            RESULT_SCHEMA,
            &["drivelab run --json", "drivelab resume --json"],
        ),
        document::<RunResults>(
            all,
            RESULTS_SCHEMA,
            &[
                "drivelab review --json",
                "drivelab report --json",
                "drivelab import --json",
            ],
        ),
        document::<UseVerdicts>(all, USES_SCHEMA, &["drivelab report --uses --json"]),
        document::<PlanOutcome>(
            all,
            PLAN_SCHEMA,
            &[
                "drivelab run PLAN --json",
                "drivelab resume plan-N --json",
                "drivelab report plan-N --json",
            ],
        ),
        document::<ReadyPlans>(all, PLANS_SCHEMA, &["drivelab plans --json"]),
        document::<StoredRuns>(all, RUNS_SCHEMA, &["drivelab results --json"]),
        document::<Comparison>(all, COMPARISON_SCHEMA, &["drivelab compare --json"]),
        document::<Gate>(
            all,
            GATE_SCHEMA,
            &["drivelab gate TARGET --require REQUIREMENT --json"],
        ),
        document::<HealthReport>(all, HEALTH_SCHEMA, &["drivelab health TARGET --json"]),
        document::<Methods>(all, METHODS_SCHEMA, &["drivelab methods --json"]),
        document::<Drives>(all, DRIVES_SCHEMA, &["drivelab drives --json"]),
        document::<Devices>(all, DEVICES_SCHEMA, &["drivelab devices --json"]),
        document::<ProgressLine>(
            all,
            PROGRESS_SCHEMA,
            &[
                "drivelab run --progress json",
                "drivelab review --progress json",
            ],
        ),
        document::<Sheet>(all, DRIVE_SCHEMA, &["drivelab show DRIVE --json"]),
        document::<Sweep>(
            all,
            SWEEP_SCHEMA,
            &["drivelab sweep METHOD TARGET --vary KEY=VALUES --json"],
        ),
        document::<Reproduction>(
            all,
            REPRODUCTION_SCHEMA,
            &["drivelab develop reproduce --json"],
        ),
        document::<Calibration>(
            all,
            CALIBRATION_SCHEMA,
            &["drivelab develop fit DRIVE --json"],
        ),
        document::<RatedFit>(all, RATED_FIT_SCHEMA, &["drivelab calibrate FILE --json"]),
        document::<Predictions>(
            all,
            PREDICTION_SCHEMA,
            &["drivelab predict QUESTIONS.csv --json"],
        ),
        document::<Rescued>(all, RESCUE_SCHEMA, &["drivelab rescue SOURCE DEST --json"]),
        document::<EmulateBench>(
            all,
            EMULATE_BENCH_SCHEMA,
            &["drivelab develop bench emulate --json"],
        ),
        document::<ModelBench>(
            all,
            MODEL_BENCH_SCHEMA,
            &["drivelab develop bench model --json"],
        ),
        document::<MechanismBench>(
            all,
            MECHANISM_BENCH_SCHEMA,
            &["drivelab develop bench mechanisms --json"],
        ),
        document::<EnduranceBench>(
            all,
            ENDURANCE_BENCH_SCHEMA,
            &["drivelab develop bench endurance --json"],
        ),
        document::<EngineBench>(
            all,
            ENGINE_BENCH_SCHEMA,
            &["drivelab develop bench engine --json"],
        ),
    ];
    Schemas {
        documents,
        types: generator.take_definitions(true).into_iter().collect(),
    }
}

fn document<T: JsonSchema>(
    generator: &mut SchemaGenerator,
    schema: &'static str,
    printed_by: &'static [&'static str],
) -> Document {
    // The type, and all that it refers to, become definitions.
    generator.subschema_for::<T>();
    Document {
        schema,
        printed_by,
        root: T::schema_name().into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_has_a_type_with_a_schema_field_and_no_two_types_share_a_name() {
        let schemas = schemas();
        for document in &schemas.documents {
            let root = &schemas.types[&document.root];
            assert!(root["properties"]["schema"].is_object(), "{document:?}");
        }
        // The generator numbers types that have the name of another one.
        for name in schemas.types.keys() {
            assert!(!name.ends_with(|c: char| c.is_ascii_digit()), "{name}");
        }
    }

    #[test]
    fn a_document_comes_with_the_types_that_it_refers_to_and_no_others() {
        let schemas = schemas();
        let result = schemas.of("drivelab.result/2").unwrap();
        assert_eq!(schemas.of("result").as_ref(), Some(&result));
        assert_eq!(schemas.of("resul"), None);
        let types = result["$defs"].as_object().unwrap();
        assert!(types.len() < schemas.types.len());
        let mut named = Vec::new();
        references(&result, &mut named);
        assert!(named.iter().all(|name| types.contains_key(name)));
        assert!(types.keys().all(|name| named.contains(name)));
    }

    #[test]
    fn every_type_and_every_field_is_described() {
        let is_described = |value: &Value| value["description"].is_string();
        for (name, schema) in &schemas().types {
            assert!(is_described(schema), "{name}");
            let fields = schema["properties"].as_object().into_iter().flatten();
            for (field, schema) in fields {
                assert!(is_described(schema), "{name}.{field}");
            }
        }
    }
}
