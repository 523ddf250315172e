//! Keys of figures, curves and charts, split into parts: `seq1m-q8t1.read.p99.9` has three, since the last dot is in a
//! number.

/// The parts of a dotted key; a percentile's decimals stay with it.
pub fn parts(key: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in key.split('.') {
        match parts.last_mut() {
            Some(last) if is_percentile(last) && is_number(part) => {
                last.push('.');
                last.push_str(part);
            }
            _ => parts.push(part.to_owned()),
        }
    }
    parts
}

/// True if `key` extends `other`: the same in another unit, or a detail of it (`seq1m-q8t1.read.iops` after
/// `seq1m-q8t1.read`).
pub fn refines(key: &str, other: &str) -> bool {
    let (key, other) = (parts(key), parts(other));
    key.len() > other.len() && key.starts_with(&other)
}

/// `p99`, `p99.9`.
pub fn is_percentile(part: &str) -> bool {
    part.strip_prefix('p').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit())
            && rest.chars().all(|c| c.is_ascii_digit() || c == '.')
    })
}

fn is_number(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())
}

/// The direction that a curve's or a figure's name speaks of, if any.
pub fn direction(name: &str) -> Option<base::io::Op> {
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.find_map(|word| match word {
        "read" | "reads" => Some(base::io::Op::Read),
        "write" | "writes" => Some(base::io::Op::Write),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_in_a_percentile_is_no_border() {
        assert_eq!(
            parts("rnd4k-q1t1.read.p99.9"),
            ["rnd4k-q1t1", "read", "p99.9"]
        );
        assert_eq!(parts("alone.p99"), ["alone", "p99"]);
        assert!(refines("seq.read.iops", "seq.read"));
        assert!(!refines("alone.p99.9", "alone.p99"));
        assert!(!refines("seq.reads", "seq.read"));
    }

    #[test]
    fn a_name_tells_its_direction() {
        assert_eq!(direction("watch read"), Some(base::io::Op::Read));
        assert_eq!(direction("rnd4k-q1t1.write"), Some(base::io::Op::Write));
        assert_eq!(direction("spread"), None);
    }
}
