//! Every method on targets that are odd: tiny, of large or uneven blocks, read-only, and failing.
//!
//! Each run ends in figures with a number, in figures with a reason, or in one line; never in a panic, a NaN, or a
//! figure of other I/Os than its name says.

use base::fault::EIO;
use base::null::Null;
use base::target::{Busy, Done, Outcome, Tag};
use base::{
    Bench, Better, Bytes, Figure, Info, Instant, Io, Method, MethodOutput, Op, Scale, Settings,
    Target,
};

use crate::METHODS;
use crate::tests::SERVICE;
use crate::tests::bench_double::BenchDouble;

fn quick(method: &dyn Method) -> Settings {
    Settings::new(method.card(), Scale::Quick, 1, &[]).unwrap()
}

/// An output, or the one line that says why there is none.
fn said<T: Target>(
    method: &dyn Method,
    bench: &mut BenchDouble<T>,
) -> Result<MethodOutput, String> {
    let settings = quick(method);
    let info = bench.info();
    let forecast = method.forecast(&settings, &info);
    if forecast.extent > info.capacity {
        // What the lab says before it opens a target.
        return Err("the target is too small".to_owned());
    }
    assert!(
        forecast.written.iter().all(|w| w.end() <= info.capacity),
        "{} on {info:?}: {:?}",
        method.card().id,
        forecast.written
    );
    method.run(&settings, bench).map_err(|e| e.to_string())
}

/// What is wrong with a output, where something is.
fn unsound(said: &Result<MethodOutput, String>) -> Option<String> {
    let output = match said {
        Ok(output) => output,
        Err(line) => return (line.is_empty() || line.contains('\n')).then(|| line.clone()),
    };
    if output.figures.is_empty() {
        return Some("no figure".to_owned());
    }
    let is_unsound = |figure: &&Figure| match figure.value {
        Some(value) => !value.is_finite() || figure.why_not.is_some(),
        None => figure.why_not.as_deref().is_none_or(str::is_empty),
    };
    if let Some(figure) = output.figures.iter().find(is_unsound) {
        return Some(format!("{figure:?}"));
    }
    let curves = output.charts.iter().flat_map(|chart| &chart.curves);
    let mut drawn = curves.filter(|curve| {
        let bands = [&curve.low, &curve.high].into_iter().flatten().flatten();
        let mut values = curve.y.iter().chain(bands).flatten().chain(&curve.x);
        values.any(|value| !value.is_finite())
    });
    drawn.next().map(|curve| format!("{curve:?}"))
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn on_targets_of_any_size_and_block_every_method_ends_in_figures_or_in_one_line() {
    let blocks = [512, 520, 4_096, 65_536, 1 << 20].map(Bytes::new);
    let mut wrong = Vec::new();
    for method in METHODS {
        for block in blocks {
            let capacities = [
                block,
                block * 3,
                Bytes::mib(1).max(block),
                Bytes::new(70_000_003).round_down(block),
                // A file's length is not made of blocks.
                Bytes::new(70_000_003),
            ];
            for capacity in capacities {
                for writable in [true, false] {
                    let null = Null::new(capacity, SERVICE).with_block(block);
                    let mut bench = BenchDouble::new(null);
                    bench.writable = writable;
                    let on = format!("{} on {:?}", method.card().id, bench.info());
                    let said = said(*method, &mut bench);
                    wrong.extend(unsound(&said).map(|what| format!("{on}: {what}")));
                }
            }
        }
    }
    assert_none(&wrong);
}

/// A target whose I/Os of some kinds all fail, as fast as the others.
struct Failing {
    under: Null,
    fails: fn(Op) -> bool,
    failing: Vec<Tag>,
}

impl Failing {
    fn new(fails: fn(Op) -> bool) -> Failing {
        Failing {
            under: Null::new(Bytes::gib(1), SERVICE).with_servers(1),
            fails,
            failing: Vec::new(),
        }
    }
}

impl Target for Failing {
    fn info(&self) -> Info {
        self.under.info()
    }
    fn now(&self) -> Instant {
        self.under.now()
    }
    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        self.under.submit(tag, io)?;
        if (self.fails)(io.op) {
            self.failing.push(tag);
        }
        Ok(())
    }
    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let first = done.len();
        self.under.wait(until, done);
        for d in &mut done[first..] {
            if let Some(at) = self.failing.iter().position(|tag| *tag == d.tag) {
                self.failing.swap_remove(at);
                d.outcome = Outcome::Failed(EIO);
            }
        }
    }
}

/// Whether a figure measures the drive's performance, and not its failures.
fn rates_the_drive(figure: &Figure) -> bool {
    let counts = figure.unit == "count" || figure.key == "readable";
    figure.better != Better::None && !counts
}

#[test]
fn where_every_access_fails_no_figure_has_a_number() {
    let mut wrong = Vec::new();
    for method in METHODS {
        let mut bench = BenchDouble::new(Failing::new(|_| true));
        let id = method.card().id;
        let said = said(*method, &mut bench);
        wrong.extend(unsound(&said).map(|what| format!("{id}: {what}")));
        let figures = said.map(|output| output.figures).unwrap_or_default();
        let numbers = figures
            .iter()
            .filter(|f| rates_the_drive(f) && f.value.is_some());
        wrong.extend(numbers.map(|figure| format!("{id}: {figure:?}")));
    }
    assert_none(&wrong);
}

#[test]
fn where_reads_or_writes_alone_fail_every_method_ends_soundly() {
    let mut wrong = Vec::new();
    for failing in [Op::Read, Op::Write, Op::Flush] {
        for method in METHODS {
            let fails: fn(Op) -> bool = match failing {
                Op::Read => |op| op == Op::Read,
                Op::Write => |op| op == Op::Write,
                _ => |op| op == Op::Flush,
            };
            let mut bench = BenchDouble::new(Failing::new(fails));
            let what = unsound(&said(*method, &mut bench));
            let id = method.card().id;
            wrong.extend(what.map(|what| format!("{id}, each {} fails: {what}", failing.name())));
        }
    }
    assert_none(&wrong);
}

/// The size that a word of a figure's key names, as `512b`, `rnd4k` or `seq1m` do.
fn size_named(word: &str) -> Option<Bytes> {
    let word = word
        .strip_prefix("rnd")
        .or(word.strip_prefix("seq"))
        .unwrap_or(word);
    let unit = word.chars().last()?;
    let number: u64 = word.strip_suffix(unit)?.parse().ok()?;
    match unit {
        'b' => Some(Bytes::new(number)),
        'k' => Some(Bytes::kib(number)),
        'm' => Some(Bytes::mib(number)),
        _ => None,
    }
}

#[test]
fn a_figure_that_names_a_size_is_made_of_accesses_of_that_size() {
    let mut wrong = Vec::new();
    for method in METHODS {
        for (block, capacity) in [512, 4_096, 65_536]
            .map(Bytes::new)
            .into_iter()
            .flat_map(|block| [block * 2, Bytes::mib(3), Bytes::gib(4)].map(|bytes| (block, bytes)))
        {
            let null = Null::new(capacity, SERVICE).with_block(block);
            let mut bench = BenchDouble::new(null);
            let Ok(output) = said(*method, &mut bench) else {
                continue;
            };
            let of = |name: &String| bench.phases.iter().find(|phase| phase.name == *name);
            for figure in output.figures.iter().filter(|f| f.value.is_some()) {
                let words = figure.key.split(['.', '-']);
                let named: Vec<Bytes> = words.filter_map(size_named).collect();
                let works = figure.phases.iter().filter_map(of).map(|p| &p.workload);
                for job in works.filter_map(|work| work.jobs.first()) {
                    let has = |size: &Bytes| job.accesses.iter().any(|a| a.size == *size);
                    if !named.iter().all(has) {
                        let id = method.card().id;
                        let (key, has) = (&figure.key, &job.accesses);
                        wrong.push(format!("{id}, blocks of {block}: {key} is of {has:?}"));
                    }
                }
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn accesses_that_the_targets_blocks_made_larger_are_told() {
    let mut wrong = Vec::new();
    for method in METHODS {
        let run = |block: Bytes| {
            let null = Null::new(Bytes::gib(1), SERVICE).with_block(block);
            let mut bench = BenchDouble::new(null);
            let output = said(*method, &mut bench).ok()?;
            let of = |phase: base::record::PhaseRecord| {
                let sizes = phase.workload.jobs.into_iter().next()?.accesses;
                let sizes: Vec<Bytes> = sizes.iter().map(|access| access.size).collect();
                Some((phase.name, sizes))
            };
            let sizes: Vec<_> = bench.phases.into_iter().filter_map(of).collect();
            Some((output, sizes))
        };
        let Some((_, small)) = run(Bytes::SECTOR) else {
            continue;
        };
        for block in [Bytes::kib(4), Bytes::kib(64)] {
            let Some((output, large)) = run(block) else {
                continue;
            };
            let grew = |(name, sizes): &&(String, Vec<Bytes>)| {
                let was = small.iter().find(|(was, _)| was == name);
                let scripted = sizes.iter().all(|size| size.is_zero());
                !scripted && was.is_some_and(|(_, was)| was.iter().min() < sizes.iter().min())
            };
            let used = |(name, _): &&(String, Vec<Bytes>)| {
                let mut numbers = output.figures.iter().filter(|f| f.value.is_some());
                numbers.any(|figure| figure.phases.contains(name))
            };
            let Some((name, sizes)) = large.iter().filter(grew).find(used) else {
                continue;
            };
            let told = output.notes.iter().chain(&output.warnings);
            let mut told = told.filter(|line| line.contains(&block.to_string()));
            if told.next().is_none() {
                let id = method.card().id;
                wrong.push(format!("{id}, {name}: of {sizes:?}, and nobody is told"));
            }
        }
    }
    assert_none(&wrong);
}
