//! `raid0(target,target)`: stripes over modelled drives in one computer.

use std::collections::BTreeMap;

use base::message::{Argument, Message};
use base::size::Bytes;
use results::tails::Tails;
use sim::catalogue::{self, CatalogueError};
use sim::layer::host::{Computer, Host, HostTimes};
use sim::layer::partition::Partition;
use sim::layer::raid0::{Raid0, USUAL_STRIPE};
use sim::model::Model;

use crate::error::TargetError;
use crate::grammar::{Options, Spec};
use crate::making::Making;
use crate::model::model_options;
use crate::options::{OptionOf, option, option_error, put, put_some, read};
use crate::stack::{Layer, Over, Stack};

pub(crate) const RAID0: Layer = Layer {
    name: "raid0",
    over: Over::Several(raid0),
};

struct Layout {
    stripe: Bytes,
    partition_offset: Option<Bytes>,
}

const TABLE: &[OptionOf<Layout>] = &[
    option("stripe", "a size, such as 64KiB", |layout, value| {
        put(&mut layout.stripe, value)
    }),
    option(
        "partition_offset",
        "a size, such as 31.5KiB",
        |layout, value| put_some(&mut layout.partition_offset, value),
    ),
];

fn raid0(
    target: &str,
    members: &[Spec],
    options: &Options,
    making: &Making,
) -> Result<Stack, TargetError> {
    let mut layout = Layout {
        stripe: USUAL_STRIPE,
        partition_offset: None,
    };
    read(target, options, TABLE, &mut layout)?;
    let bare = (members.iter().zip(0..))
        .map(|(member, i)| {
            array_member(target, member, &making.seeded(making.seed.wrapping_add(i)))
        })
        .collect::<Result<Vec<_>, _>>()?;
    array(target, bare, layout.stripe, layout.partition_offset)
}

type Bare = (catalogue::Opened, Option<Computer>);

/// A member of an array, without its host. Drives of one kind differ by their seeds.
fn array_member(target: &str, member: &Spec, making: &Making) -> Result<Bare, TargetError> {
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
) -> Result<Stack, TargetError> {
    let Some((first, computer)) = bare.first() else {
        return Err(option_error(
            target,
            "raid0(...) needs at least two members".to_owned(),
        ));
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
        title: Message::new("title-raid0", [("drives", counted(&titles))]),
        identity,
        link: None,
        host_rates: None,
        state: same_or_all(&states),
        path: Message::new(
            "path-raid0",
            [("host", (&host).into()), ("unit", unit.into())],
        ),
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
fn counted(titles: &[String]) -> Argument {
    let mut seen: Vec<(&String, usize)> = Vec::new();
    for title in titles {
        match seen.iter_mut().find(|(known, _)| *known == title) {
            Some((_, count)) => *count += 1,
            None => seen.push((title, 1)),
        }
    }
    let one = |(title, count): (&String, usize)| match count {
        1 => Message::as_it_stands(title),
        n => Message::as_it_stands(format!("{n} x {title}")),
    };
    Argument::Said {
        parts: seen.into_iter().map(one).collect(),
        between: " and ".to_owned(),
    }
}

/// The members' state where it is one, or all of them.
fn same_or_all(states: &[String]) -> String {
    match states.split_first() {
        Some((first, rest)) if rest.iter().all(|s| s == first) => first.clone(),
        _ => states.join("; "),
    }
}
