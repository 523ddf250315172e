//! Reads a table of TOML as a type, and tells the place of what does not fit.
//!
//! The library's own reader does the same, with three kinds of map: tables, values with their place, and dates. For
//! each of them the compiler makes the code of every type of a drive's file once more, which was a third of this crate.
//! Here a table is the only map: a value with its place ([`Placed`]) is read as three items.

use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::ops::Range;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml::map::Iter;

/// By this name a type asks for a value with its place.
const PLACED: &str = "a value with its place";

/// A value, and where it stands in its file, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Placed<T> {
    pub(crate) value: T,
    pub(crate) span: Range<usize>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Placed<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Placed<T>, D::Error> {
        from.deserialize_tuple_struct(PLACED, 3, Places(PhantomData))
    }
}

struct Places<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Places<T> {
    type Value = Placed<T>;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(PLACED)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Placed<T>, A::Error> {
        let missing = || A::Error::custom("a value without its place");
        let value = items.next_element()?.ok_or_else(missing)?;
        let start = items.next_element()?.ok_or_else(missing)?;
        let end = items.next_element()?.ok_or_else(missing)?;
        let span = start..end;
        Ok(Placed { value, span })
    }
}

/// Why a table is not what it should be.
#[derive(Debug)]
pub(crate) struct Refused {
    /// In the reader's words.
    pub(crate) message: String,
    /// Where, in bytes; the whole table's is not known.
    pub(crate) span: Option<Range<usize>>,
}

impl Refused {
    /// Keeps the innermost place.
    fn within(mut self, span: Option<Range<usize>>) -> Refused {
        self.span = self.span.or(span);
        self
    }
}

impl Display for Refused {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(&self.message)
    }
}

impl std::error::Error for Refused {}

impl de::Error for Refused {
    fn custom<T: Display>(message: T) -> Refused {
        Refused {
            message: message.to_string(),
            span: None,
        }
    }
}

/// A table as a type.
///
/// # Errors
/// What does not fit the type, and where.
pub(crate) fn read<T: DeserializeOwned>(table: &DeTable<'_>) -> Result<T, Refused> {
    T::deserialize(Node::Table(table))
}

/// A place of the tree of values.
#[derive(Clone, Copy)]
enum Node<'t> {
    Table(&'t DeTable<'t>),
    Value(&'t Spanned<DeValue<'t>>),
    /// An end of a place, in bytes.
    Byte(usize),
}

impl<'t> Node<'t> {
    fn span(&self) -> Option<Range<usize>> {
        match self {
            Node::Value(value) => Some(value.span()),
            Node::Table(_) | Node::Byte(_) => None,
        }
    }

    fn table(&self) -> Option<&'t DeTable<'t>> {
        match self {
            Node::Table(table) => Some(table),
            Node::Value(value) => value.get_ref().as_table(),
            Node::Byte(_) => None,
        }
    }

    /// A value that is no table and no array.
    fn scalar<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Refused> {
        let value = match self {
            Node::Value(value) => value.get_ref(),
            Node::Byte(byte) => return visitor.visit_u64(byte as u64),
            Node::Table(_) => return Err(Refused::invalid_type(Unexpected::Map, &visitor)),
        };
        match value {
            DeValue::String(text) => visitor.visit_borrowed_str(text),
            DeValue::Integer(number) => {
                let (digits, radix) = (number.as_str(), number.radix());
                match i64::from_str_radix(digits, radix) {
                    Ok(number) => visitor.visit_i64(number),
                    Err(_) => match u64::from_str_radix(digits, radix) {
                        Ok(number) => visitor.visit_u64(number),
                        Err(_) => Err(Refused::custom("integer number overflowed")),
                    },
                }
            }
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(value) if !value.is_infinite() || number.as_str().contains("inf") => {
                    visitor.visit_f64(value)
                }
                _ => Err(Refused::custom("floating-point number overflowed")),
            },
            DeValue::Boolean(is_so) => visitor.visit_bool(*is_so),
            DeValue::Datetime(date) => Err(Refused::custom(format!(
                "{date} is a date, which no value of a drive is"
            ))),
            DeValue::Array(_) => Err(Refused::invalid_type(Unexpected::Seq, &visitor)),
            DeValue::Table(_) => Err(Refused::invalid_type(Unexpected::Map, &visitor)),
        }
    }
}

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if let Some(table) = self.table() {
            return visitor.visit_map(Entries::of(table));
        }
        match self {
            Node::Value(value) if value.get_ref().is_array() => {
                let items = value.get_ref().as_array().into_iter().flatten();
                visitor.visit_seq(Items::of(items.map(Node::Value)))
            }
            _ => self.scalar(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        match self.span() {
            Some(span) if name == PLACED => {
                let ends = [Node::Byte(span.start), Node::Byte(span.end)];
                visitor.visit_seq(Items::of([self].into_iter().chain(ends)))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        match self.table() {
            Some(table) => visitor.visit_map(Entries::of(table)),
            None => self.scalar(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        let word = match self {
            Node::Value(value) => value.get_ref().as_str(),
            Node::Table(_) | Node::Byte(_) => None,
        };
        let word = word.ok_or_else(|| Refused::custom("expected a word in quotes"))?;
        visitor.visit_enum(BorrowedStrDeserializer::new(word))
    }

    forward_to_deserialize_any! {
        bool u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 char str string seq
        bytes byte_buf map unit ignored_any unit_struct tuple identifier
    }
}

/// What a table says, name by name.
struct Entries<'t> {
    rest: Iter<'t, Spanned<std::borrow::Cow<'t, str>>, Spanned<DeValue<'t>>>,
    value: Option<Node<'t>>,
}

impl<'t> Entries<'t> {
    fn of(table: &'t DeTable<'t>) -> Entries<'t> {
        Entries {
            rest: table.iter(),
            value: None,
        }
    }
}

impl<'t> MapAccess<'t> for Entries<'t> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'t>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refused> {
        let Some((name, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some(Node::Value(value));
        let read = seed.deserialize(BorrowedStrDeserializer::new(name.get_ref()));
        read.map(Some)
            .map_err(|error: Refused| error.within(Some(name.span())))
    }

    fn next_value_seed<V: DeserializeSeed<'t>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        let without = || Refused::custom("a value without a name");
        let value = self.value.take().ok_or_else(without)?;
        let read = seed.deserialize(value);
        read.map_err(|error| error.within(value.span()))
    }
}

/// The items of an array.
struct Items<'t> {
    nodes: std::vec::IntoIter<Node<'t>>,
}

impl<'t> Items<'t> {
    fn of(nodes: impl Iterator<Item = Node<'t>>) -> Items<'t> {
        let nodes = nodes.collect::<Vec<_>>().into_iter();
        Items { nodes }
    }
}

impl<'t> SeqAccess<'t> for Items<'t> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'t>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refused> {
        let Some(node) = self.nodes.next() else {
            return Ok(None);
        };
        let read = seed.deserialize(node);
        read.map(Some).map_err(|error| error.within(node.span()))
    }
}
