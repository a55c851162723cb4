//! How connections are secured, as settings name it.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer};

/// How a connection is secured, in Zabbix's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TlsMode {
    Unencrypted,
    /// By a key that both sides know.
    Psk,
    /// By certificates.
    Cert,
}

/// Several modes, separated by commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsModes(pub Vec<TlsMode>);

impl<'de> Deserialize<'de> for TlsModes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let way = |it: &str| match it.trim() {
            "unencrypted" => Ok(TlsMode::Unencrypted),
            "psk" => Ok(TlsMode::Psk),
            "cert" => Ok(TlsMode::Cert),
            other => {
                let message = format!("\"{other}\" is none of unencrypted, psk, cert");
                Err(de::Error::custom(message))
            }
        };
        Ok(Self(text.split(',').map(way).collect::<Result<_, _>>()?))
    }
}

impl fmt::Display for TlsMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unencrypted => "unencrypted",
            Self::Psk => "psk",
            Self::Cert => "cert",
        })
    }
}
