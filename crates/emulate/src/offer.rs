//! From a target's name to a drive that can be served.
//!
//! A modelled drive normally has a modelled host, which adds time to each I/O; here the host is a real one, so it is
//! omitted unless the name gives one. The layers above (faults, arrays, caches) stay: errors at addresses, stutter,
//! disappearance are `fault(model:...)`; age, wear and temperature are states.

use std::path::Path;

use base::{Bytes, Forecast, Info, Interrupt, Scale, Target};
use targets::grammar::Spec;
use targets::{Consent, Drive, DriveClass, TargetError, resolve};

use crate::drive::{Emulated, RestoreError, Restored};
use crate::image::Image;
use crate::kept::{Kept, KeptError, Who, log_of};
use crate::log::Writer;
use crate::nbd::Export;

/// What is to be served.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The target's name.
    pub target: &'a str,
    /// Draws all that is drawn in it.
    pub seed: u64,
    /// Its folder; `None`: it is discarded with the process.
    pub folder: Option<&'a Path>,
    /// It acknowledges flushes without sending them to the drive.
    pub ignores_flushes: bool,
    /// It refuses writes.
    pub read_only: bool,
}

/// A drive that can be served.
pub struct Offer {
    pub drive: Emulated,
    /// Its description for clients.
    pub export: Export,
    pub title: String,
    /// The state that it had when it was new.
    pub state: String,
    /// For a kept drive: what was restored.
    pub restored: Option<Restored>,
    /// The folder is this process's for as long.
    pub kept: Option<Kept>,
}

/// Why it cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum OfferError {
    /// The name, or the drive's file.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// It is a real one.
    #[error(
        "{0} is not a modelled drive: only a model can be emulated (model:DRIVE; `drivelab drives` lists them)"
    )]
    Real(String),
    /// The protocol has no zones.
    #[error("{0} is a zoned drive, and NBD has no zone commands: use a conventional drive")]
    Zoned(String),
    /// The folder.
    #[error(transparent)]
    Kept(#[from] KeptError),
    /// What it was.
    #[error(
        "{folder}: {cause} (`drivelab emulate --salvage {folder} OUT` copies all readable data)"
    )]
    Restore { folder: String, cause: RestoreError },
    /// No file for the data.
    #[error("no file for the drive's data: {0}")]
    Data(std::io::Error),
}

/// Builds the drive, and restores it if it is kept.
///
/// # Errors
/// [`OfferError`].
pub fn offer(wanted: &Wanted<'_>, interrupt: &Interrupt) -> Result<Offer, OfferError> {
    let Modelled {
        name,
        target,
        info,
        title,
        state,
        rotational,
    } = modelled(wanted.target, wanted.seed, interrupt)?;
    let export = Export {
        capacity: info.capacity,
        block: info.block,
        preferred: Bytes::kib(4).max(info.block),
        read_only: wanted.read_only,
        rotational,
        description: format!("{title}, emulated by drivelab"),
    };
    let (mut drive, restored, kept) = match wanted.folder {
        None => (forgotten(target, export.capacity)?, None, None),
        Some(folder) => {
            let spec: Spec = name.parse().map_err(TargetError::from)?;
            let digest = targets::content::digest(&spec)?;
            let who = Who::new(&name, wanted.seed, export.capacity, &digest);
            let (drive, restored, kept) = had_back(target, folder, &who)?;
            (drive, Some(restored), Some(kept))
        }
    };
    if wanted.ignores_flushes {
        drive.ignore_flushes();
    }
    Ok(Offer {
        drive,
        export,
        title,
        state,
        restored,
        kept,
    })
}

/// A modelled drive without a host, and its description.
pub(crate) struct Modelled {
    name: String,
    pub(crate) target: Box<dyn Target>,
    info: Info,
    title: String,
    state: String,
    rotational: bool,
}

/// Builds the drive of a name as it was when it was new.
pub(crate) fn modelled(
    target: &str,
    seed: u64,
    interrupt: &Interrupt,
) -> Result<Modelled, OfferError> {
    let spec: Spec = target.parse().map_err(TargetError::from)?;
    let name = spec.without_a_host().to_string();
    let consent = Consent::default();
    let resolved = resolve(&name, &consent, seed)?;
    if !resolved.is_a_model() {
        return Err(OfferError::Real(target.to_owned()));
    }
    let rotational = resolved.class() == DriveClass::Disk;
    let admitted = resolved.admit("emulate", &Forecast::default(), &consent)?;
    let opened = admitted.open(Scale::default(), interrupt)?;
    let Drive::Model(mut drive) = opened.drive else {
        return Err(OfferError::Real(target.to_owned()));
    };
    if drive.zoned().is_some() {
        return Err(OfferError::Zoned(opened.record.title.to_string()));
    }
    Ok(Modelled {
        name,
        target: drive,
        info: opened.info,
        title: opened.record.title.to_string(),
        state: opened.record.state,
        rotational,
    })
}

/// A drive whose data is in an unnamed file.
fn forgotten(target: Box<dyn Target>, capacity: Bytes) -> Result<Emulated, OfferError> {
    let file = tempfile::tempfile().map_err(OfferError::Data)?;
    let image = Image::new(file, capacity).map_err(OfferError::Data)?;
    Ok(Emulated::new(target, image))
}

/// The drive of a folder, restored; a new one if the folder is new.
///
/// # Errors
/// [`OfferError`]: the folder is damaged, another drive's, or served.
pub fn had_back(
    target: Box<dyn Target>,
    folder: &Path,
    who: &Who,
) -> Result<(Emulated, Restored, Kept), OfferError> {
    let kept = Kept::open(folder)?;
    kept.is_for(who)?;
    let undo = kept.undo()?;
    let image = Image::new(kept.data()?, who.capacity)
        .and_then(|image| image.with_undo(undo))
        .map_err(OfferError::Data)?;
    let writer = Writer::new(kept.log()?);
    let drive = Emulated::new(target, image);
    let (drive, restored) =
        drive
            .restored(log_of(folder)?, writer)
            .map_err(|cause| OfferError::Restore {
                folder: folder.display().to_string(),
                cause,
            })?;
    Ok((drive, restored, kept))
}
