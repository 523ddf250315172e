//! `drivelab schema`: the JSON schemas of the output of `--json`.
//!
//! They are generated from the types of the documents and their comments, so they always match the output.

use results::schema::schemas;

use crate::output::{Failure, print, print_json};

/// What holds for every document.
const RULES: &str = "\
Within a version fields are only added: a reader must skip what it does not know. Times are whole
nanoseconds, sizes and offsets whole bytes, unless the field's name or the unit beside it says otherwise.
`drivelab schema NAME` prints one as JSON Schema (draft 2020-12).
";

/// Prints the schema with this name, with or without its version; without a name the list of them.
pub(crate) fn schema(name: Option<&str>) -> Result<(), Failure> {
    let schemas = schemas();
    let Some(name) = name else {
        let lines = schemas.documents.iter().map(|document| {
            let commands = document.printed_by.join(", ");
            format!("{:28} {commands}\n", document.schema)
        });
        return print(&format!("{}\n{RULES}", lines.collect::<String>()));
    };
    match schemas.of(name) {
        Some(schema) => print_json(&schema),
        None => Err(Failure::Usage(format!(
            "there is no schema '{name}'; `drivelab schema` lists them"
        ))),
    }
}
