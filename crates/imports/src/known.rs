//! Tools that are known by their output, and of which nothing is read: a refusal by name tells more than "unknown".

use crate::text::Text;

/// How a tool is told: words that its first lines have.
struct Mark {
    tool: &'static str,
    /// All of these stand in the first lines.
    words: &'static [&'static str],
}

const fn mark(tool: &'static str, words: &'static [&'static str]) -> Mark {
    Mark { tool, words }
}

/// How many lines are looked at.
const HEAD: usize = 40;

const MARKS: &[Mark] = &[
    mark(
        "AS SSD Benchmark (not its text: Edit > Copy)",
        &["4K-64Thrd", "Acc.time"],
    ),
    mark("ATTO Disk Benchmark", &["ATTO Disk Benchmark"]),
    mark("sysbench", &["sysbench"]),
    mark("ioping", &["ioping statistics"]),
    mark("ioping", &["request=1 time="]),
    mark("bonnie++", &["Version", "Sequential Output", "Concurrency"]),
    mark("bonnie++", &["Version", "------Sequential Output------"]),
    mark("bonnie++", &[",+++++,+++"]),
    mark("elbencho", &["elbencho"]),
    mark("elbencho", &["\"operation\"", "\"entry type\""]),
    mark("elbencho", &["ISO DATE", "LABEL"]),
    mark("elbencho", &["ISO date", "label"]),
    mark("smartctl", &["smartctl"]),
    mark("pg_test_fsync", &["Compare file sync methods"]),
    mark("pg_test_fsync", &["ompare", "open_datasync"]),
    mark("dd", &["records in", "records out"]),
    mark("hdparm", &["Timing", "disk reads"]),
    mark("vdbench", &["vdbench"]),
    mark("vdbench", &["Vdbench"]),
    mark("HD Tune (error scan)", &["HD Tune", "Error Scan"]),
    mark("HD Tune (health)", &["HD Tune", "ThresholdData"]),
    mark(
        "fio (a trace: `drivelab run replay` takes it)",
        &["fio version", "iolog"],
    ),
    mark(
        "fio (text; its JSON is read: --output-format=json)",
        &["rw=", "ioengine=", "iodepth="],
    ),
    mark(
        "fio (terse; its JSON is read: --output-format=json)",
        &[";fio-", ";0;0;"],
    ),
    mark("Iometer (a configuration, not results)", &["'TEST SETUP"]),
    mark("TxBENCH", &["TxBENCH"]),
    mark("dbench", &["dbench version"]),
    mark("IOzone", &["Iozone:"]),
];

/// Which tool wrote it.
pub(crate) fn tool_of(text: &Text) -> Option<&'static str> {
    let head: Vec<&str> = text.head(HEAD).collect();
    let head = head.join("\n");
    let has = |mark: &&Mark| mark.words.iter().all(|word| head.contains(word));
    MARKS.iter().find(has).map(|mark| mark.tool)
}
