//! What is so of a drawn drive, by question: its own values. That these are what happens inside it is held by a test of its
//! log of events.

use sim::interface::Interface;

use super::draw::Drawn;

/// What is so.
pub(super) struct Truth {
    /// The question.
    pub(super) question: &'static str,
    pub(super) is: Is,
}

const fn truth(question: &'static str, is: Is) -> Truth {
    Truth { question, is }
}

/// A number of the answer's figure, or which sentences are right.
pub(super) enum Is {
    /// The figure of this key lies between two values, and may be off by a share; nothing where the drive has no such thing.
    Number(&'static str, Option<[f64; 2]>, f64),
    /// Sentences that are right, and those that are wrong; the others claim nothing.
    Said(&'static [&'static str], &'static [&'static str]),
}

/// Everything that is known of a drive and asked about.
pub(super) fn truths(drive: &Drawn) -> Vec<Truth> {
    let disk = drive.has("media");
    let mut all = if disk {
        of_disk(drive)
    } else {
        of_flash(drive)
    };
    let ahead = match disk || drive.has("read_ahead") {
        true => Is::Said(
            &["answer-explain-reads-ahead"],
            &["answer-explain-no-read-ahead"],
        ),
        // What was read is in the die's register, and its neighbours with it.
        false => Is::Said(
            &[
                "answer-explain-no-read-ahead",
                "answer-explain-keeps-neighbours",
            ],
            &["answer-explain-reads-ahead"],
        ),
    };
    all.push(truth("ahead", ahead));
    all.push(truth("read-again", read_again(disk)));
    all.push(truth("wake", wakes(drive)));
    all.push(truth("host-cache", NO_CACHE_IN_FRONT));
    all.extend(stays_as_it_is());
    all.extend(stutters(drive, disk));
    all
}

/// The noise that is a stutter has a clock, and a length from which on no response is said to be missing.
fn stutters(drive: &Drawn, disk: bool) -> Vec<Truth> {
    let is = (drive.noise == "stutter").then_some((5.0, 50.0));
    let every = is.map(|(seconds, _)| [seconds; 2]);
    let none_from = is.map_or(0.0, |(_, ms)| ms);
    let number = |question, figure, is| truth(question, Is::Number(figure, is, 0.02));
    let mut all = vec![number(
        "no-stutter",
        "long-responses.none-from",
        Some([none_from, f64::MAX]),
    )];
    // Beside a disk's seeks it is no long response.
    if every.is_none() || !disk {
        all.push(number("stutter", "long-responses.every", every));
    }
    all
}

/// No drawn drive is cold or hot, and none is busy with itself where nothing was written.
fn stays_as_it_is() -> [Truth; 2] {
    let truth = |question, right, wrong| truth(question, Is::Said(right, wrong));
    [
        truth(
            "sustained",
            &["answer-explain-no-throttling"],
            &["answer-explain-throttles"],
        ),
        truth(
            "passing",
            &["answer-explain-no-passing"],
            &["answer-explain-passing"],
        ),
    ]
}

/// Drives are drawn alone, with nothing that keeps data in front of them.
const NO_CACHE_IN_FRONT: Is = Is::Said(
    &["answer-explain-host-cache-not-visible"],
    &[
        "answer-explain-host-cache",
        "answer-explain-host-cache-at-least",
    ],
);

/// A disk's buffer keeps what it read last; a drive of flash keeps the map alone.
fn read_again(disk: bool) -> Is {
    const KEPT: &[&str] = &["answer-explain-read-again-kept"];
    const NOT_KEPT: &[&str] = &["answer-explain-read-again-not-kept"];
    match disk {
        true => Is::Said(KEPT, NOT_KEPT),
        false => Is::Said(NOT_KEPT, KEPT),
    }
}

/// No modelled drive sleeps by itself, but a desktop lets an NVMe drive sleep.
fn wakes(drive: &Drawn) -> Is {
    const WAKES: &[&str] = &["answer-explain-wakes", "answer-explain-wakes-drive"];
    const AWAKE: &[&str] = &["answer-explain-awake"];
    // The link's sleep, and no processor's.
    const NOT_SO: &[&str] = &["answer-explain-awake", "answer-explain-wakes-host"];
    const OF_NONE: &[&str] = &[
        "answer-explain-wakes",
        "answer-explain-wakes-drive",
        "answer-explain-wakes-host",
    ];
    let nvme = matches!(drive.sheet.card.interface, Interface::Pcie { .. });
    match drive.host {
        "linux-desktop" if nvme => Is::Said(WAKES, NOT_SO),
        _ => Is::Said(AWAKE, OF_NONE),
    }
}

/// A shingled disk puts random writes somewhere else first.
fn writes_elsewhere(drive: &Drawn) -> Is {
    const ELSEWHERE: &[&str] = &["answer-explain-writes-elsewhere"];
    const IN_PLACE: &[&str] = &["answer-explain-writes-in-place"];
    let mut sections = drive.sheet.sections.iter();
    match sections.any(|section| section.name.contains("shingl")) {
        true => Is::Said(ELSEWHERE, IN_PLACE),
        false => Is::Said(IN_PLACE, ELSEWHERE),
    }
}

fn of_disk(drive: &Drawn) -> Vec<Truth> {
    let speed = drive.number("media", "rpm").map(|speed| [speed; 2]);
    // Which surface comes first, the densest or another, is chance.
    let spread = drive.number("media", "density_spread").unwrap_or(0.0);
    let track = drive.number("media", "outer_sectors").map(|sectors| {
        let kib = sectors / 2.0;
        [kib * (1.0 - spread), kib]
    });
    let mut all = vec![
        truth("rotation", Is::Number("rotation.speed", speed, 1e-3)),
        truth("track", Is::Number("rotation.track", track, 0.01)),
        // Each is drawn alone.
        truth("members", Is::Number("members.number", None, 0.0)),
        truth("elsewhere", writes_elsewhere(drive)),
    ];
    all.extend(media_cache_gb(drive));
    let numbers = DISK_NUMBERS
        .iter()
        .map(|(question, figure, of, tolerance)| {
            let is = disk_number(drive, question, *of);
            truth(question, Is::Number(figure, is, *tolerance))
        });
    all.extend(numbers);
    all
}

/// A number of a disk's file as its host can meet it; nothing where what it is of is off.
fn disk_number(drive: &Drawn, question: &str, of: (&str, &str)) -> Option<[f64; 2]> {
    let own = |key: &str| drive.number(of.0, key);
    if of.0 == "write_cache" && drive.value(of.0, "on").as_deref() == Some("false") {
        return None;
    }
    let is = own(of.1)?;
    Some(match question {
        // A run takes a page of the buffer at least.
        "entries" => {
            let pages = own("size_mib").zip(own("page_kib"));
            let most = pages.map_or(is, |(mib, kib)| (1_024.0 * mib / kib).floor());
            [is.min(most); 2]
        }
        // It ends where the segment does.
        "read-ahead" => [own("segment_kib").map_or(is, |segment| is.min(segment)); 2],
        "bytes" => [is * in_whole_pages(drive), is],
        _ => [is; 2],
    })
}

/// What of a write cache the pieces take that it is asked with: each takes whole pages of it, the last one in part.
fn in_whole_pages(drive: &Drawn) -> f64 {
    let Some(page) = drive.number("write_cache", "page_kib") else {
        return 1.0;
    };
    let used = [256.0, 1_024.0].map(|kib: f64| kib / ((kib / page).ceil() * page));
    used.into_iter().fold(0.0, f64::max)
}

/// What goes into a shingled disk's cache in pieces of 256 KiB, in GB: by its bytes or by the pieces of bands that its map has
/// room for, less what the questions before have left in both.
fn media_cache_gb(drive: &Drawn) -> Option<Truth> {
    let of = |key| drive.number("shingled", key);
    let piece = 262_144.0;
    let of_bands = 1.0 + piece / 1_048_576.0 / of("band_mib")?;
    let by_bytes = of("cache_mib")? * 1_048_576.0;
    let all = by_bytes.min(of("entries")? / of_bands * piece) / 1e9;
    Some(truth(
        "media-cache",
        Is::Number("media-cache.size", Some([all; 2]), 0.1),
    ))
}

/// Question, figure, value of the drive's file, and by how much an answer may be off.
type DiskNumber = (
    &'static str,
    &'static str,
    (&'static str, &'static str),
    f64,
);

/// What is asked of disks and stands in their files as it is.
const DISK_NUMBERS: &[DiskNumber] = &[
    ("seek", "seek.mean", ("arm", "mean_seek_ms"), 0.06),
    (
        "streams",
        "segments.streams",
        ("read_cache", "segments"),
        0.02,
    ),
    (
        "read-ahead",
        "segments.ahead",
        ("read_cache", "ahead_kib"),
        0.1,
    ),
    (
        "entries",
        "write-cache.entries",
        ("write_cache", "runs"),
        0.1,
    ),
    (
        "bytes",
        "write-cache.bytes",
        ("write_cache", "size_mib"),
        0.1,
    ),
];

fn of_flash(drive: &Drawn) -> Vec<Truth> {
    let mut all = vec![
        truth(
            "map",
            Is::Number("map.coverage", covered_gib(drive).map(|it| [it; 2]), 0.15),
        ),
        truth(
            "trim",
            match drive.value("trim", "honoured").as_deref() {
                Some("false") => {
                    Is::Said(&["answer-explain-trim-ignored"], &["answer-explain-trim"])
                }
                _ => Is::Said(&["answer-explain-trim"], &["answer-explain-trim-ignored"]),
            },
        ),
    ];
    let zeros = match drive.has("compression") {
        true => Is::Said(&["answer-explain-compresses"], &[]),
        false => Is::Said(
            &["answer-explain-compression-not-visible"],
            &["answer-explain-compresses"],
        ),
    };
    all.push(truth("zeros", zeros));
    all.extend(stripe(drive));
    all.extend(write_path(drive));
    // A log of sectors has no unit that a write could be misaligned to.
    if drive
        .number("sub_unit", "unit_kib")
        .is_some_and(|unit| unit < 4.0)
    {
        let said = Is::Said(
            &["answer-explain-unit-not-visible"],
            &["answer-explain-unit"],
        );
        all.push(truth("unit", said));
    }
    all
}

/// How pages lie on the dies, in pages of 16 KiB as they are said; programmed page by page, each row begins on another die,
/// and no distance meets one twice.
fn stripe(drive: &Drawn) -> [Truth; 2] {
    let of = |key| drive.number("nand", key);
    let together = of("pages_a_program").or_else(|| of("bits_a_cell"));
    let planes = of("planes").map(|planes| planes * of("page_kib").unwrap_or(16.0) / 16.0);
    let planes = planes.filter(|_| together != Some(1.0));
    let pages = of("dies")
        .zip(planes)
        .map(|(dies, planes)| [dies * planes; 2]);
    let side_by_side = planes.map(|it| [it.max(1.0); 2]);
    [
        truth("stripe", Is::Number("stripe.pages", pages, 1e-3)),
        truth(
            "planes",
            Is::Number("stripe.side-by-side", side_by_side, 1e-3),
        ),
    ]
}

/// Buffer and one-bit cache, and when that is emptied at rest.
fn write_path(drive: &Drawn) -> Vec<Truth> {
    let slc_gb = slc_gb(drive, 0.0);
    let number =
        |question, figure, is, tolerance| truth(question, Is::Number(figure, is, tolerance));
    let mut all = vec![number("slc", "slc.size", slc_gb, 0.04)];
    if let Some(gb) = spare_gb(drive) {
        // What it keeps for itself is spare as well.
        all.push(number(
            "collection",
            "spare.at-full-rate",
            Some([0.0, gb]),
            0.0,
        ));
        let share = 1e11 * gb / drive.sheet.card.capacity.get() as f64;
        all.push(number("spare", "spare.share", Some([share; 2]), 0.1));
        let row = row_mib(drive).map(|mib| [mib; 2]);
        all.push(number("reclaim", "spare.row", row, 0.05));
    }
    if let Some(mib) = drive.number("buffer", "size_mib") {
        // What it takes at least and at most are on either side of what it holds.
        all.push(number(
            "buffer-least",
            "buffer.at-least",
            Some([0.0, mib]),
            0.1,
        ));
        all.push(number(
            "buffer-most",
            "buffer.at-most",
            Some([mib, f64::MAX]),
            0.1,
        ));
    }
    if slc_gb.is_none() {
        return all;
    }
    let idle = drive.number("background", "idle_after_ms").unwrap_or(0.0);
    let onset = idle + drive.number("slc", "fold_after_ms").unwrap_or(0.0);
    let onset = [onset / 1e3 - 0.1, onset / 1e3 + 0.1];
    all.push(number("onset", "rest.onset", Some(onset), 0.1));
    // What it keeps in the cache on purpose is not left to be written to.
    if drive.number("slc", "keep_share").is_none() {
        let at_75_percent = self::slc_gb(drive, 0.75);
        all.push(number("full", "nearly-full.size", at_75_percent, 0.1));
    }
    if let Some(pace) = drive.number("slc", "fold_mb_s") {
        all.push(number(
            "gives-back",
            "rest.gives-back",
            Some([pace; 2]),
            0.2,
        ));
    }
    all
}

/// Superblocks that are open, or hold what is not the host's, at most: they are not free.
const NEVER_FREE: f64 = 10.0;

/// What goes into the one-bit cache of a drive of which a share is full, in GB: the fixed part, and as much of the free
/// flash as may be used; nothing where there is none.
fn slc_gb(drive: &Drawn, full: f64) -> Option<[f64; 2]> {
    let fixed = drive.number("slc", "size_gb")?;
    let share = drive.number("slc", "dynamic_share").unwrap_or(0.0);
    let of = |key| drive.number("nand", key);
    let blocks = blocks_a_plane(drive)?;
    let all = raw_gb(drive)? / of("bits_a_cell")? - fixed;
    let data = full * drive.sheet.card.capacity.get() as f64 / 1e9;
    let free = all - data / of("bits_a_cell")?;
    let most = drive.number("slc", "dynamic_gb").unwrap_or(f64::MAX);
    let within = |free: f64| fixed + (share * free).min(most);
    let all = [within(free - all * NEVER_FREE / blocks), within(free)];
    (all[1] > 0.0).then_some(all)
}

/// The flash of a drive that it may write, with all bits a cell, in GB.
fn raw_gb(drive: &Drawn) -> Option<f64> {
    let of = |key| drive.number("nand", key);
    let block = of("pages_a_block")? * of("page_kib")? * 1_024.0;
    Some(of("dies")? * of("planes")? * blocks_a_plane(drive)? * block / 1e9)
}

fn blocks_a_plane(drive: &Drawn) -> Option<f64> {
    let of = |key| drive.number("nand", key);
    Some(of("blocks_a_plane")? - of("unused_blocks_a_plane").unwrap_or(0.0))
}

/// A row of blocks over all planes of all dies, in MiB.
fn row_mib(drive: &Drawn) -> Option<f64> {
    Some(1e9 * raw_gb(drive)? / blocks_a_plane(drive)? / 1_048_576.0)
}

/// What of it is more than the capacity, in GB.
fn spare_gb(drive: &Drawn) -> Option<f64> {
    Some(raw_gb(drive)? - drive.sheet.card.capacity.get() as f64 / 1e9)
}

/// How much of the drive the map in memory covers; nothing where all of it.
fn covered_gib(drive: &Drawn) -> Option<f64> {
    let of = |key| drive.number("map_cache", key);
    let memory = of("memory_mib")? * of("map_share").unwrap_or(1.0);
    let entries = memory * 1_048_576.0 / of("entry_bytes").unwrap_or(4.0);
    let covered = entries * of("entry_kib").unwrap_or(4.0) / 1_048_576.0;
    let capacity = drive.sheet.card.capacity.get() as f64 / f64::from(1 << 30);
    (covered < capacity).then_some(covered)
}
