//! Parameters of an item key, with Zabbix's words for wrong ones.

use crate::outcome::Refusal;

const ORDINALS: [&str; 11] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh",
];

/// The unquoted parameters. `key` has none, `key[]` has an empty one.
#[derive(Debug, Clone)]
pub(crate) struct Params<'a>(Vec<&'a str>);

impl<'a> Params<'a> {
    pub(crate) fn new(values: Vec<&'a str>) -> Self {
        Self(values)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Empty when absent: Zabbix does not distinguish the two.
    pub(crate) fn get(&self, idx: usize) -> &'a str {
        self.0.get(idx).copied().unwrap_or_default()
    }

    pub(crate) fn get_or(&self, idx: usize, default: &'a str) -> &'a str {
        match self.get(idx) {
            "" => default,
            value => value,
        }
    }

    pub(crate) fn required(&self, idx: usize) -> Result<&'a str, Refusal> {
        match self.get(idx) {
            "" => Err(invalid(idx)),
            value => Ok(value),
        }
    }
}

/// `Invalid second parameter.` for `idx` 1.
pub(crate) fn invalid(idx: usize) -> Refusal {
    Refusal::from(format!("Invalid {} parameter.", ORDINALS[idx]))
}

/// For regular expressions that do not compile.
pub(crate) fn invalid_regex(idx: usize, reason: &str) -> Refusal {
    Refusal::from(format!("Invalid regular expression in {} parameter: {reason}", ORDINALS[idx]))
}
