//! What a client sends to the window: lines of where it is from, then a body.
//!
//! Nothing passes the guard without its secret, and no argument that a request becomes is an option of its choice.

use window::asked::{Label, Look, Refused, Start, selectors};
use window::guard::{From, Guard, Verdict};

/// Words of a secret that no input of the corpus has, and a mutation hardly makes.
const SECRET: &str = "b0a7c4e21d9f48339c5e6f7081a2d3b4";

pub(crate) fn run(input: &[u8]) {
    judged(input);
    let options = [
        "--json",
        "--no-html",
        "--progress=json",
        "--scale=",
        "--set=",
        "--seed=",
        "--repeat=",
        "--beside=",
    ];
    match Start::read(input) {
        Ok(start) => {
            arguments(&start.arguments().expect("it was read"), &options);
            arguments(
                &start.forecast().expect("it was read"),
                &[&options[..], &["--dry-run"]].concat(),
            );
        }
        Err(why) => refused(&why),
    }
    match Label::read(input) {
        Ok(label) => arguments(
            &label.arguments().expect("it was read"),
            &["--name=", "--note=", "--tag=", "--untag="],
        ),
        Err(why) => refused(&why),
    }
    let Some(text) = super::text(input) else {
        return;
    };
    let (name, of) = text.split_once('\n').unwrap_or(("results", text));
    match Look::named(name, of) {
        Ok(look) => arguments(&look.arguments().expect("it was read"), &["--json"]),
        Err(why) => refused(&why),
    }
    if let Err(why) = selectors(text) {
        refused(&why);
    }
}

/// A command, options of ours, and what was named, apart.
fn arguments(all: &[String], options: &[&str]) {
    let apart = all
        .iter()
        .position(|word| word == "--")
        .unwrap_or(all.len());
    let is_ours = |word: &String| options.iter().any(|option| word.starts_with(option));
    assert!(all[1..apart].iter().all(is_ours), "{all:?}");
    let names = all.get(apart + 1..).unwrap_or_default();
    assert!(names.iter().all(|name| !name.starts_with('-')), "{all:?}");
    assert!(all.iter().all(|word| !word.contains("\0")), "{all:?}");
}

fn refused(why: &Refused) {
    super::refusal(why);
    assert_eq!(why.to_string().lines().count(), 1, "{why:?}");
}

/// The first lines are what a request says of itself.
fn judged(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    let mut lines = text.lines();
    let mut line = || lines.next();
    let from = From {
        method: line().unwrap_or_default(),
        path: line().unwrap_or_default(),
        query: line().unwrap_or_default(),
        host: line(),
        origin: line(),
        site: line(),
        cookie: line(),
        authorization: line(),
    };
    let verdict = Guard::with(SECRET.to_owned(), 7).judge(&from);
    let is_known = text.contains(SECRET);
    assert!(
        is_known || matches!(verdict, Verdict::Refused(_)),
        "{from:?}"
    );
}
