//! Dies, blocks and the map: where data are, what it takes to move them, and when a die is free.
//!
//! Pages are programmed into the open block of a die; what they replace becomes invalid where it is. A die with few free
//! blocks collects: it copies what is valid in a victim to its open block and erases the victim. The bookkeeping is done
//! at once; the time is a debt, which the die pays when it has nothing to do, and in instalments behind its next
//! programs, as controllers spread collection over the host's writes.

use base::time::{Duration, Instant};

use crate::description::{Collection, Parity, Reads, SsdDescription};

/// Bytes of the mapping unit.
pub(super) const UNIT: u64 = 4_096;
/// No unit: a slot that is empty or invalid, a unit that is nowhere.
const NONE: u32 = u32::MAX;
/// In the map: the unit is in the log of single-bit cells, of the die in the other bits.
const IN_SLC: u32 = 1 << 31;
/// Blocks that a die never gives to data: copies need one, a new block is opened while another is collected.
const RESERVE: u64 = 3;

/// Where a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Nowhere,
    /// A page, by its number over all dies.
    Page {
        die: usize,
        page: u32,
    },
    Slc {
        die: usize,
    },
}

#[derive(Clone, Debug, Default)]
struct Die {
    free_at: Instant,
    /// Until when it reads; later than that it may only be programming.
    reads_until: Instant,
    debt: Duration,
    instalment: Duration,
    free_blocks: Vec<u32>,
    /// The open block, and its next slot.
    open: Option<(u32, u32)>,
    valid: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Block {
    valid: u32,
    /// When it was filled, in the order of blocks; zero for one that is free or open.
    filled: u64,
}

#[derive(Debug)]
pub(super) struct Flash {
    dies: Vec<Die>,
    blocks: Vec<Block>,
    /// The unit that each slot holds.
    holds: Vec<u32>,
    /// The slot of each unit.
    map: Vec<u32>,
    units_a_page: u32,
    units_a_block: u32,
    blocks_a_die: u32,
    read: Duration,
    program: Duration,
    erase: Duration,
    collection: Collection,
    reads: Reads,
    filled: u64,
}

impl Flash {
    pub(super) fn new(d: &SsdDescription) -> Flash {
        let units = d.capacity.get() / UNIT;
        let units_a_page = (d.page.get() / UNIT) as u32;
        let units_a_block = units_a_page * d.pages_a_block;
        let of_parity = match d.parity {
            Some(Parity {
                data_pages,
                own_die: false,
            }) => units.div_ceil(u64::from(data_pages)),
            _ => 0,
        };
        let all = (units + of_parity) * u64::from(100 + d.spare_percent) / 100;
        let per_die = all.div_ceil(u64::from(d.dies));
        let blocks_for = |units: u64| units.div_ceil(u64::from(units_a_block));
        let least = blocks_for(units.div_ceil(u64::from(d.dies))) + RESERVE + 1;
        let blocks_a_die = blocks_for(per_die).max(least) as u32;
        let blocks = (blocks_a_die * d.dies) as usize;
        let die = |die: u32| Die {
            free_blocks: (die * blocks_a_die..(die + 1) * blocks_a_die)
                .rev()
                .collect(),
            ..Die::default()
        };
        let own = u32::from(d.parity.is_some_and(|parity| parity.own_die));
        let mut dies: Vec<Die> = (0..d.dies).map(die).collect();
        dies.extend((0..own).map(|_| Die::default()));
        Flash {
            dies,
            blocks: vec![Block::default(); blocks],
            holds: vec![NONE; blocks * units_a_block as usize],
            map: vec![NONE; units as usize],
            units_a_page,
            units_a_block,
            blocks_a_die,
            read: d.read,
            program: d.program,
            erase: d.erase,
            collection: d.collection,
            reads: d.reads,
            filled: 0,
        }
    }

    pub(super) fn place(&self, unit: u32) -> Place {
        match self.map[unit as usize] {
            NONE => Place::Nowhere,
            slc if slc & IN_SLC != 0 => Place::Slc {
                die: (slc & !IN_SLC) as usize,
            },
            slot => Place::Page {
                die: self.die_of_slot(slot),
                page: slot / self.units_a_page,
            },
        }
    }

    fn die_of_slot(&self, slot: u32) -> usize {
        (slot / self.units_a_block / self.blocks_a_die) as usize
    }

    /// The unit is no longer where it was.
    pub(super) fn forget(&mut self, unit: u32) {
        let old = std::mem::replace(&mut self.map[unit as usize], NONE);
        if old & IN_SLC == 0 {
            self.holds[old as usize] = NONE;
            self.blocks[(old / self.units_a_block) as usize].valid -= 1;
            let die = self.die_of_slot(old);
            self.dies[die].valid -= 1;
        }
    }

    /// The unit is in the log of single-bit cells.
    pub(super) fn put_in_slc(&mut self, unit: u32, die: usize) {
        self.forget(unit);
        self.map[unit as usize] = IN_SLC | die as u32;
    }

    /// Whether a die may take another page: there is room enough that collection gains something.
    pub(super) fn has_room(&self, die: usize) -> bool {
        let most = (u64::from(self.blocks_a_die) - RESERVE) * u64::from(self.units_a_block);
        self.dies[die].valid + u64::from(self.units_a_page) <= most
    }

    /// Units, a page of them at most, are in the next page of a die; without any it is a page of parity.
    pub(super) fn append(&mut self, die: usize, units: &[u32]) {
        // As many rounds as there are blocks: a victim in order of age may have nothing to give.
        for _ in 0..2 * self.blocks_a_die {
            if self.dies[die].free_blocks.len() >= 2 || !self.collect(die) {
                break;
            }
        }
        self.put(die, units);
    }

    /// Units are in the page that begins next.
    fn put(&mut self, die: usize, units: &[u32]) {
        let (block, slot) = self.open_slot(die, self.units_a_page);
        for (&unit, at) in units.iter().zip(slot..) {
            self.move_to(unit, block, at);
        }
        self.go_on(die, block, slot + self.units_a_page);
    }

    /// The open block of a die and its next slot that is a multiple of `unit`.
    fn open_slot(&mut self, die: usize, unit: u32) -> (u32, u32) {
        if let Some((block, slot)) = self.dies[die].open.take() {
            let slot = slot.next_multiple_of(unit);
            if slot < self.units_a_block {
                return (block, slot);
            }
            self.go_on(die, block, slot);
        }
        let block = self.dies[die].free_blocks.pop();
        (block.expect("a die with room has a free block"), 0)
    }

    fn move_to(&mut self, unit: u32, block: u32, slot: u32) {
        self.forget(unit);
        let at = block * self.units_a_block + slot;
        self.holds[at as usize] = unit;
        self.map[unit as usize] = at;
        self.blocks[block as usize].valid += 1;
        self.dies[block as usize / self.blocks_a_die as usize].valid += 1;
    }

    /// The block is written up to a slot.
    fn go_on(&mut self, die: usize, block: u32, next: u32) {
        self.dies[die].open = (next < self.units_a_block).then_some((block, next));
        if next >= self.units_a_block {
            self.filled += 1;
            self.blocks[block as usize].filled = self.filled;
        }
    }

    /// Frees a block of a die; false where it has none to free.
    fn collect(&mut self, die: usize) -> bool {
        let Some(victim) = self.victim(die) else {
            return false;
        };
        let first = victim * self.units_a_block;
        let slots = first..first + self.units_a_block;
        let units: Vec<u32> = slots
            .map(|slot| self.holds[slot as usize])
            .filter(|unit| *unit != NONE)
            .collect();
        let copies = (units.len() as u64).div_ceil(u64::from(self.units_a_page));
        // Packed over pages and victims: else a victim with little less than all its data would free nothing.
        for unit in units {
            let (block, slot) = self.open_slot(die, 1);
            self.move_to(unit, block, slot);
            self.go_on(die, block, slot + 1);
        }
        self.blocks[victim as usize] = Block::default();
        let gained = u64::from(self.units_a_block / self.units_a_page) - copies;
        let die = &mut self.dies[die];
        die.free_blocks.insert(0, victim);
        die.debt += (self.read + self.program) * copies + self.erase;
        die.instalment = Duration::from_nanos(die.debt.as_nanos() / gained.max(1));
        true
    }

    fn victim(&self, die: usize) -> Option<u32> {
        let own = die as u32 * self.blocks_a_die..(die as u32 + 1) * self.blocks_a_die;
        let full = own.filter(|block| self.blocks[*block as usize].filled > 0);
        match self.collection {
            Collection::Fifo => full.min_by_key(|block| self.blocks[*block as usize].filled),
            Collection::CostBenefit => full.max_by(|a, b| {
                let worth = |block: u32| {
                    let block = &self.blocks[block as usize];
                    let used = f64::from(block.valid) / f64::from(self.units_a_block);
                    (1.0 - used) / (1.0 + used) * (self.filled - block.filled + 1) as f64
                };
                worth(*a).total_cmp(&worth(*b))
            }),
        }
    }

    /// When a die has done all that it was given.
    pub(super) fn free_at(&self, die: usize) -> Instant {
        self.dies[die].free_at
    }

    /// A die programs for `time`, behind all that it was given; gives when the data are safe.
    pub(super) fn program(&mut self, die: usize, now: Instant, time: Duration) -> Instant {
        let die = &mut self.dies[die];
        let idle = now.since(die.free_at.min(now));
        die.debt = die.debt.saturating_sub(idle);
        let instalment = die.instalment.min(die.debt);
        die.debt -= instalment;
        let safe = die.free_at.max(now) + time;
        die.free_at = safe + instalment;
        safe
    }

    /// A die reads for `time`; gives the end. Programs that it was given move behind it, but keep the end that was
    /// promised: their data are in the buffer.
    pub(super) fn read(&mut self, die: usize, now: Instant, time: Duration) -> Instant {
        let die = &mut self.dies[die];
        let at = now.max(die.reads_until);
        let programs = die.free_at.since(at);
        let begin = match self.reads {
            Reads::InOrder => at + programs,
            Reads::BehindOne => {
                at + Duration::from_nanos(programs.as_nanos() % self.program.as_nanos().max(1))
            }
            Reads::Suspend { cost } if !programs.is_zero() => at + cost,
            Reads::Suspend { .. } => at,
        };
        let end = begin + time;
        let left = match self.reads {
            Reads::Suspend { .. } => programs,
            _ => die.free_at.since(begin),
        };
        die.free_at = end + left;
        die.reads_until = end;
        end
    }

    /// All dies are at rest, as long after a fill.
    pub(super) fn rest(&mut self) {
        for die in &mut self.dies {
            die.free_at = Instant::ZERO;
            die.reads_until = Instant::ZERO;
            die.debt = Duration::ZERO;
        }
    }
}
