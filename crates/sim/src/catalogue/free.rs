//! The free parameters of a drive: the values that its file, or its family's, marks as fitted.
//!
//! A fit is a program: it reads from here what it may change and how far, opens the drive with
//! other numbers ([`ModelOptions::overrides`]), and writes what it found into the file named here.

use super::inherited::Inherited;
use super::{CatalogueError, ModelOptions, checked, drive_texts};
pub use crate::sheet::FittedBy;
use crate::sheet::Source;

/// A value that may be fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeParameter {
    /// Its path in the file: `ssd.link.read_mb_s`.
    pub key: String,
    /// What it is now, in the unit that its name says.
    pub value: f64,
    /// It takes whole multiples of this alone, 1 for any whole number; `None` if it takes any
    /// number. A track holds whole physical sectors: multiples of 8 sectors of 512 bytes where
    /// these have 4 KiB.
    pub step: Option<u32>,
    /// The least and the greatest that is physically possible.
    pub within: [f64; 2],
    /// The facts that it is fitted to.
    pub facts: Vec<String>,
    /// How it was found; `None` if the file does not say it, which means by `drivelab develop fit`.
    pub by: Option<FittedBy>,
    /// The file that holds it: the drive's own or a family's.
    pub file: String,
}

/// The free parameters of a drive, in the order of its sheet.
///
/// # Errors
/// Where there is no such drive, or its file is wrong.
pub fn free_parameters(
    name: &str,
    options: &ModelOptions,
) -> Result<Vec<FreeParameter>, CatalogueError> {
    let (_, texts) = drive_texts(name, options)?;
    let mut whole = Inherited::join(&texts, options.firmware.as_deref())?;
    let file = checked(&texts, &whole)?;
    let Some(parts) = file.parts() else {
        return Ok(Vec::new());
    };
    let mut free = Vec::new();
    for section in parts.sections() {
        for row in section.rows {
            let (Source::Fitted, Some(within), Ok(value)) =
                (row.source, row.within, row.value.parse())
            else {
                continue;
            };
            if matches!(row.by, Some(FittedBy::Rated | FittedBy::Twin)) {
                continue; // to the drive's own data sheet or results, not to published measurements
            }
            let key = parts.path(section.name, row.key);
            free.push(FreeParameter {
                value,
                step: row.step.or(whole.is_whole(&key).then_some(1)),
                within,
                facts: row.facts,
                by: row.by,
                file: texts.file_at(&row.span).to_owned(),
                key,
            });
        }
    }
    Ok(free)
}

/// A value of a drive that is known only by the range of its class.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenValue {
    /// Its path in the file: `ssd.nand.read_us`.
    pub key: String,
    /// What it is taken for, in the unit that its name says; 1 and 0 of what is so or not.
    pub value: f64,
    /// The range that its class spans.
    pub within: [f64; 2],
    /// It takes whole numbers alone.
    pub whole: bool,
    /// It is so or not: both are in its class.
    pub flag: bool,
}

/// The values of a drive that its kind gives with a range, in the order of its sheet.
///
/// # Errors
/// Where there is no such drive, or its file is wrong.
pub fn open_values(name: &str) -> Result<Vec<OpenValue>, CatalogueError> {
    let (_, texts) = drive_texts(name, &ModelOptions::default())?;
    let mut whole = Inherited::join(&texts, None)?;
    let file = checked(&texts, &whole)?;
    let Some(parts) = file.parts() else {
        return Ok(Vec::new());
    };
    let mut open = Vec::new();
    for section in parts.sections() {
        for row in section.rows {
            let flag = row.value.parse::<bool>().ok();
            let number = flag.map(|so| f64::from(u8::from(so)));
            let value = number.or_else(|| row.value.parse().ok());
            if let (Source::Class, Some(within), Some(value)) = (row.source, row.within, value) {
                let key = parts.path(section.name, row.key);
                open.push(OpenValue {
                    value,
                    within,
                    whole: whole.is_whole(&key),
                    flag: flag.is_some(),
                    key,
                });
            }
        }
    }
    Ok(open)
}

/// The files that a drive is made of: its own first, then those of its families.
///
/// # Errors
/// Where there is no such drive, or one of its files is wrong.
pub fn files(name: &str) -> Result<Vec<String>, CatalogueError> {
    let (_, texts) = drive_texts(name, &ModelOptions::default())?;
    Ok(texts.files())
}
