//! Intervals whose widths come from two measured drives, checked against the other two: every pair in turn, in both
//! directions.
//!
//! The models' values (`predicted.csv`) are those of `drivelab predict` without samples; fitted here is the second part
//! of an interval, the model error: the factor that contains four cells in five of two drives, each drive with the same
//! weight, for rates and medians, 99th percentiles, 99.9th, and maximum. The drives' own files are not refitted: three
//! of them keep values that were chosen by some of these rows.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

const MEASURED: &str = include_str!("../data/responses/random-4k.csv");
const QUESTIONS: &str = include_str!("../data/responses/questions.csv");
const PREDICTED: &str = include_str!("../data/responses/predicted.csv");

/// Metrics in the order of the measured columns, and the class of interval of each.
const METRICS: [(&str, usize); 5] = [
    ("iops", 0),
    ("p50_us", 0),
    ("p99_us", 1),
    ("p99_9_us", 2),
    ("max_us", 3),
];

/// One figure of one drive: its class, the model's error as a factor, and whether the program's interval contained the
/// truth.
struct Cell {
    drive: &'static str,
    class: usize,
    off: f64,
    inside: bool,
}

fn cells() -> Vec<Cell> {
    let measured = MEASURED.lines().skip(1).flat_map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let of = move |place: usize| (fields[0], fields[1], fields[5], fields[8 + place]);
        (0..METRICS.len()).map(of).collect::<Vec<_>>()
    });
    let answers = QUESTIONS.lines().skip(1).zip(PREDICTED.lines().skip(1));
    let cells = measured.zip(answers).zip(METRICS.iter().cycle());
    let cells = cells.map(
        |(((drive, host, depth, truth), (asked, answer)), (metric, class))| {
            let asked: Vec<&str> = asked.split(',').collect();
            let answer: Vec<&str> = answer.split(',').collect();
            let conditions = format!("queue depth {depth}");
            assert_eq!(
                [asked[0], asked[1], asked[2], asked[5], asked[6]],
                [answer[0], drive, host, &conditions, *metric]
            );
            let [low, value, high] = [1, 2, 3].map(|n| answer[n].parse::<f64>().unwrap());
            let truth: f64 = truth.parse().unwrap();
            Cell {
                drive,
                class: *class,
                off: (truth / value).max(value / truth),
                inside: (low..=high).contains(&truth),
            }
        },
    );
    cells.collect()
}

/// The factor that contains four in five cells of a class, on equally weighted drives.
fn fitted(cells: &[Cell], pair: [&str; 2], class: usize) -> f64 {
    let of = |drive: &'static str| move |cell: &&Cell| cell.drive == drive && cell.class == class;
    let mut weighed: Vec<(f64, f64)> = Vec::new();
    for cell in cells.iter().filter(|cell| pair.contains(&cell.drive)) {
        if cell.class == class {
            let alike = cells.iter().filter(of(cell.drive)).count();
            weighed.push((cell.off, 1.0 / alike as f64));
        }
    }
    weighed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut weight = 0.0;
    let reached = weighed.iter().find(|(_, more)| {
        weight += more;
        weight >= 0.8 * 2.0 - 1e-9
    });
    reached.unwrap().0
}

/// The share that is inside, of a thousand.
fn per_mille(inside: impl Iterator<Item = bool>) -> usize {
    let all: Vec<bool> = inside.collect();
    let held = all.iter().filter(|inside| **inside).count();
    (1_000 * held + all.len() / 2) / all.len()
}

#[test]
fn the_programs_own_intervals_hold_what_the_page_on_predicting_says() {
    let cells = cells();
    assert_eq!(cells.len(), 360);
    let of = |drive: &str| per_mille(cells.iter().filter(|c| c.drive == drive).map(|c| c.inside));
    assert_eq!(per_mille(cells.iter().map(|cell| cell.inside)), 817);
    assert_eq!(of("intel-d3-s4610-480gb"), 806);
    assert_eq!(of("crucial-mx200-250gb"), 733);
    assert_eq!(of("hitachi-travelstar-7k100-100gb"), 967);
    assert_eq!(of("samsung-860-pro-512gb"), 783);
}

#[test]
fn intervals_fitted_to_two_drives_hold_these_shares_of_the_other_two() {
    let cells = cells();
    let [mx, disk, intel, pro] = [
        "crucial-mx200-250gb",
        "hitachi-travelstar-7k100-100gb",
        "intel-d3-s4610-480gb",
        "samsung-860-pro-512gb",
    ];
    let pairs = [
        [mx, disk],
        [mx, intel],
        [mx, pro],
        [disk, intel],
        [disk, pro],
        [intel, pro],
    ];
    let held = pairs.map(|pair| {
        let factors = [0, 1, 2, 3].map(|class| fitted(&cells, pair, class));
        let others = cells.iter().filter(|cell| !pair.contains(&cell.drive));
        let share = per_mille(others.map(|cell| cell.off <= factors[cell.class] + 1e-12));
        eprintln!("fitted to {pair:?}: {factors:.2?}, of the others {share} of 1,000 held");
        share
    });
    // 70 to 90 % are wanted. A pair that has neither the 860 PRO nor a drive like it is too sure, one with it not enough.
    assert_eq!(held, [604, 850, 963, 667, 738, 833]);
}
