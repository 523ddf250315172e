//! Modelled drives with layers over them, from the target's name: `rapid(raid0(model:A,model:B))`.
//!
//! Layers are for modelled drives: a real drive has its real host. Members of an array are in one computer, so they
//! share one host. A layer is a file below with its options, and a line in [`LAYERS`].

use base::nearest::nearest;

use crate::error::{TargetError, did_you_mean};
use crate::grammar::{Options, Spec};
use crate::making::Making;
use crate::model;
use crate::options::option_error;
use crate::stack::{Layer, Over, Stack};

mod contents;
mod delay;
pub(crate) mod fault;
mod raid0;
mod rapid;

const LAYERS: &[Layer] = &[
    raid0::RAID0,
    rapid::RAPID,
    delay::DELAY,
    contents::CONTENTS,
    fault::FAULT,
];

/// The modelled drive, array or layer of a name.
///
/// # Errors
/// Unknown drives, layers and options; layers over something other than a modelled drive.
pub(crate) fn stack(target: &str, spec: &Spec, making: &Making) -> Result<Stack, TargetError> {
    let what = match spec {
        Spec::Model { name, options } => return model::drive(target, name, options, making),
        Spec::Layer {
            name,
            members,
            options,
        } => return over(target, name, members, options, making),
        Spec::Path { path, .. } => format!(
            "layers are for modelled drives, and {} is a real one: make an array or a cache with your system's means and name its device",
            path.display()
        ),
        Spec::Null { .. } => {
            "layers are for modelled drives; over null: only fault(...) can stand".to_owned()
        }
    };
    Err(option_error(target, what))
}

/// A layer over its members.
fn over(
    target: &str,
    name: &str,
    members: &[Spec],
    options: &Options,
    making: &Making,
) -> Result<Stack, TargetError> {
    let Some(layer) = LAYERS.iter().find(|layer| layer.name == name) else {
        let names: Vec<&str> = LAYERS.iter().map(|layer| layer.name).collect();
        let meant = did_you_mean(&nearest(name, &names));
        let what = format!(
            "there is no layer '{name}'{meant}; there are {}",
            names.join(", ")
        );
        return Err(option_error(target, what));
    };
    match (&layer.over, members) {
        (Over::Several(over), members) => over(target, members, options, making),
        (Over::One(over), [member]) => over(target, stack(target, member, making)?, options),
        (Over::One(_), members) => Err(option_error(
            target,
            format!("{name}(...) takes one target, not {}", members.len()),
        )),
        (Over::All, _) => Err(option_error(
            target,
            format!("{name}(...) must be the outermost layer, over one target"),
        )),
    }
}

#[cfg(test)]
mod tests;
