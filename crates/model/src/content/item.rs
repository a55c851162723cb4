//! Items, discovery rules and item prototypes: one content for the three.

use serde::{Deserialize, Serialize};

use super::{LldOperation, Tag, codes, flag, overrides};
use crate::{InterfaceId, ItemId, ValueMapId, ValueType};

codes! {
    /// Item types; codes as in Zabbix (PROTOCOLS.md §12).
    pub enum ItemType {
        ZabbixAgent = 0,
        Trapper = 2,
        Simple = 3,
        Internal = 5,
        ZabbixAgentActive = 7,
        WebItem = 9,
        External = 10,
        Odbc = 11,
        Ipmi = 12,
        Ssh = 13,
        Telnet = 14,
        Calculated = 15,
        Jmx = 16,
        SnmpTrap = 17,
        Dependent = 18,
        HttpAgent = 19,
        Snmp = 20,
        Script = 21,
        Browser = 22,
        /// Of discovery rules: the row that made the rule, or its host.
        Nested = 23,
    }
}

impl ItemType {
    /// The type of interface that items of this type need; `None`: none, or any (simple checks,
    /// external checks, SSH, telnet, SNMP traps, HTTP take one where it is given).
    #[must_use]
    pub fn interface(self) -> Option<super::InterfaceType> {
        use super::InterfaceType;
        match self {
            Self::ZabbixAgent => Some(InterfaceType::Agent),
            Self::Snmp | Self::SnmpTrap => Some(InterfaceType::Snmp),
            Self::Ipmi => Some(InterfaceType::Ipmi),
            Self::Jmx => Some(InterfaceType::Jmx),
            _ => None,
        }
    }

    /// Whether there is a collector for items of this type and key, or whatever else makes their
    /// values.
    #[must_use]
    pub fn is_collected(self, key: &str) -> bool {
        match self {
            Self::Simple => {
                let name = key.split('[').next().unwrap_or_default();
                matches!(
                    name,
                    "icmpping"
                        | "icmppingloss"
                        | "icmppingretry"
                        | "icmppingsec"
                        | "net.tcp.service"
                        | "net.tcp.service.perf"
                        | "net.udp.service"
                        | "net.udp.service.perf"
                )
            }
            Self::ZabbixAgent
            | Self::Trapper
            | Self::Internal
            | Self::ZabbixAgentActive
            | Self::Calculated
            | Self::Dependent
            | Self::External
            | Self::Ssh
            | Self::Telnet
            | Self::Jmx
            | Self::WebItem
            | Self::Ipmi
            | Self::Odbc
            | Self::HttpAgent
            | Self::Script
            | Self::Browser
            | Self::Snmp
            | Self::SnmpTrap
            | Self::Nested => true,
        }
    }

    /// Whether the server asks for the value by itself, after the update interval.
    #[must_use]
    pub fn is_polled(self) -> bool {
        !matches!(
            self,
            Self::Trapper
                | Self::ZabbixAgentActive
                | Self::SnmpTrap
                | Self::Dependent
                | Self::WebItem
                | Self::Nested
        )
    }
}

codes! {
    pub enum ItemStatus { Enabled = 0, Disabled = 1 }
}

codes! {
    /// The kind of object that an item row is (`flags` of the API).
    pub enum ItemFlags {
        Plain = 0,
        Rule = 1,
        /// Of an item, trigger, graph or host.
        Prototype = 2,
        RulePrototype = 3,
        Discovered = 4,
        DiscoveredRule = 5,
    }
}

impl ItemFlags {
    /// Objects that take results of discovery: a rule that a user or another rule created.
    #[must_use]
    pub fn is_rule(self) -> bool {
        matches!(self, Self::Rule | Self::DiscoveredRule)
    }

    /// Objects that prototypes belong to: a rule that a user created, or a rule prototype.
    #[must_use]
    pub fn has_prototypes(self) -> bool {
        matches!(self, Self::Rule | Self::RulePrototype)
    }

    /// Objects whose rows create other objects.
    #[must_use]
    pub fn is_prototype(self) -> bool {
        matches!(self, Self::Prototype | Self::RulePrototype)
    }
}

codes! {
    /// The error handler of a preprocessing step.
    pub enum OnFail { Default = 0, Discard = 1, SetValue = 2, SetError = 3 }
}

codes! {
    /// Preprocessing steps; codes as in Zabbix (PROTOCOLS.md §13), those from 1001 on are ours.
    pub enum Step: i16 {
        Multiplier = 1,
        Rtrim = 2,
        Ltrim = 3,
        Trim = 4,
        Regex = 5,
        BoolToDecimal = 6,
        OctalToDecimal = 7,
        HexToDecimal = 8,
        SimpleChange = 9,
        ChangePerSecond = 10,
        XPath = 11,
        JsonPath = 12,
        InRange = 13,
        MatchesRegex = 14,
        NotMatchesRegex = 15,
        CheckJsonError = 16,
        CheckXmlError = 17,
        CheckRegexError = 18,
        DiscardUnchanged = 19,
        DiscardUnchangedHeartbeat = 20,
        JavaScript = 21,
        PrometheusPattern = 22,
        PrometheusToJson = 23,
        CsvToJson = 24,
        StrReplace = 25,
        CheckNotSupported = 26,
        XmlToJson = 27,
        SnmpWalkValue = 28,
        SnmpWalkToJson = 29,
        SnmpGetValue = 30,
        /// One value a period, by a function.
        AggregateOverTime = 1001,
        /// Keeps or removes members of a JSON document.
        FilterJsonFields = 1002,
        /// Hands each row of a JSON document to the host that the row names.
        DispatchToHosts = 1003,
    }
}

codes! {
    /// When a lost resource is deleted or disabled.
    pub enum LifetimeType { After = 0, Never = 1, AtOnce = 2 }
}

/// One preprocessing step. Parameters are separated by newlines.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PreprocStep {
    #[serde(rename = "type")]
    pub kind: Step,
    #[serde(default)]
    pub params: String,
    #[serde(default = "default_on_fail")]
    pub error_handler: OnFail,
    #[serde(default)]
    pub error_handler_params: String,
}

fn default_on_fail() -> OnFail {
    OnFail::Default
}

/// A header, query field or script parameter.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct NamedValue {
    pub name: String,
    #[serde(default)]
    pub value: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LldFilter {
    /// 0 and/or, 1 and, 2 or, 3 custom formula.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub evaltype: i64,
    /// Of a custom formula: with the conditions' `formulaid`s (A, B, …).
    pub formula: String,
    pub conditions: Vec<FilterCondition>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FilterCondition {
    /// `{#NAME}`
    #[serde(rename = "macro")]
    pub name: String,
    pub value: String,
    /// 8 matches, 9 does not match, 12 exists, 13 does not exist.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub operator: i64,
    pub formulaid: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LldMacroPath {
    pub lld_macro: String,
    pub path: String,
}

/// A rule's changes of single objects of some rows.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LldOverride {
    pub name: String,
    /// Overrides are applied in the order of their steps.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub step: i64,
    /// No further override applies to a row of this one.
    #[serde(with = "flag")]
    pub stop: bool,
    /// Which rows it concerns.
    pub filter: LldFilter,
    pub operations: Vec<LldOperation>,
}

/// The content of an item, a discovery rule or an item prototype.
///
/// References to other items (`master_itemid`, `ruleid`) name the rows of the holder where the
/// content was written; a host's rows resolve them through their sources
/// ([`crate::snapshot::Host::item_by_ref`]).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct ItemContent {
    pub key_: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ItemType,
    pub value_type: ValueType,
    /// Update interval with flexible and scheduling parts, unresolved.
    pub delay: String,
    pub history: String,
    pub trends: String,
    pub units: String,
    pub description: String,
    /// Notes for users who may change the item.
    pub notes: String,
    pub status: ItemStatus,
    /// The interface the content was written with; 0 = the host's main one of the type.
    pub interfaceid: InterfaceId,
    pub valuemapid: ValueMapId,
    pub master_itemid: ItemId,
    pub tags: Vec<Tag>,
    pub preprocessing: Vec<PreprocStep>,
    pub uuid: String,

    // By type.
    pub params: String,
    pub snmp_oid: String,
    pub trapper_hosts: String,
    pub username: String,
    pub password: String,
    pub publickey: String,
    pub privatekey: String,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub authtype: i64,
    pub jmx_endpoint: String,
    pub ipmi_sensor: String,
    pub logtimefmt: String,
    pub timeout: String,
    pub url: String,
    pub query_fields: Vec<NamedValue>,
    pub posts: String,
    pub headers: Vec<NamedValue>,
    pub parameters: Vec<NamedValue>,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub post_type: i64,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub request_method: i64,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub retrieve_mode: i64,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub output_format: i64,
    pub status_codes: String,
    pub http_proxy: String,
    #[serde(with = "flag")]
    pub follow_redirects: bool,
    #[serde(with = "flag")]
    pub verify_peer: bool,
    #[serde(with = "flag")]
    pub verify_host: bool,
    pub ssl_cert_file: String,
    pub ssl_key_file: String,
    pub ssl_key_password: String,
    #[serde(with = "flag")]
    pub allow_traps: bool,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "super::host::as_text")]
    pub inventory_link: i64,

    // Discovery rules.
    pub filter: LldFilter,
    pub lld_macro_paths: Vec<LldMacroPath>,
    pub lifetime: String,
    pub lifetime_type: LifetimeType,
    pub enabled_lifetime: String,
    pub enabled_lifetime_type: LifetimeType,
    pub overrides: Vec<LldOverride>,

    // Prototypes.
    /// The rule of a prototype; 0 otherwise.
    pub ruleid: ItemId,
    /// Whether rows of the rule make objects of this prototype.
    #[serde(with = "discover")]
    pub discover: bool,
}

/// `discover` of the API is 0 for yes.
mod discover {
    use serde::{Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(value: &bool, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if *value { "0" } else { "1" })
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        super::super::deserialize_i64(from).map(|it| it == 0)
    }
}

impl Default for ItemContent {
    fn default() -> Self {
        Self {
            key_: String::new(),
            name: String::new(),
            kind: ItemType::ZabbixAgent,
            value_type: ValueType::Unsigned,
            delay: "0".to_owned(),
            history: "31d".to_owned(),
            trends: "365d".to_owned(),
            units: String::new(),
            description: String::new(),
            notes: String::new(),
            status: ItemStatus::Enabled,
            interfaceid: InterfaceId::NONE,
            valuemapid: ValueMapId::NONE,
            master_itemid: ItemId::NONE,
            tags: Vec::new(),
            preprocessing: Vec::new(),
            uuid: String::new(),
            params: String::new(),
            snmp_oid: String::new(),
            trapper_hosts: String::new(),
            username: String::new(),
            password: String::new(),
            publickey: String::new(),
            privatekey: String::new(),
            authtype: 0,
            jmx_endpoint: String::new(),
            ipmi_sensor: String::new(),
            logtimefmt: String::new(),
            timeout: String::new(),
            url: String::new(),
            query_fields: Vec::new(),
            posts: String::new(),
            headers: Vec::new(),
            parameters: Vec::new(),
            post_type: 0,
            request_method: 0,
            retrieve_mode: 0,
            output_format: 0,
            status_codes: "200".to_owned(),
            http_proxy: String::new(),
            follow_redirects: true,
            verify_peer: false,
            verify_host: false,
            ssl_cert_file: String::new(),
            ssl_key_file: String::new(),
            ssl_key_password: String::new(),
            allow_traps: false,
            inventory_link: 0,
            filter: LldFilter::default(),
            lld_macro_paths: Vec::new(),
            lifetime: "7d".to_owned(),
            lifetime_type: LifetimeType::After,
            enabled_lifetime: "0".to_owned(),
            enabled_lifetime_type: LifetimeType::AtOnce,
            overrides: Vec::new(),
            ruleid: ItemId::NONE,
            discover: true,
        }
    }
}

overrides! {
    /// A user's changes of an inherited item: exactly the fields that Zabbix allows there (SEMANTICS.md,
    /// "Editable on inherited objects").
    pub struct ItemOverrides of ItemContent {
        status: ItemStatus,
        history: String,
        trends: String,
        description: String,
        notes: String,
        tags: Vec<Tag>,
        inventory_link: i64,
        interfaceid: InterfaceId,
        delay: String,
        username: String,
        password: String,
        authtype: i64,
        publickey: String,
        privatekey: String,
        params: String,
        jmx_endpoint: String,
        timeout: String,
        trapper_hosts: String,
        allow_traps: bool,
        discover: bool,
    }
}
