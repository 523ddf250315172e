//! What a sweep varies: each line is one `--vary`.

use plans::grid::{axes, points};

/// More of them than anyone types.
const MOST: usize = 16;

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    let vary: Vec<String> = text.lines().take(MOST).map(str::to_owned).collect();
    match axes(&vary) {
        Err(bad) => super::refusal(&bad),
        Ok(axes) => {
            let points = points(&axes);
            let product: usize = axes.iter().map(|axis| axis.values.len()).product();
            assert_eq!(points.len(), product);
            assert!(points.iter().all(|point| point.len() == axes.len()));
        }
    }
}
