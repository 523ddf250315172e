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
use serde::Deserialize;

use super::{Format, Layout, Log, PAGE, Table, Times, TooSmall, seconds, without};
use crate::sheet::{Section, Sourced};

/// `$Boot`.
const BOOT: Bytes = Bytes::kib(8);
/// Bytes of a file record; the first 24 are the system's own, and 16 more kept for it.
const RECORD: Bytes = Bytes::kib(1);
const SYSTEM_RECORDS: u64 = 40;

/// How a host formats it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ntfs {
    cluster_kib: Sourced<u32>,
    mft_start_mib: Sourced<u32>,
    mft_zone_percent: Sourced<f64>,
    mft_zone_most_mib: Sourced<u32>,
    log_mib: Sourced<u32>,
    log_change_bytes: Sourced<u32>,
    times: Sourced<Times>,
    lazy_s: Sourced<f64>,
    in_place_s: Sourced<f64>,
}

impl Ntfs {
    fn zone(&self, volume: Bytes) -> Bytes {
        let share = volume.get() as f64 * self.mft_zone_percent.get() / 100.0;
        let most = Bytes::mib(u64::from(self.mft_zone_most_mib.get()));
        Bytes::new(share as u64).min(most).round_down(PAGE)
    }
}

impl Format for Ntfs {
    fn section(&self) -> Section {
        Section::new(
            "file_system.ntfs",
            vec![
                self.cluster_kib.row("cluster_kib", "KiB", 4..=64),
                self.mft_start_mib
                    .row("mft_start_mib", "MiB", 1..=1_048_576),
                self.mft_zone_percent
                    .row("mft_zone_percent", "%", 0.0..=50.0),
                self.mft_zone_most_mib
                    .row("mft_zone_most_mib", "MiB", 1..=4_194_304),
                self.log_mib.row("log_mib", "MiB", 2..=4_096),
                self.log_change_bytes
                    .row("log_change_bytes", "bytes", 1..=65_536),
                self.times.plain_row("times", ""),
                self.lazy_s.row("lazy_s", "s", 0.001..=3_600.0),
                self.in_place_s.row("in_place_s", "s", 0.001..=3_600.0),
            ],
        )
    }

    fn layout(&self, volume: Bytes) -> Result<Layout, TooSmall> {
        TooSmall::check("NTFS", volume, Bytes::gib(1))?;
        let cluster = Bytes::kib(u64::from(self.cluster_kib.get()));
        // On a volume where there is not three times the room, a third of it.
        let mft = Bytes::mib(u64::from(self.mft_start_mib.get()))
            .min(Bytes::new(volume.get() / 3))
            .round_down(cluster);
        let log = Bytes::mib(u64::from(self.log_mib.get()))
            .min(Bytes::new(volume.get() / 64))
            .round_down(cluster);
        let bits = Bytes::new((volume.get() / cluster.get()).div_ceil(8)).round_up(cluster);
        let log_start = mft - log;
        let bitmap = log_start - bits;
        let index = bitmap - cluster;
        let zone = self.zone(volume);
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
            times: self.times.get(),
            lazy: seconds(&self.lazy_s),
            log: Some(Log {
                span: Span::new(log_start, log),
                commit: Bytes::ZERO,
                a_page: Bytes::new(u64::from(self.log_change_bytes.get())),
                unit: PAGE,
                in_place: seconds(&self.in_place_s),
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
