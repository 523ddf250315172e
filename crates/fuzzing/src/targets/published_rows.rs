//! Tables of rows for published figures.

use std::sync::LazyLock;

use accuracy::experiments::Table;
use accuracy::reference::Facts;

static FACTS: LazyLock<Facts> =
    LazyLock::new(|| Facts::published().expect("what is compiled in is read, as a test says"));

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    if let Err(bad) = Table::default().add("fuzz.toml", text, &FACTS) {
        super::refusal(&bad);
    }
}
