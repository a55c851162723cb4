//! Reading an export strictly: what is not asked for is an error that names its path.

use std::fmt;

use serde_json::{Map as JsonMap, Value as Json};

use crate::ConfigError;

/// An object of the file. Fields are taken out as they are read; [`Node::finish`] complains of
/// what is left.
pub(super) struct Node {
    path: String,
    fields: JsonMap<String, Json>,
}

pub(super) fn unsupported(path: &str, what: impl fmt::Display) -> ConfigError {
    ConfigError::parameters(format_args!("Invalid tag \"{path}\": {what}."))
}

impl Node {
    pub(super) fn root(value: Json) -> Result<Self, ConfigError> {
        Self::new(String::new(), value)
    }

    fn new(path: String, value: Json) -> Result<Self, ConfigError> {
        match value {
            Json::Object(fields) => Ok(Self { path, fields }),
            _ => {
                Err(unsupported(if path.is_empty() { "/" } else { &path }, "an array is expected"))
            }
        }
    }

    pub(super) fn path_of(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn missing(&self, name: &str) -> ConfigError {
        let path = if self.path.is_empty() { "/" } else { &self.path };
        unsupported(path, format_args!("the tag \"{name}\" is missing"))
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, ConfigError> {
        match self.fields.remove(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(it)) => Ok(Some(it)),
            Some(Json::Number(it)) => Ok(Some(it.to_string())),
            Some(_) => Err(unsupported(&self.path_of(name), "a character string is expected")),
        }
    }

    pub(super) fn needed_text(&mut self, name: &str) -> Result<String, ConfigError> {
        self.text(name)?.ok_or_else(|| self.missing(name))
    }

    /// A named constant as the API's code, in the API's form.
    pub(super) fn code(
        &mut self,
        name: &str,
        codes: &[(&str, i64)],
        default: i64,
    ) -> Result<String, ConfigError> {
        let Some(text) = self.text(name)? else { return Ok(default.to_string()) };
        let code = codes.iter().find(|(it, _)| *it == text).map(|(_, code)| code.to_string());
        code.ok_or_else(|| {
            let names: Vec<&str> = codes.iter().map(|(it, _)| *it).collect();
            let what =
                format!("unexpected constant \"{text}\", one of {} is expected", names.join(", "));
            unsupported(&self.path_of(name), what)
        })
    }

    pub(super) fn child(&mut self, name: &str) -> Result<Option<Self>, ConfigError> {
        let path = self.path_of(name);
        self.fields.remove(name).map(|it| Self::new(path, it)).transpose()
    }

    pub(super) fn list(&mut self, name: &str) -> Result<Vec<Self>, ConfigError> {
        let path = self.path_of(name);
        match self.fields.remove(name) {
            None => Ok(Vec::new()),
            Some(Json::Array(list)) => list
                .into_iter()
                .enumerate()
                .map(|(at, it)| Self::new(format!("{path}({})", at + 1), it))
                .collect(),
            Some(_) => Err(unsupported(&path, "an array is expected")),
        }
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, name: &str) -> Result<Vec<String>, ConfigError> {
        let path = self.path_of(name);
        let is_text = |it: Json| match it {
            Json::String(it) => Ok(it),
            Json::Number(it) => Ok(it.to_string()),
            _ => Err(unsupported(&path, "a list of character strings is expected")),
        };
        match self.fields.remove(name) {
            None => Ok(Vec::new()),
            Some(Json::Array(list)) => list.into_iter().map(is_text).collect(),
            Some(_) => Err(unsupported(&path, "an array is expected")),
        }
    }

    /// Complains of the first field that was not read.
    pub(super) fn finish(self) -> Result<(), ConfigError> {
        match self.fields.keys().next() {
            None => Ok(()),
            Some(name) => {
                let path = if self.path.is_empty() { "/" } else { &self.path };
                Err(unsupported(path, format_args!("unexpected tag \"{name}\"")))
            }
        }
    }
}
