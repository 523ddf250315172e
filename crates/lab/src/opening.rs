//! From a target's name to a target: what it is, whether it may be written, and what is to be said
//! of it in the result.
//!
//! A real drive is opened once, and gets an engine for each phase: as deep and with buffers as large
//! as the phase needs. A test file is made when its size is known, that is after the method has
//! made its forecast.

use std::fs::File;
use std::path::Path;

use base::fault::{Faults, Faulty};
use base::message::{Argument, Message};
use base::method::{Forecast, Scale};
use base::null::Null;
use base::size::Bytes;
use base::target::{Info, Target};
use base::time::Duration;
use inspect::{self, Identity, Kind, Root};
use results::tails::Tails;
use results::{TargetKind, TargetRecord};
use sim::model::Model;
use sim::state::State;
use sim::virtual_time::Virtual;
use uring::open::MOST_DEPTH;
use uring::testfile::{Naming, TestFile};

use crate::error::LabError;
use crate::grammar::{Options as NameOptions, Spec};
use crate::progress::Interrupt;

mod asking;
mod class;
mod description;
mod file_system;
mod found_again;
mod health;
mod layers;
mod making;
mod neighbours;
mod options;
mod real_drive;
mod served_by;
mod would_open;
mod written_over;

pub(crate) use asking::Asking;
pub use class::DriveClass;
use class::test_file_bytes;
use description::{facts_of, holes_in, link_of, slow_link_of, title_of};
pub use file_system::placed_on;
pub use found_again::{On, name_now, path_of};
use layers::Stack;
pub use layers::{MODEL_OPTIONS, check_models, is_of_the_file};
use making::Making;
use options::{
    RealOptions, engine_options, faults_of, option_error, real_options, time, unknown_option,
};
use real_drive::Held;
pub use real_drive::RealDrive;
pub(crate) use served_by::served_by;

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
    pub remarks: Vec<Message>,
    /// What limits every result on it.
    pub warnings: Vec<Message>,
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

/// A target's name, understood: enough for a forecast, nothing made or claimed yet.
pub struct ResolvedTarget {
    spec: Spec,
    /// What a forecast may assume. A directory has as much as its file system has free.
    pub provisional: Info,
    found: Found,
    faults: Option<Faults>,
    /// Draws all that is drawn in a modelled drive.
    seed: u64,
    /// What modelled drives have been through whose names do not say it.
    usual: State,
}

/// What a name leads to.
enum Found {
    /// The outlines of modelled drives, with their layers.
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

/// Resolves a target's name: what it leads to, what that says of itself, whether all options and
/// layers fit. Nothing is built, opened for writing or claimed.
///
/// # Errors
/// An unknown drive, path or option, each in one line.
pub fn resolve(text: &str, consent: &Consent, seed: u64) -> Result<ResolvedTarget, LabError> {
    let spec: Spec = text.parse()?;
    let (under, faults) = beneath_faults(&spec);
    let faults = faults.map(|options| faults_of(text, options)).transpose()?;
    let (provisional, found) = match under {
        Spec::Model { .. } | Spec::Layer { .. } => {
            let mut stack = file_system::stack(text, under, &Making::outline(seed))?;
            if faults.is_some() {
                stack.tails = Tails::NotCompared;
            }
            (stack.model.info(), Found::Model(Box::new(stack)))
        }
        Spec::Null { options } => resolve_null(text, options)?,
        Spec::Path { path, options } => resolve_path(text, path, options, consent)?,
    };
    Ok(ResolvedTarget {
        spec,
        provisional,
        found,
        faults,
        seed,
        usual: State::default(),
    })
}

/// A target without the faults that are put over it, and their options.
fn beneath_faults(spec: &Spec) -> (&Spec, Option<&NameOptions>) {
    match spec {
        Spec::Layer {
            name,
            members,
            options,
        } if name == "fault" && members.len() == 1 => (&members[0], Some(options)),
        other => (other, None),
    }
}

fn resolve_null(target: &str, options: &NameOptions) -> Result<(Info, Found), LabError> {
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
    Ok((info, Found::Null(service)))
}

/// What `null:` holds: as much as a large drive.
const NULL_CAPACITY: Bytes = Bytes::gib(1_024);

fn resolve_path(
    target: &str,
    path: &Path,
    options: &NameOptions,
    consent: &Consent,
) -> Result<(Info, Found), LabError> {
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
            let system = identity.file_system.as_ref();
            let free = system.map_or(Bytes::ZERO, |fs| fs.free);
            let usual = Bytes::new(free.get() / 10 * 9).round_down(Bytes::mib(1));
            let most = real
                .size
                .map_or(usual, |asked| asked.round_up(Bytes::mib(1)));
            (
                info(most, Bytes::SECTOR, true),
                Found::Directory { identity, real },
            )
        }
        Kind::RegularFile { bytes, .. } => {
            let info = info(*bytes, Bytes::SECTOR, consent.destroy_data);
            (info, Found::Existing { identity, real })
        }
        _ => {
            let drive = identity.drive.as_ref();
            let capacity = drive.map_or(Bytes::ZERO, |d| d.capacity);
            let block = drive.and_then(|d| d.logical_block).unwrap_or(Bytes::SECTOR);
            (
                info(capacity, block, consent.destroy_data),
                Found::Existing { identity, real },
            )
        }
    })
}

impl ResolvedTarget {
    /// Builds the modelled drive, with its layers and without its faults; `None` for anything else.
    ///
    /// # Errors
    /// No memory for it, or the interrupt.
    pub fn build_model(&self, interrupt: &Interrupt) -> Result<Option<Box<dyn Model>>, LabError> {
        match self.found {
            Found::Model(_) => {
                let making = Making::whole(self.seed, interrupt).in_state(self.usual);
                built(&self.spec, &making).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The file systems that a test file can be on here: those of a modelled host, or the one of a
    /// directory; none for anything else.
    pub fn file_systems(&self) -> Vec<String> {
        match &self.found {
            Found::Model(stack) => file_system::of_host(&stack.host),
            Found::Directory { identity, .. } => {
                let there = identity.file_system.iter();
                there.map(|file_system| file_system.kind.clone()).collect()
            }
            Found::Null(_) | Found::Existing { .. } => Vec::new(),
        }
    }

    /// A device or file of the user's, and what goes wrong with it on purpose.
    pub fn identity_and_faults(&self) -> Option<(Identity, Option<Faults>)> {
        match &self.found {
            Found::Existing { identity, .. } => {
                Some((identity.as_ref().clone(), self.faults.clone()))
            }
            _ => None,
        }
    }

    /// How the target may be confirmed before it is overwritten, in words.
    pub fn token(&self) -> String {
        match &self.found {
            Found::Existing { identity, .. } => match (
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
        match &self.found {
            Found::Existing { identity, .. } => {
                inspect::found_on(&Root::new("/"), identity).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// True for a modelled drive or the null target: nothing of it can be lost or worn.
    pub fn is_a_model(&self) -> bool {
        matches!(self.found, Found::Model(_) | Found::Null(_))
    }

    /// True for a directory, in which a test file is made.
    pub fn is_a_test_file(&self) -> bool {
        matches!(self.found, Found::Directory { .. })
    }

    /// True for a device or a file of the user's: what is written there is lost.
    pub fn is_the_users_own(&self) -> bool {
        matches!(self.found, Found::Existing { .. })
    }

    /// The target as a run before has left it, instead of a new one; `after` says what it has been
    /// through.
    ///
    /// # Errors
    /// A real drive, which keeps its own state.
    pub(crate) fn carried_over(self, drive: Drive, after: &str) -> Result<Opened, LabError> {
        let name = self.spec.to_string();
        let mut opened = match self.found {
            Found::Model(outline) => opened_model(name, drive, *outline),
            Found::Null(service) => opened_null(name, drive, service),
            Found::Directory { .. } | Found::Existing { .. } => {
                let why = "a real drive keeps its own state and is not carried over";
                return Err(option_error(&name, why.to_owned()));
            }
        };
        let state = &mut opened.record.state;
        *state = format!("{state}, carried over after {after}");
        Ok(opened)
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
        interrupt: &Interrupt,
    ) -> Result<Opened, LabError> {
        let name = self.spec.to_string();
        let faults = self.faults;
        match self.found {
            Found::Model(outline) => {
                let making = Making::whole(self.seed, interrupt).in_state(self.usual);
                let model = built(&self.spec, &making)?;
                let target: Box<dyn Target> = Box::new(Virtual::new(model));
                let drive = Drive::Model(with_faults(target, faults));
                Ok(opened_model(name, drive, *outline))
            }
            Found::Null(service) => Ok(open_null(name, service, faults)),
            Found::Directory { identity, real } => {
                open_test_file(name, &identity, &real, forecast, scale, faults)
            }
            Found::Existing { identity, real } => {
                open_existing(name, &identity, &real, consent, self.provisional, faults)
            }
        }
    }
}

/// The modelled drive of a name, with its layers and without its faults.
fn built(spec: &Spec, making: &Making) -> Result<Box<dyn Model>, LabError> {
    let (under, _) = beneath_faults(spec);
    Ok(file_system::stack(&spec.to_string(), under, making)?.model)
}

fn with_faults(target: Box<dyn Target>, faults: Option<Faults>) -> Box<dyn Target> {
    match faults {
        None => target,
        Some(faults) => Box::new(Faulty::new(target, faults)),
    }
}

/// A modelled drive, and what its outline says of it.
fn opened_model(name: String, drive: Drive, outline: Stack) -> Opened {
    let info = outline.model.info();
    let record = TargetRecord {
        name,
        title: outline.title,
        kind: TargetKind::Model,
        info: Some(info),
        identity: outline.identity,
        link: outline.link,
        host: outline.host_rates,
        state: outline.state,
        path: outline.path,
        tails: Some(outline.tails),
        ..TargetRecord::default()
    };
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

fn open_null(name: String, service: Duration, faults: Option<Faults>) -> Opened {
    let null = with_faults(Box::new(Null::new(NULL_CAPACITY, service)), faults);
    opened_null(name, Drive::Model(null), service)
}

fn opened_null(name: String, drive: Drive, service: Duration) -> Opened {
    let info = Null::new(NULL_CAPACITY, service).info();
    let record = TargetRecord {
        name,
        title: format!("null target, {service} an I/O"),
        kind: TargetKind::Model,
        info: Some(info),
        state: "none".to_owned(),
        path: "virtual time, no host".to_owned(),
        tails: Some(Tails::Exact),
        known_misses: Vec::new(),
        ..TargetRecord::default()
    };
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
    let removed = |path: &std::path::PathBuf| {
        Message::new(
            "test-file-removed",
            [("file", Argument::text(path.display()))],
        )
    };
    let stale = uring::testfile::remove_stale(&directory)?;
    let mut remarks: Vec<Message> = stale.iter().map(removed).collect();
    let bytes = test_file_bytes(real.size, forecast, scale);
    let file = TestFile::create(&directory, bytes, Naming::NamelessIfPossible)?;
    remarks.push(Message::new(
        "test-file-made",
        [
            ("size", file.bytes().into()),
            ("folder", Argument::text(directory.display())),
            ("free", file.free_after().into()),
        ],
    ));
    let size = file.bytes();
    let drive = RealDrive {
        held: Held::Test(file),
        path: directory,
        engine: engine_options(real, false),
        faults,
        zones: None,
    };
    let mut opened = real_opened(name, identity, drive, remarks)?;
    opened.info.capacity = size;
    opened.record.info = Some(opened.info);
    let identity = &mut opened.record.identity;
    identity.insert(results::TEST_FILE.to_owned(), size.to_string());
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
        zones: identity.drive.as_ref().and_then(|drive| drive.zones),
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

fn real_opened(
    name: String,
    identity: &Identity,
    drive: RealDrive,
    remarks: Vec<Message>,
) -> Result<Opened, LabError> {
    let (info, way) = drive.describe()?;
    let record = TargetRecord {
        name,
        title: title_of(identity),
        kind: TargetKind::Real,
        info: Some(info),
        identity: facts_of(identity),
        link: link_of(identity),
        slow_link: slow_link_of(identity),
        beneath: inspect::beneath(&Root::new("/"), identity),
        state: "unknown".to_owned(),
        path: way,
        ..TargetRecord::default()
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
pub fn lies_on(resolved: &ResolvedTarget) -> Option<u64> {
    let path = match &resolved.found {
        Found::Directory { identity, .. } | Found::Existing { identity, .. } => &identity.path,
        _ => return None,
    };
    store::device_of(path).ok()
}
