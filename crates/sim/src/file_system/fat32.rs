//! FAT32: a table with an entry of four bytes for each cluster, twice.
//!
//! From the start of the volume: reserved sectors (boot sector, a sector with the count of free
//! clusters, their backups), the file allocation table, its copy, then the clusters. Cluster 2 is
//! the first; the root directory begins there. A directory entry holds a file's name, first
//! cluster, size and times; the table's entries chain the clusters to each other. So a file that
//! grows changes both tables and its directory entry, all of them in front of the data, and one that
//! is written in place its directory entry alone. There is no log. A file has less than 4 GiB.
//!
//! The size of a table follows from the volume's: with S sectors, R of them reserved, c sectors a
//! cluster, it is `ceil((S - R) / ((256 c + 2) / 2))` sectors. So the data begin anywhere, unless
//! the formatting program aligns them: Windows before XP did not, Windows XP aligns them to 4 KiB by
//! reserving a few sectors more, so that a conversion to NTFS can keep clusters of that size; the
//! `mkfs.fat` of Linux aligns table and data to a cluster.
//!
//! Source: Microsoft, "FAT32 File System Specification", version 1.03 (December 2000): the layout, the
//! formula, and the cluster sizes by volume (4 KiB up to 8 GiB, 8 up to 16, 16 up to 32, else 32).
//! The count of free clusters, which Windows writes when a volume is taken away, is left out.

use base::size::Bytes;
use base::workload::Span;

use super::{Format, Layout, PAGE, SizeOrUsual, Table, Times, TooSmall, without};
use crate::sheet::Section;
use crate::sheet::quantity::{Count, Seconds, Word};
use crate::sheet::table::parameters;

/// Copies of the table.
const TABLES: u64 = 2;
/// Bytes of an entry of the table.
const ENTRY: u64 = 4;
/// The number of the first cluster.
const FIRST_CLUSTER: u64 = 2;

parameters! {
    /// How a host formats it.
    #[derive(Clone, Copy, Debug)]
    pub Fat32 from Fat32Config ["file_system.fat32"] {
        /// Bytes that a file takes at least.
        cluster "cluster": Word<SizeOrUsual>;
        /// Sectors before the first table.
        reserved_sectors "reserved_sectors": Count("sectors") in 9..=65_535;
        /// The clusters begin at a multiple of so much; as `mkfs.fat` does it, the tables too.
        align "align": Word<SizeOrUsual>;
        /// When a write in place becomes a change of the file's times.
        times "times": Word<Times>;
        /// From the first change of metadata until they are written.
        lazy "lazy_s": Seconds in 0.001..=3_600.0;
    }
}

/// The usual cluster of a volume.
fn cluster_of(volume: Bytes) -> Bytes {
    match volume {
        v if v <= Bytes::mib(260) => Bytes::SECTOR,
        v if v <= Bytes::gib(8) => Bytes::kib(4),
        v if v <= Bytes::gib(16) => Bytes::kib(8),
        v if v <= Bytes::gib(32) => Bytes::kib(16),
        _ => Bytes::kib(32),
    }
}

/// Bytes of one table.
fn table_of(volume: Bytes, reserved: u64, cluster: Bytes) -> Bytes {
    let sector = Bytes::SECTOR.get();
    let sectors = (volume.get() / sector).saturating_sub(reserved);
    let clusters_a_sector = sector / ENTRY * (cluster.get() / sector);
    let each = (2 * clusters_a_sector + TABLES) / 2;
    Bytes::SECTOR * sectors.div_ceil(each)
}

impl Format for Fat32Config {
    fn section(&self) -> Section {
        self.section()
    }

    fn layout(&self, volume: Bytes) -> Result<Layout, TooSmall> {
        TooSmall::check("FAT32", volume, Bytes::mib(64))?;
        let format = self.parameters();
        let cluster = format.cluster.or(cluster_of(volume));
        let reserved = u64::from(format.reserved_sectors);
        // `usual` aligns the table itself, too, as mkfs.fat does.
        let (align, table_align) = match format.align {
            SizeOrUsual::Usual => (cluster, cluster),
            SizeOrUsual::Size(align) => (align, Bytes::SECTOR),
        };
        let table = table_of(volume, reserved, cluster).round_up(table_align);
        let data = (Bytes::SECTOR * reserved + table * TABLES).round_up(align);
        let first = data - table * TABLES;
        let clusters = Span::new(data, volume - data);
        // A table begins with the entries of two clusters that there are not.
        let of = |start: Bytes| Table {
            start: start + Bytes::new(FIRST_CLUSTER * ENTRY),
            covers: clusters,
            for_each: cluster,
            entry_bits: ENTRY * 8,
        };
        let directory = Span::new(data, cluster);
        Ok(Layout {
            name: "FAT32",
            cluster,
            data: without(clusters, vec![directory], data, cluster),
            largest_file: Bytes::gib(4)
                .saturating_sub(Bytes::new(1))
                .round_down(cluster),
            tables: vec![of(first), of(first + table)],
            by_group: Vec::new(),
            file: vec![data.round_down(PAGE)],
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
    use crate::file_system::tests::{host, layout};

    #[test]
    fn the_tables_size_and_the_start_of_the_data_are_those_that_formatting_programs_write() {
        // `mkfs.fat -F 32` on 30 GiB and 128 GiB: tables of 15,360 and 32,768 sectors, data from
        // sector 30,752 and 65,600 on.
        for (gib, cluster, data) in [(30, 16, 30_752), (128, 32, 65_600)] {
            let layout = layout("linux-uring", "fat32", Bytes::gib(gib));
            assert_eq!(layout.cluster, Bytes::kib(cluster));
            let root = layout.data[0].start - layout.cluster;
            assert_eq!(root, Bytes::SECTOR * data, "{gib} GiB");
            assert_eq!(layout.file, [root]);
        }
    }

    #[test]
    fn without_alignment_the_data_begin_anywhere_and_windows_xp_aligns_them_to_4_kib() {
        let sectors = |align: &str| {
            let other = host("windows-xp-2009", &[("align = { value = \"4KiB\"", align)]);
            let layout = other.layout("fat32", Bytes::new(128_035_676_160));
            (layout.data[0].start - layout.cluster).get() / 512
        };
        // 32 reserved, and tables of 30,523 sectors: 61,078.
        assert_eq!(sectors("align = { value = \"512\"") % 8, 6);
        assert_eq!(sectors("align = { value = \"4KiB\"") % 8, 0);
    }

    #[test]
    fn a_cluster_has_an_entry_in_both_tables() {
        let layout = layout("linux-uring", "fat32", Bytes::gib(30));
        let at = layout.data[0].start + layout.cluster * 5_000;
        let entry = (5_000 + 3) * 4 / 4_096 * 4_096;
        let pages: Vec<u64> = layout
            .tables
            .iter()
            .map(|table| table.page_of(at).unwrap().get())
            .collect();
        let first = 32 * 512 + entry;
        assert_eq!(pages, [first, first + 15_360 * 512]);
    }
}
