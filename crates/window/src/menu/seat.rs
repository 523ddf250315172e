//! One terminal with its stack of pages: keys move the selection, Enter does what is selected.

use std::time::Duration;

use serde_json::Value;

use super::Menu;
use super::choice::{Action, Opened};
use super::network;
use super::pages::{Around, Page, unfinished};
use super::terminal::{Key, Terminal};
use super::view::View;
use crate::asked::{Look, Refused, Start};
use crate::program::{Refusal, Rights};

/// How often it is looked whether something has changed.
const LOOK: Duration = Duration::from_millis(400);

/// Somebody at a terminal.
pub(super) struct Seat<'a> {
    menu: &'a Menu,
    terminal: Terminal,
    pages: Vec<(Page, usize)>,
    /// The number that is being typed.
    typed: usize,
}

impl<'a> Seat<'a> {
    pub(super) fn new(menu: &'a Menu, terminal: Terminal) -> Seat<'a> {
        Seat {
            menu,
            terminal,
            pages: vec![(Page::Begin, 0)],
            typed: 0,
        }
    }

    /// Draws and listens until it is to end. At the start, what was interrupted is offered.
    pub(super) fn stay(mut self, is_to_end: &impl Fn() -> bool) {
        if let Ok(results) = self.look(&Look::Runs)
            && !unfinished(&results).is_empty()
        {
            self.pages.push((Page::Interrupted(results), 0));
        }
        while !is_to_end() {
            let view = self.draw();
            if let Some(key) = self.terminal.key(LOOK) {
                self.press(key, &view);
            }
        }
    }

    fn draw(&mut self) -> View {
        let runs = self.menu.runs.list();
        let Some((page, selected)) = self.pages.last_mut() else {
            return View::default();
        };
        let longest_ms = match page {
            Page::Run(id) => self.menu.runs.longest_ms(*id),
            _ => None,
        };
        let view = page.view(&Around {
            texts: &self.menu.texts(),
            runs: &runs,
            longest_ms,
            known: &self.menu.known(),
            has_helpers: self.menu.options.helpers.is_some(),
            reports: &self.menu.options.reports.display().to_string(),
        });
        *selected = (*selected).min(view.choices.len().saturating_sub(1));
        let lines = view.lines(self.terminal.size(), *selected);
        self.terminal.draw(&lines);
        view
    }

    fn press(&mut self, key: Key, view: &View) {
        let typed = std::mem::take(&mut self.typed);
        let Some((page, selected)) = self.pages.last_mut() else {
            return;
        };
        let most = view.choices.len().saturating_sub(1);
        match key {
            Key::Up => *selected = selected.checked_sub(1).unwrap_or(most),
            Key::Down => *selected = if *selected < most { *selected + 1 } else { 0 },
            Key::Digit(digit) => {
                // A second digit belongs to the first where there is such a choice.
                let both = typed * 10 + digit;
                let number = if view.position(both).is_some() {
                    both
                } else {
                    digit
                };
                if let Some(position) = view.position(number) {
                    (*selected, self.typed) = (position, number);
                }
            }
            Key::Letter('s') => {
                if let Page::Run(id) = page {
                    let id = *id;
                    self.act(Action::Stop(id));
                }
            }
            Key::Letter(_) => {}
            Key::Enter => {
                let action = view
                    .choices
                    .get(*selected)
                    .map(|(_, action)| action.clone());
                if let Some(action) = action {
                    self.act(action);
                }
            }
        }
    }

    fn act(&mut self, action: Action) {
        let done = match action {
            Action::Back => {
                if self.pages.len() > 1 {
                    self.pages.pop();
                }
                Ok(())
            }
            Action::Open(what) => self.open(what),
            Action::Ask(start) => self.forecast(*start),
            Action::Begin(start) => self.begin(*start),
            Action::Stop(id) => self.menu.runs.stop(id),
            Action::Connect(interface) => {
                self.say("menu-connecting");
                network::connect(self.menu, &interface);
                Ok(())
            }
            Action::Off => {
                self.menu.runs.stop_all();
                self.menu.runs.wait_for_all(Duration::from_secs(60));
                network::helper(self.menu, "off", &[]).map(drop)
            }
        };
        if let Err(words) = done {
            self.pages.push((Page::Words(words), 0));
        }
    }

    fn open(&mut self, what: Opened) -> Result<(), String> {
        self.say("menu-reading");
        let page = match what {
            Opened::Interrupted => Page::Interrupted(self.look(&Look::Runs)?),
            Opened::Drives => {
                let devices = self.look(&Look::Devices)?;
                self.menu.know(&devices);
                Page::Drives(devices)
            }
            Opened::Drive(device) => Page::Drive(device),
            Opened::Questions(target) => Page::Questions(target, self.look(&Look::Questions)?),
            Opened::Health(target) => {
                let document = self.look(&Look::Health(target))?;
                Page::Words(health_lines(&document).join("\n"))
            }
            Opened::Run(id) => Page::Run(id),
            Opened::Runs => Page::Runs,
            Opened::Network => Page::Network(network::interfaces()),
            Opened::Off => Page::Off,
        };
        // Enter alone switches nothing off: there, no is selected.
        let selected = usize::from(page == Page::Off);
        self.pages.push((page, selected));
        Ok(())
    }

    fn forecast(&mut self, start: Start) -> Result<(), String> {
        self.say("menu-reading");
        let arguments = start.forecast().map_err(refused)?;
        let program = &self.menu.options.program;
        let document = program.json(&arguments, self.menu.options.lang, Rights::Drives);
        let document = document.map_err(words)?;
        self.pages
            .push((Page::Forecast(Box::new(start), document), 0));
        Ok(())
    }

    fn begin(&mut self, start: Start) -> Result<(), String> {
        let options = &self.menu.options;
        let now = (options.now_unix_ms)();
        let begun = self
            .menu
            .runs
            .start(&options.program, start, options.lang, now);
        let id = begun.map_err(|why| why.to_string())?;
        // Its forecast was answered: back leads to the drive.
        self.pages.pop();
        self.pages.push((Page::Run(id), 0));
        Ok(())
    }

    fn look(&self, look: &Look) -> Result<Value, String> {
        self.menu.look(look)
    }

    fn say(&mut self, key: &str) {
        let line = self.menu.texts().say(key);
        self.terminal.draw(&[line]);
    }
}

impl Menu {
    /// A document of the program.
    pub(super) fn look(&self, look: &Look) -> Result<Value, String> {
        let rights = match look {
            Look::Devices | Look::Health(_) => Rights::Drives,
            _ => Rights::Own,
        };
        let arguments = look.arguments().map_err(refused)?;
        let options = &self.options;
        options
            .program
            .json(&arguments, options.lang, rights)
            .map_err(words)
    }

    /// Remembers the devices' names, and asks each for its health, beside everything else: a drive that is stuck answers
    /// late or never.
    fn know(&self, devices: &Value) {
        let (program, lang) = (self.options.program.clone(), self.options.lang);
        for device in devices["devices"].as_array().into_iter().flatten() {
            let text = |key: &str| device[key].as_str().unwrap_or_default();
            let name = format!("{} {}", text("model"), text("serial"));
            let name = name.trim().to_owned();
            self.known().names.insert(text("path").to_owned(), name);
        }
        let paths: Vec<String> = self.known().names.keys().cloned().collect();
        for path in paths {
            let Ok(arguments) = Look::Health(path.clone()).arguments() else {
                continue;
            };
            let (program, known) = (program.clone(), std::sync::Arc::clone(&self.known));
            std::thread::spawn(move || {
                let document = program.json(&arguments, lang, Rights::Drives);
                let condition = document.ok().and_then(|document| {
                    let condition = &document["drives"][0]["condition"];
                    condition.as_str().map(str::to_owned)
                });
                let mut known = known
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                known
                    .health
                    .insert(path, condition.unwrap_or_else(|| "-".to_owned()));
            });
        }
    }
}

fn health_lines(document: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for drive in document["drives"].as_array().into_iter().flatten() {
        let Some(fields) = drive.as_object() else {
            continue;
        };
        for (key, value) in fields {
            match value {
                Value::String(text) => lines.push(format!("{key}: {text}")),
                Value::Number(number) => lines.push(format!("{}: {number}", key.replace('_', " "))),
                Value::Array(all) => {
                    let all = all.iter().filter_map(Value::as_str);
                    lines.extend(all.map(|text| format!("{key}: {text}")));
                }
                Value::Object(inside) => {
                    let inside = inside
                        .iter()
                        .filter(|(_, value)| value.is_string() || value.is_number());
                    lines.extend(inside.map(|(key, value)| {
                        format!(
                            "{}: {}",
                            key.replace('_', " "),
                            value.to_string().trim_matches('"')
                        )
                    }));
                }
                _ => {}
            }
        }
    }
    lines
}

fn refused(why: Refused) -> String {
    why.to_string()
}

fn words(why: Refusal) -> String {
    why.words
}
