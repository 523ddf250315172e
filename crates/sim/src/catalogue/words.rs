//! What the reader of a file says of a word that it does not know, read again, so that it can be told with
//! the words that there are and the nearest of them.

use base::nearest::nearest;

/// What the reader of a file says of an unknown word, told again: it lists the known words in backquotes.
/// Nothing where the message is about something else.
pub(super) fn said(message: &str) -> Option<String> {
    let rest = message.strip_prefix("unknown variant `")?;
    let (word, rest) = rest.split_once('`')?;
    let known = quoted(rest);
    let meant = super::error::did_you_mean(&nearest(word, &known));
    Some(format!("it takes {}, not '{word}'{meant}", listed(&known)))
}

/// The fields that there are, where the message is about one that there is not.
pub(super) fn fields(message: &str) -> Option<Vec<&str>> {
    let (_, rest) = message.strip_prefix("unknown field `")?.split_once('`')?;
    Some(quoted(rest))
}

/// The text in backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// `a, b or c`.
fn listed(words: &[&str]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_told_with_those_that_are_known_and_the_nearest() {
        let two = said("unknown variant `in-trun`, expected `at-once` or `in-turn`").unwrap();
        assert_eq!(
            two,
            "it takes at-once or in-turn, not 'in-trun'; did you mean in-turn?"
        );
        let three = said("unknown variant `x`, expected one of `fifo`, `read-first`, `suspend`");
        assert_eq!(
            three.unwrap(),
            "it takes fifo, read-first or suspend, not 'x'"
        );
        assert_eq!(said("invalid type: integer `1`, expected a string"), None);
        let field = fields("unknown field `dice`, expected `dies` or `page_kib`");
        assert_eq!(field, Some(vec!["dies", "page_kib"]));
        assert_eq!(fields("unknown variant `x`, expected `y`"), None);
    }
}
