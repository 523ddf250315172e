//! Commands for which no operation is left, until a merge gives one back.
//!
//! One operation is kept for each command that the host may have in flight, and what the drive does
//! beside them takes the rest. Merges beside a write in parts that has the firmware's task
//! ([`super::sub_unit`]) are asked for by that task, and it looks at nothing: a flush that writes out
//! some tracks of scattered pages may take all operations there are. Then commands wait at the
//! controller, and go on in the order in which they came as the flash gives the old pages.

use std::collections::VecDeque;

use base::time::Instant;

use super::drive::Drive;
use super::ops::Op;

/// What waits for a free operation.
#[derive(Debug, Default)]
pub(super) struct WithoutOp {
    /// Operations that commands need, with their moments.
    waiting: VecDeque<(Op, Instant)>,
    /// A write's data would be asked for.
    data: bool,
}

impl Drive {
    /// An operation that a command cannot do without: at its moment, or when one is free again.
    #[inline]
    pub(super) fn begin_at(&mut self, op: Op, at: Instant) {
        match self.ops.take(op) {
            Some(number) => self.set(number, at),
            None => self.without_op.waiting.push_back((op, at)),
        }
    }

    /// The operation of a write whose data phase it is; where there is none, its data are asked for
    /// when one is free.
    pub(super) fn begin_data(&mut self, op: Op) -> Option<u32> {
        let number = self.ops.take(op);
        self.without_op.data = number.is_none();
        number
    }

    /// A part of a page's old data is in the controller: its operation is free.
    pub(super) fn merge_event(&mut self, at: Instant, number: u32, op: &Op) {
        self.unquiet -= 1;
        self.ops.release(number);
        while self.ops.free() > 0
            && let Some((op, moment)) = self.without_op.waiting.pop_front()
        {
            self.begin_at(op, moment.max(at));
        }
        self.merge_read(at, op.bytes);
        if self.without_op.data {
            self.ask_for_data(at);
        }
    }
}
