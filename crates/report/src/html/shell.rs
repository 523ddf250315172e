//! What every page has around its content: the head, and, of pages that stand still, the masthead.
//!
//! A page loads nothing: its policy forbids whatever is not in it.

use super::STYLE;
use crate::escape::escape;
use crate::lang::Texts;

/// What a page's policy allows beside its own styles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// Nothing: the page stands still.
    Styles,
    /// Its own scripts, and pictures that stand in it.
    Scripts,
}

/// Everything up to the body. `title` is escaped already; `style` comes before the styles of all pages,
/// `rules` after them.
pub(crate) fn head(
    texts: &Texts,
    title: &str,
    allowed: Allowed,
    style: &str,
    rules: &str,
) -> String {
    let sources = match allowed {
        Allowed::Styles => "",
        Allowed::Scripts => "script-src 'unsafe-inline'; img-src data:; ",
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"generator\" content=\"drivelab {version}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; {sources}base-uri 'none'; form-action 'none'\">\n\
         <title>{title}</title>\n<style>{style}{STYLE}{rules}</style>\n</head>\n",
        lang = texts.lang().tag(),
        version = env!("CARGO_PKG_VERSION"),
    )
}

/// A page that stands still: its title, some lines below it, and its content, which is HTML already.
pub(crate) fn still_page(texts: &Texts, title: &str, ledes: &[&str], main: &str) -> String {
    let title = escape(title);
    let ledes: String = ledes
        .iter()
        .map(|lede| format!("<p class=\"lede\">{}</p>", escape(lede)))
        .collect();
    format!(
        "{head}<body>\n<header class=\"masthead\"><h1>{title}</h1>{ledes}</header>\n\
         <main id=\"main\">{main}</main>\n</body>\n</html>\n",
        head = head(texts, &title, Allowed::Styles, "", ""),
    )
}
