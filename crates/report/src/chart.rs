//! A picture as geometry: axes with their scales and ticks, lines with their bands, marks.
//!
//! A picture is drawn twice (as SVG in the page, by a chart library over it) and described once, here. A
//! linear axis has ticks at 1, 2 or 5 times a power of ten; a logarithmic one at the powers of ten,
//! and where it spans few of them at 2 and 5 times these, or at powers of two.

use crate::number;

/// How many colours drives have in charts; after these they repeat.
pub(crate) const COLOURS: usize = 6;

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal ratios are equally long.
    Log,
    /// The same, with ticks at powers of two.
    Log2,
}

/// What an axis' values are, and so how they are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A plain number.
    Number,
    Percent,
    /// A time in microseconds, printed in the unit that fits.
    Micros,
    /// A time in milliseconds, printed in the unit that fits.
    Millis,
    /// A size in bytes, printed in the power of 1024 that fits.
    Bytes,
    /// A percentile, as how many there are to one beyond it, printed as a percentile.
    OneIn,
}

/// The percentile that one value in this many exceeds.
fn print_percentile(one_in: f64) -> String {
    format!("{} %", short(100.0 - 100.0 / one_in))
}

impl Reading {
    /// The word by which the page's script knows it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Reading::Number => "number",
            Reading::Percent => "percent",
            Reading::Micros => "us",
            Reading::Millis => "ms",
            Reading::Bytes => "bytes",
            Reading::OneIn => "one-in",
        }
    }

    /// A value of the axis, for people.
    pub(crate) fn print(self, value: f64) -> String {
        match self {
            Reading::Number => number::value(value, ""),
            Reading::Percent => format!("{} %", short(value)),
            Reading::Micros => print_micros(value, number_of_three),
            Reading::Millis => print_micros(value * 1e3, number_of_three),
            Reading::Bytes => print_bytes(value, number_of_three),
            Reading::OneIn => print_percentile(value),
        }
    }

    /// A tick's label: ticks are round numbers, and need no decimals for show.
    fn tick(self, value: f64) -> String {
        match self {
            Reading::Number => number::with_commas(&short(value)),
            Reading::Percent => format!("{} %", short(value)),
            // Zero is the same in any unit.
            Reading::Micros | Reading::Millis if value == 0.0 => "0".to_owned(),
            Reading::Micros => print_micros(value, short),
            Reading::Millis => print_micros(value * 1e3, short),
            Reading::Bytes => print_bytes(value, short),
            Reading::OneIn => print_percentile(value),
        }
    }
}

fn print_micros(micros: f64, print: fn(f64) -> String) -> String {
    let (value, unit) = match micros {
        us if us < 0.9995 => (us * 1e3, "ns"),
        us if us < 999.5 => (us, "µs"),
        us if us < 999_500.0 => (us / 1e3, "ms"),
        us => (us / 1e6, "s"),
    };
    format!("{} {unit}", print(value))
}

fn print_bytes(bytes: f64, print: fn(f64) -> String) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let fits = |power: &usize| bytes >= libm::pow(1024.0, *power as f64) * 0.9995;
    let power = (1..units.len()).rev().find(fits).unwrap_or(0);
    let value = bytes / libm::pow(1024.0, power as f64);
    let text = if value.fract() == 0.0 {
        short(value)
    } else {
        print(value)
    };
    format!("{text} {}", units[power])
}

fn number_of_three(value: f64) -> String {
    number::value(value, "")
}

/// The fewest decimals that give the number to six digits.
fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// One axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) label: String,
    /// Linear or logarithmic.
    pub(crate) scale: Scale,
    /// What its values are.
    pub(crate) reading: Reading,
    /// Its first value; above zero on a logarithmic axis.
    pub(crate) low: f64,
    /// Its last value; above the first.
    pub(crate) high: f64,
}

/// One tick.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    /// What it says; nothing for a line without words.
    pub(crate) label: String,
}

impl Axis {
    /// Where a value lies, from 0 to 1; what is outside lies at the edge.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let part = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log | Scale::Log2 if value <= self.low => 0.0,
            Scale::Log | Scale::Log2 => {
                libm::log10(value / self.low) / libm::log10(self.high / self.low)
            }
        };
        if part.is_finite() {
            part.clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// The value that lies there, from 0 to 1.
    pub(crate) fn value(&self, place: f64) -> f64 {
        match self.scale {
            Scale::Linear => self.low + (self.high - self.low) * place,
            Scale::Log | Scale::Log2 => self.low * libm::pow(self.high / self.low, place),
        }
    }

    /// Ticks, about `wanted` of them with words.
    pub(crate) fn ticks(&self, wanted: usize) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => self.linear_ticks(wanted),
            Scale::Log => self.log_ticks(wanted),
            Scale::Log2 => self.doubling_ticks(wanted),
        }
    }

    fn linear_ticks(&self, wanted: usize) -> Vec<Tick> {
        let step = nice_step((self.high - self.low) / wanted.max(1) as f64);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last.min(first.saturating_add(100)))
            .map(|i| i as f64 * step)
            .map(|at| Tick {
                at,
                label: self.reading.tick(at),
            })
            .collect()
    }

    fn log_ticks(&self, wanted: usize) -> Vec<Tick> {
        let decade = |value: f64| libm::log10(value);
        let (first, last) = (
            power(decade(self.low).floor(), f64::MAX_10_EXP),
            power(decade(self.high).ceil(), f64::MAX_10_EXP),
        );
        let decades = decade(self.high) - decade(self.low);
        let spoken: &[u32] = if decades * 3.0 <= wanted as f64 {
            &[1, 2, 5]
        } else {
            &[1]
        };
        // With very many decades only every second or third has words.
        let every = ((decades / wanted.max(1) as f64).ceil() as i32).max(1);
        let inside = |at: &f64| *at >= self.low * 0.999 && *at <= self.high * 1.001;
        let mut ticks = Vec::new();
        for power in first..=last {
            for digit in 1..=9_u32 {
                let at = f64::from(digit) * libm::pow(10.0, f64::from(power));
                let speaks = spoken.contains(&digit) && power.rem_euclid(every) == 0;
                let label = if speaks {
                    self.reading.tick(at)
                } else {
                    String::new()
                };
                ticks.push(Tick { at, label });
            }
        }
        ticks.retain(|tick| inside(&tick.at));
        ticks
    }

    fn doubling_ticks(&self, wanted: usize) -> Vec<Tick> {
        let first = power((libm::log2(self.low) - 1e-9).ceil(), f64::MAX_EXP);
        let last = power((libm::log2(self.high) + 1e-9).floor(), f64::MAX_EXP);
        let every = ((last - first + 1) as usize).div_ceil(wanted.max(1)).max(1) as i32;
        let tick = |power: i32| {
            let at = libm::pow(2.0, f64::from(power));
            let speaks = power.rem_euclid(every) == 0;
            let label = if speaks {
                self.reading.tick(at)
            } else {
                String::new()
            };
            Tick { at, label }
        };
        (first..=last).map(tick).collect()
    }
}

/// An exponent that a number may have: an axis that ends at infinity, or begins at zero, has ticks as far as there are
/// numbers.
fn power(exponent: f64, largest: i32) -> i32 {
    (exponent as i32).clamp(-largest, largest)
}

/// The least of 1, 2, 5 times a power of ten that is not below `least`.
fn nice_step(least: f64) -> f64 {
    if !(least > 0.0 && least.is_finite()) {
        return 1.0;
    }
    let power = libm::pow(10.0, libm::log10(least).floor());
    let digit = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|digit| digit * power >= least * (1.0 - 1e-9))
        .unwrap_or(10.0);
    digit * power
}

/// The end of a linear axis from 0 that shows values up to `most`.
pub(crate) fn nice_end(most: f64) -> f64 {
    if !(most > 0.0 && most.is_finite()) {
        return 1.0;
    }
    let step = nice_step(most / 6.0);
    (most / step - 1e-9).ceil() * step
}

/// The lower and the upper edge of a band; as many values as its line has points.
pub(crate) type Band = (Vec<Option<f64>>, Vec<Option<f64>>);

/// How a line's points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawing {
    /// A line from each to the next.
    Line,
    /// The outline of a histogram.
    Histogram,
    /// A bar each: number `place` of `of` side by side.
    Bars {
        place: usize,
        of: usize,
    },
    Dots,
}

impl Drawing {
    /// Of its own kind in a picture without colours: every other one of several bars is hollow, and dots are round,
    /// square or crosses, in turn.
    pub(crate) fn class(self, number: usize) -> &'static str {
        match (self, number % 3) {
            (Drawing::Bars { place, .. }, _) if place % 2 == 1 => " hollow",
            (Drawing::Dots, 1) => " square",
            (Drawing::Dots, 2) => " cross",
            _ => "",
        }
    }
}

/// Where bars stand: on an axis the least distance between neighbours, which they share, from 0 to 1.
pub(crate) fn bar_room(x: &Axis, lines: &[Line]) -> f64 {
    let mut places: Vec<f64> = lines
        .iter()
        .flat_map(|line| line.x.iter().map(|at| x.place(*at)))
        .collect();
    places.sort_by(f64::total_cmp);
    let gaps = places.windows(2).map(|pair| pair[1] - pair[0]);
    let least = gaps.filter(|gap| *gap > 1e-6).fold(0.25, f64::min);
    least * 0.8
}

/// One line, with its band, one histogram, or the bars or dots of one name.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Its colour, as a class of the style sheet: `drive-0`, `op-read`, `op-write`, `op-overlap`.
    pub(crate) colour: String,
    /// The number of the subject that it belongs to.
    pub(crate) subject: usize,
    /// Its name in the legend.
    pub(crate) name: String,
    /// A short name at its end, if any.
    pub(crate) letter: String,
    /// Positions; for a histogram, the edges of its buckets, the end of the last one included.
    pub(crate) x: Vec<f64>,
    /// Values; for a histogram, the bucket from this edge on.
    pub(crate) y: Vec<Option<f64>>,
    /// The band: its lower and upper edges.
    pub(crate) band: Option<Band>,
    /// How its points are drawn.
    pub(crate) drawing: Drawing,
    /// What one unit of x is in GB, where the axis is in per cent.
    pub(crate) gb_a_unit: Option<f64>,
    /// Whether its values are along the picture's axis on the right.
    pub(crate) on_right: bool,
}

/// One marked point.
#[derive(Clone, Debug)]
pub(crate) struct PlotMark {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) label: String,
    /// The classes of a dot in a colour of its own; empty for a diamond.
    pub(crate) class: String,
}

/// One picture.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    /// Its name, unique in the page.
    pub(crate) id: String,
    /// The subject that all of it is about, if it is about one.
    pub(crate) subject: Option<usize>,
    /// What it shows.
    pub(crate) title: String,
    /// What it shows, for those who do not see it.
    pub(crate) description: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// The vertical axis on the right, of the lines that say so.
    pub(crate) right: Option<Axis>,
    /// The lines; a line's number is its place here.
    pub(crate) lines: Vec<Line>,
    pub(crate) marks: Vec<PlotMark>,
}

impl Plot {
    /// The vertical axis that a line's values are along.
    pub(crate) fn axis_of(&self, line: &Line) -> &Axis {
        let right = self.right.as_ref().filter(|_| line.on_right);
        right.unwrap_or(&self.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(scale: Scale, reading: Reading, low: f64, high: f64) -> Axis {
        Axis {
            label: String::new(),
            scale,
            reading,
            low,
            high,
        }
    }

    fn labels(axis: &Axis, wanted: usize) -> String {
        let ticks = axis.ticks(wanted);
        let labels: Vec<&str> = ticks
            .iter()
            .map(|tick| tick.label.as_str())
            .filter(|label| !label.is_empty())
            .collect();
        labels.join(" | ")
    }

    #[test]
    fn linear_ticks_are_round_and_inside() {
        let rates = axis(Scale::Linear, Reading::Number, 0.0, 4_000.0);
        assert_eq!(labels(&rates, 5), "0 | 1,000 | 2,000 | 3,000 | 4,000");
        let small = axis(Scale::Linear, Reading::Number, 0.0, 0.7);
        assert_eq!(labels(&small, 4), "0 | 0.2 | 0.4 | 0.6");
    }

    #[test]
    fn log_ticks_are_powers_of_ten_in_the_unit_that_fits() {
        let wide = axis(Scale::Log, Reading::Micros, 1.0, 1_000_000.0);
        assert_eq!(
            labels(&wide, 8),
            "1 µs | 10 µs | 100 µs | 1 ms | 10 ms | 100 ms | 1 s"
        );
        let narrow = axis(Scale::Log, Reading::Millis, 0.03, 0.3);
        assert_eq!(labels(&narrow, 6), "50 µs | 100 µs | 200 µs");
    }

    #[test]
    fn sizes_and_depths_have_ticks_at_powers_of_two() {
        let sizes = axis(Scale::Log2, Reading::Bytes, 450.0, 9e6);
        assert_eq!(
            labels(&sizes, 8),
            "1 KiB | 4 KiB | 16 KiB | 64 KiB | 256 KiB | 1 MiB | 4 MiB"
        );
        assert_eq!(sizes.ticks(8).len(), 15);
        let depths = axis(Scale::Log2, Reading::Number, 0.8, 40.0);
        assert_eq!(labels(&depths, 10), "1 | 2 | 4 | 8 | 16 | 32");
        assert_eq!(Reading::Bytes.print(1536.0 * 1024.0), "1.50 MiB");
    }

    #[test]
    fn a_value_outside_lies_at_the_edge() {
        let log = axis(Scale::Log, Reading::Number, 1.0, 100.0);
        assert!((log.place(10.0) - 0.5).abs() < 1e-12);
        for (value, place) in [(0.0, 0.0), (-5.0, 0.0), (1e9, 1.0), (f64::NAN, 0.0)] {
            assert!((log.place(value) - place).abs() < 1e-12, "{value}");
        }
    }

    #[test]
    fn an_axis_without_extent_has_no_endless_ticks() {
        let empty = axis(Scale::Linear, Reading::Number, 0.0, 0.0);
        assert!(empty.ticks(5).len() <= 101);
        for (low, high) in [(1.0, f64::INFINITY), (0.0, 1.0), (1e300, 1e308)] {
            for scale in [Scale::Linear, Scale::Log, Scale::Log2] {
                let ticks = axis(scale, Reading::Number, low, high).ticks(5);
                assert!(ticks.len() <= 6_000, "{low} to {high}: {}", ticks.len());
            }
        }
        assert!((nice_end(0.0) - 1.0).abs() < 1e-12);
        assert!((nice_end(3_611.0) - 4_000.0).abs() < 1e-9);
    }
}
