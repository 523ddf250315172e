//! The size of an I/O at a position.
//!
//! One of several sizes is drawn by its weight; if it does not fit into the region the next one in the list that fits
//! is used, or another is drawn. So the last bytes of a region are reached by smaller I/Os. A single size may extend
//! over the end of the region if the file continues.

use base::rng::Rng;

/// A size for a position with this many bytes before the end of the region; `None` if none fits.
pub(super) fn drawn(sizes: &[(u64, u32)], left: u64, rng: &mut Rng) -> Option<u64> {
    if let [(only, _)] = sizes {
        return Some(*only);
    }
    let fits = |(size, weight): &(u64, u32)| *size <= left && *weight > 0;
    if !sizes.iter().any(fits) {
        return None;
    }
    let all = sizes.iter().map(|(_, weight)| u64::from(*weight)).sum();
    loop {
        let mut ticket = rng.below(all);
        let first = sizes.iter().position(|(_, weight)| {
            let is_it = ticket < u64::from(*weight);
            ticket = ticket.saturating_sub(u64::from(*weight));
            is_it
        });
        let from_it = sizes.iter().skip(first.unwrap_or(0));
        if let Some((size, _)) = from_it.copied().find(fits) {
            return Some(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_gives_way_to_what_does() {
        let mut rng = Rng::new(7);
        let sizes = [(4096, 10), (65_536, 50), (32_768, 40)];
        let mut counts = [0_u32; 3];
        for _ in 0..10_000 {
            let size = drawn(&sizes, 1 << 20, &mut rng).unwrap();
            counts[sizes.iter().position(|(of, _)| *of == size).unwrap()] += 1;
        }
        assert!(
            counts[0].abs_diff(1_000) < 120 && counts[1].abs_diff(5_000) < 250,
            "{counts:?}"
        );
        let tail: Vec<u64> = (0..100)
            .filter_map(|_| drawn(&sizes, 24_576, &mut rng))
            .collect();
        assert_eq!(tail, [4096; 100]);
        assert_eq!(drawn(&sizes, 4095, &mut rng), None);
        assert_eq!(drawn(&[(4096, 0), (8192, 100)], 4096, &mut rng), None);
    }
}
