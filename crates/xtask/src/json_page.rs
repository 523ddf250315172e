//! The page `docs/json.md`, made from the types of the documents: a heading for each document, and below it one for
//! each type that is met there first.
//!
//! Names, types and which fields may be missing come from the JSON schemas that the types themselves give
//! ([`results::schema`]), meanings from their documentation comments, so that the page cannot say something else than
//! what is printed. `docs` writes it, `check` fails where it is stale.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

use anyhow::{Context, Result};
use results::schema::{Document, Schemas, schemas};
use serde_json::{Map, Value};

const PAGE: &str = "docs/json.md";
const HEAD: &str = "<!-- Made by `cargo run -p xtask -- docs` from the types in crates/results and crates/base: edit \
their documentation comments. -->

# JSON

Every document begins with `schema`, a name with a version. Within a version fields are only added: a reader must
skip what it does not know. A field that may be missing is marked *optional*; one that is always there but may be
`null` is marked *nullable*. With `--json` standard output carries the document and nothing else.

**Units.** Times are whole nanoseconds (`ns`), sizes and offsets whole bytes, unless the field's name, or the `unit` beside
it, says otherwise. Figures and charts are in the unit that they name. Numbers may exceed 2^53 only where they are
written as text (`sum_ns`).

";

/// Writes the page.
pub(crate) fn write(root: &Path) -> Result<()> {
    std::fs::write(root.join(PAGE), page(&schemas()))
        .with_context(|| format!("{PAGE} cannot be written"))
}

/// Whether the page is as the types say.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let there = std::fs::read_to_string(root.join(PAGE))
        .with_context(|| format!("{PAGE} cannot be read"))?;
    Ok(if there == page(&schemas()) {
        Vec::new()
    } else {
        vec![format!(
            "{PAGE}: not what the types say: run `cargo run -p xtask -- docs`"
        )]
    })
}

fn page(schemas: &Schemas) -> String {
    let mut page = HEAD.to_owned() + "| schema | printed by |\n|---|---|\n";
    for document in &schemas.documents {
        let name = document.schema;
        let commands = document.printed_by.join("`, `");
        page.push_str(&format!(
            "| [`{name}`](#{}) | `{commands}` |\n",
            anchor(name)
        ));
    }
    let mut writer = Writer {
        schemas,
        written: (schemas.documents.iter())
            .map(|document| document.root.clone())
            .collect(),
        waiting: VecDeque::new(),
    };
    for document in &schemas.documents {
        page.push_str(&writer.document(document));
    }
    page
}

/// Writes sections, each type once, where it is met first.
struct Writer<'a> {
    schemas: &'a Schemas,
    /// Types that have their section, or are going to.
    written: BTreeSet<String>,
    waiting: VecDeque<String>,
}

impl Writer<'_> {
    fn document(&mut self, document: &Document) -> String {
        let schema = &self.schemas.types[&document.root];
        let mut text = format!("\n## {}\n\n", document.schema);
        text.push_str(&self.body(schema, Some(document.schema)));
        while let Some(name) = self.waiting.pop_front() {
            let schema = &self.schemas.types[&name];
            text.push_str(&format!("\n### {}\n\n", words(&name)));
            text.push_str(&self.body(schema, None));
        }
        text
    }

    /// What a type is for, and its fields or alternatives.
    fn body(&mut self, schema: &Value, document: Option<&str>) -> String {
        let (about, example) = about(schema);
        let mut text = format!("{about}\n");
        if let Some(fields) = schema["properties"].as_object() {
            text.push_str("\n| field | type | meaning |\n|---|---|---|\n");
            for name in in_order(schema, fields) {
                let meaning = match (name, document) {
                    ("schema", Some(document)) => format!("`{document}`"),
                    _ => described(&fields[name]).replace('|', "\\|"),
                };
                let kind = self.kind_of_field(schema, name);
                text.push_str(&format!("| `{name}` | {kind} | {meaning} |\n"));
            }
        }
        if let Some(variants) = alternatives(schema) {
            let lead = match schema["properties"].is_object() {
                true => "\nand one of these:\n\n",
                false => "\nOne of:\n\n",
            };
            text.push_str(lead);
            for variant in variants {
                text.push_str(&self.alternative(variant));
            }
        }
        if let Some(example) = example {
            text.push_str(&format!("\n{example}\n"));
        }
        text
    }

    /// One value of an enumeration, in a line, with its fields below.
    fn alternative(&mut self, variant: &Value) -> String {
        let about = described(variant);
        if let Some(word) = constant(variant) {
            return format!("- {word}: {about}\n");
        }
        let Some(fields) = variant["properties"].as_object() else {
            return format!("- {}: {about}\n", self.kind(variant));
        };
        // A variant with data is an object of one field, named after it.
        let named = fields.iter().next().filter(|(_, inner)| {
            fields.len() == 1 && inner["description"].is_null() && constant(inner).is_none()
        });
        match named {
            Some((name, inner)) if inner["properties"].is_object() => {
                format!(
                    "- `{{\"{name}\": {{...}}}}`: {about}\n{}",
                    self.fields(inner)
                )
            }
            Some((name, inner)) => {
                format!("- `{{\"{name}\": {}}}`: {about}\n", self.kind(inner))
            }
            None => format!("- {about}\n{}", self.fields(variant)),
        }
    }

    fn fields(&mut self, object: &Value) -> String {
        let empty = Map::new();
        let fields = object["properties"].as_object().unwrap_or(&empty);
        let line = |name: &str| {
            let kind = self.kind_of_field(object, name);
            match described(&fields[name]).as_str() {
                "" => format!("  - `{name}`, {kind}\n"),
                meaning => format!("  - `{name}`, {kind}: {meaning}\n"),
            }
        };
        in_order(object, fields).into_iter().map(line).collect()
    }

    fn kind_of_field(&mut self, object: &Value, name: &str) -> String {
        let field = &object["properties"][name];
        let kind = self.kind(field);
        match (is_required(object, name), is_nullable(field)) {
            (false, _) => format!("{kind}, *optional*"),
            (true, true) => format!("{kind}, *nullable*"),
            (true, false) => kind,
        }
    }

    /// A type in words, with a link where it has a section of its own.
    fn kind(&mut self, schema: &Value) -> String {
        if let Some(name) = schema["$ref"].as_str() {
            return self.reference(name.rsplit('/').next().unwrap_or(name));
        }
        if let Some(word) = constant(schema) {
            return word;
        }
        if let Some(variants) = alternatives(schema) {
            let some = variants.iter().filter(|variant| variant["type"] != "null");
            let kinds: Vec<String> = some.map(|variant| self.kind(variant)).collect();
            return kinds.join(" or ");
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null"),
            kind => Some(kind),
        };
        match kind.and_then(Value::as_str) {
            Some("string") => "text".to_owned(),
            Some("boolean") => "bool".to_owned(),
            Some("integer") => match schema["format"].as_str() {
                Some(unit @ ("ns" | "bytes")) => unit.to_owned(),
                _ => "integer".to_owned(),
            },
            Some("array") => self.list(schema),
            Some("object") if schema["additionalProperties"].is_object() => {
                let kind = self.kind(&schema["additionalProperties"]);
                format!("object of: {kind}")
            }
            Some(other) => other.to_owned(),
            None => "anything".to_owned(),
        }
    }

    fn list(&mut self, schema: &Value) -> String {
        if let Some(parts) = schema["prefixItems"].as_array() {
            let kinds: Vec<String> = parts.iter().map(|part| self.kind(part)).collect();
            return format!("list: {}", kinds.join(", "));
        }
        let mut kind = self.kind(&schema["items"]);
        if is_nullable(&schema["items"]) {
            kind.push_str(" or `null`");
        }
        match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
            (Some(least), Some(most)) if least == most => format!("list of {least}: {kind}"),
            _ => format!("list of: {kind}"),
        }
    }

    fn reference(&mut self, name: &str) -> String {
        let schema = &self.schemas.types[name];
        if schema["properties"].is_null() && alternatives(schema).is_none() {
            return self.kind(schema);
        }
        if self.written.insert(name.to_owned()) {
            self.waiting.push_back(name.to_owned());
        }
        let document = self.schemas.documents.iter().find(|d| d.root == name);
        match document {
            Some(document) => format!("[`{0}`](#{1})", document.schema, anchor(document.schema)),
            None => format!("[{0}](#{1})", words(name), anchor(&words(name))),
        }
    }
}

/// Fields that are always there as they were declared; then the others, by name.
fn in_order<'a>(object: &'a Value, fields: &'a Map<String, Value>) -> Vec<&'a str> {
    let required = object["required"].as_array().into_iter().flatten();
    let mut names: Vec<&str> = required.filter_map(Value::as_str).collect();
    let others = fields.keys().map(String::as_str);
    names.extend(others.filter(|name| !is_required(object, name)));
    names
}

fn is_required(object: &Value, name: &str) -> bool {
    let required = object["required"].as_array();
    required.is_some_and(|names| names.iter().any(|one| one == name))
}

fn is_nullable(schema: &Value) -> bool {
    let is_null = |kind: &Value| kind == "null";
    let by_type = schema["type"].as_array();
    let by_variant = alternatives(schema).into_iter().flatten();
    by_type.is_some_and(|kinds| kinds.iter().any(is_null))
        || by_variant.map(|variant| &variant["type"]).any(is_null)
}

fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    let one_of = schema["oneOf"].as_array();
    one_of.or_else(|| schema["anyOf"].as_array())
}

/// A value that is always the same, or one of a few words.
fn constant(schema: &Value) -> Option<String> {
    if let Some(word) = schema["const"].as_str() {
        return Some(format!("`{word}`"));
    }
    let words = schema["enum"].as_array()?;
    let words = words.iter().filter_map(Value::as_str);
    Some(
        words
            .map(|word| format!("`{word}`"))
            .collect::<Vec<_>>()
            .join(", "),
    )
}

/// What a type is for, in paragraphs, and the example that its comment ends with.
fn about(schema: &Value) -> (String, Option<&str>) {
    let text = schema["description"].as_str().unwrap_or_default();
    let (text, example) = match text.find("```") {
        Some(at) => (&text[..at], Some(text[at..].trim_end())),
        None => (text, None),
    };
    let paragraphs = text.trim_end().split("\n\n");
    let paragraphs: Vec<String> = paragraphs.map(plain).collect();
    (paragraphs.join("\n\n"), example)
}

/// What a field or a value means, in one line.
fn described(schema: &Value) -> String {
    plain(schema["description"].as_str().unwrap_or_default())
}

/// A comment as a line of the page: links between types, which only the code's own documentation has, become names.
fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = text.split("[`");
    let mut line = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once("`]") {
            Some((path, rest)) if !rest.starts_with('(') => {
                let name = path.rsplit("::").next().unwrap_or(path);
                line.push_str(&format!("`{name}`{rest}"));
            }
            _ => line.push_str(&format!("[`{part}")),
        }
    }
    line
}

/// `PhaseRecord` in words: `phase record`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        letter if letter.is_alphanumeric() || letter == '-' => Some(letter.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn page_of(root: Value, more: &[(&str, Value)]) -> String {
        let types = more
            .iter()
            .map(|(name, schema)| ((*name).to_owned(), schema.clone()));
        let root = std::iter::once(("Root".to_owned(), root));
        page(&Schemas {
            documents: vec![Document {
                schema: "drivelab.root/1",
                printed_by: &["drivelab root --json", "drivelab again --json"],
                root: "Root".to_owned(),
            }],
            types: root.chain(types).collect(),
        })
    }

    #[test]
    fn a_document_has_a_heading_and_a_line_for_each_field() {
        let page = page_of(
            json!({
                "description": "The root,\nin two lines.\n\n```json\n{ \"schema\": \"drivelab.root/1\" }\n```",
                "properties": {
                    "schema": { "type": "string", "description": "[`ROOT`]." },
                    "a": { "type": ["integer", "null"], "format": "ns", "description": "How long; as [`Stop::look`]." },
                    "leaf": { "$ref": "#/$defs/GreenLeaf", "description": "A|B." },
                    "late": { "type": "array", "items": { "type": "number" }, "description": "Late." },
                },
                "required": ["schema", "leaf", "a"],
            }),
            &[(
                "GreenLeaf",
                json!({
                    "description": "A leaf.",
                    "oneOf": [
                        { "const": "dry", "description": "It fell." },
                        { "properties": { "wet": { "type": "integer" } }, "description": "By the number." },
                    ],
                }),
            )],
        );
        for line in [
            "| [`drivelab.root/1`](#drivelabroot1) | `drivelab root --json`, `drivelab again --json` |",
            "## drivelab.root/1\n\nThe root, in two lines.\n\n| field | type | meaning |\n|---|---|---|\n\
             | `schema` | text | `drivelab.root/1` |\n\
             | `leaf` | [green leaf](#green-leaf) | A\\|B. |\n\
             | `a` | ns, *nullable* | How long; as `look`. |\n\
             | `late` | list of: number, *optional* | Late. |\n\
             \n```json\n{ \"schema\": \"drivelab.root/1\" }\n```\n",
            "### green leaf\n\nA leaf.\n\nOne of:\n\n- `dry`: It fell.\n- `{\"wet\": integer}`: By the number.\n",
        ] {
            assert!(page.contains(line), "{line}\n-----\n{page}");
        }
    }

    #[test]
    fn every_link_of_the_page_has_its_heading() {
        let page = page(&schemas());
        let headings: BTreeSet<String> = (page.lines())
            .filter_map(|line| line.strip_prefix("## ").or(line.strip_prefix("### ")))
            .map(anchor)
            .collect();
        let links = page.split("](#").skip(1);
        for link in links.filter_map(|rest| rest.split(')').next()) {
            assert!(headings.contains(link), "{link}");
        }
    }
}
