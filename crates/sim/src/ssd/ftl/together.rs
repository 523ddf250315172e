//! Host's and moved data in one superblock.
//!
//! Most firmware writes what collection moves into superblocks of its own. So what is overwritten again and
//! again, and comes from the host each time, ends up apart from what is not: its superblocks empty
//! themselves, and collection has less and less to do. Simple firmware has one open superblock for both. Then
//! what is overwritten lies among what is moved, every superblock keeps most of its pages, and collection
//! is as dear as if all of the drive were overwritten alike. (Stoica and Ailamaki: "Improving Flash Write
//! Performance by Using Update Frequency", VLDB 2013, has what keeping apart is worth.)
//!
//! What was moved and is not programmed yet is safe all the same: a victim is erased when it is needed again,
//! long after.

use std::collections::BTreeMap;

use crate::ssd::flash::layout::Ppn;

/// Moved pages that are still to be programmed, by the number of their group.
#[derive(Clone, Debug, Default)]
pub(super) struct Together {
    moved: BTreeMap<usize, Vec<Ppn>>,
}

impl Together {
    /// Pages were moved into a group.
    pub(super) fn moved(&mut self, group: usize, pages: std::ops::Range<Ppn>) {
        self.moved.entry(group).or_default().extend(pages);
    }

    /// A group is in the flash: how many of its pages were moved.
    pub(super) fn programmed(&mut self, group: usize) -> u32 {
        self.moved
            .remove(&group)
            .map_or(0, |pages| pages.len() as u32)
    }

    /// Whether a page of a group was moved.
    pub(super) fn has(&self, group: usize, page: Ppn) -> bool {
        (self.moved.get(&group)).is_some_and(|pages| pages.contains(&page))
    }

    /// The power has failed.
    pub(super) fn clear(&mut self) {
        self.moved.clear();
    }
}
