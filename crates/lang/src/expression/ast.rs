//! The parsed form: nodes in postfix order.

use std::ops::{BitOr, Range};

use super::query::ItemQuery;

/// The syntax that a parser accepts; a set of switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules(pub(super) u32);

impl Rules {
    /// Nothing at all.
    pub const NONE: Self = Self(0);
    /// Numbers with suffixes.
    pub const NUMBER: Self = Self(1);
    /// Quoted strings.
    pub const STRING: Self = Self(1 << 1);
    /// `+ - * /` and unary minus.
    pub const MATH: Self = Self(1 << 2);
    /// `= <>`.
    pub const EQUAL: Self = Self(1 << 3);
    /// `< <= > >=`.
    pub const ORDER: Self = Self(1 << 4);
    /// `and or not`.
    pub const LOGIC: Self = Self(1 << 5);
    /// Parentheses.
    pub const GROUP: Self = Self(1 << 6);
    /// Function calls.
    pub const FUNCTION: Self = Self(1 << 7);
    /// `/host/key` as first argument.
    pub const QUERY: Self = Self(1 << 8);
    /// `{NAME}`.
    pub const MACRO: Self = Self(1 << 9);
    /// `{$NAME}`, also with functions.
    pub const USER_MACRO: Self = Self(1 << 10);
    /// `{#NAME}`, also with functions.
    pub const LLD_MACRO: Self = Self(1 << 11);
    /// `{123}`.
    pub const FUNCTION_ID: Self = Self(1 << 12);
    /// Numbers put together from digits and macros, `{$N}5m`.
    pub const COMPOUND: Self = Self(1 << 13);
    /// `tag` and `group` of item filters.
    pub const PROPERTY: Self = Self(1 << 14);
    /// Strings in history calls as up to version 6.4: a backslash hides a quote and nothing else.
    pub const OLD_STRINGS: Self = Self(1 << 15);
    /// `{TRIGGER.VALUE}` and `{FUNCTION.VALUE}`, where [`Self::MACRO`] does not allow all.
    pub const VALUE_MACRO: Self = Self(1 << 16);
    /// No `*` and no filter in queries.
    pub const ONE_ITEM: Self = Self(1 << 17);

    /// Trigger expressions as users write them.
    pub const TRIGGER: Self = Self(
        Self::NUMBER.0
            | Self::STRING.0
            | Self::MATH.0
            | Self::EQUAL.0
            | Self::ORDER.0
            | Self::LOGIC.0
            | Self::GROUP.0
            | Self::FUNCTION.0
            | Self::QUERY.0
            | Self::MACRO.0
            | Self::USER_MACRO.0
            | Self::LLD_MACRO.0
            | Self::COMPOUND.0,
    );
    /// Formulas of calculated items: as triggers.
    pub const CALCULATED: Self = Self::TRIGGER;
    /// Expression macros `{?…}` of event names.
    pub const EVENT_NAME: Self = Self(
        Self::TRIGGER.0 & !Self::MACRO.0 & !Self::COMPOUND.0
            | Self::VALUE_MACRO.0
            | Self::ONE_ITEM.0,
    );
    /// Stored trigger expressions: `{functionid}` instead of history calls.
    pub const STORED: Self = Self(Self::TRIGGER.0 & !Self::QUERY.0 | Self::FUNCTION_ID.0);
    /// Item filters `?[…]`.
    pub const FILTER: Self = Self(
        Self::PROPERTY.0
            | Self::STRING.0
            | Self::EQUAL.0
            | Self::LOGIC.0
            | Self::GROUP.0
            | Self::MACRO.0
            | Self::USER_MACRO.0
            | Self::LLD_MACRO.0,
    );

    /// Are all switches of `other` on?
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Rules {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Unary minus.
    Neg,
    /// `not`
    Not,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `and`
    And,
    /// `or`
    Or,
}

impl Op {
    /// Smaller binds tighter.
    pub(super) fn priority(self) -> u8 {
        match self {
            Self::Neg => 1,
            Self::Not => 2,
            Self::Mul | Self::Div => 3,
            Self::Add | Self::Sub => 4,
            Self::Lt | Self::Le | Self::Gt | Self::Ge => 5,
            Self::Eq | Self::Ne => 6,
            Self::And => 7,
            Self::Or => 8,
        }
    }

    pub(super) fn is_unary(self) -> bool {
        matches!(self, Self::Neg | Self::Not)
    }
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// A number, perhaps with suffix and macros inside.
    Number,
    /// A quoted string.
    String,
    /// `{$NAME}`, `{{$NAME}.func()}`.
    UserMacro,
    /// `{#NAME}`, `{{#NAME}.func()}`.
    LldMacro,
    /// `{NAME}`, `{{NAME}.func()}`.
    Macro,
    /// `{123}`.
    FunctionId,
    /// First argument of a history call.
    Query,
    /// Second argument of a history call, as written.
    Period,
    /// An argument left out.
    Null,
    /// `tag` in an item filter.
    Tag,
    /// `group` in an item filter.
    Group,
    /// An operator over the one or two values before it.
    Op(Op),
    /// A function over the last `n_args` values.
    Call,
    /// A function whose first argument is a query.
    HistoryCall,
}

/// One node; `start..end` are its bytes in the text (of a call: its name).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Kind of the node.
    pub kind: NodeKind,
    /// First byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
    /// Number of arguments of a call, else 0.
    pub n_args: u32,
}

impl Node {
    /// Bytes of the node in its text.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        // A u32 always fits: the parser refuses longer texts.
        usize::try_from(self.start).unwrap_or(usize::MAX)
            ..usize::try_from(self.end).unwrap_or(usize::MAX)
    }
}

/// A call whose first argument is an item query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryCall {
    /// Position of its node in [`Ast::nodes`].
    pub node: usize,
    /// Bytes of the whole call, closing parenthesis included.
    pub span: Range<usize>,
    /// Bytes of the name.
    pub name: Range<usize>,
    /// Bytes of the query.
    pub query: Range<usize>,
    /// Bytes of the other arguments, white space around them left out.
    pub args: Vec<Range<usize>>,
}

/// A parsed expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ast {
    pub(super) text: Box<str>,
    pub(super) nodes: Vec<Node>,
    pub(super) history_calls: Vec<HistoryCall>,
}

impl Ast {
    /// The text that was parsed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All nodes in postfix order.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The text of a node.
    #[must_use]
    pub fn node_text(&self, node: &Node) -> &str {
        self.slice(node.range())
    }

    /// The calls that read an item's history, from left to right by their end.
    #[must_use]
    pub fn history_calls(&self) -> &[HistoryCall] {
        &self.history_calls
    }

    /// The parts of a call's query.
    #[must_use]
    pub fn query(&self, call: &HistoryCall) -> Option<ItemQuery<'_>> {
        super::query::parse_query(self.slice(call.query.clone()))
    }

    /// Name of a call.
    #[must_use]
    pub fn call_name(&self, call: &HistoryCall) -> &str {
        self.slice(call.name.clone())
    }

    /// Arguments of a call after its query, as written and without white space around them.
    pub fn call_args<'a>(&'a self, call: &'a HistoryCall) -> impl Iterator<Item = &'a str> {
        call.args.iter().map(|it| self.slice(it.clone()))
    }

    /// Whether it uses a time-based function (`now`, `date`, `time`, `dayofweek`, `dayofmonth`, `nodata`,
    /// `fuzzytime`), so that it must be evaluated each 30 s as well.
    #[must_use]
    pub fn uses_timer(&self) -> bool {
        let is_call = |it: &&Node| matches!(it.kind, NodeKind::Call | NodeKind::HistoryCall);
        self.nodes.iter().filter(is_call).any(|it| {
            let name = self.node_text(it);
            super::calls::is_time_function(name) || crate::functions::is_timer(name)
        })
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or("")
    }
}
