//! Modelled drives with layers over them, from the target's name: `rapid(raid0(model:A,model:B))`.
//!
//! Layers are for modelled drives: a real drive has its real host. Members of an array are in one
//! computer, so they are behind one host together. A layer is one line in [`over`].

use std::collections::BTreeMap;

use base::size::{Bytes, PicosPerByte};
use base::target::{HostRates, LinkRates};
use base::time::Duration;
use base::zone::ZoneLimits;
use results::tails::Tails;
use sim::catalogue::{self, CatalogueError, ModelOptions};
use sim::layer::contents::{Contents, Flaws};
use sim::layer::delay::Delay;
use sim::layer::host::{Computer, Host, HostTimes};
use sim::layer::partition::Partition;
use sim::layer::raid0::{Raid0, USUAL_STRIPE};
use sim::layer::rapid::{Rapid, RapidParameters};
use sim::model::Model;

use super::file_system;

use super::making::Making;
use super::options::{LAYERS, option_error, parse, spans, time, unknown_layer, unknown_option};
use super::{Consent, resolve};
use crate::compared::tails_of;
use crate::error::LabError;
use crate::grammar::{FILE_SYSTEM, Options as NameOptions, Spec};

/// A modelled drive with its layers, and what the result says of it.
pub(super) struct Stack {
    pub(super) model: Box<dyn Model>,
    pub(super) title: String,
    pub(super) identity: BTreeMap<String, String>,
    /// What the drive's link carries; nothing for what has several drives.
    pub(super) link: Option<LinkRates>,
    /// What the computer around it lets through; nothing for what has several drives.
    pub(super) host_rates: Option<HostRates>,
    pub(super) state: String,
    /// The host's name, and what stands over the drive.
    pub(super) path: String,
    /// The computer around it.
    pub(super) host: String,
    /// How far its long responses have been held against a real drive's.
    pub(super) tails: Tails,
    /// The zones of the drive beneath all layers, where it has any.
    pub(super) zones: Option<ZoneLimits>,
}

impl Stack {
    /// A drive without layers.
    fn plain(mut opened: catalogue::Opened, tails: Tails) -> Stack {
        let zones = opened.model.zoned().map(|zoned| zoned.limits());
        let told = zones.map(|zones| ("zones".to_owned(), zones.to_string()));
        opened.identity.extend(told);
        Stack {
            zones,
            model: opened.model,
            title: opened.title,
            identity: opened.identity,
            link: Some(opened.link),
            host_rates: opened.host_rates,
            state: opened.state,
            path: format!("modelled host {}", opened.host),
            host: opened.host,
            tails,
        }
    }
}

/// The modelled drive, array or layer of a name.
///
/// # Errors
/// Unknown drives, layers and options; layers over what is no modelled drive.
pub(super) fn stack(target: &str, spec: &Spec, making: &Making) -> Result<Stack, LabError> {
    match spec {
        Spec::Model { name, options } => {
            let options = model_options(target, options, making)?;
            let tails = tails(name, &options);
            let mut opened = catalogue::open(name, &options)?;
            if catalogue::is_known_by_data_sheet(name) {
                let known = (results::KNOWN_BY.to_owned(), results::DATA_SHEET.to_owned());
                opened.identity.extend([known]);
            }
            Ok(Stack::plain(opened, tails))
        }
        Spec::Layer {
            name,
            members,
            options,
        } => over(target, name, members, options, making),
        Spec::Path { path, .. } => Err(option_error(
            target,
            format!(
                "layers are for modelled drives, and {} is a real one: make an array or a cache with your system's means and name its device",
                path.display()
            ),
        )),
        Spec::Null { .. } => Err(option_error(
            target,
            "layers are for modelled drives; over null: only fault(...) can stand".to_owned(),
        )),
    }
}

/// What is known of a drive's tails: another firmware or other values make another drive.
fn tails(name: &str, options: &ModelOptions) -> Tails {
    let as_in_its_file = options.firmware.is_none()
        && options.overrides.is_empty()
        && options.without.is_empty()
        && options.with.is_empty()
        && options.ageing.is_none()
        && options.partition_offset.is_none();
    if as_in_its_file {
        tails_of(name)
    } else {
        Tails::NotCompared
    }
}

/// A layer over its members.
fn over(
    target: &str,
    name: &str,
    members: &[Spec],
    options: &NameOptions,
    making: &Making,
) -> Result<Stack, LabError> {
    match name {
        "raid0" => raid0(target, members, options, making),
        "fault" => Err(option_error(
            target,
            "fault(...) must be the outermost layer, over one target".to_owned(),
        )),
        _ if LAYERS.contains(&name) => match members {
            [member] => over_one(target, name, stack(target, member, making)?, options),
            _ => Err(option_error(
                target,
                format!("{name}(...) takes one target, not {}", members.len()),
            )),
        },
        _ => Err(unknown_layer(target, name)),
    }
}

/// A layer over one drive.
fn over_one(
    target: &str,
    name: &str,
    under: Stack,
    options: &NameOptions,
) -> Result<Stack, LabError> {
    match name {
        "rapid" => rapid(target, under, options),
        "delay" => delay(target, under, options),
        "contents" => contents(target, under, options),
        _ => Err(unknown_layer(target, name)),
    }
}

fn rapid(target: &str, under: Stack, options: &NameOptions) -> Result<Stack, LabError> {
    const KNOWN: [&str; 6] = ["memory", "dirty", "delay", "flush", "copy", "each"];
    let mut p = RapidParameters::usual();
    let mut dirty = None;
    for (key, value) in options {
        match key.as_str() {
            "memory" => p.memory = parse(target, key, value)?,
            "dirty" => dirty = Some(parse(target, key, value)?),
            "delay" => p.delay = time(target, key, value)?,
            "each" => p.each = time(target, key, value)?,
            "copy" => p.copy = copy_rate(target, parse(target, key, value)?)?,
            "flush" => p.honours_flush = flush(target, value)?,
            _ => return Err(unknown_option(target, key, &KNOWN)),
        }
    }
    p.dirty_limit = dirty.unwrap_or(Bytes::new(p.memory.get() / 2));
    let memory = p.memory;
    let model = Rapid::new(under.model, p).map_err(|e| option_error(target, e.to_string()))?;
    Ok(Stack {
        model: Box::new(model),
        title: format!("{} with {memory} of host cache", under.title),
        path: format!("{}, write-back cache of {memory}", under.path),
        tails: Tails::NotCompared,
        ..under
    })
}

/// Bytes a second.
fn copy_rate(target: &str, a_second: Bytes) -> Result<PicosPerByte, LabError> {
    if a_second < Bytes::mib(1) {
        return Err(option_error(
            target,
            "copy is the memory's copy rate in bytes per second, such as 6GB: at least 1MiB"
                .to_owned(),
        ));
    }
    Ok(PicosPerByte::from_mb_s(a_second.get() as f64 / 1e6))
}

fn flush(target: &str, value: &str) -> Result<bool, LabError> {
    match value {
        "honoured" => Ok(true),
        "ignored" => Ok(false),
        _ => Err(option_error(
            target,
            format!("flush is honoured or ignored, not '{value}'"),
        )),
    }
}

fn contents(target: &str, under: Stack, options: &NameOptions) -> Result<Stack, LabError> {
    const KNOWN: [&str; 3] = ["wraps", "flush", "corrupt"];
    let mut flaws = Flaws::default();
    for (key, value) in options {
        match key.as_str() {
            "wraps" => flaws.wraps = Some(parse(target, key, value)?),
            "flush" => flaws.ignores_flush = !flush(target, value)?,
            "corrupt" => flaws.corrupt = spans(target, key, value)?,
            _ => return Err(unknown_option(target, key, &KNOWN)),
        }
    }
    if flaws.wraps.is_some_and(|kept| kept < Bytes::SECTOR) {
        return Err(option_error(
            target,
            "wraps is how much of its capacity the drive has: at least a sector, 512".to_owned(),
        ));
    }
    let path = match flaws == Flaws::default() {
        true => "contents kept",
        false => "contents kept, not all of them",
    };
    Ok(Stack {
        model: Box::new(Contents::with_flaws(under.model, flaws)),
        path: format!("{}, {path}", under.path),
        ..under
    })
}

fn delay(target: &str, under: Stack, options: &NameOptions) -> Result<Stack, LabError> {
    let (mut read, mut write) = (Duration::ZERO, Duration::ZERO);
    for (key, value) in options {
        match key.as_str() {
            "read" => read = time(target, key, value)?,
            "write" => write = time(target, key, value)?,
            _ => return Err(unknown_option(target, key, &["read", "write"])),
        }
    }
    Ok(Stack {
        model: Box::new(Delay::new(under.model, read, write)),
        path: format!("{}, reads {read} and writes {write} later", under.path),
        tails: Tails::NotCompared,
        ..under
    })
}

/// True for the path of a value or a section of a drive's file.
pub fn is_of_the_file(key: &str) -> bool {
    [
        "ssd.",
        "hdd.",
        "block_mapped.",
        "ram_drive.",
        "xpoint.",
        "drive.capacity_bytes",
    ]
    .iter()
    .any(|kind| key.starts_with(kind))
}

/// The options that every modelled drive takes (of one under a layer, the layer takes the file system).
pub const MODEL_OPTIONS: [&str; 8] = [
    "state",
    "host",
    FILE_SYSTEM,
    "link",
    "firmware",
    "partition_offset",
    "ageing",
    "seed",
];

/// The options of a modelled drive. A value of its file can be replaced by its path
/// (`ssd.nand.dies=8`, `ssd.sub_unit.fills=in-turn`), a mechanism that it need not have is switched off by the name of its section
/// (`ssd.map_cache=off`).
fn model_options(
    target: &str,
    options: &NameOptions,
    making: &Making,
) -> Result<ModelOptions, LabError> {
    let mut model = ModelOptions {
        seed: making.seed,
        extent: making.extent.clone(),
        state: making.state,
        ..ModelOptions::default()
    };
    for (key, value) in options {
        match key.as_str() {
            "state" => model.state = parse(target, key, value)?,
            "host" => model.host = Some(value.clone()),
            FILE_SYSTEM => return Err(file_system::under_a_layer(target)),
            "link" => model.link = Some(value.clone()),
            "firmware" => model.firmware = Some(value.clone()),
            "partition_offset" => model.partition_offset = Some(parse(target, key, value)?),
            "ageing" => model.ageing = Some(ageing(target, value)?),
            "seed" => model.seed = parse(target, key, value)?,
            _ if is_of_the_file(key) && value == "off" => model.without.push(key.clone()),
            _ if is_of_the_file(key) && value == "on" => model.with.push(key.clone()),
            _ if is_of_the_file(key) => {
                model.overrides.push((key.clone(), value.clone()));
            }
            _ => {
                let mut known = MODEL_OPTIONS.to_vec();
                known.push("values of its file, such as ssd.nand.dies");
                return Err(unknown_option(target, key, &known));
            }
        }
    }
    Ok(model)
}

/// How many times faster a drive ages.
fn ageing(target: &str, value: &str) -> Result<u32, LabError> {
    let times: u32 = parse(target, "ageing", value)?;
    if (1..=1_000_000).contains(&times) {
        return Ok(times);
    }
    Err(option_error(
        target,
        "ageing is from 1 to 1000000 times as fast as a real drive".to_owned(),
    ))
}

/// Checks the modelled drives of a target, their options and the numbers given for their files,
/// without building any of them.
///
/// # Errors
/// As [`resolve`]; and a target that is not a modelled drive.
pub fn check_models(target: &str, seed: u64) -> Result<(), LabError> {
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

fn raid0(
    target: &str,
    members: &[Spec],
    options: &NameOptions,
    making: &Making,
) -> Result<Stack, LabError> {
    let (mut unit, mut offset) = (USUAL_STRIPE, None);
    for (key, value) in options {
        match key.as_str() {
            "stripe" => unit = parse(target, key, value)?,
            "partition_offset" => offset = Some(parse(target, key, value)?),
            _ => {
                let known = ["stripe", "partition_offset"];
                return Err(unknown_option(target, key, &known));
            }
        }
    }
    let bare = (members.iter().zip(0..))
        .map(|(member, i)| {
            array_member(target, member, &making.seeded(making.seed.wrapping_add(i)))
        })
        .collect::<Result<Vec<_>, _>>()?;
    array(target, bare, unit, offset)
}

type Bare = (catalogue::Opened, Option<Computer>);

/// A member of an array, without its host. Drives of one kind differ by their seeds.
fn array_member(target: &str, member: &Spec, making: &Making) -> Result<Bare, LabError> {
    let what = match member {
        Spec::Model { name, options } => {
            let options = model_options(target, options, making)?;
            return Ok(catalogue::open_without_host(name, &options)?);
        }
        Spec::Path { .. } => {
            "modelled members alone can be joined here: make an array of real drives with your system's means and name its device"
        }
        Spec::Null { .. } | Spec::Layer { .. } => {
            "the members of raid0(...) are modelled drives, model:NAME; other layers stand over the array"
        }
    };
    Err(option_error(target, what.to_owned()))
}

fn array(
    target: &str,
    bare: Vec<Bare>,
    unit: Bytes,
    offset: Option<Bytes>,
) -> Result<Stack, LabError> {
    let Some((first, computer)) = bare.first() else {
        return Err(unknown_layer(target, "raid0"));
    };
    let (host, computer) = (first.host.clone(), *computer);
    if let Some((other, _)) = bare.iter().find(|(member, _)| member.host != host) {
        let what = format!(
            "members of an array are in one computer, not in {host} and {}",
            other.host
        );
        return Err(option_error(target, what));
    }
    let count = bare.len();
    let titles: Vec<String> = bare.iter().map(|(m, _)| m.title.clone()).collect();
    let states: Vec<String> = bare.iter().map(|(m, _)| m.state.clone()).collect();
    let identity = members_identity(&titles, unit);
    let mut drives: Vec<Box<dyn Model>> =
        bare.into_iter().map(|(member, _)| member.model).collect();
    if drives.iter_mut().any(|drive| drive.zoned().is_some()) {
        let what = "drives whose zones are written in order are not joined: stripes go over them in another order";
        return Err(option_error(target, what.to_owned()));
    }
    let raid = Raid0::new(drives, unit).map_err(|e| option_error(target, e.to_string()))?;
    let mut model: Box<dyn Model> = Box::new(raid);
    if let Some(offset) = offset {
        model = Box::new(Partition::new(model, offset).map_err(CatalogueError::from)?);
    }
    if let Some(computer) = computer {
        model = Box::new(Host::new(model, of_an_array(computer, count)));
    }
    Ok(Stack {
        model,
        title: format!("RAID 0 of {}", counted(&titles).join(" and ")),
        identity,
        link: None,
        host_rates: None,
        state: same_or_all(&states),
        path: format!("modelled host {host}, RAID 0 with stripes of {unit}"),
        host,
        tails: Tails::NotCompared,
        zones: None,
    })
}

/// The driver lets as much through to each member as to a lone drive.
fn of_an_array(computer: Computer, members: usize) -> Computer {
    let times = computer.times;
    Computer {
        times: HostTimes {
            depth: times.depth.saturating_mul(members as u32),
            ..times
        },
        ..computer
    }
}

fn members_identity(titles: &[String], unit: Bytes) -> BTreeMap<String, String> {
    let mut identity: BTreeMap<String, String> = (titles.iter().enumerate())
        .map(|(i, title)| (format!("member {}", i + 1), title.clone()))
        .collect();
    identity.insert("stripe".to_owned(), unit.to_string());
    identity
}

/// Titles with how often each comes: `2 x A`.
fn counted(titles: &[String]) -> Vec<String> {
    let mut seen: Vec<(&String, usize)> = Vec::new();
    for title in titles {
        match seen.iter_mut().find(|(known, _)| *known == title) {
            Some((_, count)) => *count += 1,
            None => seen.push((title, 1)),
        }
    }
    let one = |(title, count): (&String, usize)| match count {
        1 => title.clone(),
        n => format!("{n} x {title}"),
    };
    seen.into_iter().map(one).collect()
}

/// The members' state where it is one, or all of them.
fn same_or_all(states: &[String]) -> String {
    match states.split_first() {
        Some((first, rest)) if rest.iter().all(|s| s == first) => first.clone(),
        _ => states.join("; "),
    }
}

#[cfg(test)]
mod tests;
