//! A modelled drive of the catalogue or of a file, and its options: `model:NAME?state=steady-random`.

use base::state::NotAState;
use results::tails::Tails;
use sim::catalogue::{self, DriveSheet, ModelOptions};

use crate::compared::tails_of;
use crate::error::TargetError;
use crate::grammar::{FILE_SYSTEM, Options as NameOptions, Spec};
use crate::making::Making;
use crate::options::{
    OptionOf, explained, option, option_error, put, put_some, read, unknown_option,
};
use crate::stack::Stack;

/// A drive without layers.
///
/// # Errors
/// A drive that is not there, an option that it does not take.
pub(crate) fn drive(
    target: &str,
    name: &str,
    options: &NameOptions,
    making: &Making,
) -> Result<Stack, TargetError> {
    let options = model_options(target, options, making)?;
    let tails = tails(name, &options);
    let mut opened = catalogue::open(name, &options)?;
    if catalogue::is_known_by_data_sheet(name) {
        let known = (results::KNOWN_BY.to_owned(), results::DATA_SHEET.to_owned());
        opened.identity.extend([known]);
    }
    Ok(Stack::plain(opened, tails))
}

/// The sheet of a modelled drive as its options make it.
///
/// # Errors
/// A target that is no modelled drive, or one below layers; a drive that is not there, an option that it does not take.
pub fn sheet(spec: &Spec) -> Result<DriveSheet, TargetError> {
    let target = spec.to_string();
    let Spec::Model { name, options } = spec else {
        let what = "only a modelled drive without layers has a sheet: model:NAME".to_owned();
        return Err(option_error(&target, what));
    };
    let options: NameOptions = options
        .iter()
        .filter(|(key, _)| key != FILE_SYSTEM)
        .cloned()
        .collect();
    let options = model_options(&target, &options, &Making::outline(0))?;
    Ok(catalogue::describe_with(name, &options)?)
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

/// True for the path of a value or a section of a drive's file.
pub fn is_of_the_file(key: &str) -> bool {
    [
        "ssd.",
        "hdd.",
        "block_mapped.",
        "ram_drive.",
        "xpoint.",
        "drive.capacity_bytes",
        "drive.interface",
    ]
    .iter()
    .any(|kind| key.starts_with(kind))
}

const TABLE: &[OptionOf<ModelOptions>] = &[
    explained("state", |model, value| {
        model.state = value.parse().map_err(|why: NotAState| why.to_string())?;
        Ok(())
    }),
    option("host", "a modelled host or none", |model, value| {
        put_some(&mut model.host, value)
    }),
    option(
        "link",
        "a link, such as sata-2 or pcie-3x4",
        |model, value| put_some(&mut model.link, value),
    ),
    option(
        "firmware",
        "a firmware of the drive's file",
        |model, value| put_some(&mut model.firmware, value),
    ),
    option(
        "partition_offset",
        "a size, such as 31.5KiB",
        |model, value| put_some(&mut model.partition_offset, value),
    ),
    option(
        "ageing",
        "how many times faster than a real drive it ages, from 1 to 1000000",
        |model, value| {
            let times = value
                .parse()
                .ok()
                .filter(|times| (1..=1_000_000).contains(times))?;
            model.ageing = Some(times);
            Some(())
        },
    ),
    option("seed", "a whole number", |model, value| {
        put(&mut model.seed, value)
    }),
];

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
/// (`ssd.map_cache=off`), and one that another drive has is added or taken in place of its own
/// (`ssd.slc=from:samsung-840-evo-250gb`).
pub(crate) fn model_options(
    target: &str,
    options: &NameOptions,
    making: &Making,
) -> Result<ModelOptions, TargetError> {
    let mut model = ModelOptions {
        seed: making.seed,
        extent: making.extent.clone(),
        state: making.state,
        ..ModelOptions::default()
    };
    let of_the_file = options.iter().filter(|(key, _)| is_of_the_file(key));
    for (key, value) in of_the_file {
        match value.as_str() {
            "off" => model.without.push(key.clone()),
            "on" => model.with.push(key.clone()),
            value => match value.strip_prefix("from:") {
                Some(drive) => model.taken_from.push((key.clone(), drive.to_owned())),
                None => model.overrides.push((key.clone(), value.to_owned())),
            },
        }
    }
    for (key, value) in options.iter().filter(|(key, _)| !is_of_the_file(key)) {
        if key == FILE_SYSTEM {
            return Err(under_a_layer(target));
        }
        if !MODEL_OPTIONS.contains(&key.as_str()) {
            let mut known = MODEL_OPTIONS.to_vec();
            known.push("values of its file, such as ssd.nand.dies");
            return Err(unknown_option(target, key, &known));
        }
        read(
            target,
            &vec![(key.clone(), value.clone())],
            TABLE,
            &mut model,
        )?;
    }
    Ok(model)
}

/// A drive below a layer has no file system of its own.
fn under_a_layer(target: &str) -> TargetError {
    option_error(
        target,
        format!("the file system is above all layers: put {FILE_SYSTEM}= after the last bracket"),
    )
}
