//! Numbers and names as people read them: four digits, units apart.

use base::time::Duration;

/// A figure's value with four significant digits at most two decimals above ten; whole numbers of
/// things (`count`, `IOPS` above a hundred) without decimals; thousands are set apart by commas. What
/// four decimals would hide (one in a million) is a power of ten.
pub(crate) fn value(value: f64, unit: &str) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs();
    if size > 0.0 && size < 0.000_95 && unit != "count" {
        return format!("{value:.1e}");
    }
    let decimals = match unit {
        "count" => 0,
        "IOPS" if size >= 100.0 => 0,
        _ if size >= 999.95 => 0,
        _ if size >= 99.995 => 1,
        _ if size >= 0.9995 || size == 0.0 => 2,
        _ if size >= 0.09995 => 3,
        _ => 4,
    };
    with_commas(&format!("{value:.decimals$}"))
}

/// A value that was held against limits: with as many digits as it takes to lie on the same side of each as it does.
/// A ratio of 1.003 that may be 1 at most is not "1.00".
pub(crate) fn beside(number: f64, unit: &str, limits: &[f64]) -> String {
    let tells = |text: &String| {
        let printed = text.replace(',', "").parse::<f64>().unwrap_or(number);
        let side = |of: f64, limit: &f64| of.partial_cmp(limit);
        limits
            .iter()
            .all(|limit| side(printed, limit) == side(number, limit))
    };
    let longer = (1..=9).map(|decimals| with_commas(&format!("{number:.decimals$}")));
    let short = value(number, unit);
    let told = std::iter::once(short.clone()).chain(longer).find(tells);
    told.unwrap_or(short)
}

/// Sets thousands apart: `1234567.8` becomes `1,234,567.8`.
pub(crate) fn with_commas(number: &str) -> String {
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    let (sign, digits) = match whole.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", whole),
    };
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match fraction {
        Some(fraction) => format!("{sign}{grouped}.{fraction}"),
        None => format!("{sign}{grouped}"),
    }
}

/// A time span for people, with the micro sign.
pub(crate) fn time(time: Duration) -> String {
    time.to_string().replace("us", "µs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_beside_its_limit_is_printed_on_its_own_side_of_it() {
        let cases = [
            (1.003, "ratio", 1.0, "1.003"),
            (0.999_96, "ratio", 1.0, "0.99996"),
            (1.2, "ratio", 1.0, "1.20"),
            (1.0, "ratio", 1.0, "1.00"),
            (3_511.7, "MB/s", 3_512.0, "3,511.7"),
            (3_511.7, "MB/s", 3_000.0, "3,512"),
            (f64::INFINITY, "ms", 5.0, "inf"),
        ];
        for (number, unit, limit, text) in cases {
            assert_eq!(beside(number, unit, &[limit]), text);
        }
    }

    #[test]
    fn a_value_has_the_digits_that_mean_something() {
        let cases = [
            (3_512.44, "MB/s", "3,512"),
            (547.25, "MB/s", "547.2"),
            (98.5, "MB/s", "98.50"),
            (0.7312, "MB/s", "0.731"),
            (0.0451, "ms", "0.0451"),
            (1_234_567.0, "IOPS", "1,234,567"),
            (42.0, "count", "42"),
            (0.0, "ms", "0.00"),
            (0.001, "", "0.0010"),
            (6.49e-6, "", "6.5e-6"),
            (-12.5, "%", "-12.50"),
        ];
        for (number, unit, text) in cases {
            assert_eq!(value(number, unit), text);
        }
    }
}
