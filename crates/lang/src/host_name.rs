//! Technical names of hosts: letters, digits, spaces, `.`, `_` and `-`.

use crate::macros::{Search, TokenKind, token_at};

/// Characters that a name may have.
pub const CHARS_MAX: usize = 128;

fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'.' | b'_' | b'-')
}

/// Are all characters allowed in a host name, and are there some?
#[must_use]
pub fn has_allowed_chars(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_allowed)
}

/// Is it a host name?
#[must_use]
pub fn is_valid(name: &str) -> bool {
    name.len() <= CHARS_MAX && has_allowed_chars(name)
}

/// Why it is no host name, in Zabbix's words; `None`: it is one.
#[must_use]
pub fn fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("name is empty".to_owned());
    }
    if let Some(char) = name.chars().find(|it| !u8::try_from(*it).is_ok_and(is_allowed)) {
        return Some(format!("name contains invalid character '{char}'"));
    }
    (CHARS_MAX < name.len()).then(|| format!("name is too long (max {CHARS_MAX} characters)"))
}

/// Whether it is the name of a host prototype: a host name that may contain LLD macros, also with functions.
#[must_use]
pub fn is_valid_prototype(name: &str) -> bool {
    if name.is_empty() || name.chars().count() > CHARS_MAX {
        return false;
    }
    let mut rest = name;
    while let Some(first) = rest.bytes().next() {
        let len = match token_at(rest, Search::BASIC) {
            Some(it) if matches!(it.kind, TokenKind::LldMacro | TokenKind::LldFuncMacro) => {
                it.span.end
            }
            _ if is_allowed(first) => 1,
            _ => return false,
        };
        rest = rest.get(len..).unwrap_or("");
    }
    true
}

/// A host name from any text: each byte that is not allowed becomes `_`.
#[must_use]
pub fn make(text: &str) -> String {
    text.bytes().map(|it| if is_allowed(it) { char::from(it) } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_prototypes() {
        assert!(is_valid("Zabbix server") && !is_valid("") && !is_valid("a/b"));
        assert!(!is_valid(&"a".repeat(129)) && is_valid(&"a".repeat(128)));
        assert_eq!(fault("Zabbix server"), None);
        assert_eq!(fault("aäb").as_deref(), Some("name contains invalid character 'ä'"));
        for it in ["", "a/b", &"a".repeat(128), &"a".repeat(129)] {
            assert_eq!(fault(it).is_none(), is_valid(it), "{it}");
        }
        assert!(is_valid_prototype("vm {#NAME} {{#ID}.regsub(\"(.)\",\\1)}"));
        assert!(
            !is_valid_prototype("{$NAME}")
                && !is_valid_prototype("{#NAME")
                && !is_valid_prototype("")
        );
        assert_eq!(make("a/b c"), "a_b c");
    }
}
