//! The syntax tree of a path.

use crate::number;
use crate::regexp::Regexp;

/// One step of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// The elements that it matches.
    pub matcher: Matcher,
    /// After `..`: at any depth.
    pub detached: bool,
}

/// The elements that a segment matches.
#[derive(Debug, Clone, PartialEq)]
pub enum Matcher {
    /// `*`
    All,
    /// Names of members, in the order of the path.
    Names(Vec<String>),
    /// Positions of elements, in the order of the path.
    Indexes(Vec<i64>),
    /// `[from:to]`
    Slice(Option<i64>, Option<i64>),
    /// `[?(…)]`
    Filter(Filter),
    /// A function over everything before it.
    Func(Func),
}

/// Functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Func {
    /// `min()`
    Min,
    /// `max()`
    Max,
    /// `avg()`
    Avg,
    /// `sum()`
    Sum,
    /// `length()`
    Length,
    /// `first()`
    First,
    /// `~`: names instead of values
    Name,
}

/// `$` and `*~.first()` are not the same: only functions that make one of many are definite.
pub(super) fn is_definite(segments: &[Segment]) -> bool {
    segments.iter().all(|it| {
        !it.detached
            && match &it.matcher {
                Matcher::Names(names) => names.len() == 1,
                Matcher::Indexes(indexes) => indexes.len() == 1,
                Matcher::Func(_) => true,
                Matcher::All | Matcher::Slice(..) | Matcher::Filter(_) => false,
            }
    })
}

/// A filter in postfix order.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    pub(super) tokens: Vec<Token>,
    pub(super) equality: Option<Equality>,
}

/// `@.name == "constant"`, without which the filter does not hold.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Equality {
    pub(super) path: Vec<Segment>,
    /// The path again, to know it by.
    pub(super) path_text: String,
    pub(super) value: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64, String),
    Text(String),
    /// A definite path from the document (`$`) or the element (`@`).
    Path {
        from_root: bool,
        segments: Vec<Segment>,
    },
    Regexp(Result<Regexp, String>),
    Op(Op),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Not,
    Mul,
    Div,
    Add,
    Sub,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    Match,
    And,
    Or,
}

impl Op {
    pub(super) fn priority(self) -> u8 {
        match self {
            Self::Not => 1,
            Self::Mul | Self::Div => 2,
            Self::Add | Self::Sub => 3,
            Self::Lt | Self::Le | Self::Gt | Self::Ge => 4,
            Self::Eq | Self::Ne | Self::Match => 5,
            Self::And => 6,
            Self::Or => 7,
        }
    }
}

/// Texts that are equal to each other have the same key. `None`: small numbers, which are equal to
/// their neighbours.
pub(super) fn index_key(text: &str) -> Option<String> {
    match number::parse_f64(text) {
        Some(it) if it.abs() < 2.0 => None,
        Some(it) => Some(format!("\0{:x}", it.to_bits())),
        None => Some(text.to_owned()),
    }
}
