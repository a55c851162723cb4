//! Keys that run a command of the operator: Zabbix's `UserParameter`.
//!
//! `key,command` takes no parameters; `key[*],command` inserts them for `$1` to `$9`. A parameter
//! with characters that a shell interprets is refused unless the settings allow it.

use std::collections::BTreeMap;

use model::key::ItemKey;
use serde::Deserialize;
use serde::de::{self, Deserializer};

/// Characters that Zabbix refuses in parameters, in the order of its message.
const UNSAFE: &str = "\\'\"`*?[]{}~$!&;()<>|#@\n";

/// A user parameter as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserParameter {
    key: String,
    takes_params: bool,
    command: String,
}

impl UserParameter {
    fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "a user parameter is written as key,command or key[*],command".to_owned();
        let (key, command) = text.split_once(',').ok_or_else(wrong)?;
        let (key, command) = (key.trim(), command.trim());
        let bare = key.strip_suffix("[*]").unwrap_or(key);
        let is_name = !bare.is_empty() && bare.bytes().all(model::key::is_name_byte);
        if !is_name || command.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            key: bare.to_owned(),
            takes_params: bare.len() != key.len(),
            command: command.to_owned(),
        })
    }
}

impl<'de> Deserialize<'de> for UserParameter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

/// All of an agent.
#[derive(Debug, Clone, Default)]
pub(crate) struct UserParameters {
    by_key: BTreeMap<String, UserParameter>,
    is_unsafe: bool,
}

impl UserParameters {
    /// # Errors
    /// If a key is there twice, or is one that the agent has anyway.
    pub(crate) fn new(
        parameters: &[UserParameter],
        is_unsafe: bool,
        is_taken: impl Fn(&str) -> bool,
    ) -> Result<Self, String> {
        let mut by_key = BTreeMap::new();
        for parameter in parameters {
            let key = parameter.key.clone();
            if is_taken(&key) || by_key.insert(key, parameter.clone()).is_some() {
                return Err(format!(
                    "key \"{}\" of a user parameter is already defined",
                    parameter.key
                ));
            }
        }
        Ok(Self { by_key, is_unsafe })
    }

    /// The command of a key; `None` if it is no user parameter.
    ///
    /// # Errors
    /// A sentence about the mistake in the key's parameters.
    pub(crate) fn command(&self, key: &ItemKey) -> Option<Result<String, String>> {
        let parameter = self.by_key.get(&key.name)?;
        Some(if parameter.takes_params {
            self.filled(&parameter.command, key)
        } else if key.has_params {
            Err("Item does not allow parameters.".to_owned())
        } else {
            Ok(parameter.command.clone())
        })
    }

    fn filled(&self, command: &str, key: &ItemKey) -> Result<String, String> {
        let mut out = String::with_capacity(command.len());
        let mut chars = command.chars().peekable();
        while let Some(char) = chars.next() {
            let digit =
                if char == '$' { chars.peek().and_then(|it| it.to_digit(10)) } else { None };
            match digit {
                Some(0) => {
                    chars.next();
                    out.push_str(command);
                }
                Some(number) => {
                    chars.next();
                    let param = key.param(number as usize - 1);
                    if !self.is_unsafe && param.contains(|it| UNSAFE.contains(it)) {
                        return Err(not_allowed());
                    }
                    out.push_str(param);
                }
                None => out.push(char),
            }
        }
        Ok(out)
    }
}

fn not_allowed() -> String {
    let shown: Vec<String> = UNSAFE
        .chars()
        .map(|it| if it == '\n' { "0x0a".to_owned() } else { it.to_string() })
        .collect();
    format!("Special characters \"{}\" are not allowed in the parameters.", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(is_unsafe: bool) -> UserParameters {
        let written = ["a,echo 1", "b[*],echo $1-$2 $$ $x '$0'"];
        let parsed: Vec<_> = written.iter().map(|it| UserParameter::parse(it).unwrap()).collect();
        UserParameters::new(&parsed, is_unsafe, |it| it == "agent.ping").unwrap()
    }

    fn command(of: &UserParameters, key: &str) -> Option<Result<String, String>> {
        of.command(&ItemKey::parse(key).unwrap())
    }

    #[test]
    fn parameters_take_the_place_of_their_numbers() {
        let safe = parameters(false);
        let ok = |text: &str| Some(Ok(text.to_owned()));
        assert_eq!(command(&safe, "a"), ok("echo 1"));
        assert_eq!(command(&safe, "a[]"), Some(Err("Item does not allow parameters.".to_owned())));
        let expected = "echo x y- $$ $x 'echo $1-$2 $$ $x '$0''";
        assert_eq!(command(&safe, "b[x y]"), ok(expected));
        assert_eq!(command(&safe, "c"), None);
    }

    #[test]
    fn shell_metacharacters_are_refused() {
        let safe = parameters(false);
        for bad in UNSAFE.chars() {
            let key = ItemKey {
                name: "b".to_owned(),
                params: vec![model::key::KeyParam::Text(format!("a{bad}"))],
                has_params: true,
            };
            let error = safe.command(&key).expect("known").expect_err("refused");
            assert!(error.starts_with("Special characters \"\\, ', \", `, *, ?, [, ], {, }, ~, $"));
            assert!(error.ends_with("0x0a\" are not allowed in the parameters."), "{error}");
            assert!(parameters(true).command(&key).expect("known").is_ok());
        }
    }

    #[test]
    fn keys_are_there_once() {
        let twice = [UserParameter::parse("a,1").unwrap(), UserParameter::parse("a[*],2").unwrap()];
        assert!(UserParameters::new(&twice, false, |_| false).is_err());
        assert!(UserParameters::new(&twice[..1], false, |it| it == "a").is_err());
        for wrong in ["a", ",x", "a b,x", "a[1],x", "a,"] {
            assert!(UserParameter::parse(wrong).is_err(), "{wrong}");
        }
    }
}
