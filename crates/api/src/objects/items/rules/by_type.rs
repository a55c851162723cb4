//! Fields that only some types of checks use: their rules there, and that they keep their defaults everywhere
//! else.

use std::borrow::Cow;

use db::objects::item::of_type::fields_of;
use model::content::{ItemContent, ItemFlags, ItemType};
use model::field_path::FieldPath;
use serde_json::Value;

use super::single::{self, Macros};
use crate::describe::{Field, FieldType, Rule};
use crate::error::ApiError;
use crate::json::{Fields, list_of, str_of};
use crate::objects::items::fields::{BY_TYPE, content_field};
use crate::objects::items::interval;
use crate::validate::Mode;

const QUERY_FIELDS_MAX: usize = 2_048;
const HEADERS_MAX: usize = 65_535;

/// A new item, or a change of one.
pub(super) struct ItemRequest<'a> {
    pub(super) fields: &'a Fields,
    pub(super) mode: Mode,
    pub(super) kind: ItemType,
    pub(super) flags: ItemFlags,
    /// The previous content.
    pub(super) old: Option<&'a ItemContent>,
    pub(super) on_template: bool,
    pub(super) path: &'a FieldPath,
}

impl<'a> ItemRequest<'a> {
    pub(super) fn macros(&self) -> Macros {
        if self.flags.is_prototype() { Macros::UserAndLld } else { Macros::User }
    }

    pub(super) fn given(&self, name: &str) -> Option<&'a str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    /// The given value, else the previous one; "" if it is new.
    pub(super) fn now(&self, name: &str) -> Cow<'a, str> {
        match (self.given(name), self.old) {
            (Some(it), _) => Cow::Borrowed(it),
            (None, Some(old)) => match content_field(old, name) {
                Some(Value::String(it)) => Cow::Owned(it),
                _ => Cow::Borrowed(""),
            },
            (None, None) => Cow::Borrowed(""),
        }
    }

    pub(super) fn at(&self, name: &str) -> FieldPath {
        self.path.member(name)
    }

    pub(super) fn wrong(&self, name: &str, what: &str) -> Result<(), ApiError> {
        Err(ApiError::field(self.at(name), what))
    }

    fn is_new_kind(&self) -> bool {
        self.old.is_some_and(|it| it.kind != self.kind)
    }

    /// A field that this type cannot do without: `None` where it stays as it was.
    fn needed(&self, name: &str) -> Result<Option<Cow<'a, str>>, ApiError> {
        match (self.given(name), self.mode) {
            (Some(it), _) => Ok(Some(Cow::Borrowed(it))),
            (None, Mode::Create) => Err(ApiError::missing(self.path, name)),
            (None, Mode::Update) => Ok(self.is_new_kind().then(|| self.now(name))),
        }
    }

    fn needed_text(&self, name: &str) -> Result<(), ApiError> {
        match self.needed(name)? {
            Some(it) if it.is_empty() => self.wrong(name, "cannot be empty"),
            _ => Ok(()),
        }
    }

    /// A text that only counts with another field's value.
    pub(super) fn empty_unless(&self, name: &str, counts: bool) -> Result<(), ApiError> {
        match self.given(name) {
            Some(it) if !counts && !it.is_empty() => self.wrong(name, "value must be empty"),
            _ => Ok(()),
        }
    }

    /// Codes of which a type of check has fewer than others.
    pub(super) fn one_of(&self, name: &str, codes: &[&str]) -> Result<(), ApiError> {
        match (self.given(name), codes) {
            (Some(it), codes) if codes.contains(&it) => Ok(()),
            (Some(_), [one]) => self.wrong(name, &format!("value must be {one}")),
            (Some(_), codes) => {
                self.wrong(name, &format!("value must be one of {}", codes.join(", ")))
            }
            (None, _) => Ok(()),
        }
    }

    /// A time that does not count is 0.
    pub(super) fn no_time(&self, name: &str, given: &str) -> Result<(), ApiError> {
        match formats::number::parse_signed_duration_s(given) {
            _ if given.is_empty() => Ok(()),
            Some(0) => Ok(()),
            Some(_) => self.wrong(name, "value must be 0"),
            None => self.wrong(name, "a time unit is expected"),
        }
    }

    /// # Errors
    /// In Zabbix's words, for the first field that its type of check has not or needs otherwise.
    pub(super) fn check(&self) -> Result<(), ApiError> {
        let used = fields_of(self.kind);
        for field in used {
            self.check_used(field.name)?;
        }
        if self.kind == ItemType::Jmx
            && self.now("username").is_empty() != self.now("password").is_empty()
        {
            let what = "both username and password should be either present or empty";
            return Err(ApiError::field(self.path, what));
        }
        for field in BY_TYPE.iter().map(|column| &column.field) {
            if used.iter().all(|it| it.name != field.name) {
                self.check_unused(field)?;
            }
        }
        Ok(())
    }

    /// A field that is not used has its default.
    fn check_unused(&self, field: &Field) -> Result<(), ApiError> {
        let name = field.name;
        if let FieldType::List(_) = field.kind {
            return match self.fields.get(name).and_then(Value::as_array) {
                Some(it) if !it.is_empty() => self.wrong(name, "should be empty"),
                _ => Ok(()),
            };
        }
        let Some(given) = self.given(name) else { return Ok(()) };
        match field.rule {
            _ if name == "delay" => self.no_time(name, given),
            Rule::Default("") if !given.is_empty() => self.wrong(name, "value must be empty"),
            Rule::Default(it) if it != given => self.wrong(name, &format!("value must be {it}")),
            _ => Ok(()),
        }
    }

    fn check_used(&self, name: &str) -> Result<(), ApiError> {
        match name {
            "interfaceid" if self.on_template => self.one_of(name, &["0"]),
            "url" | "snmp_oid" | "params" => self.needed_text(name),
            "username" if matches!(self.kind, ItemType::Ssh | ItemType::Telnet) => {
                self.needed_text(name)
            }
            "username" | "password" if self.kind == ItemType::HttpAgent => {
                self.empty_unless(name, !matches!(&*self.now("authtype"), "" | "0"))
            }
            "authtype" if self.kind == ItemType::Ssh => self.one_of(name, &["0", "1"]),
            "authtype" => self.one_of(name, &["0", "1", "2", "3", "4"]),
            "publickey" | "privatekey" => self.check_ssh_key(name),
            "timeout" => self.check_timeout(),
            "delay" => self.check_delay(),
            "trapper_hosts" => {
                if self.kind == ItemType::HttpAgent && self.now("allow_traps") != "1" {
                    return self.empty_unless(name, false);
                }
                self.given(name).map_or(Ok(()), |it| single::peers(it, &self.at(name)))
            }
            // The item is looked up when it is saved.
            "master_itemid" => self.needed(name).map(|_| ()),
            "posts" => self.check_posts(),
            "status_codes" => match self.given(name) {
                Some(it) if !it.is_empty() && !single::is_ranges(it, self.macros()) => {
                    self.wrong(name, "invalid range expression")
                }
                _ => Ok(()),
            },
            "retrieve_mode" if self.now("request_method") == "3" => self.one_of(name, &["1"]),
            "ipmi_sensor" if self.now("key_") != "ipmi.get" => self.needed_text(name),
            "jmx_endpoint" => match self.given(name) {
                Some("") => self.wrong(name, "cannot be empty"),
                _ => Ok(()),
            },
            "parameters" => self.check_unique_names(name),
            "query_fields" => self.check_length(name, QUERY_FIELDS_MAX, 8, 1),
            "headers" => self.check_length(name, HEADERS_MAX, 4, 0),
            _ => Ok(()),
        }
    }

    fn check_ssh_key(&self, name: &str) -> Result<(), ApiError> {
        if self.now("authtype") != "1" {
            return self.empty_unless(name, false);
        }
        let was_by_key = self.old.is_some_and(|it| it.authtype == 1 && it.kind == self.kind);
        match self.given(name) {
            None if was_by_key => Ok(()),
            None if self.mode == Mode::Create => self.needed_text(name),
            None if self.now(name).is_empty() => self.wrong(name, "cannot be empty"),
            Some("") => self.wrong(name, "cannot be empty"),
            _ => Ok(()),
        }
    }

    fn check_timeout(&self) -> Result<(), ApiError> {
        let has_own = match self.kind {
            ItemType::Simple => {
                let key = self.now("key_");
                !key.starts_with("icmpping") && !key.starts_with("vmware.")
            }
            ItemType::Snmp => {
                let oid = self.now("snmp_oid");
                oid.starts_with("get[") || oid.starts_with("walk[")
            }
            _ => true,
        };
        match self.given("timeout") {
            Some(it) if has_own && !it.is_empty() => {
                single::period(it, false, (1, 600), self.macros(), &self.at("timeout"))
            }
            _ => self.empty_unless("timeout", has_own),
        }
    }

    fn check_delay(&self) -> Result<(), ApiError> {
        // The agent sends such values as they arrive.
        if self.kind == ItemType::ZabbixAgentActive && self.now("key_").starts_with("mqtt.get") {
            return self.given("delay").map_or(Ok(()), |it| self.no_time("delay", it));
        }
        match self.needed("delay")? {
            Some(it) => interval::check(&it, self.macros(), &self.at("delay")),
            None => Ok(()),
        }
    }

    fn check_posts(&self) -> Result<(), ApiError> {
        let kind = self.now("post_type");
        if !matches!(&*kind, "2" | "3") {
            return Ok(());
        }
        let had_posts = self.old.is_some_and(|it| matches!(it.post_type, 2 | 3));
        let posts = match self.given("posts") {
            Some(it) => Cow::Borrowed(it),
            None if self.mode == Mode::Create => return self.needed_text("posts"),
            None if had_posts && self.given("post_type").is_none() => return Ok(()),
            None => self.now("posts"),
        };
        if posts.is_empty() {
            return self.wrong("posts", "cannot be empty");
        }
        if kind == "3" {
            return match formats::xml::Doc::parse(&posts) {
                Ok(_) => Ok(()),
                Err(_) => self.wrong("posts", "XML is expected"),
            };
        }
        let json = self.macros().replaced(&posts, true);
        match serde_json::from_str::<serde::de::IgnoredAny>(&json) {
            Ok(_) => Ok(()),
            Err(_) => self.wrong("posts", "JSON is expected"),
        }
    }

    /// The written length of a list: each pair with this number of signs around it, and a number around all.
    fn check_length(
        &self,
        name: &str,
        max: usize,
        per_pair: usize,
        around: usize,
    ) -> Result<(), ApiError> {
        let length = |it: &Fields, name: &str| str_of(it, name).chars().count();
        let pairs = list_of(self.fields, name);
        let total: usize =
            pairs.map(|it| length(it, "name") + length(it, "value") + per_pair).sum();
        if max < total + around { self.wrong(name, "value is too long") } else { Ok(()) }
    }

    fn check_unique_names(&self, name: &str) -> Result<(), ApiError> {
        let mut seen: Vec<&str> = Vec::new();
        for (at, it) in list_of(self.fields, name).enumerate() {
            let own = str_of(it, "name");
            if seen.contains(&own) {
                let what = format!("value (name)=({own}) already exists");
                return Err(ApiError::field(self.at(name).element(at), &what));
            }
            seen.push(own);
        }
        Ok(())
    }
}
