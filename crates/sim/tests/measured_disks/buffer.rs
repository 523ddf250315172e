//! The buffer of a disk without a queue: segments, each one run of blocks. An empty segment is taken before
//! the least recently used one, and the one that is being read into last of all.

#[derive(Clone, Copy, Default)]
pub(crate) struct Segment {
    pub(crate) start: u64,
    pub(crate) end: u64,
    used: u64,
}

pub(crate) struct Buffer {
    segments: Vec<Segment>,
    /// Blocks a segment.
    pub(crate) size: u64,
    uses: u64,
}

/// What a read finds: all of it, its first blocks, or nothing.
pub(crate) enum Found {
    Whole(usize),
    Front(usize),
    Nothing,
}

impl Buffer {
    pub(crate) fn new(segments: u32, size: u64) -> Buffer {
        Buffer {
            segments: vec![Segment::default(); segments as usize],
            size,
            uses: 0,
        }
    }

    pub(crate) fn segment(&self, index: usize) -> Segment {
        self.segments[index]
    }

    pub(crate) fn find(&self, start: u64, end: u64) -> Found {
        let mut found = Found::Nothing;
        for (index, segment) in self.segments.iter().enumerate() {
            if segment.start <= start && start < segment.end {
                if end <= segment.end {
                    return Found::Whole(index);
                }
                found = Found::Front(index);
            }
        }
        found
    }

    pub(crate) fn touch(&mut self, index: usize) {
        self.uses += 1;
        self.segments[index].used = self.uses;
    }

    fn begin(&mut self, index: usize, start: u64) {
        self.segments[index].start = start;
        self.segments[index].end = start;
        self.touch(index);
    }

    /// A segment for a run that begins at `start`; `last` is taken only where there is no other.
    pub(crate) fn take(&mut self, start: u64, last: Option<usize>) -> usize {
        let order = |&i: &usize| {
            let segment = &self.segments[i];
            (Some(i) == last, segment.start != segment.end, segment.used)
        };
        let index = (0..self.segments.len()).min_by_key(order).unwrap();
        self.begin(index, start);
        index
    }

    /// Empties every segment that holds one of the blocks; gives the first of them.
    pub(crate) fn empty_overlapping(&mut self, start: u64, end: u64) -> Option<usize> {
        let mut first = None;
        for (index, segment) in self.segments.iter_mut().enumerate() {
            if start < segment.end && segment.start < end {
                segment.end = segment.start;
                first = first.or(Some(index));
            }
        }
        first
    }

    /// Takes a segment for written blocks: one that holds some of them, else as for a read. They stay in it
    /// where `kept`.
    pub(crate) fn take_for_write(&mut self, start: u64, end: u64, kept: bool) {
        let index = match self.empty_overlapping(start, end) {
            Some(index) => index,
            None => self.take(start, None),
        };
        self.begin(index, start);
        if kept {
            self.grow(index, end);
        }
    }

    /// A segment now reaches to `end`; what no longer fits in drops out in front.
    pub(crate) fn grow(&mut self, index: usize, end: u64) {
        let segment = &mut self.segments[index];
        segment.end = segment.end.max(end);
        segment.start = segment.start.max(segment.end.saturating_sub(self.size));
    }
}
