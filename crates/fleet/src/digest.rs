//! By what a file is told from another on both ends of a connection: its SHA-256.

use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::FleetError;

/// Digits of it.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of a file, in hexadecimal digits.
pub(crate) fn sha256_of(path: &Path) -> Result<String, FleetError> {
    let fail = |source| FleetError::File {
        path: path.to_owned(),
        source,
    };
    let mut file = std::fs::File::open(path).map_err(fail)?;
    let mut digest = Sha256::new();
    let mut part = vec![0; 1 << 20];
    loop {
        match file.read(&mut part).map_err(fail)? {
            0 => return Ok(hexadecimal(&digest.finalize())),
            read => digest.update(&part[..read]),
        }
    }
}
