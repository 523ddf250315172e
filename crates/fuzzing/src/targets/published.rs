//! The catalogue of published figures and the guesses for them, with a line of dashes between the two tables.

use accuracy::reference::Facts;

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    let (published, nulls) = text.split_once("---\n").unwrap_or((text, "id,null,rule\n"));
    match Facts::read(published, nulls) {
        Err(bad) => super::refusal(&bad),
        Ok(facts) => {
            let (calibrate, predict) = (facts.calibrate().count(), facts.predict().count());
            assert!(calibrate + predict <= facts.all().count());
        }
    }
}
