//! The drives' images on the host: made, remembered, and compared byte by byte.
//!
//! A drive's image is a plain file that QEMU writes through to the host's page cache. So what the guest has written
//! (drivelab's I/O bypasses the guest's own cache) can be compared here while the guest runs, and stays when QEMU is
//! killed: the drive kept its power, the computer did not.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::fleet::{Content, Drive};

const MIB: u64 = 1 << 20;
const STEP: usize = 1 << 20;

/// Location of the images and of their reference copies.
pub(crate) struct Images {
    folder: PathBuf,
}

/// Bytes that differ from the reference.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences {
    /// Inside the ranges that may be written.
    pub(crate) inside: u64,
    pub(crate) outside: u64,
    pub(crate) first_outside: Option<u64>,
}

impl Images {
    /// Images in that folder.
    pub(crate) fn new(folder: &Path) -> Images {
        Images {
            folder: folder.to_path_buf(),
        }
    }

    /// A drive's image.
    pub(crate) fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.img"))
    }

    fn remembered(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.before"))
    }

    /// Makes a drive's image as it leaves the factory.
    pub(crate) fn make(&self, drive: &Drive) -> Result<()> {
        let path = self.path(&drive.id);
        let file =
            File::create(&path).with_context(|| format!("{} cannot be made", path.display()))?;
        match drive.content {
            Content::Zeros => file.set_len(drive.size_mib * MIB)?,
            Content::Noise => write_noise(file, drive)?,
        }
        Ok(())
    }

    /// Keeps a copy to compare with.
    pub(crate) fn remember(&self, id: &str) -> Result<()> {
        std::fs::copy(self.path(id), self.remembered(id))
            .with_context(|| format!("the image of {id} cannot be copied"))?;
        Ok(())
    }

    /// Compares with the reference; `allowed` may differ.
    pub(crate) fn compare(&self, id: &str, allowed: &[Range<u64>]) -> Result<Differences> {
        compare(&self.path(id), &self.remembered(id), allowed)
    }
}

/// Noise from a generator that the drive's id seeds (xorshift64*): no block is like another, on any drive.
fn write_noise(file: File, drive: &Drive) -> Result<()> {
    let mut state = drive
        .id
        .bytes()
        .fold(0x9E37_79B9_7F4A_7C15_u64, |state, byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
    let mut out = BufWriter::with_capacity(STEP, file);
    for _ in 0..drive.size_mib * MIB / 8 {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        out.write_all(&state.wrapping_mul(0x2545_F491_4F6C_DD1D).to_le_bytes())?;
    }
    Ok(out.flush()?)
}

fn compare(now: &Path, before: &Path, allowed: &[Range<u64>]) -> Result<Differences> {
    let (mut now, mut before) = (File::open(now)?, File::open(before)?);
    let (mut left, mut right) = (vec![0; STEP], vec![0; STEP]);
    let mut found = Differences::default();
    let mut base = 0;
    loop {
        let length = read_full(&mut now, &mut left)?;
        if length != read_full(&mut before, &mut right)? {
            anyhow::bail!("the image has another length than it had");
        }
        if length == 0 {
            return Ok(found);
        }
        if left[..length] != right[..length] {
            count(&left[..length], &right[..length], base, allowed, &mut found);
        }
        base += length as u64;
    }
}

fn count(left: &[u8], right: &[u8], base: u64, allowed: &[Range<u64>], found: &mut Differences) {
    for (address, (a, b)) in (base..).zip(left.iter().zip(right)) {
        if a == b {
            continue;
        }
        if allowed.iter().any(|range| range.contains(&address)) {
            found.inside += 1;
        } else {
            found.outside += 1;
            found.first_outside.get_or_insert(address);
        }
    }
}

fn read_full(file: &mut File, buffer: &mut [u8]) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            length => filled += length,
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_outside_the_ranges_is_found_with_its_address() {
        let folder = std::env::temp_dir().join(format!("devices-images-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (now, before) = (folder.join("now"), folder.join("before"));
        let mut bytes = vec![7_u8; STEP + 100];
        std::fs::write(&before, &bytes).unwrap();
        bytes[10] = 1;
        bytes[STEP + 5] = 1;
        bytes[STEP + 50] = 1;
        std::fs::write(&now, &bytes).unwrap();
        let end = STEP as u64;
        let found = compare(&now, &before, &[5..20, end + 50..end + 60]).unwrap();
        let expected = Differences {
            inside: 2,
            outside: 1,
            first_outside: Some(end + 5),
        };
        assert_eq!(found, expected);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
