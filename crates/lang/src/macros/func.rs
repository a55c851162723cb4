//! Macro functions: `{{MACRO}.func(params)}`.

use super::func_env::{FuncEnv, FuncError};
use super::func_text as text;
use super::func_time as time;
use formats::number;
use formats::regexp::{Regexp, expand};

type Run = fn(&str, &[String], &FuncEnv<'_>) -> Result<String, FuncError>;

/// Functions by name.
const TABLE: &[(&str, Run)] = &[
    ("btoa", |value, params, _| no_params(params).map(|()| text::base64(value))),
    ("fmtnum", |value, params, _| fmtnum(value, params)),
    ("fmttime", |value, params, env| time::fmttime(value, params, env)),
    ("htmldecode", |value, params, _| no_params(params).map(|()| text::html_decode(value))),
    ("htmlencode", |value, params, _| no_params(params).map(|()| text::html_encode(value))),
    ("iregsub", |value, params, _| regsub(value, params, true)),
    ("lowercase", |value, params, _| no_params(params).map(|()| value.to_ascii_lowercase())),
    ("regrepl", |value, params, _| regrepl(value, params)),
    ("regsub", |value, params, _| regsub(value, params, false)),
    ("tr", |value, params, _| text::tr(value, params)),
    ("uppercase", |value, params, _| no_params(params).map(|()| value.to_ascii_uppercase())),
    ("urldecode", |value, params, _| no_params(params).and_then(|()| text::url_decode(value))),
    ("urlencode", |value, params, _| no_params(params).map(|()| text::url_encode(value))),
];

/// Most decimals of `fmtnum`.
const DECIMALS_MAX: u64 = 20;
/// The longest value of a function: bounds the memory of an expansion; a longer one is an error.
const VALUE_BYTES_MAX: usize = 1 << 20;
/// Bytes that all matches of one `regrepl` may read: each match looks at the whole rest of its text.
const REPLACED_BYTES_MAX: usize = 512 << 20;

/// Applies a function with its parameters as written between the parentheses.
///
/// # Errors
/// If there is no such function, or parameters or value do not fit.
pub fn apply(
    name: &str,
    params: &str,
    value: &str,
    env: &FuncEnv<'_>,
) -> Result<String, FuncError> {
    let (_, run) = TABLE
        .iter()
        .find(|(it, _)| *it == name)
        .ok_or_else(|| FuncError::Unknown(name.to_owned()))?;
    run(value, &split(params), env)
}

/// Parameters: unquoted ones without leading white space; in quoted ones `\"` is a quote.
fn split(params: &str) -> Vec<String> {
    if params.trim_matches(' ').is_empty() {
        return Vec::new();
    }
    let bytes = params.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        let start = at;
        if bytes.get(at) == Some(&b'"') {
            at += 1;
            while bytes.get(at).is_some_and(|it| *it != b'"') {
                at += if bytes[at] == b'\\' && bytes.get(at + 1) == Some(&b'"') { 2 } else { 1 };
            }
            out.push(params.get(start + 1..at).unwrap_or("").replace("\\\"", "\""));
            while bytes.get(at).is_some_and(|it| *it != b',') {
                at += 1;
            }
        } else {
            while bytes.get(at).is_some_and(|it| *it != b',') {
                at += 1;
            }
            out.push(params.get(start..at).unwrap_or("").to_owned());
        }
        if at >= bytes.len() {
            return out;
        }
        at += 1;
    }
}

fn no_params(params: &[String]) -> Result<(), FuncError> {
    if params.is_empty() { Ok(()) } else { Err(FuncError::Parameters) }
}

fn fmtnum(value: &str, params: &[String]) -> Result<String, FuncError> {
    let [places] = params else { return Err(FuncError::Parameters) };
    if number::parse_u64(value).is_some() {
        return Ok(value.to_owned());
    }
    let places =
        number::parse_u64(places).filter(|it| *it <= DECIMALS_MAX).ok_or(FuncError::Parameters)?;
    let value = number::parse_f64(value).ok_or(FuncError::Value)?;
    Ok(format!("{value:.*}", usize::try_from(places).unwrap_or(0)))
}

/// The first match rewritten; nothing if there is none. Lines count unless case does not.
fn regsub(value: &str, params: &[String], caseless: bool) -> Result<String, FuncError> {
    let [pattern, template] = params else { return Err(FuncError::Parameters) };
    let regexp = if caseless { Regexp::new_whole_caseless(pattern) } else { Regexp::new(pattern) };
    let regexp = regexp.map_err(|_invalid| FuncError::Parameters)?;
    let found = regexp.extract(value, template).map_err(|_limit| FuncError::Value)?;
    Ok(found.unwrap_or_default())
}

/// All matches of each pattern replaced, pattern by pattern.
fn regrepl(value: &str, params: &[String]) -> Result<String, FuncError> {
    if params.is_empty() || !params.len().is_multiple_of(2) {
        return Err(FuncError::Parameters);
    }
    let mut value = value.to_owned();
    let mut left = REPLACED_BYTES_MAX;
    for pair in params.chunks_exact(2) {
        let regexp = Regexp::new(&pair[0]).map_err(|_invalid| FuncError::Parameters)?;
        if pair[0].is_empty() {
            continue;
        }
        value = replace_all(&value, &regexp, &pair[1], &mut left)?;
    }
    Ok(value)
}

/// `left`: bytes that matches may still read.
fn replace_all(
    value: &str,
    regexp: &Regexp,
    template: &str,
    left: &mut usize,
) -> Result<String, FuncError> {
    let mut out = String::with_capacity(value.len());
    let mut done = 0;
    let mut at = 0;
    while at <= value.len() {
        *left = left.checked_sub(value.len() - at).ok_or(FuncError::Value)?;
        let found = regexp.groups_at(value, at).map_err(|_limit| FuncError::Value)?;
        let Some(groups) = found else { break };
        let (start, end) = groups.span();
        out.push_str(value.get(done..start).unwrap_or(""));
        out.push_str(&expand(template, &groups));
        if out.len() > VALUE_BYTES_MAX {
            return Err(FuncError::Value);
        }
        done = end;
        at = end;
        if end >= value.len() {
            break;
        }
        if start == end {
            // An empty match: go on after the next character.
            let next = value.get(end..).and_then(|it| it.chars().next()).map_or(1, char::len_utf8);
            out.push_str(value.get(end..end + next).unwrap_or(""));
            done = (end + next).min(value.len());
            at = end + next;
        }
    }
    out.push_str(value.get(done..).unwrap_or(""));
    Ok(out)
}
