//! Values of settings that are checked when they are read.

use std::fmt;
use std::path::Path;

use model::networks::Networks;
use model::version::Version;
use serde::Deserialize;
use serde::de::{self, Deserializer};

/// Where the certificate of the pages comes from, if it is not given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HttpTls {
    SelfSigned,
}

/// A log filter that was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Level(pub(crate) String);

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        rt::log::parse_level(&text).map_err(de::Error::custom)?;
        Ok(Self(text))
    }
}

/// Origins that were read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CorsOrigins(pub(crate) api::Cors);

impl<'de> Deserialize<'de> for CorsOrigins {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(de::Error::custom)
    }
}

/// The version of Zabbix that the API speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ApiVersion(pub(crate) Version);

impl<'de> Deserialize<'de> for ApiVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(de::Error::custom)
    }
}

/// Networks that were read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NetworkList(pub(crate) Networks);

impl<'de> Deserialize<'de> for NetworkList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(de::Error::custom)
    }
}

/// A store of history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StoreName {
    Embedded,
    ClickHouse,
    Postgres,
}

/// Stores in the order in which they are read, each once, and one at least.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct StoreNames(pub(crate) Vec<StoreName>);

impl<'de> Deserialize<'de> for StoreNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut names = Vec::new();
        for name in text.split(',').map(str::trim) {
            let name = match name {
                "embedded" => StoreName::Embedded,
                "clickhouse" => StoreName::ClickHouse,
                "postgres" => StoreName::Postgres,
                _ => {
                    let known = "\"embedded\", \"clickhouse\" and \"postgres\"";
                    return Err(de::Error::custom(format!("stores are {known}, not {name:?}")));
                }
            };
            if names.contains(&name) {
                return Err(de::Error::custom("a store is named twice"));
            }
            names.push(name);
        }
        Ok(Self(names))
    }
}

/// Which relational database.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum DatabaseUrl {
    /// `saker.db` in the data directory.
    Sqlite,
    /// The URL as given; it may hold a password.
    Postgres(String),
}

impl DatabaseUrl {
    /// Where the tables of a data directory are.
    #[must_use]
    pub(crate) fn tables(&self, data: &Path) -> db::Location {
        match self {
            Self::Sqlite => db::Location::Sqlite(data.join(data_dir::TABLES)),
            Self::Postgres(url) => db::Location::Postgres(url.clone()),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "sqlite",
            Self::Postgres(_) => "postgres://…",
        })
    }
}

impl<'de> Deserialize<'de> for DatabaseUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "sqlite" {
            return Ok(Self::Sqlite);
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text));
        }
        // Without the text: it may be a password in a wrong place.
        Err(de::Error::custom("neither \"sqlite\" nor a URL that starts with \"postgres://\""))
    }
}

/// An address of HTTP or HTTPS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct HttpUrl(pub(crate) String);

impl<'de> Deserialize<'de> for HttpUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let uri = text.parse::<ureq::http::Uri>().map_err(de::Error::custom)?;
        let is_http = uri.scheme_str().is_some_and(|it| it == "http" || it == "https");
        let authority = uri.authority().map_or("", |it| it.as_str());
        if !is_http || authority.is_empty() {
            return Err(de::Error::custom(
                "not a URL that starts with \"http://\" or \"https://\"",
            ));
        }
        // It would be shown in messages.
        if authority.contains('@') {
            return Err(de::Error::custom("user and password have settings of their own"));
        }
        Ok(Self(text))
    }
}

/// Kinds of rows that are exported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ExportTypes(pub(crate) Vec<export::RowKind>);

impl<'de> Deserialize<'de> for ExportTypes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut kinds = Vec::new();
        for name in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let kind = match name {
                "events" => export::RowKind::Events,
                "history" => export::RowKind::History,
                "trends" => export::RowKind::Trends,
                other => {
                    let what = format!("{other:?} is none of events, history, trends");
                    return Err(de::Error::custom(what));
                }
            };
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        Ok(Self(kinds))
    }
}

/// A PostgreSQL; it may hold a password.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PostgresUrl(pub(crate) String);

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://…")
    }
}

impl<'de> Deserialize<'de> for PostgresUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self(text));
        }
        // Without the text: it may be a password in a wrong place.
        Err(de::Error::custom("not a URL that starts with \"postgres://\""))
    }
}

/// A secret that is never shown.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct Password(pub(crate) String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "none" } else { "…" })
    }
}
