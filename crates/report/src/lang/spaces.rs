//! Spaces between Latin and Japanese words, where a text was filled in.

/// What stands before and behind what was filled in (the marks that Fluent sets), until spaces are right.
const BEGIN: char = '\u{2068}';
const END: char = '\u{2069}';

/// The text without the marks around what was filled in. Behind a Latin word or a number stands a space, and behind a
/// Japanese word none beside a particle: what is filled in may be either, and no form can know.
pub(crate) fn spaced(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find([BEGIN, END]) {
        said.push_str(&rest[..at]);
        let is_end = rest[at..].starts_with(END);
        rest = &rest[at + BEGIN.len_utf8()..];
        let (Some(last), Some(next)) = (said.chars().next_back(), rest.chars().next()) else {
            continue;
        };
        let has_space = next == ' ';
        let after = rest.trim_start_matches(' ').chars().next();
        if is_end && has_space && is_japanese(last) && after.is_some_and(is_hiragana) {
            rest = rest.trim_start_matches(' ');
        } else if !is_end && is_japanese(next) && said.trim_end().ends_with(is_hiragana) {
            said.truncate(said.trim_end().len());
        } else if is_japanese(next) && is_latin(last) || is_japanese(last) && is_latin(next) {
            said.push(' ');
        }
    }
    said + rest
}

fn is_hiragana(c: char) -> bool {
    ('\u{3041}'..='\u{3096}').contains(&c)
}

/// Letters of words, not marks between them.
fn is_japanese(c: char) -> bool {
    is_hiragana(c)
        || ('\u{30a1}'..='\u{30fa}').contains(&c)
        || matches!(c, 'ー' | '々')
        || ('\u{4e00}'..='\u{9fff}').contains(&c)
}

fn is_latin(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '%' | 'µ' | '°')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_stand_between_latin_and_japanese_and_not_before_a_particle() {
        for (form, word, said) in [
            ("{} は未実施", "フルスキャン", "フルスキャンは未実施"),
            ("{} は未実施", "DelayRatio", "DelayRatio は未実施"),
            ("{}の先頭", "1.00 TB", "1.00 TB の先頭"),
            ("{}の先頭", "全域", "全域の先頭"),
            ("平均 {}、最長", "5.0 ms", "平均 5.0 ms、最長"),
            ("QD{} で", "32", "QD32 で"),
            ("{} 領域", "書き込み", "書き込み 領域"),
            ("(他は {})", "新品", "(他は新品)"),
            ("(他は {})", "0 B", "(他は 0 B)"),
        ] {
            let filled = form.replace("{}", &format!("{BEGIN}{word}{END}"));
            assert_eq!(spaced(&filled), said);
        }
    }
}
