//! Reading and overlaying the sources.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use toml::de::{DeTable, DeValue};

use super::nearest::nearest;
use super::render;
use super::schema::{ENV_PREFIX, Key, Schema};

/// Where settings come from, weakest first; the defaults come before all.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Settings from a file of another format; the weakest source.
    pub given: Vec<Given>,
    pub file: Option<PathBuf>,
    /// Name and value; variables of other programs are skipped, and so is an empty value.
    pub env: Vec<(String, String)>,
    /// Variables with Saker's prefix that are no settings, but not unknown either.
    pub env_known: &'static [&'static str],
    pub flags: Vec<Flag>,
}

/// A setting that the app has read itself, from a file of another program's.
#[derive(Clone, PartialEq, Debug)]
pub struct Given {
    /// Of the key: `http.listen`.
    pub path: String,
    pub value: toml::Value,
    pub place: SettingPlace,
}

/// A setting given on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flag {
    /// Of the key: `http.listen`.
    pub path: String,
    /// As it was typed, without the dashes: messages name it.
    pub name: String,
    pub value: String,
}

/// Settings, and notices for the operator that are logged once there is a log.
#[derive(Clone, Debug)]
pub struct LoadedSettings<T> {
    pub settings: T,
    pub warnings: Vec<String>,
}

/// Where a value was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SettingPlace {
    File { path: PathBuf, line: usize },
    Env { name: String },
    Flag { name: String },
}

impl fmt::Display for SettingPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Env { name } => write!(f, "environment variable {name}"),
            Self::Flag { name } => write!(f, "flag --{name}"),
        }
    }
}

#[derive(Debug, Error)]
pub enum SettingsError {
    #[error("cannot read the settings file {}: {source}", path.display())]
    ReadFile { path: PathBuf, source: io::Error },
    #[error("{}:{line}: not TOML: {message}", path.display())]
    Syntax { path: PathBuf, line: usize, message: String },
    #[error("{place}: unknown setting {key:?}; the nearest known one is {nearest:?}")]
    UnknownKey { place: SettingPlace, key: String, nearest: String },
    #[error("{place}: {key:?} is a section; write [{key}] and its settings below")]
    NotASetting { place: SettingPlace, key: String },
    #[error("{place}: setting {key:?}: {message}")]
    WrongValue { place: SettingPlace, key: String, message: String },
    #[error("setting {key:?}: {message}")]
    Inconsistent { key: &'static str, message: String },
}

/// Reads all sources and overlays them.
///
/// # Errors
/// The first mistake, with its place; the text is meant for the operator as it is.
pub fn load<T: Schema>(sources: &Sources) -> Result<LoadedSettings<T>, SettingsError> {
    let mut given = Table::new();
    for Given { path, value, place } in &sources.given {
        known_key::<T>(path, place)?;
        given.insert(path.clone(), (value.clone(), place.clone()));
    }
    if let Some(path) = &sources.file {
        let text = fs::read_to_string(path)
            .map_err(|source| SettingsError::ReadFile { path: path.clone(), source })?;
        given.extend(read_file::<T>(path, &text)?);
    }
    let warnings = read_env::<T>(sources, &mut given);
    for Flag { path, name, value } in &sources.flags {
        let place = SettingPlace::Flag { name: name.clone() };
        let key = known_key::<T>(path, &place)?;
        given.insert(path.clone(), (key.parse_text(value), place));
    }
    for (path, (value, place)) in &given {
        // Alone on top of the defaults, so that a mistake has one possible place.
        let alone = overlay::<T>([(path, value)]);
        T::deserialize(alone).map_err(|error| SettingsError::WrongValue {
            place: place.clone(),
            key: path.clone(),
            message: error.message().trim().to_owned(),
        })?;
    }
    let all = overlay::<T>(given.iter().map(|(path, (value, _))| (path, value)));
    let settings = T::deserialize(all).expect("each value is right, and they are independent");
    Ok(LoadedSettings { settings, warnings })
}

type Table = BTreeMap<String, (toml::Value, SettingPlace)>;

fn known_key<T: Schema>(path: &str, place: &SettingPlace) -> Result<&'static Key, SettingsError> {
    if let Some(key) = T::KEYS.iter().find(|it| it.path() == path) {
        return Ok(key);
    }
    let (place, key) = (place.clone(), path.to_owned());
    if T::SECTIONS.iter().any(|it| it.name == path) {
        return Err(SettingsError::NotASetting { place, key });
    }
    let known: Vec<String> = T::KEYS.iter().map(Key::path).collect();
    let nearest = nearest(path, known.iter().map(String::as_str)).unwrap_or_default().to_owned();
    Err(SettingsError::UnknownKey { place, key, nearest })
}

fn read_file<T: Schema>(path: &Path, text: &str) -> Result<Table, SettingsError> {
    let line_of = |offset: usize| 1 + text.bytes().take(offset).filter(|it| *it == b'\n').count();
    let syntax = |error: toml::de::Error| SettingsError::Syntax {
        path: path.to_owned(),
        line: line_of(error.span().map_or(0, |it| it.start)),
        message: error.message().trim().replace('\n', ", "),
    };
    let spanned = DeTable::parse(text).map_err(syntax)?;
    let values: toml::Table = toml::from_str(text).map_err(syntax)?;
    let mut offsets = Vec::new();
    list_keys(spanned.get_ref(), "", &mut offsets);
    let mut given = Table::new();
    for (key_path, offset) in offsets {
        let place = SettingPlace::File { path: path.to_owned(), line: line_of(offset) };
        known_key::<T>(&key_path, &place)?;
        let value = find(&values, &key_path).expect("both were parsed from one text");
        given.insert(key_path, (value.clone(), place));
    }
    Ok(given)
}

/// Paths of all leaves with their offsets, in order of their place. Empty tables and sections of
/// other programs are leaves, too, and are then unknown.
fn list_keys(table: &DeTable<'_>, parent: &str, into: &mut Vec<(String, usize)>) {
    for (key, value) in table {
        let separator = if parent.is_empty() { "" } else { "." };
        let path = format!("{parent}{separator}{}", key.get_ref());
        match value.get_ref() {
            DeValue::Table(inner) if !inner.is_empty() => list_keys(inner, &path, into),
            // An empty section says nothing; that is no mistake.
            DeValue::Table(_) => {}
            _ => into.push((path, key.span().start)),
        }
    }
    into.sort_by_key(|(_, offset)| *offset);
}

fn find<'a>(table: &'a toml::Table, path: &str) -> Option<&'a toml::Value> {
    let mut parts = path.split('.');
    let first = table.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.get(part))
}

fn read_env<T: Schema>(sources: &Sources, given: &mut Table) -> Vec<String> {
    let names: Vec<String> = T::KEYS.iter().map(Key::env).collect();
    let mut warnings = Vec::new();
    for (name, text) in sources.env.iter().filter(|(name, _)| name.starts_with(ENV_PREFIX)) {
        let key = T::KEYS.iter().zip(&names).find(|(_, it)| *it == name).map(|(key, _)| key);
        match key {
            Some(key) if !text.is_empty() => {
                let place = SettingPlace::Env { name: name.clone() };
                given.insert(key.path(), (key.parse_text(text), place));
            }
            Some(_) => {}
            None if sources.env_known.iter().any(|it| name.starts_with(it)) => {}
            None => {
                let nearest = nearest(name, names.iter().map(String::as_str)).unwrap_or_default();
                warnings.push(format!(
                    "environment variable {name} is no setting; the nearest known one is {nearest}"
                ));
            }
        }
    }
    warnings
}

fn overlay<'a, T: Schema>(
    values: impl IntoIterator<Item = (&'a String, &'a toml::Value)>,
) -> toml::Table {
    let defaults = render::defaults::<T>();
    let mut table: toml::Table = toml::from_str(&defaults).expect("the defaults are TOML");
    for (path, value) in values {
        let (section, name) = path.rsplit_once('.').unwrap_or(("", path));
        let mut place = &mut table;
        for part in section.split('.').filter(|it| !it.is_empty()) {
            place = place
                .get_mut(part)
                .and_then(toml::Value::as_table_mut)
                .expect("the defaults have every section");
        }
        place.insert(name.to_owned(), value.clone());
    }
    table
}
