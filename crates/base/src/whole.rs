//! Integers with a unit: bytes, nanoseconds. Each is its own type, so that a size is never added to a time.

/// A whole number with a unit, which is written as the number alone.
macro_rules! whole {
    ($(#[$about:meta])* $name:ident) => {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(transparent)]
        $(#[$about])*
        pub struct $name(u64);
    };
}

/// Adding a span to a number of this unit.
macro_rules! plus {
    ($name:ident, $span:ident) => {
        impl std::ops::Add<$span> for $name {
            type Output = $name;
            fn add(self, span: $span) -> $name {
                $name(self.0 + span.0)
            }
        }
        impl std::ops::AddAssign<$span> for $name {
            fn add_assign(&mut self, span: $span) {
                self.0 += span.0;
            }
        }
    };
}

/// A span: it can be added, subtracted and multiplied.
macro_rules! span {
    ($name:ident) => {
        plus!($name, $name);
        impl std::ops::Sub for $name {
            type Output = $name;
            fn sub(self, other: $name) -> $name {
                $name(self.0 - other.0)
            }
        }
        impl std::ops::SubAssign for $name {
            fn sub_assign(&mut self, other: $name) {
                self.0 -= other.0;
            }
        }
        impl std::ops::Mul<u64> for $name {
            type Output = $name;
            fn mul(self, times: u64) -> $name {
                $name(self.0 * times)
            }
        }
        impl $name {
            /// Nothing.
            pub const ZERO: $name = $name(0);

            /// `self - other`, or nothing where `other` is more.
            pub const fn saturating_sub(self, other: $name) -> $name {
                $name(self.0.saturating_sub(other.0))
            }
            /// `self + other`, or the most that can be named.
            #[must_use]
            pub const fn saturating_add(self, other: $name) -> $name {
                $name(self.0.saturating_add(other.0))
            }
            /// True for nothing.
            pub const fn is_zero(self) -> bool {
                self.0 == 0
            }
        }
    };
}

/// A number with three digits, and its unit.
pub(crate) fn three_digits(value: f64, unit: &str) -> String {
    let decimals = if value < 9.995 {
        2
    } else if value < 99.95 {
        1
    } else {
        0
    };
    format!("{value:.decimals$} {unit}")
}
