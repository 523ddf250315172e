//! Whether a document matches its schema, as printed by `drivelab schema`: every field is documented, all required
//! fields are present, and each value has its type.
//!
//! A JSON Schema validator would accept undocumented fields, as the standard requires; here they fail.

use std::collections::BTreeMap;

use results::schema::schemas;
use serde_json::{Map, Value};

/// Checks a document against its schema; returns the mismatch.
pub(crate) fn is_documented(document: &Value) -> Result<(), String> {
    let schemas = schemas();
    let name = document["schema"].as_str().unwrap_or_default();
    let known = schemas.documents.iter().find(|known| known.schema == name);
    let known = known.ok_or_else(|| format!("there is no schema '{name}'"))?;
    Types(&schemas.types).is(document, &schemas.types[&known.root], name)
}

struct Types<'a>(&'a BTreeMap<String, Value>);

impl Types<'_> {
    /// Checks a value against a schema; `at` is its location.
    fn is(&self, value: &Value, schema: &Value, at: &str) -> Result<(), String> {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.trim_start_matches("#/$defs/");
            return self.is(value, &self.0[name], at);
        }
        let alternatives = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
        let Some(alternatives) = alternatives else {
            return self.is_alone(value, schema, at);
        };
        // Fields beside alternatives belong to each of them.
        let whole = |one: &Value| self.is(value, &joined(schema, one), at);
        let failed: Vec<String> = alternatives
            .iter()
            .map_while(|one| whole(one).err())
            .collect();
        match failed.len() == alternatives.len() {
            true => Err(format!("{at}: none of: {}", failed.join("; "))),
            false => Ok(()),
        }
    }

    fn is_alone(&self, value: &Value, schema: &Value, at: &str) -> Result<(), String> {
        let fits = match &schema["type"] {
            Value::String(kind) => is_a(value, kind),
            Value::Array(kinds) => kinds.iter().any(|k| is_a(value, k.as_str().unwrap_or(""))),
            _ => true,
        };
        let constant = schema.get("const").is_none_or(|known| known == value);
        let listed = schema["enum"]
            .as_array()
            .is_none_or(|known| known.contains(value));
        if !(fits && constant && listed) {
            return Err(format!("{at}: {value} is not {schema}"));
        }
        match value {
            Value::Object(fields) => self.is_object(fields, schema, at),
            Value::Array(values) => values.iter().enumerate().try_for_each(|(place, one)| {
                let own = schema["prefixItems"].get(place);
                self.is(
                    one,
                    own.unwrap_or(&schema["items"]),
                    &format!("{at}[{place}]"),
                )
            }),
            _ => Ok(()),
        }
    }

    fn is_object(
        &self,
        fields: &Map<String, Value>,
        schema: &Value,
        at: &str,
    ) -> Result<(), String> {
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                return Err(format!("{at}.{name} is missing"));
            }
        }
        let of_any_name = &schema["additionalProperties"];
        for (name, value) in fields {
            let at = format!("{at}.{name}");
            match (schema["properties"].get(name), of_any_name) {
                (Some(own), _) => self.is(value, own, &at)?,
                (None, Value::Object(_)) => self.is(value, of_any_name, &at)?,
                // A value in a form of a method's own.
                (None, _) if schema["type"].is_null() => {}
                (None, _) => return Err(format!("{at} is not documented")),
            }
        }
        Ok(())
    }
}

/// One alternative, with the fields common to all of them.
fn joined(schema: &Value, one: &Value) -> Value {
    let Some(fields) = schema["properties"].as_object() else {
        return one.clone();
    };
    let mut joined = one.clone();
    for (name, field) in fields {
        joined["properties"][name] = field.clone();
    }
    if let (Some(own), Some(common)) = (
        joined["required"].as_array_mut(),
        schema["required"].as_array(),
    ) {
        own.extend(common.iter().cloned());
    }
    joined
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is not a type of JSON"),
    }
}
