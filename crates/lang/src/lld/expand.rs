//! Prototypes with a row's values: names, keys, expressions, parameters.

use model::content::FunctionRef;
use thiserror::Error;

use super::escape::EscapeTarget;
use super::rows::RowIn;
use crate::error::ParseError;
use crate::expression::{self, Ast, Node, NodeKind, Rules};
use crate::functions::params;
use crate::key::{self, ReplaceError};
use crate::macros::{
    ContextError, FuncEnv, MacroToken, Search, TokenKind, UNKNOWN, UserMacro, apply, quote_context,
    token_at, tokens,
};

/// Why a prototype can't be expanded with a row.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ExpandError {
    /// A value that cannot be part of the key.
    #[error(transparent)]
    Key(#[from] ReplaceError),
    /// A value that cannot be part of a macro's context.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// The prototype's expression does not parse.
    #[error(transparent)]
    Expression(#[from] ParseError),
}

/// A text with LLD macros replaced, also with functions and inside contexts of user macros and
/// expression macros. Macros that the row lacks stay.
///
/// # Errors
/// If a value can't be quoted where it must be.
pub fn expand_text(
    text: &str,
    row: RowIn<'_>,
    target: EscapeTarget,
) -> Result<String, ExpandError> {
    expand(text, row, target, false)
}

/// As [`expand_text`]; parameters of functions of built-in and user macros are quoted where needed.
///
/// # Errors
/// If a value can't be quoted where it must be.
pub fn expand_parameter(
    text: &str,
    row: RowIn<'_>,
    target: EscapeTarget,
) -> Result<String, ExpandError> {
    expand(text, row, target, true)
}

fn expand(
    text: &str,
    row: RowIn<'_>,
    target: EscapeTarget,
    quote: bool,
) -> Result<String, ExpandError> {
    if !text.contains("{#") {
        return Ok(text.to_owned());
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for token in tokens(text, Search::TEXT) {
        let written = text.get(token.span.clone()).unwrap_or("");
        let replaced = match token.kind {
            TokenKind::LldMacro | TokenKind::LldFuncMacro => {
                lld_value(text, &token, row).map(|it| target.escape(&it))
            }
            TokenKind::UserMacro => Some(expand_context(written, row)?),
            TokenKind::FuncMacro | TokenKind::UserFuncMacro if quote => {
                Some(expand_func(text, &token, row)?)
            }
            TokenKind::Expression => Some(expand_expression_macro(written, row, target)?),
            TokenKind::ExpressionFunc => {
                let inner = text.get(token.macro_span.clone()).unwrap_or("");
                let func = text.get(token.macro_span.end..token.span.end).unwrap_or("");
                let inner = expand_expression_macro(inner, row, target)?;
                Some(format!("{{{inner}{}", plain(func, row, target)))
            }
            _ => Some(plain(written, row, target)),
        };
        if let Some(replaced) = replaced {
            out.push_str(text.get(done..token.span.start).unwrap_or(""));
            out.push_str(&replaced);
            done = token.span.end;
        }
    }
    out.push_str(text.get(done..).unwrap_or(""));
    Ok(out)
}

/// The value of an LLD macro token, `*UNKNOWN*` if its function fails; `None`: no such macro.
fn lld_value(text: &str, token: &MacroToken, row: RowIn<'_>) -> Option<String> {
    let value = row.get(text.get(token.macro_span.clone())?)?;
    let Some(func) = &token.func else { return Some(value.to_owned()) };
    let params = token.params.clone().and_then(|it| text.get(it)).unwrap_or("");
    let applied = apply(text.get(func.clone())?, params, value, &FuncEnv::new(row.zone));
    Some(applied.unwrap_or_else(|_failed| UNKNOWN.to_owned()))
}

/// Replaces LLD macros anywhere in a text, in any surroundings.
fn plain(text: &str, row: RowIn<'_>, target: EscapeTarget) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(pos) = text.get(at..).and_then(|it| it.find('{')) {
        let rest = text.get(at + pos..).unwrap_or("");
        out.push_str(text.get(at..at + pos).unwrap_or(""));
        let is_lld = rest.starts_with("{#") || rest.starts_with("{{#");
        let token = if is_lld { token_at(rest, Search::BASIC) } else { None };
        let value = token.as_ref().and_then(|it| lld_value(rest, it, row));
        match (token, value) {
            (Some(token), Some(value)) => {
                out.push_str(&target.escape(&value));
                at += pos + token.span.end;
            }
            _ => {
                out.push('{');
                at += pos + 1;
            }
        }
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

/// `{$NAME:"{#MACRO}"}`: quoted again where needed.
fn expand_context(written: &str, row: RowIn<'_>) -> Result<String, ExpandError> {
    let Some(UserMacro { name, context: Some(context), .. }) = UserMacro::parse_use(written) else {
        return Ok(written.to_owned());
    };
    let (prefix, pattern) = match context.strip_prefix("regex:") {
        Some(pattern) => ("regex:", pattern),
        None => ("", &*context),
    };
    let replaced = plain(pattern, row, EscapeTarget::Text);
    if replaced == pattern {
        return Ok(written.to_owned());
    }
    let force = written.ends_with("\"}");
    Ok(format!("{{${name}:{prefix}{}}}", quote_context(&replaced, force)?))
}

/// `{{MACRO}.func(params)}`: parameters quoted again where needed.
fn expand_func(text: &str, token: &MacroToken, row: RowIn<'_>) -> Result<String, ExpandError> {
    let slice = |range: std::ops::Range<usize>| text.get(range).unwrap_or("");
    let inner = slice(token.macro_span.clone());
    let inner = match token.kind {
        TokenKind::UserFuncMacro => expand_context(inner, row)?,
        _ => inner.to_owned(),
    };
    let func = token.func.clone().map_or("", slice);
    let written = token.params.clone().map_or("", slice);
    let mut out = String::new();
    for (idx, param) in params::split(written).iter().enumerate() {
        if idx > 0 {
            out.push(',');
        }
        let replaced = plain(&param.value(), row, EscapeTarget::Text);
        if replaced == param.value() {
            // Untouched, with the white space before it.
            let from =
                if idx == 0 { 0 } else { param.start - leading_spaces(written, param.start) };
            out.push_str(written.get(from..param.end).unwrap_or(""));
        } else {
            out.push_str(&params::quote(&replaced, param.quoted));
        }
    }
    Ok(format!("{{{inner}.{func}({out})}}"))
}

fn leading_spaces(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().rev().take_while(|it| **it == b' ').count()
}

/// `{?expression}`: by the rules of expressions if it is one, else as text.
fn expand_expression_macro(
    written: &str,
    row: RowIn<'_>,
    target: EscapeTarget,
) -> Result<String, ExpandError> {
    let inner = written.get(2..written.len() - 1).unwrap_or("");
    match expression::parse_with(inner, Rules::TRIGGER) {
        Ok(ast) => Ok(format!("{{?{}}}", expand_ast(&ast, row)?)),
        Err(_) => {
            let text = plain(inner, row, target);
            Ok(format!("{{?{text}}}"))
        }
    }
}

/// An item key: values are quoted in parameters where needed.
///
/// # Errors
/// If the key is malformed or a value can't be quoted.
pub fn expand_key(key: &str, row: RowIn<'_>) -> Result<String, ExpandError> {
    expand_params(key, row, key::replace_params)
}

/// The OID field of an SNMP item: as a key, but its name, in front of the parameters, may have macros
/// too.
///
/// # Errors
/// As [`expand_key`].
pub fn expand_oid(oid: &str, row: RowIn<'_>) -> Result<String, ExpandError> {
    expand_params(oid, row, key::replace_oid)
}

/// [`key::replace_params`] or [`key::replace_oid`].
type ReplaceIn = fn(&str, &mut dyn FnMut(&str) -> Option<String>) -> Result<String, ReplaceError>;

fn expand_params(text: &str, row: RowIn<'_>, replace: ReplaceIn) -> Result<String, ExpandError> {
    if !text.contains("{#") {
        return Ok(text.to_owned());
    }
    let mut failed = None;
    let replaced = replace(text, &mut |part| match expand_text(part, row, EscapeTarget::Text) {
        Ok(it) => Some(it),
        Err(error) => {
            failed = Some(error);
            None
        }
    })?;
    failed.map_or(Ok(replaced), Err)
}

/// A trigger expression or formula as users write it: numbers are bare, texts in quotes.
///
/// # Errors
/// If it does not parse or a value can't be quoted.
pub fn expand_expression(text: &str, row: RowIn<'_>) -> Result<String, ExpandError> {
    expand_ast(&expression::parse(text)?, row)
}

/// A stored expression with the parameters of its functions; items stay those of the prototype.
///
/// # Errors
/// If it does not parse or a value can't be quoted.
pub fn expand_stored(
    text: &str,
    functions: &[FunctionRef],
    row: RowIn<'_>,
) -> Result<(String, Vec<FunctionRef>), ExpandError> {
    let text = expand_ast(&expression::parse_stored(text)?.ast, row)?;
    let functions = functions
        .iter()
        .map(|it| FunctionRef { parameter: expand_list(&it.parameter, row), ..it.clone() })
        .collect();
    Ok((text, functions))
}

/// A parameter list.
fn expand_list(text: &str, row: RowIn<'_>) -> String {
    params::substitute(text, &mut |value| {
        let replaced = expand_text(value, row, EscapeTarget::Text).ok()?;
        (replaced != value).then_some(replaced)
    })
}

fn expand_ast(ast: &Ast, row: RowIn<'_>) -> Result<String, ExpandError> {
    let mut failed = None;
    let text = expression::substitute(ast, &mut |ast, node| {
        let text = ast.node_text(node);
        if !text.contains("{#") {
            return None;
        }
        match expand_node(text, node, row) {
            Ok(it) => it,
            Err(error) => {
                failed = Some(error);
                None
            }
        }
    });
    failed.map_or(Ok(text), Err)
}

fn expand_node(text: &str, node: &Node, row: RowIn<'_>) -> Result<Option<String>, ExpandError> {
    Ok(match node.kind {
        NodeKind::String => {
            let value = expression::unquote_string(text);
            Some(expand_text(&value, row, EscapeTarget::Text)?)
        }
        NodeKind::LldMacro => {
            let token = token_at(text, Search::BASIC);
            token.and_then(|it| lld_value(text, &it, row))
        }
        NodeKind::UserMacro | NodeKind::Macro => Some(expand(text, row, EscapeTarget::Text, true)?),
        NodeKind::Query => Some(expand_query(text, row)?),
        NodeKind::Period | NodeKind::Number => Some(plain(text, row, EscapeTarget::Text)),
        _ => None,
    })
}

fn expand_query(text: &str, row: RowIn<'_>) -> Result<String, ExpandError> {
    let Some(query) = expression::parse_query(text) else {
        return Ok(plain(text, row, EscapeTarget::Text));
    };
    let mut out = format!("/{}/{}", query.host, expand_key(query.key, row)?);
    if !query.filter.is_empty() {
        let filter = match expression::parse_with(query.filter, Rules::FILTER) {
            Ok(ast) => expand_ast(&ast, row)?,
            Err(_) => plain(query.filter, row, EscapeTarget::Text),
        };
        out.push_str(&format!("?[{filter}]"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use model::snapshot::LldRow;

    use super::*;

    fn row() -> LldRow {
        LldRow::new([("{#FS}", "/a,b"), ("{#N}", "5"), ("{#Q}", "x\"y")])
    }

    #[test]
    fn values_are_quoted_for_their_place() {
        assert_eq!(
            expand_key("vfs[{#FS},{#N}]", RowIn::new(&row(), &TimeZone::UTC)).unwrap(),
            "vfs[\"/a,b\",5]"
        );
        assert_eq!(
            expand_expression(
                "last(/h/k[{#FS}],#{#N})>{#N} and {#Q}={$M:\"{#FS}\"}",
                RowIn::new(&row(), &TimeZone::UTC)
            )
            .unwrap(),
            "last(/h/k[\"/a,b\"],#5)>5 and \"x\\\"y\"={$M:\"/a,b\"}"
        );
        assert_eq!(
            expand_text(
                "{#FS} {{#N}.fmtnum(1)} {#NONE}",
                RowIn::new(&row(), &TimeZone::UTC),
                EscapeTarget::Text
            )
            .unwrap(),
            "/a,b 5 {#NONE}"
        );
        assert_eq!(
            expand_text("[\"{#Q}\"]", RowIn::new(&row(), &TimeZone::UTC), EscapeTarget::Json)
                .unwrap(),
            "[\"x\\\"y\"]"
        );
    }

    #[test]
    fn stored_expressions_keep_their_items() {
        let functions = [FunctionRef {
            item: model::ItemId(7),
            function: "avg".to_owned(),
            parameter: "$,#{#N}".to_owned(),
        }];
        let (text, functions) =
            expand_stored("{0}>{#N}", &functions, RowIn::new(&row(), &TimeZone::UTC)).unwrap();
        assert_eq!(text, "{0}>5");
        assert_eq!(functions[0].parameter, "$,#5");
    }
}
