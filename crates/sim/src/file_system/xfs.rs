//! XFS: a few large allocation groups, and a log of changed bytes.
//!
//! The volume is cut into four allocation groups. Each begins with four sectors (superblock, free space,
//! inodes, free list) and the roots of its trees: free extents by place and by size, inodes. Inodes of
//! 512 bytes are made in chunks of 64. A file stays in its directory's group as long as there is room.
//! The log lies at the start of the third group. A file that grows changes its inode, the sector of
//! the group's free space and the two trees of free extents.
//!
//! Changes are gathered in memory and go to the log, as changed pieces of 128 bytes and not as whole
//! blocks, at an `fsync` or after half a minute; what they change is written in place later.
//!
//! Sources: "XFS Algorithms & Data Structures" (kernel.org); Linux kernel, Documentation/filesystems/xfs
//! ("XFS Delayed Logging Design") and `xfssyncd_centisecs` = 3,000; xfsprogs (four groups, a log of
//! 64 MiB and of 1/2,048 of larger volumes, at block 6 of its group).

use base::size::Bytes;
use base::workload::Span;
use serde::Deserialize;

use super::journaled::{Commit, JournaledConfig};
use super::{Format, Layout, PAGE, Table, TooSmall, without};
use crate::sheet::Section;

/// A block, which is the cluster, too.
const BLOCK: Bytes = PAGE;
const GROUPS: u64 = 4;
/// Blocks at a group's start: headers, roots of the trees, free list.
const HEAD: u64 = 6;
/// Of the first group: up to the end of the first chunk of inodes, which begins at block 16.
const FIRST_HEAD: u64 = 24;
const ROOT_INODE_BLOCK: u64 = 16;
const LEAST_LOG: u64 = 16_384;
const MOST_LOG: u64 = 524_288;
/// The header of a log record, and what a changed page takes: a head and pieces of 128 bytes.
const RECORD_HEAD: Bytes = Bytes::SECTOR;
const CHANGE: Bytes = Bytes::new(384);

const COMMIT: Commit = Commit {
    head: RECORD_HEAD,
    a_page: CHANGE,
    unit: Bytes::SECTOR,
};

/// How a host formats it.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Xfs(JournaledConfig);

impl Format for Xfs {
    fn section(&self) -> Section {
        Section::new("file_system.xfs", self.0.rows())
    }

    fn layout(&self, volume: Bytes) -> Result<Layout, TooSmall> {
        TooSmall::check("XFS", volume, Bytes::gib(1))?;
        let journaled = self.0.parameters();
        let blocks = volume.get() / BLOCK.get();
        let group = blocks.div_ceil(GROUPS);
        let log_blocks = (blocks / 2_048).clamp(LEAST_LOG, MOST_LOG).min(group / 2);
        let log_start = group * 2 + HEAD;
        let log = Span::new(BLOCK * log_start, BLOCK * log_blocks);
        let head = |g: u64| {
            let len = if g == 0 { FIRST_HEAD } else { HEAD };
            Span::new(BLOCK * (group * g), BLOCK * len)
        };
        let whole = Span::first(BLOCK * blocks);
        let taken = (0..GROUPS).map(head).chain([log]).collect();
        // Headers, and the roots of the two trees of free extents: one of each a group.
        let in_each_group = |block: u64| Table {
            start: BLOCK * block,
            covers: whole,
            for_each: BLOCK * group,
            entry_bits: BLOCK.get() * group * 8,
        };
        let inode = BLOCK * ROOT_INODE_BLOCK;
        Ok(Layout {
            name: "XFS",
            cluster: BLOCK,
            data: without(whole, taken, Bytes::ZERO, BLOCK),
            largest_file: volume,
            tables: vec![in_each_group(0), in_each_group(1), in_each_group(2)],
            by_group: Vec::new(),
            file: vec![inode],
            // The group's inodes: their sector, which lies in the first block, and their tree.
            create: vec![Bytes::ZERO, BLOCK * 3],
            times: journaled.times,
            lazy: journaled.commit,
            log: Some(journaled.log(log, &COMMIT)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::tests::layout;

    #[test]
    fn groups_and_log_lie_where_mkfs_xfs_puts_them() {
        // Groups of 1,966,080 and 8,388,608 blocks; 16,384 blocks of log at block 6 of group 2.
        for (gib, group) in [(30, 1_966_080), (128, 8_388_608)] {
            let layout = layout("linux-uring", "xfs", Bytes::gib(gib));
            let log = layout.log.unwrap().span;
            assert_eq!(log.start, BLOCK * (2 * group + 6), "{gib} GiB");
            assert_eq!(log.len, BLOCK * 16_384);
            assert_eq!(layout.data[1].start, BLOCK * (group + 6));
        }
        // A log of 1/2,048: 750 GiB have one of 96,000 blocks.
        let large = layout("linux-uring", "xfs", Bytes::gib(750));
        assert_eq!(large.log.unwrap().span.len, BLOCK * 96_000);
    }

    #[test]
    fn a_block_changes_its_own_groups_head() {
        let layout = layout("linux-uring", "xfs", Bytes::gib(30));
        let group = BLOCK * 1_966_080;
        let at = group * 3 + Bytes::mib(100);
        let pages: Vec<Bytes> = layout
            .tables
            .iter()
            .map(|t| t.page_of(at).unwrap())
            .collect();
        assert_eq!(pages, [group * 3, group * 3 + BLOCK, group * 3 + BLOCK * 2]);
    }
}
