//! ext4: block groups, and a journal that holds whole blocks.
//!
//! The volume is cut into groups of 32,768 blocks of 4 KiB (128 MiB): a block bitmap covers one.
//! Sixteen groups are joined ("flexible"): the block bitmaps, inode bitmaps and inode tables of all
//! of them lie at the start of the first. Group 0 and the groups whose numbers are 1 or powers of
//! 3, 5 and 7 also have a copy of the superblock, the group descriptors (64 bytes a group) and
//! 1,024 blocks kept for more of them. Each group has 8,192 inodes of 256 bytes, where file sizes
//! and times are. A regular file takes its blocks from the second group of its joined sixteen on:
//! the first is kept for directories.
//!
//! Changes of metadata go to the journal first: a commit, every five seconds or at an `fsync`, is a
//! descriptor block, each changed block whole, and a commit block, with a flush of the drive; the
//! blocks themselves are written when they have been dirty for half a minute. A file that is
//! written in place changes its inode's times with each write, so the next commit holds that.
//!
//! Sources: Linux kernel, Documentation/filesystems/ext4 (block groups, flexible groups, inodes,
//! journal, `commit=5`, `barrier=1`); e2fsprogs (size of the journal by the size of the volume, its
//! place at the middle, descriptors kept); `dirty_expire_centisecs` = 3,000 of Linux.

use base::size::Bytes;
use base::workload::Span;
use serde::Deserialize;

use super::journaled::{Commit, JournaledConfig};
use super::{Format, Layout, PAGE, Table, TooSmall, without};
use crate::sheet::Section;

/// A block, which is the cluster, too.
const BLOCK: Bytes = PAGE;
const GROUP_BLOCKS: u64 = 32_768;
/// Groups that are joined.
const JOINED: u64 = 16;
const INODE_TABLE_BLOCKS: u64 = 512;
const DESCRIPTOR: u64 = 64;
/// Blocks kept for more descriptors.
const KEPT: u64 = 1_024;

const COMMIT: Commit = Commit {
    head: Bytes::kib(8),
    a_page: BLOCK,
    unit: BLOCK,
};

/// How a host formats it.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Ext4(JournaledConfig);

/// Blocks of the journal, by the blocks of the volume.
fn journal_of(blocks: u64) -> u64 {
    match blocks >> 10 {
        0..32 => 1_024,
        32..256 => 4_096,
        256..512 => 8_192,
        512..4_096 => 16_384,
        4_096..8_192 => 32_768,
        8_192..16_384 => 65_536,
        16_384..32_768 => 131_072,
        _ => 262_144,
    }
}

/// Whether a group has a copy of the superblock.
fn has_copy(group: u64) -> bool {
    let is_power_of = |base: u64| {
        let mut power = base;
        while power < group {
            power *= base;
        }
        power == group
    };
    group < 2 || [3, 5, 7].into_iter().any(is_power_of)
}

/// The numbers of a volume.
struct Groups {
    blocks: u64,
    count: u64,
    descriptors: u64,
}

impl Groups {
    fn of(volume: Bytes) -> Groups {
        let blocks = volume.get() / BLOCK.get();
        let count = blocks.div_ceil(GROUP_BLOCKS);
        let descriptors = (count * DESCRIPTOR).div_ceil(BLOCK.get());
        Groups {
            blocks,
            count,
            descriptors,
        }
    }

    /// Blocks of the copy at a group's start.
    fn copy(&self, group: u64) -> u64 {
        if has_copy(group) {
            1 + self.descriptors + KEPT
        } else {
            0
        }
    }

    /// Where the joined bitmaps of the group begin, and how many groups are joined there.
    fn joined(&self, group: u64) -> (u64, u64) {
        let first = group / JOINED * JOINED;
        let start = first * GROUP_BLOCKS + self.copy(first);
        (start, JOINED.min(self.count - first))
    }

    fn bitmap(&self, group: u64) -> u64 {
        self.joined(group).0 + group % JOINED
    }

    fn journal(&self) -> Span {
        let first = self.count / 2 / JOINED * JOINED;
        let group = (first + 1).min(self.count - 1);
        let start = group * GROUP_BLOCKS + self.copy(group);
        in_bytes(start, journal_of(self.blocks).min(self.blocks - start))
    }

    /// What the file system itself takes of a group.
    fn taken(&self, group: u64) -> Vec<Span> {
        let mut taken = Vec::new();
        let copy = self.copy(group);
        if copy > 0 {
            taken.push(in_bytes(group * GROUP_BLOCKS, copy));
        }
        if group.is_multiple_of(JOINED) {
            let (start, joined) = self.joined(group);
            // Room for all sixteen is kept in the bitmaps.
            taken.push(in_bytes(start, 2 * JOINED + joined * INODE_TABLE_BLOCKS));
        }
        taken
    }
}

fn in_bytes(block: u64, blocks: u64) -> Span {
    Span::new(BLOCK * block, BLOCK * blocks)
}

impl Format for Ext4 {
    fn section(&self) -> Section {
        Section::new("file_system.ext4", self.0.rows())
    }

    fn layout(&self, volume: Bytes) -> Result<Layout, TooSmall> {
        TooSmall::check("ext4", volume, Bytes::gib(1))?;
        let journaled = self.0.parameters();
        let groups = Groups::of(volume);
        let whole = in_bytes(0, groups.blocks);
        let journal = groups.journal();
        let mut taken: Vec<Span> = (0..groups.count).flat_map(|g| groups.taken(g)).collect();
        let (start, joined) = groups.joined(0);
        let inodes = start + 2 * JOINED;
        let directory = inodes + joined * INODE_TABLE_BLOCKS;
        taken.extend([journal, in_bytes(directory, 1)]);
        let mut data = without(whole, taken, Bytes::ZERO, BLOCK);
        // From the second group on; the rest of the first comes last.
        let in_first = |span: &Span| span.end() <= BLOCK * GROUP_BLOCKS;
        let first = data.iter().take_while(|span| in_first(span)).count();
        data.rotate_left(first);
        let bitmap = |group: u64| Table {
            start: BLOCK * groups.bitmap(group),
            covers: in_bytes(group * GROUP_BLOCKS, GROUP_BLOCKS),
            for_each: BLOCK,
            entry_bits: 1,
        };
        let descriptors = Table {
            start: BLOCK,
            covers: whole,
            for_each: BLOCK * GROUP_BLOCKS,
            entry_bits: DESCRIPTOR * 8,
        };
        Ok(Layout {
            name: "ext4",
            cluster: BLOCK,
            data,
            largest_file: volume,
            tables: vec![descriptors],
            by_group: (0..groups.count).map(bitmap).collect(),
            file: vec![BLOCK * inodes],
            // The inode's bit, the first group's descriptor, the directory.
            create: vec![BLOCK * (start + JOINED), BLOCK, BLOCK * directory],
            times: journaled.times,
            lazy: journaled.commit,
            log: Some(journaled.log(journal, &COMMIT)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::tests::layout;

    #[test]
    fn bitmaps_inodes_and_journal_lie_where_mke2fs_puts_them() {
        // 30 GiB: block bitmap at 1,029, inode table at 1,061, journal of 32,768 blocks at
        // 3,702,784. 128 GiB: 1,041, 1,073, 262,144 blocks at 16,809,984.
        for (gib, bitmap, inodes, journal, len) in [
            (30, 1_029, 1_061, 3_702_784, 32_768),
            (128, 1_041, 1_073, 16_809_984, 262_144),
        ] {
            let layout = layout("linux-uring", "ext4", Bytes::gib(gib));
            assert_eq!(layout.by_group[0].start, BLOCK * bitmap);
            assert_eq!(layout.by_group[1].start, BLOCK * (bitmap + 1));
            assert_eq!(layout.file, [BLOCK * inodes]);
            assert_eq!(layout.log.unwrap().span, in_bytes(journal, len));
            // The second group, behind its copy of the superblock.
            let copy = 1 + (gib * 8 * 64).div_ceil(4_096) + 1_024;
            assert_eq!(layout.data[0].start, BLOCK * (32_768 + copy));
        }
    }

    #[test]
    fn a_block_has_a_bit_in_its_groups_bitmap_and_a_count_in_its_groups_descriptor() {
        let layout = layout("linux-uring", "ext4", Bytes::gib(128));
        let at = BLOCK * (GROUP_BLOCKS * 100 + 7);
        let tables = layout.tables_of(Span::new(at, BLOCK));
        let pages: Vec<Bytes> = tables.filter_map(|table| table.page_of(at)).collect();
        // Group 100 is joined to 96, which has no copy of the superblock.
        let bitmap = BLOCK * (96 * GROUP_BLOCKS + 4);
        assert_eq!(pages, [BLOCK * (1 + 100 * 64 / 4_096), bitmap]);
        // A piece over a border has a bitmap on each side.
        let border = Span::new(BLOCK * (GROUP_BLOCKS * 100 - 1), BLOCK * 2);
        assert_eq!(layout.tables_of(border).count(), 3);
    }
}
