//! The handshake: negotiation between client and server.
//!
//! The server greets with its flags, the client replies with its own. Then the client sends options, each of which is
//! answered: lists of exports, information about an export, structured replies, meta contexts. `EXPORT_NAME` or `GO`
//! ends it. Every export name refers to the one drive that is served.

use super::{Closed, Export, u16_at, u32_at, u64_at};

const GREETING: &[u8; 16] = b"NBDMAGICIHAVEOPT";
const OPTION: u64 = u64::from_be_bytes(*b"IHAVEOPT");
const OPTION_REPLY: u64 = 0x0003_e889_0455_65a9;

/// Flags of the handshake: fixed newstyle, and no 124 zeros at its end.
const FIXED_NEWSTYLE: u16 = 1;
const NO_ZEROES: u16 = 2;

/// Numbers of options.
const EXPORT_NAME: u32 = 1;
const ABORT: u32 = 2;
const LIST: u32 = 3;
const INFO: u32 = 6;
const GO: u32 = 7;
const STRUCTURED_REPLY: u32 = 8;
const LIST_META_CONTEXT: u32 = 9;
const SET_META_CONTEXT: u32 = 10;

/// Kinds of replies to options.
const ACK: u32 = 1;
const SERVER: u32 = 2;
const REPLY_INFO: u32 = 3;
const REPLY_META_CONTEXT: u32 = 4;
const UNSUPPORTED: u32 = (1 << 31) | 1;
const INVALID: u32 = (1 << 31) | 3;

/// Kinds of information on an export.
const INFO_EXPORT: u16 = 0;
const INFO_DESCRIPTION: u16 = 2;
const INFO_BLOCK_SIZE: u16 = 3;

/// The longest option that is read.
const LONGEST_OPTION: usize = 64 << 10;

/// The one meta context: which ranges hold data.
const ALLOCATION: &[u8] = b"base:allocation";
/// The number by which its replies are known.
pub const ALLOCATION_NUMBER: u32 = 1;

/// What was agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreed {
    /// Replies to reads are structured.
    pub structured: bool,
    /// The client may query which ranges hold data.
    pub allocation: bool,
}

/// How far the handshake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    ClientFlags,
    Options,
}

/// A handshake in progress.
#[derive(Clone, Debug)]
pub struct Handshake {
    stage: Stage,
    no_zeroes: bool,
    agreed: Agreed,
}

/// What came of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// More bytes are needed.
    More,
    /// The handshake is over; requests follow.
    Over(Agreed),
}

impl Handshake {
    /// Greets a client.
    pub fn greet(out: &mut Vec<u8>) -> Handshake {
        out.extend_from_slice(GREETING);
        out.extend_from_slice(&(FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes());
        Handshake {
            stage: Stage::ClientFlags,
            no_zeroes: false,
            agreed: Agreed::default(),
        }
    }

    /// Consumes from the front of `input`; returns the number of bytes, and the state.
    ///
    /// # Errors
    /// [`Closed`]: the client has left, or speaks something else.
    pub fn take(
        &mut self,
        input: &[u8],
        export: &Export,
        out: &mut Vec<u8>,
    ) -> Result<(usize, Progress), Closed> {
        let mut taken = 0;
        loop {
            let rest = &input[taken..];
            match self.stage {
                Stage::ClientFlags if rest.len() < 4 => return Ok((taken, Progress::More)),
                Stage::ClientFlags => {
                    self.flags(u32_at(rest, 0))?;
                    taken += 4;
                }
                Stage::Options => {
                    let Some((number, data)) = option_in(rest)? else {
                        return Ok((taken, Progress::More));
                    };
                    taken += 16 + data.len();
                    if self.answer(number, data, export, out)? {
                        return Ok((taken, Progress::Over(self.agreed)));
                    }
                }
            }
        }
    }

    fn flags(&mut self, flags: u32) -> Result<(), Closed> {
        let known = u32::from(FIXED_NEWSTYLE | NO_ZEROES);
        if flags & !known != 0 || flags & u32::from(FIXED_NEWSTYLE) == 0 {
            return Err(Closed::NotTheProtocol);
        }
        self.no_zeroes = flags & u32::from(NO_ZEROES) != 0;
        self.stage = Stage::Options;
        Ok(())
    }

    /// Answers an option; true where requests follow.
    fn answer(
        &mut self,
        option: u32,
        data: &[u8],
        export: &Export,
        out: &mut Vec<u8>,
    ) -> Result<bool, Closed> {
        match option {
            EXPORT_NAME => {
                out.extend_from_slice(&export.capacity.get().to_be_bytes());
                out.extend_from_slice(&transmission_flags(export).to_be_bytes());
                if !self.no_zeroes {
                    out.extend_from_slice(&[0; 124]);
                }
                return Ok(true);
            }
            ABORT => {
                reply(out, option, ACK, &[]);
                return Err(Closed::Left);
            }
            LIST if data.is_empty() => {
                // One export, of the empty name: the default.
                reply(out, option, SERVER, &0_u32.to_be_bytes());
                reply(out, option, ACK, &[]);
            }
            INFO | GO => {
                if !asks_for_an_export(data) {
                    reply(out, option, INVALID, b"the option's length does not fit");
                    return Ok(false);
                }
                informed(out, option, export);
                return Ok(option == GO);
            }
            STRUCTURED_REPLY if data.is_empty() => {
                self.agreed.structured = true;
                reply(out, option, ACK, &[]);
            }
            LIST_META_CONTEXT | SET_META_CONTEXT => self.meta_context(option, data, out),
            LIST | STRUCTURED_REPLY => reply(out, option, INVALID, b"it takes no data"),
            _ => reply(out, option, UNSUPPORTED, &[]),
        }
        Ok(false)
    }

    fn meta_context(&mut self, option: u32, data: &[u8], out: &mut Vec<u8>) {
        let Some(queries) = queries_in(data).filter(|_| self.agreed.structured) else {
            reply(
                out,
                option,
                INVALID,
                b"structured replies come first, and lengths must fit",
            );
            return;
        };
        let lists_all = option == LIST_META_CONTEXT && queries.is_empty();
        let matches = |query: &&[u8]| {
            *query == ALLOCATION || option == LIST_META_CONTEXT && *query == b"base:"
        };
        let asked = lists_all || queries.iter().any(matches);
        if option == SET_META_CONTEXT {
            self.agreed.allocation = asked;
        }
        if asked {
            let number = if option == SET_META_CONTEXT {
                ALLOCATION_NUMBER
            } else {
                0
            };
            let named = [&number.to_be_bytes()[..], ALLOCATION].concat();
            reply(out, option, REPLY_META_CONTEXT, &named);
        }
        reply(out, option, ACK, &[]);
    }
}

/// The option at the front of a buffer, and its data; none where it is not there whole.
fn option_in(input: &[u8]) -> Result<Option<(u32, &[u8])>, Closed> {
    if input.len() < 16 {
        return Ok(None);
    }
    if u64_at(input, 0) != OPTION {
        return Err(Closed::NotTheProtocol);
    }
    let len = u32_at(input, 12) as usize;
    if len > LONGEST_OPTION {
        return Err(Closed::TooLong);
    }
    let data = input.get(16..16 + len);
    Ok(data.map(|data| (u32_at(input, 8), data)))
}

/// What an export can do, for a client.
fn transmission_flags(export: &Export) -> u16 {
    const HAS_FLAGS: u16 = 1;
    const READ_ONLY: u16 = 1 << 1;
    const FLUSH: u16 = 1 << 2;
    const FUA: u16 = 1 << 3;
    const ROTATIONAL: u16 = 1 << 4;
    const TRIM: u16 = 1 << 5;
    const WRITE_ZEROES: u16 = 1 << 6;
    // All connections see one drive, whose flush is for all.
    const MULTIPLE_CONNECTIONS: u16 = 1 << 8;
    let mut flags = HAS_FLAGS | FLUSH | FUA | MULTIPLE_CONNECTIONS;
    flags |= if export.read_only {
        READ_ONLY
    } else {
        TRIM | WRITE_ZEROES
    };
    if export.rotational {
        flags |= ROTATIONAL;
    }
    flags
}

/// A name and its length, then a number of kinds of information, two bytes each.
fn asks_for_an_export(data: &[u8]) -> bool {
    if data.len() < 6 {
        return false;
    }
    let name = u32_at(data, 0) as usize;
    let Some(counted) = data.get(4..).and_then(|rest| rest.get(name..)) else {
        return false;
    };
    counted.len() >= 2 && counted.len() == 2 + 2 * usize::from(u16_at(counted, 0))
}

fn informed(out: &mut Vec<u8>, option: u32, export: &Export) {
    let mut is = INFO_EXPORT.to_be_bytes().to_vec();
    is.extend_from_slice(&export.capacity.get().to_be_bytes());
    is.extend_from_slice(&transmission_flags(export).to_be_bytes());
    reply(out, option, REPLY_INFO, &is);
    let mut blocks = INFO_BLOCK_SIZE.to_be_bytes().to_vec();
    for size in [export.block, export.preferred, super::LONGEST] {
        // All three are far below 4 GiB.
        blocks.extend_from_slice(&(size.get() as u32).to_be_bytes());
    }
    reply(out, option, REPLY_INFO, &blocks);
    let described = [
        &INFO_DESCRIPTION.to_be_bytes()[..],
        export.description.as_bytes(),
    ];
    reply(out, option, REPLY_INFO, &described.concat());
    reply(out, option, ACK, &[]);
}

/// The queries of a meta context option; none where a length does not fit.
fn queries_in(data: &[u8]) -> Option<Vec<&[u8]>> {
    let (_, mut rest) = counted(data)?;
    if rest.len() < 4 {
        return None;
    }
    let many = u32_at(rest, 0);
    rest = &rest[4..];
    let mut queries = Vec::new();
    for _ in 0..many {
        let (query, behind) = counted(rest)?;
        queries.push(query);
        rest = behind;
    }
    rest.is_empty().then_some(queries)
}

/// Bytes after their length, and the remainder.
fn counted(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let len = (data.len() >= 4).then(|| u32_at(data, 0) as usize)?;
    data[4..].split_at_checked(len)
}

fn reply(out: &mut Vec<u8>, option: u32, kind: u32, data: &[u8]) {
    out.extend_from_slice(&OPTION_REPLY.to_be_bytes());
    out.extend_from_slice(&option.to_be_bytes());
    out.extend_from_slice(&kind.to_be_bytes());
    out.extend_from_slice(&(data.len() as u32).to_be_bytes());
    out.extend_from_slice(data);
}

#[cfg(test)]
mod tests;
