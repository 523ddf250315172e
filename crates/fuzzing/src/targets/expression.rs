//! Expressions over figures, as the tables of published rows hold them.

use std::collections::BTreeMap;

use accuracy::claim::Expression;

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    let expression = match Expression::read(text) {
        Err(bad) => return super::refusal(&bad),
        Ok(expression) => expression,
    };
    let numbers: BTreeMap<String, f64> = (expression.names().iter().cloned())
        .zip([0.0, -1.0, 1e308, f64::NAN])
        .collect();
    let worth = format!("{:?}", expression.worth(&numbers));
    let again = Expression::read(expression.text()).expect("its text is what was read");
    assert_eq!(format!("{:?}", again.worth(&numbers)), worth);
    let _ = (
        expression.compared_with_itself(),
        expression.compared("> 500"),
    );
    let _ = expression.renamed("x", "y").number(&numbers);
}
