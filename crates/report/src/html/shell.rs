//! The parts of every page around its content: the head with its policy, data for scripts, and, on static pages, the
//! masthead.
//!
//! A page loads nothing: its policy forbids everything that is not in it. Texts are escaped by their type (`maud`);
//! marked as escaped are only our own style, our own scripts, and JSON that cannot end its element.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::STYLE;
use crate::lang::Texts;
use crate::xml::without_control_characters;

/// What a page's policy allows beside its own styles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// Nothing: the page is static.
    Styles,
    /// Its own scripts, and pictures that stand in it.
    Scripts,
}

/// A whole page around its `<body>`; `style` comes before the styles of all pages, `rules` after them.
pub(crate) fn document(
    texts: &Texts,
    title: &str,
    allowed: Allowed,
    [style, rules]: [&str; 2],
    body: &Markup,
) -> String {
    let sources = match allowed {
        Allowed::Styles => "",
        Allowed::Scripts => "script-src 'unsafe-inline'; img-src data:; ",
    };
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; {sources}base-uri 'none'; form-action 'none'"
    );
    let page = html! {
        (DOCTYPE)
        html lang=(texts.lang().tag()) {
            head {
                meta charset="utf-8";
                meta name="generator" content={ "drivelab " (env!("CARGO_PKG_VERSION")) };
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(policy);
                title { (title) }
                style { (PreEscaped(style)) (PreEscaped(STYLE)) (PreEscaped(rules)) }
            }
            (body)
        }
    };
    without_control_characters(page.into_string()) + "\n"
}

/// A static page: its title, some lines below it, and its content.
pub(crate) fn still_page(texts: &Texts, title: &str, ledes: &[&str], main: &Markup) -> String {
    let body = html! {
        body {
            header.masthead {
                h1 { (title) }
                @for lede in ledes { p.lede { (lede) } }
            }
            main #main { (main) }
        }
    };
    document(texts, title, Allowed::Styles, ["", ""], &body)
}

/// A part of a static page, under its heading.
pub(crate) fn section(id: &str, title: &str, content: &Markup) -> Markup {
    html! {
        section.method id=(id) aria-labelledby={ (id) "-h" } {
            h2 id={ (id) "-h" } { (title) }
            (content)
        }
    }
}

/// A table that scrolls where it is wider than the page.
pub(crate) fn table(heads: &[String], rows: &Markup) -> Markup {
    html! {
        div.scroll {
            table.figures {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody { (rows) }
            }
        }
    }
}

/// A picture below the colours and names of what is in it.
pub(crate) fn figure(keys: &[(String, String)], picture: &Markup) -> Markup {
    html! {
        figure.chart {
            p.legend {
                @for (colour, name) in keys {
                    span { span class={ "key " (colour) } aria-hidden="true" {} " " (name) } " "
                }
            }
            div class="scroll picture" { (picture) }
        }
    }
}

/// JSON for a script of the page.
pub(crate) fn data(id: &str, json: &str) -> Markup {
    html! {
        script type="application/json" id=(id) { (PreEscaped(inert(json))) }
        "\n"
    }
}

/// A script of ours.
pub(crate) fn script(text: &str) -> Markup {
    html! { script { "\n" (PreEscaped(text)) } }
}

/// JSON without characters that could end its element or begin a comment in it. These occur in strings alone, so the
/// escapes mean the same.
fn inert(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '&' | '<' | '>' | '\u{2028}' | '\u{2029}' | '\u{7f}' => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;

    #[test]
    fn nothing_in_a_text_is_markup() {
        let evil = "<script>alert(\"1\")</script> & 'x'\u{1b}";
        let main = html! { p title=(evil) { (evil) } };
        let page = still_page(&Texts::new(Lang::En), evil, &[evil], &main);
        let text = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; 'x'\u{fffd}";
        assert_eq!(page.matches(text).count(), 5);
        assert!(!page.contains("<script") && !page.contains('\u{1b}'));
    }

    #[test]
    fn data_mean_the_same_and_cannot_end_their_element() {
        let value = serde_json::json!({"name": "</script><!-- & \u{2028}\u{7f}"});
        let text = inert(&value.to_string());
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{7f}']));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }

    #[test]
    fn nothing_is_taken_for_markup_but_here_and_in_the_style_of_a_picture() {
        let mark = concat!("Pre", "Escaped(");
        for (file, source) in crate::sources() {
            let allowed = file.ends_with("html/shell.rs") || file.ends_with("src/svg.rs");
            assert!(allowed || !source.contains(mark), "{file}");
        }
    }
}
