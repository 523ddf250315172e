//! Maps of rescues. The first line is the size of the source.

use rescue::{Map, Status};

pub(crate) fn run(input: &[u8]) {
    let Some((first, text)) = super::text(input).and_then(|text| text.split_once('\n')) else {
        return;
    };
    let Ok(size) = first.trim().parse() else {
        return;
    };
    match Map::read(text, size) {
        Err(bad) => super::refusal(&bad),
        Ok((map, _)) => {
            let all = [
                Status::Untried,
                Status::Failed,
                Status::Trimmed,
                Status::Bad,
                Status::Arrived,
            ];
            assert_eq!(
                all.map(|status| map.bytes(status)).iter().sum::<u64>(),
                size
            );
            for status in all {
                let _ = (map.next(status, size / 2), map.last(status, size / 2));
            }
            let (back, _) = Map::read(&map.text(&["source: x".to_owned()]), size)
                .expect("a map is read as it is written");
            assert_eq!(back, map);
        }
    }
}
