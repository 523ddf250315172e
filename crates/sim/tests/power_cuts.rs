//! Small drives of every kind under random work, rests and power cuts, beside a plain list of what was
//! written: what was flushed or written durably stands whatever happens, the rest stands or is known to be
//! lost.

use base::io::{Io, Op};
use base::rng::Rng;
use base::size::Bytes;
use base::target::{Outcome, Tag};
use base::time::{Duration, Instant};
use sim::catalogue::{self, ModelOptions};
use sim::layer::contents::{Contents, EILSEQ, Sector};
use sim::model::Model;

use small::{cut_down, prefix};

#[path = "any_drive/small.rs"]
mod small;

/// The part of the drive that is worked on, in sectors: small, so that the same sectors come again.
const SECTORS: u64 = 4_096;

/// What the plain list knows of a sector.
#[derive(Clone, Copy, Debug, Default)]
struct Plain {
    /// The last write or trim that was answered: a stamp, 0 for none.
    stamp: u64,
    /// Which of all writes and trims that was.
    version: u64,
    /// Nothing can take it any more.
    safe: bool,
    /// A power cut came meanwhile: anything may stand there.
    unknown: bool,
}

/// A drive behind its contents, and the plain list.
struct Case {
    name: String,
    drive: Contents<Box<dyn Model>>,
    now: Instant,
    plain: Vec<Plain>,
    in_flight: Vec<Option<Io>>,
    /// Of each flush in flight, what was answered before it: versions by sector.
    flushing: Vec<Vec<u64>>,
    /// Draws which writes are durable.
    durable: Rng,
    stamps: u64,
    versions: u64,
    /// Sectors that were lost, over all cuts.
    lost: u64,
}

impl Case {
    fn new(slug: &str, state: &str, seed: u64) -> Case {
        let sheet = catalogue::describe(slug).expect("the drive is in the catalogue");
        let overrides = if prefix(&sheet) == "ssd." {
            cut_down(&sheet, 60, 0.7)
        } else {
            Vec::new()
        };
        let options = ModelOptions {
            state: state.parse().expect("the state is one"),
            host: Some("none".to_owned()),
            overrides,
            ..ModelOptions::default()
        };
        let opened = catalogue::open(slug, &options);
        let drive = Contents::new(opened.expect("the drive can be built").model);
        let depth = drive.info().max_in_flight.min(8) as usize;
        Case {
            name: format!("{slug}, seed {seed}"),
            drive,
            now: Instant::ZERO,
            plain: vec![Plain::default(); SECTORS as usize],
            in_flight: vec![None; depth],
            flushing: vec![Vec::new(); depth],
            durable: Rng::stream(seed, 0xf0a),
            stamps: 0,
            versions: 0,
            lost: 0,
        }
    }

    fn act(&mut self, rng: &mut Rng) {
        match rng.below(100) {
            0..60 => self.write(rng),
            60..70 => self.read(rng),
            70..75 => {
                let (offset, len) = range(rng, 400);
                self.start(Io {
                    op: Op::Trim,
                    ..Io::read(offset, len)
                });
            }
            75..85 => self.start(Io::flush()),
            85..92 => self.drain(),
            92..96 => self.rest(Duration::from_millis(1 << rng.below(13))),
            _ => self.cut(),
        }
    }

    fn write(&mut self, rng: &mut Rng) {
        let (offset, len) = range(rng, 64);
        self.stamps += 1;
        let write = Io::write(offset, len, self.stamps);
        let durable = self.durable.below(6) == 0;
        self.start(if durable { write.durably() } else { write });
    }

    /// A read asks for what one write left, where all of the range is known to hold it.
    fn read(&mut self, rng: &mut Rng) {
        let (offset, len) = range(rng, 16);
        self.alone(&Io::read(offset, len));
        let sectors = &self.plain[sectors(offset, len)];
        let first = sectors[0];
        let known = sectors.iter().all(|p| p.stamp == first.stamp && !p.unknown);
        self.start(Io {
            stamp: if known { first.stamp } else { 0 },
            ..Io::read(offset, len)
        });
    }

    /// I/Os that touch each other are not in flight together: their order would be the drive's.
    fn alone(&mut self, io: &Io) {
        let touches = |other: &Io| other.offset < io.end() && io.offset < other.end();
        if self.in_flight.iter().flatten().any(touches) {
            self.drain();
        }
    }

    fn start(&mut self, io: Io) {
        self.alone(&io);
        while self.in_flight.iter().all(Option::is_some) {
            self.step();
        }
        let tag = self.in_flight.iter().position(Option::is_none);
        let tag = tag.expect("one was waited for");
        if io.op == Op::Flush {
            self.flushing[tag] = self.plain.iter().map(|plain| plain.version).collect();
        }
        self.in_flight[tag] = Some(io);
        self.drive.start(self.now, Tag(tag as u32), &io);
    }

    fn step(&mut self) {
        let at = self.drive.next().expect("what is in flight goes on");
        assert!(at >= self.now, "time goes on");
        self.now = at;
        let mut finished = Vec::new();
        self.drive.step(&mut finished);
        for one in finished {
            let tag = one.tag.0 as usize;
            let io = self.in_flight[tag].take().expect("it was asked");
            match one.outcome {
                Outcome::Complete => self.note(tag, &io),
                // A disk knows no trim.
                Outcome::Failed(error) => assert!(error != EILSEQ && io.op == Op::Trim, "{io:?}"),
                other => panic!("{other:?}"),
            }
        }
    }

    fn note(&mut self, tag: usize, io: &Io) {
        match io.op {
            Op::Write | Op::Trim => {
                self.versions += 1;
                let plain = Plain {
                    version: self.versions,
                    stamp: if io.op == Op::Write { io.stamp } else { 0 },
                    safe: io.durable,
                    unknown: false,
                };
                self.plain[sectors(io.offset, io.len)].fill(plain);
            }
            Op::Flush => {
                for (plain, version) in self.plain.iter_mut().zip(&self.flushing[tag]) {
                    plain.safe |= plain.version == *version;
                }
            }
            Op::Read => {}
        }
    }

    fn drain(&mut self) {
        let mut steps = 0;
        while self.in_flight.iter().any(Option::is_some) {
            self.step();
            steps += 1;
            assert!(steps < 1_000_000, "the drive hangs");
        }
    }

    fn rest(&mut self, time: Duration) {
        self.drain();
        let until = self.now + time;
        while self.drive.next().is_some_and(|at| at <= until) {
            self.step();
        }
        self.now = until;
    }

    fn cut(&mut self) {
        self.drive.power_cut(self.now);
        for io in self.in_flight.iter_mut().filter_map(Option::take) {
            if matches!(io.op, Op::Write | Op::Trim) {
                for plain in &mut self.plain[sectors(io.offset, io.len)] {
                    plain.unknown = true;
                }
            }
        }
        for (plain, number) in self.plain.iter_mut().zip(0..) {
            let lost = self.drive.sector(number) == Sector::Lost;
            assert!(
                !lost || !plain.safe || plain.unknown,
                "{}: sector {number}, which was flushed, is lost",
                self.name
            );
            self.lost += u64::from(lost);
            plain.unknown |= lost;
            // What has survived this one survives the next one.
            plain.safe = true;
        }
        self.check();
    }

    /// What the list knows stands there.
    fn check(&self) {
        for (plain, number) in self.plain.iter().zip(0..) {
            let expected = match plain.stamp {
                0 => Sector::Blank,
                stamp => Sector::Written(stamp),
            };
            let found = self.drive.sector(number);
            assert!(
                plain.unknown || found == expected,
                "{}: sector {number}: {found:?}",
                self.name
            );
        }
    }
}

/// Part of the span: whole pages mostly, else any sectors.
fn range(rng: &mut Rng, most: u64) -> (Bytes, Bytes) {
    let unit = if rng.below(3) == 0 { 1 } else { 8 };
    let first = rng.below(SECTORS / unit) * unit;
    let count = ((1 + rng.below(most)).div_ceil(unit) * unit).min(SECTORS - first);
    (Bytes::SECTOR * first, Bytes::SECTOR * count)
}

fn sectors(offset: Bytes, len: Bytes) -> std::ops::Range<usize> {
    let first = offset.get() / 512;
    first as usize..(first + len.get() / 512) as usize
}

/// The seeds of this run: `POWER_CUTS=from..to`, or the usual ones.
fn seeds() -> std::ops::Range<u64> {
    let asked = std::env::var("POWER_CUTS").ok();
    let bounds = asked.as_deref().and_then(|text| text.split_once(".."));
    let parsed = bounds.and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    parsed.unwrap_or(0..3)
}

/// Random work on a drive; gives how many sectors power cuts lost.
fn lost_by(slug: &str, state: &str, acts: u32) -> u64 {
    let mut lost = 0;
    for seed in seeds() {
        let mut rng = Rng::stream(seed, 0xc07);
        let mut case = Case::new(slug, state, seed);
        for _ in 0..acts {
            case.act(&mut rng);
            case.check();
        }
        case.cut();
        lost += case.lost;
    }
    lost
}

const KINDS: [(&str, &str); 10] = [
    ("samsung-840-pro-128gb", "steady-random"),
    ("samsung-840-evo-120gb", "full-in-order,idle=0s"),
    ("solidigm-670p-1tb", "full-in-order,idle=0s"),
    ("wd-black-sn770-1tb", "50%-in-order"),
    ("ocz-core-v2-30gb", "full-in-order"),
    ("toshiba-hg2-64gb", "full-in-order"),
    ("ocz-vertex-30gb", "steady-random"),
    ("ocz-vertex-2-50gb", "steady-random"),
    ("intel-x25-m-g2-80gb", "steady-random"),
    ("hgst-deskstar-nas-hdn724030-3tb", "fresh"),
];

#[test]
fn what_was_flushed_survives_a_power_cut_and_the_rest_stands_or_is_lost() {
    for (slug, state) in KINDS {
        let lost = lost_by(slug, state, 400);
        assert!(lost > 0, "{slug} loses what nobody flushed");
    }
}

#[test]
fn cuts_in_a_row_leave_collection_its_room() {
    // Cut once in a few dozen writes, while superblocks are being emptied all the time: each cut must leave
    // as much room to move data to as there was.
    for (slug, state) in KINDS.into_iter().take(4) {
        for seed in seeds().start..seeds().end * 6 {
            let mut rng = Rng::stream(seed, 0xc075);
            let mut case = Case::new(slug, state, seed);
            for _ in 0..400 {
                match rng.below(12) {
                    0 => case.cut(),
                    1 => case.rest(Duration::from_millis(1 << rng.below(13))),
                    _ => case.write(&mut rng),
                }
            }
            case.check();
        }
    }
}

#[test]
fn memory_with_a_battery_loses_nothing() {
    assert_eq!(lost_by("acard-ans-9010-14gb", "fresh", 400), 0);
}
