//! Sizes, times, states, rules of repetition, ids: the smallest words of the command line and of plans.

use accuracy::metric::Metric;
use base::size::Bytes;
use base::state::State;
use base::time::Duration;
use results::reproduction::FactId;
use stats::repeat::Repeat;
use store::{Chosen, Which};

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    match text.parse::<Bytes>() {
        Ok(size) => {
            let exact = format!("{}B", size.get());
            assert_eq!(exact.parse(), Ok(size));
            let rounded: Bytes = size
                .to_string()
                .parse()
                .expect("a size is printed as it is read");
            let error = rounded.get().abs_diff(size.get());
            assert!(error <= size.get() / 100, "{size} is read as {rounded}");
        }
        Err(bad) => super::refusal(&bad),
    }
    match text.parse::<Duration>() {
        Ok(time) => drop(time.to_string()),
        Err(bad) => super::refusal(&bad),
    }
    match text.parse::<Repeat>() {
        Ok(rule) => assert_eq!(rule.to_string().parse(), Ok(rule)),
        Err(bad) => super::refusal(&bad),
    }
    match text.parse::<State>() {
        Ok(state) => assert_eq!(state.to_string().parse(), Ok(state)),
        Err(bad) => super::refusal(&bad),
    }
    match text.parse::<FactId>() {
        Ok(id) => assert_eq!(id.to_string().parse(), Ok(id)),
        Err(bad) => super::refusal(&bad),
    }
    let _ = text.parse::<Metric>();
    let _ = text.parse::<Which>();
    match Chosen::read(text) {
        Ok(Chosen::Range(from, to)) => assert!(0 < from && from <= to, "{from}-{to}"),
        Ok(Chosen::Last(count)) => assert!(count > 0),
        // What is a name is no other word, and comes back as it was given.
        Ok(Chosen::Named(name)) => assert_eq!(name, text),
        Ok(_) | Err(_) => {}
    }
    let _ = plans::prepared::named(text);
}
