//! Why results cannot be compared: one line with all differences.

use results::{Comparison, ConditionDifference};

/// Why no value can be compared with another one; `None` if one can.
pub fn refusal(comparison: &Comparison) -> Option<String> {
    if comparison.compared > 0 {
        return None;
    }
    let results: usize = comparison.methods.iter().map(|m| m.results.len()).sum();
    if results < 2 {
        return Some("compare needs at least two results".to_owned());
    }
    let why = if comparison.methods.iter().all(|m| m.results.len() < 2) {
        let methods = comparison.methods.iter();
        let methods: Vec<&str> = methods.map(|m| m.method.as_str()).collect();
        format!(
            "the results are of different methods: {}",
            methods.join(", ")
        )
    } else {
        let differences = differences(comparison);
        if differences.is_empty() {
            "no figure has a value in two results".to_owned()
        } else {
            format!("what was measured differs: {}", differences.join("; "))
        }
    };
    Some(format!("nothing can be compared: {why}"))
}

/// Each condition that differs, once, with the first pair of its values.
fn differences(comparison: &Comparison) -> Vec<String> {
    let mut found: Vec<&ConditionDifference> = Vec::new();
    let figures = comparison.methods.iter().flat_map(|m| &m.figures);
    let values = figures.flat_map(|figure| &figure.values);
    for difference in values.flat_map(|value| &value.differs) {
        if !found.iter().any(|known| known.what == difference.what) {
            found.push(difference);
        }
    }
    let shown = |text: &str| if text.is_empty() { "none" } else { text }.to_owned();
    found
        .into_iter()
        .map(|d| {
            format!(
                "{} ({}, elsewhere {})",
                d.what,
                shown(&d.here),
                shown(&d.there)
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare;
    use fixtures::results as sample;

    #[test]
    fn what_cannot_be_compared_is_refused_with_all_that_differs() {
        let results = sample::review();
        let method = results[0].method.clone();
        let mut two: Vec<_> = results
            .iter()
            .filter(|r| r.method == method)
            .cloned()
            .collect();
        two.truncate(2);
        assert_eq!(refusal(&compare(&two)), None);
        for figure in &mut two[1].figures {
            figure.comparable_by.span = base::message::Message::as_it_stands("another part");
            figure.comparable_by.state = "worn".to_owned();
        }
        two[0]
            .figures
            .iter_mut()
            .for_each(|f| f.comparable_by.state = "fresh".to_owned());
        let said = refusal(&compare(&two)).unwrap();
        for words in [
            "span (another part, elsewhere",
            "state (worn, elsewhere fresh)",
        ] {
            assert!(said.contains(words), "{words}: {said}");
        }
        let alone = refusal(&compare(&two[..1])).unwrap();
        assert!(alone.contains("at least two"), "{alone}");
        let other = results.iter().find(|r| r.method != method).unwrap();
        let said = refusal(&compare(&[two[0].clone(), other.clone()])).unwrap();
        assert!(said.contains("different methods: "), "{said}");
    }
}
