//! The functions of XPath 1.0 by name.

use std::ops::RangeInclusive;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Func {
    Last,
    Position,
    Count,
    Id,
    LocalName,
    NamespaceUri,
    Name,
    Text,
    Concat,
    StartsWith,
    Contains,
    SubstringBefore,
    SubstringAfter,
    Substring,
    StringLength,
    NormalizeSpace,
    Translate,
    Boolean,
    Not,
    True,
    False,
    Lang,
    Number,
    Sum,
    Floor,
    Ceiling,
    Round,
}

/// Names with the numbers of arguments that they take.
const TABLE: &[(&str, Func, RangeInclusive<usize>)] = &[
    ("last", Func::Last, 0..=0),
    ("position", Func::Position, 0..=0),
    ("count", Func::Count, 1..=1),
    ("id", Func::Id, 1..=1),
    ("local-name", Func::LocalName, 0..=1),
    ("namespace-uri", Func::NamespaceUri, 0..=1),
    ("name", Func::Name, 0..=1),
    ("string", Func::Text, 0..=1),
    ("concat", Func::Concat, 2..=usize::MAX),
    ("starts-with", Func::StartsWith, 2..=2),
    ("contains", Func::Contains, 2..=2),
    ("substring-before", Func::SubstringBefore, 2..=2),
    ("substring-after", Func::SubstringAfter, 2..=2),
    ("substring", Func::Substring, 2..=3),
    ("string-length", Func::StringLength, 0..=1),
    ("normalize-space", Func::NormalizeSpace, 0..=1),
    ("translate", Func::Translate, 3..=3),
    ("boolean", Func::Boolean, 1..=1),
    ("not", Func::Not, 1..=1),
    ("true", Func::True, 0..=0),
    ("false", Func::False, 0..=0),
    ("lang", Func::Lang, 1..=1),
    ("number", Func::Number, 0..=1),
    ("sum", Func::Sum, 1..=1),
    ("floor", Func::Floor, 1..=1),
    ("ceiling", Func::Ceiling, 1..=1),
    ("round", Func::Round, 1..=1),
];

impl Func {
    pub(super) fn find(name: &str) -> Option<(Self, RangeInclusive<usize>)> {
        TABLE.iter().find(|it| it.0 == name).map(|it| (it.1, it.2.clone()))
    }
}
