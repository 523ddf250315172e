//! What methods, the lab and plans say by key ([`base::message`]), in the report's language.

use base::message::{Argument, Message};

use super::{Lang, Texts};

/// A sentence as a report in this language says it.
pub fn message(said: &Message, lang: Lang) -> String {
    Texts::new(lang).message(said)
}

/// The title of a ready plan in this language; a plan of somebody's own keeps its title.
pub fn plan_title(name: &str, title: &str, lang: Lang) -> String {
    of_a_ready_plan(&format!("plan-title-{name}"), title, lang)
}

/// What a plan asks in words, with the number of the question from 1: a ready plan's in the language of the page.
pub(crate) fn ask_of_plan(
    name: &str,
    number: usize,
    ask: Option<&str>,
    lang: Lang,
) -> Option<String> {
    ask.map(|ask| of_a_ready_plan(&format!("plan-ask-{name}-{number}"), ask, lang))
}

fn of_a_ready_plan(key: &str, text: &str, lang: Lang) -> String {
    let is_ready = Texts::new(Lang::En).find(key, &[]).as_deref() == Some(text);
    match is_ready {
        true => Texts::new(lang).say(key),
        false => text.to_owned(),
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
            Argument::Said { parts, between } => {
                let parts: Vec<String> = parts.iter().map(|part| self.message(part)).collect();
                match between.as_str() {
                    "; " => self.clauses(&parts),
                    _ => self.list(&parts),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::message::keyed;
    use base::time::Duration;

    fn said(message: &Message) -> [String; 2] {
        Lang::ALL.map(|lang| super::message(message, lang))
    }

    #[test]
    fn a_sentence_is_said_in_each_language_with_its_numbers() {
        let time = Duration::from_secs(14).into();
        let host = Message::new("note-host-work", [("time", time)]);
        assert_eq!(
            said(&host),
            [
                "the host's own work is 14.0 s of the boot, whatever the drive",
                "起動時間のうち 14.0 s は、ドライブによらないホスト側の処理である",
            ]
        );
        let part = [("part", "fat32".into()), ("note", host.into())];
        let part = said(&Message::new("note-of-part", part));
        assert_eq!(
            part[1],
            "fat32: 起動時間のうち 14.0 s は、ドライブによらないホスト側の処理である"
        );
        let watch = Message::new(
            "note-slower-watch",
            [
                ("access", Argument::Phase("read".to_owned())),
                ("took", "7.06 ms".into()),
                ("every", "22.0 ms".into()),
                ("wanted", "5.00 ms".into()),
            ],
        );
        assert_eq!(
            said(&watch),
            [
                "a read of 4 KiB takes the drive 7.06 ms, so that the watch asks every 22.0 ms and not every 5.00 ms: more would be a load",
                "4 KiB の読み込みに 7.06 ms かかるドライブのため、監視の間隔を 5.00 ms から 22.0 ms に延ばした。これより短いと監視自体が負荷になる",
            ]
        );
    }

    #[test]
    fn what_has_no_key_or_an_unknown_one_is_said_as_it_stands() {
        let before = Message::as_it_stands("a sentence of a version before");
        let to_come = r#"[{"text": "a sentence of a version to come", "key": "to-come"}]"#;
        let mut to_come = serde_json::Deserializer::from_str(to_come);
        let to_come = keyed::deserialize(&mut to_come).unwrap().remove(0);
        for message in [before, to_come] {
            assert_eq!(said(&message), [message.as_str(), message.as_str()]);
        }
    }

    #[test]
    fn a_line_keeps_its_number_in_each_language() {
        let line = Message::of("forecast-writes-nothing").behind("  3  ");
        assert_eq!(said(&line), ["  3  writes nothing", "  3  書き込みなし"]);
    }

    #[test]
    fn a_ready_plan_has_a_title_in_each_language_and_one_of_somebody_s_own_keeps_its_title() {
        assert_eq!(plan_title("quick", "Quick look", Lang::Ja), "簡易測定");
        assert_eq!(plan_title("quick", "My own", Lang::Ja), "My own");
    }
}
