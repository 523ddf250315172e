//! Tables of questions about drives.

use accuracy::prediction::questions::read;

pub(crate) const WORDS: &[&str] = &[
    "id,drive,host,test,op,conditions,metric\n",
    "fio randread,",
    "fio randrw rwmixread=",
    "queue depth ",
    "commit,",
    " jobs",
    "HD Tune access time,",
    "CDM8 SEQ1M Q8T1 read,",
    "fill: rate in the cache,",
    " % full",
    "p99_9_us",
    "\"",
    ",",
    "\n",
];

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    match read(text) {
        Ok(questions) => {
            for question in questions {
                if let Err(why) = question.asked() {
                    assert!(!why.is_empty(), "a refusal without words");
                }
            }
        }
        Err(bad) => super::refusal(&bad),
    }
}
