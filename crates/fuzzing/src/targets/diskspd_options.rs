//! DiskSpd's options: letters with values, sizes, what contradicts what.

use diskspd::arguments::{Around, read};

pub(crate) const WORDS: &[&str] = &[
    "-b4K ", "-B2b ", "-c1G ", "-f64M ", "-frst ", "-g100i ", "-i8 ", "-j20 ", "-o32 ", "-O8 ",
    "-F4 ", "-p ", "-r4K ", "-rs30 ", "-si64K ", "-s2b ", "-Shw ", "-Su ", "-t4 ", "-T1M ",
    "-w30 ", "-W0 ", "-C1 ", "-d5 ", "-D250 ", "-L ", "-z7 ", "-Z1M ", "-Zr ", "-Rxml ", "-Rp ",
    "-ag0,1 ", "-Xa.xml ", "model:a ", "*1 ", "-",
];

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
