//! DiskSpd's sizes: a whole number and one letter, `K M G T` in powers of 1024, `b` for blocks.
//!
//! A block is the size of an I/O (`-b`), wherever it is among the arguments. Output uses the same powers with their
//! names, and integers where they are exact.

/// Bytes of a size; `block` is the meaning of `b`.
///
/// # Errors
/// What is wrong with it, in words.
pub fn read(text: &str, block: u64) -> Result<u64, String> {
    let wrong =
        || format!("'{text}' is no size: a whole number, then K, M, G, T or b (blocks) or nothing");
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let unit = match &text[digits.len()..] {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" | "m" => 1 << 20,
        "G" | "g" => 1 << 30,
        "T" | "t" => 1 << 40,
        "B" | "b" => block,
        _ => return Err(wrong()),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number
        .checked_mul(unit)
        .filter(|bytes| *bytes <= i64::MAX as u64)
        .ok_or_else(|| format!("'{text}' is more than any target has"))
}

/// A size as DiskSpd 2.2 prints it: `64KiB`, `1.50GiB`, `512`.
pub fn printed(bytes: u64) -> String {
    for (shift, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
        let one = 1_u64 << shift;
        if bytes >= one {
            return match bytes.is_multiple_of(one) {
                true => format!("{}{unit}", bytes >> shift),
                false => format!("{:.2}{unit}", bytes as f64 / one as f64),
            };
        }
    }
    bytes.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_and_a_letter() {
        let sizes = ["512", "4K", "1m", "2G", "3b", "1T"];
        let read: Vec<u64> = sizes.map(|text| read(text, 100).unwrap()).to_vec();
        assert_eq!(read, [512, 4096, 1 << 20, 2 << 30, 300, 1 << 40]);
        for wrong in [
            "",
            "K",
            "4KB",
            "1.5G",
            "-4",
            "4 K",
            "99999999999999999999",
            "9000000T",
        ] {
            assert!(super::read(wrong, 1).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_size_is_printed_whole_where_it_comes_out_even() {
        let sizes = [512, 4096, 1536 << 20, 64 << 30, 0].map(printed);
        assert_eq!(sizes, ["512", "4KiB", "1.50GiB", "64GiB", "0"]);
    }
}
