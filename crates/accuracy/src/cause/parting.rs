//! Groups that cannot be had one without the other.
//!
//! Some mixtures of two drives are no drive: a cache larger than the flash, a map for pages of another size. If a set of
//! groups is refused, two of them are joined and switched together from then on: those two whose parting refuses most sets.

use results::cause::{DriveMechanism, Inseparable};

use super::groups::Group;

/// Sets of more groups than this are not all tried.
const MOST_TRIED: usize = 8;

/// Joins groups until `refused` (why a set is none) has nothing to say of any set.
pub(super) fn join_inseparable(
    groups: &mut Vec<Group>,
    refused: &dyn Fn(&[Group], u32) -> Option<String>,
) -> Vec<Inseparable> {
    let mut joined = Vec::new();
    while groups.len() > 1 {
        let tried = sets_to_try(groups.len());
        let said: Vec<(u32, String)> = tried
            .iter()
            .filter_map(|set| Some((*set, refused(groups, *set)?)))
            .collect();
        let Some((_, why)) = said.first().cloned() else {
            return joined;
        };
        let bad: Vec<u32> = said.iter().map(|(set, _)| *set).collect();
        match bad.contains(&stats::shapley::all(groups.len())) {
            true => take_whole(groups, why, &mut joined),
            false => {
                let (first, second) = most_parted(groups.len(), &tried, &bad);
                join(groups, first, second, why, &mut joined);
            }
        }
    }
    joined
}

/// All sets; of many groups those of one, of two, of all but one and of all.
fn sets_to_try(groups: usize) -> Vec<u32> {
    let all = stats::shapley::all(groups);
    if groups <= MOST_TRIED {
        return (1..=all).collect();
    }
    let mut sets = vec![all];
    for first in 0..groups {
        sets.extend([1 << first, all & !(1 << first)]);
        sets.extend((first + 1..groups).map(|second| (1 << first) | (1 << second)));
    }
    sets
}

/// The two groups that most refused sets part, and fewest others.
fn most_parted(groups: usize, tried: &[u32], bad: &[u32]) -> (usize, usize) {
    let pairs = (0..groups).flat_map(|first| (first + 1..groups).map(move |s| (first, s)));
    let parted = |sets: &[u32], (first, second): (usize, usize)| {
        let parts = |set: &&u32| (**set >> first & 1) != (**set >> second & 1);
        sets.iter().filter(parts).count()
    };
    let by = |pair: &(usize, usize)| {
        let of_bad = parted(bad, *pair);
        (of_bad, std::cmp::Reverse(parted(tried, *pair) - of_bad))
    };
    pairs.max_by_key(by).unwrap_or((0, 1))
}

fn join(
    groups: &mut Vec<Group>,
    first: usize,
    second: usize,
    why: String,
    joined: &mut Vec<Inseparable>,
) {
    let other = groups.remove(second.max(first));
    let group = &mut groups[first.min(second)];
    joined.push(Inseparable {
        first: group.mechanisms.clone(),
        second: other.mechanisms.clone(),
        why,
    });
    group.join(other);
}

/// Not even all of B's values fit into A: its file is taken as a whole. Without a file to take, two are joined.
fn take_whole(groups: &mut Vec<Group>, why: String, joined: &mut Vec<Inseparable>) {
    let of_files: Vec<usize> = (0..groups.len())
        .filter(|at| groups[*at].is_of_the_files())
        .collect();
    match of_files.as_slice() {
        [.., first, second] => join(groups, *first, *second, why, joined),
        _ => join(groups, 0, 1, why, joined),
    }
    if let [group] = (groups.iter_mut())
        .filter(|group| group.is_of_the_files())
        .collect::<Vec<_>>()
        .as_mut_slice()
    {
        group.whole = true;
        group.mechanisms = vec![DriveMechanism::Design];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::cause::DriveMechanism as M;

    fn group(mechanism: M) -> Group {
        Group {
            mechanisms: vec![mechanism],
            ..Group::default()
        }
    }

    #[test]
    fn two_groups_that_are_refused_one_without_the_other_are_joined_and_others_stay_apart() {
        let mut groups: Vec<Group> = [M::Dies, M::Cells, M::OneBitCache].map(group).into();
        let needs_both = |groups: &[Group], set: u32| {
            let switched = |m: M| {
                let at = groups
                    .iter()
                    .position(|group| group.mechanisms.contains(&m));
                at.is_some_and(|at| set >> at & 1 == 1)
            };
            (switched(M::Dies) != switched(M::OneBitCache)).then(|| "too large".to_owned())
        };
        let joined = join_inseparable(&mut groups, &needs_both);
        assert_eq!(joined.len(), 1);
        assert_eq!(joined[0].why, "too large");
        let left: Vec<&[M]> = groups.iter().map(|group| &group.mechanisms[..]).collect();
        assert_eq!(left, [&[M::Dies, M::OneBitCache][..], &[M::Cells]]);
    }

    #[test]
    fn nothing_is_joined_where_every_set_is_a_drive_and_all_where_none_is() {
        let mut groups: Vec<Group> = [M::Dies, M::Cells, M::Link].map(group).into();
        assert!(join_inseparable(&mut groups, &|_, _| None).is_empty());
        assert_eq!(groups.len(), 3);
        let never = |_: &[Group], _: u32| Some("never".to_owned());
        assert_eq!(join_inseparable(&mut groups, &never).len(), 2);
        assert_eq!(groups.len(), 1);
    }
}
