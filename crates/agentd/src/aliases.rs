//! Other names of keys: Zabbix's `Alias`.
//!
//! `name:key` stands for the key. With brackets, `name[*]:key[*]` passes the parameters on, and
//! `name[*]:key[a]` drops them.

use serde::Deserialize;
use serde::de::{self, Deserializer};

/// An alias as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    name: String,
    key: String,
}

const ANY: &str = "[*]";

impl Alias {
    fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is no alias such as name:key or name[*]:key[*]");
        let (name, key) = text.split_once(':').ok_or_else(wrong)?;
        let (name, key) = (name.trim(), key.trim());
        let bare = name.strip_suffix(ANY).unwrap_or(name);
        let key_bare = key.strip_suffix(ANY).unwrap_or(key);
        let is_key = |it: &str| model::key::ItemKey::parse(it).is_ok();
        if is_key(bare) && is_key(key_bare) {
            Ok(Self { name: name.to_owned(), key: key.to_owned() })
        } else {
            Err(wrong())
        }
    }

    fn resolve(&self, key: &str) -> Option<String> {
        if self.name == key {
            return Some(self.key.clone());
        }
        let bare = self.name.strip_suffix(ANY)?;
        let params = key.strip_prefix(bare)?;
        if !params.starts_with('[') {
            return None;
        }
        Some(match self.key.strip_suffix(ANY) {
            Some(target) => format!("{target}{params}"),
            None => self.key.clone(),
        })
    }
}

impl<'de> Deserialize<'de> for Alias {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

/// All of an agent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Aliases(Vec<Alias>);

impl Aliases {
    /// # Errors
    /// If two have one name.
    pub(crate) fn new(aliases: &[Alias]) -> Result<Self, String> {
        for (at, alias) in aliases.iter().enumerate() {
            if aliases.iter().take(at).any(|it| it.name == alias.name) {
                return Err(format!("alias \"{}\" is defined twice", alias.name));
            }
        }
        Ok(Self(aliases.to_vec()))
    }

    /// The real key. A text that is no alias stays as it is; aliases of aliases are not followed.
    pub(crate) fn resolve(&self, key: &str) -> String {
        self.0.iter().find_map(|it| it.resolve(key)).unwrap_or_else(|| key.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_replace_keys_and_pass_parameters_on() {
        let parse = |it: &&str| Alias::parse(it).unwrap();
        let written = [
            "user:vfs.file.regexp[/etc/passwd,\"^z:.\",,,,\\1]",
            "cpu[*]:system.cpu.util[*]",
            "cpu:system.cpu.util",
            "any[*]:agent.ping",
        ];
        let aliases = Aliases::new(&written.iter().map(parse).collect::<Vec<_>>()).unwrap();
        for (key, expected) in [
            ("user", "vfs.file.regexp[/etc/passwd,\"^z:.\",,,,\\1]"),
            ("cpu", "system.cpu.util"),
            ("cpu[,idle]", "system.cpu.util[,idle]"),
            ("any[x,y]", "agent.ping"),
            ("any", "any"),
            ("cpux[1]", "cpux[1]"),
            ("agent.ping", "agent.ping"),
        ] {
            assert_eq!(aliases.resolve(key), expected, "{key}");
        }
        for wrong in ["a", ":b", "a:", "a b:c", "a:b["] {
            assert!(Alias::parse(wrong).is_err(), "{wrong}");
        }
        let twice = [parse(&"a:b"), parse(&"a:c")];
        assert!(Aliases::new(&twice).is_err());
    }
}
