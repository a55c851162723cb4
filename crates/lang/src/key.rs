//! Item keys and SNMP OIDs with macros: replacing text inside parameters with the quoting rules.
//!
//! The parser itself is [`model::key`]; these functions need a resolver.

use std::ops::Range;

use thiserror::Error;

use model::content::ItemType;
pub use model::key::{
    ItemKey, KeyError, KeyParam, KeySpans, ParamKind, ParamSpan, quote_param, scan_params,
};

/// Why macros in a key can't be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ReplaceError {
    /// The key is malformed from this byte on, or a value can't be quoted there.
    #[error("Invalid item key at position {0}")]
    Key(usize),
    /// As [`ReplaceError::Key`], for an SNMP OID.
    #[error("Invalid SNMP OID at position {0}")]
    Oid(usize),
}

/// `host:key` as its two parts; without a colon before the parameters there is no host. `None` for an
/// empty text.
#[must_use]
pub fn split_host(text: &str) -> Option<(Option<&str>, &str)> {
    if text.is_empty() {
        return None;
    }
    match text.find([':', '[']) {
        Some(at) if text.as_bytes()[at] == b':' => {
            let (host, key) = text.split_at(at);
            Some((Some(host), key.get(1..).unwrap_or("")))
        }
        _ => Some((None, text)),
    }
}

/// Whether the server collects an item although its host belongs to a proxy: calculated items, and internal
/// ones about data that only the server has.
#[must_use]
pub fn is_server_side(kind: ItemType, key: &str) -> bool {
    if kind != ItemType::Internal {
        return kind == ItemType::Calculated;
    }
    let Ok(key) = ItemKey::parse(key) else { return false };
    let params: Vec<&str> = key.params.iter().map(KeyParam::as_str).collect();
    key.name == "zabbix"
        && matches!(
            params[..],
            ["host", "", "maintenance" | "items" | "items_unsupported"]
                | ["host", "discovery", "interfaces"]
                | ["proxy", "discovery"]
                | ["proxy", _, "lastaccess" | "delay"]
                | ["proxy group", ..]
        )
}

/// Length of the longest key at the start of `text`.
///
/// # Errors
/// See [`KeySpans::scan`].
pub fn key_len(text: &str) -> Result<usize, KeyError> {
    KeySpans::scan(text).map(|it| it.len)
}

/// The key with each parameter (unquoted) passed through `replace`, quoted again where needed.
/// `None` from `replace` leaves the parameter as it is written.
///
/// # Errors
/// [`ReplaceError::Key`] if the key is malformed or a replaced parameter can't be quoted.
pub fn replace_params(
    key: &str,
    replace: &mut dyn FnMut(&str) -> Option<String>,
) -> Result<String, ReplaceError> {
    let spans = KeySpans::scan(key).map_err(|it| ReplaceError::Key(it.position))?;
    if !only_separators(key, spans.len, spans.has_params) {
        return Err(ReplaceError::Key(unexpected_at(key, spans.len)));
    }
    replace_all(key, &spans.params, replace).map_err(ReplaceError::Key)
}

/// As [`replace_params`] for the OID field of SNMP items: text before the bracket is replaced as well.
///
/// # Errors
/// [`ReplaceError::Oid`].
pub fn replace_oid(
    oid: &str,
    replace: &mut dyn FnMut(&str) -> Option<String>,
) -> Result<String, ReplaceError> {
    if oid.is_empty() {
        return Err(ReplaceError::Oid(0));
    }
    let Some(open) = outer_bracket(oid) else {
        return Ok(replace(oid).unwrap_or_else(|| oid.to_owned()));
    };
    let (params, len) = scan_params(oid, open).map_err(|it| ReplaceError::Oid(it.position))?;
    if !only_separators(oid, len, true) {
        return Err(ReplaceError::Oid(unexpected_at(oid, len)));
    }
    let replaced = replace_all(oid, &params, replace).map_err(ReplaceError::Oid)?;
    let (head, tail) = replaced.split_at(open);
    Ok(replace(head).unwrap_or_else(|| head.to_owned()) + tail)
}

/// The first opening bracket outside of macros, whose contexts may hold brackets.
fn outer_bracket(oid: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(pos) = oid.as_bytes()[at..].iter().position(|it| matches!(it, b'[' | b'{')) {
        at += pos;
        if oid.as_bytes()[at] == b'[' {
            return Some(at);
        }
        at += oid
            .get(at..)
            .and_then(|it| crate::macros::token_at(it, crate::macros::Search::BASIC))
            .map_or(1, |it| it.span.end);
    }
    None
}

/// Zabbix lets spaces and commas follow the closing bracket.
fn only_separators(text: &str, len: usize, has_params: bool) -> bool {
    let rest = text.get(len..).unwrap_or("");
    rest.is_empty() || (has_params && rest.bytes().all(|it| matches!(it, b' ' | b',')))
}

fn unexpected_at(text: &str, len: usize) -> usize {
    let rest = text.get(len..).unwrap_or("");
    len + rest.bytes().position(|it| !matches!(it, b' ' | b',')).unwrap_or(0)
}

fn replace_all(
    text: &str,
    params: &[ParamSpan],
    replace: &mut dyn FnMut(&str) -> Option<String>,
) -> Result<String, usize> {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for param in params {
        if param.kind == ParamKind::Array {
            for element in &param.elements {
                replace_one(text, element, replace, &mut edits)?;
            }
        } else {
            replace_one(text, param, replace, &mut edits)?;
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (range, value) in edits {
        out.push_str(text.get(done..range.start).unwrap_or(""));
        out.push_str(&value);
        done = range.end;
    }
    out.push_str(text.get(done..).unwrap_or(""));
    Ok(out)
}

fn replace_one(
    text: &str,
    param: &ParamSpan,
    replace: &mut dyn FnMut(&str) -> Option<String>,
    edits: &mut Vec<(Range<usize>, String)>,
) -> Result<(), usize> {
    let value = param.value(text);
    if let Some(replaced) = replace(value.as_str())
        && replaced != value.as_str()
    {
        let quoted = param.kind == ParamKind::Quoted;
        let written = quote_param(&replaced, quoted).ok_or(param.range.end)?;
        edits.push((param.range.clone(), written.into_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(value: &str) -> impl FnMut(&str) -> Option<String> {
        move |text| text.contains("{$M}").then(|| text.replace("{$M}", value))
    }

    #[test]
    fn hosts_end_at_the_first_colon() {
        assert_eq!(split_host("host:k[a:b]"), Some((Some("host"), "k[a:b]")));
        assert_eq!(split_host("k[a:b]"), Some((None, "k[a:b]")));
        assert_eq!(split_host(":"), Some((Some(""), "")));
        assert_eq!(split_host(""), None);
    }

    #[test]
    fn the_server_answers_what_only_it_knows() {
        assert!(is_server_side(ItemType::Calculated, "any"));
        assert!(is_server_side(ItemType::Internal, "zabbix[proxy,\"p 1\",delay]"));
        assert!(is_server_side(ItemType::Internal, "zabbix[host,,items]"));
        assert!(!is_server_side(ItemType::Internal, "zabbix[host,discovery,items]"));
        assert!(!is_server_side(ItemType::Internal, "zabbix[queue]"));
        assert!(!is_server_side(ItemType::ZabbixAgent, "zabbix[host,,maintenance]"));
    }

    #[test]
    fn replaced_parameters_are_quoted_where_needed() {
        assert_eq!(
            replace_params("k[{$M},[a,{$M}]]", &mut with("x,y")).unwrap(),
            "k[\"x,y\",[a,\"x,y\"]]"
        );
        assert_eq!(replace_params("k[{$M}]", &mut with("a]\\")), Err(ReplaceError::Key(6)));
        assert_eq!(replace_oid(".1.{$M}", &mut with("2")).unwrap(), ".1.2");
        assert_eq!(replace_oid("walk[{$M},3]", &mut with(".1")).unwrap(), "walk[.1,3]");
    }
}
