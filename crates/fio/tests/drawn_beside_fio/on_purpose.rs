//! What differs from fio on purpose, or is refused: each with its reason, and an example that shows it.
//!
//! Of the jobs that are drawn, those that this list names are left out, and no others.

/// A kind of job that differs.
pub(crate) struct Difference {
    pub(crate) why: &'static str,
    /// It is identified by these options together: the beginnings of their lines.
    options: &'static [&'static str],
    /// Options of a job that shows it, on the null engine.
    pub(crate) example: &'static str,
}

/// Jobs that run, and move something else.
pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference {
        why: "fio adds the offset to a write behind its trim a second time, and ends with the first trim",
        options: &["rw=randtrimwrite", "offset="],
        example: "rw=randtrimwrite\nbs=4k\nsize=64k\noffset=64k",
    },
    Difference {
        why: "as above: an increment of the offset is one",
        options: &["rw=randtrimwrite", "offset_increment="],
        example: "rw=randtrimwrite\nbs=4k\nsize=64k\nnumjobs=2\noffset_increment=64k",
    },
    Difference {
        why: "fio doubles number_ios for pairs of a trim and a write, in each loop anew",
        options: &["rw=trimwrite", "number_ios=", "loops="],
        example: "rw=trimwrite\nbs=4k\nsize=364k\nnumber_ios=20\nloops=3",
    },
    Difference {
        why: "as above",
        options: &["rw=randtrimwrite", "number_ios=", "loops="],
        example: "rw=randtrimwrite\nbs=4k\nsize=364k\nnumber_ios=20\nloops=3",
    },
];

/// Jobs that fio reads differently from what they say, and that are refused: the reason, the options, and what the
/// refusal names.
pub(crate) const REFUSALS: &[[&str; 3]] = &[
    ["fio reads 1 GiB", "rw=read\nsize=1.5g", "1.5g"],
    ["fio reads 4 bytes", "rw=read\nsize=4x", "4x"],
    [
        "fio moves nothing, and says nothing",
        "rw=read\nbs=64k\nsize=64k\nio_size=75%",
        "does not fit",
    ],
];

/// Whether options are of a kind in the list.
pub(crate) fn differs(options: &str) -> bool {
    let has = |begin: &&str| options.lines().any(|line| line.starts_with(begin));
    DIFFERENCES.iter().any(|one| one.options.iter().all(has))
}
