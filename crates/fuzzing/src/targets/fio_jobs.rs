//! fio's job files: sections, options, units, arithmetic, includes.

use fio::file::{Around, read};

pub(crate) const WORDS: &[&str] = &[
    "[global]\n",
    "[job]\n",
    "include more\n",
    "rw=randrw\n",
    "bs=4k,64k\n",
    "bssplit=4k/10:64k/90\n",
    "bsrange=1k-4k\n",
    "size=(4k*8+512)\n",
    "size=${SIZE}\n",
    "runtime=1m\n",
    "random_distribution=zoned:60/10:40/90\n",
    "percentile_list=50:99.9\n",
    "rw=write:-8k\n",
    "random_distribution=zoned_abs:95/50G:5/,100/\n",
    "zonemode=strided\nzonesize=16k\nzonerange=32k\n",
    "zonemode=zbd\nmax_open_zones=4\nzone_reset_threshold=0.8\nzone_reset_frequency=0.1\n",
    "verify=crc32c\nverify_backlog=4\n",
    "buffer_pattern=0x010x02\"ab\"12\n",
    "ss=iops_slope:0.1%\nss_dur=10\n",
    "latency_target=500us\nlatency_window=1s\n",
    "ignore_error=EIO:5,ENOSPC\n",
    "read_iolog=a\nreplay_skip=read,sync\n",
    "dedupe_percentage=50\ndedupe_mode=working_set\n",
    "flow=2\nfile_service_type=random:3\n",
    "%",
    "=",
    "; ",
    "\n",
];

/// Includes itself, and defines every variable.
struct Itself<'a>(&'a str);

impl Around for Itself<'_> {
    fn include(&self, path: &str) -> Result<String, String> {
        match path {
            "more" => Ok(self.0.lines().take(3).collect::<Vec<_>>().join("\n")),
            _ => Err("it is not there".to_owned()),
        }
    }
    fn variable(&self, name: &str) -> Option<String> {
        Some(name.to_owned())
    }
}

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    let read = read("jobs.fio", text, &Itself(text));
    match read.and_then(|file| fio::job::jobs(&file)) {
        Err(bad) => bad.0.iter().for_each(super::refusal),
        Ok(jobs) => {
            for job in jobs {
                assert!(job.least() > 0 && job.least() <= job.largest());
            }
        }
    }
}
