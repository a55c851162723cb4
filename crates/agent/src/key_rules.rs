//! Allowed keys: Zabbix's AllowKey and DenyKey.
//!
//! Rules are tried in order; the first whose pattern matches decides, and a key without a matching
//! rule is allowed. In a pattern `*` stands for any text. A pattern without brackets matches the
//! key without parameters only, one with brackets the key with brackets; parameters are compared
//! one by one, a missing one counts as empty, and a last pattern `*` matches all that are left. The
//! pattern `*` matches every key.

use model::key::{ItemKey, KeyParam};

/// A rule as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyRule {
    /// Allows the keys that match.
    Allow(String),
    /// Denies the keys that match.
    Deny(String),
}

impl KeyRule {
    fn pattern(&self) -> &str {
        match self {
            Self::Allow(pattern) | Self::Deny(pattern) => pattern,
        }
    }

    fn fits_all(&self) -> bool {
        self.pattern() == "*"
    }

    /// Whether the pattern is a key, except for stars in it. Any other pattern would match no key,
    /// and so deny none.
    fn is_good(&self) -> bool {
        let name_len = self.pattern().find('[').unwrap_or(self.pattern().len());
        let (name, params) = self.pattern().split_at(name_len);
        ItemKey::parse(&(name.replace('*', "x") + params)).is_ok()
    }

    fn is_about_commands(&self) -> bool {
        self.pattern().split('[').next() == Some(RUN)
    }
}

/// The key that runs commands.
const RUN: &str = "system.run";
/// Commands may not be run unless a rule allows them.
const RUN_COMMANDS: &str = "system.run[*]";

/// Rules in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRules {
    rules: Vec<KeyRule>,
}

impl Default for KeyRules {
    /// Everything except commands.
    fn default() -> Self {
        Self { rules: vec![KeyRule::Deny(RUN_COMMANDS.to_owned())] }
    }
}

impl KeyRules {
    /// The rules in the order in which they are written, followed by the rule that commands may not
    /// be run. Rules without effect are dropped: a repeated pattern, rules after `*`, and rules at
    /// the end that allow, except for commands.
    ///
    /// # Errors
    /// If a pattern is malformed, or no rule is left: nothing would be denied, though the user seems to
    /// think so.
    pub fn new(written: impl IntoIterator<Item = KeyRule>) -> Result<Self, String> {
        let mut rules: Vec<KeyRule> = Vec::new();
        let add = |rules: &mut Vec<KeyRule>, rule: KeyRule| {
            let is_decided = rules.iter().any(|it| it.fits_all() || it.pattern() == rule.pattern());
            if !is_decided {
                rules.push(rule);
            }
        };
        for rule in written {
            if !rule.is_good() {
                return Err(format!("invalid pattern of item keys \"{}\"", rule.pattern()));
            }
            add(&mut rules, rule);
        }
        if rules.is_empty() {
            return Ok(Self::default());
        }
        // The next rule, about commands, has no effect after `*`.
        let is_closed = rules.last().is_some_and(KeyRule::fits_all);
        let denied = rules.iter().rposition(|it| matches!(it, KeyRule::Deny(_)));
        let mut idle = rules.split_off(denied.map_or(0, |it| it + 1));
        idle.retain(KeyRule::is_about_commands);
        rules.append(&mut idle);
        if rules.is_empty() {
            return Err("AllowKey rules without a DenyKey rule have no effect: end the list with \
                        DenyKey=*"
                .to_owned());
        }
        if !is_closed {
            add(&mut rules, KeyRule::Deny(RUN_COMMANDS.to_owned()));
        }
        Ok(Self { rules })
    }

    /// Adds a rule after all others.
    pub fn push(&mut self, rule: KeyRule) {
        self.rules.push(rule);
    }

    /// The remaining rules.
    #[must_use]
    pub fn rules(&self) -> &[KeyRule] {
        &self.rules
    }

    /// May the key be asked?
    #[must_use]
    pub fn allows(&self, key: &ItemKey) -> bool {
        let rule = self.rules.iter().find(|it| fits(it.pattern(), key));
        rule.is_none_or(|it| matches!(it, KeyRule::Allow(_)))
    }
}

fn fits(pattern: &str, key: &ItemKey) -> bool {
    if pattern == "*" {
        return true;
    }
    // A name with stars is no key to the parser, so name and parameters are split here.
    let (name, params) = match pattern.find('[') {
        Some(at) => pattern.split_at(at),
        None => (pattern, ""),
    };
    if !glob(name, &key.name) {
        return false;
    }
    if params.is_empty() {
        return !key.has_params;
    }
    match ItemKey::parse(&format!("k{params}")) {
        Ok(pattern) => key.has_params && params_fit(&pattern.params, &key.params),
        Err(_not_a_pattern) => false,
    }
}

fn params_fit(patterns: &[KeyParam], params: &[KeyParam]) -> bool {
    let rest_is_free = patterns.last().is_some_and(|it| is_only_stars(it.as_str()));
    if params.len() > patterns.len() && !rest_is_free {
        return false;
    }
    let mut params = params.iter().map(KeyParam::as_str);
    patterns.iter().all(|it| glob(it.as_str(), params.next().unwrap_or("")))
}

fn is_only_stars(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.bytes().all(|it| it == b'*')
}

/// `*` is any text, also none. Linear: after a star, the earliest match of the next part is as good
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
        assert!(fits("vfs.file.*[*]", "vfs.file.contents[/etc/passwd,utf8]"));
        assert!(!fits("vfs.file.*[*]", "vfs.file.size"));
        assert!(!fits("vfs.file.*", "vfs.file.size[/etc/passwd]"));
        assert!(fits("vfs.file.*", "vfs.file.size"));
        assert!(fits("vfs.file.contents[/etc/*]", "vfs.file.contents[/etc/passwd]"));
        assert!(!fits("vfs.file.contents[/etc/*]", "vfs.file.contents[/etc/passwd,utf8]"));
        assert!(fits("vfs.file.contents[/etc/*,*]", "vfs.file.contents[/etc/passwd,utf8,x]"));
        assert!(fits("vfs.file.contents[/etc/*,*]", "vfs.file.contents[/etc/passwd]"));
        assert!(!fits("vfs.file.contents[/etc/*,*]", "vfs.file.contents[/tmp/x,utf8]"));
        assert!(fits("*", "anything[a,b]"));
        assert!(fits("k[\"a,b\"]", "k[\"a,b\"]"));
        assert!(fits("k[]", "k[]"));
        assert!(!fits("k[]", "k"));
        assert!(fits("a*b*c", "aXbYbc"));
        assert!(!fits("a*b*bc", "abc"));
        assert!(!fits("[", "k"));
    }

    fn rules(written: &[(bool, &str)]) -> Result<KeyRules, String> {
        let rule = |it: &(bool, &str)| {
            if it.0 { KeyRule::Allow(it.1.to_owned()) } else { KeyRule::Deny(it.1.to_owned()) }
        };
        KeyRules::new(written.iter().map(rule))
    }

    #[test]
    fn the_first_rule_that_fits_decides() {
        let rules = rules(&[
            (true, "vfs.file.contents[/etc/hostname]"),
            (false, "vfs.file.contents[*]"),
            (true, "vfs.file.contents[*]"),
        ]);
        let rules = rules.expect("good rules");
        let allowed = |key| rules.allows(&ItemKey::parse(key).expect("a key"));
        assert!(allowed("vfs.file.contents[/etc/hostname]"));
        assert!(!allowed("vfs.file.contents[/etc/shadow]"));
        assert!(allowed("agent.ping"));
        assert!(!allowed("system.run[id]"));
        assert_eq!(rules.rules().len(), 3);
    }

    #[test]
    fn rules_that_decide_nothing_are_dropped_or_refused() {
        assert!(rules(&[(true, "agent.*")]).is_err());
        assert!(rules(&[(true, "*"), (false, "a")]).is_err());
        for pattern in ["", "a[", "[*]", "a[b]c", "a b"] {
            assert!(rules(&[(false, pattern)]).is_err(), "{pattern}");
        }
        assert_eq!(rules(&[]).expect("none"), KeyRules::default());
        let left = |written: &[(bool, &str)]| rules(written).expect("good rules").rules().len();
        assert_eq!(left(&[(false, "a"), (true, "b"), (true, "*")]), 1);
        assert_eq!(left(&[(false, "a"), (true, "b")]), 2);
    }

    #[test]
    fn commands_are_allowed_without_denying_anything() {
        for (written, id, rm) in [
            (&[(true, "system.run[*]")][..], true, true),
            (&[(true, "system.run[id]")], true, false),
            (&[(false, "system.run[rm]"), (true, "system.run[*]")], true, false),
            (&[(false, "a"), (true, "system.run[id]"), (true, "b")], true, false),
            (&[(false, "a"), (true, "*")], true, true),
        ] {
            let rules = rules(written).expect("good rules");
            let allowed = |key| rules.allows(&ItemKey::parse(key).expect("a key"));
            assert_eq!(allowed("system.run[id]"), id, "{written:?}");
            assert_eq!(allowed("system.run[rm]"), rm, "{written:?}");
            assert!(allowed("agent.ping"), "{written:?}");
        }
    }
}
