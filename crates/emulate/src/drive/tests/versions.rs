//! What survives a power cut, compared with a reference that has every version of every block.

use super::*;

/// Blocks of the reference.
const BLOCKS: u64 = 48;

/// A block's versions, the oldest first: value, and whether it was promised. Versions older than the newest promised
/// one may not come back.
#[derive(Clone, Debug)]
struct Block {
    versions: Vec<(u32, bool)>,
}

/// An outstanding request: blocks, value, whether it is durable; for a flush the number of versions of each block.
enum Way {
    Change {
        from: u64,
        count: u64,
        value: u32,
        durable: bool,
    },
    Flush(Vec<usize>),
}

struct Reference {
    blocks: Vec<Block>,
    on_their_way: BTreeMap<u64, Way>,
    next: u64,
}

impl Reference {
    fn new() -> Reference {
        let block = Block {
            versions: vec![(0, true)],
        };
        Reference {
            blocks: vec![block; BLOCKS as usize],
            on_their_way: BTreeMap::new(),
            next: 1,
        }
    }

    fn ask(&mut self, drive: &mut Emulated, way: Way, asked: Asked) {
        self.next += 1;
        let asker = Asker {
            frontend: 0,
            connection: 0,
            cookie: self.next,
        };
        self.on_their_way.insert(self.next, way);
        drive.ask(drive.now(), asker, asked);
    }

    fn answered(&mut self, answers: &[Answer]) {
        for answer in answers {
            let way = self.on_their_way.remove(&answer.asker.cookie).unwrap();
            // A drive that knows no trim says so.
            if answer.error == 95 {
                continue;
            }
            assert_eq!(answer.error, 0);
            match way {
                Way::Change {
                    from,
                    count,
                    value,
                    durable,
                } => {
                    for block in &mut self.blocks[from as usize..(from + count) as usize] {
                        block.versions.push((value, durable));
                    }
                }
                Way::Flush(many) => {
                    for (block, many) in self.blocks.iter_mut().zip(many) {
                        block.versions[many - 1].1 = true;
                    }
                }
            }
        }
    }

    /// One request of some kind to some blocks.
    fn asks_something(&mut self, drive: &mut Emulated, rng: &mut Rng) {
        let from = rng.below(BLOCKS);
        let count = 1 + rng.below(4.min(BLOCKS - from));
        let span = Span::new(Bytes::new(from * BLOCK), Bytes::new(count * BLOCK));
        let (durable, may_forget) = (rng.below(3) == 0, rng.below(2) == 0);
        let change = |value, durable| Way::Change {
            from,
            count,
            value,
            durable,
        };
        match rng.below(16) {
            0 => {
                let many = self.blocks.iter().map(|block| block.versions.len());
                let way = Way::Flush(many.collect());
                self.ask(drive, way, Asked::Flush);
            }
            1 => self.ask(drive, change(0, false), Asked::Trim(span)),
            2 | 3 => {
                let asked = Asked::Zero {
                    span,
                    may_forget,
                    durable,
                };
                self.ask(drive, change(0, durable), asked);
            }
            _ => {
                let value = self.next as u32;
                let bytes = value.to_le_bytes().repeat(span.len.get() as usize / 4);
                let asked = Asked::Write {
                    offset: span.start,
                    bytes,
                    durable,
                };
                self.ask(drive, change(value, durable), asked);
            }
        }
    }

    /// Compares the contents with the allowed ones.
    fn holds(&mut self, drive: &Emulated, honest: bool, what: &str) {
        self.on_their_way.clear();
        for (block, number) in self.blocks.iter_mut().zip(0..) {
            let found = stands(drive, number);
            let promised = block.versions.iter().rposition(|(_, promised)| *promised);
            let from = promised.filter(|_| honest).unwrap_or(0);
            let may = &block.versions[from..];
            let may_be = |found: &u32| may.iter().any(|(value, _)| value == found);
            assert!(
                found.iter().all(may_be),
                "{what}: block {number} is {found:?}, may be {may:?}"
            );
            block.versions = found.into_iter().map(|value| (value, false)).collect();
            block.versions[0].1 = true;
        }
    }
}

/// The contents of each sector of a block: a disk may stop in the middle of one.
fn stands(drive: &Emulated, block: u64) -> Vec<u32> {
    let mut bytes = vec![0; BLOCK as usize];
    let offset = Bytes::new(block * BLOCK);
    drive.image().read(offset, &mut bytes).unwrap();
    let sectors = bytes.chunks_exact(512).map(|sector| {
        assert!(sector.chunks_exact(4).all(|word| word == &sector[..4]));
        u32::from_le_bytes([sector[0], sector[1], sector[2], sector[3]])
    });
    let mut found: Vec<u32> = sectors.collect();
    found.dedup();
    found
}

/// Works for a while, with requests over one another, and stops anywhere.
fn works(drive: &mut Emulated, reference: &mut Reference, rng: &mut Rng) {
    let mut answers = Vec::new();
    for _ in 0..1 + rng.below(150) {
        reference.asks_something(drive, rng);
        if rng.below(3) > 0 {
            let rest = Duration::from_micros(1 << rng.below(15));
            drive.advance(drive.now() + rest, &mut answers).unwrap();
        }
        if rng.below(6) == 0 {
            answers.append(&mut settle(drive));
        }
        reference.answered(&answers);
        answers.clear();
    }
}

fn cuts(target: &str, lies: bool, seed: u64, many: u32) {
    let honest = !lies && !target.contains("ignored");
    let place = tempfile::tempdir().unwrap();
    let mut rng = Rng::new(seed);
    let mut reference = Reference::new();
    for cut in 0..many {
        let mut offered = had(target, place.path(), lies);
        let what = format!("{target}, lies: {lies}, cut {cut}");
        reference.holds(&offered.drive, honest, &what);
        works(&mut offered.drive, &mut reference, &mut rng);
    }
}

#[test]
fn nothing_older_than_what_was_promised_comes_back_from_any_family() {
    for (target, seed) in DRIVES.into_iter().zip(1..) {
        cuts(target, false, seed, 25);
        cuts(target, true, seed, 5);
    }
}

#[test]
fn nothing_older_than_what_was_promised_comes_back_from_under_a_layer() {
    for (target, seed) in [
        "rapid(model:samsung-840-evo-250gb)",
        "rapid(model:samsung-840-evo-250gb)?flush=ignored",
        "raid0(model:samsung-840-evo-250gb,model:samsung-840-evo-250gb)?stripe=16KiB",
        "raid0(model:wd-red-wd30efrx-3tb,model:wd-red-wd30efrx-3tb)?stripe=16KiB",
        "fault(model:intel-x25-m-g2-80gb)?errors=0",
    ]
    .into_iter()
    .zip(1..)
    {
        cuts(target, false, seed, 12);
    }
}

#[test]
fn a_durable_write_is_there_though_an_ordinary_one_over_it_is_lost() {
    for target in DRIVES {
        let place = tempfile::tempdir().unwrap();
        let mut offered = had(target, place.path(), false);
        let drive = &mut offered.drive;
        write(drive, 0, 9);
        drive.ask(drive.now(), ASKER, Asked::Flush);
        settle(drive);
        let span = Span::new(Bytes::ZERO, Bytes::new(BLOCK));
        let durable = Asked::Zero {
            span,
            may_forget: false,
            durable: true,
        };
        drive.ask(drive.now(), ASKER, durable);
        settle(drive);
        write(drive, 0, 8);
        settle(drive);
        drop(offered);
        let after = had(target, place.path(), false);
        assert!([0, 8].contains(&value(&after.drive, 0)), "{target}");
    }
}

#[test]
fn a_drive_that_lies_loses_what_was_in_its_memory_and_nothing_that_was_in_flash() {
    for target in ["model:samsung-840-evo-250gb", "model:wd-red-wd30efrx-3tb"] {
        let place = tempfile::tempdir().unwrap();
        let mut offered = had(target, place.path(), true);
        let drive = &mut offered.drive;
        write(drive, 0, 1);
        settle(drive);
        // Enough behind it that it went to where it stays.
        for block in 1..8_192 {
            write(drive, block, 7);
        }
        settle(drive);
        drive
            .advance(drive.now() + Duration::from_secs(60), &mut Vec::new())
            .unwrap();
        write(drive, 0, 2);
        settle(drive);
        drop(offered);
        let after = had(target, place.path(), true);
        assert!(after.restored.unwrap().cut);
        assert!([1, 2].contains(&value(&after.drive, 0)), "{target}");
    }
}

#[test]
fn what_is_said_to_be_lost_is_lost() {
    let target = "rapid(model:samsung-840-evo-250gb)?flush=ignored";
    let place = tempfile::tempdir().unwrap();
    let mut offered = had(target, place.path(), false);
    for block in 0..64 {
        write(&mut offered.drive, block, 9);
    }
    settle(&mut offered.drive);
    let now = offered.drive.now();
    offered.drive.ask(now, ASKER, Asked::Flush);
    settle(&mut offered.drive);
    drop(offered);
    let after = had(target, place.path(), false);
    let gone = (0..64).filter(|block| value(&after.drive, *block) != 9);
    let lost = after.restored.unwrap().lost;
    assert_eq!(lost, Bytes::new(gone.count() as u64 * BLOCK));
    assert!(!lost.is_zero());
}

#[test]
fn what_can_be_undone_is_given_back_though_nobody_flushes() {
    let place = tempfile::tempdir().unwrap();
    let target = "model:samsung-840-evo-250gb";
    let mut offered = had(target, place.path(), false);
    let drive = &mut offered.drive;
    for round in 0..5 {
        for mebibyte in 0..32 {
            let offset = Bytes::mib(mebibyte);
            let bytes = vec![round; 1 << 20];
            let asked = Asked::Write {
                offset,
                bytes,
                durable: false,
            };
            drive.ask(drive.now(), ASKER, asked);
        }
        settle(drive);
        let later = drive.now() + Duration::from_secs(10);
        drive.advance(later, &mut Vec::new()).unwrap();
    }
    assert!(drive.not_needed >= 32 << 20, "{}", drive.not_needed);
    drop(offered);
    let after = had(target, place.path(), false);
    assert!(value(&after.drive, 8_000) >= 3);
}

/// Drives of every family of models, and layers.
const ALL: [&str; 12] = [
    "model:samsung-840-evo-250gb",
    "model:solidigm-670p-1tb",
    "model:intel-d3-s4510-480gb",
    "model:intel-x25-m-g2-80gb",
    "model:wd-red-wd30efrx-3tb",
    "rapid(model:samsung-840-evo-250gb)",
    "raid0(model:wd-red-wd30efrx-3tb,model:wd-red-wd30efrx-3tb)?stripe=16KiB",
    "model:seagate-archive-st8000as0002-8tb",
    "model:seagate-exos-2x14-14tb",
    "model:wd-ultrastar-dc-hc560-20tb",
    "model:hitachi-hds721616plat80-160gb",
    "model:ocz-core-v2-30gb",
];

#[test]
fn what_a_cut_takes_was_at_risk_and_to_ask_changes_no_time() {
    for (target, seed) in ALL.into_iter().zip(1..) {
        let interrupt = Interrupt::new();
        let new = || {
            Paced::new(
                crate::offer::modelled(target, 7, &interrupt)
                    .unwrap()
                    .target,
            )
        };
        let (mut asked, mut left_alone) = (new(), new());
        let mut rng = Rng::new(seed);
        let all = Span::first(Bytes::mib(1));
        let mut ended = [Vec::new(), Vec::new()];
        for cut in 0..10 {
            for request in 0..rng.below(300) {
                let mut io = Io::write(Bytes::new(rng.below(250) * BLOCK), Bytes::new(BLOCK), 0);
                io.durable = rng.below(8) == 0;
                let io = if rng.below(40) == 0 { Io::flush() } else { io };
                asked.at_risk(all);
                asked.submit(Ticket(request), &io);
                left_alone.submit(Ticket(request), &io);
                let until = asked.now() + Duration::from_micros(1 << rng.below(16));
                asked.advance(until, &mut ended[0]);
                left_alone.advance(until, &mut ended[1]);
            }
            assert_eq!(ended[0], ended[1], "{target}");
            let risk = asked.at_risk(all);
            let lost = asked.power_cut();
            assert_eq!(lost, left_alone.power_cut(), "{target}, cut {cut}");
            for span in lost {
                let inside = risk.iter().filter_map(|risk| risk.within(span));
                let covered: u64 = inside.map(|part| part.len.get()).sum();
                assert!(covered >= span.len.get(), "{target}, cut {cut}: {span:?}");
            }
        }
    }
}
