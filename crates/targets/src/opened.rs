//! A target, open: a modelled drive is built, a test file is made, a device or file is opened.
//!
//! A real drive is opened once, and gets an engine for each phase: as deep and with buffers as large as the phase needs.
//! A test file is made when its size is known, that is after the method has made its forecast.

use base::fault::{Faults, Faulty};
use base::interrupt::Interrupt;
use base::message::{Argument, Message};
use base::method::{Forecast, Scale};
use base::null::Null;
use base::target::{Info, Target};
use base::time::Duration;
use inspect::{self, Identity, Kind, Root};
use results::tails::Tails;
use results::{TargetKind, TargetRecord};
use sim::virtual_time::Virtual;
use uring::testfile::{Naming, TestFile};

use crate::class::test_file_bytes;
use crate::consent::Consent;
use crate::description::{facts_of, holes_in, link_of, slow_link_of, title_of};
use crate::error::TargetError;
use crate::gate::{Admitted, open_confirmed_file};
use crate::making::Making;
use crate::options::option_error;
use crate::real_drive::{Held, RealDrive};
use crate::real_options::RealOptions;
use crate::resolved::{Found, NULL_CAPACITY, ResolvedTarget, built};
use crate::stack::Stack;

/// A target that is ready for a run.
pub struct Opened {
    pub drive: Drive,
    /// Its properties.
    pub info: Info,
    /// Its description in the result.
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

impl ResolvedTarget {
    /// The target as a previous run left it, instead of a new one; `after` describes its history.
    ///
    /// # Errors
    /// A real drive, which keeps its own state.
    pub fn carried_over(self, drive: Drive, after: &str) -> Result<Opened, TargetError> {
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
        *state = base::state::carried_over(state, after);
        Ok(opened)
    }

    /// Checks what [`Admitted::open`] would check.
    ///
    /// # Errors
    /// As [`Admitted::open`], and where nothing was typed yet to confirm what would be overwritten.
    pub fn would_open(
        &self,
        forecast: &Forecast,
        scale: Scale,
        consent: &Consent,
    ) -> Result<(), TargetError> {
        match &self.found {
            Found::Model(_) | Found::Null(_) => Ok(()),
            Found::Directory { identity, real } => {
                let bytes = test_file_bytes(real.size, forecast, scale);
                Ok(uring::testfile::would_fit(&identity.path, bytes)?)
            }
            Found::Existing { identity, real } if !consent.destroy_data => {
                let (name, faults) = (self.spec.to_string(), self.faults.clone());
                let on = self.provisional;
                open_existing(name, identity, real, consent, on, faults).map(|_| ())
            }
            Found::Existing { identity, .. } => self.may_be_overwritten(identity, consent),
        }
    }
}

impl Admitted {
    /// Opens it for what it was admitted for.
    ///
    /// # Errors
    /// If there is no room, no permission, no engine, or the consent does not match.
    pub fn open(self, scale: Scale, interrupt: &Interrupt) -> Result<Opened, TargetError> {
        let (target, forecast, consent) = self.parts();
        let name = target.spec.to_string();
        let faults = target.faults;
        match target.found {
            Found::Model(outline) => {
                let making = Making::whole(target.seed, interrupt).in_state(target.usual);
                let model = built(&target.spec, &making)?;
                let drive = Drive::Model(with_faults(Box::new(Virtual::new(model)), faults));
                Ok(opened_model(name, drive, *outline))
            }
            Found::Null(service) => Ok(open_null(name, service, faults)),
            Found::Directory { identity, real } => {
                open_test_file(name, &identity, &real, &forecast, scale, faults)
            }
            Found::Existing { identity, real } => {
                open_existing(name, &identity, &real, &consent, target.provisional, faults)
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

/// A modelled drive, and the description from its outline.
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
        title: Message::new("title-null", [("service", service.into())]),
        kind: TargetKind::Model,
        info: Some(info),
        state: "none".to_owned(),
        path: Message::of("path-null"),
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

fn open_test_file(
    name: String,
    identity: &Identity,
    real: &RealOptions,
    forecast: &Forecast,
    scale: Scale,
    faults: Option<Faults>,
) -> Result<Opened, TargetError> {
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
        engine: real.engine(false),
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
) -> Result<Opened, TargetError> {
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
        engine: real.engine(!consent.destroy_data),
        faults,
        zones: identity.drive.as_ref().and_then(|drive| drive.zones),
    };
    let mut opened = real_opened(name, identity, drive, Vec::new())?;
    opened.info.capacity = opened.info.capacity.min(provisional.capacity);
    opened.record.info = Some(opened.info);
    opened.warnings.extend(holes_in(path, identity));
    Ok(opened)
}

fn real_opened(
    name: String,
    identity: &Identity,
    drive: RealDrive,
    remarks: Vec<Message>,
) -> Result<Opened, TargetError> {
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
        path: Message::as_it_stands(way),
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
