//! Commands that find no operation left wait until a merge returns one.
//!
//! One operation is reserved for each command that the host may have in flight; the drive's own work
//! takes the rest. The firmware's task ([`crate::ssd::ftl::partial_write`]) does not keep to that: a
//! flush that writes out some tracks of scattered pages may take all operations. Commands then wait
//! at the controller, and resume in order of arrival as the flash returns the old pages.

use std::collections::VecDeque;

use base::time::Instant;

use crate::ssd::drive::Drive;
use crate::ssd::operations::Op;

/// What waits for a free operation.
#[derive(Debug, Default)]
pub(in crate::ssd) struct OperationShortage {
    /// Operations that commands need, with their times.
    waiting: VecDeque<(Op, Instant)>,
    /// A write's data would be asked for.
    data: bool,
}

impl Drive {
    /// An operation that a command cannot do without: at its time, or when one is free again.
    #[inline]
    pub(in crate::ssd) fn begin_at(&mut self, op: Op, at: Instant) {
        match self.ops.take(op) {
            Some(number) => self.ops.set(number, at),
            None => self.front.shortage.waiting.push_back((op, at)),
        }
    }

    /// The operation of a write whose data phase it is; where there is none, its data are asked for
    /// when one is free.
    pub(in crate::ssd) fn begin_data(&mut self, op: Op) -> Option<u32> {
        let number = self.ops.take(op);
        self.front.shortage.data = number.is_none();
        number
    }

    /// A part of a page's old data is in the controller: its operation is free.
    pub(in crate::ssd) fn merge_event(&mut self, at: Instant, number: u32, op: &Op) {
        self.ops.overtakers -= 1;
        self.ops.release(number);
        while self.ops.free() > 0
            && let Some((op, moment)) = self.front.shortage.waiting.pop_front()
        {
            self.begin_at(op, moment.max(at));
        }
        self.merge_read(at, op.bytes);
        if self.front.shortage.data {
            self.ask_for_data(at);
        }
    }
}
