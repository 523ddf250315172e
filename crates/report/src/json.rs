//! Results as JSON, on the schema that every stored and printed result follows.
//!
//! One result is a `drivelab.result/2` document. Several are a `drivelab.results/1` document, whose
//! `results` are such documents: a reader that knows one knows both.

use results::{RESULTS_SCHEMA, RunResult, RunResults};

/// One result, indented, with a newline at its end.
///
/// # Errors
/// Never for a result that this program made (a number that is not finite becomes `null`); the error
/// is that of the serialiser.
pub fn result(result: &RunResult) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(result)? + "\n")
}

/// Any number of results, indented, with a newline at its end; those of a review with the `plan` that it is stored as.
///
/// # Errors
/// As for [`result`].
pub fn results(results: &[RunResult], plan: Option<i64>) -> Result<String, serde_json::Error> {
    let document = RunResults {
        schema: RESULTS_SCHEMA,
        plan,
        results,
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// The word of a value in the documents.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    let word = serde_json::to_value(value).ok();
    let word = word.as_ref().and_then(serde_json::Value::as_str);
    word.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::results as sample;

    #[test]
    fn a_result_reads_back_as_it_was() {
        let is_keyed = |result: &RunResult| result.notes.iter().any(|note| note.key().is_some());
        let mut results = sample::review().into_iter();
        let mut original = results.find(is_keyed).unwrap();
        original.gather_messages();
        let text = result(&original).unwrap();
        let mut back: RunResult = serde_json::from_str(&text).unwrap();
        assert_eq!(back.notes[1].key(), None);
        back.restore_messages();
        assert!(back == original);
    }

    #[test]
    fn a_result_of_before_sentences_had_keys_is_read_and_keeps_its_texts() {
        let mut results = sample::review().into_iter();
        let original = results.find(|result| !result.notes.is_empty()).unwrap();
        let text = result(&original).unwrap();
        assert!(!text.contains("\"messages\""));
        let mut before: RunResult = serde_json::from_str(&text).unwrap();
        before.restore_messages();
        let texts = |result: &RunResult| -> Vec<String> {
            result.notes.iter().map(|note| note.to_string()).collect()
        };
        assert_eq!(texts(&before), texts(&original));
    }

    #[test]
    fn a_document_of_results_names_its_schema_and_those_of_the_results() {
        let results = sample::review();
        let text = super::results(&results[..2], Some(4)).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["schema"], RESULTS_SCHEMA);
        assert_eq!(value["plan"], 4);
        assert_eq!(value["results"][1]["schema"], results::RESULT_SCHEMA);
        assert!(text.ends_with("}\n"));
    }

    #[test]
    fn a_figure_is_written_with_all_that_it_needs() {
        let mut figure = sample::figure("seq1m-q8t1.read", Some(541.25), "MB/s");
        figure.phases = vec!["seq1m-q8t1 read run 1".to_owned()];
        insta::assert_snapshot!(serde_json::to_string_pretty(&figure).unwrap(), @r#"
        {
          "key": "seq1m-q8t1.read",
          "value": 541.25,
          "unit": "MB/s",
          "better": "higher",
          "statistic": "best of 3",
          "n": 3,
          "phases": [
            "seq1m-q8t1 read run 1"
          ],
          "comparable_by": {
            "span": "1 GiB from 0 B",
            "data": "fresh, 0 % compressible",
            "alignment": "4 KiB",
            "state": "fresh",
            "scale": "default"
          }
        }
        "#);
    }
}
