//! Test files of a run: the file systems that its target has, and the drive anew on each.
//!
//! A modelled drive is rebuilt, in the state and from the seed of the run, with the test file on another of its host's
//! file systems: so figures differ only by the file system. A directory stays on its file system.

use base::bench::{Files, Stopped};

use crate::lab_bench::LabBench;
use targets::placed_on;

impl Files for LabBench<'_> {
    fn systems(&self) -> Vec<String> {
        self.on.file_systems.clone()
    }

    fn on(&mut self, system: &str) -> Result<(), Stopped> {
        if !self.on.file_systems.iter().any(|known| known == system) {
            return Err(Stopped::Failed(format!(
                "there is no file system {system} here, only {}",
                self.on.file_systems.join(", ")
            )));
        }
        let placed = placed_on(&self.on.made_again.spec, system);
        self.become_drive(placed).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use base::method::Scale;
    use results::RunResult;
    use stats::repeat::Repeat;

    use crate::progress::Silent;
    use crate::running::{Request, prepare};
    use base::interrupt::Interrupt;

    fn run(method: &str, target: &str, set: &[&str], repeat: Repeat) -> RunResult {
        let request = Request {
            repeat,
            set: set.iter().map(|&s| s.to_owned()).collect(),
            ..Request::new(method, target, Scale::Quick, 1)
        };
        let prepared = prepare(request).unwrap();
        prepared.run(None, &mut Silent, &Interrupt::new()).unwrap()
    }

    fn value(result: &RunResult, key: &str) -> f64 {
        let figure = result.figures.iter().find(|figure| figure.key == key);
        figure.unwrap_or_else(|| panic!("{key}")).value.unwrap()
    }

    const DRIVE: &str = "model:ocz-core-v2-30gb?state=full-in-order&host=windows-xp-2009";

    #[test]
    fn each_half_is_what_the_method_gives_on_that_file_system_alone() {
        let both = run("file-system", DRIVE, &[], Repeat::Times(1));
        for system in ["fat32", "ntfs"] {
            let target = format!("{DRIVE}&file_system={system}");
            let alone = run("crystaldiskmark-classic", &target, &[], Repeat::Times(1));
            for key in ["seq.write", "512k.write", "4k.read", "4k.write"] {
                let half = value(&both, &format!("{system}.{key}"));
                assert!(half.to_bits() == value(&alone, key).to_bits(), "{key}");
            }
        }
        let ratio = value(&both, "ntfs.4k.write") / value(&both, "fat32.4k.write");
        assert!((value(&both, "ratio.4k.write") - ratio).abs() < 1e-12);
    }

    #[test]
    fn without_a_file_system_the_drive_is_bare_and_on_one_its_own_writes_come_beside() {
        let bare = run("crystaldiskmark-classic", DRIVE, &[], Repeat::Times(1));
        let none = format!("{DRIVE}&file_system=none");
        let none = run("crystaldiskmark-classic", &none, &[], Repeat::Times(1));
        assert_eq!(bare.figures, none.figures);
        let ntfs = format!("{DRIVE}&file_system=ntfs");
        let ntfs = run("crystaldiskmark-classic", &ntfs, &[], Repeat::Times(1));
        let bits = |result: &RunResult| value(result, "4k.write").to_bits();
        assert_ne!(bits(&bare), bits(&ntfs));
        assert!(ntfs.target.path.contains("NTFS"), "{}", ntfs.target.path);
    }

    #[test]
    fn a_repeat_takes_its_own_seed_to_both_file_systems() {
        let result = run("file-system", DRIVE, &["method=os-boot"], Repeat::Times(2));
        let values = &result.repeats.unwrap().values["ratio.boot_s"];
        assert_eq!(values.len(), 2);
        assert_ne!(values[0].to_bits(), values[1].to_bits());
    }
}
