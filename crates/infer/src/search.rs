//! Where something changes over: the largest number that still does what the larger ones no longer do.
//!
//! Numbers are tried one after another, each several times: by doubling until one fails, then halfway between the largest
//! that did it and the smallest that did not. A cache that replaces at random, or a drive that is busy with itself, does it
//! sometimes: then there is no one number, and a search ends with an interval, or with nothing where a larger number did
//! what a smaller one did not.

/// More than so much of the tries is always, less than the other never; between them is neither.
const ALWAYS: f64 = 0.75;
const NEVER: f64 = 0.25;
/// An interval that is wider than this and than twice what is near enough is no single number: two caches that share what
/// is tried between them by chance have such a one.
const WIDEST: f64 = 1.05;

/// A search from 1 on.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    most: u64,
    /// How near is near enough, as a share.
    within: f64,
    /// What was tried, and in what share of the tries it did it.
    tried: Vec<(u64, f64)>,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The largest number, and between which it lies: the largest that always did it, and the last before those that never
    /// did.
    At(u64, [u64; 2]),
    /// Not even the smallest did it.
    BelowAll,
    /// All did it.
    AboveAll,
    /// No number separates those that did it from those that did not.
    Nowhere,
}

impl Search {
    /// A search up to `most`, whose result may be too small by the share `within`.
    pub(crate) fn up_to(most: u64, within: f64) -> Search {
        Search {
            most,
            within,
            tried: Vec::new(),
        }
    }

    /// The number to try next, and whether it is one of the first, coarse ones; nothing where it is found.
    pub(crate) fn next(&self) -> Option<(u64, bool)> {
        let did = |of: bool| {
            self.tried
                .iter()
                .filter(move |(_, share)| (*share > 0.5) == of)
        };
        let below = did(true).map(|(number, _)| *number).max().unwrap_or(0);
        let above = did(false).map(|(number, _)| *number).min();
        let Some(above) = above else {
            let doubled = (2 * below).max(1).min(self.most);
            return (doubled > below).then_some((doubled, true));
        };
        let near = ((self.within * below as f64) as u64).max(1);
        if above > below + near {
            return Some((below + (above - below) / 2, false));
        }
        // Both at the limit once more: what is decided by chance is decided otherwise the second time.
        let times = |of: u64| {
            self.tried
                .iter()
                .filter(|(number, _)| *number == of)
                .count()
        };
        let once_more = [below, above]
            .into_iter()
            .find(|number| times(*number) == 1);
        once_more.map(|number| (number, false))
    }

    /// In what share of the tries a number did it.
    pub(crate) fn tried(&mut self, number: u64, share: f64) {
        self.tried.push((number, share));
        self.tried.sort_by_key(|(number, _)| *number);
    }

    /// What was tried, from the smallest number on.
    pub(crate) fn all(&self) -> &[(u64, f64)] {
        &self.tried
    }

    /// What came of it.
    pub(crate) fn ended(&self) -> Ended {
        let Some(found) = self.tried.iter().rposition(|(_, share)| *share > 0.5) else {
            return Ended::BelowAll;
        };
        let (did, did_not) = self.tried.split_at(found + 1);
        let number = did[found].0;
        if did.iter().any(|(_, share)| *share < 0.5) {
            return Ended::Nowhere;
        }
        if did_not.is_empty() {
            return Ended::AboveAll;
        }
        let each_time = |of: u64, so: fn(f64) -> bool| {
            let mut tries = self.tried.iter().filter(|(number, _)| *number == of);
            tries.all(|(_, share)| so(*share))
        };
        let always = did
            .iter()
            .rev()
            .find(|(number, _)| each_time(*number, |share| share > ALWAYS));
        let never = did_not
            .iter()
            .find(|(number, _)| each_time(*number, |share| share < NEVER));
        let widest = WIDEST + 2.0 * self.within;
        match (always, never) {
            (Some((low, _)), Some((high, _))) if (high - 1) as f64 <= widest * *low as f64 => {
                Ended::At(number, [*low, high - 1])
            }
            _ => Ended::Nowhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(most: u64, within: f64, does: impl Fn(u64) -> f64) -> (Ended, usize) {
        let mut search = Search::up_to(most, within);
        while let Some((number, _)) = search.next() {
            search.tried(number, does(number));
        }
        (search.ended(), search.all().len())
    }

    #[test]
    fn the_number_is_found_in_few_tries() {
        for truth in [1, 5, 16, 31, 32, 64, 100] {
            let (ended, tries) = search(128, 0.0, |number| f64::from(u8::from(number <= truth)));
            assert_eq!(ended, Ended::At(truth, [truth; 2]));
            assert!(tries <= 16, "{tries}");
        }
        let (ended, _) = search(512, 0.04, |number| f64::from(u8::from(number <= 300)));
        let Ended::At(found, [low, high]) = ended else {
            panic!("{ended:?}")
        };
        assert!((288..=300).contains(&found) && low <= 300 && 300 <= high);
    }

    #[test]
    fn a_few_odd_tries_do_not_matter_and_many_do() {
        let odd = |number| if number <= 16 { 0.89 } else { 0.11 };
        assert_eq!(search(128, 0.0, odd).0, Ended::At(16, [16, 16]));
        let at_random = |number: u64| 8.0 / number as f64;
        assert_eq!(search(128, 0.0, at_random).0, Ended::Nowhere);
    }

    #[test]
    fn nothing_all_and_a_larger_one_after_a_smaller_are_told() {
        assert_eq!(search(128, 0.0, |_| 0.0).0, Ended::BelowAll);
        assert_eq!(search(128, 0.0, |_| 1.0).0, Ended::AboveAll);
        let mut search = Search::up_to(128, 0.0);
        for (number, share) in [(1, 1.0), (2, 0.2), (4, 0.9), (8, 0.0)] {
            search.tried(number, share);
        }
        assert_eq!(search.ended(), Ended::Nowhere);
    }
}
