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

use super::{Format, Kib, Layout, PAGE, SizeOrUsual, Table, Times, TooSmall, without};
use crate::sheet::Section;
use crate::sheet::quantity::{Seconds, Word};
use crate::sheet::table::parameters;

/// Bytes of an entry of the file allocation table, which is there although it is not used.
const ENTRY: u64 = 4;
/// Bytes of the table of capital letters.
const CAPITALS: Bytes = Bytes::new(5_836);

parameters! {
    /// How a host formats it.
    #[derive(Clone, Copy, Debug)]
    pub ExFat from ExFatConfig ["file_system.exfat"] {
        /// Bytes that a file takes at least.
        cluster "cluster": Word<SizeOrUsual>;
        /// The heap of clusters begins at a multiple of so much.
        align "align_kib": Kib in 16..=32_768;
        /// When a write in place becomes a change of the file's times.
        times "times": Word<Times>;
        /// From the first change of metadata until they are written.
        lazy "lazy_s": Seconds in 0.001..=3_600.0;
    }
}

/// The usual cluster of a volume.
fn cluster_of(volume: Bytes) -> Bytes {
    match volume {
        v if v <= Bytes::mib(256) => Bytes::kib(4),
        v if v <= Bytes::gib(32) => Bytes::kib(32),
        _ => Bytes::kib(128),
    }
}

impl Format for ExFatConfig {
    fn section(&self) -> Section {
        self.section()
    }

    fn layout(&self, volume: Bytes) -> Result<Layout, TooSmall> {
        TooSmall::check("exFAT", volume, Bytes::mib(256))?;
        let format = self.parameters();
        let cluster = format.cluster.or(cluster_of(volume));
        let align = format.align;
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
            times: format.times,
            lazy: format.lazy,
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
