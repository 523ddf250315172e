//! Iometer's configuration files, and the method's forecast from them.

use base::input::{BadInput, Input, Inputs, Reader};
use base::method::{Scale, Settings};
use base::size::Bytes;
use base::target::Info;

struct One(Vec<u8>);

impl Inputs for One {
    fn open(&self, _: &str) -> Result<Reader, BadInput> {
        Ok(Box::new(std::io::Cursor::new(self.0.clone())))
    }
}

pub(crate) fn run(input: &[u8]) {
    let method = methods::find("iometer").expect("the list has it");
    let set = ["spec-file=my.icf".to_owned()];
    let mut settings = Settings::new(method.card(), Scale::Full, 1, &set)
        .expect("a file's name is taken as it is");
    settings
        .inputs
        .insert("spec-file".to_owned(), Input::default());
    let on = Info {
        capacity: Bytes::gib(64),
        block: Bytes::SECTOR,
        max_in_flight: 256,
        writable: true,
    };
    match method.survey(&mut settings, &on, &One(input.to_vec())) {
        Err(bad) => super::refusal(&bad),
        Ok(()) => drop(method.forecast(&settings, &on)),
    }
}
