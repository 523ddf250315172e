//! Trim: the host says which pages it needs no longer.
//!
//! Their old places do not count any more, so collection has less to move. Only pages that lie wholly
//! in the range are forgotten; some drives honour no trim at all (`honoured` in `[ssd.trim]`).

use base::time::Instant;

use crate::ssd::drive::Drive;
use crate::ssd::flash::layout::{Lpn, PAGE};

impl Drive {
    /// A trim has passed the controller.
    pub(in crate::ssd) fn trim(&mut self, at: Instant, tag: u32) {
        let request = self.front.requests[tag as usize];
        let (first, end) = (request.at.div_ceil(PAGE), request.end / PAGE);
        if first < end && self.p.trim {
            self.ftl.trim(first as Lpn, (end - first) as u32);
            self.forget_coalesced(first, end);
            self.front.idle_work = true;
        }
        self.status(at, tag);
        self.ask_for_data(at);
    }
}
