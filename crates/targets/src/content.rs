//! What a target's name leads to, as a digest: whether it is still the same drive.
//!
//! `./mine.toml` is another drive in another directory, after an edit, and after an edit of its family. The name stays
//! the same. So the digest covers the name and all files that it refers to. A kept drive whose log is replayed must
//! have the same digest; and the program's version must be the same, too, since the mechanisms are the program's.

use sha2::{Digest, Sha256};
use sim::catalogue::{CatalogueError, written, written_of_host};

use crate::error::TargetError;
use crate::grammar::{Options, Spec};

/// Bytes of the digest that are used.
const BYTES: usize = 16;

/// A digest of a modelled target's name and of the files of its drives and hosts.
///
/// # Errors
/// A drive or host that is not there.
pub fn digest(spec: &Spec) -> Result<String, TargetError> {
    let mut digest = Sha256::new();
    digest.update(spec.to_string());
    add(spec, &mut digest)?;
    let bytes = digest.finalize();
    let shown = bytes.iter().take(BYTES).map(|byte| format!("{byte:02x}"));
    Ok(shown.collect())
}

fn add(spec: &Spec, digest: &mut Sha256) -> Result<(), TargetError> {
    match spec {
        Spec::Path { .. } | Spec::Null { .. } => Ok(()),
        Spec::Model { name, options } => {
            add_text(digest, written(name)?);
            Ok(add_host(options, digest)?)
        }
        Spec::Layer {
            members, options, ..
        } => {
            add_host(options, digest)?;
            members.iter().try_for_each(|member| add(member, digest))
        }
    }
}

fn add_host(options: &Options, digest: &mut Sha256) -> Result<(), CatalogueError> {
    for (key, host) in options {
        if key == "host" {
            add_text(digest, written_of_host(host)?);
        }
    }
    Ok(())
}

/// With its length in front, so that no two files are like one.
fn add_text(digest: &mut Sha256, text: String) {
    digest.update((text.len() as u64).to_le_bytes());
    digest.update(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_s_own_file_is_known_by_what_is_written_in_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("mine.toml");
        let text = include_str!("../../../catalog/drives/samsung-840-evo-250gb.toml");
        let digest_of = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let spec: Spec = format!("model:{}", path.display()).parse().unwrap();
            digest(&spec).unwrap()
        };
        let (once, again) = (digest_of(text), digest_of(text));
        assert_eq!(once, again);
        assert_ne!(once, digest_of(&text.replace("Samsung", "Samsong")));
    }
}
