//! The table of a mechanism's parameters: one line each, for the file, the sheet and the model.
//!
//! ```text
//! parameters! {
//!     /// How a drive reads ahead.
//!     #[derive(Clone, Copy, Debug, PartialEq, Eq)]
//!     pub ReadingAhead from ReadAheadConfig ["read_ahead"] {
//!         /// Streams followed at once.
//!         streams "streams": Count in 1..=64;
//!         /// Commands that must follow each other before anything is fetched.
//!         after "after": Count("commands") in 1..=64;
//!         /// Bytes fetched beyond a stream's last command, at most.
//!         window "window_kib": Kibibytes in 16..=16_384;
//!         /// Every write ends every stream.
//!         write_ends "write_ends": Flag;
//!     }
//! }
//! ```
//!
//! A line has the meaning, the name in the model, the key in the file, the quantity
//! ([`super::quantity`]) with its unit where that is not the quantity's own, and the range. A value
//! that a file may leave out ends in `, or` and what the model has then, or in `, maybe` where the
//! model has an `Option`. From the table come the type of the file's section, its rows on the drive's
//! sheet, the plain numbers and their documentation. Words (`Word<T>`) and flags have no range: their
//! type limits them.

use super::{Row, Sourced};
use crate::sheet::quantity::Quantity;

/// A value of a section that may have been left out.
pub(crate) trait Given<T> {
    /// The value, where the file has it.
    fn given(&self) -> Option<&Sourced<T>>;
}

impl<T> Given<T> for Sourced<T> {
    fn given(&self) -> Option<&Sourced<T>> {
        Some(self)
    }
}

impl<T> Given<T> for Option<Sourced<T>> {
    fn given(&self) -> Option<&Sourced<T>> {
        self.as_ref()
    }
}

/// The row of a value with a range, in its quantity's unit unless another is given.
pub(crate) fn row<Q: Quantity>(
    value: &impl Given<Q::Written>,
    key: &'static str,
    unit: Option<&'static str>,
    allowed: std::ops::RangeInclusive<Q::Written>,
) -> Option<Row>
where
    Q::Written: PartialOrd,
{
    let unit = unit.unwrap_or(Q::UNIT);
    value.given().map(|value| value.row(key, unit, allowed))
}

/// The row of a value whose type limits it.
pub(crate) fn plain_row<Q: Quantity>(
    value: &impl Given<Q::Written>,
    key: &'static str,
    unit: Option<&'static str>,
) -> Option<Row> {
    let unit = unit.unwrap_or(Q::UNIT);
    value.given().map(|value| value.plain_row(key, unit))
}

/// A value as a model has it, where the file has it.
pub(crate) fn plain<Q: Quantity>(value: &impl Given<Q::Written>) -> Option<Q::Plain> {
    value.given().map(|value| Q::plain(value.get()))
}

/// See the module.
macro_rules! parameters {
    // The type of a value in the file's section, and in the model.
    (@written $quantity:ty,) => { $crate::sheet::Sourced<<$quantity as $crate::sheet::quantity::Quantity>::Written> };
    (@written $quantity:ty, $left_out:ident) => { Option<$crate::sheet::Sourced<<$quantity as $crate::sheet::quantity::Quantity>::Written>> };
    (@type $quantity:ty, maybe) => { Option<<$quantity as $crate::sheet::quantity::Quantity>::Plain> };
    (@type $quantity:ty, $($or:ident)?) => { <$quantity as $crate::sheet::quantity::Quantity>::Plain };

    // Its row.
    (@row $quantity:ty, $value:expr, $key:literal, [$($unit:literal)?], $range:expr) => {
        $crate::sheet::table::row::<$quantity>($value, $key, None$(.or(Some($unit)))?, $range)
    };
    (@row $quantity:ty, $value:expr, $key:literal, [$($unit:literal)?],) => {
        $crate::sheet::table::plain_row::<$quantity>($value, $key, None$(.or(Some($unit)))?)
    };

    // Its plain number.
    (@plain $quantity:ty, $value:expr,) => {
        <$quantity as $crate::sheet::quantity::Quantity>::plain($value.get())
    };
    (@plain $quantity:ty, $value:expr, maybe) => {
        $crate::sheet::table::plain::<$quantity>(&$value)
    };
    (@plain $quantity:ty, $value:expr, or $default:expr) => {
        $crate::sheet::table::plain::<$quantity>(&$value).unwrap_or($default)
    };

    (
        $(#[$about:meta])*
        $vis:vis $plain:ident from $config:ident $(+ $derive:ident)* $([$section:literal])? {
            $(
                $(#[$doc:meta])*
                $field:ident $key:literal: $quantity:ident $(<$word:ty>)? $(($unit:literal))?
                    $(in $range:expr)? $(, $left_out:ident $($default:expr)?)?;
            )*
        }
    ) => {
        $(#[$about])*
        $vis struct $plain {
            $(
                $(#[$doc])*
                #[doc = concat!("\n\nIn a file: `", $key, "`.")]
                $vis $field: $crate::sheet::table::parameters!(@type $quantity $(<$word>)?, $($left_out)?),
            )*
        }

        #[doc = concat!("The section of a file that makes a [`", stringify!($plain), "`].")]
        #[derive(Clone, Debug, serde::Deserialize $(, $derive)*)]
        #[serde(deny_unknown_fields)]
        $vis struct $config {
            $(
                #[serde(rename = $key)]
                $field: $crate::sheet::table::parameters!(@written $quantity $(<$word>)?, $($left_out)?),
            )*
        }

        impl $config {
            /// The values that the file has, with units, sources and allowed ranges.
            $vis fn rows(&self) -> Vec<$crate::sheet::Row> {
                let rows = [$(
                    $crate::sheet::table::parameters!(@row $quantity $(<$word>)?, &self.$field, $key, [$($unit)?], $($range)?),
                )*];
                rows.into_iter().flatten().collect()
            }

            $(
                /// The section with all of them.
                $vis fn section(&self) -> $crate::sheet::Section {
                    $crate::sheet::Section::new($section, self.rows())
                }
            )?

            /// The plain numbers.
            $vis fn parameters(&self) -> $plain {
                $plain {
                    $(
                        $field: $crate::sheet::table::parameters!(@plain $quantity $(<$word>)?, self.$field, $($left_out $($default)?)?),
                    )*
                }
            }
        }
    };
}
pub(crate) use parameters;
