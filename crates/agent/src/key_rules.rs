//! Which keys may be asked at all: Zabbix's AllowKey and DenyKey.
//!
//! Rules are tried in order; the first whose pattern fits decides, and a key that none fits is
//! allowed. In a pattern `*` stands for any text. A pattern without brackets fits the key without
//! parameters only; one that ends in `[*]` fits any parameters and none; otherwise patterns and
//! parameters pair up, and a last pattern `*` fits all that are left.

use model::key::{ItemKey, KeyParam};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyRule {
    Allow(String),
    Deny(String),
}

pub(crate) fn is_allowed(rules: &[KeyRule], key: &ItemKey) -> bool {
    rules
        .iter()
        .find_map(|rule| match rule {
            KeyRule::Allow(pattern) => fits(pattern, key).then_some(true),
            KeyRule::Deny(pattern) => fits(pattern, key).then_some(false),
        })
        .unwrap_or(true)
}

fn fits(pattern: &str, key: &ItemKey) -> bool {
    // A name with stars is no key to the parser, so name and parameters part here.
    let (name, params) = match pattern.find('[') {
        Some(at) => pattern.split_at(at),
        None => (pattern, ""),
    };
    if !glob(name, &key.name) {
        return false;
    }
    match params {
        "" => !key.has_params || name == "*",
        "[*]" => true,
        _ => match ItemKey::parse(&format!("k{params}")) {
            Ok(pattern) => key.has_params && params_fit(&pattern.params, &key.params),
            Err(_not_a_pattern) => false,
        },
    }
}

fn params_fit(patterns: &[KeyParam], params: &[KeyParam]) -> bool {
    let Some((last, head)) = patterns.split_last() else {
        return params.is_empty();
    };
    let rest_is_free = last.as_str() == "*";
    let n_fits =
        if rest_is_free { params.len() >= head.len() } else { params.len() == patterns.len() };
    n_fits && patterns.iter().zip(params).all(|(it, param)| glob(it.as_str(), param.as_str()))
}

/// `*` is any text, also none. Linear: after a star, the earliest fit of the next part is as good
/// as any.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<_> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, tail)) = rest.split_once(part) else { return false };
        rest = tail;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, key: &str) -> bool {
        super::fits(pattern, &ItemKey::parse(key).expect("a key"))
    }

    #[test]
    fn patterns_fit_as_zabbix_documents_them() {
        assert!(fits("vfs.file.*[*]", "vfs.file.size[/etc/passwd]"));
        assert!(fits("vfs.file.*[*]", "vfs.file.size"));
        assert!(!fits("vfs.file.*", "vfs.file.size[/etc/passwd]"));
        assert!(fits("vfs.file.*", "vfs.file.size"));
        assert!(fits("vfs.file.contents[/etc/*]", "vfs.file.contents[/etc/passwd]"));
        assert!(!fits("vfs.file.contents[/etc/*]", "vfs.file.contents[/etc/passwd,utf8]"));
        assert!(fits("vfs.file.contents[/etc/*,*]", "vfs.file.contents[/etc/passwd,utf8,x]"));
        assert!(!fits("vfs.file.contents[/etc/*,*]", "vfs.file.contents[/tmp/x,utf8]"));
        assert!(fits("*", "anything[a,b]"));
        assert!(fits("k[\"a,b\"]", "k[\"a,b\"]"));
        assert!(fits("k[]", "k[]"));
        assert!(!fits("k[]", "k"));
        assert!(fits("a*b*c", "aXbYbc"));
        assert!(!fits("a*b*bc", "abc"));
        assert!(!fits("[", "k"));
    }

    #[test]
    fn the_first_rule_that_fits_decides() {
        let rules = [
            KeyRule::Allow("vfs.file.contents[/etc/hostname]".into()),
            KeyRule::Deny("vfs.file.contents[*]".into()),
        ];
        let allowed = |key| is_allowed(&rules, &ItemKey::parse(key).expect("a key"));
        assert!(allowed("vfs.file.contents[/etc/hostname]"));
        assert!(!allowed("vfs.file.contents[/etc/shadow]"));
        assert!(allowed("agent.ping"));
    }
}
