//! Ways to secure connections, as settings name them.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer};

/// A way to secure connections, in Zabbix's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    Unencrypted,
    /// By a key that both sides know.
    Psk,
    /// By certificates.
    Cert,
}

/// Ways with commas between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ways(pub Vec<Way>);

impl<'de> Deserialize<'de> for Ways {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let way = |it: &str| match it.trim() {
            "unencrypted" => Ok(Way::Unencrypted),
            "psk" => Ok(Way::Psk),
            "cert" => Ok(Way::Cert),
            other => {
                let message = format!("\"{other}\" is none of unencrypted, psk, cert");
                Err(de::Error::custom(message))
            }
        };
        Ok(Self(text.split(',').map(way).collect::<Result<_, _>>()?))
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unencrypted => "unencrypted",
            Self::Psk => "psk",
            Self::Cert => "cert",
        })
    }
}
