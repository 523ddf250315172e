//! What the machine's processors did meanwhile, for the table that DiskSpd prints.
//!
//! Linux counts the time of each processor in `/proc/stat`, in ticks since it booted. A modelled drive has virtual time,
//! in which no processor did anything.

/// Ticks of a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticks {
    user: u64,
    kernel: u64,
    idle: u64,
}

/// Shares of a processor's time, in per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Programs.
    pub user: f64,
    /// The kernel, interrupts among it.
    pub kernel: f64,
    /// Nothing to do.
    pub idle: f64,
}

/// Of every processor, now; empty where the system does not tell.
pub fn now() -> Vec<Ticks> {
    read(&std::fs::read_to_string("/proc/stat").unwrap_or_default())
}

fn read(stat: &str) -> Vec<Ticks> {
    let of_one = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let name = words.next()?.strip_prefix("cpu")?;
        name.parse::<u32>().ok()?;
        let ticks: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        let at = |n: usize| ticks.get(n).copied().unwrap_or(0);
        // user nice system idle iowait irq softirq
        Some(Ticks {
            user: at(0) + at(1),
            kernel: at(2) + at(5) + at(6),
            idle: at(3) + at(4),
        })
    };
    stat.lines().filter_map(of_one).collect()
}

/// What they did between two moments.
pub fn between(before: &[Ticks], after: &[Ticks]) -> Vec<Usage> {
    let usage = |(before, after): (&Ticks, &Ticks)| {
        let of = |what: fn(&Ticks) -> u64| what(after).saturating_sub(what(before)) as f64;
        let (user, kernel, idle) = (of(|t| t.user), of(|t| t.kernel), of(|t| t.idle));
        let all = (user + kernel + idle).max(1.0);
        Usage {
            user: 100.0 * user / all,
            kernel: 100.0 * kernel / all,
            idle: 100.0 * idle / all,
        }
    };
    before.iter().zip(after).map(usage).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_time_between() {
        let before = read("cpu  9 9 9 9\ncpu0 10 0 10 100 0 0 0\nintr 5\n");
        let after = read("cpu  9 9 9 9\ncpu0 20 10 20 150 10 5 5\n");
        let usage = between(&before, &after);
        assert_eq!(usage.len(), 1);
        assert!((usage[0].user - 20.0).abs() < 1e-9 && (usage[0].kernel - 20.0).abs() < 1e-9);
        assert!((usage[0].idle - 60.0).abs() < 1e-9);
    }
}
