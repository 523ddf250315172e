//! A result of `crystaldiskmark` as the text that CrystalDiskMark 8 copies to the clipboard.
//!
//! Forums, reviews and scripts know this text: a line a cell, with MB/s, IOPS and the mean latency in us, each the best
//! of the counted runs. The heading says that drivelab made it. Values without a place in the layout (median, tail,
//! state of the drive) are in every other form of the report.

use std::fmt::Write;

use results::{RunResult, TargetKind};

/// The method whose results have this form.
const METHOD: &str = "crystaldiskmark";
const RULE: &str = "------------------------------------------------------------------------------";

/// Results, one text behind the other. `date` writes a moment in milliseconds of the Unix epoch.
///
/// # Errors
/// A result of another method, in words.
pub fn results(results: &[RunResult], date: &dyn Fn(u64) -> String) -> Result<String, String> {
    if let Some(other) = results.iter().find(|result| result.method != METHOD) {
        return Err(format!(
            "result {} is of {}, and this form is that of {METHOD}",
            other.id, other.method
        ));
    }
    // The heading says that drivelab ran it.
    if let Some(other) = results.iter().find(|result| result.imported.is_some()) {
        let id = other.id;
        return Err(format!(
            "result {id} was imported: its own file has this text"
        ));
    }
    let each: Vec<String> = results.iter().map(|result| text(result, date)).collect();
    Ok(each.join("\n"))
}

fn text(result: &RunResult, date: &dyn Fn(u64) -> String) -> String {
    let mut text = format!(
        "{RULE}\nCrystalDiskMark 8, as drivelab {} runs it\n{RULE}\n\
* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]\n* KB = 1000 bytes, KiB = 1024 bytes\n",
        result.environment.drivelab
    );
    for (column, heading) in columns(result) {
        let _ = write!(text, "\n{heading}\n");
        for figure in &result.figures {
            if let Some(cell) = figure.key.strip_suffix(&format!(".{column}")) {
                let of = |name: &str| value(result, &format!("{}{name}", figure.key));
                let _ = writeln!(
                    text,
                    "  {}",
                    line(cell, of(""), of(".iops"), of(".latency"))
                );
            }
        }
    }
    text.push('\n');
    conditions(&mut text, result, date);
    text
}

fn value(result: &RunResult, key: &str) -> f64 {
    let figure = result.figures.iter().find(|figure| figure.key == key);
    figure.and_then(|figure| figure.value).unwrap_or(0.0)
}

/// Columns that the result has, and their headings.
fn columns(result: &RunResult) -> Vec<(String, String)> {
    let mut columns: Vec<(String, String)> = Vec::new();
    for figure in &result.figures {
        let Some((_, column)) = figure.key.split_once('.') else {
            continue;
        };
        let heading = match column {
            "read" => "[Read]".to_owned(),
            "write" => "[Write]".to_owned(),
            mix => match mix
                .strip_prefix("mix-r")
                .and_then(|share| share.parse::<u8>().ok())
            {
                Some(share) if share <= 100 => {
                    format!("[Mix] Read {share}%/Write {}%", 100 - share)
                }
                _ => continue,
            },
        };
        if !columns.iter().any(|(known, _)| known == column) {
            columns.push((column.to_owned(), heading));
        }
    }
    columns
}

/// `SEQ    1MiB (Q=  8, T= 1):  3500.000 MB/s [   3337.9 IOPS] <  2395.00 us>`.
fn line(cell: &str, rate: f64, iops: f64, latency: f64) -> String {
    let name = named(cell).unwrap_or_else(|| cell.to_owned());
    format!("{name}: {rate:9.3} MB/s [{iops:9.1} IOPS] <{latency:9.2} us>")
}

/// The name of `seq1m-q8t1` as CrystalDiskMark has it.
fn named(cell: &str) -> Option<String> {
    let (access, queue) = cell.split_once('-')?;
    let (order, size) = access.split_at_checked(3)?;
    let (size, unit) = match size.strip_suffix('m') {
        Some(size) => (size, "MiB"),
        None => (size.strip_suffix('k')?, "KiB"),
    };
    let (depth, threads) = queue.strip_prefix('q')?.split_once('t')?;
    let number = |text: &str| text.parse::<u32>().ok();
    let (size, depth, threads) = (number(size)?, number(depth)?, number(threads)?);
    Some(format!(
        "{} {size:4}{unit} (Q={depth:3}, T={threads:2})",
        order.to_uppercase()
    ))
}

fn conditions(text: &mut String, result: &RunResult, date: &dyn Fn(u64) -> String) {
    let setting = |key: &str| result.settings.values.get(key).map_or("", String::as_str);
    let profile = match setting("profile") {
        "nvme" => "NVMe SSD",
        "peak" | "peak-nvme" => "Peak",
        "real-world" => "Real",
        "demo" => "Demo",
        _ => "Default",
    };
    let state = &result.target.state;
    let _ = writeln!(text, "Profile: {profile}");
    let _ = writeln!(
        text,
        "   Test: {} (x{}) [{}, state {state}]",
        spaced(setting("size")),
        setting("runs"),
        result.target.title
    );
    let _ = writeln!(text, "   Mode: {}", result.target.path);
    let _ = writeln!(
        text,
        "   Time: Measure {} / Interval {}",
        seconds(setting("time")),
        seconds(setting("pause"))
    );
    if result.target.kind == TargetKind::Real {
        let _ = writeln!(text, "   Date: {}", date(result.began_unix_ms));
        let system = result
            .environment
            .host
            .get("system")
            .or(result.environment.host.get("kernel"));
        let _ = writeln!(text, "     OS: {}", system.map_or("Linux", String::as_str));
    }
    if !result.stands_beside_published {
        text.push_str("Comment: shortened or changed, so not to be set beside published figures\n");
    }
}

/// `1 GiB` of `1GiB`.
fn spaced(size: &str) -> String {
    let digits = size
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(size.len());
    let (number, unit) = size.split_at(digits);
    format!("{number} {unit}").trim().to_owned()
}

/// `5 sec` of `5s`.
fn seconds(time: &str) -> String {
    let millis = time
        .strip_suffix("ms")
        .and_then(|text| text.parse::<f64>().ok());
    let whole = || time.strip_suffix('s').unwrap_or(time).parse::<f64>().ok();
    match millis.map(|millis| millis / 1_000.0).or_else(whole) {
        Some(seconds) => format!("{seconds} sec"),
        None => time.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_columns_of_the_original() {
        // Lines that CrystalDiskMark 8.0.4 itself wrote.
        let lines = [
            (
                ("seq1m-q8t1", 384.064, 366.3, 21_765.43),
                "SEQ    1MiB (Q=  8, T= 1):   384.064 MB/s [    366.3 IOPS] < 21765.43 us>",
            ),
            (
                ("seq128k-q32t1", 7_429.732, 56_684.4, 546.67),
                "SEQ  128KiB (Q= 32, T= 1):  7429.732 MB/s [  56684.4 IOPS] <   546.67 us>",
            ),
            (
                ("rnd4k-q32t16", 4_094.649, 999_670.2, 494.56),
                "RND    4KiB (Q= 32, T=16):  4094.649 MB/s [ 999670.2 IOPS] <   494.56 us>",
            ),
            (
                ("rnd4k-q32t1", 0.640, 156.2, 199_524.93),
                "RND    4KiB (Q= 32, T= 1):     0.640 MB/s [    156.2 IOPS] <199524.93 us>",
            ),
        ];
        for ((cell, rate, iops, latency), wanted) in lines {
            assert_eq!(line(cell, rate, iops, latency), wanted);
        }
    }

    #[test]
    fn sizes_and_times_are_written_as_the_original_writes_them() {
        assert_eq!(
            (spaced("1GiB"), spaced("64MiB")),
            ("1 GiB".to_owned(), "64 MiB".to_owned())
        );
        let times = ["5s", "500ms", "0", "1m"].map(seconds);
        assert_eq!(times, ["5 sec", "0.5 sec", "0 sec", "1m"]);
    }
}
