//! JSON with its keys in fio's order, written as fio writes it.

use std::fmt::Write;

/// A value of the output.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Whole(u64),
    /// A number with six decimals.
    Number(f64),
    Text(String),
    /// Values in order.
    List(Vec<Value>),
    /// Keys with their values, in order.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// An object.
    pub fn object<K: Into<String>>(pairs: impl IntoIterator<Item = (K, Value)>) -> Value {
        Value::Object(
            pairs
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    }

    /// A text.
    pub fn text(text: impl Into<String>) -> Value {
        Value::Text(text.into())
    }

    /// Written over lines.
    pub fn pretty(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, 0);
        text.push('\n');
        text
    }

    fn write(&self, to: &mut String, depth: usize) {
        // Writing into a text cannot fail.
        let _ = match self {
            Value::Whole(n) => write!(to, "{n}"),
            Value::Number(x) if x.is_finite() => write!(to, "{x:.6}"),
            Value::Number(_) => write!(to, "0.000000"),
            Value::Text(text) => write!(to, "{}", serde_json::Value::from(text.as_str())),
            Value::List(list) => {
                lines(to, depth, '[', ']', list.iter(), |to, value| {
                    value.write(to, depth + 1)
                });
                Ok(())
            }
            Value::Object(pairs) => {
                lines(to, depth, '{', '}', pairs.iter(), |to, (key, value)| {
                    let _ = write!(to, "{} : ", serde_json::Value::from(key.as_str()));
                    value.write(to, depth + 1);
                });
                Ok(())
            }
        };
    }
}

fn lines<T>(
    to: &mut String,
    depth: usize,
    open: char,
    close: char,
    all: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    to.push(open);
    for (n, one) in all.enumerate() {
        to.push_str(if n > 0 { ",\n" } else { "\n" });
        to.push_str(&"  ".repeat(depth + 1));
        write(to, one);
    }
    to.push('\n');
    to.push_str(&"  ".repeat(depth));
    to.push(close);
}
