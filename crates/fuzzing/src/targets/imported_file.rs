//! Files of other tools: whatever is read becomes a result that is stored as JSON and read back.

use imports::{Source, into_result};
use results::RunResult;

pub(crate) fn run(input: &[u8]) {
    match imports::read(input) {
        Err(why) => super::refusal(&why),
        Ok(imported) => {
            assert!(!imported.figures.is_empty(), "a result without figures");
            let source = Source {
                file: "a",
                bytes: input,
                drivelab: "0",
                command: &[],
            };
            let result = into_result(imported, source);
            let text = serde_json::to_string(&result).expect("a result is stored as JSON");
            let again: RunResult = serde_json::from_str(&text).expect("a stored result is read");
            assert_eq!(again.figures.len(), result.figures.len());
            assert!(
                result
                    .figures
                    .iter()
                    .all(|f| f.value.is_none_or(f64::is_finite))
            );
        }
    }
}
