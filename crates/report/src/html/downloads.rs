//! Downloads from a page: the verdict table as CSV (a link that holds the file), and, where scripts run, all figures as
//! CSV, each picture as SVG or PNG and the data as JSON, all made from the single copy of the data in the page.

use maud::{Markup, html};

use crate::chart::Plot;

use super::Page;

/// The tables; one that cannot be written has no link.
pub(super) fn tables(page: &Page) -> Markup {
    let table = crate::csv::table(page.results, page.texts.lang());
    html! {
        p.downloads {
            @if let Ok(csv) = table {
                a.download download="verdict.csv" href=(data_uri("text/csv;charset=utf-8", &csv)) { (page.say("csv-table")) }
                " "
            }
            button.needs-script type="button" id="figures-csv" { (page.say("csv-figures")) }
        }
    }
}

/// A picture that the page does not show, to take away as SVG and, where scripts run, as PNG.
pub(super) fn picture(page: &Page, name: &str, svg: &str) -> Markup {
    let name = file_name(name);
    html! {
        p.downloads {
            a.download download={ (name) ".svg" } href=(data_uri("image/svg+xml;charset=utf-8", svg)) { (page.say("picture-svg")) }
            " "
            button.picture-png.needs-script type="button" { (page.say("picture-png")) }
        }
    }
}

/// A file in an address (RFC 2397): all but unreserved characters are written %XX.
fn data_uri(kind: &str, text: &str) -> String {
    let mut uri = format!("data:{kind},");
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~,/()".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// The name of a picture's file, without its ending: number, method, what it shows. Numbers have equal lengths, so
/// that files sort in the page's order.
pub(crate) fn plot_name(method: &str, plot: &Plot) -> String {
    let number = plot.id.trim_start_matches('p');
    file_name(&format!("p{number:0>2} {method} {}", plot.title))
}

/// A text as a part of a file's name: letters and digits of any script, and hyphens between.
pub(crate) fn file_name(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let mut name = words.join("-");
    // No file system takes names of more than 255 bytes.
    while name.len() > 120 {
        name.pop();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_an_address_keeps_every_byte() {
        assert_eq!(
            data_uri("text/csv", "a,\"ü\"\n1"),
            "data:text/csv,a,%22%C3%BC%22%0A1"
        );
    }

    #[test]
    fn a_file_s_name_has_no_path_in_it() {
        assert_eq!(
            file_name("p1 ../../etc/passwd · 転送速度"),
            "p1-etc-passwd-転送速度"
        );
        assert!(file_name(&"長い".repeat(200)).len() <= 120);
    }
}
