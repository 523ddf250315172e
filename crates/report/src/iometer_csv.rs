//! Results in the columns of Iometer's results file, for the spreadsheets that were made for those.
//!
//! One row for each phase with figures, in the place of Iometer's row for all managers: IOPS,
//! rates in MiB/s (2^20) and MB/s (10^6), response times in ms, errors, bytes, counts, and where the phase
//! worked. The columns are those of Iometer 1.1.0 up to the network's. What has no counterpart here
//! (transactions, connections, raw counters, CPU) is an empty field, and never a zero.

use base::record::OpRecord;
use base::{Duration, Latencies, Op, PhaseRecord, Rate};
use results::RunResult;

use crate::csv::as_text;

/// The head line, as Iometer 1.1.0 writes it.
const COLUMNS: &str = "'Target Type,Target Name,Access Specification Name,# Managers,# Workers,# Disks,IOps,\
Read IOps,Write IOps,MiBps (Binary),Read MiBps (Binary),Write MiBps (Binary),MBps (Decimal),\
Read MBps (Decimal),Write MBps (Decimal),Transactions per Second,Connections per Second,\
Average Response Time,Average Read Response Time,Average Write Response Time,Average Transaction Time,\
Average Connection Time,Maximum Response Time,Maximum Read Response Time,Maximum Write Response Time,\
Maximum Transaction Time,Maximum Connection Time,Errors,Read Errors,Write Errors,Bytes Read,Bytes Written,\
Read I/Os,Write I/Os,Connections,Transactions per Connection,Total Raw Read Response Time,\
Total Raw Write Response Time,Total Raw Transaction Time,Total Raw Connection Time,\
Maximum Raw Read Response Time,Maximum Raw Write Response Time,Maximum Raw Transaction Time,\
Maximum Raw Connection Time,Total Raw Run Time,Starting Sector,Maximum Size,Queue Depth,\
% CPU Utilization,% User Time,% Privileged Time,% DPC Time,% Interrupt Time,Processor Speed,\
Interrupts per Second,CPU Effectiveness,Packets/Second,Packet Errors,Segments Retransmitted/Second";

/// Columns after the queue depth: the computer's and the network's.
const OF_THE_COMPUTER: usize = 11;

/// The results of any methods, phase by phase.
///
/// # Errors
/// Never: the writer's buffer is memory; the error is the csv crate's.
pub fn results(results: &[RunResult]) -> Result<String, csv::Error> {
    let mut writer = csv::WriterBuilder::new()
        .flexible(true)
        .from_writer(Vec::new());
    for result in results {
        for phase in &result.phases {
            let makes_figures = |figure: &base::result::Figure| figure.phases.contains(&phase.name);
            if result.figures.iter().any(makes_figures) {
                writer.write_record(row(result, phase))?;
            }
        }
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    let rows = String::from_utf8_lossy(&bytes);
    Ok(format!("'Results\n{COLUMNS}\n{rows}"))
}

fn row(result: &RunResult, phase: &PhaseRecord) -> Vec<String> {
    let (reads, writes) = (phase.of(Op::Read), phase.of(Op::Write));
    let mut all = OpRecord {
        ios: reads.ios + writes.ios,
        bytes: reads.bytes + writes.bytes,
        ..OpRecord::default()
    };
    let mut felt = reads.felt().clone();
    felt.merge(writes.felt());
    all.service = felt;
    let three = [&all, &reads, &writes];
    let text = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.6}"));
    let rate = |op: &OpRecord| Rate::of(op.bytes, phase.took);
    let job = phase.workload.jobs.first();
    let name = format!("{} on {}", result.method, result.target.name);
    let mut row = vec!["ALL".to_owned(), as_text(&name), as_text(&phase.name)];
    row.extend(["1", "1", "1"].map(str::to_owned));
    row.extend(three.map(|op| text(per_second(op.ios, phase.took))));
    row.extend(three.map(|op| text(rate(op).map(|rate| rate.mib_s()))));
    row.extend(three.map(|op| text(rate(op).map(|rate| rate.mb_s()))));
    row.extend(empty(2));
    row.extend(three.map(|op| text(op.felt().mean().map(Duration::as_millis_f64))));
    row.extend(empty(2));
    row.extend(three.map(|op| text(longest(op.felt()))));
    row.extend(empty(2));
    row.extend(errors(phase));
    row.extend([reads.bytes, writes.bytes].map(|bytes| bytes.get().to_string()));
    row.extend([reads.ios, writes.ios].map(|ios| ios.to_string()));
    row.extend(empty(11));
    row.extend(job.map_or_else(
        || empty(3),
        |job| {
            let depth = match job.depth() {
                u32::MAX => String::new(),
                depth => depth.to_string(),
            };
            vec![
                (job.span.start.get() / 512).to_string(),
                (job.span.len.get() / 512).to_string(),
                depth,
            ]
        },
    ));
    row.extend(empty(OF_THE_COMPUTER));
    row
}

fn empty(fields: usize) -> Vec<String> {
    vec![String::new(); fields]
}

fn per_second(ios: u64, took: Duration) -> Option<f64> {
    (!took.is_zero()).then(|| ios as f64 / took.as_secs_f64())
}

fn longest(latencies: &Latencies) -> Option<f64> {
    (!latencies.is_empty()).then(|| latencies.max().as_millis_f64())
}

/// All, reads and writes; the kinds are known while all errors are kept one by one.
fn errors(phase: &PhaseRecord) -> [String; 3] {
    let all = phase.errors();
    let kept = || phase.jobs.iter().flat_map(|job| &job.errors.first);
    let of = |op: Op| {
        let count = kept().filter(|error| error.op == op).count();
        let whole = kept().count() as u64 == all;
        if whole {
            count.to_string()
        } else {
            String::new()
        }
    };
    [all.to_string(), of(Op::Read), of(Op::Write)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::results as sample;

    #[test]
    fn every_phase_has_a_row_in_iometers_columns_and_its_figures_hold_together() {
        let reviewed = sample::review();
        let text = results(&reviewed).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("'Results"));
        let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
        assert_eq!(columns.len(), 59);
        let at = |name: &str| columns.iter().position(|column| *column == name).unwrap();
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(text.splitn(3, '\n').nth(2).unwrap().as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert!(!rows.is_empty());
        for row in &rows {
            assert_eq!(row.len(), columns.len());
            let number = |name: &str| row[at(name)].parse::<f64>().unwrap();
            let count = number("Read I/Os") + number("Write I/Os");
            let mean = (number("Bytes Read") + number("Bytes Written")) / count;
            // IOPS x mean size = MiB/s.
            let rate = number("IOps") * mean / f64::from(1 << 20);
            assert!((number("MiBps (Binary)") / rate - 1.0).abs() < 1e-4);
            let decimal = number("MBps (Decimal)") * 1e6 / f64::from(1 << 20);
            assert!((number("MiBps (Binary)") / decimal - 1.0).abs() < 1e-4);
            assert!(number("Maximum Response Time") >= number("Average Response Time"));
            assert_eq!(&row[at("% CPU Utilization")], "");
        }
    }
}
