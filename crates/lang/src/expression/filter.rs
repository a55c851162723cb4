//! Item filters of queries over many items: `?[tag="x" and group="y"]`.

use super::ast::{Ast, NodeKind, Op, Rules};
use super::parse::parse_with;
use super::text::{quote_string, unquote_string};
use crate::error::ParseError;

/// A step of a filter in postfix order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterNode {
    /// The item has this tag: `name` or `name:value`.
    Tag(String),
    /// The host is in this group or one below it.
    Group(String),
    /// A constant; compared only.
    Text(String),
    /// An operator over the results before it.
    Op(Op),
}

/// A parsed filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Steps in postfix order.
    pub nodes: Vec<FilterNode>,
}

impl Filter {
    /// Parses the text between `?[` and `]`.
    ///
    /// # Errors
    /// If it is no filter.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let ast = parse_with(text, Rules::FILTER)?;
        Ok(Self { nodes: rewrite(&ast) })
    }

    /// Does an item match? The questions are answered by the callbacks.
    #[must_use]
    pub fn matches(
        &self,
        has_tag: &mut dyn FnMut(&str) -> bool,
        in_group: &mut dyn FnMut(&str) -> bool,
    ) -> bool {
        let mut stack: Vec<Item<'_>> = Vec::new();
        for node in &self.nodes {
            let value = match node {
                FilterNode::Tag(it) => Item::Bool(has_tag(it)),
                FilterNode::Group(it) => Item::Bool(in_group(it)),
                FilterNode::Text(it) => Item::Text(it),
                FilterNode::Op(Op::Not) => Item::Bool(!stack.pop().is_some_and(Item::truth)),
                FilterNode::Op(op) => {
                    let (Some(right), Some(left)) = (stack.pop(), stack.pop()) else {
                        return false;
                    };
                    Item::Bool(match op {
                        Op::And => left.truth() && right.truth(),
                        Op::Or => left.truth() || right.truth(),
                        Op::Ne => left != right,
                        _ => left == right,
                    })
                }
            };
            stack.push(value);
        }
        stack.pop().is_some_and(Item::truth)
    }
}

/// The condition of a filter on host groups: every item that the filter matches is of a host that this
/// matches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupFilter {
    /// Names of groups, by number.
    pub groups: Vec<String>,
    /// A formula in which `{N}` means "in group N"; empty if it matches any host.
    pub formula: String,
}

/// A part of a filter seen from its groups alone.
struct Part {
    /// `None`: any host will do.
    formula: Option<String>,
    /// The formula is equivalent to the part, so that it may be negated and compared.
    is_whole: bool,
}

impl Part {
    const ANY: Self = Self { formula: None, is_whole: false };

    fn whole(formula: String) -> Self {
        Self { formula: Some(formula), is_whole: true }
    }

    fn not(self) -> Self {
        match self.formula {
            Some(it) if self.is_whole => Self::whole(format!("not {it}")),
            _ => Self::ANY,
        }
    }

    fn join(op: Op, left: Self, right: Self) -> Self {
        let is_whole = left.is_whole && right.is_whole;
        let word = match op {
            Op::And => " and ",
            Op::Or => " or ",
            Op::Ne if is_whole => "<>",
            Op::Eq if is_whole => "=",
            _ => return Self::ANY,
        };
        let formula = match (left.formula, right.formula) {
            (Some(left), Some(right)) => Some(format!("({left}{word}{right})")),
            (one, other) if op == Op::And => one.or(other),
            _ => None,
        };
        Self { formula, is_whole }
    }
}

impl Filter {
    /// Its condition on host groups.
    #[must_use]
    pub fn groups(&self) -> GroupFilter {
        let mut groups = Vec::new();
        let mut stack: Vec<Part> = Vec::new();
        for node in &self.nodes {
            let part = match node {
                FilterNode::Tag(_) => Part::ANY,
                FilterNode::Text(it) => Part::whole(quote_string(it)),
                FilterNode::Group(name) => {
                    groups.push(name.clone());
                    Part::whole(format!("{{{}}}", groups.len() - 1))
                }
                FilterNode::Op(Op::Not) => stack.pop().unwrap_or(Part::ANY).not(),
                FilterNode::Op(op) => {
                    let right = stack.pop().unwrap_or(Part::ANY);
                    Part::join(*op, stack.pop().unwrap_or(Part::ANY), right)
                }
            };
            stack.push(part);
        }
        match stack.pop().and_then(|it| it.formula) {
            Some(formula) => GroupFilter { groups, formula },
            None => GroupFilter::default(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Item<'t> {
    Bool(bool),
    Text(&'t str),
}

impl Item<'_> {
    fn truth(self) -> bool {
        self == Item::Bool(true)
    }
}

/// Turns `tag = "x"` into one test, `<>` into its denial.
fn rewrite(ast: &Ast) -> Vec<FilterNode> {
    // A property is compared with one text only (the parser sees to it), so the pair is adjacent.
    let mut out: Vec<FilterNode> = Vec::new();
    let mut property: Option<NodeKind> = None;
    for node in ast.nodes() {
        match node.kind {
            NodeKind::Tag | NodeKind::Group => property = Some(node.kind),
            NodeKind::Op(op) => {
                if let (Op::Eq | Op::Ne, Some(kind), Some(FilterNode::Text(_))) =
                    (op, property, out.last())
                {
                    let Some(FilterNode::Text(text)) = out.pop() else { continue };
                    out.push(if kind == NodeKind::Tag {
                        FilterNode::Tag(text)
                    } else {
                        FilterNode::Group(text)
                    });
                    property = None;
                    if op == Op::Ne {
                        out.push(FilterNode::Op(Op::Not));
                    }
                } else {
                    out.push(FilterNode::Op(op));
                }
            }
            NodeKind::String => out.push(FilterNode::Text(unquote_string(ast.node_text(node)))),
            _ => out.push(FilterNode::Text(ast.node_text(node).to_owned())),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(filter: &str) -> bool {
        let filter = Filter::parse(filter).unwrap();
        filter.matches(&mut |it| it == "a" || it == "b:1", &mut |it| it == "g")
    }

    #[test]
    fn filters_combine_tags_and_groups() {
        assert!(check("tag=\"a\" and \"g\"=group"));
        assert!(check("tag=\"b:1\" and not (group=\"x\")"));
        assert!(!check("group<>\"g\" or tag=\"c\""));
        assert!(check("\"x\"=\"x\" and tag=\"a\""));
    }

    #[test]
    fn tag_conditions_exclude_no_host() {
        let formula = |text: &str| Filter::parse(text).unwrap().groups().formula;
        assert_eq!(formula("tag=\"a\" and group<>\"x\""), "not {0}");
        assert_eq!(formula("tag=\"a\" or group=\"x\""), "");
        assert_eq!(formula("not (tag=\"a\" and group=\"x\")"), "");
        assert_eq!(formula("(group=\"x\") = (group=\"y\")"), "({0}={1})");
    }
}
