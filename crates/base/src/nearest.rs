//! Names that a mistyped one may have meant.

/// The known names most like `wanted`, best first: at most three, and only those that are alike at
/// all (Jaro-Winkler likeness of 0.75 or more, or containing what was typed).
pub fn nearest<'a, S: AsRef<str> + 'a>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a S>,
) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| {
            let name = name.as_ref();
            let likeness = strsim::jaro_winkler(&wanted, &name.to_lowercase());
            let contains = wanted.len() >= 3 && name.to_lowercase().contains(&wanted);
            (
                if contains {
                    likeness.max(0.9)
                } else {
                    likeness
                },
                name,
            )
        })
        .filter(|(score, _)| *score >= 0.75)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored
        .into_iter()
        .take(3)
        .map(|(_, name)| name.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_typo_finds_the_name_and_nonsense_finds_none() {
        let known = [
            "crystaldiskmark-classic",
            "crystaldiskmark-8",
            "full-scan",
            "latency-watch",
        ];
        assert_eq!(nearest("latncy-watch", &known)[0], "latency-watch");
        assert_eq!(nearest("scan", &known), ["full-scan"]);
        assert!(nearest("zzz", &known).is_empty());
    }
}
