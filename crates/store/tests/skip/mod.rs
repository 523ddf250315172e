//! How a test says that it cannot run here: it appends its name and the reason to the file that
//! `DRIVELAB_SKIPS` names (see `crates/xtask`), and to standard error for whoever runs it alone.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::io::Write;

/// To be followed by `return`.
pub(crate) fn skip(test: &str, why: &str) {
    let line = format!(
        "skipped: {test}: {}\n",
        why.lines().next().unwrap_or_default()
    );
    eprint!("{line}");
    if let Some(path) = std::env::var_os("DRIVELAB_SKIPS") {
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
}

/// Whether this process is root: it owns its own entry in `/proc`.
pub(crate) fn root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}
