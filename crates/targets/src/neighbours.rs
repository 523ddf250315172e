//! The modelled drives to compare a reviewed drive with: of its own class, so that each row of the tables is
//! meaningful.
//!
//! A row in which an NVMe drive is the best and a disk of 2014 the worst is useless. So neighbours are drives of the
//! same class (disks; flash on SATA; flash on PCI Express), the nearest in years first and then in capacity, each by a
//! different maker than the previous one. The year of a real drive is not known: it is treated as a current drive.

use sim::catalogue::{self, DriveCard};

use crate::class::DriveClass;
use crate::grammar::Spec;
use crate::resolved::ResolvedTarget;

/// Number of neighbours: more columns make a table hard to read.
const COUNT: usize = 2;

impl ResolvedTarget {
    /// The names of modelled drives of its class, nearest first.
    pub fn neighbours(&self) -> Vec<String> {
        let own = card_of(&self.spec);
        let class = self.class();
        let mut near: Vec<DriveCard> = catalogue::drives().unwrap_or_default();
        near.retain(|card| DriveClass::of(card) == class && !is_same(card, own.as_ref()));
        let capacity = own
            .as_ref()
            .map_or(self.provisional.capacity, |own| own.capacity);
        near.sort_by_key(|card| {
            let years = own
                .as_ref()
                .map_or(u32::MAX - card.year, |own| own.year.abs_diff(card.year));
            (years, card.capacity.get().abs_diff(capacity.get()))
        });
        one_of_each_maker(&near)
    }
}

impl ResolvedTarget {
    /// The names of all modelled drives of its class but itself, those that are known by their data sheet last.
    pub fn drives_of_its_class(&self) -> Vec<String> {
        let own = card_of(&self.spec);
        let class = self.class();
        let mut all: Vec<DriveCard> = catalogue::drives().unwrap_or_default();
        all.extend(catalogue::sheet_drives().unwrap_or_default());
        all.retain(|card| DriveClass::of(card) == class && !is_same(card, own.as_ref()));
        let names = all.iter().map(|card| format!("model:{}", card.slug));
        names.collect()
    }
}

fn one_of_each_maker(near: &[DriveCard]) -> Vec<String> {
    let mut chosen: Vec<&DriveCard> = Vec::new();
    for card in near {
        if chosen.len() < COUNT && chosen.iter().all(|known| known.maker != card.maker) {
            chosen.push(card);
        }
    }
    let names = chosen.iter().map(|card| format!("model:{}", card.slug));
    names.collect()
}

/// The drive of the catalogue that a name is of, through its layers.
fn card_of(spec: &Spec) -> Option<DriveCard> {
    match spec {
        Spec::Model { name, .. } => Some(catalogue::describe(name).ok()?.card),
        Spec::Layer { members, .. } => members.first().and_then(card_of),
        Spec::Path { .. } | Spec::Null { .. } => None,
    }
}

fn is_same(card: &DriveCard, own: Option<&DriveCard>) -> bool {
    own.is_some_and(|own| own.title == card.title)
}

#[cfg(test)]
mod tests {
    use crate::{Consent, resolve};

    fn of(name: &str) -> Vec<(super::DriveClass, u32, String)> {
        let resolved = resolve(name, &Consent::default(), 1).unwrap();
        let cards = resolved.neighbours().into_iter().map(|name| {
            let card = sim::catalogue::describe(&name["model:".len()..])
                .unwrap()
                .card;
            (super::DriveClass::of(&card), card.year, card.maker)
        });
        cards.collect()
    }

    #[test]
    fn neighbours_are_of_the_drive_s_class_and_age_and_of_two_makers() {
        for (name, class, year) in [
            (
                "model:samsung-970-evo-plus-1tb",
                super::DriveClass::Nvme,
                2021,
            ),
            ("model:wd-red-wd30efrx-3tb", super::DriveClass::Disk, 2014),
            ("model:intel-x25-m-g1-80gb", super::DriveClass::Sata, 2008),
        ] {
            let near = of(name);
            assert_eq!(near.len(), 2, "{name}");
            for (its, its_year, _) in &near {
                assert_eq!(*its, class, "{name}: {near:?}");
                assert!(its_year.abs_diff(year) <= 3, "{name}: {near:?}");
            }
            assert_ne!(near[0].2, near[1].2, "{name}");
        }
    }

    #[test]
    fn all_drives_of_a_class_are_more_than_the_neighbours_and_not_the_drive_itself() {
        let resolved = resolve("model:samsung-970-evo-plus-1tb", &Consent::default(), 1).unwrap();
        let all = resolved.drives_of_its_class();
        assert!(all.len() > 20, "{all:?}");
        assert!(all.iter().all(|name| !name.ends_with("970-evo-plus-1tb")));
        assert!(resolved.neighbours().iter().all(|near| all.contains(near)));
    }

    #[test]
    fn a_drive_is_not_its_own_neighbour() {
        let resolved = resolve("model:samsung-970-evo-plus-1tb", &Consent::default(), 1).unwrap();
        let near = resolved.neighbours();
        assert!(near.iter().all(|name| !name.ends_with("970-evo-plus-1tb")));
    }
}
