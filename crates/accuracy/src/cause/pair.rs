//! Two modelled drives, and the drive that is A but for some groups, in which it is B.
//!
//! Dies cannot change alone: the flash has to hold the capacity still. So the blocks of a plane follow from the geometry and
//! from how much flash there is in all, each of which is A's or B's by the groups that are switched.

use sim::catalogue::DriveSheet;
use targets::TargetError;
use targets::grammar::{Options, Spec};

use super::CauseError;
use super::groups::{Group, differences};
use results::cause::DriveMechanism as M;

/// One of the two drives.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// Slug, or path of its file.
    pub(super) name: String,
    pub(super) options: Options,
    pub(super) sheet: DriveSheet,
}

impl Side {
    fn of(target: &str) -> Result<Side, CauseError> {
        let spec: Spec = target.parse().map_err(TargetError::from)?;
        let sheet = targets::sheet(&spec)?;
        match spec {
            Spec::Model { name, options } => Ok(Side {
                name,
                options,
                sheet,
            }),
            _ => Err(CauseError::NotADrive(target.to_owned())),
        }
    }

    /// The value of an option of the target.
    pub(super) fn option(&self, key: &str) -> Option<String> {
        let found = self.options.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value.clone())
    }

    pub(super) fn target(&self) -> String {
        let (name, options) = (self.name.clone(), self.options.clone());
        Spec::Model { name, options }.to_string()
    }
}

/// How flash is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flash {
    dies: u64,
    planes: u64,
    page_kib: u64,
    pages_a_block: u64,
    blocks_a_plane: u64,
    unused_blocks_a_plane: u64,
}

impl Flash {
    /// A block in every plane of every die, in KiB.
    fn row_kib(&self) -> u64 {
        self.dies * self.planes * self.page_kib * self.pages_a_block
    }

    /// All of it, in KiB.
    pub(super) fn raw_kib(&self) -> u64 {
        self.row_kib() * self.blocks_a_plane
    }

    /// Whether only the numbers of blocks differ.
    pub(super) fn has_the_dies_of(&self, other: &Flash) -> bool {
        let bare = |flash: &Flash| Flash {
            blocks_a_plane: 0,
            unused_blocks_a_plane: 0,
            ..*flash
        };
        bare(self) == bare(other)
    }

    /// As much flash as another one has, in this one's dies.
    fn holding(&self, other: &Flash) -> Flash {
        if self.has_the_dies_of(other) {
            return *other;
        }
        let row = self.row_kib().max(1);
        let as_many = |blocks: u64| (blocks * other.row_kib()).div_ceil(row);
        Flash {
            blocks_a_plane: as_many(other.blocks_a_plane),
            unused_blocks_a_plane: as_many(other.unused_blocks_a_plane),
            ..*self
        }
    }
}

/// The flash of a drive that has some.
pub(super) fn flash_of(sheet: &DriveSheet) -> Option<Flash> {
    let nand = sheet.sections.iter().find(|s| s.name == "nand")?;
    let number = |key: &str| {
        let row = nand.rows.iter().find(|row| row.key == key)?;
        row.value.parse().ok()
    };
    Some(Flash {
        dies: number("dies")?,
        planes: number("planes")?,
        page_kib: number("page_kib")?,
        pages_a_block: number("pages_a_block")?,
        blocks_a_plane: number("blocks_a_plane")?,
        unused_blocks_a_plane: number("unused_blocks_a_plane").unwrap_or(0),
    })
}

/// Both drives.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) a: Side,
    pub(super) b: Side,
    flash: Option<[Flash; 2]>,
}

impl Pair {
    pub(super) fn of(a: &str, b: &str) -> Result<Pair, CauseError> {
        let (a, b) = (Side::of(a)?, Side::of(b)?);
        let flash = flash_of(&a.sheet).zip(flash_of(&b.sheet));
        let flash = flash.map(|(a, b)| [a, b]);
        Ok(Pair { a, b, flash })
    }

    pub(super) fn groups(&self) -> Vec<Group> {
        differences(&self.a, &self.b)
    }

    /// A, with the groups of a set (bit `i` for group `i`) as in B.
    pub(super) fn target(&self, groups: &[Group], set: u32) -> String {
        let switched = groups.iter().enumerate();
        let switched = switched.filter(|(at, _)| set >> at & 1 == 1);
        let switched: Vec<&Group> = switched.map(|(_, group)| group).collect();
        let whole = switched.iter().any(|group| group.whole);
        let mut side = self.a.clone();
        if whole {
            self.become_b(&mut side);
        }
        let sets = switched.iter().flat_map(|group| &group.options);
        for (key, value) in sets.filter(|(key, _)| !whole || !is_file(key)) {
            set_option(&mut side.options, key, value.clone());
        }
        if !whole {
            self.set_blocks(&mut side.options, groups, &switched);
        }
        side.target()
    }

    /// The drive is B, under the options of A's target.
    fn become_b(&self, side: &mut Side) {
        side.name.clone_from(&self.b.name);
        side.options
            .retain(|(key, _)| !is_file(key) && key != "firmware");
        let of_b = self.b.options.iter();
        let of_b = of_b.filter(|(key, _)| is_file(key) || key == "firmware");
        side.options.extend(of_b.cloned());
    }

    fn set_blocks(&self, options: &mut Options, groups: &[Group], switched: &[&Group]) {
        let Some([a, b]) = self.flash else {
            return;
        };
        let of = |group: &Group, which: &[M]| which.iter().any(|m| group.mechanisms.contains(m));
        let is_switched = |which: &[M]| switched.iter().any(|group| of(group, which));
        let dies = if is_switched(&[M::Dies]) { b } else { a };
        const AMOUNT: [M; 2] = [M::Capacity, M::Spare];
        let amount_differs = groups.iter().any(|group| of(group, &AMOUNT));
        let amount = match amount_differs {
            true if is_switched(&AMOUNT) => b,
            true => a,
            false => dies,
        };
        let flash = dies.holding(&amount);
        for (key, value, of_a) in [
            ("blocks_a_plane", flash.blocks_a_plane, a.blocks_a_plane),
            (
                "unused_blocks_a_plane",
                flash.unused_blocks_a_plane,
                a.unused_blocks_a_plane,
            ),
        ] {
            if value != of_a {
                set_option(options, &format!("ssd.nand.{key}"), Some(value.to_string()));
            }
        }
    }
}

fn is_file(key: &str) -> bool {
    targets::is_of_the_file(key)
}

fn set_option(options: &mut Options, key: &str, value: Option<String>) {
    options.retain(|(known, _)| known != key);
    options.extend(value.map(|value| (key.to_owned(), value)));
}
