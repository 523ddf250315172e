//! DiskSpd's XML profiles: a parsed profile is printed, and parsed to the same value.

use diskspd::profile::Profile;
use diskspd::xml::{printed, read};

pub(crate) const WORDS: &[&str] = &[
    "<Profile>",
    "</Profile>",
    "<TimeSpans>",
    "</TimeSpans>",
    "<TimeSpan>",
    "</TimeSpan>",
    "<Targets>",
    "</Targets>",
    "<Target>",
    "</Target>",
    "<Path>a&amp;b</Path>",
    "<BlockSize>4096</BlockSize>",
    "<Random>8192</Random>",
    "<RandomRatio>30</RandomRatio>",
    "<WriteRatio>40</WriteRatio>",
    "<Throughput unit=\"IOPS\">5</Throughput>",
    "<Duration>3</Duration>",
    "<ThreadCount>4</ThreadCount>",
    "<ParallelAsyncIO>true</ParallelAsyncIO>",
    "<ThinkTime>5</ThinkTime>",
    "<BurstSize>2</BurstSize>",
    "<DisableAllCache>true</DisableAllCache>",
    "<StrideSize>65536</StrideSize>",
    "<MaxFileSize>1048576</MaxFileSize>",
    "<CalculateIopsStdDev>true</CalculateIopsStdDev>",
    "<IoBucketDuration>250</IoBucketDuration>",
    "<!DOCTYPE a>",
    "<![CDATA[",
    "&#13;",
    "<!-- -->",
];

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    match read("profile.xml", text) {
        Err(why) => super::refusal(&why),
        Ok(profile) => {
            let again =
                read("again.xml", &printed(&profile)).expect("what is printed is a profile");
            // What is left out is not printed.
            let same = Profile {
                skipped: Vec::new(),
                ..again
            };
            let first = Profile {
                skipped: Vec::new(),
                ..profile
            };
            assert_eq!(same, first);
        }
    }
}
