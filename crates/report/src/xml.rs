//! Characters that neither HTML nor XML may hold, even as references. A drive's
//! model name may have some.

/// The text without characters that neither HTML nor XML allows, even as references.
pub(crate) fn without_control_characters(text: String) -> String {
    let is_barred = |c: char| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r');
    if text.contains(is_barred) {
        text.replace(is_barred, "\u{fffd}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_tabs_stay_and_what_a_terminal_would_obey_is_replaced() {
        let text = "a\tb\r\nc\u{0}\u{1b}[2J\u{7f}é".to_owned();
        let expected = "a\tb\r\nc\u{fffd}\u{fffd}[2J\u{fffd}é";
        assert_eq!(without_control_characters(text), expected);
    }
}
