//! The stored form: history calls as `{N}`, N being the position in a list of functions.

use model::ItemId;
use model::content::FunctionRef;

use super::ast::{Ast, HistoryCall, Node, NodeKind, Rules};
use super::bind_error::BindError;
use super::check::{Usage, check};
use super::parse::parse_with;
use super::query::ItemQuery;
use crate::error::ParseError;

/// The most functions of the two expressions of one trigger: their ids are reserved with it.
const FUNCTIONS_MAX: usize = 256;

/// The text of `ast` with history calls replaced by `{N}`; new functions are added to `functions`,
/// equal ones are shared. Call it for the problem and then for the recovery expression of one trigger.
///
/// # Errors
/// If an item is unknown (`resolve` gives `None`), or a function or its parameters are.
pub fn bind(
    ast: &Ast,
    functions: &mut Vec<FunctionRef>,
    resolve: &mut dyn FnMut(&ItemQuery<'_>) -> Option<ItemId>,
) -> Result<String, BindError> {
    if ast.history_calls().is_empty() {
        return Err(BindError::NoItem);
    }
    // `{1}` would be taken for a function of the stored text.
    let is_function = |it: &&Node| position_of(ast.node_text(it)).is_some();
    if let Some(node) = ast.nodes().iter().find(is_function) {
        return Err(ParseError::syntax(ast.text(), node.range().start).into());
    }
    check(ast, Usage::Trigger)?;
    let mut out = String::with_capacity(ast.text().len());
    let mut done = 0;
    for call in ast.history_calls() {
        let function = bind_call(ast, call, resolve)?;
        let position = match functions.iter().position(|it| *it == function) {
            Some(known) => known,
            None if functions.len() >= FUNCTIONS_MAX => return Err(BindError::TooManyFunctions),
            None => {
                functions.push(function);
                functions.len() - 1
            }
        };
        out.push_str(ast.slice(done..call.span.start));
        out.push_str(&format!("{{{position}}}"));
        done = call.span.end;
    }
    out.push_str(ast.slice(done..ast.text().len()));
    Ok(out)
}

fn bind_call(
    ast: &Ast,
    call: &HistoryCall,
    resolve: &mut dyn FnMut(&ItemQuery<'_>) -> Option<ItemId>,
) -> Result<FunctionRef, BindError> {
    let name = ast.call_name(call);
    let query = ast.query(call).ok_or(BindError::NoItem)?;
    let item = resolve(&query).ok_or_else(|| BindError::UnknownItem {
        host: query.host.to_owned(),
        key: query.key.to_owned(),
    })?;
    let mut parameter = "$".to_owned();
    for arg in ast.call_args(call) {
        parameter.push(',');
        parameter.push_str(arg);
    }
    Ok(FunctionRef { item, function: name.to_owned(), parameter })
}

/// A stored expression: parsed, its functions as [`NodeKind::FunctionId`] nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The parsed text.
    pub ast: Ast,
}

impl Stored {
    /// Positions of the functions that it uses, in order, repeats included.
    #[must_use]
    pub fn function_positions(&self) -> Vec<usize> {
        let ids = self.ast.nodes().iter().filter(|it| it.kind == NodeKind::FunctionId);
        ids.filter_map(|it| position_of(self.ast.node_text(it))).collect()
    }
}

impl Stored {
    /// As [`Self::function_positions`], in their order in the text from left to right.
    #[must_use]
    pub fn in_text(&self) -> Vec<usize> {
        let mut ids: Vec<_> =
            self.ast.nodes().iter().filter(|it| it.kind == NodeKind::FunctionId).collect();
        ids.sort_unstable_by_key(|it| it.start);
        ids.into_iter().filter_map(|it| position_of(self.ast.node_text(it))).collect()
    }
}

/// The functions of a stored expression, by position, from left to right: one that is called twice is listed
/// twice. Those of the `n` functions that it does not call come last. Macros with a number count in this
/// order.
#[must_use]
pub fn functions_in_text(stored: &str, n: usize) -> Vec<usize> {
    let mut found = parse_stored(stored).map_or_else(|_invalid| Vec::new(), |it| it.in_text());
    let others: Vec<usize> = (0..n).filter(|it| !found.contains(it)).collect();
    found.extend(others);
    found
}

/// A stored expression with its functions and macros replaced by `value`: `21>10 and "up"="up"`. It gets the
/// kind of the node and its text; nodes that it does not know stay. `None`: it is no expression.
pub fn explain(
    stored: &str,
    value: &mut dyn FnMut(NodeKind, &str) -> Option<String>,
) -> Option<String> {
    let stored = parse_stored(stored).ok()?;
    let ast = &stored.ast;
    let replaced = [NodeKind::FunctionId, NodeKind::UserMacro, NodeKind::LldMacro];
    let mut nodes: Vec<_> = ast.nodes().iter().filter(|it| replaced.contains(&it.kind)).collect();
    nodes.sort_unstable_by_key(|it| it.start);
    let mut out = String::new();
    let mut done = 0;
    for node in nodes {
        let range = node.range();
        out.push_str(ast.slice(done..range.start));
        let written = ast.node_text(node);
        out.push_str(&value(node.kind, written).unwrap_or_else(|| written.to_owned()));
        done = range.end;
    }
    out.push_str(ast.slice(done..ast.text().len()));
    Some(out)
}

fn position_of(text: &str) -> Option<usize> {
    text.strip_prefix('{')?.strip_suffix('}')?.parse().ok()
}

/// Parses the result of [`bind`].
///
/// # Errors
/// If it is no expression.
pub fn parse_stored(text: &str) -> Result<Stored, ParseError> {
    Ok(Stored { ast: parse_with(text, Rules::STORED)? })
}

/// The expression as users write it. `name` gives host and key of an item.
///
/// # Errors
/// If the text does not parse, names a function that is not in the list, or `name` gives `None`.
pub fn render(
    stored: &str,
    functions: &[FunctionRef],
    name: &mut dyn FnMut(ItemId) -> Option<(String, String)>,
) -> Result<String, BindError> {
    let stored = parse_stored(stored)?;
    let ast = &stored.ast;
    let mut out = String::with_capacity(ast.text().len() * 2);
    let mut done = 0;
    for node in ast.nodes().iter().filter(|it| it.kind == NodeKind::FunctionId) {
        let position = position_of(ast.node_text(node)).unwrap_or(usize::MAX);
        let function = functions.get(position).ok_or(BindError::NoFunction(position))?;
        let (host, key) = name(function.item).ok_or_else(|| BindError::UnknownItem {
            host: String::new(),
            key: function.item.to_string(),
        })?;
        out.push_str(ast.slice(done..node.range().start));
        out.push_str(&function_text(function, &host, &key));
        done = node.range().end;
    }
    out.push_str(ast.slice(done..ast.text().len()));
    Ok(out)
}

/// `avg(/host/key,5m)`.
fn function_text(function: &FunctionRef, host: &str, key: &str) -> String {
    let rest = function.parameter.strip_prefix('$').unwrap_or(&function.parameter);
    format!("{}(/{host}/{key}{rest})", function.function)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::parse;

    fn items(query: &ItemQuery<'_>) -> Option<ItemId> {
        (query.host == "h").then(|| ItemId(u64::try_from(query.key.len()).unwrap()))
    }

    #[test]
    fn a_function_that_is_called_twice_counts_twice() {
        assert_eq!(functions_in_text("{0}<1K and {0}<1m", 1), [0, 0]);
        assert_eq!(functions_in_text("{1}>{0} or {1}=2", 4), [1, 0, 1, 2, 3]);
        assert_eq!(functions_in_text("no expression (", 2), [0, 1]);
    }

    #[test]
    fn storing_and_rendering_keeps_the_text() {
        let text = "avg(/h/cpu[a,\"b c\"],5m) > {$X} and last(/h/k)=0 or last(/h/k)=1";
        let mut functions = Vec::new();
        let stored = bind(&parse(text).unwrap(), &mut functions, &mut items).unwrap();
        assert_eq!(stored, "{0} > {$X} and {1}=0 or {1}=1");
        assert_eq!(functions[0].parameter, "$,5m");
        assert_eq!(functions[1].parameter, "$");
        let mut name = |id: ItemId| {
            let key = if id.0 == 1 { "k" } else { "cpu[a,\"b c\"]" };
            Some(("h".to_owned(), key.to_owned()))
        };
        assert_eq!(render(&stored, &functions, &mut name).unwrap(), text);
    }

    #[test]
    fn operators_may_follow_a_call_at_once() {
        let text = "last(/h/k)or last(/h/kk)and(1=1)";
        let mut functions = Vec::new();
        let stored = bind(&parse(text).unwrap(), &mut functions, &mut items).unwrap();
        assert_eq!(stored, "{0}or {1}and(1=1)");
        let mut name = |id: ItemId| {
            let key = if id.0 == 1 { "k" } else { "kk" };
            Some(("h".to_owned(), key.to_owned()))
        };
        assert_eq!(render(&stored, &functions, &mut name).unwrap(), text);
        assert!(parse("{$X}or 1=1").is_err());
        assert!(parse_stored("{$X}or {0}").is_err());
    }

    #[test]
    fn parameters_left_out_keep_their_place() {
        let ast = parse("find(/h/k,,\"like\",\"x\")=1 or last(/h/k)=0").unwrap();
        let mut functions = Vec::new();
        bind(&ast, &mut functions, &mut items).unwrap();
        assert_eq!(functions[0].parameter, "$,,\"like\",\"x\"");
        let ast = parse("avg(/h/k,5q)=1").unwrap();
        assert!(matches!(
            bind(&ast, &mut functions, &mut items),
            Err(BindError::Parameters { .. })
        ));
    }

    #[test]
    fn texts_like_stored_functions_are_refused() {
        let ast = parse("last(/h/k)>{1}").unwrap();
        assert!(matches!(bind(&ast, &mut Vec::new(), &mut items), Err(BindError::Parse(_))));
        let ast = parse("1>{$X}").unwrap();
        assert_eq!(bind(&ast, &mut Vec::new(), &mut items), Err(BindError::NoItem));
    }

    #[test]
    fn an_unknown_item_is_named() {
        let error = bind(&parse("last(/x/k)>0").unwrap(), &mut Vec::new(), &mut items).unwrap_err();
        assert_eq!(
            error.to_string(),
            "incorrect item key \"k\" provided for trigger expression on \"x\""
        );
    }
}
