//! Parts of hosts and templates.

use serde::{Deserialize, Serialize};

use super::{codes, flag};
use crate::{GlobalMacroId, HostMacroId, InterfaceId, ValueMapId};

codes! {
    /// Whether a host is monitored.
    pub enum HostStatus { Monitored = 0, NotMonitored = 1 }
}

codes! {
    pub enum InterfaceType { Agent = 1, Snmp = 2, Ipmi = 3, Jmx = 4 }
}

codes! {
    pub enum MacroType { Text = 0, Secret = 1, Vault = 2 }
}

/// A host group or a template group.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Group {
    pub name: String,
    #[serde(default)]
    pub uuid: String,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Tag {
    pub tag: String,
    #[serde(default)]
    pub value: String,
}

/// An address at which a host is polled.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Interface {
    #[serde(default)]
    pub interfaceid: InterfaceId,
    #[serde(rename = "type")]
    pub kind: InterfaceType,
    /// The default interface of its type.
    #[serde(with = "flag")]
    pub main: bool,
    /// Connect by IP (true) or by DNS name.
    #[serde(with = "flag")]
    pub useip: bool,
    #[serde(default)]
    pub ip: String,
    #[serde(default)]
    pub dns: String,
    /// May hold user macros.
    pub port: String,
    /// Present for SNMP only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<SnmpDetails>,
}

/// The vendor of a template, and the template's version.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Vendor {
    pub name: String,
    pub version: String,
}

/// The login of a host's IPMI items. Texts may hold user macros.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct IpmiLogin {
    /// -1 default, 0 none, 1 MD2, 2 MD5, 4 straight, 5 OEM, 6 RMCP+.
    pub authtype: i64,
    /// 1 callback, 2 user, 3 operator, 4 administrator, 5 OEM.
    pub privilege: i64,
    pub username: String,
    pub password: String,
}

impl Default for IpmiLogin {
    fn default() -> Self {
        Self { authtype: -1, privilege: 2, username: String::new(), password: String::new() }
    }
}

/// Without the password.
impl std::fmt::Debug for IpmiLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IpmiLogin").field("username", &self.username).finish_non_exhaustive()
    }
}

/// The parameters of an SNMP interface. Texts may hold user macros. Codes: PROTOCOLS.md §12.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct SnmpDetails {
    /// 1, 2 (v2c) or 3.
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "as_text")]
    pub version: i64,
    #[serde(with = "flag")]
    pub bulk: bool,
    pub community: String,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "as_text")]
    pub max_repetitions: i64,
    pub securityname: String,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "as_text")]
    pub securitylevel: i64,
    pub authpassphrase: String,
    pub privpassphrase: String,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "as_text")]
    pub authprotocol: i64,
    #[serde(deserialize_with = "super::deserialize_i64", serialize_with = "as_text")]
    pub privprotocol: i64,
    pub contextname: String,
}

impl Default for SnmpDetails {
    fn default() -> Self {
        Self {
            version: 2,
            bulk: true,
            community: String::new(),
            max_repetitions: 10,
            securityname: String::new(),
            securitylevel: 0,
            authpassphrase: String::new(),
            privpassphrase: String::new(),
            authprotocol: 0,
            privprotocol: 0,
            contextname: String::new(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
pub(super) fn as_text<S: serde::Serializer>(value: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// A user macro of a host or template; also used for global macros, whose ids share the field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostMacro {
    #[serde(default)]
    pub hostmacroid: HostMacroId,
    /// As written: `{$NAME}`, `{$NAME:context}` or `{$NAME:regex:"pattern"}`.
    #[serde(rename = "macro")]
    pub name: String,
    #[serde(default)]
    pub value: String,
    #[serde(default)]
    pub description: String,
    #[serde(rename = "type", default = "text_macro")]
    pub kind: MacroType,
}

fn text_macro() -> MacroType {
    MacroType::Text
}

impl HostMacro {
    /// The id of a global macro, which shares the field.
    #[must_use]
    pub fn global_id(&self) -> GlobalMacroId {
        GlobalMacroId(self.hostmacroid.0)
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ValueMap {
    #[serde(default)]
    pub valuemapid: ValueMapId,
    #[serde(default)]
    pub uuid: String,
    pub name: String,
    pub mappings: Vec<ValueMapping>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ValueMapping {
    /// 0 equals, 1 >=, 2 <=, 3 in range, 4 regexp, 5 default.
    #[serde(
        rename = "type",
        default,
        deserialize_with = "super::deserialize_i64",
        serialize_with = "as_text"
    )]
    pub kind: i64,
    #[serde(default)]
    pub value: String,
    pub newvalue: String,
}
