//! Names of targets with their layers and options: the grammar alone, then, in a plan, the options of modelled drives.

use plans::file;
use targets::grammar::Spec;

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    match text.parse::<Spec>() {
        Err(bad) => super::refusal(&bad),
        Ok(spec) => {
            let printed = spec.to_string();
            assert_eq!(
                printed.parse(),
                Ok(spec),
                "{text:?} is printed as {printed:?}"
            );
        }
    }
    // A string of TOML is written as one of JSON.
    let name = serde_json::Value::from(text).to_string();
    let plan = format!("targets = [{name}]\n[[step]]\nmethod = \"full-scan\"\n");
    if let Err(bad) = file::parse("fuzz", "fuzz.toml", &plan) {
        super::refusal(&bad);
    }
}
