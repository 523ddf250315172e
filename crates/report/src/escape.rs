//! Keeping text text: a drive may call itself `</script>`.

/// Text for an element's content or a quoted attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Characters that HTML does not allow, even as references.
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}' => {
                out.push('\u{fffd}');
            }
            other => out.push(other),
        }
    }
    out
}

/// JSON for the content of a `<script>` element: no character of it can end the element or begin
/// a comment in it. The marks stand in strings alone, so the escapes mean the same.
pub(crate) fn escape_json(json: &str) -> String {
    json.replace('&', "\\u0026")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(
            escape("<script>alert(\"1\")</script> & 'x'\u{1b}"),
            "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;\u{fffd}"
        );
    }

    #[test]
    fn escaped_json_means_the_same_and_cannot_end_its_element() {
        let value = serde_json::json!({"name": "</script><!-- & \u{2028}"});
        let text = escape_json(&value.to_string());
        assert!(!text.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }
}
