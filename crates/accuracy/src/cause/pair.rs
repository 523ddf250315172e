//! Two modelled drives, and the drive that is A but for some groups, in which it is B.
//!
//! Dies cannot change alone: the flash has to hold the capacity still. So the blocks of a plane follow from the geometry and
//! from how much flash there is in all, each of which is A's or B's by the groups that are switched.

use targets::grammar::Options;

use super::CauseError;
use super::groups::{Group, differences};
use super::side::{Flash, Side, flash_of};
use results::cause::DriveMechanism as M;

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
