//! A workload in a sentence, so that a reader need not know the data format.

use base::io::{Fill, FillKind};
use base::workload::{Access, Job, Look, Order, Pacing, Stop, Workload};

use crate::lang::{Lang, Texts};
use crate::number;

/// A sentence for each job, then how it ends; `span` says where, in words.
pub(crate) fn workload(work: &Workload, span: &str, texts: &Texts) -> String {
    let mut said: Vec<String> = work.jobs.iter().map(|j| job(j, span, texts)).collect();
    said.push(texts.with("work-stop", &[("rules", &stop(&work.stop, texts))]));
    if work.flush_at_end {
        said.push(texts.say("work-flush"));
    }
    said.join(if texts.lang() == Lang::Ja {
        "。"
    } else {
        "; "
    })
}

fn job(job: &Job, span: &str, texts: &Texts) -> String {
    let sizes: Vec<String> = job.accesses.iter().map(|a| access(a, texts)).collect();
    let align = if job.shift.is_zero() {
        job.align.to_string()
    } else {
        format!("{} + {}", job.align, job.shift)
    };
    let mut said = vec![texts.with(
        "work-job",
        &[
            ("streams", &job.streams.to_string()),
            ("order", &order(job.order, texts)),
            ("sizes", &texts.list(&sizes)),
            ("pacing", &pacing(job.pacing, texts)),
            ("span", span),
            ("align", &align),
        ],
    )];
    if job.writes() {
        said.push(texts.with("work-data", &[("fill", &fill(job.fill, texts))]));
    }
    texts.list(&said)
}

fn access(access: &Access, texts: &Texts) -> String {
    let size = access.size.to_string();
    let key = match access.read_percent {
        100.. => "work-reads",
        0 if access.trims => "work-trims",
        0 => "work-writes",
        _ => "work-mixed",
    };
    let percent = access.read_percent.to_string();
    texts.with(key, &[("size", &size), ("percent", &percent)])
}

fn order(order: Order, texts: &Texts) -> String {
    match order {
        Order::Sequential => texts.say("work-sequential"),
        Order::Random => texts.say("work-random"),
        Order::RandomOnce => texts.say("work-random-once"),
        Order::Partly { random_percent } => {
            texts.with("work-partly", &[("percent", &random_percent.to_string())])
        }
        Order::ByAccess { .. } => texts.say("work-by-access"),
        Order::Recorded => texts.say("work-recorded"),
        Order::Zipf { theta } => texts.with("work-zipf", &[("theta", &theta.to_string())]),
        Order::HotSpot {
            span_percent,
            access_percent,
        } => texts.with(
            "work-hot-spot",
            &[
                ("access", &access_percent.to_string()),
                ("span", &span_percent.to_string()),
            ],
        ),
    }
}

fn pacing(pacing: Pacing, texts: &Texts) -> String {
    match pacing {
        Pacing::Closed {
            depth,
            think,
            burst,
        } => {
            let mut said = vec![texts.with("work-closed", &[("depth", &depth.to_string())])];
            if !think.is_zero() {
                let think = number::time(think);
                let burst = burst.to_string();
                said.push(texts.with("work-think", &[("think", &think), ("burst", &burst)]));
            }
            texts.list(&said)
        }
        Pacing::Paced { every } => texts.with("work-paced", &[("every", &number::time(every))]),
        Pacing::Open { per_second, .. } => {
            let rate = number::value(per_second, "IOPS");
            texts.with("work-open", &[("rate", &rate)])
        }
    }
}

fn fill(fill: Fill, texts: &Texts) -> String {
    let kind = texts.say(match fill.kind {
        FillKind::Fresh => "fill-fresh",
        FillKind::RepeatEachMib => "fill-repeat-each-mib",
        FillKind::Zeros => "fill-zeros",
        FillKind::Ones => "fill-ones",
        FillKind::Pattern { .. } => "fill-pattern",
        FillKind::Labelled { .. } => "fill-labelled",
    });
    if fill.compressible_percent == 0 {
        return kind;
    }
    let percent = fill.compressible_percent.to_string();
    texts.with(
        "work-compressible",
        &[("fill", &kind), ("percent", &percent)],
    )
}

fn stop(stop: &Stop, texts: &Texts) -> String {
    let count = |n: u64| number::with_commas(&n.to_string());
    let mut rules = Vec::new();
    if let Some(bytes) = stop.bytes {
        rules.push(texts.with("work-bytes", &[("bytes", &bytes.to_string())]));
    }
    if let Some(ios) = stop.ios {
        rules.push(texts.with("work-ios", &[("count", &count(ios))]));
    }
    if let Some(passes) = stop.passes {
        rules.push(texts.with("work-passes", &[("count", &passes.to_string())]));
    }
    if let Some(time) = stop.time {
        let time = number::time(time);
        rules.push(match stop.look {
            Look::Always => texts.with("work-time", &[("time", &time)]),
            Look::EveryIos(n) => {
                let count = count(u64::from(n));
                texts.with("work-look-ios", &[("time", &time), ("count", &count)])
            }
            Look::EveryPass => texts.with("work-look-pass", &[("time", &time)]),
        });
    }
    texts.list(&rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;
    use base::size::Bytes;
    use base::time::Duration;
    use base::workload::Span;

    fn classic() -> Workload {
        let span = Span::first(Bytes::mib(1_000));
        let mut job = Job::closed("seq", Op::Write, Order::Sequential, span, Bytes::mib(1), 1);
        job.fill.compressible_percent = 50;
        let stop = Stop {
            time: Some(Duration::from_secs(5)),
            look: Look::EveryPass,
            ..Stop::default()
        };
        let mut work = Workload::single(job, stop, 1);
        work.flush_at_end = true;
        work
    }

    #[test]
    fn a_workload_is_a_sentence_in_both_languages() {
        let english = workload(&classic(), "1000 MiB from 0 B", &Texts::new(Lang::En));
        insta::assert_snapshot!(english, @"1 × sequential, 1 MiB writes, queue depth 1, over 1000 MiB from 0 B, aligned to 1 MiB, data: random, never repeating, 50 % compressible; until 5.00 s, checked after each full pass; one flush at the end, included in the time");
        let japanese = workload(&classic(), "0 B から 1000 MiB", &Texts::new(Lang::Ja));
        insta::assert_snapshot!(japanese, @"1 ストリーム、シーケンシャル、1 MiB 書き込み、キュー深度 1、範囲 0 B から 1000 MiB、アライメント 1 MiB、データ: 乱数 (繰り返しなし)、圧縮可能率 50 %。終了条件: 5.00 s (1 周ごとに確認)。最後にフラッシュ 1 回 (時間に含む)");
    }
}
