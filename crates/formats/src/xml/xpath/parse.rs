//! Paths to expressions. Operators of one rank stay in a list, so that only parentheses, predicates
//! and calls nest.

use super::error::XPathError;
use super::func::Func;
use crate::xml::parse::{is_name_char, is_name_start};

/// The deepest nesting of parentheses, predicates and calls. More is an error.
const NESTING_MAX: usize = 64;
/// Longest path.
const PATH_BYTES_MAX: usize = 65_535;
/// Characters of the path that an error shows.
const NEAR_CHARS: usize = 128;

#[derive(Debug, Clone)]
pub(super) enum Expr {
    Number(f64),
    Literal(String),
    /// Operands of one rank from left to right, each but the first after its operator.
    Chain(Box<Expr>, Vec<(Op, Expr)>),
    Negated(Box<Expr>),
    Call(Func, Vec<Expr>),
    Path(Path),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Union,
}

#[derive(Debug, Clone)]
pub(super) struct Path {
    pub(super) start: Start,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Clone)]
pub(super) enum Start {
    /// The document.
    Root,
    /// The context node.
    Context,
    /// The result of an expression, filtered.
    Expr(Box<Expr>, Vec<Expr>),
}

#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: Test,
    pub(super) predicates: Vec<Expr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Namespace,
    Parent,
    Preceding,
    PrecedingSibling,
    SelfNode,
}

const AXES: &[(&str, Axis)] = &[
    ("ancestor", Axis::Ancestor),
    ("ancestor-or-self", Axis::AncestorOrSelf),
    ("attribute", Axis::Attribute),
    ("child", Axis::Child),
    ("descendant", Axis::Descendant),
    ("descendant-or-self", Axis::DescendantOrSelf),
    ("following", Axis::Following),
    ("following-sibling", Axis::FollowingSibling),
    ("namespace", Axis::Namespace),
    ("parent", Axis::Parent),
    ("preceding", Axis::Preceding),
    ("preceding-sibling", Axis::PrecedingSibling),
    ("self", Axis::SelfNode),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Test {
    /// `node()`
    Node,
    /// `text()`
    Text,
    /// `comment()`
    Comment,
    /// `processing-instruction()`, perhaps of one target
    Instruction(Option<String>),
    /// `*`
    AnyName,
    /// `xml:*`
    AnyXml,
    /// `xml:name`
    Xml(String),
    /// A name without a name space.
    Name(String),
}

/// Operators by rank, weakest first.
const RANKS: &[&[(&str, Op)]] = &[
    &[("or", Op::Or)],
    &[("and", Op::And)],
    &[("=", Op::Eq), ("!=", Op::Ne)],
    &[("<=", Op::Le), ("<", Op::Lt), (">=", Op::Ge), (">", Op::Gt)],
    &[("+", Op::Add), ("-", Op::Sub)],
    &[("*", Op::Mul), ("div", Op::Div), ("mod", Op::Mod)],
];

pub(super) fn parse(text: &str) -> Result<Expr, XPathError> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    if text.len() > PATH_BYTES_MAX {
        return parser.error("path is too long");
    }
    let expr = parser.chain(0)?;
    parser.skip_space();
    if parser.at < text.len() {
        return parser.error("unexpected text");
    }
    Ok(expr)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn error<T>(&self, what: &'static str) -> Result<T, XPathError> {
        let near = self.rest().chars().take(NEAR_CHARS).collect();
        Err(XPathError::Syntax { what, near })
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.rest().chars().next()
    }

    /// Takes `token`, if it comes next.
    fn take(&mut self, token: &str) -> bool {
        self.skip_space();
        let is_here = self.rest().starts_with(token);
        if is_here {
            self.at += token.len();
        }
        is_here
    }

    fn expect(&mut self, token: &str, what: &'static str) -> Result<(), XPathError> {
        if self.take(token) { Ok(()) } else { self.error(what) }
    }

    fn operator(&mut self, rank: usize) -> Option<Op> {
        self.skip_space();
        let rest = self.rest();
        let ops = RANKS.get(rank).copied().unwrap_or(&[]);
        let fits = |token: &str| {
            let is_word = token.starts_with(|it: char| it.is_ascii_alphabetic());
            rest.strip_prefix(token).is_some_and(|it| !is_word || !it.starts_with(is_name_char))
        };
        let (token, op) = ops.iter().find(|it| fits(it.0))?;
        self.at += token.len();
        Some(*op)
    }

    fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, XPathError>,
    ) -> Result<T, XPathError> {
        if self.depth >= NESTING_MAX {
            return self.error("nested too deeply");
        }
        self.depth += 1;
        let made = inner(self);
        self.depth -= 1;
        made
    }

    fn chain(&mut self, rank: usize) -> Result<Expr, XPathError> {
        if rank == RANKS.len() {
            return self.negated();
        }
        let first = self.chain(rank + 1)?;
        let mut others = Vec::new();
        while let Some(op) = self.operator(rank) {
            others.push((op, self.chain(rank + 1)?));
        }
        Ok(if others.is_empty() { first } else { Expr::Chain(Box::new(first), others) })
    }

    fn negated(&mut self) -> Result<Expr, XPathError> {
        let mut n_signs = 0_usize;
        while self.take("-") {
            n_signs += 1;
        }
        let expr = self.union()?;
        Ok(match n_signs {
            0 => expr,
            // Twice negated is a number as well.
            _ if n_signs.is_multiple_of(2) => {
                Expr::Negated(Box::new(Expr::Negated(Box::new(expr))))
            }
            _ => Expr::Negated(Box::new(expr)),
        })
    }

    fn union(&mut self) -> Result<Expr, XPathError> {
        let first = self.path()?;
        let mut others = Vec::new();
        while self.take("|") {
            others.push((Op::Union, self.path()?));
        }
        Ok(if others.is_empty() { first } else { Expr::Chain(Box::new(first), others) })
    }

    fn path(&mut self) -> Result<Expr, XPathError> {
        let mut steps = Vec::new();
        let start = match self.peek() {
            None => return self.error("expression expected"),
            Some('/') => {
                self.at += 1;
                if self.rest().starts_with('/') {
                    self.at += 1;
                    steps.push(any_below());
                    self.step(&mut steps)?;
                } else if self.is_step_here() {
                    self.step(&mut steps)?;
                } else {
                    return Ok(Expr::Path(Path { start: Start::Root, steps }));
                }
                Start::Root
            }
            Some(char) if self.is_primary(char) => {
                let primary = self.primary(char)?;
                let predicates = self.predicates()?;
                let goes_on = self.peek() == Some('/');
                if predicates.is_empty() && !goes_on {
                    return Ok(primary);
                }
                Start::Expr(Box::new(primary), predicates)
            }
            Some(_) => {
                self.step(&mut steps)?;
                Start::Context
            }
        };
        while self.take("/") {
            if self.rest().starts_with('/') {
                self.at += 1;
                steps.push(any_below());
            }
            self.step(&mut steps)?;
        }
        Ok(Expr::Path(Path { start, steps: shortened(steps) }))
    }

    fn is_step_here(&mut self) -> bool {
        self.peek().is_some_and(|it| matches!(it, '.' | '@' | '*') || is_name_start(it))
    }

    /// Does something come that is no step?
    fn is_primary(&self, char: char) -> bool {
        match char {
            '(' | '"' | '\'' | '$' | '0'..='9' => true,
            '.' => self.rest().as_bytes().get(1).is_some_and(u8::is_ascii_digit),
            _ => self.call_name().is_some(),
        }
    }

    /// Length of the name of the function that is called here. Node types are none.
    fn call_name(&self) -> Option<usize> {
        let rest = self.rest();
        let len = name_len(rest);
        let name = rest.get(..len)?;
        let is_type = matches!(name, "node" | "text" | "comment" | "processing-instruction");
        let behind = rest.get(len..)?.trim_start();
        (len > 0 && !is_type && behind.starts_with('(')).then_some(len)
    }

    fn primary(&mut self, char: char) -> Result<Expr, XPathError> {
        match char {
            '(' => {
                self.at += 1;
                let expr = self.nested(|it| it.chain(0))?;
                self.expect(")", "')' expected")?;
                Ok(expr)
            }
            '"' | '\'' => self.literal().map(Expr::Literal),
            '$' => self.error("undefined variable"),
            '.' | '0'..='9' => self.number(),
            _ => self.call(),
        }
    }

    fn literal(&mut self) -> Result<String, XPathError> {
        let rest = self.rest();
        let Some(quote) = rest.chars().next().filter(|it| matches!(it, '"' | '\'')) else {
            return self.error("literal expected");
        };
        let inner = rest.get(1..).unwrap_or("");
        let Some(len) = inner.find(quote) else { return self.error("literal is not closed") };
        self.at += len + 2;
        Ok(inner.get(..len).unwrap_or("").to_owned())
    }

    fn number(&mut self) -> Result<Expr, XPathError> {
        let rest = self.rest();
        // With an exponent, which libxml2 takes beyond XPath 1.0.
        let len = crate::number::decimal_len(rest.as_bytes());
        let number = rest.get(..len).unwrap_or("").parse();
        let Ok(number) = number else { return self.error("number expected") };
        self.at += len;
        Ok(Expr::Number(number))
    }

    fn call(&mut self) -> Result<Expr, XPathError> {
        let len = self.call_name().unwrap_or(0);
        let name = self.rest().get(..len).unwrap_or("");
        let Some((func, arity)) = Func::find(name) else { return self.error("unknown function") };
        self.at += len;
        self.expect("(", "'(' expected")?;
        let mut args = Vec::new();
        if !self.take(")") {
            loop {
                args.push(self.nested(|it| it.chain(0))?);
                if self.take(")") {
                    break;
                }
                self.expect(",", "',' or ')' expected")?;
            }
        }
        if !arity.contains(&args.len()) {
            return self.error("wrong number of arguments of the function before");
        }
        Ok(Expr::Call(func, args))
    }

    fn predicates(&mut self) -> Result<Vec<Expr>, XPathError> {
        let mut predicates = Vec::new();
        while self.take("[") {
            predicates.push(self.nested(|it| it.chain(0))?);
            self.expect("]", "']' expected")?;
        }
        Ok(predicates)
    }

    fn step(&mut self, steps: &mut Vec<Step>) -> Result<(), XPathError> {
        self.skip_space();
        if self.take("..") {
            steps.push(plain(Axis::Parent, Test::Node));
            return Ok(());
        }
        if self.take(".") {
            steps.push(plain(Axis::SelfNode, Test::Node));
            return Ok(());
        }
        let axis = self.axis()?;
        let test = self.test()?;
        let predicates = self.predicates()?;
        steps.push(Step { axis, test, predicates });
        Ok(())
    }

    fn axis(&mut self) -> Result<Axis, XPathError> {
        if self.take("@") {
            return Ok(Axis::Attribute);
        }
        let rest = self.rest();
        let len = name_len(rest);
        let behind = rest.get(len..).unwrap_or("").trim_start();
        if len == 0 || !behind.starts_with("::") {
            return Ok(Axis::Child);
        }
        let name = rest.get(..len).unwrap_or("");
        let Some((_, axis)) = AXES.iter().find(|it| it.0 == name) else {
            return self.error("unknown axis");
        };
        self.at += len;
        self.expect("::", "'::' expected")?;
        Ok(*axis)
    }

    fn test(&mut self) -> Result<Test, XPathError> {
        if self.take("*") {
            return Ok(Test::AnyName);
        }
        let rest = self.rest();
        let len = name_len(rest);
        if len == 0 {
            return self.error("step expected");
        }
        let name = rest.get(..len).unwrap_or("");
        let behind = rest.get(len..).unwrap_or("");
        if behind.trim_start().starts_with('(') {
            self.at += len;
            return self.node_type(name);
        }
        let Some(local) = behind.strip_prefix(':').filter(|it| !it.starts_with(':')) else {
            self.at += len;
            return Ok(Test::Name(name.to_owned()));
        };
        if name != "xml" {
            return self.error("undefined namespace prefix");
        }
        if local.starts_with('*') {
            self.at += len + 2;
            return Ok(Test::AnyXml);
        }
        let local_len = name_len(local);
        if local_len == 0 {
            return self.error("name expected");
        }
        self.at += len + 1 + local_len;
        Ok(Test::Xml(local.get(..local_len).unwrap_or("").to_owned()))
    }

    fn node_type(&mut self, name: &str) -> Result<Test, XPathError> {
        self.expect("(", "'(' expected")?;
        let test = match name {
            "node" => Test::Node,
            "text" => Test::Text,
            "comment" => Test::Comment,
            "processing-instruction" => match self.peek() {
                Some('"' | '\'') => Test::Instruction(Some(self.literal()?)),
                _ => Test::Instruction(None),
            },
            _ => return self.error("unknown node type"),
        };
        self.expect(")", "')' expected")?;
        Ok(test)
    }
}

fn plain(axis: Axis, test: Test) -> Step {
    Step { axis, test, predicates: Vec::new() }
}

/// The step that `//` stands for.
fn any_below() -> Step {
    plain(Axis::DescendantOrSelf, Test::Node)
}

/// `//name` in one step: the same nodes without the list of all in between.
fn shortened(steps: Vec<Step>) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        let is_short = step.axis == Axis::Child
            && step.predicates.is_empty()
            && out.last().is_some_and(|it| {
                it.axis == Axis::DescendantOrSelf
                    && it.test == Test::Node
                    && it.predicates.is_empty()
            });
        if is_short {
            out.pop();
            out.push(Step { axis: Axis::Descendant, ..step });
        } else {
            out.push(step);
        }
    }
    out
}

/// Length of the name without a colon at the start of `text`.
fn name_len(text: &str) -> usize {
    let mut len = 0;
    for char in text.chars() {
        let fits = if len == 0 { is_name_start(char) } else { is_name_char(char) };
        if !fits {
            break;
        }
        len += char.len_utf8();
    }
    len
}
