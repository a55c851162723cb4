//! Item references `/host/key?[filter]`.

use crate::key;

/// The parts of an item reference, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemQuery<'t> {
    /// Host; empty for the item's own host (`//key`), `*` for all; may be `{HOST.HOST}`.
    pub host: &'t str,
    /// Key; may be `{ITEM.KEY}`, hold `*` as parameter or be `*`.
    pub key: &'t str,
    /// The text in `?[…]`; empty without filter.
    pub filter: &'t str,
}

/// The parts of `text` if all of it is one item reference.
#[must_use]
pub fn parse_query(text: &str) -> Option<ItemQuery<'_>> {
    let (query, len) = query_at(text)?;
    (len == text.len()).then_some(query)
}

/// The item reference at the start of `text`, and its length.
pub(super) fn query_at(text: &str) -> Option<(ItemQuery<'_>, usize)> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'/') {
        return None;
    }
    let host_len = host_len(bytes.get(1..)?)?;
    let host = text.get(1..1 + host_len)?;
    if bytes.get(1 + host_len) != Some(&b'/') {
        return None;
    }
    let key_start = host_len + 2;
    let rest = text.get(key_start..)?;
    let key_len = built_in_len(rest.as_bytes(), b"{ITEM.KEY").or_else(|| key_len(rest))?;
    let key = rest.get(..key_len)?;
    let mut end = key_start + key_len;
    let mut filter = "";
    if bytes.get(end..).is_some_and(|it| it.starts_with(b"?[")) {
        let len = filter_len(&bytes[end + 2..])?;
        filter = text.get(end + 2..end + 2 + len)?;
        end += len + 3;
    }
    Some((ItemQuery { host, key, filter }, end))
}

fn host_len(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'*' => Some(1),
        b'{' => built_in_len(text, b"{HOST.HOST"),
        _ => Some(text.iter().take_while(|it| is_host_char(**it)).count()),
    }
}

fn is_host_char(char: u8) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, b' ' | b'.' | b'_' | b'-')
}

/// `{NAME}` or `{NAME1}`..`{NAME9}` at the start of `text`.
fn built_in_len(text: &[u8], start: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(start)?;
    match rest {
        [b'}', ..] => Some(start.len() + 1),
        [b'1'..=b'9', b'}', ..] => Some(start.len() + 2),
        _ => None,
    }
}

fn key_len(text: &str) -> Option<usize> {
    if text.starts_with('*') {
        return Some(1);
    }
    key::key_len(text).ok()
}

/// Length of a filter up to its closing bracket, which strings may hold as well.
fn filter_len(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b']' => return Some(at),
            b'"' => {
                at += 1;
                loop {
                    match text.get(at)? {
                        b'"' => break,
                        b'\\' => at += 2,
                        _ => at += 1,
                    }
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
}
