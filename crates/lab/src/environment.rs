//! Facts about the machine that are stored with every figure.

use std::collections::BTreeMap;
use std::path::Path;

use results::Environment;

/// The machine, read below `root` (`/`, or a recorded tree), and the command line that is given.
pub fn environment(root: &Path, command: &[String]) -> Environment {
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
    let mut host = BTreeMap::new();
    let mut note = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            host.insert(key.to_owned(), value);
        }
    };
    let cpuinfo = read("proc/cpuinfo");
    note("cpu", field(&cpuinfo, "model name"));
    let threads = cpuinfo
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count();
    note("cpu threads", (threads > 0).then(|| threads.to_string()));
    let kibibytes = field(&read("proc/meminfo"), "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    note(
        "memory",
        kibibytes.map(|kib| format!("{:.1} GiB", kib as f64 / 1_048_576.0)),
    );
    let kernel = read("proc/sys/kernel/osrelease");
    note(
        "kernel",
        (!kernel.is_empty()).then(|| format!("Linux {}", kernel.trim())),
    );
    let os = read("etc/os-release");
    note("system", field_with(&os, "PRETTY_NAME", '='));
    let governor = read("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    note(
        "cpu governor",
        (!governor.is_empty()).then(|| governor.trim().to_owned()),
    );
    Environment {
        drivelab: env!("CARGO_PKG_VERSION").to_owned(),
        command: command.to_vec(),
        host,
        activity: None,
    }
}

fn field(text: &str, key: &str) -> Option<String> {
    field_with(text, key, ':')
}

fn field_with(text: &str, key: &str, separator: char) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(separator)?;
        (name.trim() == key).then(|| value.trim().trim_matches('"').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_machine_is_described_and_an_empty_one_is_not_invented() {
        let dir = tempfile::tempdir().unwrap();
        assert!(environment(dir.path(), &[]).host.is_empty());
        let proc = dir.path().join("proc");
        std::fs::create_dir_all(&proc).unwrap();
        std::fs::write(
            proc.join("cpuinfo"),
            "processor : 0\nmodel name\t: Some CPU @ 3 GHz\nprocessor : 1\n",
        )
        .unwrap();
        std::fs::write(proc.join("meminfo"), "MemTotal:  16777216 kB\n").unwrap();
        let host = environment(dir.path(), &[]).host;
        assert_eq!(host["cpu"], "Some CPU @ 3 GHz");
        assert_eq!(host["cpu threads"], "2");
        assert_eq!(host["memory"], "16.0 GiB");
    }
}
