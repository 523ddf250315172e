//! NTFS: everything is a file, and what describes files is written to a log first.
//!
//! The first 8 KiB of the volume are `$Boot`. `$MFT` has a record of 1 KiB for each file (size, times,
//! where its clusters lie), and room is kept free behind it for more, the MFT zone. `$Bitmap` has a
//! bit a cluster. A directory is an index, in blocks of 4 KiB, that repeats each file's size and
//! times. `$LogFile` is written in order, page by page, round and round, before any of these change in
//! place; it goes out with a flush, or a while later. So a file that grows changes its record,
//! `$Bitmap` and the log; one that is made also the index and the bitmap of `$MFT`; one that is
//! written in place only its record and index, whose times are not brought up to date before the file is closed.
//! Clusters count from the start of the volume: data are aligned as the partition is.
//!
//! Sources: Microsoft, "How NTFS Works" (2003), and "File Times": the times of a file are complete on
//! the drive only when all handles are closed. Russinovich, Solomon, Ionescu, "Windows Internals",
//! 6th edition, part 2 (2012), chapter 12: records, log, and a volume whose `$MFT` begins at cluster
//! 0xC0000 of 4 KiB. Clusters: Microsoft, article 314878. Where `$LogFile` and `$Bitmap` lie is the
//! formatting program's choice: in front of `$MFT` here, an estimate. So is that the file takes the
//! lowest free clusters outside of the MFT zone, the zone last.

use base::size::Bytes;
use base::workload::Span;

use super::{Format, Kib, Layout, Log, Mib, PAGE, Table, Times, TooSmall, without};
use crate::sheet::Section;
use crate::sheet::quantity::{Count, Number, Seconds, Word};
use crate::sheet::table::parameters;

/// `$Boot`.
const BOOT: Bytes = Bytes::kib(8);
/// Bytes of a file record; the first 24 are the system's own, and 16 more kept for it.
const RECORD: Bytes = Bytes::kib(1);
const SYSTEM_RECORDS: u64 = 40;

parameters! {
    /// How a host formats it.
    #[derive(Clone, Copy, Debug)]
    pub Ntfs from NtfsConfig ["file_system.ntfs"] {
        /// The unit in which space is given to files.
        cluster "cluster_kib": Kib in 4..=64;
        /// Where the MFT begins on a large volume.
        mft_start "mft_start_mib": Mib in 1..=1_048_576;
        /// Of the volume, kept behind the MFT for its growth.
        mft_zone_percent "mft_zone_percent": Number("%") in 0.0..=50.0;
        /// That, at most.
        mft_zone_most "mft_zone_most_mib": Mib in 1..=4_194_304;
        /// The log, on a large volume.
        log "log_mib": Mib in 2..=4_096;
        /// Bytes of the log that a changed page takes.
        log_change "log_change_bytes": Count("bytes") in 1..=65_536;
        /// When a write in place becomes a change of the file's times.
        times "times": Word<Times>;
        /// From the first change of metadata until the log is written.
        lazy "lazy_s": Seconds in 0.001..=3_600.0;
        /// From then until they are written in place.
        in_place "in_place_s": Seconds in 0.001..=3_600.0;
    }
}

impl Ntfs {
    fn zone(&self, volume: Bytes) -> Bytes {
        let share = volume.get() as f64 * self.mft_zone_percent / 100.0;
        let most = self.mft_zone_most;
        Bytes::new(share as u64).min(most).round_down(PAGE)
    }
}

impl Format for NtfsConfig {
    fn section(&self) -> Section {
        self.section()
    }

    fn layout(&self, volume: Bytes) -> Result<Layout, TooSmall> {
        TooSmall::check("NTFS", volume, Bytes::gib(1))?;
        let format = self.parameters();
        let cluster = format.cluster;
        // On a volume where there is not three times the room, a third of it.
        let mft = format
            .mft_start
            .min(Bytes::new(volume.get() / 3))
            .round_down(cluster);
        let log = format
            .log
            .min(Bytes::new(volume.get() / 64))
            .round_down(cluster);
        let bits = Bytes::new((volume.get() / cluster.get()).div_ceil(8)).round_up(cluster);
        let log_start = mft - log;
        let bitmap = log_start - bits;
        let index = bitmap - cluster;
        let zone = format.zone(volume);
        let whole = Span::first(volume.round_down(cluster));
        let boot = Span::first(BOOT.round_up(cluster));
        let middle = Span::new(index, mft + zone - index);
        let mut data = without(whole, vec![boot, middle], Bytes::ZERO, cluster);
        // The first half of the zone stays the MFT's own.
        let spare = Bytes::new(zone.get() / 2).round_down(cluster);
        if !spare.is_zero() {
            data.push(Span::new(mft + zone - spare, spare));
        }
        let record = (mft + RECORD * SYSTEM_RECORDS).round_down(PAGE);
        Ok(Layout {
            name: "NTFS",
            cluster,
            data,
            largest_file: volume,
            tables: vec![Table {
                start: bitmap,
                covers: whole,
                for_each: cluster,
                entry_bits: 1,
            }],
            by_group: Vec::new(),
            file: vec![record, index],
            // The bitmap of $MFT: a page in front of its records.
            create: vec![mft],
            times: format.times,
            lazy: format.lazy,
            log: Some(Log {
                span: Span::new(log_start, log),
                commit: Bytes::ZERO,
                a_page: Bytes::new(u64::from(format.log_change)),
                unit: PAGE,
                in_place: format.in_place,
                barrier: false,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_system::tests::layout;

    #[test]
    fn data_begin_behind_the_boot_file_and_go_on_behind_the_zone() {
        let layout = layout("windows-xp-2009", "ntfs", Bytes::gib(128));
        assert_eq!(layout.data[0].start, Bytes::kib(8));
        let mft = Bytes::kib(4) * 0xC_0000;
        let zone = Bytes::gib(16);
        assert_eq!(layout.data[1].start, mft + zone);
        assert_eq!(layout.log.unwrap().span.end(), mft);
        assert_eq!(layout.file[0], mft + Bytes::kib(40));
    }

    #[test]
    fn a_commit_takes_a_page_of_the_log_for_a_few_changes() {
        let layout = layout("windows7-ahci", "ntfs", Bytes::gib(128));
        let log = layout.log.unwrap();
        assert_eq!(log.commit_of(1), Bytes::kib(4));
        assert!(log.commit_of(100) > Bytes::kib(4));
        assert!(log.commit_of(u64::from(u32::MAX)) <= log.span.len);
    }
}
