//! Requests of a client to the drive.

use base::{Bytes, Span};

use super::{Closed, Export, LONGEST, u16_at, u32_at, u64_at};
use crate::drive::Asked;

const MAGIC: u32 = 0x2560_9513;
/// Bytes in front of a write's data.
const HEADER: usize = 28;

/// Flags of a request.
const FUA: u16 = 1;
const NO_HOLE: u16 = 1 << 1;
const REQUEST_ONE: u16 = 1 << 3;

/// Error numbers of the protocol, which are Linux's.
const EPERM: i32 = 1;
const EINVAL: i32 = 22;
const ENOSPC: i32 = 28;
const EOVERFLOW: i32 = 75;

/// What a client sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its own number of it.
    pub cookie: u64,
    pub wants: Wants,
}

/// The command of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wants {
    Drive(Asked),
    /// Which parts of a range hold data; `one` extent is enough.
    Extents {
        span: Span,
        /// True if the client requests only the first.
        one: bool,
    },
    /// Nothing that is to be done.
    Nothing,
    /// It cannot be done; the error number.
    Refused(i32),
}

/// The request at the front of `input`, and its length; `None` if it is incomplete. One with a flag that was not
/// offered is refused, since its meaning is unknown.
///
/// # Errors
/// [`Closed`]: the client disconnects, or sends an invalid request, after which nothing can be parsed.
pub fn take(input: &[u8], export: &Export) -> Result<Option<(usize, Request)>, Closed> {
    let mut taken = take_any(input, export)?;
    if let Some((_, request)) = &mut taken {
        let offered = match u16_at(input, 6) {
            6 => FUA | NO_HOLE,
            7 => FUA | REQUEST_ONE,
            _ => FUA,
        };
        if u16_at(input, 4) & !offered != 0 {
            request.wants = Wants::Refused(EINVAL);
        }
    }
    Ok(taken)
}

fn take_any(input: &[u8], export: &Export) -> Result<Option<(usize, Request)>, Closed> {
    if input.len() < HEADER {
        return Ok(None);
    }
    if u32_at(input, 0) != MAGIC {
        return Err(Closed::NotTheProtocol);
    }
    let (flags, kind, cookie) = (u16_at(input, 4), u16_at(input, 6), u64_at(input, 8));
    let (offset, len) = (u64_at(input, 16), u64::from(u32_at(input, 24)));
    let asks = |wants: Wants, bytes: usize| Ok(Some((bytes, Request { cookie, wants })));
    let span = match within(offset, len, export) {
        Ok(span) => span,
        // A write's data follow all the same.
        Err(_) if kind == 1 && len > LONGEST.get() => return Err(Closed::TooLong),
        Err(error) if kind == 1 => {
            let bytes = HEADER + len as usize;
            return if input.len() < bytes {
                Ok(None)
            } else {
                asks(
                    Wants::Refused(if error == EINVAL { ENOSPC } else { error }),
                    bytes,
                )
            };
        }
        Err(error) if matches!(kind, 0 | 4 | 6 | 7) => return asks(Wants::Refused(error), HEADER),
        Err(_) => Span::new(Bytes::ZERO, Bytes::ZERO),
    };
    let durable = flags & FUA != 0;
    let drive = |asked| asks(Wants::Drive(asked), HEADER);
    match kind {
        0 if span.len > LONGEST => asks(Wants::Refused(EOVERFLOW), HEADER),
        0 if span.len.is_zero() => asks(Wants::Refused(EINVAL), HEADER),
        0 => drive(Asked::Read(span)),
        1 => write(input, cookie, span, durable, export),
        2 => Err(Closed::Left),
        3 => drive(Asked::Flush),
        4 | 6 if export.read_only => asks(Wants::Refused(EPERM), HEADER),
        4 if span.len.is_zero() => asks(Wants::Nothing, HEADER),
        4 => drive(Asked::Trim(span)),
        5 => asks(Wants::Nothing, HEADER),
        6 if span.len.is_zero() => asks(Wants::Nothing, HEADER),
        6 => drive(Asked::Zero {
            span,
            may_forget: flags & NO_HOLE == 0,
            durable,
        }),
        7 => {
            let one = flags & REQUEST_ONE != 0;
            asks(Wants::Extents { span, one }, HEADER)
        }
        _ => asks(Wants::Refused(EINVAL), HEADER),
    }
}

fn write(
    input: &[u8],
    cookie: u64,
    span: Span,
    durable: bool,
    export: &Export,
) -> Result<Option<(usize, Request)>, Closed> {
    if span.len > LONGEST {
        return Err(Closed::TooLong);
    }
    let bytes = HEADER + span.len.get() as usize;
    let Some(data) = input.get(HEADER..bytes) else {
        return Ok(None);
    };
    let wants = if export.read_only {
        Wants::Refused(EPERM)
    } else if data.is_empty() {
        Wants::Nothing
    } else {
        Wants::Drive(Asked::Write {
            offset: span.start,
            bytes: data.to_vec(),
            durable,
        })
    };
    Ok(Some((bytes, Request { cookie, wants })))
}

/// The range, if it is within the drive and aligned to its blocks; else the error number.
fn within(offset: u64, len: u64, export: &Export) -> Result<Span, i32> {
    let (start, len) = (Bytes::new(offset), Bytes::new(len));
    let end = offset.checked_add(len.get()).ok_or(EINVAL)?;
    let fits = start.is_multiple_of(export.block) && len.is_multiple_of(export.block);
    if end > export.capacity.get() || !fits {
        return Err(EINVAL);
    }
    Ok(Span::new(start, len))
}

/// The length of the request at the front of a buffer, as far as it is known: how much more to read.
pub fn expected(input: &[u8]) -> usize {
    let is_write = input.len() >= HEADER && u16_at(input, 6) == 1;
    if is_write {
        HEADER + (u32_at(input, 24) as usize).min(LONGEST.get() as usize)
    } else {
        HEADER
    }
}

#[cfg(test)]
mod tests;
