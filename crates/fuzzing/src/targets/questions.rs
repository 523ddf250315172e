//! Tables of questions about drives.

use accuracy::prediction::questions::read;

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    match read(text) {
        Ok(questions) => {
            for question in questions {
                if let Err(why) = question.asked() {
                    assert!(!why.is_empty(), "a refusal without words");
                }
            }
        }
        Err(bad) => super::refusal(&bad),
    }
}
