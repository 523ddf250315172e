//! Pictures as PNG, for places that take no SVG: the SVG file of a picture, drawn by `resvg`.
//!
//! An SVG names its letters by family (`system-ui`, `sans-serif`), and whoever draws it brings the font. So the
//! fonts of this computer are looked up when the pictures are drawn. Where it has none, or none with the letters of
//! the report's language, the pictures would have gaps in place of words, and [`Fonts::gap`] says so.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Family, Language, Query};
use resvg::usvg::{Options, Tree};

use crate::lang::{Lang, Texts};

/// Pixels for each unit of the SVG: a screen of two device pixels a CSS pixel shows it sharply.
const PIXELS: f32 = 2.0;

/// Families without serifs that systems come with, the first that is there is taken.
const FAMILIES: [&str; 8] = [
    "Noto Sans",
    "DejaVu Sans",
    "Liberation Sans",
    "Arial",
    "Noto Sans CJK JP",
    "IPAPGothic",
    "IPAGothic",
    "Cantarell",
];

/// Bytes of a PNG before its first own chunk: signature and header.
const HEADER: usize = 8 + 25;

/// What marks a PNG as one of ours: a text chunk, as the format has it.
pub const MARK: &[u8] = b"Software\0drivelab";

/// The fonts of this computer.
pub struct Fonts {
    known: Arc<Database>,
}

impl Fonts {
    /// Looks them up where the system keeps them.
    pub fn of_the_system() -> Fonts {
        let mut known = Database::new();
        known.load_system_fonts();
        Fonts::new(known)
    }

    fn new(mut known: Database) -> Fonts {
        let is_there = |name: &str| {
            let families = [Family::Name(name)];
            let query = Query {
                families: &families,
                ..Query::default()
            };
            known.query(&query).is_some()
        };
        let family = FAMILIES.into_iter().find(|name| is_there(name));
        let first = || {
            let face = known.faces().next()?;
            Some(face.families.first()?.0.clone())
        };
        if let Some(family) = family.map(str::to_owned).or_else(first) {
            // A text whose own families are not there is drawn in the renderer's serif.
            known.set_serif_family(family.as_str());
            known.set_sans_serif_family(family);
        }
        Fonts {
            known: Arc::new(known),
        }
    }

    /// What the pictures lack for want of a font, in a line; nothing where they lack nothing.
    pub fn gap(&self, lang: Lang) -> Option<String> {
        let texts = Texts::new(lang);
        if self.known.is_empty() {
            return Some(texts.say("png-no-font"));
        }
        (lang == Lang::Ja && !self.has_japanese()).then(|| texts.say("png-no-japanese-font"))
    }

    /// True where a font has a name in Japanese, as those that are made for it have.
    fn has_japanese(&self) -> bool {
        let mut names = self.known.faces().flat_map(|face| &face.families);
        names.any(|(_, language)| *language == Language::Japanese_Japan)
    }
}

/// The PNG of a picture's SVG file; nothing where it cannot be drawn.
pub fn png(svg: &str, fonts: &Fonts) -> Option<Vec<u8>> {
    let options = Options {
        fontdb: Arc::clone(&fonts.known),
        font_family: "sans-serif".to_owned(),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).ok()?;
    let size = tree.size().to_int_size().scale_by(PIXELS)?;
    let mut paper = Pixmap::new(size.width(), size.height())?;
    let scaled = Transform::from_scale(PIXELS, PIXELS);
    resvg::render(&tree, scaled, &mut paper.as_mut());
    marked(paper.encode_png().ok()?)
}

/// The PNG with our mark in a text chunk behind its header.
fn marked(png: Vec<u8>) -> Option<Vec<u8>> {
    let (header, rest) = png.split_at_checked(HEADER)?;
    let mut chunk = b"tEXt".to_vec();
    chunk.extend(MARK);
    let length = u32::try_from(MARK.len()).ok()?;
    let mut whole = header.to_vec();
    whole.extend(length.to_be_bytes());
    whole.extend(&chunk);
    whole.extend(crc32fast::hash(&chunk).to_be_bytes());
    whole.extend(rest);
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::results as sample;

    const WORD: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\"><text y=\"15\">MB/s</text></svg>";

    #[test]
    fn a_picture_is_drawn_at_two_pixels_a_unit_and_carries_the_mark() {
        let fonts = Fonts::of_the_system();
        let options = crate::HtmlOptions::default();
        let pictures = crate::pictures(&sample::review(), &options);
        let drawn = png(&pictures[0].content, &fonts).unwrap();
        assert!(drawn.starts_with(b"\x89PNG\r\n"));
        assert!(drawn.windows(MARK.len()).any(|window| window == MARK));
        let read = Pixmap::decode_png(&drawn).unwrap();
        let width: f32 = pictures[0]
            .content
            .split("width=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!((read.width() as f32 - 2.0 * width).abs() <= 1.0);
    }

    #[test]
    fn without_a_font_a_picture_is_drawn_without_words_and_that_is_said() {
        let none = Fonts::new(Database::new());
        assert!(none.gap(Lang::En).unwrap().contains("no font"));
        let drawn = png(WORD, &none).unwrap();
        let blank = |pixels: &Pixmap| pixels.pixels().iter().all(|p| p.alpha() == 0);
        assert!(blank(&Pixmap::decode_png(&drawn).unwrap()));
        let some = Fonts::of_the_system();
        if some.gap(Lang::En).is_none() {
            let drawn = png(WORD, &some).unwrap();
            assert!(
                !blank(&Pixmap::decode_png(&drawn).unwrap()),
                "no letter was drawn"
            );
        }
    }

    #[test]
    fn what_is_no_picture_gives_none() {
        assert!(png("<svg", &Fonts::new(Database::new())).is_none());
    }
}
