//! Small rules about texts: their order for people, shortening for messages, repair of broken UTF-8.

use std::borrow::Cow;
use std::cmp::Ordering;

/// Compares so that `item2` comes before `item10`: runs of digits count by their value.
///
/// Other characters are compared byte by byte; those beyond ASCII come first, as in Zabbix.
#[must_use]
pub fn natural_order(left: &str, right: &str) -> Ordering {
    let (mut left, mut right) = (left.as_bytes(), right.as_bytes());
    loop {
        let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) else {
            return left.len().cmp(&right.len());
        };
        if a.is_ascii_digit() && b.is_ascii_digit() {
            let order;
            (order, left, right) = order_of_numbers(left, right);
            if order != Ordering::Equal {
                return order;
            }
        } else {
            let order = a.cast_signed().cmp(&b.cast_signed());
            if order != Ordering::Equal {
                return order;
            }
            (left, right) = (left_rest, right_rest);
        }
    }
}

/// Compares the numbers at the start, of any length; also returns the text after them.
fn order_of_numbers<'a>(left: &'a [u8], right: &'a [u8]) -> (Ordering, &'a [u8], &'a [u8]) {
    let split = |text: &'a [u8]| {
        let zeros = text.iter().take_while(|it| **it == b'0').count();
        let len = text[zeros..].iter().take_while(|it| it.is_ascii_digit()).count();
        text[zeros..].split_at(len)
    };
    let ((left, left_rest), (right, right_rest)) = (split(left), split(right));
    (left.len().cmp(&right.len()).then_with(|| left.cmp(right)), left_rest, right_rest)
}

const DOTS: &str = "...";
const DOTS_IN_BRACKETS: &str = "[...]";

/// At most `chars_max` characters of a value, the last three being dots if it is cut. A limit that
/// leaves no room for the dots does not cut.
#[must_use]
pub fn truncate_value(text: &str, chars_max: usize) -> Cow<'_, str> {
    if chars_max < DOTS.len() || char_len(text) <= chars_max {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}{DOTS}", head(text, chars_max - DOTS.len())))
}

/// As [`truncate_value`] for an item key: its brackets stay, and short parameters too
/// (`vfs.fs.size[...]`, `very.long.na...[a]`).
#[must_use]
pub fn truncate_key(key: &str, chars_max: usize) -> Cow<'_, str> {
    let Some(open) = key.find('[') else { return truncate_value(key, chars_max) };
    if chars_max < DOTS_IN_BRACKETS.len() || char_len(key) <= chars_max {
        return Cow::Borrowed(key);
    }
    let (name, params) = key.split_at(open);
    let name_len = char_len(name);
    if name_len + DOTS_IN_BRACKETS.len() <= chars_max {
        let kept = head(key, chars_max - DOTS.len() - 1);
        return Cow::Owned(format!("{kept}{DOTS}]"));
    }
    let params = if char_len(params) > DOTS_IN_BRACKETS.len() { DOTS_IN_BRACKETS } else { params };
    match chars_max.checked_sub(DOTS.len() + char_len(params)) {
        Some(room) => Cow::Owned(format!("{}{DOTS}{params}", head(name, room))),
        None => Cow::Borrowed(key),
    }
}

fn char_len(text: &str) -> usize {
    text.chars().count()
}

/// The first `n` characters.
fn head(text: &str, n: usize) -> &str {
    let end = text.char_indices().nth(n).map_or(text.len(), |it| it.0);
    text.get(..end).unwrap_or("")
}

/// The bytes as text; each malformed sequence becomes one `?`.
#[must_use]
pub fn repair_utf8(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            out.push('?');
        }
    }
    Cow::Owned(out)
}

/// Whether `value` is one of the parts of a list.
#[must_use]
pub fn is_in_list(list: &str, value: &str, delimiter: &str) -> bool {
    if delimiter.is_empty() { list == value } else { list.split(delimiter).any(|it| it == value) }
}

/// An ODBC connection string with a password: as it is if it is harmless or in braces already, else in
/// braces with its closing ones doubled.
#[must_use]
pub fn with_odbc_password(connection: &str, password: &str) -> String {
    let separator = if connection.is_empty() || connection.ends_with(';') { "" } else { ";" };
    let is_plain = !password.contains(';');
    if is_plain || is_enclosed(password) {
        return format!("{connection}{separator}PWD={password}");
    }
    let escaped = password.replace('}', "}}");
    format!("{connection}{separator}PWD={{{escaped}}};")
}

/// `{…}`, also with a semicolon after it, with closing braces inside doubled.
fn is_enclosed(password: &str) -> bool {
    let inner = password.strip_suffix(';').unwrap_or(password);
    let inner = inner.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    inner.is_some_and(|it| !it.replace("}}", "").contains('}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_by_value() {
        let long = "1".repeat(50);
        for (less, greater) in [
            ("item2", "item10"),
            ("item02", "item3"),
            ("a1b2", "a1b10"),
            ("", "a"),
            ("a", "aa"),
            ("9", long.as_str()),
            ("é", "e"),
        ] {
            assert_eq!(natural_order(less, greater), Ordering::Less, "{less} {greater}");
            assert_eq!(natural_order(greater, less), Ordering::Greater, "{less} {greater}");
        }
        assert_eq!(natural_order("a01", "a1"), Ordering::Equal);
    }

    #[test]
    fn keys_keep_their_brackets() {
        assert_eq!(truncate_key("system.cpu.util[all,idle]", 20), "system.cpu.util[...]");
        assert_eq!(truncate_key("system.cpu.util[all,idle]", 22), "system.cpu.util[al...]");
        assert_eq!(truncate_key("system.cpu.util[a]", 10), "syst...[a]");
        assert_eq!(truncate_key("system.cpu.util", 8), "syste...");
        assert_eq!(truncate_key("k[a]", 3), "k[a]");
        assert_eq!(truncate_key("keyname[abcdef]", 7), "keyname[abcdef]");
    }

    #[test]
    fn passwords_end_nothing_but_themselves() {
        let with = |password| with_odbc_password("DSN=a", password);
        assert_eq!(with("plain"), "DSN=a;PWD=plain");
        assert_eq!(with("a;}b"), "DSN=a;PWD={a;}}b};");
        assert_eq!(with("{a;b}"), "DSN=a;PWD={a;b}");
        assert_eq!(with("{a};DSN=b;{c}"), "DSN=a;PWD={{a}};DSN=b;{c}}};");
    }

    #[test]
    fn malformed_bytes_become_question_marks() {
        assert_eq!(repair_utf8(b"a\xffb\xe4\xbdc"), "a?b?c");
        assert_eq!(repair_utf8("\u{20ac}".as_bytes()), "\u{20ac}");
    }
}
