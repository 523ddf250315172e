//! Pieces of work that do not depend on each other, several at once.
//!
//! Runs of modelled drives take one thread each and share nothing; their results are in the order of the work items,
//! whichever finished first.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Processes the items on the given number of threads (at least one), including the calling one. `done` is called after
/// each with the number finished and the total.
///
/// # Panics
/// Where `work` does.
pub fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
    done: &(dyn Fn(usize, usize) + Sync),
) -> Vec<R> {
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results = Mutex::new(BTreeMap::new());
    let one_after_another = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return;
            };
            let result = work(item);
            held(&results).insert(at, result);
            done(1 + finished.fetch_add(1, Ordering::Relaxed), items.len());
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            scope.spawn(one_after_another);
        }
        one_after_another();
    });
    let results = results.into_inner();
    let results = results.unwrap_or_else(PoisonError::into_inner);
    results.into_values().collect()
}

/// What threads share, for one of them alone. A thread that panicked left it whole: nothing here is changed in parts.
pub fn held<T: ?Sized>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_work_on_any_number_of_threads() {
        let items: Vec<u64> = (0..200).collect();
        let expected: Vec<u64> = items.iter().map(|n| n * n).collect();
        for threads in [0, 1, 3, 500] {
            let told = AtomicUsize::new(0);
            let count = |_: usize, of: usize| {
                assert_eq!(of, 200);
                told.fetch_add(1, Ordering::Relaxed);
            };
            assert_eq!(side_by_side(&items, threads, |n| n * n, &count), expected);
            assert_eq!(told.into_inner(), 200);
        }
        let none: [u64; 0] = [];
        assert!(side_by_side(&none, 2, |n| *n, &|_, _| ()).is_empty());
    }
}
