//! Replacing macros in a text.

use super::func;
use super::func_env::FuncEnv;
use super::token::{MacroToken, Search, TokenKind, tokens};

/// The replacement of an unresolvable macro.
pub const UNKNOWN: &str = "*UNKNOWN*";

/// The answer of a resolver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// The macro's value.
    Value(String),
    /// The macro is meant, but has no value: it becomes `*UNKNOWN*`.
    Unknown,
    /// Not a macro that this resolver knows: it stays as it is.
    Keep,
}

impl From<Option<String>> for Resolution {
    fn from(value: Option<String>) -> Self {
        value.map_or(Self::Keep, Self::Value)
    }
}

/// Replaces the tokens of `text`. The resolver gets the token and the text of its inner macro with
/// braces (`{HOST.NAME1}`, `{$M:ctx}`, `{?…}`); functions of function macros are applied to its
/// answer. One without value is unknown, as is one whose function fails.
#[must_use]
pub fn substitute(
    text: &str,
    search: Search,
    env: &FuncEnv<'_>,
    resolve: &mut dyn FnMut(&MacroToken, &str) -> Resolution,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for token in tokens(text, search) {
        let inner = text.get(token.macro_span.clone()).unwrap_or("");
        let value = match (resolve(&token, inner), &token.func) {
            (Resolution::Keep, _) => continue,
            (Resolution::Unknown, _) => UNKNOWN.to_owned(),
            (Resolution::Value(value), None) => value,
            (Resolution::Value(value), Some(name)) => {
                let name = text.get(name.clone()).unwrap_or("");
                let params = token.params.clone().and_then(|it| text.get(it)).unwrap_or("");
                func::apply(name, params, &value, env).unwrap_or_else(|_failed| UNKNOWN.to_owned())
            }
        };
        out.push_str(text.get(done..token.span.start).unwrap_or(""));
        out.push_str(&value);
        done = token.span.end;
    }
    out.push_str(text.get(done..).unwrap_or(""));
    out
}

/// Replaces user macros (also with functions) and nothing else; unknown ones stay.
#[must_use]
pub fn substitute_user(
    text: &str,
    env: &FuncEnv<'_>,
    resolve: &mut dyn FnMut(&str) -> Option<String>,
) -> String {
    if !text.contains("{$") {
        return text.to_owned();
    }
    substitute(text, Search::BASIC, env, &mut |token, inner| match token.kind {
        TokenKind::UserMacro | TokenKind::UserFuncMacro => resolve(inner).into(),
        _ => Resolution::Keep,
    })
}

/// A built-in macro's name without its index, and the index (1 if there is none).
#[must_use]
pub fn split_index(name: &str) -> (&str, usize) {
    match name.as_bytes() {
        [.., before, digit @ b'1'..=b'9'] if !before.is_ascii_digit() && *before != b'.' => {
            (name.get(..name.len() - 1).unwrap_or(name), usize::from(digit - b'0'))
        }
        _ => (name, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_without_value_stay_or_become_unknown() {
        let env = FuncEnv::utc();
        let text = substitute(
            "{A} {B} {{B}.f()} {$C} {{A}.regsub(x, y)} {",
            Search::TEXT,
            &env,
            &mut |_, it| match it {
                "{A}" => Resolution::Value("1".to_owned()),
                "{B}" => Resolution::Unknown,
                _ => Resolution::Keep,
            },
        );
        assert_eq!(text, "1 *UNKNOWN* *UNKNOWN* {$C}  {");
    }

    #[test]
    fn one_digit_at_the_end_is_an_index() {
        assert_eq!(split_index("HOST.NAME2"), ("HOST.NAME", 2));
        assert_eq!(split_index("HOST.NAME"), ("HOST.NAME", 1));
        assert_eq!(split_index("A12"), ("A12", 1));
    }
}
