//! Quantities of drives' files: how each is written, its unit, and what it is in a model.
//!
//! A file says times in microseconds, rates in MB/s and sizes in KiB or MiB, as datasheets do; a model
//! works with whole nanoseconds, picoseconds per byte and bytes. A mechanism with a unit of its own
//! (a share of a revolution, say) implements [`Quantity`] beside its table.

use std::fmt::Display;
use std::marker::PhantomData;

use base::size::{Bytes, PicosPerByte};
use base::time::Duration;

/// A quantity: written in a file in its unit, plain in a model.
pub trait Quantity {
    /// As a file has it.
    type Written: Clone + Display;
    /// As a model has it.
    type Plain;
    /// The unit in which it is written; empty for a pure number.
    const UNIT: &'static str = "";
    /// From the file's number to the model's.
    fn plain(written: Self::Written) -> Self::Plain;
}

/// Quantities of one type in a file and one in a model, and how the first becomes the second.
macro_rules! quantities {
    ($($(#[$doc:meta])* $vis:vis $name:ident: $written:ty, $unit:literal => $plain:ty = $convert:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name;

        impl $crate::sheet::quantity::Quantity for $name {
            type Written = $written;
            type Plain = $plain;
            const UNIT: &'static str = $unit;
            fn plain(written: $written) -> $plain {
                let convert: fn($written) -> $plain = $convert;
                convert(written)
            }
        }
    )*};
}
pub(crate) use quantities;

quantities! {
    /// A time in microseconds.
    pub Microseconds: f64, "us" => Duration = |us| Duration::from_secs_f64(us / 1e6);
    /// A time in milliseconds.
    pub Milliseconds: f64, "ms" => Duration = |ms| Duration::from_secs_f64(ms / 1e3);
    /// A time in seconds.
    pub Seconds: f64, "s" => Duration = Duration::from_secs_f64;
    /// A time in days.
    pub Days: f64, "days" => Duration = |days| Duration::from_secs_f64(days * 86_400.0);
    /// A rate in units of 10^6 bytes per second.
    pub MegabytesPerSecond: f64, "MB/s" => PicosPerByte = PicosPerByte::from_mb_s;
    /// A size in whole KiB, as bytes.
    pub Kibibytes: u32, "KiB" => u64 = |kib| u64::from(kib) << 10;
    /// A size in KiB that may be less than one.
    pub FractionalKibibytes: f64, "KiB" => Bytes = |kib| Bytes::new((kib * 1_024.0) as u64);
    /// A size in MiB.
    pub Mebibytes: f64, "MiB" => Bytes = |mib| Bytes::new((mib * 1_048_576.0) as u64);
    /// A whole number.
    pub Count: u32, "" => u32 = |count| count;
    /// A number.
    pub Number: f64, "" => f64 = |number| number;
    /// A share, in a model as thousandths.
    pub PerMille: f64, "" => u32 = |share| (share * 1_000.0 + 0.5) as u32;
    /// Whether something is so.
    pub Flag: bool, "" => bool = |flag| flag;
}

/// A word out of a list, which is the type's.
#[derive(Clone, Copy, Debug)]
pub struct Word<T>(PhantomData<T>);

impl<T: Clone + Display> Quantity for Word<T> {
    type Written = T;
    type Plain = T;
    fn plain(written: T) -> T {
        written
    }
}
