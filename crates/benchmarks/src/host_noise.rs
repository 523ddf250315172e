//! What this computer adds to a response by itself: how late a sleeper wakes, and how often a processor at work is
//! taken away.
//!
//! Both are measured where no drive can be the cause. A thread that sleeps for a millisecond and reads the clock finds
//! how late it was woken: timer, sleep state of the processor and scheduler together. Reads of a file in the page
//! cache, one at a time, never wait for anything, so the time of a read beyond the median is an interruption: a short
//! one (a timer tick) below `LONG`, a long one (another task, deferred work of the kernel) from there on. Their mean
//! gaps and lengths are the `[noise]` of a host file, in its own keys.
//!
//! A virtual machine's neighbours count as its own noise, and the frequency of a processor that is seldom used is part of
//! it: measure on a machine as it will be used.

use std::fmt::Write as _;

use base::record::Latencies;
use base::time::Duration;
use results::benchmarks::{HostNoise, Interruption, Jitter};

/// Interruptions from this length on are long ones.
pub(crate) const LONG: Duration = Duration::from_micros(20);
/// What is less than this beyond the median is the read's own scatter.
const LEAST: Duration = Duration::from_micros(1);
/// The results of both about the computer; `reads` took `busy` in total.
pub(crate) fn noise(late: &Latencies, reads: &Latencies, busy: Duration) -> HostNoise {
    let [short, long] = interruptions(reads, busy);
    HostNoise {
        processors: std::thread::available_parallelism().map_or(1, |n| n.get() as u64),
        wake_up: jitter(late),
        completion: jitter(reads),
        short,
        long,
    }
}

fn jitter(of: &Latencies) -> Jitter {
    let us = |time: Option<Duration>| time.map_or(0.0, Duration::as_micros_f64);
    Jitter {
        n: of.count(),
        median_us: us(of.percentile(50.0)),
        p99_us: us(of.percentile(99.0)),
        p99_9_us: us(of.percentile(99.9)),
        p99_99_us: us(of.percentile(99.99)),
        longest_us: of.max().as_micros_f64(),
    }
}

/// What reads took beyond their median: short ones and long ones.
fn interruptions(reads: &Latencies, busy: Duration) -> [Interruption; 2] {
    let usual = reads.percentile(50.0).unwrap_or_default();
    // Twice the usual time is no scatter of the read any more.
    let least = LEAST.max(usual);
    let mut seen = [(0_u64, 0.0_f64); 2];
    for (low, width, n) in reads.buckets() {
        let middle = low.saturating_add(Duration::from_nanos(width.as_nanos() / 2));
        let more = middle.saturating_sub(usual);
        if more >= least {
            let (count, sum) = &mut seen[usize::from(more >= LONG)];
            *count += n;
            *sum += more.as_micros_f64() * n as f64;
        }
    }
    seen.map(|(count, sum)| Interruption {
        n: count,
        gap_s: if count == 0 {
            0.0
        } else {
            busy.as_secs_f64() / count as f64
        },
        length_us: if count == 0 { 0.0 } else { sum / count as f64 },
    })
}

/// The noise as tables of a host file, next to its drivers.
pub fn host_file(noise: &HostNoise) -> String {
    let mut out = String::from(
        "# Measured by `drivelab develop bench engine`: put it into a host's file, beside its drivers.\n\n",
    );
    let measured = |what: &str, of: &Interruption| {
        format!(
            "measured on this computer: {what}, {} of them while it read from its page cache, one read at a time",
            of.n
        )
    };
    let tables = [
        (
            "short",
            "beyond the median read by less than 20 us",
            &noise.short,
        ),
        (
            "long",
            "beyond the median read by 20 us and more",
            &noise.long,
        ),
    ];
    // Writing to memory cannot fail.
    let _ = writeln!(
        out,
        "[processors]\ncount = {{ value = {}, source = \"construction\", why = \"what the system has for a program\" }}\n\n[noise]",
        noise.processors
    );
    for (name, what, of) in tables {
        let why = measured(what, of);
        let _ = writeln!(
            out,
            "{name}_gap_s = {{ value = {:.6}, source = \"estimated\", why = \"{why}\" }}\n{name}_us = {{ value = {:.3}, source = \"estimated\", why = \"{why}\" }}",
            of.gap_s, of.length_us
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(of: &[(u64, u64)]) -> Latencies {
        let mut all = Latencies::default();
        for (micros, n) in of {
            for _ in 0..*n {
                all.keep(Duration::from_micros(*micros));
            }
        }
        all
    }

    #[test]
    fn what_takes_longer_than_usual_is_an_interruption_with_gap_and_length() {
        let all = reads(&[(2, 100_000), (3, 50), (7, 100), (102, 10)]);
        let [short, long] = interruptions(&all, Duration::from_secs(1));
        // 3 us is within the read's own scatter.
        assert_eq!((short.n, long.n), (100, 10));
        assert!((short.gap_s - 0.01).abs() < 1e-9 && (long.gap_s - 0.1).abs() < 1e-9);
        assert!((short.length_us - 5.0).abs() < 0.1, "{short:?}");
        assert!((long.length_us - 100.0).abs() < 1.5, "{long:?}");
    }

    #[test]
    fn a_quiet_computer_has_no_interruptions() {
        let [short, long] = interruptions(&reads(&[(2, 1_000)]), Duration::from_secs(1));
        assert_eq!((short.n, long.n), (0, 0));
        assert!(short.gap_s == 0.0 && long.length_us == 0.0);
    }

    #[test]
    fn the_noise_is_tables_of_a_hosts_file() {
        let late = reads(&[(55, 1_000), (90, 10)]);
        let noise = noise(
            &late,
            &reads(&[(2, 1_000), (9, 10)]),
            Duration::from_secs(1),
        );
        assert!((noise.wake_up.median_us - 55.0).abs() < 1.0, "{noise:?}");
        let driver = "\n[nvme]\nbefore_us = { value = 1.0, source = \"estimated\", why = \"x\" }\nafter_us = { value = 1.0, source = \"estimated\", why = \"x\" }\nwake_us = { value = 1.0, source = \"estimated\", why = \"x\" }\ndepth = { value = 32, source = \"estimated\", why = \"x\" }\nlargest_kib = { value = 128, source = \"estimated\", why = \"x\" }\nqueue = { value = 32, source = \"estimated\", why = \"x\" }\n";
        let text = format!("[host]\ntitle = \"x\"\n\n{}{driver}", host_file(&noise));
        let mut file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        let options = sim::catalogue::ModelOptions {
            host: Some(file.path().display().to_string()),
            ..Default::default()
        };
        let opened = sim::catalogue::open("cfd-pg3nf2-1tb", &options);
        assert!(opened.is_ok(), "{:?}\n{text}", opened.err());
    }
}
