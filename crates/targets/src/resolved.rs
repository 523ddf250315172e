//! A resolved target name: what it refers to, its properties, whether all options and layers fit. Nothing is built,
//! opened for writing or claimed.

use std::path::Path;

use base::fault::Faults;
use base::interrupt::Interrupt;
use base::null::Null;
use base::size::Bytes;
use base::state::State;
use base::target::{Info, Target};
use base::time::Duration;
use inspect::{self, Identity, Kind, Root};
use results::tails::Tails;
use sim::model::Model;
use uring::open::MOST_DEPTH;

use crate::consent::Consent;
use crate::error::TargetError;
use crate::file_system;
use crate::grammar::{Options as NameOptions, Spec};
use crate::layers::fault::{FAULT, faults_of};
use crate::making::Making;
use crate::options::{OptionOf, option, option_error, read};
use crate::real_options::RealOptions;
use crate::stack::Stack;

/// A target's name, understood: enough for a forecast, nothing made or claimed yet.
pub struct ResolvedTarget {
    pub(crate) spec: Spec,
    /// What a forecast may assume. A directory has as much as its file system has free.
    pub provisional: Info,
    pub(crate) found: Found,
    pub(crate) faults: Option<Faults>,
    /// Draws all that is drawn in a modelled drive.
    pub(crate) seed: u64,
    /// The state of modelled drives whose names do not specify one.
    pub(crate) usual: State,
}

/// What a name leads to.
pub(crate) enum Found {
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

/// Resolves a target's name: what it refers to, its properties, whether all options and layers fit. Nothing is built,
/// opened for writing or claimed.
///
/// # Errors
/// An unknown drive, path or option, each in one line.
pub fn resolve(text: &str, consent: &Consent, seed: u64) -> Result<ResolvedTarget, TargetError> {
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
pub(crate) fn beneath_faults(spec: &Spec) -> (&Spec, Option<&NameOptions>) {
    match spec {
        Spec::Layer {
            name,
            members,
            options,
        } if name == FAULT.name && members.len() == 1 => (&members[0], Some(options)),
        other => (other, None),
    }
}

/// Its I/Os take this long; with zero, virtual time would not advance.
const NULL_OPTIONS: &[OptionOf<Duration>] = &[option(
    "service",
    "a time of 1ns at least",
    |service, value| {
        *service = value
            .parse()
            .ok()
            .filter(|time: &Duration| !time.is_zero())?;
        Some(())
    },
)];

fn resolve_null(target: &str, options: &NameOptions) -> Result<(Info, Found), TargetError> {
    let mut service = Duration::from_micros(1);
    read(target, options, NULL_OPTIONS, &mut service)?;
    let info = Null::new(NULL_CAPACITY, service).info();
    Ok((info, Found::Null(service)))
}

/// What `null:` holds: as much as a large drive.
pub(crate) const NULL_CAPACITY: Bytes = Bytes::gib(1_024);

fn resolve_path(
    target: &str,
    path: &Path,
    options: &NameOptions,
    consent: &Consent,
) -> Result<(Info, Found), TargetError> {
    let real = RealOptions::of(target, options)?;
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

/// Checks the modelled drives of a target, their options and the numbers given for their files,
/// without building any of them.
///
/// # Errors
/// As [`resolve`]; and a target that is not a modelled drive.
pub fn check_models(target: &str, seed: u64) -> Result<(), TargetError> {
    if is_modelled(&target.parse()?) {
        return resolve(target, &Consent::default(), seed).map(|_| ());
    }
    Err(option_error(
        target,
        "only a modelled drive can be varied: model:NAME, with layers or without".to_owned(),
    ))
}

fn is_modelled(spec: &Spec) -> bool {
    match spec {
        Spec::Model { .. } => true,
        Spec::Layer { members, .. } => members.iter().all(is_modelled),
        Spec::Path { .. } | Spec::Null { .. } => false,
    }
}

impl ResolvedTarget {
    /// Builds the modelled drive, with its layers and without its faults; `None` for anything else.
    ///
    /// # Errors
    /// No memory for it, or the interrupt.
    pub fn build_model(
        &self,
        interrupt: &Interrupt,
    ) -> Result<Option<Box<dyn Model>>, TargetError> {
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

    /// A user's device or file, and the injected faults.
    pub fn identity_and_faults(&self) -> Option<(Identity, Option<Faults>)> {
        match &self.found {
            Found::Existing { identity, .. } => {
                Some((identity.as_ref().clone(), self.faults.clone()))
            }
            _ => None,
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

    /// True for a user's device or file: writes to it destroy data.
    pub fn is_the_users_own(&self) -> bool {
        matches!(self.found, Found::Existing { .. })
    }
}

/// The modelled drive of a name, with its layers and without its faults.
pub(crate) fn built(spec: &Spec, making: &Making) -> Result<Box<dyn Model>, TargetError> {
    let (under, _) = beneath_faults(spec);
    Ok(file_system::stack(&spec.to_string(), under, making)?.model)
}
