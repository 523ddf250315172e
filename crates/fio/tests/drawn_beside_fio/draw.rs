//! Jobs drawn from the language: options that belong together, and what of them is determined.

use base::rng::Rng;

use crate::on_purpose;

/// What of a job is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Same {
    /// I/Os and bytes of each direction.
    All,
    /// I/Os and bytes of all directions together.
    Sum,
    /// Bytes of each direction: I/Os are of several sizes.
    Bytes,
    /// Minimum and maximum number of bytes.
    Within(u64, u64),
    /// I/Os and bytes a second, within 3 %: the job sets its own pace.
    Rates,
}

/// What jobs work on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum On {
    /// fio's null engine.
    Null,
    /// A file that is there.
    File,
    /// Files that are made.
    Made,
}

/// Bytes of the file that is there: no multiple of any block but the smallest.
pub(crate) const FILE: u64 = 1_000_448;

/// A job with what of it is determined.
pub(crate) struct Drawn {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) same: Same,
}

/// Sizes of which a job has several, and the largest of them.
const SEVERAL: &[(&str, u64)] = &[
    ("bsrange=4k-32k", 32_768),
    ("bssplit=4k/30:8k/30:16k/40", 16_384),
    ("bsrange=1k-64k", 65_536),
    ("bssplit=4k/10:64k", 65_536),
];

const BLOCKS: &[(&str, u64)] = &[
    ("512", 512),
    ("3k", 3_072),
    ("4k", 4_096),
    ("4k", 4_096),
    ("8k", 8_192),
    ("16k", 16_384),
    ("64k", 65_536),
];
/// Blocks that divide the regions of runs.
const BLOCKS_OF_RUNS: &[(&str, u64)] = &[
    ("512", 512),
    ("4k", 4_096),
    ("8k", 8_192),
    ("16k", 16_384),
    ("64k", 65_536),
];
const STEPS: &[&str] = &[":8k", ":64k", ":-16k"];
const SERVICES: &[&str] = &["roundrobin", "sequential", "random", "roundrobin:4"];
const KINDS: &[&str] = &["read", "write", "randread", "randwrite", "rw", "randrw"];
const TRIMS: &[&str] = &["trim", "randtrim", "trimwrite", "randtrimwrite"];

fn one_of<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.below(all.len() as u64) as usize]
}

fn one_in(rng: &mut Rng, n: u64) -> bool {
    rng.below(n) == 0
}

/// The options that decide which others fit.
struct Shape {
    on: On,
    rw: &'static str,
    random: bool,
    mixed: bool,
    pairs: bool,
    step: &'static str,
    /// Random I/Os followed by sequential ones.
    in_runs: bool,
    no_map: bool,
    /// The largest size of several.
    several: Option<u64>,
    size: u64,
    io_size: Option<u64>,
    loops: u64,
    /// The size of its I/Os, where they have one.
    block: u64,
    options: Vec<String>,
}

impl Shape {
    fn draw(on: On, rng: &mut Rng) -> Shape {
        let trims = on == On::Null && one_in(rng, 3);
        let rw = one_of(rng, if trims { TRIMS } else { KINDS });
        let (random, mixed) = (rw.starts_with("rand"), rw.ends_with("rw"));
        let pairs = rw.ends_with("trimwrite");
        let step = match !random && !pairs && !mixed && one_in(rng, 5) {
            true => one_of(rng, STEPS),
            false => "",
        };
        let in_runs = random && !pairs && !mixed && on != On::File && one_in(rng, 4);
        // In a run an I/O over the end of the region ends the job, sooner or later: chance, unless blocks divide the
        // region. Every other region is of whole sectors, and rarely of whole blocks.
        let size = match in_runs {
            true => (2 + rng.below(10)) * 65_536,
            false => (130 + rng.below(800)) * 512,
        };
        let io_size = match rng.below(6) {
            0 => Some(512 * (1 + rng.below(size / 512))),
            1 => Some(size + 512 * rng.below(size / 512)),
            _ => None,
        };
        Shape {
            on,
            rw,
            random,
            mixed,
            pairs,
            step,
            in_runs,
            no_map: random && one_in(rng, 3),
            several: None,
            size,
            io_size,
            loops: 1,
            block: 4_096,
            options: Vec::new(),
        }
    }

    fn add(&mut self, option: impl Into<String>) {
        self.options.push(option.into());
    }

    /// What it does, and how large its I/Os are.
    fn add_kind(&mut self, rng: &mut Rng) {
        let behind = match self.in_runs && one_in(rng, 2) {
            true => ":5",
            false => self.step,
        };
        self.add(format!("rw={}{behind}", self.rw));
        if self.in_runs && behind.is_empty() {
            self.add("percentage_random=50");
        }
        if self.mixed && one_in(rng, 4) {
            self.add(format!("rwmixread={}", one_of(rng, &["0", "100"])));
        }
        if self.step.is_empty() && !self.pairs && !self.in_runs && one_in(rng, 4) {
            let (option, largest) = one_of(rng, SEVERAL);
            self.add(option);
            self.several = Some(largest);
        } else {
            let all = if self.in_runs { BLOCKS_OF_RUNS } else { BLOCKS };
            let (option, bytes) = one_of(rng, all);
            self.add(format!("bs={option}"));
            self.block = bytes;
        }
        if self.no_map {
            self.add("norandommap");
        }
    }

    /// Where it works.
    fn add_region(&mut self, rng: &mut Rng) {
        let is_fine = !self.mixed || self.random || self.block <= 4_096;
        if self.on == On::File && self.several.is_none() && is_fine && one_in(rng, 2) {
            self.add(format!("size={}%", 10 + rng.below(70)));
            // A share that is less than an I/O is refused: see the list.
            let fits = !self.options.iter().any(|option| option == "bs=64k");
            if self.io_size.take().is_some() && fits {
                self.add(format!("io_size={}%", 40 + rng.below(61)));
            }
        } else {
            self.add(format!("size={}", self.size));
            if let Some(bytes) = self.io_size {
                self.add(format!("io_size={bytes}"));
            }
        }
        if one_in(rng, 4) {
            let percent = self.on == On::File && one_in(rng, 2);
            self.add(match percent {
                true => format!("offset={}%", 1 + rng.below(40)),
                false => format!("offset={}", 512 * rng.below(800)),
            });
        }
        if one_in(rng, 4) {
            self.add(format!("numjobs={}", 2 + rng.below(2)));
            if one_in(rng, 2) {
                self.add("offset_increment=16k");
            }
        }
    }

    /// When it ends, and additional actions.
    fn add_rest(&mut self, rng: &mut Rng) {
        let (one_size, plain) = (self.several.is_none(), self.step.is_empty() && !self.pairs);
        if one_size && !self.may_end_early() && one_in(rng, 5) {
            self.add(format!("number_ios={}", 1 + rng.below(150)));
        }
        if one_in(rng, 5) {
            self.loops = 2 + rng.below(2);
            self.add(format!("loops={}", self.loops));
        }
        if self.on != On::File && one_size && plain && !self.in_runs && one_in(rng, 5) {
            self.add("bs=4k");
            self.add(format!("nrfiles={}", 2 + rng.below(3)));
            self.add(format!("file_service_type={}", one_of(rng, SERVICES)));
        } else if one_size && plain && !self.mixed && !self.random && one_in(rng, 6) {
            self.add("zonemode=strided\nzonesize=32k\nzonerange=32k\nzoneskip=16k");
        }
        if one_in(rng, 3) {
            if self.on != On::Null {
                self.add("ioengine=libaio");
            }
            self.add(format!("iodepth={}", 1 + rng.below(16)));
        }
        if self.on != On::Null && self.rw.ends_with("write") && one_in(rng, 3) {
            self.add(format!("fsync={}", 1 + rng.below(20)));
        }
        if !one_in(rng, 4) {
            self.add("stonewall");
        }
    }

    /// Whether chance decides how much a loop moves: one direction of a sequential mix may be finished before
    /// everything requested is moved, if that is more than a round, or few blocks.
    fn may_end_early(&self) -> bool {
        let in_order = self.mixed && !self.random;
        let asks_more = self.io_size.is_some_and(|bytes| bytes > self.size);
        in_order && (asks_more || self.size < 20 * self.block)
    }

    fn same(&self) -> Same {
        let is_mixed = self.mixed && !self.options.iter().any(|one| one.starts_with("rwmixread"));
        let bytes = self.io_size.unwrap_or(self.size);
        let least = (self.size.min(bytes) * self.loops).max(bytes);
        let within = |largest: u64| {
            let short = largest * (self.loops + 1);
            Same::Within(least.saturating_sub(short), bytes * self.loops + largest)
        };
        match self.several {
            // Where places may repeat, or not all are visited, chance decides where the end falls.
            Some(largest) if self.no_map || is_mixed || self.io_size.is_some() => within(largest),
            Some(_) => Same::Bytes,
            None if is_mixed && self.may_end_early() => within(self.block),
            None if is_mixed => Same::Sum,
            None => Same::All,
        }
    }
}

/// A job of a seed. One that differs on purpose is drawn again: see the list.
pub(crate) fn drawn(name: &str, on: On, rng: &mut Rng) -> Drawn {
    loop {
        let mut shape = Shape::draw(on, rng);
        shape.add_kind(rng);
        shape.add_region(rng);
        shape.add_rest(rng);
        let options = shape.options.join("\n");
        if !on_purpose::differs(&options) {
            return Drawn {
                name: name.to_owned(),
                text: format!("[{name}]\n{options}\n"),
                same: shape.same(),
            };
        }
    }
}

/// Jobs that set their own pace, all at once.
pub(crate) fn paced(n: u64, rng: &mut Rng) -> Drawn {
    let name = format!("pace{n}");
    let rw = one_of(rng, &["read", "randwrite", "randread", "write", "randtrim"]);
    let pace = match rng.below(4) {
        0 => format!("rate={}k", 400 + 4 * rng.below(1_000)),
        1 => format!("thinktime=20ms\nthinktime_blocks={}", 1 + rng.below(20)),
        _ => format!("rate_iops={}", 100 + rng.below(1_500)),
    };
    let more = match pace.starts_with("thinktime") {
        true => "",
        false => one_of(
            rng,
            &[
                "",
                "iodepth=4\n",
                "thinktime=500\nthinktime_blocks=20\n",
                "numjobs=2\n",
            ],
        ),
    };
    let text =
        format!("[{name}]\nrw={rw}\nbs=4k\nsize=1m\ntime_based\nruntime=1500ms\n{pace}\n{more}");
    Drawn {
        name,
        text,
        same: Same::Rates,
    }
}
