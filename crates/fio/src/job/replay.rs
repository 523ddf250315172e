//! `read_iolog`: the job replays a log, at its times.

use std::sync::Arc;

use base::{Duration, Io, Op};

use super::Options;
use super::kinds::files;

/// I/Os of a log with when they are due since the begin.
pub type Script = Arc<Vec<(Duration, Io)>>;

/// How a log is replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// Files of logs; the copies of a job take them in turn.
    pub files: Vec<String>,
    /// As fast as the depth allows, not at the log's times.
    pub no_stall: bool,
    /// Speed in per cent of the log's: 50 is half as fast.
    pub speed_percent: u64,
    /// Offsets are divided by this.
    pub scale: u64,
    /// Then made multiples of this.
    pub align: u64,
    /// Operations that are left out.
    pub skipped: Vec<Op>,
    /// The files' contents, once they are read.
    pub scripts: Vec<Script>,
}

impl Replay {
    /// Whether its files are read.
    pub fn is_read(&self) -> bool {
        self.scripts.len() == self.files.len()
    }
}

pub(super) fn replay(o: &mut Options<'_>) -> Option<Replay> {
    let logs = o.take("read_iolog", Vec::new(), |text, _| Ok(files(text)));
    let replay = Replay {
        files: logs,
        no_stall: o.flag("replay_no_stall", false),
        speed_percent: o.number("replay_time_scale", 100, 1, 1_000_000),
        scale: o.number("replay_scale", 1, 1, u64::MAX),
        align: o.number("replay_align", 1, 1, u64::MAX),
        skipped: o.take("replay_skip", Vec::new(), |text, _| {
            let mut skipped = Vec::new();
            for word in text.split(',').map(str::trim) {
                skipped.push(match word {
                    "read" => Op::Read,
                    "write" => Op::Write,
                    "trim" => Op::Trim,
                    "sync" => Op::Flush,
                    _ => return Err(format!("'{word}' is none of read, write, trim, sync")),
                });
            }
            Ok(skipped)
        }),
        scripts: Vec::new(),
    };
    Some(replay).filter(|replay| !replay.files.is_empty())
}
