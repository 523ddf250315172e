//! Names that a mistyped one may have meant.

/// Characters of a text that may be a mistyped name.
const LONGEST: usize = 64;

/// The known names most similar to `wanted`, best first: at most three, and only if they are similar at all
/// (Jaro-Winkler similarity of 0.75 or more, or containing what was typed). Names with a smaller edit distance
/// (Damerau-Levenshtein) come first: names of one family are all similar.
pub fn nearest<'a, S: AsRef<str> + 'a>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a S>,
) -> Vec<String> {
    // The distance takes time by both lengths, and no name is as long.
    if wanted.chars().nth(LONGEST).is_some() {
        return Vec::new();
    }
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(usize, f64, &str)> = known
        .into_iter()
        .filter_map(|name| {
            let name = name.as_ref();
            let lower = name.to_lowercase();
            let likeness = strsim::jaro_winkler(&wanted, &lower);
            if wanted.len() >= 3 && lower.contains(&wanted) {
                return Some((0, likeness, name));
            }
            let slips = || strsim::damerau_levenshtein(&wanted, &lower);
            (likeness >= 0.75).then(|| (slips(), likeness, name))
        })
        .collect();
    scored.sort_by(|a, b| {
        let by_likeness = b.1.total_cmp(&a.1);
        a.0.cmp(&b.0).then(by_likeness).then(a.2.cmp(b.2))
    });
    scored
        .into_iter()
        .take(3)
        .map(|(_, _, name)| name.to_owned())
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

    #[test]
    fn a_text_longer_than_any_name_is_near_none() {
        let known = ["latency-watch-".repeat(5)];
        assert!(nearest(&known[0], &known).is_empty());
        assert_eq!(nearest(&known[0][..64], &known), known);
    }

    #[test]
    fn among_kin_the_one_with_the_fewest_slips_comes_first() {
        let kin = ["samsung-840-evo-500gb", "samsung-840-evo-750gb"];
        assert_eq!(nearest("samsung-840-ev0-750gb", &kin)[0], kin[1]);
    }
}
