//! Scripts as users write them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock};

use formats::regexp::Regexp;

/// The body of a function of `value`. Engines compile it when they run it first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    source: Arc<str>,
    hash: u64,
    changes_builtins: bool,
}

/// Assignments to members of what the language brings, as polyfills do.
static CHANGES: LazyLock<Option<Regexp>> = LazyLock::new(|| {
    const NAMES: &str = "(?:Object|Array|String|Number|Boolean|Date|RegExp|Function|Math|JSON|\
        Error|Symbol|Map|Set|Zabbix|XML|HttpRequest|CurlHttpRequest|console)";
    let member = r"\s*(?:\.\s*[\w$]+|\[[^\]\n]{1,80}\])";
    let pattern = format!(
        r"\b{NAMES}\b(?:{member}){{1,2}}\s*=(?!=)|\b(?:defineProperty|defineProperties|assign|setPrototypeOf)\s*\(\s*{NAMES}\b"
    );
    Regexp::new(&pattern).ok()
});

impl Script {
    /// A script whose macros are replaced.
    #[must_use]
    pub fn new(source: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        source.hash(&mut hasher);
        // A pattern that gives up says nothing: such a script has its context for itself.
        let changes_builtins =
            CHANGES.as_ref().is_none_or(|it| it.is_match(source).unwrap_or(true));
        Self { source: source.into(), hash: hasher.finish(), changes_builtins }
    }

    /// The text.
    #[must_use]
    pub fn source(&self) -> &Arc<str> {
        &self.source
    }

    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// Must run in a context of its own: it gives built-in objects other members.
    pub(super) fn changes_builtins(&self) -> bool {
        self.changes_builtins
    }

    /// Whether its text says that it may throw null.
    pub(super) fn throws_null(&self) -> bool {
        self.source.split("throw").skip(1).any(|it| it.trim_start().starts_with("null"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polyfills_are_seen() {
        for source in [
            "String.prototype.includes = function () {}",
            "Array . prototype['last']=function () {}",
            "Math.half = 1",
            "Object.defineProperty(Array.prototype, 'x', {})",
            "Object.assign(String.prototype, {})",
        ] {
            assert!(Script::new(source).changes_builtins(), "{source}");
        }
        for source in [
            "return Math.round(value) == 1",
            "var o = {}; o.prototype = 1; o.String = 2;",
            "Object.keys(a).forEach(function (k) { b[k] = a[k]; })",
            "if (Number.MAX_VALUE === value) return 1",
            "var s = String(value); s = 1",
        ] {
            assert!(!Script::new(source).changes_builtins(), "{source}");
        }
    }
}
