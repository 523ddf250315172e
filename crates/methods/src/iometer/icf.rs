//! Iometer's configuration files (`.icf`): the access specifications in them.
//!
//! The part between `'ACCESS SPECIFICATIONS` and `'END access specifications` holds, for each
//! specification, a line with its name and default assignment after the line
//! `'Access specification name,default assignment`, then, after `'size,% of size,...`, a line for each kind of
//! I/O: size in bytes, its share in per cent, reads, random I/Os (per cent), delay in ms after each
//! burst, I/Os in a burst, alignment in bytes (0: sectors), reply size. Everything else in the file
//! (workers, targets, run time) is passed over. Source: Iometer 1.1.0, `ICF_ifstream.cpp` and
//! `AccessSpecList.cpp`, read for the format; Iometer User's Guide, "Access Specifications Tab".
//!
//! Lines may differ in everything but delay and burst, of which a worker here has one: a specification whose lines
//! differ in those is refused. Replies belong to network targets, and are ignored.

use base::workload::MOST_OWN;
use base::{Bytes, Duration};

use super::{Line, Specification, Worker};

/// A line of the file that makes no sense.
pub(super) struct BadIcf {
    pub(super) line: u64,
    pub(super) what: String,
}

const FORM: &str = "SIZE,% OF SIZE,% READS,% RANDOM,DELAY,BURST,ALIGN,REPLY";

/// One line of a specification.
#[derive(Clone, Copy)]
struct Row {
    line: Line,
    random_percent: u8,
    worker: Worker,
}

/// The access specifications of a file.
///
/// # Errors
/// [`BadIcf`] where a line makes no sense or the shares of a specification are not 100 per cent together.
pub(super) fn parse(text: &str) -> Result<Vec<Specification>, BadIcf> {
    let mut all: Vec<Specification> = Vec::new();
    let mut under_way: Option<(String, u64, Vec<Row>)> = None;
    let (mut inside, mut name_follows) = (false, false);
    for (index, line) in text.lines().enumerate() {
        let number = index as u64 + 1;
        let line = line.trim();
        let lower = line.to_ascii_lowercase();
        if lower.starts_with("'access specifications") {
            inside = true;
        } else if lower.starts_with("'end access specifications") {
            break;
        } else if !inside || line.is_empty() {
        } else if lower.starts_with("'access specification name") {
            finish(under_way.take(), &mut all)?;
            name_follows = true;
        } else if line.starts_with('\'') {
        } else if std::mem::take(&mut name_follows) {
            // The default assignment stands behind the last comma.
            let name = line.rsplit_once(',').map_or(line, |(name, _)| name);
            under_way = Some((name.trim().to_owned(), number, Vec::new()));
        } else if let Some((_, _, rows)) = &mut under_way {
            rows.push(row(line).map_err(|what| BadIcf { line: number, what })?);
        } else {
            let what = format!("'{line}' comes before the name of a specification");
            return Err(BadIcf { line: number, what });
        }
    }
    finish(under_way, &mut all)?;
    if all.is_empty() {
        let what = "there is no access specification in it".to_owned();
        return Err(BadIcf { line: 1, what });
    }
    Ok(all)
}

fn row(line: &str) -> Result<Row, String> {
    let mut fields = line.split(',').map(str::trim);
    let mut field = |what: &str, most: u64| {
        let text = fields.next().unwrap_or_default();
        let number = text.parse::<u64>().ok().filter(|n| *n <= most);
        number.ok_or_else(|| format!("'{text}' is not a {what} (0 to {most}); line format: {FORM}"))
    };
    let size = field("size", 1 << 28)?;
    let share = field("share of the accesses", 100)?;
    let reads = field("share of reads", 100)?;
    let random = field("share of random accesses", 100)?;
    let delay = field("delay in ms", 3_600_000)?;
    let burst = field("number of I/Os in a burst", 1 << 20)?;
    let align = field("alignment", 1 << 28)?;
    if size == 0 || !size.is_multiple_of(512) || !align.is_multiple_of(512) {
        return Err(format!(
            "size {size} and alignment {align} must be multiples of 512 bytes, and the size not 0"
        ));
    }
    // All three are at most 100.
    Ok(Row {
        line: (size, share as u32, reads as u8),
        random_percent: random as u8,
        worker: Worker {
            delay: Duration::from_millis(delay),
            burst: burst.max(1) as u32,
            align: (align > 0).then(|| Bytes::new(align)),
        },
    })
}

fn finish(
    under_way: Option<(String, u64, Vec<Row>)>,
    all: &mut Vec<Specification>,
) -> Result<(), BadIcf> {
    let Some((name, line, rows)) = under_way else {
        return Ok(());
    };
    let bad = |what: String| BadIcf { line, what };
    let sum: u32 = rows.iter().map(|row| row.line.1).sum();
    if sum != 100 {
        return Err(bad(format!(
            "the shares of '{name}' are {sum} % together, and not 100"
        )));
    }
    let first = rows[0];
    let paced = |row: &Row| (row.worker.delay, row.worker.burst);
    if rows.iter().any(|row| paced(row) != paced(&first)) {
        return Err(bad(format!(
            "the lines of '{name}' differ in delay or burst: a worker here has one of each"
        )));
    }
    let own = |row: &Row| (row.random_percent, row.worker.align);
    let differ = rows.iter().any(|row| own(row) != own(&first));
    if differ && rows.len() > MOST_OWN {
        return Err(bad(format!(
            "'{name}' has {} lines that differ in % random or alignment, and {MOST_OWN} are the most",
            rows.len()
        )));
    }
    let own = if differ {
        rows.iter().map(own).collect()
    } else {
        Vec::new()
    };
    let key = key_of(&name, all);
    all.push(Specification {
        key: key.into(),
        lines: rows.iter().map(|row| row.line).collect::<Vec<_>>().into(),
        random_percent: first.random_percent,
        worker: Some(first.worker),
        own: own.into(),
    });
    Ok(())
}

/// The name as the first part of a figure's key; with a number if it exists already.
fn key_of(name: &str, all: &[Specification]) -> String {
    let mut key = String::new();
    for letter in name.chars().flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() {
            key.push(letter);
        } else if !key.ends_with('-') && !key.is_empty() {
            key.push('-');
        }
    }
    let key = key.trim_end_matches('-');
    let key = if key.is_empty() { "unnamed" } else { key };
    let taken = |key: &str| all.iter().any(|spec| spec.key == key);
    let mut candidates = (2..).map(|n: u32| format!("{key}-{n}"));
    if taken(key) {
        candidates.find(|key| !taken(key)).unwrap_or_default()
    } else {
        key.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iometer::FILE_SERVER;

    /// As Iometer writes it: tabs, and Windows' line ends.
    const ICF: &str = "Version 1.1.0 \r\n'TEST SETUP ====\r\n'Run Time\r\n\t0 1 0\r\n'END test setup\r\n\
'ACCESS SPECIFICATIONS =====\r\n\
'Access specification name,default assignment\r\n\
\tFile Server, 80 %,ALL\r\n\
'size,% of size,% reads,% random,delay,burst,align,reply\r\n\
\t512,10,80,100,0,1,0,0\r\n\t1024,5,80,100,0,1,0,0\r\n\t2048,5,80,100,0,1,0,0\r\n\t4096,60,80,100,0,1,0,0\r\n\
\t8192,2,80,100,0,1,0,0\r\n\t16384,4,80,100,0,1,0,0\r\n\t32768,4,80,100,0,1,0,0\r\n\t65536,10,80,100,0,1,0,0\r\n\
'Access specification name,default assignment\r\n\
\t4K aligned,NONE\r\n\
'size,% of size,% reads,% random,delay,burst,align,reply\r\n\
\t4096,100,67,50,5,3,4096,0\r\n\
'Access specification name,default assignment\r\n\
\t4K Aligned,NONE\r\n\
'size,% of size,% reads,% random,delay,burst,align,reply\r\n\
\t4096,100,0,0,0,1,0,0\r\n\
'END access specifications\r\n'MANAGER LIST ====\r\n'Manager ID, manager name\r\n\t1,X\r\n";

    #[test]
    fn the_specifications_of_a_file_are_read_as_iometer_writes_them() {
        let all = parse(ICF).map_err(|bad| bad.what).unwrap();
        let keys: Vec<&str> = all.iter().map(|spec| spec.key.as_ref()).collect();
        assert_eq!(keys, ["file-server-80", "4k-aligned", "4k-aligned-2"]);
        assert_eq!(all[0].lines, FILE_SERVER.lines);
        assert_eq!(all[0].random_percent, 100);
        let worker = all[1].worker.unwrap();
        assert_eq!(worker.align, Some(Bytes::kib(4)));
        assert_eq!((worker.delay, worker.burst), (Duration::from_millis(5), 3));
        assert_eq!(
            (all[1].random_percent, all[1].lines[0]),
            (50, (4_096, 100, 67))
        );
    }

    #[test]
    fn lines_may_differ_in_their_order_and_alignment() {
        let text = "'ACCESS SPECIFICATIONS\n'Access specification name,default assignment\n\tMix,NONE\n'size\n\
4096,60,100,100,0,1,4096,0\n65536,40,0,10,0,1,0,0\n'END access specifications\n";
        let all = parse(text).map_err(|bad| bad.what).unwrap();
        assert_eq!(
            all[0].own.as_ref(),
            [(100, Some(Bytes::kib(4))), (10, None)]
        );
    }

    #[test]
    fn what_makes_no_sense_is_named_with_its_line() {
        let with = |rows: &str| {
            let text = format!(
                "'ACCESS SPECIFICATIONS\n'Access specification name,default assignment\n\tA,NONE\n'size\n{rows}'END access specifications\n"
            );
            let bad = parse(&text).map(|_| ()).unwrap_err();
            (bad.line, bad.what)
        };
        let cases = [
            ("\t4096,90,100,0,0,1,0,0\n", 3, "90 % together"),
            (
                "\t4096,100,101,0,0,1,0,0\n",
                5,
                "'101' is not a share of reads",
            ),
            ("\t4096,100\n", 5, "'' is not a share of reads"),
            ("\t1000,100,100,0,0,1,0,0\n", 5, "multiples of 512"),
            (
                "\t512,50,100,0,0,1,0,0\n\t512,50,100,0,9,1,0,0\n",
                3,
                "differ in delay",
            ),
            ("", 3, "0 % together"),
        ];
        for (rows, line, what) in cases {
            let bad = with(rows);
            assert!(bad.0 == line && bad.1.contains(what), "{rows}: {bad:?}");
        }
        assert!(parse("hello").is_err_and(|bad| bad.what.contains("no access specification")));
    }
}
