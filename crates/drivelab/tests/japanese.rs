//! A Japanese report has no English sentence, and an English one no Japanese word: every method is run on drives of several
//! kinds, and the page is read.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use base::interrupt::Interrupt;
use base::method::Scale;
use lab::progress::Silent;
use lab::running::{Request, prepare};
use report::terminal::{TerminalOptions, summary};
use report::{HtmlOptions, Lang};
use results::RunResult;

/// Drives of each kind that writes its own notes.
const DRIVES: [&str; 5] = [
    "model:samsung-840-evo-750gb",
    "model:hgst-deskstar-nas-hdn724030-3tb",
    "model:ocz-core-v2-30gb",
    "model:wd-ultrastar-dc-zn540-1tb",
    "null:?size=64GiB",
];

/// Each method with its results on those drives that it can be run on.
static MEASURED: LazyLock<Vec<(&str, Vec<RunResult>)>> = LazyLock::new(|| {
    let methods = lab::listing::methods().methods.into_iter();
    let on_drives = |name| {
        DRIVES
            .iter()
            .filter_map(move |target| measured(name, target))
    };
    methods
        .map(|of| (of.id, on_drives(of.id).collect()))
        .collect()
});

/// Layers over drives: each says something of its own about what is below it.
const LAYERED: [&str; 8] = [
    "raid0(model:samsung-840-evo-750gb,model:samsung-840-evo-750gb)",
    "raid0(model:samsung-840-evo-750gb,model:samsung-840-evo-500gb)?partition_offset=31.5KiB",
    "rapid(raid0(model:samsung-840-evo-750gb,model:samsung-840-evo-500gb))?memory=256MiB",
    "contents(model:samsung-840-evo-120gb)?corrupt=1MiB+4KiB",
    "delay(model:hgst-deskstar-nas-hdn724030-3tb)?read=1ms",
    "fault(rapid(model:samsung-840-evo-120gb))?errors=1000",
    "fault(null:?service=10us)?delays=1000&delay=1ms",
    "model:samsung-840-evo-250gb?state=steady-random&partition_offset=31.5KiB&host=linux-uring",
];

/// So many English words in a row are a sentence; names of products have fewer, or capitals.
const SENTENCE: usize = 3;

/// The method's result, if it can be run on the target as it is.
fn measured(method: &str, target: &str) -> Option<RunResult> {
    let set = match method {
        "file-system" => vec!["method=os-boot".to_owned()],
        _ => Vec::new(),
    };
    let request = Request {
        set,
        ..Request::new(method, target, Scale::Quick, 1)
    };
    let prepared = prepare(request).ok()?;
    prepared.run(None, &mut Silent, &Interrupt::new()).ok()
}

/// The text between the page's tags, one line each, without scripts, styles and literal text.
fn lines(page: &str) -> Vec<String> {
    let mut rest = page.to_owned();
    for tag in ["script", "style", "code", "kbd"] {
        let mut kept = String::new();
        let opened = format!("<{tag}");
        let mut pieces = rest.split(&opened);
        kept.push_str(pieces.next().unwrap_or(""));
        for piece in pieces {
            let after = piece
                .split_once(&format!("</{tag}>"))
                .map(|(_, after)| after);
            kept.push_str(after.unwrap_or(""));
        }
        rest = kept;
    }
    rest.split('<')
        .filter_map(|piece| piece.split_once('>').map(|(_, text)| text.trim()))
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The longest run of words in small Latin letters.
fn english(line: &str) -> usize {
    let (mut longest, mut here) = (0, 0);
    for word in line.split_whitespace() {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
        let is_word = word.len() > 1 && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        here = if is_word { here + 1 } else { 0 };
        longest = longest.max(here);
    }
    longest
}

/// The page and the summary of results in a language, a line each.
fn rendered(results: &[RunResult], lang: Lang) -> Vec<String> {
    let terminal = TerminalOptions {
        lang,
        columns: 200,
        colour: false,
    };
    let options = HtmlOptions { lang, title: None };
    let mut all = lines(&report::html(results, &options));
    // A workload is stored, and shown, as the document that it is.
    all.retain(|line| !line.starts_with("{&quot;"));
    all.extend(summary(results, &terminal).lines().map(str::to_owned));
    all.sort_unstable();
    all.dedup();
    all
}

/// Letters of Japanese words.
fn is_japanese(c: char) -> bool {
    ('\u{3041}'..='\u{30ff}').contains(&c) || ('\u{4e00}'..='\u{9fff}').contains(&c)
}

#[test]
fn no_sentence_of_the_other_language_stands_in_a_report_of_any_method() {
    let mut found = Vec::new();
    let mut methods_seen = 0;
    for (name, results) in MEASURED.iter() {
        methods_seen += usize::from(!results.is_empty());
        let japanese = rendered(results, Lang::Ja).into_iter();
        let mut sentences: Vec<String> =
            japanese.filter(|line| english(line) >= SENTENCE).collect();
        let english = rendered(results, Lang::En).into_iter();
        sentences.extend(english.filter(|line| line.contains(is_japanese)));
        found.extend(sentences.into_iter().map(|line| format!("{name}: {line}")));
    }
    assert!(methods_seen > 35, "only {methods_seen} methods were run");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_sentence_of_the_other_language_stands_in_a_report_of_layered_targets() {
    let results: Vec<RunResult> = (LAYERED.iter())
        .map(|target| {
            let result = measured("latency-watch", target);
            result.unwrap_or_else(|| panic!("{target} cannot be measured"))
        })
        .collect();
    let japanese = rendered(&results, Lang::Ja).into_iter();
    // A fact of two words is one, too; a command is the same in every language.
    let japanese = japanese.filter(|line| !line.contains("drivelab rescue"));
    let mut found: Vec<String> = japanese.filter(|line| english(line) >= 2).collect();
    let english = rendered(&results, Lang::En).into_iter();
    found.extend(english.filter(|line| line.contains(is_japanese)));
    assert!(found.is_empty(), "{}", found.join("\n"));
    let of_layers = results
        .iter()
        .filter_map(|result| result.target.title.key());
    let keys: BTreeSet<&str> = of_layers.collect();
    assert_eq!(
        keys.into_iter().collect::<Vec<_>>(),
        ["title-cached", "title-null", "title-raid0"]
    );
}

#[test]
fn every_phase_that_a_method_runs_has_a_name_in_japanese() {
    let phases = MEASURED.iter().flat_map(|(_, results)| results);
    let names: BTreeSet<&str> = (phases.flat_map(|result| &result.phases))
        .map(|phase| phase.name.as_str())
        .collect();
    assert!(names.len() > 500, "only {} names", names.len());
    let said = names
        .iter()
        .map(|name| (name, report::phase(name, Lang::Ja)));
    let unknown: Vec<String> = said
        // A file system is called the same everywhere.
        .filter(|(_, said)| english(&said.replace("xfs", "XFS")) > 0)
        .map(|(name, said)| format!("{name}: {said}"))
        .collect();
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}
