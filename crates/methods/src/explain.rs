//! Explain: what is inside the drive, inferred from the timings of single I/Os.
//!
//! **What it measures.** Of a disk: how fast it turns, how much a track holds and by how much tracks are shifted, how
//! long the arm takes over which distance, how fast it streams outside and inside and whether its surfaces are equally
//! dense, how many streams its read cache follows and how far it reads ahead, how much the write cache takes, and
//! whether random writes go somewhere else first (shingled disks, media caches). Of flash: how much of the drive the
//! address map in memory covers and what a read outside it costs more, how pages lie on the dies, what reads wait for
//! beside writes, whether zeros are written faster, whether TRIM is obeyed. Of both: read-ahead, a cache of what was
//! read, what a queue gains, what sleeps, the mapping unit, whether reads in order are throttled, whether it was in
//! a state that passed (a cold disk), whether reads stutter by a clock, and how much of a
//! response host, link and controller have at most. Of a shingled disk: how much its media cache takes. Of an SSD's write path: what
//! the write buffer takes, how large the one-bit (SLC) cache is, how fast writes are until it is used up and
//! afterwards, after what rest it comes back, how much can be overwritten at random before garbage collection
//! begins, how much spare flash there is, and by which unit it is collected. Each answer is a number with an interval, or says why there is none;
//! *not visible* is not the same as absent.
//! Of a whole drive: whether the capacity that it claims is there.
//! Of what is between the host and the drive: a cache that keeps what was read (the page cache, a vendor's driver, a
//! controller's memory) and how much it holds; of disks, whether several are behind one address, how many, and by which chunks
//! addresses are dealt to them.
//!
//! **Who published it.** drivelab's own; the ideas are older: tracks by rotational phase (Worthington, Ganger, Patt and
//! Wilkes, SIGMETRICS 1995), parallel units of SSDs by interference (Chen, Lee and Zhang, HPCA 2011), shingled disks by
//! probing (Aghayev and Desnoyers, FAST 2015).
//!
//! **Protocol.** Each question is a phase or several of 4 KiB I/Os whose times are kept one by one: 1,500 reads that
//! descend by random steps (rotation); reads each of which is one of twelve distances from the one before (seek); 8 MiB
//! in order at 108 places (transfer); k reads far apart and the first again, and a read some KiB behind another after a
//! rest, nine times each (segments); writes of 4 and 256 KiB to random places until they wait (write cache); random
//! reads over ranges of scattered pieces of 64 MiB, each warmed up, in random order (map); reads in order, in reverse
//! and at random (read-ahead); random reads at depths of 1 to 256; places read twice among others (a cache of what was
//! read); 64 MiB read in order by 1 MiB and read again, and where that is three times as fast as the first time, up to
//! 2 GiB in order and then backwards (a cache in front); 600 pairs of reads at random places of a disk, held against
//! 390 ways in which an array deals addresses (members); reads after rests of up to 10 s, as far as a phase may take so long, and where they are
//! late, six such rests and six made of waits of 50 us, in which no processor sleeps deeply (wake-up); bursts of zeros and of random
//! data in pairs (compression); bursts of aligned and misaligned writes in random order (unit); reads beside writes at
//! half the drive's own rate; pairs of reads at 1 to 280 pages of 16 KiB (stripe); reads of trimmed and written pages
//! in turn; bursts of 512 MiB of 16 KiB writes after rests of 1, 2 and 4 s (buffer); 512 MiB in order again and again
//! for three times the longest phase, and where the rate falls, once more after a rest (throttling); before and between
//! the questions that only read, 8 MiB in order at three places (passing state). The longest
//! responses of all phases with eight I/Os in flight at most are kept (stutter). Questions that write use the first 4
//! GiB, or, to tell a shingled disk, 2,400 places of the whole drive; with `writes=within` they use that part alone,
//! and whether a disk is shingled is not asked. They are asked only where the target may be written. Five more write
//! the whole drive, and are asked only with `writes=whole`: labelled marks at up to 1,024 places and a piece at the end of
//! 1 GiB or more are read back, and where something is missing, the same again in halves
//! (capacity, as the method `capacity`); a disk that puts random writes somewhere else is sent
//! pieces of 256 KiB at random places until it takes less than two fifths of them and stays there for a minute, or for
//! thirty times the longest phase (media cache; it then cleans for hours); an SSD is trimmed and written in order until
//! the rate has fallen by a quarter and stayed low for a quarter as much again, or for thirty times the longest phase
//! (SLC cache); then rests of 1, 5, 20 and 60 s, as far as a phase may take so long, each followed by writes until the
//! rate falls again; then three quarters of it are written, for ninety times the longest phase at most, and the rest is
//! written to until the rate falls, after a rest in which the cache comes back and after
//! one of twice that length; then all of it is written in order, and overwritten by 4 KiB at random places, 32 in
//! flight, until the rate has fallen and twice as much was written as before the fall, or for sixty times the longest
//! phase; then it is trimmed and written at random places once more, since heat and quotas do not end so; where the drive counts what it
//! writes to its flash, that is read every phase (collection,
//! spare flash, reclaim unit).
//!
//! **What it cannot tell.** The kind of flash; channels from dies; memory of the drive from memory of the host; what a
//! controller's limit is and what the dies'; surfaces of a disk that are equally dense, or take turns after each track;
//! where the host or a cache is in the way, unless that keeps 512 MiB or more of what was read and is three times as
//! fast as the drive; arrays of SSDs, mirrors, and parity; a drive that throttles for good from a one-bit cache that ran out;
//! spare flash that a drive keeps for itself, closer than an eighth of all flash, or a
//! twentieth where the drive counts flash writes, and behind a one-bit cache no more than a bound. On a
//! drive that was never written, or was trimmed, reads do not reach the flash. Intervals come from the scatter,
//! made as wide as modelled drives of known inside showed (95 in 100 hold); they were not tested on real drives whose inside is known.

use base::{Bytes, Card, Forecast, Group, Info, Setting, Settings, Span, Stopped};
use infer::{Asked, Writes};

use crate::run::{PlainMethod, Run};
use crate::shared_settings::{extent, part, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

static CARD: Card = Card {
    id: "explain",
    title: "Explain",
    publisher: "drivelab",
    summary: "What is inside the drive, from the timings of single I/Os: rotation, tracks, skew, seek and transfer curves of a disk, its read and write cache, whether it is shingled, the part of the map that an SSD holds in memory, read-ahead, a read cache, a cache in front of the drive, the disks of an array, what a queue gains, what sleeps, whether it is throttled, whether it stutters, what host, link and controller need of a response at most; where it may write, compression, the mapping unit, what reads wait for beside writes, how pages lie on dies, TRIM, the write buffer; where it may write all of it, whether its capacity is there, the SLC cache, what rests give back of it and what is left of it at 75 % full, when garbage collection begins and how much spare flash there is, or a disk's media cache.",
    version: 1,
    group: Group::Inside,
    short: "What is inside, inferred from single I/Os",
    shortest: &["extent=16MiB"],
    #[rustfmt::skip]
    settings: &[
        part("extent", "part of the target that is asked about", ["whole"; 3]),
        Setting::choice("writes", "what may be written for an answer where the target may be overwritten: as-allowed is the first 4 GiB and some places elsewhere, within is a part, whole is all of it more than once (SLC cache, media cache)", &["as-allowed", "within", "whole", "no"], ["as-allowed"; 3]),
        Setting::size("within-from", "with writes=within, where the part begins that may be written", Bytes::ZERO..=Bytes::new(u64::MAX), ["0B"; 3]),
        part("within", "with writes=within, how large that part is", ["4GiB"; 3]),
        Setting::choice("fill", "with writes=whole, also fill three quarters of it, to see what is left of the SLC cache then, and all of it, to see when garbage collection begins", &["yes", "no"], ["no", "yes", "yes"]),
        Setting::time("patience", "the longest that one phase may take", seconds(1)..=seconds(3_600), ["5s", "20s", "60s"]),
    ],
    ..Card::PLAIN
};

fn asked(settings: &Settings, on: &Info) -> Asked {
    let writes = match settings.text("writes") {
        "whole" => Writes::Whole {
            fills: settings.text("fill") == "yes",
        },
        "no" => Writes::Nothing,
        "within" => {
            let start = settings.size("within-from").min(on.capacity);
            let len = settings.size_or_whole("within", on.capacity);
            Writes::Within(Span::new(start, len.min(on.capacity - start)))
        }
        _ => Writes::Bounded,
    };
    let patience = settings.time("patience");
    Asked::of(
        extent(settings, "extent", on),
        on,
        writes,
        patience,
        settings.seed,
    )
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let asked = asked(settings, on);
    let written = infer::written(&asked);
    Forecast {
        takes: infer::takes(&asked),
        reads: None,
        writes: written.is_empty().then_some(Bytes::ZERO),
        written,
        reads_as_found: true,
        extent: extent(settings, "extent", on),
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let asked = asked(run.settings, &run.on);
    run.output = infer::explain(&asked, run.bench)?;
    Ok(())
}
