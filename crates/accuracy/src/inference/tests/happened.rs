//! What is taken for so of drawn drives is what happens inside them, by their own log of events.
//!
//! [`truth`] reads a drive's file: what it has memory for, how many dies. That would be a wrong truth if the mechanisms made
//! something else of it. So drawn drives are driven without a question, and their logs are counted.

use base::io::Io;
use base::rng::Rng;
use base::size::Bytes;
use base::state::State;
use base::target::{Done, Tag, Target};
use base::time::{Duration, Instant};
use sim::catalogue::{ModelOptions, open_without_host};
use sim::event_log::Event;
use sim::model::Model;
use sim::virtual_time::Virtual;

use crate::inference::draw::{Drawn, FAMILIES, drawn, with};
use crate::inference::truth::{Is, truths};

/// Drives of each family.
const DRIVES: u64 = 4;
/// What a page is told by.
const PAGE: Bytes = Bytes::kib(16);

/// A drive by itself, without a host.
struct Driven {
    drive: Virtual<Box<dyn Model>>,
    rng: Rng,
}

impl Driven {
    fn new(drawn: &Drawn, state: State) -> Driven {
        let options = ModelOptions {
            state,
            seed: drawn.seed,
            ..with(&drawn.values)
        };
        let (opened, _) = open_without_host(&drawn.sheet.card.slug, &options).unwrap();
        let mut drive = Virtual::new(opened.model);
        // From now on.
        drive.model().happened();
        Driven {
            drive,
            rng: Rng::new(drawn.seed),
        }
    }

    fn capacity(&self) -> u64 {
        self.drive.info().capacity.get()
    }

    /// So many at once, each as soon as there is room for it, until `enough` of what has happened.
    fn play(
        &mut self,
        depth: u32,
        ios: impl IntoIterator<Item = Io>,
        enough: impl Fn(&Event) -> bool,
    ) -> Vec<(Instant, Event)> {
        let (mut free, mut done): (Vec<u32>, Vec<Done>) = ((0..depth).collect(), Vec::new());
        let mut events = Vec::new();
        for io in ios {
            while free.is_empty() {
                self.drive.wait(None, &mut done);
                free.extend(done.drain(..).map(|done| done.tag.0));
            }
            self.drive.submit(Tag(free.pop().unwrap()), &io).unwrap();
            events.extend(self.drive.model().happened());
            if events.last().is_some_and(|(_, event)| enough(event)) {
                break;
            }
        }
        while free.len() < depth as usize {
            self.drive.wait(None, &mut done);
            free.extend(done.drain(..).map(|done| done.tag.0));
        }
        events.extend(self.drive.model().happened());
        events
    }

    fn all(&mut self, depth: u32, ios: impl IntoIterator<Item = Io>) -> Vec<(Instant, Event)> {
        self.play(depth, ios, |_| false)
    }

    fn reads(&mut self, many: u64, within: u64) -> Vec<(Instant, Event)> {
        let places = within / 4_096;
        let mut rng = self.rng.clone();
        let read = |_| Io::read(Bytes::kib(4) * rng.below(places), Bytes::kib(4));
        let events = self.all(1, (0..many).map(read));
        self.rng = rng;
        events
    }

    fn rest(&mut self, time: Duration) -> Vec<(Instant, Event)> {
        let until = self.drive.now() + time;
        let mut done = Vec::new();
        while self.drive.now() < until {
            self.drive.wait(Some(until), &mut done);
        }
        self.drive.model().happened()
    }
}

fn count(events: &[(Instant, Event)], of: impl Fn(&Event) -> bool) -> f64 {
    events.iter().filter(|(_, event)| of(event)).count() as f64
}

/// The number that is taken for so; nothing where there is no such thing, or it is not asked.
fn number(drawn: &Drawn, question: &str) -> Option<[f64; 2]> {
    let truths = truths(drawn);
    let truth = truths.iter().find(|truth| truth.question == question)?;
    match truth.is {
        Is::Number(_, is, _) => is,
        Is::Said(..) => None,
    }
}

/// Drives of the families.
fn of(families: &[&str]) -> Vec<Drawn> {
    let families = FAMILIES.iter().filter(|it| families.contains(&it.name));
    families
        .flat_map(|family| (0..DRIVES).map(move |n| drawn(family, n, 7).unwrap()))
        .collect()
}

#[test]
fn lookups_miss_as_often_as_what_the_map_is_said_to_cover() {
    for drawn in of(&["nvme-no-dram", "qlc", "nvme-dram"]) {
        let mut driven = Driven::new(&drawn, "full-in-order".parse().unwrap());
        let covered = number(&drawn, "map").map(|[gib, _]| gib * Bytes::gib(1).get() as f64);
        let Some(covered) = covered else {
            let missed = count(&driven.reads(3_000, driven.capacity()), |it| {
                *it == Event::MapMiss
            });
            assert!(missed <= 0.0, "{}: {missed}", drawn.target);
            continue;
        };
        let within = driven.capacity().min(4 * covered as u64);
        // Each part of the map several times.
        driven.reads(8 * (covered / Bytes::mib(4).get() as f64) as u64, within);
        let reads = 20_000;
        let missed = count(&driven.reads(reads, within), |it| *it == Event::MapMiss);
        let found = within as f64 * (1.0 - missed / reads as f64);
        assert!(
            (found / covered - 1.0).abs() < 0.05,
            "{}: {found} for {covered}",
            drawn.target
        );
    }
}

#[test]
fn the_host_writes_past_the_one_bit_cache_where_that_is_said_to_end() {
    let mut seen = 0;
    for drawn in of(&["sata-dram", "nvme-no-dram", "qlc", "nvme-dram"]) {
        let said = number(&drawn, "slc");
        let Some([low, high]) = said.filter(|[_, high]| *high < 45.0) else {
            continue;
        };
        let mut driven = Driven::new(&drawn, State::default());
        let write = |n| Io::write(Bytes::mib(1) * n, Bytes::mib(1), n);
        // Where the host's data never go past it, they wait until some of it is folded.
        let past = |event: &Event| matches!(event, Event::PastOneBit { .. } | Event::Folding);
        let all = driven.capacity() / Bytes::mib(1).get();
        let sent = std::cell::Cell::new(0_u64);
        let writes = (0..all).map(write).inspect(|_| sent.set(sent.get() + 1));
        driven.play(8, writes, past);
        let written = sent.get() as f64 * Bytes::mib(1).get() as f64 / 1e9;
        assert!(
            written > 0.96 * low && written < 1.04 * high,
            "{}: {written} for {low} to {high}",
            drawn.target
        );
        seen += 1;
    }
    assert!(seen >= 4, "{seen}");
}

#[test]
fn a_full_drive_is_overwritten_without_collection_until_its_spare_flash_is_used_up() {
    let mut seen = 0;
    for drawn in of(&["first-generation"]) {
        let [_, spare] = number(&drawn, "collection").unwrap();
        let mut driven = Driven::new(&drawn, "full-in-order".parse().unwrap());
        let all = driven.capacity() / 4_096;
        let sent = std::cell::Cell::new(0_u64);
        let mut rng = driven.rng.clone();
        let writes = (0..all)
            .map(|n| Io::write(Bytes::kib(4) * rng.below(all), Bytes::kib(4), n))
            .inspect(|_| sent.set(sent.get() + 1));
        driven.play(32, writes, |event| *event == Event::Collection);
        let written = sent.get() as f64 * 4_096.0 / 1e9;
        // Some of it is open, or kept to move data to.
        // One that maps larger pieces than it is sent writes more.
        let unit = drawn.number("sub_unit", "unit_kib").unwrap_or(4.0);
        let least = if unit <= 4.0 { 0.8 } else { 0.0 };
        assert!(
            written < spare && written > least * spare,
            "{}: {written} of {spare}",
            drawn.target
        );
        seen += usize::from(least > 0.0);
    }
    assert!(seen >= 3, "{seen}");
}

#[test]
fn pages_lie_on_the_dies_as_they_are_said_to() {
    for drawn in of(&["sata-dram", "nvme-no-dram", "qlc", "nvme-dram"]) {
        let Some([pages, _]) = number(&drawn, "stripe") else {
            continue;
        };
        let [beside, _] = number(&drawn, "planes").unwrap();
        let mut driven = Driven::new(&drawn, State::default());
        let many = 6 * pages as u64;
        let write = |n| Io::write(Bytes::mib(1) * n, Bytes::mib(1), n);
        driven.all(8, (0..many.div_ceil(64) + 8).map(write));
        driven.rest(Duration::from_millis(200));
        // In order they would be fetched ahead, without having been asked for.
        let mut dies = vec![None; many as usize];
        let mut places: Vec<u64> = (0..many).collect();
        places.sort_by_key(|place| base::rng::splitmix64(*place));
        for place in places {
            let events = driven.all(1, [Io::read(PAGE * place, PAGE)]);
            dies[place as usize] = events.iter().find_map(|(_, event)| match event {
                Event::PageRead { die } => Some(*die),
                _ => None,
            });
        }
        let (turn, run) = (pages as usize, beside as usize);
        let known = |one: &Option<u32>, other: &Option<u32>| one.is_some() && one == other;
        // What was fetched ahead all the same was not asked for.
        let runs = dies
            .chunks_exact(run)
            .filter(|run| run.iter().all(Option::is_some));
        let (same, unlike): (Vec<_>, Vec<_>) =
            runs.partition(|run| run.iter().all(|die| known(die, &run[0])));
        assert!(same.len() > 4 * unlike.len(), "{dies:?} {}", drawn.target);
        // Rows begin on another die now and then: most pages at this distance meet, and at no other as many.
        let met = |distance: usize| {
            let pairs = dies.windows(distance + 1);
            pairs.filter(|all| known(&all[0], &all[distance])).count()
        };
        let most = (run..2 * turn).max_by_key(|distance| (met(*distance), dies.len() - distance));
        let other = most.map(|other| (other, met(other)));
        assert_eq!(other, Some((turn, met(turn))), "{dies:?} {}", drawn.target);
    }
}

#[test]
fn pages_that_have_faded_are_read_again_and_young_ones_are_not() {
    let evo = of(&["sata-dram"])
        .into_iter()
        .find(|drawn| drawn.sheet.card.slug.contains("840-evo"));
    let evo = evo.unwrap();
    let retries = |state: &str| {
        let mut driven = Driven::new(&evo, state.parse().unwrap());
        let within = driven.capacity();
        count(&driven.reads(2_000, within), |it| *it == Event::ReadRetry)
    };
    assert_eq!(retries("full-in-order") as u64, 0);
    assert!(retries("full-in-order,age=180d") > 1_000.0);
}

#[test]
fn folding_begins_after_the_rest_that_is_said() {
    let mut seen = 0;
    for drawn in of(&["sata-dram", "nvme-no-dram", "qlc", "nvme-dram"]) {
        let Some([low, high]) = number(&drawn, "onset") else {
            continue;
        };
        let mut driven = Driven::new(&drawn, State::default());
        let write = |n| Io::write(Bytes::mib(1) * n, Bytes::mib(1), n);
        driven.all(8, (0..2_048).map(write));
        let from = driven.drive.now();
        let events = driven.rest(Duration::from_secs(90));
        let folding = events.iter().find(|(_, event)| *event == Event::Folding);
        // One that keeps its data in one-bit cells while there is room does not fold at all.
        let Some((at, _)) = folding else { continue };
        let after = (at.as_nanos() - from.as_nanos()) as f64 / 1e9;
        assert!(
            after > low && after < high,
            "{}: {after} for {low} to {high}",
            drawn.target
        );
        seen += 1;
    }
    assert!(seen >= 4, "{seen}");
}

#[test]
fn arms_take_as_long_and_buffers_keep_as_many_streams_as_is_said() {
    for drawn in of(&["disk", "shingled-disk"]) {
        let mut driven = Driven::new(&drawn, "full-in-order".parse().unwrap());
        let events = driven.reads(2_000, driven.capacity());
        let seeks: Vec<f64> = events
            .iter()
            .filter_map(|(_, event)| match event {
                Event::Seek { took } => Some(took.as_secs_f64() * 1e3),
                _ => None,
            })
            .collect();
        let [said, _] = number(&drawn, "seek").unwrap();
        let mean = seeks.iter().sum::<f64>() / seeks.len() as f64;
        assert!(
            (mean / said - 1.0).abs() < 0.06,
            "{}: {mean} for {said}",
            drawn.target
        );

        let [streams, _] = number(&drawn, "streams").unwrap();
        for (more, hit) in [(0, true), (1, false)] {
            let many = streams as u64 + more;
            let mut driven = Driven::new(&drawn, "full-in-order".parse().unwrap());
            let apart = driven.capacity() / (many + 1) / 4_096;
            let read = |n: u64| Io::read(Bytes::kib(4) * (apart * n), Bytes::kib(4));
            driven.all(1, (0..many).map(read));
            let again = driven.all(1, [read(0)]);
            let from_segment = count(&again, |it| *it == Event::FromSegment) > 0.0;
            assert_eq!(from_segment, hit, "{many} {}", drawn.target);
        }
    }
}
