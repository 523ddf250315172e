//! A text of a drive's file, its families or its kind, and its entries.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One text of a file and its families.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    /// The file that it is in.
    pub file: String,
    pub text: String,
}

/// The value of a key.
pub(super) fn get<'t, 'a>(table: &'t DeTable<'a>, key: &str) -> Option<&'t DeValue<'a>> {
    table.get(key).map(Spanned::get_ref)
}
