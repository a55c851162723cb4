//! Evaluating expressions over a document.

use std::cell::Cell;

use super::error::XPathError;
use super::func::Func;
use super::parse::{Axis, Expr, Op, Path, Start, Step, Test};
use super::value::{At, Sub, Value, in_scope, string_value, text_to_number};
use crate::xml::tree::{Doc, NONE, NodeId, NodeKind};

/// The most nodes that one query may visit: a shard must not hang. More are an error.
const STEPS_MAX: usize = 5_000_000;
/// The longest text that a query makes.
pub(super) const TEXT_BYTES_MAX: usize = 64 << 20;

pub(super) fn run(doc: &Doc<'_>, expr: &Expr) -> Result<Value, XPathError> {
    let eval = Eval { doc, steps: Cell::new(0) };
    eval.expr(expr, Context { at: At::this(0), position: 1, size: 1 })
}

/// The context in which an expression is evaluated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    pub(super) at: At,
    pub(super) position: usize,
    pub(super) size: usize,
}

pub(super) struct Eval<'d, 't> {
    pub(super) doc: &'d Doc<'t>,
    steps: Cell<usize>,
}

impl Eval<'_, '_> {
    pub(super) fn charge(&self, n_steps: usize) -> Result<(), XPathError> {
        let steps = self.steps.get().saturating_add(n_steps);
        self.steps.set(steps);
        if steps > STEPS_MAX { Err(XPathError::TooExpensive) } else { Ok(()) }
    }

    /// Text of a node, which costs as much as it is long.
    pub(super) fn text_at(&self, at: At) -> Result<String, XPathError> {
        let text = string_value(self.doc, at);
        self.charge(text.len() / 64 + 1)?;
        Ok(text.into_owned())
    }

    pub(super) fn text(&self, value: Value) -> Result<String, XPathError> {
        match value {
            Value::Nodes(nodes) => nodes.first().map_or(Ok(String::new()), |it| self.text_at(*it)),
            other => Ok(other.into_text(self.doc)),
        }
    }

    pub(super) fn expr(&self, expr: &Expr, context: Context) -> Result<Value, XPathError> {
        self.charge(1)?;
        match expr {
            Expr::Number(it) => Ok(Value::Number(*it)),
            Expr::Literal(it) => Ok(Value::Text(it.clone())),
            Expr::Negated(it) => {
                let value = self.expr(it, context)?;
                Ok(Value::Number(-value.to_number(self.doc)))
            }
            Expr::Call(func, args) => self.call(*func, args, context),
            Expr::Path(path) => self.path(path, context).map(Value::Nodes),
            Expr::Chain(first, others) => {
                let mut value = self.expr(first, context)?;
                for (op, other) in others {
                    value = self.operator(value, *op, other, context)?;
                }
                Ok(value)
            }
        }
    }

    fn operator(
        &self,
        left: Value,
        op: Op,
        right: &Expr,
        context: Context,
    ) -> Result<Value, XPathError> {
        match (op, left.to_bool()) {
            (Op::Or, true) => return Ok(Value::Bool(true)),
            (Op::And, false) => return Ok(Value::Bool(false)),
            _ => {}
        }
        let right = self.expr(right, context)?;
        let numbers = || (left.to_number(self.doc), right.to_number(self.doc));
        Ok(match op {
            Op::Or | Op::And => Value::Bool(right.to_bool()),
            Op::Union => {
                let (Value::Nodes(mut nodes), Value::Nodes(others)) = (left, right) else {
                    return Err(XPathError::Evaluate("operands of '|' are not sets of nodes"));
                };
                nodes.extend(others);
                Value::Nodes(ordered(nodes))
            }
            Op::Add => {
                let (left, right) = numbers();
                Value::Number(left + right)
            }
            Op::Sub => {
                let (left, right) = numbers();
                Value::Number(left - right)
            }
            Op::Mul => {
                let (left, right) = numbers();
                Value::Number(left * right)
            }
            Op::Div => {
                let (left, right) = numbers();
                Value::Number(left / right)
            }
            Op::Mod => {
                let (left, right) = numbers();
                Value::Number(left % right)
            }
            _ => Value::Bool(self.compare(op, &left, &right)?),
        })
    }

    fn compare(&self, op: Op, left: &Value, right: &Value) -> Result<bool, XPathError> {
        match (left, right) {
            (Value::Nodes(lefts), Value::Nodes(rights)) => {
                let rights: Vec<String> =
                    rights.iter().map(|it| self.text_at(*it)).collect::<Result<_, _>>()?;
                for left in lefts {
                    self.charge(rights.len())?;
                    let left = self.text_at(*left)?;
                    if rights.iter().any(|it| texts(op, &left, it)) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Value::Nodes(nodes), other) => self.compare_nodes(op, nodes, other),
            (other, Value::Nodes(nodes)) => self.compare_nodes(mirrored(op), nodes, other),
            _ => Ok(self.compare_plain(op, left, right)),
        }
    }

    fn compare_nodes(&self, op: Op, nodes: &[At], other: &Value) -> Result<bool, XPathError> {
        if let Value::Bool(other) = other {
            let any = f64::from(u8::from(!nodes.is_empty()));
            return Ok(numbers(op, any, f64::from(u8::from(*other))));
        }
        for node in nodes {
            let text = self.text_at(*node)?;
            let holds = match other {
                Value::Text(other) => texts(op, &text, other),
                other => numbers(op, text_to_number(&text), other.to_number(self.doc)),
            };
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Neither side is a set of nodes.
    fn compare_plain(&self, op: Op, left: &Value, right: &Value) -> bool {
        let is_equality = matches!(op, Op::Eq | Op::Ne);
        match (left, right) {
            (Value::Bool(_), _) | (_, Value::Bool(_)) if is_equality => {
                (left.to_bool() == right.to_bool()) == (op == Op::Eq)
            }
            (Value::Text(left), Value::Text(right)) => texts(op, left, right),
            _ => numbers(op, left.to_number(self.doc), right.to_number(self.doc)),
        }
    }

    fn path(&self, path: &Path, context: Context) -> Result<Vec<At>, XPathError> {
        let mut nodes = match &path.start {
            Start::Root => vec![At::this(0)],
            Start::Context => vec![context.at],
            Start::Expr(expr, predicates) => {
                let Value::Nodes(nodes) = self.expr(expr, context)? else {
                    return Err(XPathError::Evaluate("a step needs a set of nodes"));
                };
                self.filter(nodes, predicates)?
            }
        };
        for step in &path.steps {
            nodes = self.step(&nodes, step)?;
        }
        Ok(nodes)
    }

    fn step(&self, from: &[At], step: &Step) -> Result<Vec<At>, XPathError> {
        let mut found = Vec::new();
        for at in from {
            let mut nodes = Vec::new();
            self.walk(*at, step.axis, &mut |it| {
                if self.fits(it, step) {
                    nodes.push(it);
                }
            })?;
            if step.predicates.is_empty() {
                found.append(&mut nodes);
            } else {
                found.append(&mut self.filter(nodes, &step.predicates)?);
            }
        }
        let is_forward_from_one = from.len() == 1 && !is_reverse(step.axis);
        Ok(if is_forward_from_one { found } else { ordered(found) })
    }

    /// Keeps what all predicates hold for; positions are those of the list.
    fn filter(&self, mut nodes: Vec<At>, predicates: &[Expr]) -> Result<Vec<At>, XPathError> {
        for predicate in predicates {
            if let Expr::Number(wanted) = predicate {
                // Most predicates are positions: no need to look at the others.
                let wanted = crate::number::f64_to_u64(*wanted).filter(|it| same(*it, *wanted));
                let idx =
                    wanted.and_then(|it| usize::try_from(it).ok()).and_then(|it| it.checked_sub(1));
                nodes = idx.and_then(|it| nodes.get(it)).map(|it| vec![*it]).unwrap_or_default();
                continue;
            }
            let size = nodes.len();
            let mut kept = Vec::new();
            for (idx, at) in nodes.into_iter().enumerate() {
                let position = idx + 1;
                let holds = match self.expr(predicate, Context { at, position, size })? {
                    Value::Number(it) => same(position as u64, it),
                    other => other.to_bool(),
                };
                if holds {
                    kept.push(at);
                }
            }
            nodes = kept;
        }
        Ok(nodes)
    }

    fn fits(&self, at: At, step: &Step) -> bool {
        let doc = self.doc;
        if matches!(step.test, Test::Node) {
            return true;
        }
        let kind = doc.kind(at.node);
        // Names are those of the axis' main kind of node.
        let name = match (at.sub, step.axis) {
            (Sub::This, Axis::Attribute | Axis::Namespace) => None,
            (Sub::This, _) => (kind == NodeKind::Element).then(|| doc.node(at.node).name),
            (Sub::Attr(idx), Axis::Attribute) => doc.attrs(at.node).get(idx).map(|it| it.name),
            (Sub::Space(idx), Axis::Namespace) => {
                let prefix = in_scope(doc, at.node).get(idx).map_or("", |it| it.0);
                return match &step.test {
                    Test::AnyName => true,
                    Test::Name(wanted) => wanted == prefix,
                    _ => false,
                };
            }
            _ => None,
        };
        match &step.test {
            Test::AnyName => name.is_some(),
            Test::Name(wanted) => name.is_some_and(|it| it.space == 0 && it.local == wanted),
            Test::AnyXml => name.is_some_and(|it| it.space == 1),
            Test::Xml(wanted) => name.is_some_and(|it| it.space == 1 && it.local == wanted),
            Test::Node => true,
            _ if at.sub != Sub::This => false,
            Test::Text => matches!(kind, NodeKind::Text | NodeKind::CData),
            Test::Comment => kind == NodeKind::Comment,
            Test::Instruction(target) => {
                kind == NodeKind::Instruction
                    && target.as_ref().is_none_or(|it| it == doc.node(at.node).name.local)
            }
        }
    }

    /// The nodes of an axis, nearest first.
    fn walk(&self, at: At, axis: Axis, take: &mut dyn FnMut(At)) -> Result<(), XPathError> {
        self.charge(1)?;
        let doc = self.doc;
        let is_tree = at.sub == Sub::This;
        match axis {
            Axis::SelfNode => take(at),
            Axis::Child if is_tree => {
                for it in doc.children(at.node) {
                    self.charge(1)?;
                    take(At::this(it));
                }
            }
            Axis::Descendant if is_tree => self.range(at.node + 1..doc.end_of(at.node), take)?,
            Axis::DescendantOrSelf if is_tree => self.range(at.node..doc.end_of(at.node), take)?,
            Axis::DescendantOrSelf => take(at),
            Axis::Parent => {
                if let Some(it) = self.parent(at) {
                    take(it);
                }
            }
            Axis::Ancestor | Axis::AncestorOrSelf => {
                let first = if axis == Axis::Ancestor { self.parent(at) } else { Some(at) };
                for it in std::iter::successors(first, |it| self.parent(*it)) {
                    self.charge(1)?;
                    take(it);
                }
            }
            Axis::Attribute if is_tree => {
                self.charge(doc.attrs(at.node).len())?;
                for idx in 0..doc.attrs(at.node).len() {
                    take(At { node: at.node, sub: Sub::Attr(idx) });
                }
            }
            Axis::Namespace if is_tree && doc.kind(at.node) == NodeKind::Element => {
                let n_spaces = in_scope(doc, at.node).len();
                self.charge(n_spaces * n_spaces)?;
                for idx in 0..n_spaces {
                    take(At { node: at.node, sub: Sub::Space(idx) });
                }
            }
            Axis::FollowingSibling if is_tree => {
                self.siblings(doc.node(at.node).next, |it| doc.node(it).next, take)?;
            }
            Axis::PrecedingSibling if is_tree => {
                self.siblings(doc.node(at.node).prev, |it| doc.node(it).prev, take)?;
            }
            Axis::Following => {
                let start = if is_tree { doc.end_of(at.node) } else { at.node + 1 };
                self.range(start..doc.end_of(0), take)?;
            }
            Axis::Preceding => {
                for it in (1..at.node).rev() {
                    self.charge(1)?;
                    // Ancestors reach beyond the node.
                    if doc.end_of(it) <= at.node {
                        take(At::this(it));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn range(
        &self,
        nodes: std::ops::Range<NodeId>,
        take: &mut dyn FnMut(At),
    ) -> Result<(), XPathError> {
        self.charge(nodes.len())?;
        nodes.map(At::this).for_each(take);
        Ok(())
    }

    fn siblings(
        &self,
        first: NodeId,
        next: impl Fn(NodeId) -> NodeId,
        take: &mut dyn FnMut(At),
    ) -> Result<(), XPathError> {
        let mut at = first;
        while at != NONE {
            self.charge(1)?;
            take(At::this(at));
            at = next(at);
        }
        Ok(())
    }

    fn parent(&self, at: At) -> Option<At> {
        if at.sub != Sub::This {
            return Some(At::this(at.node));
        }
        let parent = self.doc.node(at.node).parent;
        (parent != NONE).then(|| At::this(parent))
    }

    fn call(&self, func: Func, args: &[Expr], context: Context) -> Result<Value, XPathError> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.expr(arg, context)?);
        }
        func.call(self, values, context)
    }
}

fn is_reverse(axis: Axis) -> bool {
    matches!(axis, Axis::Ancestor | Axis::AncestorOrSelf | Axis::Preceding | Axis::PrecedingSibling)
}

/// In document order, each once.
fn ordered(mut nodes: Vec<At>) -> Vec<At> {
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

#[expect(clippy::float_cmp, reason = "a position is a whole number or none")]
fn same(position: u64, number: f64) -> bool {
    crate::number::u64_to_f64(position) == number
}

fn mirrored(op: Op) -> Op {
    match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        other => other,
    }
}

/// Texts are equal or not; their order is that of the numbers that they are.
fn texts(op: Op, left: &str, right: &str) -> bool {
    match op {
        Op::Eq => left == right,
        Op::Ne => left != right,
        _ => numbers(op, text_to_number(left), text_to_number(right)),
    }
}

#[expect(clippy::float_cmp, reason = "XPath compares exactly")]
fn numbers(op: Op, left: f64, right: f64) -> bool {
    match op {
        Op::Eq => left == right,
        Op::Ne => left != right,
        Op::Lt => left < right,
        Op::Le => left <= right,
        Op::Gt => left > right,
        _ => left >= right,
    }
}
