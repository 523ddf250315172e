//! What a file inherits: families and kinds of drives, and the firmware of one drive.
//!
//! Drives of one family differ in little: the number of dies, the size of memory. What they share stands
//! once, in `catalog/families`; a drive's file names it (`family = "..."` in `[drive]`) and gives
//! its own values, which take the place of the family's, key by key. What nothing is known of comes from the
//! drive's kind ([`super::kind`]), which lies under its families. A value with its source is one
//! thing: it is replaced whole. `section = false` takes away a section that the family has. A file
//! may also hold what another firmware changes, under `[firmware."NAME"]`, with the same tables
//! once more.
//!
//! The texts are joined before anything is looked at, so that an error in any of them is told with
//! its own file and line: a text's places are counted on behind those of the texts above it.

use std::collections::BTreeSet;
use std::ops::Range;

use base::nearest::nearest;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::sheet::reading::{Refused, read};

use super::taken_out::{TakenOut, take_out};
use super::text::{Text, get};
use super::{CatalogueError, DriveFile, ModelOptions, kind, switched_on, words};

mod given;

use given::Override;

/// More families above one another than any catalogue needs: a circle.
const DEEPEST: usize = 16;

/// A file's text and those of its families, each padded by the length of all above it.
#[derive(Clone, Debug)]
pub(super) struct Texts {
    texts: Vec<Text>,
    overrides: Vec<Override>,
    /// Paths of sections that are taken away.
    without: Vec<String>,
    /// Sections are put under the rest.
    with: bool,
    /// Sections of other drives, each with the number of its text.
    in_place: Vec<(String, usize)>,
}

impl Texts {
    /// Reads a file, its families and its kind; `find` looks one of these up by its name. Of the options,
    /// the numbers and the sections that are taken away count here.
    ///
    /// # Errors
    /// A text that is not TOML, a family that is not there, families in a circle.
    pub(super) fn read(
        first: Text,
        find: impl Fn(Above, &str) -> Result<Text, CatalogueError>,
        options: &ModelOptions,
    ) -> Result<Texts, CatalogueError> {
        let mut whole = Texts {
            texts: Vec::new(),
            overrides: options.overrides.iter().map(Override::of).collect(),
            without: options.without.clone(),
            with: !options.with.is_empty(),
            in_place: Vec::new(),
        };
        let mut kinds = BTreeSet::new();
        let mut next = Some(first);
        let mut capacity = None;
        while let Some(text) = next {
            whole.push(text);
            let (parent, counted) = {
                let mut table = whole.parse(&whole.texts[whole.texts.len() - 1].text)?;
                capacity = capacity.or_else(|| kind::capacity(&table));
                let counted = capacity.and_then(|bytes| kind::counted(&table, bytes));
                kinds.extend(table.keys().map(|kind| kind.get_ref().to_string()));
                (take_parent(&mut table), counted)
            };
            if let Some(text) = counted {
                let file = whole.texts[whole.texts.len() - 1].file.clone();
                whole.push(Text { file, text });
            }
            next = match parent {
                None => None,
                Some(parent) if whole.texts.len() >= DEEPEST => {
                    let name = parent.name.get_ref();
                    let message = format!("{} '{name}' inherits from itself", parent.what.name());
                    return Err(whole.error_at(parent.name.span(), message));
                }
                Some(parent) => {
                    let found = find(parent.what, parent.name.get_ref());
                    let at = parent.name.span();
                    Some(found.map_err(|error| whole.error_at(at, error.to_string()))?)
                }
            };
        }
        for section in &options.with {
            whole.push(switched_on::text_of(section, &kinds)?);
        }
        Ok(whole)
    }

    /// Puts another drive's section in the place of the file's own, or adds it.
    pub(super) fn put_in_place(&mut self, section: &str, text: Text) {
        self.in_place.push((section.to_owned(), self.texts.len()));
        self.push(text);
    }

    /// Lays a text under the others: its places are counted on behind theirs.
    fn push(&mut self, Text { file, text }: Text) {
        let behind = self.texts.last().map_or(0, |last| last.text.len());
        let text = " ".repeat(behind) + &text;
        self.texts.push(Text { file, text });
    }

    fn parse<'a>(&'a self, text: &'a str) -> Result<DeTable<'a>, CatalogueError> {
        DeTable::parse(text)
            .map(Spanned::into_inner)
            .map_err(|error| {
                self.error_at(error.span().unwrap_or_default(), error.message().to_owned())
            })
    }

    /// The files, from the drive's own up.
    pub(super) fn files(&self) -> Vec<String> {
        self.texts.iter().map(|text| text.file.clone()).collect()
    }

    /// The texts, one behind the other.
    pub(super) fn as_written(&self) -> String {
        let texts = self.texts.iter().map(|text| text.text.trim_start());
        texts.collect()
    }

    /// Whether no number takes the place of a value.
    pub(super) fn is_as_written(&self) -> bool {
        let others = self.with || !self.in_place.is_empty();
        self.overrides.is_empty() && self.without.is_empty() && !others
    }

    /// The file of a place in the joined texts.
    pub(super) fn file_at(&self, span: &Range<usize>) -> &str {
        &self.text_at(span.start).file
    }

    /// What is wrong at a place, with file and line.
    pub(super) fn error_at(&self, span: Range<usize>, message: String) -> CatalogueError {
        let Text { file, text } = self.text_at(span.start);
        let before = &text.as_bytes()[..span.start.min(text.len())];
        CatalogueError::File {
            file: file.clone(),
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            message,
        }
    }

    /// The text that a place lies in; the last one where it lies behind them all.
    fn text_at(&self, start: usize) -> &Text {
        let found = self.texts.iter().find(|text| start < text.text.len());
        found.unwrap_or_else(|| &self.texts[self.texts.len() - 1])
    }
}

/// A file's tables with all that they inherit.
#[derive(Clone, Debug)]
pub(super) struct Inherited<'a> {
    texts: &'a Texts,
    table: DeTable<'a>,
    /// What took the place of a value, and where.
    replaced: Vec<(Range<usize>, &'a Override)>,
}

impl<'a> Inherited<'a> {
    /// Joins the texts, and puts what a firmware changes and the overrides over them.
    ///
    /// # Errors
    /// A firmware that the file does not know, an override of what is not there.
    pub(super) fn join(
        texts: &'a Texts,
        firmware: Option<&str>,
    ) -> Result<Inherited<'a>, CatalogueError> {
        let mut whole = Inherited {
            texts,
            table: DeTable::new(),
            replaced: Vec::new(),
        };
        let own = texts
            .in_place
            .first()
            .map_or(texts.texts.len(), |(_, at)| *at);
        for text in &texts.texts[..own] {
            let mut table = texts.parse(&text.text)?;
            let _ = take_parent(&mut table);
            merge(&mut whole.table, table);
        }
        whole.take_firmware(firmware)?;
        for (section, at) in &texts.in_place {
            whole.take_from(section, &texts.texts[*at])?;
        }
        for number in &texts.overrides {
            whole.set(number)?;
        }
        for section in &texts.without {
            whole.take_away(section)?;
        }
        without_removed(&mut whole.table);
        Ok(whole)
    }

    /// Puts what a firmware changes over the rest. Without a name, or with the name of the firmware
    /// that the file itself describes, nothing changes.
    fn take_firmware(&mut self, asked: Option<&str>) -> Result<(), CatalogueError> {
        let overlays = remove(&mut self.table, "firmware").map(Spanned::into_inner);
        let mut overlays = match overlays {
            Some(DeValue::Table(table)) => table,
            _ => DeTable::new(),
        };
        let own = self.own_firmware();
        let Some(asked) = asked.filter(|asked| own.as_deref() != Some(*asked)) else {
            return Ok(());
        };
        match remove(&mut overlays, asked).map(Spanned::into_inner) {
            Some(DeValue::Table(overlay)) => {
                let under = std::mem::replace(&mut self.table, overlay);
                merge(&mut self.table, under);
                self.name_firmware(asked);
                Ok(())
            }
            _ => Err(no_firmware(asked, own, &overlays)),
        }
    }

    /// The drive says of itself which firmware it has.
    fn name_firmware(&mut self, name: &str) {
        if let Some(own) = leaf_mut(&mut self.table, "drive.identity.firmware") {
            *own = Spanned::new(own.span(), DeValue::String(name.to_owned().into()));
        }
    }

    fn own_firmware(&self) -> Option<String> {
        let drive = get(&self.table, "drive")?.as_table()?;
        let identity = get(drive, "identity")?.as_table()?;
        Some(get(identity, "firmware")?.as_str()?.to_owned())
    }

    /// Puts something in the place of a value. A value that the file leaves out is put into its
    /// section, which must be there: what the section may hold is then the schema's to say.
    fn set(&mut self, given: &'a Override) -> Result<(), CatalogueError> {
        let span = match leaf_mut(&mut self.table, &given.key) {
            Some(found) => {
                let span = found.span();
                *found = Spanned::new(span.clone(), given.in_place_of(found.get_ref())?);
                span
            }
            None => {
                // Behind all that is written, each at a place of its own.
                let end = usize::MAX - self.replaced.len();
                let section = given.key.rsplit_once('.').and_then(|(section, name)| {
                    let table = section_mut(&mut self.table, section)?;
                    Some((table, name))
                });
                let Some((table, name)) = section else {
                    return Err(self.unknown_key(&given.key, &[]));
                };
                let span = end - 1..end;
                table.insert(
                    Spanned::new(span.clone(), name.into()),
                    Spanned::new(span.clone(), given.as_new(&span)?),
                );
                span
            }
        };
        self.replaced.push((span, given));
        Ok(())
    }

    /// Whether the value of a key is a whole number.
    pub(super) fn is_whole(&mut self, key: &str) -> bool {
        leaf_mut(&mut self.table, key).is_some_and(|value| value.get_ref().is_integer())
    }

    /// Puts a section of another drive's in the place of the file's own.
    fn take_from(&mut self, section: &str, text: &'a Text) -> Result<(), CatalogueError> {
        let kind = section.split('.').next().unwrap_or_default();
        if !self.table.contains_key(kind) {
            return self.take_away(section);
        }
        // It may have none: then there is nothing to take away.
        let _ = self.take_away(section);
        merge(&mut self.table, self.texts.parse(&text.text)?);
        Ok(())
    }

    /// Takes a section away: the mechanism that it describes is off. A single value that the file need not give is
    /// taken away by its path (`ssd.nand.sustained_share`), and the drive is as if its file left it out.
    fn take_away(&mut self, section: &str) -> Result<(), CatalogueError> {
        let found = section
            .rsplit_once('.')
            .and_then(|(above, name)| section_mut(&mut self.table, above)?.remove(name));
        if found.is_some() {
            return Ok(());
        }
        let mut keys = Vec::new();
        for (kind, sections) in &self.table {
            let sections = sections.get_ref().as_table().into_iter().flatten();
            keys.extend(sections.map(|(name, _)| format!("{}.{}", kind.get_ref(), name.get_ref())));
        }
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        Err(CatalogueError::Unknown {
            what: "section",
            name: section.to_owned(),
            nearest: nearest(section, &keys),
        })
    }

    /// There is no such value; `fields` are those that its section may have besides the file's own.
    fn unknown_key(&self, key: &str, fields: &[&str]) -> CatalogueError {
        let mut keys = Vec::new();
        list_keys(&self.table, "", &mut keys);
        let section = key.rsplit_once('.').map_or("", |(section, _)| section);
        keys.extend(fields.iter().map(|field| format!("{section}.{field}")));
        keys.retain(|known| known != key); // it was put there to be looked at
        keys.sort();
        keys.dedup();
        CatalogueError::Unknown {
            what: "value",
            name: key.to_owned(),
            nearest: nearest(key, &keys),
        }
    }

    /// What a file has at its top that is no drive's: nothing where it says what drive it is.
    pub(super) fn keys_of_another_file(&self) -> Option<String> {
        let keys: Vec<String> = self
            .table
            .keys()
            .map(|key| key.get_ref().to_string())
            .collect();
        (!keys.is_empty() && !keys.iter().any(|key| key == "drive")).then(|| keys.join(", "))
    }

    /// What the tables say, as a type.
    ///
    /// # Errors
    /// What does not fit the type, with file and line, or with the option that it was given by.
    pub(super) fn to_type<T: DeserializeOwned>(&self) -> Result<T, CatalogueError> {
        read(&self.table).map_err(|Refused { message, span }| {
            let span = span.unwrap_or_default();
            let given = self.given_at(&span);
            let fields = words::fields(&message);
            if let (Some(given), Some(fields)) = (given, fields) {
                return self.unknown_key(&given.key, &fields);
            }
            let said = words::said(&message).unwrap_or(message);
            self.error_at(span, said)
        })
    }

    /// Takes out what a drive's file cannot be read for; nothing where that is something missing, or was given by an
    /// option.
    pub(super) fn take_out_refused(&mut self) -> Option<TakenOut> {
        let Refused { message, span } = read::<DriveFile>(&self.table).err()?;
        let span = span?;
        if message.starts_with("missing field") || self.given_at(&span).is_some() {
            return None;
        }
        let path = take_out(&mut self.table, &span)?;
        self.put_what_is_inherited(&path, &span);
        Some(TakenOut {
            path,
            span,
            said: message,
        })
    }

    /// In the place of what a drive's own file has wrong, what it would inherit: the rest can be read on.
    fn put_what_is_inherited(&mut self, path: &str, span: &Range<usize>) {
        let texts = &self.texts.texts;
        let Some((section, key)) = path.rsplit_once('.') else {
            return;
        };
        if span.start >= texts[0].text.len() {
            return;
        }
        let inherited = texts[1..].iter().find_map(|text| {
            let mut table = self.texts.parse(&text.text).ok()?;
            section_mut(&mut table, section)?.remove_entry(key)
        });
        if let (Some((key, value)), Some(table)) =
            (inherited, section_mut(&mut self.table, section))
        {
            table.insert(key, value);
        }
    }

    /// The range that a value's class spans, where the file has another value than its class.
    pub(super) fn class_range(texts: &Texts, path: &str) -> Option<[f64; 2]> {
        // Below the drive's own text stand those that it inherits from.
        let above = texts.texts.iter().skip(1);
        above
            .filter_map(|text| class_range_in(texts, text, path))
            .next()
    }

    /// What is wrong at a place: with file and line, or with the option that it was given by.
    pub(super) fn error_at(&self, span: Range<usize>, message: String) -> CatalogueError {
        match self.given_at(&span) {
            Some(given) => given.refused(message),
            None => self.texts.error_at(span, message),
        }
    }

    fn given_at(&self, span: &Range<usize>) -> Option<&'a Override> {
        let found = self.replaced.iter().find(|(place, _)| place == span);
        found.map(|(_, given)| *given)
    }
}

/// The table of a section of the file: `ssd.nand`, or `block_mapped`.
fn section_mut<'t, 'a>(table: &'t mut DeTable<'a>, path: &str) -> Option<&'t mut DeTable<'a>> {
    let mut table = table;
    for name in path.split('.') {
        table = match table.get_mut(name)?.get_mut() {
            value if is_sourced(value) => return None,
            DeValue::Table(inner) => inner,
            _ => return None,
        };
    }
    Some(table)
}

/// The range that a text gives for a value of a class.
fn class_range_in(texts: &Texts, text: &Text, path: &str) -> Option<[f64; 2]> {
    let mut table = texts.parse(&text.text).ok()?;
    let (section, key) = path.rsplit_once('.')?;
    let sourced = section_mut(&mut table, section)?.get(key)?.get_ref();
    let sourced = sourced.as_table()?;
    if get(sourced, "source")?.as_str()? != "class" {
        return None;
    }
    let within = get(sourced, "within")?.as_array()?;
    let number = |at: usize| match within.get(at)?.get_ref() {
        DeValue::Float(number) => number.as_str().replace('_', "").parse::<f64>().ok(),
        DeValue::Integer(number) => number.as_str().replace('_', "").parse::<f64>().ok(),
        _ => None,
    };
    Some([number(0)?, number(1)?])
}

/// The value of a key, or of its `value` where it has a source beside it.
fn leaf_mut<'t, 'a>(table: &'t mut DeTable<'a>, key: &str) -> Option<&'t mut Spanned<DeValue<'a>>> {
    let (first, rest) = match key.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (key, None),
    };
    let value = table.get_mut(first)?;
    match rest {
        Some(rest) => match value.get_mut() {
            DeValue::Table(inner) => leaf_mut(inner, rest),
            _ => None,
        },
        None if is_sourced(value.get_ref()) => match value.get_mut() {
            DeValue::Table(inner) => inner.get_mut("value"),
            _ => None,
        },
        None => Some(value),
    }
}

/// Lays tables under others: what is above stays.
fn merge<'a>(above: &mut DeTable<'a>, under: DeTable<'a>) {
    for (key, low) in under {
        match above.get_mut(key.get_ref().as_ref()) {
            Some(high) => merge_values(high, low),
            None => {
                above.insert(key, low);
            }
        }
    }
}

fn merge_values<'a>(high: &mut Spanned<DeValue<'a>>, low: Spanned<DeValue<'a>>) {
    let replaces = is_sourced(high.get_ref()) || is_sourced(low.get_ref());
    if let (DeValue::Table(high), DeValue::Table(low), false) =
        (high.get_mut(), low.into_inner(), replaces)
    {
        merge(high, low);
    }
}

/// A value with its source beside it.
fn is_sourced(value: &DeValue<'_>) -> bool {
    value
        .as_table()
        .is_some_and(|table| table.iter().any(|(name, _)| name.get_ref() == "value"))
}

/// What a file may inherit from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Above {
    /// Drives of one family.
    Family,
    /// Drives of one class.
    Kind,
}

impl Above {
    /// The word for it in a file and in errors.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Above::Family => "family",
            Above::Kind => "kind",
        }
    }
}

/// What a file inherits from.
struct Parent {
    what: Above,
    name: Spanned<String>,
}

/// Takes the names of family and kind out of `[drive]`: a file that names both inherits from its family, whose kind
/// it has.
fn take_parent(table: &mut DeTable<'_>) -> Option<Parent> {
    let DeValue::Table(drive) = table.get_mut("drive")?.get_mut() else {
        return None;
    };
    let mut take = |what: Above| {
        let named = remove(drive, what.name())?;
        let name = named.get_ref().as_str()?.to_owned();
        Some(Parent {
            what,
            name: Spanned::new(named.span(), name),
        })
    };
    let (family, kind) = (take(Above::Family), take(Above::Kind));
    family.or(kind)
}

fn remove<'a>(table: &mut DeTable<'a>, key: &str) -> Option<Spanned<DeValue<'a>>> {
    table.remove(key)
}

/// Sections that a file takes away are gone: `false` stands in the place of the section.
fn without_removed(table: &mut DeTable<'_>) {
    remove_false(table);
    for (_, value) in table.iter_mut() {
        if is_sourced(value.get_ref()) {
            continue;
        }
        if let DeValue::Table(sections) = value.get_mut() {
            without_removed(sections);
        }
    }
}

fn remove_false(table: &mut DeTable<'_>) {
    let is_false = |value: &Spanned<DeValue<'_>>| value.get_ref().as_bool() == Some(false);
    let gone = table.iter().filter(|(_, value)| is_false(value));
    let gone: Vec<String> = gone.map(|(key, _)| key.get_ref().to_string()).collect();
    for key in gone {
        table.remove(key.as_str());
    }
}

fn no_firmware(asked: &str, own: Option<String>, others: &DeTable<'_>) -> CatalogueError {
    let mut known: Vec<String> = own.into_iter().collect();
    known.extend(others.keys().map(|key| key.get_ref().to_string()));
    CatalogueError::Option {
        option: "firmware",
        value: asked.to_owned(),
        allowed: if known.is_empty() {
            "it has no choice of firmware".to_owned()
        } else {
            format!("it has {}", known.join(" and "))
        },
    }
}

/// The paths of all values that have a source.
fn list_keys(table: &DeTable<'_>, above: &str, keys: &mut Vec<String>) {
    for (name, value) in table {
        let path = if above.is_empty() {
            name.get_ref().to_string()
        } else {
            format!("{above}.{}", name.get_ref())
        };
        match value.get_ref() {
            value if is_sourced(value) => keys.push(path),
            DeValue::Table(inner) => list_keys(inner, &path, keys),
            _ => {}
        }
    }
}
