//! exFAT: a bitmap of the clusters; a file in one piece needs no table.
//!
//! From the start of the volume: boot sectors and their backup (24 sectors), the file allocation
//! table from an aligned offset on, then the cluster heap from another aligned offset on. The first
//! clusters of the heap hold the allocation bitmap (a bit a cluster), the table of capital letters
//! (5,836 bytes) and the root directory. A file whose clusters follow each other is marked so in its
//! directory entry and has no chain in the table: so a growing file changes bitmap and directory
//! entry, and one that is written in place its directory entry alone. There is no log.
//!
//! Source: Microsoft, "exFAT file system specification" (2019). Clusters by volume: 4 KiB up to 256
//! MiB, 32 KiB up to 32 GiB, else 128 KiB (Microsoft, article 140365). The two offsets are the
//! formatting program's choice: `mkfs.exfat` puts both at multiples of 1 MiB.

use base::size::Bytes;
use base::workload::Span;
use serde::Deserialize;

use super::{Format, Layout, PAGE, SizeOrUsual, Table, Times, TooSmall, seconds, without};
use crate::sheet::{Section, Sourced};

/// Bytes of an entry of the file allocation table, which is there although it is not used.
const ENTRY: u64 = 4;
/// Bytes of the table of capital letters.
const CAPITALS: Bytes = Bytes::new(5_836);

/// How a host formats it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExFat {
    cluster: Sourced<SizeOrUsual>,
    align_kib: Sourced<u32>,
    times: Sourced<Times>,
    lazy_s: Sourced<f64>,
}

/// The usual cluster of a volume.
fn cluster_of(volume: Bytes) -> Bytes {
    match volume {
        v if v <= Bytes::mib(256) => Bytes::kib(4),
        v if v <= Bytes::gib(32) => Bytes::kib(32),
        _ => Bytes::kib(128),
    }
}

impl Format for ExFat {
    fn section(&self) -> Section {
        Section::new(
            "file_system.exfat",
            vec![
                self.cluster.plain_row("cluster", ""),
                self.align_kib.row("align_kib", "KiB", 16..=32_768),
                self.times.plain_row("times", ""),
                self.lazy_s.row("lazy_s", "s", 0.001..=3_600.0),
            ],
        )
    }

    fn layout(&self, volume: Bytes) -> Result<Layout, TooSmall> {
        TooSmall::check("exFAT", volume, Bytes::mib(256))?;
        let cluster = self.cluster.get().or(cluster_of(volume));
        let align = Bytes::kib(u64::from(self.align_kib.get()));
        let entries = (volume - align).get() / cluster.get() + 2;
        let heap_start = (align + Bytes::new(entries * ENTRY)).round_up(align);
        let heap = Span::new(heap_start, volume - heap_start);
        let bitmap = Bytes::new((heap.len.get() / cluster.get()).div_ceil(8));
        let directory = heap_start + bitmap.round_up(cluster) + CAPITALS.round_up(cluster);
        let taken = Span::new(heap_start, directory + cluster - heap_start);
        Ok(Layout {
            name: "exFAT",
            cluster,
            data: without(heap, vec![taken], heap_start, cluster),
            largest_file: volume,
            tables: vec![Table {
                start: heap_start,
                covers: heap,
                for_each: cluster,
                entry_bits: 1,
            }],
            by_group: Vec::new(),
            file: vec![directory.round_down(PAGE)],
            create: Vec::new(),
            times: self.times.get(),
            lazy: seconds(&self.lazy_s),
            log: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::tests::layout;

    #[test]
    fn the_heap_begins_where_mkfs_exfat_puts_it() {
        // 30 GiB: heap from sector 10,240 on, root directory in cluster 7. 128 GiB: heap from the
        // same sector on, in clusters of 128 KiB, root directory in cluster 4.
        for (gib, root_cluster) in [(30, 7), (128, 4)] {
            let layout = layout("linux-uring", "exfat", Bytes::gib(gib));
            let heap = layout.tables[0].start;
            assert_eq!(heap, Bytes::SECTOR * 10_240, "{gib} GiB");
            let root = layout.data[0].start - layout.cluster;
            assert_eq!(root, heap + layout.cluster * (root_cluster - 2));
        }
    }
}
