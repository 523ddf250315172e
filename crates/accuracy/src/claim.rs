//! Arithmetic and claims in the row tables: `w + r`, `jmf602 > vertex > hdd`, `below(k4_1000, k4_100)`.
//!
//! A row defines how its number follows from simulated figures, and when a claim in words holds, as an expression over
//! named numbers. The documents' phrases ("far above", "about the same") are functions here, so that they mean the same
//! in every row:
//!
//! | function | true where |
//! |---|---|
//! | `above(a, b)`, `below(a, b)` | a is at least 2 % above, below b |
//! | `far_above(a, b)`, `far_below(a, b)` | a is at least 25 % above b, b at least 25 % above a |
//! | `slightly_below(a, b)` | a is below b by at most 10 % |
//! | `same(a, b)` | the smaller is within 10 % of the larger |
//! | `to_about(a, b)` | a is between half of b and twice b |
//! | `none(a)` | there is no such number |
//!
//! `min`, `max`, `abs` and `or(a, b)` (b where there is no a) give numbers. A comparison with a number
//! that is not there is false.

use std::collections::BTreeMap;

/// What an expression comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Worth {
    /// A number; NaN where there is none.
    Number(f64),
    /// A claim that holds or does not.
    Truth(bool),
}

/// An expression, read and ready.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    root: Node,
    names: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Name(String),
    Call(Function, Vec<Node>),
    Negative(Box<Node>),
    Binary(char, Box<Node>, Box<Node>),
    /// `a > b >= c`: every comparison of neighbours holds.
    Chain(Vec<Node>, Vec<&'static str>),
    All(Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Min,
    Max,
    Abs,
    Or,
    None,
    Above,
    Below,
    FarAbove,
    FarBelow,
    SlightlyBelow,
    Same,
    ToAbout,
}

/// Each function's name, and how many arguments it takes at least and at most.
const FUNCTIONS: [(&str, Function, usize, usize); 12] = [
    ("min", Function::Min, 1, usize::MAX),
    ("max", Function::Max, 1, usize::MAX),
    ("abs", Function::Abs, 1, 1),
    ("or", Function::Or, 2, 2),
    ("none", Function::None, 1, 1),
    ("above", Function::Above, 2, 2),
    ("below", Function::Below, 2, 2),
    ("far_above", Function::FarAbove, 2, 2),
    ("far_below", Function::FarBelow, 2, 2),
    ("slightly_below", Function::SlightlyBelow, 2, 2),
    ("same", Function::Same, 2, 2),
    ("to_about", Function::ToAbout, 2, 2),
];

/// Why a text is no expression, or cannot be worked out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}': {what}")]
pub struct BadExpression {
    pub text: String,
    /// What is wrong.
    pub what: String,
}

impl Expression {
    /// Reads one.
    ///
    /// # Errors
    /// Where the text is none.
    pub fn read(text: &str) -> Result<Expression, BadExpression> {
        let bad = |what: String| BadExpression {
            text: text.to_owned(),
            what,
        };
        let tokens = tokens(text).map_err(bad)?;
        let mut parser = Parser {
            tokens: &tokens,
            names: Vec::new(),
            depth: 0,
        };
        let root = parser.all().map_err(bad)?;
        match parser.tokens.first() {
            None => Ok(Expression {
                text: text.to_owned(),
                root,
                names: parser.names,
            }),
            Some(token) => Err(bad(format!("nothing may follow at '{token}'"))),
        }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same with another name for one of its numbers.
    pub fn renamed(&self, from: &str, to: &str) -> Expression {
        let other = |name: &String| {
            if name == from {
                to.to_owned()
            } else {
                name.clone()
            }
        };
        Expression {
            text: self.text.clone(),
            root: renamed(&self.root, &other),
            names: self.names.iter().map(other).collect(),
        }
    }

    /// A claim of a bound: `> 500`.
    ///
    /// # Errors
    /// Where the bound is none.
    pub fn compared(&self, bound: &str) -> Result<Expression, BadExpression> {
        let text = format!("x {bound}");
        let read = Expression::read(&text)?;
        let Node::Chain(mut nodes, signs) = read.root else {
            let what = "is not a bound".to_owned();
            return Err(BadExpression { text, what });
        };
        nodes[0] = self.root.clone();
        Ok(Expression {
            text: format!("{} {bound}", self.text),
            root: Node::Chain(nodes, signs),
            names: self.names.clone(),
        })
    }

    /// The claim that all of these hold.
    pub fn all(claims: Vec<Expression>) -> Expression {
        let texts: Vec<&str> = claims.iter().map(Expression::text).collect();
        Expression {
            text: texts.join(" and "),
            names: claims.iter().flat_map(|c| c.names.clone()).collect(),
            root: Node::All(claims.into_iter().map(|claim| claim.root).collect()),
        }
    }

    /// The names of numbers that it needs.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A name on both sides of a comparison: such a claim is empty.
    pub fn compared_with_itself(&self) -> Option<&str> {
        with_itself(&self.root)
    }

    /// Works it out. A name that is not there has no number.
    pub fn worth(&self, numbers: &BTreeMap<String, f64>) -> Worth {
        worth(&self.root, numbers)
    }

    /// Works it out as a number: NaN where there is none.
    pub fn number(&self, numbers: &BTreeMap<String, f64>) -> f64 {
        match self.worth(numbers) {
            Worth::Number(number) => number,
            Worth::Truth(_) => f64::NAN,
        }
    }
}

impl TryFrom<String> for Expression {
    type Error = BadExpression;

    fn try_from(text: String) -> Result<Expression, BadExpression> {
        Expression::read(&text)
    }
}

impl<'de> serde::Deserialize<'de> for Expression {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Expression, D::Error> {
        let text = String::deserialize(from)?;
        Expression::read(&text).map_err(serde::de::Error::custom)
    }
}

fn renamed(node: &Node, other: &dyn Fn(&String) -> String) -> Node {
    let each = |nodes: &[Node]| nodes.iter().map(|node| renamed(node, other)).collect();
    let inside = |node: &Node| Box::new(renamed(node, other));
    match node {
        Node::Number(value) => Node::Number(*value),
        Node::Name(name) => Node::Name(other(name)),
        Node::Call(function, nodes) => Node::Call(*function, each(nodes)),
        Node::Negative(node) => Node::Negative(inside(node)),
        Node::Binary(sign, a, b) => Node::Binary(*sign, inside(a), inside(b)),
        Node::Chain(nodes, signs) => Node::Chain(each(nodes), signs.clone()),
        Node::All(nodes) => Node::All(each(nodes)),
    }
}

fn with_itself(node: &Node) -> Option<&str> {
    let same = |pair: &[Node]| match pair {
        [Node::Name(a), Node::Name(b)] => a == b,
        _ => false,
    };
    match node {
        Node::Number(_) | Node::Name(_) => None,
        Node::Negative(inside) => with_itself(inside),
        Node::Binary(_, a, b) => with_itself(a).or_else(|| with_itself(b)),
        Node::All(nodes) => nodes.iter().find_map(with_itself),
        Node::Call(_, nodes) | Node::Chain(nodes, _) => {
            let name = match nodes.windows(2).find(|pair| same(pair)) {
                Some([Node::Name(name), _]) => Some(name.as_str()),
                _ => None,
            };
            name.or_else(|| nodes.iter().find_map(with_itself))
        }
    }
}

fn worth(node: &Node, numbers: &BTreeMap<String, f64>) -> Worth {
    let number = |node: &Node| match worth(node, numbers) {
        Worth::Number(number) => number,
        Worth::Truth(_) => f64::NAN,
    };
    match node {
        Node::Number(value) => Worth::Number(*value),
        Node::Name(name) => Worth::Number(numbers.get(name).copied().unwrap_or(f64::NAN)),
        Node::Negative(node) => Worth::Number(-number(node)),
        Node::Binary(sign, a, b) => {
            let (a, b) = (number(a), number(b));
            Worth::Number(match sign {
                '+' => a + b,
                '-' => a - b,
                '*' => a * b,
                _ => a / b,
            })
        }
        Node::Chain(nodes, signs) => {
            let values: Vec<f64> = nodes.iter().map(number).collect();
            let holds = |(pair, sign): (&[f64], &&str)| compare(pair[0], sign, pair[1]);
            Worth::Truth(values.windows(2).zip(signs).all(holds))
        }
        Node::All(nodes) => {
            let holds = |node| matches!(worth(node, numbers), Worth::Truth(true));
            Worth::Truth(nodes.iter().all(holds))
        }
        Node::Call(function, arguments) => {
            let values: Vec<f64> = arguments.iter().map(number).collect();
            call(*function, &values)
        }
    }
}

fn compare(a: f64, sign: &str, b: f64) -> bool {
    match sign {
        ">" => a > b,
        ">=" => a >= b,
        "<" => a < b,
        _ => a <= b,
    }
}

fn call(function: Function, of: &[f64]) -> Worth {
    let (a, b) = (of[0], of.get(1).copied().unwrap_or(f64::NAN));
    // NaN must not disappear: `f64::min` would pass it over.
    let fold = |pick: fn(f64, f64) -> f64| {
        of.iter()
            .copied()
            .reduce(|x, y| {
                if x.is_nan() || y.is_nan() {
                    f64::NAN
                } else {
                    pick(x, y)
                }
            })
            .unwrap_or(f64::NAN)
    };
    match function {
        Function::Min => Worth::Number(fold(f64::min)),
        Function::Max => Worth::Number(fold(f64::max)),
        Function::Abs => Worth::Number(a.abs()),
        Function::Or => Worth::Number(if a.is_nan() { b } else { a }),
        Function::None => Worth::Truth(a.is_nan()),
        Function::Above => Worth::Truth(a >= 1.02 * b),
        Function::Below => Worth::Truth(a <= 0.98 * b),
        Function::FarAbove => Worth::Truth(a >= 1.25 * b),
        Function::FarBelow => Worth::Truth(1.25 * a <= b),
        Function::SlightlyBelow => Worth::Truth(0.9 * b <= a && a < b),
        Function::Same => Worth::Truth(0.9 * b <= a && 0.9 * a <= b),
        Function::ToAbout => Worth::Truth(0.5 * b <= a && a <= 2.0 * b),
    }
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let length = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if rest.starts_with(">=") || rest.starts_with("<=") {
            2
        } else if "+-*/(),<>".contains(first) {
            1
        } else {
            return Err(format!("'{first}' has no meaning"));
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

struct Parser<'a> {
    tokens: &'a [String],
    names: Vec<String>,
    depth: u32,
}

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.tokens.first().map_or("", String::as_str)
    }

    fn take(&mut self, token: &str) -> bool {
        let is_it = self.peek() == token;
        if is_it {
            self.tokens = &self.tokens[1..];
        }
        is_it
    }

    fn all(&mut self) -> Result<Node, String> {
        let mut nodes = vec![self.chain()?];
        while self.take("and") {
            nodes.push(self.chain()?);
        }
        Ok(if nodes.len() == 1 {
            nodes.remove(0)
        } else {
            Node::All(nodes)
        })
    }

    fn chain(&mut self) -> Result<Node, String> {
        let mut nodes = vec![self.sum()?];
        let mut signs = Vec::new();
        'more: loop {
            for sign in [">", ">=", "<", "<="] {
                if self.take(sign) {
                    signs.push(sign);
                    nodes.push(self.sum()?);
                    continue 'more;
                }
            }
            break;
        }
        Ok(if signs.is_empty() {
            nodes.remove(0)
        } else {
            Node::Chain(nodes, signs)
        })
    }

    fn sum(&mut self) -> Result<Node, String> {
        let mut node = self.product()?;
        loop {
            let sign = match self.peek() {
                "+" => '+',
                "-" => '-',
                _ => return Ok(node),
            };
            self.tokens = &self.tokens[1..];
            node = Node::Binary(sign, Box::new(node), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Node, String> {
        let mut node = self.single()?;
        loop {
            let sign = match self.peek() {
                "*" => '*',
                "/" => '/',
                _ => return Ok(node),
            };
            self.tokens = &self.tokens[1..];
            node = Node::Binary(sign, Box::new(node), Box::new(self.single()?));
        }
    }

    fn single(&mut self) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > 64 {
            return Err("more than 64 brackets deep".to_owned());
        }
        let node = self.single_inside();
        self.depth -= 1;
        node
    }

    fn single_inside(&mut self) -> Result<Node, String> {
        if self.take("-") {
            return Ok(Node::Negative(Box::new(self.single()?)));
        }
        if self.take("(") {
            let node = self.all()?;
            return self.close().map(|()| node);
        }
        let Some((word, rest)) = self.tokens.split_first() else {
            return Err("it ends too early".to_owned());
        };
        self.tokens = rest;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let number = word
                .parse()
                .map_err(|_| format!("'{word}' is not a number"))?;
            return Ok(Node::Number(number));
        }
        if !word.starts_with(|c: char| c.is_ascii_alphabetic()) || word == "and" {
            return Err(format!("'{word}' is where a number or a name should be"));
        }
        if self.take("(") {
            return self.call(word);
        }
        if !self.names.contains(word) {
            self.names.push(word.clone());
        }
        Ok(Node::Name(word.clone()))
    }

    fn call(&mut self, name: &str) -> Result<Node, String> {
        let known = FUNCTIONS.into_iter().find(|known| known.0 == name);
        let Some((_, function, least, most)) = known else {
            return Err(format!("there is no function '{name}'"));
        };
        let mut arguments = vec![self.sum()?];
        while self.take(",") {
            arguments.push(self.sum()?);
        }
        self.close()?;
        if !(least..=most).contains(&arguments.len()) {
            return Err(format!("{name} does not take {} numbers", arguments.len()));
        }
        Ok(Node::Call(function, arguments))
    }

    fn close(&mut self) -> Result<(), String> {
        if self.take(")") {
            Ok(())
        } else {
            Err("a bracket is not closed".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Worth {
        let numbers = [("a", 10.0), ("b", 9.0), ("c", 4.0)]
            .map(|(name, number)| (name.to_owned(), number))
            .into();
        Expression::read(text).unwrap().worth(&numbers)
    }

    #[test]
    fn arithmetic_is_as_on_paper() {
        assert_eq!(of("a + b * c"), Worth::Number(46.0));
        assert_eq!(of("(a + b) * c - -1"), Worth::Number(77.0));
        assert_eq!(of("a / c / 2.5"), Worth::Number(1.0));
        assert_eq!(of("max(a, b, c) - min(b, c)"), Worth::Number(6.0));
    }

    #[test]
    fn a_chain_holds_where_every_neighbour_does() {
        assert_eq!(of("a > b > c"), Worth::Truth(true));
        assert_eq!(of("a > c > b"), Worth::Truth(false));
        assert_eq!(of("a > b and c >= 4"), Worth::Truth(true));
        assert_eq!(of("a > b and c > 4"), Worth::Truth(false));
    }

    #[test]
    fn words_have_one_meaning_each() {
        for (claim, holds) in [
            ("above(a, b)", true),
            ("above(a, 9.9)", false),
            ("below(9.7, a)", true),
            ("far_above(a, 8)", true),
            ("far_above(a, b)", false),
            ("far_below(8, a)", true),
            ("slightly_below(b, a)", true),
            ("slightly_below(8.9, a)", false),
            ("same(a, b)", true),
            ("same(c, b)", false),
            ("to_about(c, 8)", true),
            ("to_about(a, c)", false),
        ] {
            assert_eq!(of(claim), Worth::Truth(holds), "{claim}");
        }
    }

    #[test]
    fn what_is_not_there_is_no_number_and_proves_nothing() {
        assert_eq!(of("none(d)"), Worth::Truth(true));
        assert_eq!(of("none(a)"), Worth::Truth(false));
        assert_eq!(of("or(d, 5)"), Worth::Number(5.0));
        for claim in [
            "d > 0",
            "d < 0",
            "same(d, a)",
            "max(d, a) > 0",
            "above(a, d)",
        ] {
            assert_eq!(of(claim), Worth::Truth(false), "{claim}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_its_reason() {
        for (text, why) in [
            ("a +", "ends too early"),
            ("a b", "nothing may follow at 'b'"),
            ("(a", "bracket"),
            ("near(a, b)", "no function 'near'"),
            ("above(a)", "does not take 1"),
            ("a = b", "'=' has no meaning"),
            ("1.2.3", "not a number"),
        ] {
            let error = Expression::read(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
        assert!(Expression::read(&"(".repeat(10_000)).is_err());
    }
}
