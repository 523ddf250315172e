//! The text output: the request, then tables of all I/Os, reads and writes, one line per thread, and the percentiles.

use std::fmt::Write;

use super::{Machine, PERCENTILES, Which, mean, percentile};
use crate::kept::Side;
use crate::processors::Usage;
use crate::profile::{Cache, Content, Profile, Throttle, TimeSpan, Work};
use crate::running::Ran;
use crate::size::printed;

/// Under the heading of each time span's results.
const STARS: &str =
    "*******************************************************************************";
const MIB: f64 = 1_048_576.0;

/// All of it.
pub fn text(profile: &Profile, ran: &[Ran], machine: &Machine) -> String {
    let mut text = profile_text(profile);
    system(&mut text, machine);
    for (n, (span, ran)) in profile.spans.iter().zip(ran).enumerate() {
        let _ = write!(text, "\n\nResults for timespan {}:\n{STARS}\n", n + 1);
        results(&mut text, span, ran, machine);
    }
    if ran.len() > 1 {
        totals(&mut text, ran);
    }
    text
}

/// The request.
pub fn profile_text(profile: &Profile) -> String {
    let mut text = format!(
        "\nCommand Line: {}\n\nInput parameters:\n\n",
        profile.command
    );
    if profile.verbose {
        text.push_str("\tusing verbose mode\n");
    }
    for (n, span) in profile.spans.iter().enumerate() {
        let _ = write!(text, "\ttimespan: {:3}\n\t-------------\n", n + 1);
        span_of(&mut text, span);
        text.push('\n');
    }
    text
}

fn span_of(text: &mut String, span: &TimeSpan) {
    let _ = writeln!(text, "\tduration: {}s", span.duration);
    let _ = writeln!(text, "\twarm up time: {}s", span.warm_up);
    let _ = writeln!(text, "\tcool down time: {}s", span.cool_down);
    if span.without_affinity {
        text.push_str("\taffinity disabled\n");
    }
    if span.measures_latency {
        text.push_str("\tmeasuring latency\n");
    }
    if let Some(interval) = span.interval_ms {
        let _ = writeln!(text, "\tgathering IOPS at intervals of {interval}ms");
    }
    let _ = writeln!(text, "\trandom seed: {}", span.seed);
    if let Some(threads) = span.threads {
        let _ = writeln!(text, "\tthread pool with {threads} threads");
        let requests = span.requests.unwrap_or(0);
        let _ = writeln!(
            text,
            "\tnumber of outstanding I/O operations per thread: {requests}"
        );
    }
    if span.fresh_data {
        text.push_str("\tgenerating random data for each write IO\n");
    }
    for work in &span.works {
        work_of(text, span, work);
    }
}

fn work_of(text: &mut String, span: &TimeSpan, work: &Work) {
    let _ = writeln!(text, "\tpath: '{}'", work.path);
    let mut is = |line: &str| {
        let _ = writeln!(text, "\t\t{line}");
    };
    is(&format!("think time: {}ms", work.think_ms));
    is(&format!("burst size: {}", work.burst));
    is(match work.cache {
        Cache::Software => "using software cache",
        Cache::None => "software cache disabled",
    });
    is(match (work.write_through, work.cache) {
        (true, Cache::Software) => "hardware and software write caches disabled, writethrough on",
        (true, Cache::None) => "hardware write cache disabled, writethrough on",
        (false, _) => "using hardware write cache, writethrough off",
    });
    match work.content {
        Content::Counting => {}
        Content::Zeros => is("zeroing write buffers"),
        Content::Random(size) => {
            is(&format!("write buffer size: {}", printed(size)));
            is("write buffer source: random fill");
        }
    }
    if work.parallel {
        is("using parallel async I/O");
    }
    is(&match work.write_percent {
        0 => "performing read test".to_owned(),
        100 => "performing write test".to_owned(),
        share => format!(
            "performing mix test (read/write ratio: {}/{share})",
            100 - share
        ),
    });
    is(&format!("block size: {}", printed(work.block)));
    is(&order(work));
    load_of(text, span, work);
}

/// How many I/Os are in flight from how many threads, where, and how fast at most.
fn load_of(text: &mut String, span: &TimeSpan, work: &Work) {
    let mut is = |line: &str| {
        let _ = writeln!(text, "\t\t{line}");
    };
    if span.requests.is_none() {
        is(&format!(
            "number of outstanding I/O operations per thread: {}",
            work.requests
        ));
    } else {
        is("relative IO weight in thread pool: 1");
    }
    if work.base > 0 {
        is(&format!("base file offset: {}", printed(work.base)));
    }
    if let Some(end) = work.end {
        is(&format!("max file size: {}", printed(end)));
    }
    if work.thread_stride > 0 {
        is(&format!(
            "thread stride size: {}",
            printed(work.thread_stride)
        ));
    }
    if span.threads.is_none() {
        is(&format!("threads per file: {}", work.threads));
        if work.requests > 1 {
            is(match span.completion_routines {
                true => "using completion routines (ReadFileEx/WriteFileEx)",
                false => "using I/O Completion Ports",
            });
        }
    }
    is(match work.priority {
        1 => "IO priority: very low",
        2 => "IO priority: low",
        _ => "IO priority: normal",
    });
    match work.throttle {
        None => {}
        Some(Throttle::Iops(rate)) => is(&format!("throughput rate-limited to {rate} IOPS")),
        Some(Throttle::BytesPerMs(rate)) => is(&format!("throughput rate-limited to {rate} B/ms")),
    }
}

fn order(work: &Work) -> String {
    let stride = printed(work.stride());
    match (work.random_percent, work.interlocked) {
        (100, _) => format!("using random I/O (alignment: {stride})"),
        (0, true) => format!("using interlocked sequential I/O (stride: {stride})"),
        (0, false) => format!("using sequential I/O (stride: {stride})"),
        (share, _) => format!(
            "using mixed random/sequential I/O ({share}% random) (alignment/stride: {stride})"
        ),
    }
}

fn system(text: &mut String, machine: &Machine) {
    let _ = write!(
        text,
        "System information:\n\n\tcomputer name: {}\n\tstart time: {}\n\n\tcpu count:\t\t{}\n",
        machine.program, machine.began, machine.processors
    );
}

fn results(text: &mut String, span: &TimeSpan, ran: &Ran, machine: &Machine) {
    let _ = write!(
        text,
        "\nactual test time:\t{:.2}s\n",
        ran.time.as_secs_f64()
    );
    let _ = writeln!(text, "thread count:\t\t{}", ran.threads.len());
    if let Some(requests) = span.requests {
        let _ = writeln!(text, "request count:\t\t{requests}");
    }
    let _ = writeln!(text, "proc count:\t\t{}", machine.processors);
    processors(text, &ran.processors);
    for (name, which) in [
        ("Total", Which::Total),
        ("Read", Which::Read),
        ("Write", Which::Write),
    ] {
        let _ = write!(text, "\n{name} IO\n");
        table(text, span, ran, which);
    }
    if span.measures_latency {
        text.push_str("\n\n\ntotal:\n");
        percentiles(text, ran);
    }
}

fn processors(text: &mut String, usage: &[Usage]) {
    let rule = "-------------------------------------------\n";
    let _ = write!(text, "\nCPU |  Usage |  User  |  Kernel |  Idle\n{rule}");
    let line = |of: &Usage| {
        format!(
            "| {:6.2}%| {:6.2}%|  {:6.2}%| {:6.2}%\n",
            of.user + of.kernel,
            of.user,
            of.kernel,
            of.idle
        )
    };
    for (n, one) in usage.iter().enumerate() {
        let _ = write!(text, "{n:4}{}", line(one));
    }
    let all = mean(usage);
    let _ = write!(text, "{rule}avg.{}", line(&all));
}

fn table(text: &mut String, span: &TimeSpan, ran: &Ran, which: Which) {
    let (latency, counts) = (span.measures_latency, span.interval_ms);
    let only = |wanted: bool, text: &'static str| if wanted { text } else { "" };
    let rule = format!(
        "------------------------------------------------------------------{}{}{}------------\n",
        only(latency, "-----------"),
        only(counts.is_some(), "-------------"),
        only(latency, "------------")
    );
    let _ = write!(
        text,
        "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s {}{}{}|  file\n{rule}",
        only(latency, "|  AvgLat  "),
        only(counts.is_some(), "| IopsStdDev "),
        only(latency, "| LatStdDev ")
    );
    for (n, kept) in ran.threads.iter().enumerate() {
        let _ = write!(text, "{n:6} | ");
        row(text, span, ran, &which.of(kept));
        let file = &span.works[kept.work].path;
        let _ = writeln!(text, " | {file} ({})", printed(ran.sizes[kept.work]));
    }
    let _ = write!(text, "{rule}total:   ");
    row(text, span, ran, &which.of_all(ran));
    text.push('\n');
}

fn row(text: &mut String, span: &TimeSpan, ran: &Ran, side: &Side) {
    let seconds = ran.time.as_secs_f64();
    let _ = write!(
        text,
        "{:15} | {:12} | {:10.2} | {:10.2}",
        side.bytes,
        side.ios,
        side.bytes as f64 / MIB / seconds,
        side.ios as f64 / seconds
    );
    if span.measures_latency {
        let _ = write!(text, " | {:8.3}", side.mean_millis());
    }
    if let Some(interval) = span.interval_ms {
        let _ = write!(text, " | {:10.2}", side.iops_deviation(interval));
    }
    if span.measures_latency {
        let _ = match side.deviation_millis() {
            Some(deviation) => write!(text, " |  {deviation:8.3}"),
            None => write!(text, " |       N/A"),
        };
    }
}

fn percentiles(text: &mut String, ran: &Ran) {
    let sides = [Which::Read, Which::Write, Which::Total].map(|which| which.of_all(ran));
    text.push_str("  %-ile |  Read (ms) | Write (ms) | Total (ms)\n");
    text.push_str("----------------------------------------------\n");
    let mut line = |name: &str, value: &dyn Fn(&Side) -> f64| {
        let cell = |side: &Side, is_total: bool| match side.ios > 0 || is_total {
            true => format!("{:.3}", value(side)),
            false => "N/A".to_owned(),
        };
        let [read, write, total] = &sides;
        let (read, write, total) = (cell(read, false), cell(write, false), cell(total, true));
        let _ = writeln!(text, "{name:>7} | {read:>10} | {write:>10} | {total:>10}");
    };
    line("min", &|side| side.latencies.min().as_millis_f64());
    for (percent, name) in PERCENTILES {
        line(name, &|side| percentile(side, percent));
    }
    line("max", &|side| side.latencies.max().as_millis_f64());
}

fn totals(text: &mut String, ran: &[Ran]) {
    let seconds: f64 = ran.iter().map(|ran| ran.time.as_secs_f64()).sum();
    let rule = "-------------------------------------------------------------------------------\n";
    let _ = write!(
        text,
        "\n\nTotals:\n{STARS}\n\ntype   |       bytes     |     I/Os     |    MiB/s   |  I/O per s\n{rule}"
    );
    let sum = |which: Which| {
        let sides = ran.iter().map(|ran| which.of_all(ran));
        sides.fold((0, 0), |(bytes, ios), side| {
            (bytes + side.bytes, ios + side.ios)
        })
    };
    for (name, which) in [
        ("write", Which::Write),
        ("read ", Which::Read),
        ("total", Which::Total),
    ] {
        if which == Which::Total {
            text.push_str(rule);
        }
        let (bytes, ios) = sum(which);
        let _ = writeln!(
            text,
            "{name}  | {bytes:15} | {ios:12} | {:10.2} | {:10.2}",
            bytes as f64 / MIB / seconds,
            ios as f64 / seconds
        );
    }
    let _ = write!(text, "\ntotal test time:\t{seconds:.2}s\n");
}
