//! What methods, the lab and plans say by key ([`base::message`]), in the report's language.

use base::message::{Argument, Message};

use super::{Lang, Texts};

/// A sentence as a report in this language says it.
pub fn message(said: &Message, lang: Lang) -> String {
    Texts::new(lang).message(said)
}

/// The title of a ready plan in this language; a plan of somebody's own keeps its title.
pub fn plan_title(name: &str, title: &str, lang: Lang) -> String {
    let key = format!("plan-title-{name}");
    let is_ready = Texts::new(Lang::En).say(&key) == title;
    match is_ready {
        true => Texts::new(lang).say(&key),
        false => title.to_owned(),
    }
}

impl Texts {
    /// A sentence in the report's language; one without a key as it stands.
    pub(crate) fn message(&self, said: &Message) -> String {
        let Some(key) = said.key().filter(|_| self.lang == Lang::Ja) else {
            return said.as_str().to_owned();
        };
        let arguments = said.arguments();
        let arguments = arguments.map(|(name, what)| (name.to_owned(), self.argument(what).into()));
        let text = self.filled(key, arguments);
        // A key of a version to come has no words here.
        text.map_or_else(
            || said.as_str().to_owned(),
            |text| format!("{}{text}", said.head()),
        )
    }

    fn argument(&self, argument: &Argument) -> String {
        match argument {
            Argument::Text(text) => text.clone(),
            Argument::Phase(name) => self.phase(name),
            Argument::Figure(key) => self.figure(key),
            Argument::Said { parts, .. } => {
                let parts: Vec<String> = parts.iter().map(|part| self.message(part)).collect();
                self.clauses(&parts)
            }
        }
    }
}
