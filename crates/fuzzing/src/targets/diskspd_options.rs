//! DiskSpd's options: letters with values, sizes, what contradicts what.

use diskspd::arguments::{Around, read};

const PROFILE: &str = "<Profile><TimeSpans><TimeSpan><Targets><Target><Path>*1</Path></Target></Targets></TimeSpan></TimeSpans></Profile>";

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let around = Around {
        file: &|_| Ok(PROFILE.to_owned()),
        seed: 1,
    };
    match read(&words, &around) {
        Err(why) => super::refusal(&why),
        Ok(profile) => {
            for span in &profile.spans {
                assert!(span.duration > 0 && !span.works.is_empty());
                assert!(
                    span.works
                        .iter()
                        .all(|work| work.block > 0 && work.requests > 0)
                );
            }
            diskspd::output::profile_text(&profile);
        }
    }
}
