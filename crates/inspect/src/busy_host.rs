//! Whether other software keeps the computer busy just before a run.
//!
//! A measurement shares processors and the drive with everything else that runs, and its figures do not separate the
//! drive's share of a slow response from the host's. So before a real drive is measured three things are checked that
//! the kernel counts anyway: how many processes want a processor (the load average of the last minute), whether the
//! processors may run at their full frequency, and whether the device completes I/Os of other programs. A fourth is
//! counted over the run: the time that a hypervisor took away. All are stored with the result; high values give one
//! warning. A modelled drive runs in virtual time, and is not affected.

use base::message::{Argument, Message};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::surroundings::HostActivity;

use super::sysfs::DeviceNumber;

/// How long I/Os of others are counted.
const LOOK: Duration = Duration::from_millis(100);
/// Drivers whose "powersave" is no fixed frequency.
const OWN_RULE: [&str; 3] = ["intel_pstate", "amd-pstate-epp", "amd-pstate"];

/// Other activity on the computer. The machine's files are read below `root`, `device` is the number of the target's
/// block device, and `wait` lets a time pass.
pub fn activity(root: &Path, device: Option<u64>, wait: impl FnOnce(Duration)) -> HostActivity {
    let count = device.and_then(|device| counter(root, device));
    let before = count.as_deref().and_then(completed);
    if before.is_some() {
        wait(LOOK);
    }
    let after = count.as_deref().and_then(completed);
    let processors = read(root, "proc/cpuinfo").unwrap_or_default();
    let lines = processors.lines();
    let processors = lines.filter(|line| line.starts_with("processor")).count();
    HostActivity {
        load: load(root),
        processors: processors as u32,
        others_ios: before.zip(after).map(|(a, b)| b.saturating_sub(a)),
        power_save: governor(root) == Some("powersave".to_owned()),
        stolen_percent: None,
    }
}

/// What disturbs, as a warning; nothing on a quiet host.
pub fn warning(found: &HostActivity) -> Option<Message> {
    let load = found.heavy_load().map(|load| {
        let load = ("load", Argument::text(format_args!("{load:.1}")));
        Message::new("busy-load", [load, ("processors", found.processors.into())])
    });
    let governor = ("governor", "powersave".into());
    let governor = (found.power_save).then(|| Message::new("busy-governor", [governor]));
    let others = found.many_ios_of_others().map(|ios| {
        let time = Argument::text(format_args!("{} ms", LOOK.as_millis()));
        Message::new(
            "busy-others",
            [("ios", Argument::text(ios)), ("time", time)],
        )
    });
    let found: Vec<Message> = [load, governor, others].into_iter().flatten().collect();
    let what = (!found.is_empty()).then(|| ("what", Argument::list(found)));
    what.map(|what| Message::new("warning-busy-host", [what]))
}

/// The processors' time, as far as it was counted.
#[derive(Clone, Copy, Debug)]
pub struct ProcessorTime {
    all: u64,
    stolen: u64,
}

impl ProcessorTime {
    /// So far: the line `cpu` of `/proc/stat` (proc(5)), whose eighth number is what a hypervisor took; the two after
    /// it are already included in the first ones.
    pub fn now(root: &Path) -> Option<ProcessorTime> {
        let text = read(root, "proc/stat")?;
        let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let numbers: Vec<u64> = line
            .split_whitespace()
            .take(8)
            .map_while(|number| number.parse().ok())
            .collect();
        Some(ProcessorTime {
            all: numbers.iter().fold(0, |all, one| all.saturating_add(*one)),
            stolen: *numbers.get(7)?,
        })
    }

    /// The part of it that a hypervisor took since an earlier look, in per cent.
    pub fn stolen_percent(self, since: ProcessorTime) -> Option<f64> {
        let all = self.all.checked_sub(since.all).filter(|all| *all > 0)?;
        let stolen = self.stolen.saturating_sub(since.stolen);
        Some(100.0 * stolen as f64 / all as f64)
    }
}

fn read(root: &Path, path: &str) -> Option<String> {
    let text = std::fs::read_to_string(root.join(path)).ok()?;
    Some(text.trim().to_owned())
}

/// The load average of a minute.
fn load(root: &Path) -> Option<f64> {
    let text = read(root, "proc/loadavg")?;
    text.split_whitespace().next()?.parse().ok()
}

/// The frequency governor, if it reduces the frequency.
fn governor(root: &Path) -> Option<String> {
    let governor = read(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")?;
    let driver = read(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver");
    let has_own = driver.is_some_and(|driver| OWN_RULE.contains(&driver.as_str()));
    (!has_own).then_some(governor)
}

/// The file that counts a device's I/Os; of a partition, those of the whole drive.
fn counter(root: &Path, device: u64) -> Option<PathBuf> {
    let DeviceNumber { major, minor } = DeviceNumber::from_raw(device);
    let folder = root.join(format!("sys/dev/block/{major}:{minor}"));
    let folder = folder.canonicalize().ok()?;
    let is_partition = folder.join("partition").exists();
    let drive = if is_partition {
        folder.parent()?
    } else {
        &folder
    };
    Some(drive.join("stat"))
}

/// Reads and writes completed: the first and the fifth number (the kernel's `block/stat.rst`).
fn completed(stat: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(stat).ok()?;
    let number = |at: usize| text.split_whitespace().nth(at)?.parse::<u64>().ok();
    Some(number(0)?.saturating_add(number(4)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine of four processors with a partition 8:1 of a drive that has completed this many reads.
    fn machine(load: &str, reads: u64) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        put(
            root.path(),
            "proc/loadavg",
            &format!("{load} 0.1 0.1 1/90 7\n"),
        );
        put(root.path(), "proc/cpuinfo", &"processor : 0\n".repeat(4));
        put(root.path(), "sys/devices/d/sda/sda1/partition", "1\n");
        stat(root.path(), reads);
        std::fs::create_dir_all(root.path().join("sys/dev/block")).unwrap();
        let link = root.path().join("sys/dev/block/8:1");
        std::os::unix::fs::symlink("../../devices/d/sda/sda1", link).unwrap();
        root
    }

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn stat(root: &Path, reads: u64) {
        let text = format!("  {reads} 0 8 1  5 0 8 1 0 2 2\n");
        put(root, "sys/devices/d/sda/stat", &text);
    }

    const PARTITION: u64 = 0x801;

    #[test]
    fn a_quiet_host_is_no_warning_and_neither_is_one_that_tells_nothing() {
        let quiet = machine("0.90", 100);
        let found = activity(quiet.path(), Some(PARTITION), |_| ());
        assert_eq!((found.load, found.others_ios), (Some(0.9), Some(0)));
        assert_eq!(warning(&found), None);
        let nothing = tempfile::tempdir().unwrap();
        let unasked = |_| panic!("there is nothing to wait for");
        let found = activity(nothing.path(), Some(PARTITION), unasked);
        assert_eq!(found, HostActivity::default());
        assert_eq!(warning(&found), None);
    }

    #[test]
    fn load_governor_and_io_of_others_are_one_line() {
        let busy = machine("6.25", 100);
        let cpu = "sys/devices/system/cpu/cpu0/cpufreq";
        put(
            busy.path(),
            &format!("{cpu}/scaling_governor"),
            "powersave\n",
        );
        let meanwhile = |_| stat(busy.path(), 140);
        let said = warning(&activity(busy.path(), Some(PARTITION), meanwhile)).unwrap();
        for words in [
            "load average 6.2 on 4 processors",
            "governor 'powersave'",
            "40 I/Os of other programs on the device in 100 ms",
        ] {
            assert!(said.contains(words), "{words}: {said}");
        }
        assert!(!said.contains('\n'));
        put(
            busy.path(),
            &format!("{cpu}/scaling_driver"),
            "intel_pstate\n",
        );
        let said = warning(&activity(busy.path(), None, |_| ())).unwrap();
        assert!(
            !said.contains("governor") && !said.contains("I/Os"),
            "{said}"
        );
    }

    #[test]
    fn the_time_that_a_hypervisor_took_is_told_of_the_run_alone() {
        let root = tempfile::tempdir().unwrap();
        assert!(ProcessorTime::now(root.path()).is_none());
        put(
            root.path(),
            "proc/stat",
            "cpu  700 0 100 100 0 0 0 100 40 0\ncpu0 1\n",
        );
        let before = ProcessorTime::now(root.path()).unwrap();
        put(
            root.path(),
            "proc/stat",
            "cpu  760 0 120 100 0 0 0 120 90 0\ncpu0 1\n",
        );
        let after = ProcessorTime::now(root.path()).unwrap();
        assert_eq!(after.stolen_percent(before), Some(20.0));
        assert_eq!(after.stolen_percent(after), None);
    }

    #[test]
    fn times_that_no_processor_can_have_had_are_no_share() {
        let root = tempfile::tempdir().unwrap();
        let most = u64::MAX;
        put(
            root.path(),
            "proc/stat",
            &format!("cpu  {most} {most} 0 0 0 0 0 {most}\n"),
        );
        let told = ProcessorTime::now(root.path()).unwrap();
        assert_eq!(told.stolen_percent(told), None);
    }
}
