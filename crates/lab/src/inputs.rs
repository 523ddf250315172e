//! Files named by settings: opened here, since methods do no I/O, and identified by a digest.
//!
//! A file is examined when a run is prepared: its absolute path, its length and a digest of its bytes go into the
//! settings, and from there into the result. A resumed run must find the same content. A file whose name ends in `.gz`
//! is decompressed while it is read.

use std::collections::BTreeMap;
use std::io::{BufReader, Read};
use std::path::Path;

use base::input::{BadInput, Input, Inputs, Reader};
use base::method::{Card, Setting, Settings};
use base::nearest::nearest;
use base::whole_file;
use sha2::{Digest, Sha256};

use targets::error::did_you_mean;

/// Bytes that are read at once.
const BUFFER: usize = 256 << 10;

/// Examines every file that the settings name, and stores the facts about it.
///
/// # Errors
/// [`BadInput::Unreadable`] for one that is missing, not a file, or unreadable.
pub(crate) fn look_at(card: &Card, settings: &mut Settings) -> Result<(), BadInput> {
    for setting in card.settings {
        let text = settings.text(setting.key).to_owned();
        if setting.kind.is_a_path(&text) {
            let input = of_file(setting, &text)?;
            settings.inputs.insert(setting.key.to_owned(), input);
        }
    }
    Ok(())
}

fn of_file(setting: &Setting, text: &str) -> Result<Input, BadInput> {
    let unreadable = |why: String| BadInput::Unreadable {
        key: setting.key.to_owned(),
        path: text.to_owned(),
        why,
    };
    let said = |error: std::io::Error| {
        let meant = did_you_mean(&nearest(text, setting.kind.words()));
        let (key, kind) = (setting.key, setting.kind);
        unreadable(format!("{error}{meant}; {key} is {kind}"))
    };
    let path = std::path::absolute(text).map_err(said)?;
    let mut file = whole_file::open(&path).map_err(said)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; BUFFER];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut buffer).map_err(said)?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
        digest.update(&buffer[..read]);
    }
    Ok(Input {
        path: path.display().to_string(),
        digest: hexadecimal(&digest.finalize()),
        bytes,
        noted: serde_json::Value::Null,
    })
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputFiles(pub(crate) BTreeMap<String, Input>);

impl Inputs for InputFiles {
    fn open(&self, key: &str) -> Result<Reader, BadInput> {
        let unreadable = |path: &str, why: String| BadInput::Unreadable {
            key: key.to_owned(),
            path: path.to_owned(),
            why,
        };
        let Some(input) = self.0.get(key) else {
            return Err(unreadable("", "no file was given".to_owned()));
        };
        let path = Path::new(&input.path);
        let said = |error: std::io::Error| unreadable(&input.path, error.to_string());
        let file = whole_file::open(path).map_err(said)?;
        if file.metadata().map_err(said)?.len() != input.bytes {
            let why = "was changed since the run was prepared".to_owned();
            return Err(unreadable(&input.path, why));
        }
        Ok(if path.extension().is_some_and(|end| end == "gz") {
            let unpacked =
                flate2::read::MultiGzDecoder::new(BufReader::with_capacity(BUFFER, file));
            Box::new(BufReader::with_capacity(BUFFER, unpacked))
        } else {
            Box::new(BufReader::with_capacity(BUFFER, file))
        })
    }
}

/// A file's name in the conditions of a figure: by its name and content, independent of its location.
pub(crate) fn in_conditions(input: &Input) -> String {
    let name = Path::new(&input.path).file_name().unwrap_or_default();
    let digest = input.digest.get(..16).unwrap_or_default();
    format!("{} ({digest})", name.to_string_lossy())
}

/// The settings as stored: with absolute paths, since a run may be resumed from another directory.
pub(crate) fn with_absolute_paths(set: &[String], inputs: &BTreeMap<String, Input>) -> Vec<String> {
    let absolute = |pair: &String| {
        let key = pair.split_once('=').map_or("", |(key, _)| key.trim());
        inputs
            .get(key)
            .map_or_else(|| pair.clone(), |input| format!("{key}={}", input.path))
    };
    set.iter().map(absolute).collect()
}

/// The first file whose content has changed: its setting and its path.
pub(crate) fn changed<'a>(
    was: &BTreeMap<String, String>,
    is: &'a BTreeMap<String, Input>,
) -> Option<(&'a str, &'a str)> {
    is.iter()
        .find(|(key, input)| was.get(*key).is_some_and(|digest| *digest != input.digest))
        .map(|(key, input)| (key.as_str(), input.path.as_str()))
}
