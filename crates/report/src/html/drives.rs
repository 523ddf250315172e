//! What was judged: a card for each drive, and the bar of check boxes that shows and hides drives.
//!
//! Real and modelled drives must be told apart at a glance, in words and not by colour alone: a real
//! one has a filled badge and a solid frame, a modelled one an open badge and a dashed frame.

use analysis::group::Subject;

use super::Page;
use crate::escape::escape;

/// Sticks to the top while the page is read.
pub(super) fn bar(page: &Page) -> String {
    let boxes: String = page
        .groups
        .subjects
        .iter()
        .map(|subject| {
            format!(
                "<label><input type=\"checkbox\" id=\"show-{n}\" checked>{name}</label>",
                n = subject.index,
                name = name(page, subject),
            )
        })
        .collect();
    format!(
        "<form class=\"{class}\"><fieldset><legend>{}</legend>{boxes}</fieldset></form>\n",
        page.say("show-drives"),
        class = if page.groups.subjects.len() > 1 {
            "bar"
        } else {
            "bar single"
        },
    )
}

/// A drive's letter in its colour, its title, and whether it is real.
pub(super) fn name(page: &Page, subject: &Subject) -> String {
    format!(
        "{} <span class=\"drive-title\">{}</span> {}",
        letter(subject),
        escape(&subject.title),
        badge(page, subject, false)
    )
}

/// A drive's letter in its colour.
pub(super) fn letter(subject: &Subject) -> String {
    format!(
        "<span class=\"key drive-{}\" aria-hidden=\"true\">{}</span>",
        subject.index % crate::chart::COLOURS,
        escape(&subject.letter())
    )
}

fn badge(page: &Page, subject: &Subject, long: bool) -> String {
    let (class, key) = match (subject.is_real(), long) {
        (true, false) => ("real", "kind-real"),
        (true, true) => ("real", "kind-real-long"),
        (false, false) => ("model", "kind-model"),
        (false, true) => ("model", "kind-model-long"),
    };
    format!("<span class=\"badge {class}\">{}</span>", page.say(key))
}

/// What of the host is said in short; all of it stands with each result.
const HOST: [&str; 4] = ["cpu", "memory", "kernel", "system"];

/// A card for each drive.
pub(super) fn cards(page: &Page) -> String {
    let cards: String = page.groups.subjects.iter().map(|s| card(page, s)).collect();
    format!(
        "<section aria-labelledby=\"drives-h\"><h2 id=\"drives-h\">{}</h2>\
         <div class=\"cards\">{cards}</div></section>\n",
        page.say("drives")
    )
}

fn card(page: &Page, subject: &Subject) -> String {
    let target = subject.target;
    let mut facts: Vec<(String, String)> = Vec::new();
    if let Some(info) = &target.info {
        facts.push((page.say("capacity"), escape(&info.capacity.to_string())));
    }
    let identity = target.identity.iter();
    facts.extend(identity.map(|(key, value)| (escape(&page.texts.fact(key)), escape(value))));
    facts.push((page.say("named"), code(&target.name)));
    facts.push((page.say("state-before"), escape(&target.state)));
    facts.push((page.say("issued"), escape(&target.path)));
    if let Some(result) = subject.results.first() {
        let of_host = |key: &&str| result.environment.host.get(*key);
        let host: Vec<&str> = HOST
            .iter()
            .filter_map(of_host)
            .map(String::as_str)
            .collect();
        if !host.is_empty() {
            facts.push((page.say("host"), escape(&host.join(", "))));
        }
    }
    let shortened = subject.results.iter().any(|r| !r.stands_beside_published);
    let scale = subject.results.first().map_or("", |r| r.scale.name());
    let standing = if shortened {
        "scale-shortened"
    } else {
        "scale-original"
    };
    facts.push((
        page.say("scale"),
        format!("{} ({})", escape(scale), page.say(standing)),
    ));
    format!(
        "<article class=\"card {class} d{n}\"><h3>{letter} {title}</h3><p>{badge}</p>{facts}</article>",
        class = if subject.is_real() { "real" } else { "model" },
        n = subject.index,
        letter = letter(subject),
        title = escape(&subject.title),
        badge = badge(page, subject, true),
        facts = definitions(&facts),
    )
}

/// A list of names and values, both already escaped.
pub(super) fn definitions(facts: &[(String, String)]) -> String {
    let one =
        |(key, value): &(String, String)| format!("<div><dt>{key}</dt><dd>{value}</dd></div>");
    let all: String = facts.iter().map(one).collect();
    format!("<dl>{all}</dl>")
}

/// A text as it is typed.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}
