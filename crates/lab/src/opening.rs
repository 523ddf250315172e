//! From a target's name to a target: what it is, whether it may be written, and what is to be said
//! of it in the result.
//!
//! A real drive is opened once, and gets an engine for each phase: as deep and with buffers as large
//! as the phase needs. A test file is made when its size is known, that is after the method has
//! made its forecast.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use base::fault::{Faults, Faulty};
use base::method::{Forecast, Scale};
use base::null::Null;
use base::size::Bytes;
use base::target::{Info, Target};
use base::time::Duration;
use inspect::{self, Identity, Kind, Root};
use results::{TargetKind, TargetRecord};
use sim::virtual_time::Virtual;
use uring::open::MOST_DEPTH;
use uring::testfile::{Naming, TestFile};

use crate::error::LabError;
use crate::grammar::{Options as NameOptions, Spec};

mod asking;
mod class;
mod description;
mod file_system;
mod found_again;
mod health;
mod layers;
mod making;
mod options;
mod real_drive;
mod would_open;

pub(crate) use asking::Asking;
pub use class::DriveClass;
use class::test_file_bytes;
use description::{facts_of, title_of};
pub use file_system::{FILE_SYSTEM, placed_on};
pub use found_again::{On, name_now, path_of};
use layers::Stack;
pub use layers::{MODEL_OPTIONS, check_models, is_of_the_file};
pub use making::Making;
use options::{
    RealOptions, engine_options, faults_of, option_error, real_options, time, unknown_option,
};
use real_drive::Held;
pub use real_drive::RealDrive;

/// What the user allows on a real target.
#[derive(Clone, Debug, Default)]
pub struct Consent {
    /// `--destroy-data` was given.
    pub destroy_data: bool,
    /// What was typed (or given by `--confirm`) to say which drive.
    pub confirm: Option<String>,
}

/// A target that is ready for a run.
pub struct Opened {
    /// The drive.
    pub drive: Drive,
    /// What it says of itself.
    pub info: Info,
    /// What the result says of it.
    pub record: TargetRecord,
    /// What the user should read now.
    pub remarks: Vec<String>,
    /// What limits every result on it.
    pub warnings: Vec<String>,
    /// True where a run on it can be resumed in another process.
    pub resumable: bool,
    /// True for a test file of ours: its blocks must be written before they are read.
    pub unwritten: bool,
}

/// A drive, real or modelled.
pub enum Drive {
    /// Answers in its own time.
    Real(Box<RealDrive>),
    /// Answers in virtual time.
    Model(Box<dyn Target>),
}

/// A name that has been looked up: enough for a forecast, nothing made or claimed yet.
pub struct Looked {
    spec: Spec,
    /// What a forecast may assume. A directory has as much as its file system has free.
    pub provisional: Info,
    what: What,
    faults: Option<Faults>,
}

enum What {
    Model(Box<Stack>),
    Null(Duration),
    Directory {
        identity: Box<Identity>,
        real: RealOptions,
    },
    Existing {
        identity: Box<Identity>,
        real: RealOptions,
    },
}

/// Looks a target up by its name.
///
/// # Errors
/// An unknown drive, path or option, each in one line.
pub fn look_up(text: &str, consent: &Consent, seed: u64) -> Result<Looked, LabError> {
    look_up_unless(text, consent, &Making::from(seed))
}

/// The same, unless somebody wants to stop while a modelled drive is made.
///
/// # Errors
/// As [`look_up`], and the interrupt.
pub fn look_up_unless(text: &str, consent: &Consent, making: &Making) -> Result<Looked, LabError> {
    let spec: Spec = text.parse()?;
    let (under, faults) = match &spec {
        Spec::Layer {
            name,
            members,
            options,
        } if name == "fault" && members.len() == 1 => {
            (members[0].clone(), Some(faults_of(text, options)?))
        }
        other => (other.clone(), None),
    };
    let (provisional, what) = match &under {
        Spec::Model { .. } | Spec::Layer { .. } => {
            let stack = file_system::stack(text, &under, making)?;
            (stack.model.info(), What::Model(Box::new(stack)))
        }
        Spec::Null { options } => look_up_null(text, options)?,
        Spec::Path { path, options } => look_up_path(text, path, options, consent)?,
    };
    Ok(Looked {
        spec,
        provisional,
        what,
        faults,
    })
}

fn look_up_null(target: &str, options: &NameOptions) -> Result<(Info, What), LabError> {
    let mut service = Duration::from_micros(1);
    for (key, value) in options {
        match key.as_str() {
            "service" => service = time(target, key, value)?,
            _ => return Err(unknown_option(target, key, &["service"])),
        }
    }
    if service.is_zero() {
        return Err(option_error(
            target,
            "service must be at least 1ns: in no time at all, virtual time would stand still"
                .to_owned(),
        ));
    }
    let info = Null::new(NULL_CAPACITY, service).info();
    Ok((info, What::Null(service)))
}

/// What `null:` holds: as much as a large drive.
const NULL_CAPACITY: Bytes = Bytes::gib(1_024);

fn look_up_path(
    target: &str,
    path: &Path,
    options: &NameOptions,
    consent: &Consent,
) -> Result<(Info, What), LabError> {
    let real = real_options(target, options)?;
    let identity = Box::new(inspect::identify(&Root::new("/"), path)?);
    let info = |capacity: Bytes, block: Bytes, writable: bool| {
        let capacity = real.span.map_or(capacity, |span| span.min(capacity));
        Info {
            capacity,
            block,
            max_in_flight: MOST_DEPTH,
            writable,
        }
    };
    let has = match &identity.kind {
        Kind::Directory => None,
        Kind::RegularFile { bytes, .. } => Some(*bytes),
        _ => identity.drive.as_ref().map(|drive| drive.capacity),
    };
    real.check(target, has)?;
    Ok(match &identity.kind {
        Kind::Directory => {
            let free = identity
                .file_system
                .as_ref()
                .map_or(Bytes::ZERO, |fs| fs.free);
            let most = real
                .size
                .unwrap_or(Bytes::new(free.get() / 10 * 9).round_down(Bytes::mib(1)));
            (
                info(most, Bytes::SECTOR, true),
                What::Directory { identity, real },
            )
        }
        Kind::RegularFile { bytes, .. } => {
            let info = info(*bytes, Bytes::SECTOR, consent.destroy_data);
            (info, What::Existing { identity, real })
        }
        _ => {
            let drive = identity.drive.as_ref();
            let capacity = drive.map_or(Bytes::ZERO, |d| d.capacity);
            let block = drive.and_then(|d| d.logical_block).unwrap_or(Bytes::SECTOR);
            (
                info(capacity, block, consent.destroy_data),
                What::Existing { identity, real },
            )
        }
    })
}

impl Looked {
    /// The modelled drive itself, with its layers; nothing for anything else.
    pub fn into_model(self) -> Option<Box<dyn sim::model::Model>> {
        match self.what {
            What::Model(stack) => Some(stack.model),
            _ => None,
        }
    }

    /// The file systems that a test file can be on here: those of a modelled host, or the one of a
    /// directory; none for anything else.
    pub fn file_systems(&self) -> Vec<String> {
        match &self.what {
            What::Model(stack) => file_system::of_host(&stack.host),
            What::Directory { identity, .. } => {
                let there = identity.file_system.iter();
                there.map(|file_system| file_system.kind.clone()).collect()
            }
            What::Null(_) | What::Existing { .. } => Vec::new(),
        }
    }

    /// A device or file of the user's, and what goes wrong with it on purpose.
    pub fn identity_and_faults(&self) -> Option<(Identity, Option<Faults>)> {
        match &self.what {
            What::Existing { identity, .. } => {
                Some((identity.as_ref().clone(), self.faults.clone()))
            }
            _ => None,
        }
    }

    /// How the target may be confirmed before it is overwritten, in words.
    pub fn token(&self) -> String {
        match &self.what {
            What::Existing { identity, .. } => match (
                &identity.kind,
                inspect::confirm_token(&Root::new("/"), identity),
            ) {
                (Kind::RegularFile { .. }, _) => format!("its path, {}", identity.path.display()),
                (_, Some(token)) => format!("its serial number or name, {token}"),
                (_, None) => {
                    "nothing: it has no serial number, WWN or by-id name that tells it from all other drives, so it is never written"
                        .to_owned()
                }
            },
            _ => "nothing".to_owned(),
        }
    }

    /// What is on the target that a write would destroy, in words; asked before it is confirmed.
    pub fn would_be_lost(&self) -> Vec<String> {
        match &self.what {
            What::Existing { identity, .. } => {
                inspect::found_on(&Root::new("/"), identity).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// True for a modelled drive or the null target: nothing of it can be lost or worn.
    pub fn is_a_model(&self) -> bool {
        matches!(self.what, What::Model(_) | What::Null(_))
    }

    /// True for a directory, in which a test file is made.
    pub fn is_a_test_file(&self) -> bool {
        matches!(self.what, What::Directory { .. })
    }

    /// True for a device or a file of the user's: what is written there is lost.
    pub fn is_the_users_own(&self) -> bool {
        matches!(self.what, What::Existing { .. })
    }

    /// Opens it for a run that will take what `forecast` says.
    ///
    /// # Errors
    /// Where there is no room, no permission, no engine, or the consent does not fit.
    pub fn open(
        self,
        forecast: &Forecast,
        scale: Scale,
        consent: &Consent,
    ) -> Result<Opened, LabError> {
        let name = self.spec.to_string();
        let faults = self.faults;
        match self.what {
            What::Model(opened) => Ok(open_model(name, *opened, faults)),
            What::Null(service) => Ok(open_null(name, service, faults)),
            What::Directory { identity, real } => {
                open_test_file(name, &identity, &real, forecast, scale, faults)
            }
            What::Existing { identity, real } => {
                open_existing(name, &identity, &real, consent, self.provisional, faults)
            }
        }
    }
}

fn with_faults(target: Box<dyn Target>, faults: Option<Faults>) -> Box<dyn Target> {
    match faults {
        None => target,
        Some(faults) => Box::new(Faulty::new(target, faults)),
    }
}

fn open_model(name: String, opened: Stack, faults: Option<Faults>) -> Opened {
    let info = opened.model.info();
    let record = TargetRecord {
        name,
        title: opened.title,
        kind: TargetKind::Model,
        info: Some(info),
        identity: opened.identity,
        state: opened.state,
        path: opened.path,
    };
    let target: Box<dyn Target> = Box::new(Virtual::new(opened.model));
    Opened {
        drive: Drive::Model(with_faults(target, faults)),
        info,
        record,
        remarks: Vec::new(),
        warnings: Vec::new(),
        resumable: false,
        unwritten: false,
    }
}

fn open_null(name: String, service: Duration, faults: Option<Faults>) -> Opened {
    let null = Null::new(NULL_CAPACITY, service);
    let info = null.info();
    let record = TargetRecord {
        name,
        title: format!("null target, {service} an I/O"),
        kind: TargetKind::Model,
        info: Some(info),
        identity: BTreeMap::new(),
        state: "none".to_owned(),
        path: "virtual time, no host".to_owned(),
    };
    let drive = Drive::Model(with_faults(Box::new(null), faults));
    Opened {
        drive,
        info,
        record,
        remarks: Vec::new(),
        warnings: Vec::new(),
        resumable: false,
        unwritten: false,
    }
}

/// A test file where the method does not say how large: `quick`, `default`, `full`.
const FILE_SIZES: [Bytes; 3] = [Bytes::mib(64), Bytes::gib(1), Bytes::gib(4)];

fn open_test_file(
    name: String,
    identity: &Identity,
    real: &RealOptions,
    forecast: &Forecast,
    scale: Scale,
    faults: Option<Faults>,
) -> Result<Opened, LabError> {
    let directory = identity.path.clone();
    let mut remarks: Vec<String> = uring::testfile::remove_stale(&directory)?
        .iter()
        .map(|path| {
            format!(
                "removed {}, a test file that a killed run had left",
                path.display()
            )
        })
        .collect();
    let bytes = test_file_bytes(real.size, forecast, scale);
    let file = TestFile::create(&directory, bytes, Naming::NamelessIfPossible)?;
    remarks.push(format!(
        "test file of {} in {}; {} stay free",
        file.bytes(),
        directory.display(),
        file.free_after()
    ));
    let size = file.bytes();
    let drive = RealDrive {
        held: Held::Test(file),
        path: directory,
        engine: engine_options(real, false),
        faults,
    };
    let mut opened = real_opened(name, identity, drive, remarks)?;
    opened.info.capacity = size;
    opened.record.info = Some(opened.info);
    opened.unwritten = true;
    opened.resumable = false;
    Ok(opened)
}

fn open_existing(
    name: String,
    identity: &Identity,
    real: &RealOptions,
    consent: &Consent,
    provisional: Info,
    faults: Option<Faults>,
) -> Result<Opened, LabError> {
    let (root, path) = (Root::new("/"), &identity.path);
    let typed = consent.confirm.clone().unwrap_or_default();
    let held = if !consent.destroy_data {
        Held::File(inspect::open_as_seen(&root, identity, false)?)
    } else if matches!(identity.kind, Kind::RegularFile { .. }) {
        Held::File(open_confirmed_file(identity, &typed)?)
    } else {
        let device = inspect::open_for_destruction(&root, path, &typed)?;
        Held::Claimed(Box::new(device))
    };
    let drive = RealDrive {
        held,
        path: path.clone(),
        engine: engine_options(real, !consent.destroy_data),
        faults,
    };
    let mut opened = real_opened(name, identity, drive, Vec::new())?;
    opened.info.capacity = opened.info.capacity.min(provisional.capacity);
    opened.record.info = Some(opened.info);
    opened.warnings.extend(holes_in(path, identity));
    Ok(opened)
}

/// Opens a file of the user's for overwriting, where its path was typed and nobody uses it.
///
/// # Errors
/// [`LabError::NotConfirmed`]; a file that is in use, or that is another one by now.
pub fn open_confirmed_file(identity: &Identity, typed: &str) -> Result<File, LabError> {
    if !is_path_of(identity, typed) {
        return Err(LabError::NotConfirmed {
            path: identity.path.clone(),
            typed: typed.to_owned(),
        });
    }
    Ok(inspect::open_file_for_destruction(
        &Root::new("/"),
        identity,
    )?)
}

/// A file is confirmed by its path: as it was named, or from the root with all links followed.
fn is_path_of(identity: &Identity, typed: &str) -> bool {
    let typed = Path::new(typed.trim());
    typed == identity.path || typed == identity.real
}

/// A file system answers reads of blocks that were never written without asking the drive.
fn holes_in(path: &Path, identity: &Identity) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let Kind::RegularFile { bytes, .. } = &identity.kind else {
        return None;
    };
    // `st_blocks` counts 512-byte sectors, whatever the file system's block is.
    let stored = Bytes::SECTOR * std::fs::metadata(path).ok()?.blocks();
    (stored < *bytes).then(|| {
        format!(
            "{} stores {stored} of its {bytes}: reads of the holes never reach the drive",
            path.display()
        )
    })
}

fn real_opened(
    name: String,
    identity: &Identity,
    drive: RealDrive,
    remarks: Vec<String>,
) -> Result<Opened, LabError> {
    let (info, way) = drive.describe()?;
    let record = TargetRecord {
        name,
        title: title_of(identity),
        kind: TargetKind::Real,
        info: Some(info),
        identity: facts_of(identity),
        state: "unknown".to_owned(),
        path: way,
    };
    Ok(Opened {
        drive: Drive::Real(Box::new(drive)),
        info,
        record,
        remarks,
        warnings: Vec::new(),
        resumable: true,
        unwritten: false,
    })
}

/// The number of the device on which a path lies (`st_dev`), for the warning that store and target
/// share a drive.
pub fn lies_on(looked: &Looked) -> Option<u64> {
    let path: PathBuf = match &looked.what {
        What::Directory { identity, .. } | What::Existing { identity, .. } => identity.path.clone(),
        _ => return None,
    };
    store::device_of(&path).ok()
}
