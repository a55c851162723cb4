//! Which fields an item, step or operation of a type has. Files may hold others, left from the type that
//! it had before or written by hand; they mean nothing, as in Zabbix.

use serde_json::Value as Json;

use super::fields::Fields;

/// Fields of HTTP agents alone.
const OF_HTTP: &[&str] = &[
    "url",
    "query_fields",
    "status_codes",
    "follow_redirects",
    "post_type",
    "posts",
    "http_proxy",
    "headers",
    "retrieve_mode",
    "request_method",
    "output_format",
    "allow_traps",
    "ssl_cert_file",
    "ssl_key_file",
    "ssl_key_password",
    "verify_peer",
    "verify_host",
];

const HTTP_AGENT: &str = "19";
const SSH: &str = "13";
const ACTIVE: &str = "7";
/// Items with an interval. Those of active checks have one unless the agent sends when it likes.
const WITH_DELAY: &[&str] =
    &["0", "3", "5", "10", "11", "12", "13", "14", "15", "16", "19", "20", "21", "22"];
const WITH_TIMEOUT: &[&str] = &["0", "3", "7", "10", "11", "13", "14", "19", "20", "21", "22"];
const WITH_INTERFACE: &[&str] = &["0", "3", "10", "12", "13", "14", "16", "17", "19", "20"];
const WITH_LOGIN: &[&str] = &["3", "11", "13", "14", "16"];
const WITH_PARAMS: &[&str] = &["11", "13", "14", "15", "21", "22"];

/// Whether items of this type and key have an interval.
pub(super) fn has_delay(kind: &str, key: &str) -> bool {
    WITH_DELAY.contains(&kind) || (kind == ACTIVE && !key.starts_with("mqtt.get"))
}

/// Whether items of this type have an interface.
pub(super) fn has_interface(kind: &str) -> bool {
    WITH_INTERFACE.contains(&kind)
}

/// Whether values of this type have units and trends.
pub(super) fn is_numeric(value_type: &str) -> bool {
    matches!(value_type, "0" | "3")
}

/// Takes out what an item of its type does not have.
pub(super) fn keep_fields_of_type(fields: &mut Fields) {
    let text = |name: &str| fields.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let (kind, value_type, auth) = (text("type"), text("value_type"), text("authtype"));
    let takes_traps = text("allow_traps") == "1";
    let kind = kind.as_str();
    fields.retain(|name, _| match name.as_str() {
        it if OF_HTTP.contains(&it) => kind == HTTP_AGENT,
        "snmp_oid" => kind == "20",
        "ipmi_sensor" => kind == "12",
        "jmx_endpoint" => kind == "16",
        "parameters" => matches!(kind, "21" | "22"),
        "params" => WITH_PARAMS.contains(&kind),
        "timeout" => WITH_TIMEOUT.contains(&kind),
        "trapper_hosts" => kind == "2" || (kind == HTTP_AGENT && takes_traps),
        "authtype" => matches!(kind, HTTP_AGENT | SSH),
        "username" | "password" => {
            WITH_LOGIN.contains(&kind) || (kind == HTTP_AGENT && auth != "0")
        }
        "publickey" | "privatekey" => kind == SSH && auth == "1",
        "units" => is_numeric(&value_type),
        "logtimefmt" => value_type == "2",
        "inventory_link" => !matches!(value_type.as_str(), "2" | "5"),
        _ => true,
    });
}

/// What a step of this type may do with an error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnError {
    /// It says so, or the error stays.
    Any,
    /// It says so, or the value is discarded.
    Replaced,
    Nothing,
}

pub(super) fn on_error(step: &str) -> OnError {
    match step {
        "26" => OnError::Replaced,
        // Trimming, throttling, scripts and replacing.
        "2" | "3" | "4" | "19" | "20" | "21" | "25" => OnError::Nothing,
        _ => OnError::Any,
    }
}

/// Whether a step of this type has parameters.
pub(super) fn has_parameters(step: &str) -> bool {
    !matches!(step, "6" | "7" | "8" | "9" | "10" | "19" | "27")
}

/// Whether overrides for prototypes of this kind may set a field.
pub(super) fn may_override(object: &str, field: &str) -> bool {
    const ITEM: &str = "0";
    const TRIGGER: &str = "1";
    const GRAPH: &str = "2";
    const HOST: &str = "3";
    const RULE: &str = "4";
    match field {
        "status" => object != GRAPH,
        "delay" => matches!(object, ITEM | RULE),
        "history" | "trends" => object == ITEM,
        "severity" => object == TRIGGER,
        "tags" => matches!(object, ITEM | TRIGGER | HOST),
        "templates" | "inventory_mode" => object == HOST,
        _ => true,
    }
}
