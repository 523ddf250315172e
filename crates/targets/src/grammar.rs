//! How a target is named: one grammar on the command line, in plan files and in Python.
//!
//! ```text
//! target  = base | NAME "(" target { "," target } ")" [ "?" options ]
//! base    = path | "model:" ( slug | path ) [ "?" options ] | "null:"
//! options = key "=" value { "&" key "=" value }
//! ```
//!
//! Options bind to the preceding target. A comma, bracket, `?` or `&` in a path is written `%XX` (two hexadecimal
//! digits), and so is a `%` that is followed by two hexadecimal digits.

use std::fmt;
use std::path::PathBuf;

/// The option that selects the file system of a modelled drive's test file.
pub const FILE_SYSTEM: &str = "file_system";

/// A target as it was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// A device, a file or a directory.
    Path {
        /// The file.
        path: PathBuf,
        /// Its options.
        options: Options,
    },
    /// A modelled drive, by slug or by the path of its data file.
    Model {
        /// Slug or path.
        name: String,
        /// Its options.
        options: Options,
    },
    /// The target without a drive.
    Null {
        /// Its options.
        options: Options,
    },
    /// A layer over other targets.
    Layer {
        /// The layer's name.
        name: String,
        /// The target below.
        members: Vec<Spec>,
        /// Its options.
        options: Options,
    },
}

/// Options in the order in which they were given.
pub type Options = Vec<(String, String)>;

/// Why a name is no target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// Nothing at all.
    #[error("a target has no name: write a path, model:DRIVE or null:")]
    Empty,
    /// A bracket that is not closed, or closed twice.
    #[error("'{0}': brackets do not match")]
    Brackets(String),
    /// An option without `=`.
    #[error("'{text}': '{option}' is not an option: write key=value")]
    Option {
        /// The whole name.
        text: String,
        option: String,
    },
    /// The same option twice.
    #[error("'{text}': option '{key}' is given twice")]
    Twice {
        /// The whole name.
        text: String,
        /// The option's key.
        key: String,
    },
    /// Something after the end.
    #[error("'{text}': unexpected '{rest}'")]
    Trailing {
        /// The whole name.
        text: String,
        /// What follows.
        rest: String,
    },
    /// Deeper than any sensible stack.
    #[error("'{0}': more than 16 layers")]
    TooDeep(String),
}

impl std::str::FromStr for Spec {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Spec, BadName> {
        let mut parser = Parser { text, at: 0 };
        let spec = parser.target(0)?;
        if parser.at < text.len() {
            return Err(if text[parser.at..].starts_with([')', '(']) {
                BadName::Brackets(text.to_owned())
            } else {
                BadName::Trailing {
                    text: text.to_owned(),
                    rest: text[parser.at..].to_owned(),
                }
            });
        }
        Ok(spec)
    }
}

impl Spec {
    /// The names of its modelled drives, in order.
    pub fn models(&self) -> Vec<&str> {
        match self {
            Spec::Model { name, .. } => vec![name],
            Spec::Layer { members, .. } => members.iter().flat_map(Spec::models).collect(),
            Spec::Path { .. } | Spec::Null { .. } => Vec::new(),
        }
    }

    /// Sets an option of the outermost part, in place of an earlier one of that key.
    pub fn set_option(&mut self, key: &str, value: &str) {
        let (Spec::Path { options, .. }
        | Spec::Model { options, .. }
        | Spec::Null { options }
        | Spec::Layer { options, .. }) = self;
        options.retain(|(known, _)| known != key);
        options.push((key.to_owned(), value.to_owned()));
    }

    /// Sets an option of every modelled drive; of a target without layers, its own.
    pub fn set_in_models(&mut self, key: &str, value: &str) {
        if let Spec::Layer { members, .. } = self {
            for member in members {
                member.set_in_models(key, value);
            }
        } else {
            self.set_option(key, value);
        }
    }

    /// The same file or device accessed through the page cache; anything else unchanged.
    #[must_use]
    pub fn through_page_cache(mut self) -> Spec {
        if let Spec::Path { options, .. } = &mut self
            && options.is_empty()
        {
            options.push(("buffered".to_owned(), "yes".to_owned()));
        }
        self
    }

    /// Whether labelled reads are checked: not those that a layer above the contents may answer by itself.
    pub fn checks_labels(&self) -> bool {
        match self {
            Spec::Layer { name, members, .. } if name == "fault" => {
                members.first().is_some_and(Spec::checks_labels)
            }
            Spec::Layer { name, .. } => name == "contents",
            Spec::Path { .. } => true,
            Spec::Model { .. } | Spec::Null { .. } => false,
        }
    }

    /// The same target with a record of its contents, below its file system; `None` for one that cannot have any.
    pub fn keeping_contents(&self) -> Option<Spec> {
        let mut spec = self.clone();
        match &mut spec {
            Spec::Layer { name, members, .. } if name == "fault" => {
                members[0] = members.first()?.keeping_contents()?;
                Some(spec)
            }
            Spec::Layer { name, .. } if name == "contents" => Some(spec),
            Spec::Model { options, .. } | Spec::Layer { options, .. } => {
                let at = options.iter().position(|(key, _)| key == FILE_SYSTEM);
                let file_system = at.map(|at| options.remove(at));
                Some(Spec::Layer {
                    name: "contents".to_owned(),
                    members: vec![spec],
                    options: file_system.into_iter().collect(),
                })
            }
            Spec::Path { .. } | Spec::Null { .. } => None,
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn target(&mut self, depth: u32) -> Result<Spec, BadName> {
        if depth > 16 {
            return Err(BadName::TooDeep(self.text.to_owned()));
        }
        let word = self.take_until(&['(', ')', ',', '?', '&']);
        if self.peek() == Some('(') {
            return self.layer(word, depth);
        }
        if word.is_empty() {
            return Err(BadName::Empty);
        }
        let options = self.options()?;
        Ok(if let Some(name) = word.strip_prefix("model:") {
            if name.is_empty() {
                return Err(BadName::Empty);
            }
            Spec::Model {
                name: decode(name),
                options,
            }
        } else if word == "null:" {
            Spec::Null { options }
        } else {
            Spec::Path {
                path: PathBuf::from(decode(&word)),
                options,
            }
        })
    }

    fn layer(&mut self, name: String, depth: u32) -> Result<Spec, BadName> {
        let mut members = Vec::new();
        loop {
            self.at += 1;
            members.push(self.target(depth + 1)?);
            match self.peek() {
                Some(',') => {}
                Some(')') => break,
                _ => return Err(BadName::Brackets(self.text.to_owned())),
            }
        }
        self.at += 1;
        let options = self.options()?;
        Ok(Spec::Layer {
            name,
            members,
            options,
        })
    }

    fn options(&mut self) -> Result<Options, BadName> {
        let mut options = Options::new();
        if self.peek() != Some('?') {
            return Ok(options);
        }
        loop {
            self.at += 1;
            let option = self.take_until(&['&', ',', ')', '(']);
            let Some((key, value)) = option.split_once('=') else {
                return Err(BadName::Option {
                    text: self.text.to_owned(),
                    option,
                });
            };
            let (key, value) = (decode(key.trim()), decode(value.trim()));
            if options.iter().any(|(known, _)| *known == key) {
                return Err(BadName::Twice {
                    text: self.text.to_owned(),
                    key,
                });
            }
            options.push((key, value));
            // A state has commas of its own: `state=steady-random,idle=10s`. A comma goes on with
            // the value where it does not begin another member, and that it does only in brackets.
            self.rest_of_state(&mut options);
            if self.peek() != Some('&') {
                break;
            }
        }
        Ok(options)
    }

    /// Outside brackets a comma belongs to the last option's value.
    fn rest_of_state(&mut self, options: &mut Options) {
        let open = self.text[..self.at].matches('(').count();
        let closed = self.text[..self.at].matches(')').count();
        if open != closed || self.peek() != Some(',') {
            return;
        }
        let rest = self.take_until(&['&', ')', '(']);
        if let Some((_, value)) = options.last_mut() {
            value.push_str(&decode(&rest));
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take_until(&mut self, stops: &[char]) -> String {
        let rest = &self.text[self.at..];
        let length = rest.find(stops).unwrap_or(rest.len());
        self.at += length;
        rest[..length].to_owned()
    }
}

/// Replaces `%XX` by the byte it means; anything else stays unchanged.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = (first == b'%').then(|| tail.get(..2)).flatten();
        let byte = code.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match byte {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn encode(text: &str) -> String {
    encode_also(text, |_| false)
}

/// Writes `%XX` for characters of the grammar, and for those in `also`.
fn encode_also(text: &str, also: impl Fn(char) -> bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, ',' | '(' | ')' | '?' | '&' | '%') || also(c) {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                encoded.push_str(&format!("%{byte:02X}"));
            }
        } else {
            encoded.push(c);
        }
    }
    encoded
}

/// A path, even if it is spelled like another kind of target.
fn encode_path(path: &str) -> String {
    let looks_otherwise = path == "null:" || path.starts_with("model:");
    encode_also(path, |c| looks_otherwise && c == ':')
}

/// A key or a value with blanks at its ends, which the grammar passes over; a key ends at `=`.
fn encode_option(text: &str, ends_at: Option<char>) -> String {
    let trimmed = text.trim() != text;
    encode_also(text, |c| {
        Some(c) == ends_at || (trimmed && c.is_whitespace())
    })
}

impl Spec {
    /// The same target without a host: its modelled drives are accessed at their own connectors. An explicit host
    /// stays.
    #[must_use]
    pub fn without_a_host(mut self) -> Spec {
        match &mut self {
            Spec::Model { options, .. } => {
                if options.iter().all(|(key, _)| key != "host") {
                    options.push(("host".to_owned(), "none".to_owned()));
                }
            }
            Spec::Layer { members, .. } => {
                let bare = std::mem::take(members).into_iter();
                *members = bare.map(Spec::without_a_host).collect();
            }
            Spec::Path { .. } | Spec::Null { .. } => {}
        }
        self
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = match self {
            Spec::Path { path, options } => {
                f.write_str(&encode_path(&path.to_string_lossy()))?;
                options
            }
            Spec::Model { name, options } => {
                write!(f, "model:{}", encode(name))?;
                options
            }
            Spec::Null { options } => {
                f.write_str("null:")?;
                options
            }
            Spec::Layer {
                name,
                members,
                options,
            } => {
                write!(f, "{name}(")?;
                for (i, member) in members.iter().enumerate() {
                    write!(f, "{}{member}", if i > 0 { "," } else { "" })?;
                }
                f.write_str(")")?;
                options
            }
        };
        for (i, (key, value)) in options.iter().enumerate() {
            write!(
                f,
                "{}{}={}",
                if i > 0 { '&' } else { '?' },
                encode_option(key, Some('=')),
                encode_option(value, None)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Spec {
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn every_kind_of_target_can_be_named() {
        assert_eq!(
            parsed("/dev/nvme0n1"),
            Spec::Path {
                path: "/dev/nvme0n1".into(),
                options: vec![]
            }
        );
        assert_eq!(parsed("null:"), Spec::Null { options: vec![] });
        let Spec::Model { name, options } =
            parsed("model:samsung-840-evo-750gb?link=sata3&partition_offset=31.5KiB")
        else {
            panic!()
        };
        assert_eq!(name, "samsung-840-evo-750gb");
        assert_eq!(
            options[1],
            ("partition_offset".to_owned(), "31.5KiB".to_owned())
        );
    }

    #[test]
    fn options_bind_to_what_stands_before_them() {
        let Spec::Layer {
            name,
            members,
            options,
        } = parsed("raid0(model:a?seed=1,fault(model:b)?errors=5)?chunk=64KiB")
        else {
            panic!()
        };
        assert_eq!((name.as_str(), members.len()), ("raid0", 2));
        assert_eq!(options, [("chunk".to_owned(), "64KiB".to_owned())]);
        assert!(matches!(&members[1], Spec::Layer { options, .. } if options[0].0 == "errors"));
    }

    #[test]
    fn a_state_keeps_its_commas() {
        let Spec::Model { options, .. } =
            parsed("model:a?state=steady-random:80%,trimmed,idle=10s")
        else {
            panic!()
        };
        assert_eq!(options[0].1, "steady-random:80%,trimmed,idle=10s");
    }

    #[test]
    fn another_option_may_follow_a_state_with_commas() {
        let text = "model:a?state=full-in-order,age=36d,wear=5%&ageing=10";
        let Spec::Model { options, .. } = parsed(text) else {
            panic!()
        };
        let both = [("state", "full-in-order,age=36d,wear=5%"), ("ageing", "10")];
        assert_eq!(
            options,
            both.map(|(key, value)| (key.to_owned(), value.to_owned()))
        );
    }

    #[test]
    fn special_characters_in_a_path_survive() {
        let Spec::Path { path, .. } = parsed("./a%2Cb%3F100%25.bin") else {
            panic!()
        };
        assert_eq!(path, PathBuf::from("./a,b?100%.bin"));
        let text = "fault(./a%2Cb?size=1GiB,model:x)?errors=3";
        assert_eq!(parsed(text).to_string(), text);
        for strange in [
            "%6Eull:",
            "model%3Aa",
            "a?k%3D=%20v",
            "a?%26=b",
            "x?%E3%80%80=1",
        ] {
            let spec = parsed(strange);
            assert_eq!(parsed(&spec.to_string()), spec, "{strange} is {spec}");
        }
    }

    #[test]
    fn nonsense_is_refused_in_one_line() {
        for (text, part) in [
            ("", "no name"),
            ("model:", "no name"),
            ("raid0(a", "brackets"),
            ("raid0(a))", "brackets"),
            ("a?b", "key=value"),
            ("a?b=1&b=2", "twice"),
            ("f(a)x", "unexpected"),
        ] {
            let error = text.parse::<Spec>().unwrap_err().to_string();
            assert!(
                error.contains(part) && !error.contains('\n'),
                "{text}: {error}"
            );
        }
        assert!(matches!(
            "(".repeat(10_000).parse::<Spec>(),
            Err(BadName::TooDeep(_))
        ));
    }
}
