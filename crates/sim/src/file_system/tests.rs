//! What all file systems have in common, on the hosts of the catalogue.

use serde::Deserialize;

use super::*;
use crate::catalogue_files::HOSTS;

/// A host's file systems, without the rest of its file.
#[derive(Deserialize)]
struct OnlyThese {
    #[serde(default)]
    file_system: FileSystems,
}

pub(crate) struct OfHost(FileSystems);

impl OfHost {
    pub(crate) fn layout(&self, name: &str, volume: Bytes) -> Layout {
        self.0.get(name).unwrap().layout(volume).unwrap()
    }
}

/// A host of the catalogue with other words in its file.
pub(crate) fn host(slug: &str, instead: &[(&str, &str)]) -> OfHost {
    let entry = HOSTS.iter().find(|entry| entry.slug == slug).unwrap();
    let text = instead
        .iter()
        .fold(entry.text.to_owned(), |text, (old, new)| {
            assert!(text.contains(old), "{slug}: no {old}");
            text.replace(old, new)
        });
    let table = toml::de::DeTable::parse(&text).unwrap().into_inner();
    let parsed: OnlyThese = crate::sheet::reading::read(&table).unwrap();
    OfHost(parsed.file_system)
}

pub(crate) fn layout(slug: &str, name: &str, volume: Bytes) -> Layout {
    host(slug, &[]).layout(name, volume)
}

/// Every file system of every host.
fn everywhere() -> Vec<(String, Layout, Bytes)> {
    let volumes = [
        Bytes::gb(8),
        Bytes::new(32_017_047_552),
        Bytes::gb(750),
        Bytes::gb(3_000),
    ];
    let mut all = Vec::new();
    for entry in HOSTS {
        let of = host(entry.slug, &[]);
        for name in of.0.names() {
            for volume in volumes {
                let what = format!("{name} of {} on {volume}", entry.slug);
                all.push((what, of.layout(name, volume), volume));
            }
        }
    }
    all
}

#[test]
fn the_file_and_what_describes_it_lie_on_the_volume_and_never_on_each_other() {
    for (what, layout, volume) in everywhere() {
        let mut data = layout.data.clone();
        data.sort_by_key(|span| span.start);
        assert!(data.windows(2).all(|w| w[0].end() <= w[1].start), "{what}");
        assert!(data.last().unwrap().end() <= volume, "{what}");
        let all: u64 = data.iter().map(|span| span.len.get()).sum();
        assert!(all as f64 > 0.9 * volume.get() as f64, "{what}: {all}");
        let free = |place: Bytes| {
            let page = Span::new(place, PAGE);
            assert!(page.end() <= volume, "{what}: {place}");
            assert!(
                data.iter().all(|span| span.within(page).is_none()),
                "{what}: {place}"
            );
        };
        layout
            .file
            .iter()
            .chain(&layout.create)
            .for_each(|place| free(*place));
        if let Some(log) = layout.log {
            assert!(
                data.iter().all(|span| span.within(log.span).is_none()),
                "{what}"
            );
        }
        for table in layout.tables.iter().chain(&layout.by_group) {
            let ends = [
                table.covers.start,
                table.covers.end().min(volume) - Bytes::new(1),
            ];
            for end in ends {
                free(table.page_of(end).unwrap());
            }
        }
    }
}

#[test]
fn the_file_lies_in_whole_clusters_and_every_one_of_them_has_an_entry() {
    for (what, layout, _) in everywhere() {
        let whole = |span: &Span| span.len.is_multiple_of(layout.cluster);
        assert!(layout.data.iter().all(whole), "{what}");
        for span in layout.data.iter().take(50) {
            let has = |at: Bytes| {
                let piece = Span::new(at, PAGE);
                let mut tables = layout.tables_of(piece);
                tables.any(|t| t.page_of(at).is_some())
            };
            assert!(has(span.start) && has(span.end() - PAGE), "{what}");
        }
    }
}

#[test]
fn a_volume_that_is_too_small_is_refused_with_what_it_needs() {
    for entry in HOSTS {
        let of = host(entry.slug, &[]);
        for name in of.0.names() {
            let refused = of.0.get(name).unwrap().layout(Bytes::mib(1)).unwrap_err();
            assert!(refused.to_string().contains("needs a volume"), "{refused}");
        }
    }
}

#[test]
fn a_size_is_a_power_of_two_or_the_usual_one() {
    let read = |text: &str| {
        let line = format!("value = \"{text}\"");
        #[derive(Debug, Deserialize)]
        struct Line {
            value: SizeOrUsual,
        }
        toml::from_str::<Line>(&line).map(|line| line.value)
    };
    assert_eq!(read("usual").unwrap(), SizeOrUsual::Usual);
    assert_eq!(read("4KiB").unwrap(), SizeOrUsual::Size(Bytes::kib(4)));
    for bad in ["3KiB", "256", "1GiB", "large"] {
        let said = read(bad).unwrap_err().to_string();
        assert!(said.contains("a power of two"), "{said}");
    }
}
