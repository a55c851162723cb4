//! Scripts as users write them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use formats::regexp::Regexp;

/// The body of a function of `value`. Engines compile it at its first run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    source: Arc<str>,
    hash: u64,
    changes_builtins: bool,
    secrets: Arc<[Secret]>,
}

/// The place of a secret in a script's text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Secret {
    pub place: Range<usize>,
    /// The name by which the owner of secrets knows it.
    pub name: Arc<str>,
}

/// Assignments to members of built-in objects, as polyfills have them.
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
        // A pattern that gives up decides nothing: such a script has its context for itself.
        let changes_builtins =
            CHANGES.as_ref().is_none_or(|it| it.is_match(source).unwrap_or(true));
        let secrets = Arc::default();
        Self { source: source.into(), hash: hasher.finish(), changes_builtins, secrets }
    }

    /// A script whose text has places for secrets, in their order.
    #[must_use]
    pub fn with_secrets(self, secrets: Vec<Secret>) -> Self {
        Self { secrets: secrets.into(), ..self }
    }

    /// The script with its secrets, as `value_of` returns them for their names and places. `None`:
    /// it has none, and is run as it is.
    ///
    /// # Errors
    /// Those of `value_of`.
    pub fn filled(
        &self,
        value_of: &mut dyn FnMut(&Secret, &str) -> Result<String, String>,
    ) -> Option<Result<Self, String>> {
        if self.secrets.is_empty() {
            return None;
        }
        let (mut text, mut done) = (String::with_capacity(self.source.len()), 0);
        for it in self.secrets.iter() {
            text.push_str(self.source.get(done..it.place.start).unwrap_or_default());
            match value_of(it, self.source.get(it.place.clone()).unwrap_or_default()) {
                Ok(value) => text.push_str(&value),
                Err(why) => return Some(Err(why)),
            }
            done = it.place.end;
        }
        text.push_str(self.source.get(done..).unwrap_or_default());
        Some(Ok(Self::new(&text)))
    }

    /// The text.
    #[must_use]
    pub fn source(&self) -> &Arc<str> {
        &self.source
    }

    /// The hash of the text.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Must run in a context of its own: it changes members of built-in objects.
    pub(super) fn changes_builtins(&self) -> bool {
        self.changes_builtins
    }

    /// Whether its text contains a throw of null.
    pub(super) fn throws_null(&self) -> bool {
        self.source.split("throw").skip(1).any(|it| it.trim_start().starts_with("null"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_take_their_places() {
        let script = Script::new("return '{$A}' + '{$B}';").with_secrets(vec![
            Secret { place: 8..12, name: "a".into() },
            Secret { place: 17..21, name: "b".into() },
        ]);
        let filled = script.filled(&mut |it, written| Ok(format!("{}={written}", it.name)));
        let filled = filled.expect("there are secrets").expect("they are known");
        assert_eq!(&**filled.source(), "return 'a={$A}' + 'b={$B}';");
        assert_eq!(filled.filled(&mut |_, _| Ok(String::new())), None);
        let missing = script.filled(&mut |it, _| Err(format!("no {}", it.name)));
        assert_eq!(missing, Some(Err("no a".to_owned())));
    }

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
