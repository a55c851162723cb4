//! Reading an export strictly: unread parts are errors that name their path.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use serde_json::{Map as JsonMap, Value as Json};

use crate::error::ConfigError;

use crate::locks;

/// The state that all nodes of a file share.
pub(super) struct File {
    /// Lists stand as `<items><item>…</item><item>…</item></items>`.
    pub(super) is_xml: bool,
    /// Parts that were read and are not used yet, by tag.
    pub(super) kept: Mutex<BTreeMap<String, usize>>,
}

impl File {
    /// The entries of a list; `None` if it is none. `entry`: their name in XML.
    fn entries(&self, value: Json, entry: &str) -> Option<Vec<Json>> {
        match value {
            Json::Array(list) => Some(list),
            Json::Null if self.is_xml => Some(Vec::new()),
            // PHP has one kind of array: an empty list may stand there as an empty object.
            Json::Object(wrapper) if wrapper.is_empty() => Some(Vec::new()),
            Json::Object(wrapper)
                if self.is_xml && wrapper.len() == 1 && wrapper.contains_key(entry) =>
            {
                match wrapper.into_iter().next()?.1 {
                    Json::Array(list) => Some(list),
                    one => Some(vec![one]),
                }
            }
            _ => None,
        }
    }
}

/// An object of the file. Fields are taken out as they are read; [`Node::finish`] complains of
/// what is left.
pub(super) struct Node {
    file: Arc<File>,
    path: String,
    fields: JsonMap<String, Json>,
}

pub(super) fn unsupported(path: &str, what: impl fmt::Display) -> ConfigError {
    ConfigError::application(format_args!("Invalid tag \"{path}\": {what}."))
}

/// The name of an entry of a list: `item` of `items`.
pub(crate) fn entry_of(list: &str) -> String {
    match list.strip_suffix("ies") {
        _ if list == "preprocessing" => "step".to_owned(),
        _ if list == "posts" => "post_field".to_owned(),
        Some(start) => format!("{start}y"),
        None => list.strip_suffix('s').unwrap_or(list).to_owned(),
    }
}

impl Node {
    pub(super) fn root(value: Json, file: &Arc<File>) -> Result<Self, ConfigError> {
        Self::new(String::new(), value, file)
    }

    fn new(path: String, value: Json, file: &Arc<File>) -> Result<Self, ConfigError> {
        match value {
            Json::Object(fields) => Ok(Self { file: Arc::clone(file), path, fields }),
            _ => {
                Err(unsupported(if path.is_empty() { "/" } else { &path }, "an array is expected"))
            }
        }
    }

    /// The substitute for a part that the file leaves out.
    pub(super) fn empty(&self) -> Self {
        Self { file: Arc::clone(&self.file), path: self.path.clone(), fields: JsonMap::new() }
    }

    /// Brings the file into the form of 7.0.
    pub(super) fn convert(&mut self, version: &str) {
        super::convert::to_7_0(&mut self.fields, version, self.file.is_xml);
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
            // In XML, an element without content.
            Some(Json::Null) if self.file.is_xml => Ok(Some(String::new())),
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(it)) => Ok(Some(it)),
            Some(Json::Number(it)) => Ok(Some(it.to_string())),
            // YAML has words for it that users mean as texts.
            Some(Json::Bool(it)) => Ok(Some(it.to_string())),
            Some(_) => Err(unsupported(&self.path_of(name), "a character string is expected")),
        }
    }

    /// Takes what has its place in a later version, and counts it.
    pub(super) fn keep_for_later(&mut self, names: &[&str]) {
        for name in names {
            let n = match self.fields.remove(*name) {
                None => continue,
                Some(it) => self.file.entries(it, &entry_of(name)).map_or(1, |it| it.len()),
            };
            if n == 0 {
                continue;
            }
            let mut kept = locks::lock(&self.file.kept);
            *kept.entry((*name).to_owned()).or_default() += n;
        }
    }

    /// Leaves all else unread.
    pub(super) fn keep_only(&mut self, names: &[&str]) {
        self.fields.retain(|name, _| names.contains(&name.as_str()));
    }

    /// The uuid, or nothing. Stored ones are in lower case.
    pub(super) fn uuid(&mut self) -> Result<String, ConfigError> {
        Ok(self.text("uuid")?.unwrap_or_default().to_ascii_lowercase())
    }

    /// A text that is read later.
    pub(super) fn peek(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Json::as_str)
    }

    pub(super) fn needed_text(&mut self, name: &str) -> Result<String, ConfigError> {
        self.text(name)?.ok_or_else(|| self.missing(name))
    }

    /// Whether the value under a name is a list.
    pub(super) fn is_list(&self, name: &str) -> bool {
        match self.fields.get(name) {
            Some(Json::Array(_)) => true,
            Some(Json::Object(_)) => self.file.is_xml,
            _ => false,
        }
    }

    /// Whether there is something under a name.
    pub(super) fn has(&self, name: &str) -> bool {
        match self.fields.get(name) {
            Some(Json::Array(it)) => !it.is_empty(),
            Some(Json::Object(it)) => !it.is_empty(),
            _ => false,
        }
    }

    /// A named constant as the API's code, in the API's form.
    pub(super) fn code(
        &mut self,
        name: &str,
        codes: &[(&str, i64)],
        default: i64,
    ) -> Result<String, ConfigError> {
        Ok(self.code_if_any(name, codes)?.unwrap_or_else(|| default.to_string()))
    }

    /// As [`Node::code`], for a tag that may be absent.
    pub(super) fn code_if_any(
        &mut self,
        name: &str,
        codes: &[(&str, i64)],
    ) -> Result<Option<String>, ConfigError> {
        let text = self.text(name)?.filter(|it| !self.file.is_xml || !it.is_empty());
        let Some(text) = text else { return Ok(None) };
        let code = codes.iter().find(|(it, _)| *it == text).map(|(_, code)| code.to_string());
        code.map(Some).ok_or_else(|| {
            unsupported(&self.path_of(name), format_args!("unexpected constant \"{text}\""))
        })
    }

    pub(super) fn child(&mut self, name: &str) -> Result<Option<Self>, ConfigError> {
        let path = self.path_of(name);
        match self.fields.remove(name) {
            None => Ok(None),
            Some(Json::Null) if self.file.is_xml => Ok(None),
            // PHP has one kind of array: an empty object may stand there as an empty list.
            Some(Json::Array(it)) if it.is_empty() => Ok(None),
            Some(it) => Self::new(path, it, &self.file).map(Some),
        }
    }

    pub(super) fn list(&mut self, name: &str) -> Result<Vec<Self>, ConfigError> {
        let path = self.path_of(name);
        let Some(value) = self.fields.remove(name) else { return Ok(Vec::new()) };
        let entry = entry_of(name);
        let entries = self.file.entries(value, &entry);
        let entries = entries.ok_or_else(|| unsupported(&path, "an array is expected"))?;
        let nodes = entries.into_iter().enumerate();
        nodes
            .map(|(at, it)| Self::new(format!("{path}/{entry}({})", at + 1), it, &self.file))
            .collect()
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, name: &str) -> Result<Vec<String>, ConfigError> {
        let path = self.path_of(name);
        let is_text = |it: Json| match it {
            Json::String(it) => Ok(it),
            Json::Number(it) => Ok(it.to_string()),
            // An element without content.
            Json::Null if self.file.is_xml => Ok(String::new()),
            _ => Err(unsupported(&path, "a list of character strings is expected")),
        };
        let Some(value) = self.fields.remove(name) else { return Ok(Vec::new()) };
        let entries = self.file.entries(value, &entry_of(name));
        let entries = entries.ok_or_else(|| unsupported(&path, "an array is expected"))?;
        entries.into_iter().map(is_text).collect()
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
