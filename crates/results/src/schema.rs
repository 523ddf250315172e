//! The JSON schema of every document, made from its type: what `drivelab schema` prints, and what tests hold printed
//! documents against.

use std::collections::{BTreeMap, BTreeSet};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use crate::benchmarks::{
    EMULATE_BENCH_SCHEMA, ENDURANCE_BENCH_SCHEMA, ENGINE_BENCH_SCHEMA, EmulateBench,
    EnduranceBench, EngineBench, INFERENCE_BENCH_SCHEMA, InferenceBench, MECHANISM_BENCH_SCHEMA,
    MODEL_BENCH_SCHEMA, MechanismBench, ModelBench,
};
use crate::calibration::{CALIBRATION_SCHEMA, Calibration};
use crate::cause::{CAUSE_SCHEMA, Cause};
use crate::comparison::{COMPARISON_SCHEMA, Comparison};
use crate::devices::{DEVICES_SCHEMA, Devices};
use crate::explanation::{EXPLAIN_SCHEMA, Explanations};
use crate::forecast::{DryRun, FORECAST_SCHEMA, QUESTIONS_SCHEMA, Questions};
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
use crate::twin::{TWIN_SCHEMA, Twin};
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

/// A document's name, the function that adds its type to the schemas, and the commands that print it.
type Entry = (
    &'static str,
    fn(&mut SchemaGenerator) -> String,
    &'static [&'static str],
);

/// Every document, in the order in which they are described.
const DOCUMENTS: [Entry; 31] = [
    (
        RESULT_SCHEMA,
        added::<RunResult>,
        &["drivelab run --json", "drivelab resume --json"],
    ),
    (
        RESULTS_SCHEMA,
        added::<RunResults>,
        &[
            "drivelab review --json",
            "drivelab report --json",
            "drivelab import --json",
        ],
    ),
    (
        USES_SCHEMA,
        added::<UseVerdicts>,
        &["drivelab report --uses --json"],
    ),
    (
        PLAN_SCHEMA,
        added::<PlanOutcome>,
        &[
            "drivelab run PLAN --json",
            "drivelab resume plan-N --json",
            "drivelab report plan-N --json",
        ],
    ),
    (
        PLANS_SCHEMA,
        added::<ReadyPlans>,
        &["drivelab plans --json"],
    ),
    (
        FORECAST_SCHEMA,
        added::<DryRun>,
        &[
            "drivelab run --dry-run --json",
            "drivelab ask --dry-run --json",
            "drivelab review --dry-run --json",
            "drivelab resume --dry-run --json",
        ],
    ),
    (
        QUESTIONS_SCHEMA,
        added::<Questions>,
        &["drivelab ask --json"],
    ),
    (
        RUNS_SCHEMA,
        added::<StoredRuns>,
        &["drivelab results --json"],
    ),
    (
        COMPARISON_SCHEMA,
        added::<Comparison>,
        &["drivelab compare --json"],
    ),
    (
        GATE_SCHEMA,
        added::<Gate>,
        &["drivelab gate TARGET --require REQUIREMENT --json"],
    ),
    (
        HEALTH_SCHEMA,
        added::<HealthReport>,
        &["drivelab health TARGET --json"],
    ),
    (
        METHODS_SCHEMA,
        added::<Methods>,
        &["drivelab methods --json"],
    ),
    (DRIVES_SCHEMA, added::<Drives>, &["drivelab drives --json"]),
    (
        DEVICES_SCHEMA,
        added::<Devices>,
        &["drivelab devices --json"],
    ),
    (
        PROGRESS_SCHEMA,
        added::<ProgressLine>,
        &[
            "drivelab run --progress json",
            "drivelab review --progress json",
        ],
    ),
    (
        DRIVE_SCHEMA,
        added::<Sheet>,
        &["drivelab show DRIVE --json"],
    ),
    (
        SWEEP_SCHEMA,
        added::<Sweep>,
        &["drivelab sweep METHOD TARGET --vary KEY=VALUES --json"],
    ),
    (
        EXPLAIN_SCHEMA,
        added::<Explanations>,
        &[
            "drivelab explain --json",
            "drivelab report --explain --json",
        ],
    ),
    (
        CAUSE_SCHEMA,
        added::<Cause>,
        &["drivelab cause A B --method METHOD --figure KEY --json"],
    ),
    (
        REPRODUCTION_SCHEMA,
        added::<Reproduction>,
        &["drivelab develop reproduce --json"],
    ),
    (
        CALIBRATION_SCHEMA,
        added::<Calibration>,
        &["drivelab develop fit DRIVE --json"],
    ),
    (
        RATED_FIT_SCHEMA,
        added::<RatedFit>,
        &["drivelab calibrate FILE --json"],
    ),
    (
        TWIN_SCHEMA,
        added::<Twin>,
        &["drivelab twin RESULT -o FILE --json"],
    ),
    (
        PREDICTION_SCHEMA,
        added::<Predictions>,
        &["drivelab predict QUESTIONS.csv --json"],
    ),
    (
        RESCUE_SCHEMA,
        added::<Rescued>,
        &["drivelab rescue SOURCE DEST --json"],
    ),
    (
        EMULATE_BENCH_SCHEMA,
        added::<EmulateBench>,
        &["drivelab develop bench emulate --json"],
    ),
    (
        MODEL_BENCH_SCHEMA,
        added::<ModelBench>,
        &["drivelab develop bench model --json"],
    ),
    (
        MECHANISM_BENCH_SCHEMA,
        added::<MechanismBench>,
        &["drivelab develop bench mechanisms --json"],
    ),
    (
        INFERENCE_BENCH_SCHEMA,
        added::<InferenceBench>,
        &["drivelab develop bench infer --json"],
    ),
    (
        ENDURANCE_BENCH_SCHEMA,
        added::<EnduranceBench>,
        &["drivelab develop bench endurance --json"],
    ),
    (
        ENGINE_BENCH_SCHEMA,
        added::<EngineBench>,
        &["drivelab develop bench engine --json"],
    ),
];

/// The schemas of all documents, as they are printed.
pub fn schemas() -> Schemas {
    let mut generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let documents = DOCUMENTS.map(|(schema, add, printed_by)| Document {
        schema,
        printed_by,
        root: add(&mut generator),
    });
    Schemas {
        documents: documents.to_vec(),
        types: generator.take_definitions(true).into_iter().collect(),
    }
}

/// Adds a type, and all that it refers to, to the definitions; its name.
fn added<T: JsonSchema>(generator: &mut SchemaGenerator) -> String {
    generator.subschema_for::<T>();
    T::schema_name().into_owned()
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
