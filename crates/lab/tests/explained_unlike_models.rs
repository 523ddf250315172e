//! What `explain` says of drives that work unlike the models: right, open, or bounded; certain and wrong of one answer in
//! fifty at most. `DRIVELAB_ALIENS=400` asks so many drives of each family, and prints every wrong answer.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]
#![allow(
    clippy::print_stdout,
    reason = "whoever asks for many drives looks at those that are wrong"
)]

#[path = "modelled/on.rs"]
mod on;

use alien::{Alien, Family, Inside, SsdDescription};
use base::method::{Scale, Settings};
use base::result::Figure;
use base::size::Bytes;
use on::On;

/// Of the pages at a distance, so many lie on one die where that is what the stripe does.
const LEAST_SHARE: f64 = 0.4;

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Right,
    Open,
    Wrong,
}

/// A drive that was asked: its figures, and the sentences that they make.
struct Asking {
    on: On<Alien>,
    figures: Vec<Figure>,
    said: Vec<&'static str>,
}

fn asked(family: Family, seed: u64) -> Asking {
    let mut on = On::new(Alien::new(Alien::draw(family, seed)));
    let method = methods::find("explain").unwrap();
    let settings = Settings::new(method.card(), Scale::Default, seed, &[]).unwrap();
    let output = method.run(&settings, &mut on).unwrap();
    let mut result = fixtures::results::review().swap_remove(0);
    "explain".clone_into(&mut result.method);
    result.phases.clear();
    result.charts.clear();
    result.figures.clone_from(&output.figures);
    let said = analysis::answers::inside::findings(&result);
    Asking {
        on,
        figures: output.figures,
        said: said.iter().map(|finding| finding.said.key).collect(),
    }
}

impl Asking {
    /// A figure's value and interval; nothing where there is none.
    fn figure(&self, key: &str) -> Option<(f64, [f64; 2])> {
        let figure = self.figures.iter().find(|figure| figure.key == key)?;
        let value = figure.value?;
        let interval = figure.interval.as_ref();
        Some((value, interval.map_or([value; 2], |it| [it.low, it.high])))
    }

    /// A number, which may be off by a share unless its interval says more.
    fn number(&self, key: &str, is: Option<f64>, tolerance: f64) -> Outcome {
        match (self.figure(key), is) {
            (None, None) => Outcome::Right,
            (None, Some(_)) => Outcome::Open,
            (Some((value, [low, high])), Some(is))
                if (value / is - 1.0).abs() <= tolerance || (low <= is && is <= high) =>
            {
                Outcome::Right
            }
            _ => Outcome::Wrong,
        }
    }

    /// What is said where one of two sentences is right.
    fn sentence(&self, right: &str, wrong: &str) -> Outcome {
        match self.said.iter().find(|key| [right, wrong].contains(*key)) {
            Some(key) if *key == right => Outcome::Right,
            Some(_) => Outcome::Wrong,
            None => Outcome::Open,
        }
    }

    /// Everything that is known of the drive and asked about.
    fn outcomes(&self) -> Vec<(&'static str, Outcome)> {
        let truth = self.on.drive.truth();
        let mut all = match &truth.inside {
            Inside::Ssd(ssd) => self.of_flash(ssd),
            Inside::Disk(disk) => self.of_disk(disk),
        };
        let said = |key: &str| self.said.iter().any(|it| it.starts_with(key));
        let awake = match (said("answer-explain-awake"), said("answer-explain-wakes")) {
            (_, true) => Outcome::Wrong,
            (true, false) => Outcome::Right,
            (false, false) => Outcome::Open,
        };
        all.push(("wake", awake));
        all
    }

    fn of_flash(&self, ssd: &SsdDescription) -> Vec<(&'static str, Outcome)> {
        let trim = match ssd.honours_trim {
            true => self.sentence("answer-explain-trim", "answer-explain-trim-ignored"),
            false => self.sentence("answer-explain-trim-ignored", "answer-explain-trim"),
        };
        let mut all = vec![
            ("trim", trim),
            ("stripe", self.stripe()),
            (
                "read-again",
                self.sentence(
                    "answer-explain-read-again-not-kept",
                    "answer-explain-read-again-kept",
                ),
            ),
            (
                "ahead",
                self.sentence("answer-explain-no-read-ahead", "answer-explain-reads-ahead"),
            ),
            (
                "zeros",
                self.sentence(
                    "answer-explain-compression-not-visible",
                    "answer-explain-compresses",
                ),
            ),
        ];
        // How much a compressed map covers depends on how it was written.
        let compressed = |cache: &alien::MapCache| cache.compressed_region.is_some();
        if !ssd.map_cache.as_ref().is_some_and(compressed) {
            let reach = ssd.map_cache.map(|cache| cache.reach());
            let part = reach.filter(|reach| *reach < ssd.capacity);
            let gib = part.map(|reach| reach.get() as f64 / Bytes::gib(1).get() as f64);
            all.push(("map", self.number("map.coverage", gib, 0.15)));
        }
        all
    }

    /// A stripe that is claimed is one where most pages so far apart lie on one die, and none that are nearer.
    fn stripe(&self) -> Outcome {
        let Some((pages, [low, high])) = self.figure("stripe.pages") else {
            return Outcome::Open;
        };
        let page = Bytes::kib(16);
        let share = |distance: u64| {
            let die = |page_number: u64| self.on.drive.die_of(page * page_number);
            let places = (0..2_000_u64).map(|n| n * 37 % 100_000);
            let both = places.filter_map(|at| die(at).zip(die(at + distance)));
            let both: Vec<(u32, u32)> = both.collect();
            both.iter().filter(|(a, b)| a == b).count() as f64 / both.len().max(1) as f64
        };
        let within = low as u64..=high as u64;
        let found = within.map(share).fold(0.0, f64::max);
        if found < LEAST_SHARE {
            println!("stripe of {pages}: {found:.2} of the pages so far apart share a die");
        }
        match found {
            found if found >= LEAST_SHARE => Outcome::Right,
            _ => Outcome::Wrong,
        }
    }

    fn of_disk(&self, disk: &alien::DiskDescription) -> Vec<(&'static str, Outcome)> {
        let sectors = match disk.tracks {
            alien::Tracks::Constant { sectors } => sectors,
            alien::Tracks::Zoned { outer_sectors, .. } => outer_sectors,
        };
        let elsewhere = match disk.media_cache {
            Some(_) => self.sentence(
                "answer-explain-writes-elsewhere",
                "answer-explain-writes-in-place",
            ),
            None => self.sentence(
                "answer-explain-writes-in-place",
                "answer-explain-writes-elsewhere",
            ),
        };
        let rpm = Some(f64::from(disk.rpm));
        let track = Some(f64::from(sectors) / 2.0);
        let mut all = vec![
            ("rotation", self.number("rotation.speed", rpm, 1e-3)),
            ("track", self.number("rotation.track", track, 0.01)),
            ("elsewhere", elsewhere),
        ];
        if disk.read_cache.is_none() {
            let ahead = self.sentence("answer-explain-no-read-ahead", "answer-explain-reads-ahead");
            all.push(("ahead", ahead));
        }
        all
    }
}

#[test]
fn of_fifty_answers_about_drives_unlike_the_models_one_is_certain_and_wrong_at_most() {
    let many = std::env::var("DRIVELAB_ALIENS").ok();
    let drives: u64 = many.as_ref().map_or(12, |many| many.parse().unwrap());
    let (mut wrong, mut open, mut all) = (0, 0, 0);
    for family in [Family::Sata, Family::Nvme, Family::Disk] {
        for seed in 0..drives {
            let asking = asked(family, seed);
            for (question, outcome) in asking.outcomes() {
                all += 1;
                open += usize::from(outcome == Outcome::Open);
                wrong += usize::from(outcome == Outcome::Wrong);
                if outcome == Outcome::Wrong || (many.is_some() && outcome == Outcome::Open) {
                    println!(
                        "{outcome:?}: {question}: {family:?} {seed}: {:?}",
                        asking.said
                    );
                    println!("  {:?}", asking.on.drive.truth());
                    for figure in &asking.figures {
                        println!("  {} {:?}", figure.key, figure.value);
                    }
                }
            }
        }
    }
    println!("{wrong} of {all} certain and wrong, {open} open");
    assert!(wrong * 50 <= all, "{wrong} of {all}");
}
