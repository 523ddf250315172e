//! The same method on two file systems whose speeds are known.

use super::*;
use crate::METHODS;
use crate::tests::bench_double::BenchDouble;
use crate::tests::{output_of, settings, value};
use base::method::Scale;
use base::null::Null;
use base::size::Bytes;

/// A bench with file systems: an I/O takes 100 us on the first, 50 us more on each next one.
struct WithFiles {
    bench: BenchDouble<Null>,
    systems: Vec<String>,
}

fn on(nth: usize) -> Null {
    let service = Duration::from_micros(100 + 50 * nth as u64);
    Null::new(Bytes::gib(4), service).with_servers(1)
}

fn with_files(systems: &[&str]) -> WithFiles {
    WithFiles {
        bench: BenchDouble::new(on(0)),
        systems: systems.iter().map(|&name| name.to_owned()).collect(),
    }
}

impl Files for WithFiles {
    fn systems(&self) -> Vec<String> {
        self.systems.clone()
    }
    fn on(&mut self, system: &str) -> Result<(), Stopped> {
        let nth = self.systems.iter().position(|known| known == system);
        self.bench.target = on(nth.unwrap());
        Ok(())
    }
}

impl Bench for WithFiles {
    fn info(&self) -> Info {
        self.bench.info()
    }
    fn run_phase(&mut self, name: &str, input: PhaseInput<'_>) -> Result<&PhaseRecord, Stopped> {
        self.bench.run_phase(name, input)
    }
    fn idle(&mut self, name: &str, time: Duration) -> Result<(), Stopped> {
        self.bench.idle(name, time)
    }
    fn files(&mut self) -> Option<&mut dyn Files> {
        Some(self)
    }
}

fn run(bench: &mut WithFiles, given: &[&str]) -> MethodOutput {
    let settings = settings("file-system", Scale::Quick, given);
    FileSystem.run(&settings, bench).unwrap()
}

#[test]
fn both_file_systems_stand_side_by_side_with_the_second_over_the_first() {
    let mut bench = with_files(&["fat32", "exfat", "ntfs"]);
    let output = run(&mut bench, &[]);
    let [fat, ntfs] = ["fat32", "ntfs"].map(|s| value(&output, &format!("{s}.4k.write")));
    assert!(
        (fat - 40.96).abs() < 0.1 && (ntfs - 20.48).abs() < 0.1,
        "{fat} {ntfs}"
    );
    assert!((value(&output, "ratio.4k.write") - 0.5).abs() < 1e-3);
    let has = |phase: &str| bench.bench.phases.iter().any(|p| p.name == phase);
    assert!(has("fat32: prepare") && has("ntfs: prepare"));
    let ratio = output
        .figures
        .iter()
        .find(|f| f.key == "ratio.4k.write")
        .unwrap();
    assert_eq!(ratio.statistic.as_str(), "ntfs over fat32");
    assert!(
        ratio.phases.iter().all(|phase| has(phase)),
        "{:?}",
        ratio.phases
    );
}

#[test]
fn whatever_method_runs_in_it_its_figures_name_phases_that_there_are() {
    // A replay wants a trace.
    for method in inner_methods().iter().filter(|method| **method != "replay") {
        let mut bench = with_files(&["fat32", "ntfs"]);
        let output = run(&mut bench, &[&format!("method={method}")]);
        let there = |phase: &String| bench.bench.phases.iter().any(|p| p.name == *phase);
        for figure in &output.figures {
            let unknown = figure.phases.iter().find(|phase| !there(phase));
            assert_eq!(unknown, None, "{method}: {}", figure.key);
            assert!(!figure.key.contains(": "), "{method}: {}", figure.key);
        }
    }
}

#[test]
fn two_that_are_named_are_those_that_run() {
    let mut bench = with_files(&["fat32", "exfat", "ntfs"]);
    let output = run(&mut bench, &["one=ntfs", "other=exfat"]);
    let ratio = value(&output, "ratio.4k.write");
    assert!((ratio - 4.0 / 3.0).abs() < 1e-3, "{ratio}");
}

#[test]
fn where_there_is_one_file_system_it_alone_runs_and_the_ratio_says_why_it_is_empty() {
    let empty = |systems: &[&str], given: &[&str]| {
        let output = run(&mut with_files(systems), given);
        let ratio = output.figures.iter().find(|f| f.key.starts_with("ratio."));
        let ratio = ratio.unwrap();
        assert_eq!(ratio.value, None);
        (
            output.figures[0].key.clone(),
            ratio.why_not.clone().unwrap(),
        )
    };
    let (key, why) = empty(&["ext4"], &[]);
    assert!(
        key.starts_with("ext4.") && why.contains("a directory on another one"),
        "{why}"
    );
    let (_, why) = empty(&["fat32", "ntfs"], &["other=xfs"]);
    assert!(
        why.contains("other=xfs") && why.contains("fat32, ntfs"),
        "{why}"
    );
}

#[test]
fn a_bare_drive_is_judged_as_it_is_and_told_so() {
    let settings = settings("file-system", Scale::Quick, &[]);
    let mut bench = BenchDouble::new(on(0));
    let output = output_of("file-system", &settings, &mut bench);
    assert!((value(&output, "bare.4k.read") - 40.96).abs() < 0.1);
    let ratio = output.figures.last().unwrap();
    assert!(ratio.why_not.as_ref().unwrap().contains("bare drive"));
}

#[test]
fn every_method_is_offered_but_this_one_and_those_that_would_ruin_a_drive() {
    let offered = inner_methods();
    for method in METHODS {
        let card = method.card();
        let expected = card.files && card.on_models != OnModels::Only && card.id != CARD.id;
        assert_eq!(offered.contains(&card.id), expected, "{}", card.id);
    }
    assert!(offered.contains(&"atto") && !offered.contains(&"wear-out"));
}
