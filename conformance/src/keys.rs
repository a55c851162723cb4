//! Item keys.

use lang::key::{self, ItemKey, KeyParam, KeySpans, ParamKind};
use model::content::ItemType;
use serde_json::json;

use crate::case::{Answer, Case, Topics};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("keys/host_key", host_key),
    ("keys/parse", parse),
    ("keys/replace_params", replace_params),
    ("keys/server_side", server_side),
    ("keys/substitute_params", substitute_params),
    ("keys/substitute_snmp_oid", substitute_snmp_oid),
    ("keys/truncate_for_display", truncate_for_display),
    ("keys/validate", validate),
];

fn validate(case: &Case<'_>) -> Answer {
    let text = case.text("key");
    let (ok, at) = match KeySpans::scan(text) {
        Ok(it) => (true, it.len),
        Err(error) => (false, error.position),
    };
    // Without a name nothing was read; the cases then give the whole text on both sides.
    let valid = if at == 0 { text } else { text.get(..at).unwrap() };
    Answer::Out(json!({"ok": ok, "valid_part": valid, "invalid_part": text.get(at..).unwrap()}))
}

fn parse(case: &Case<'_>) -> Answer {
    let text = case.text("key");
    let Ok(parsed) = ItemKey::parse(text) else {
        return Answer::Checked(if case.out()["key"].is_null() {
            Ok(())
        } else {
            Err("no key".to_owned())
        });
    };
    if case.out()["key"].is_null() {
        return Answer::Checked(Err("is a key".to_owned()));
    }
    let spans = KeySpans::scan(text).unwrap();
    let types: Vec<&str> = spans
        .params
        .iter()
        .map(|it| match it.kind {
            ParamKind::Unquoted if it.range.is_empty() => "undefined",
            ParamKind::Array => "array",
            ParamKind::Unquoted | ParamKind::Quoted => "string",
        })
        .collect();
    let params: Vec<&str> = parsed.params.iter().map(KeyParam::as_str).collect();
    Answer::Out(json!({"key": parsed.name, "parameters": params, "types": types}))
}

fn replace_params(case: &Case<'_>) -> Answer {
    let name = case.get("macro")["name"].as_str().unwrap_or("{#NONE}");
    let value = case.get("macro")["value"].as_str().unwrap_or("");
    let replaced = key::replace_params(case.text("key"), &mut |param| {
        param.contains(name).then(|| param.replace(name, value))
    });
    // Trailing separators are tolerated by substitution only.
    let is_whole = ItemKey::parse(case.text("key")).is_ok();
    Answer::Out(match replaced {
        Ok(it) if is_whole => json!({"ok": true, "expected_key": it}),
        _ => json!({"ok": false}),
    })
}

fn macro_value(case: &Case<'_>) -> impl FnMut(&str) -> Option<String> {
    let value = case.get("macro").as_str().map(str::to_owned);
    move |param| Some(param.replace("{$MACRO}", value.as_deref()?))
}

fn substitute_params(case: &Case<'_>) -> Answer {
    Answer::Out(match key::replace_params(case.text("key"), &mut macro_value(case)) {
        Ok(it) => json!({"ok": true, "result": it}),
        Err(error) => json!({"ok": false, "error": error.to_string()}),
    })
}

fn substitute_snmp_oid(case: &Case<'_>) -> Answer {
    Answer::Out(match key::replace_oid(case.text("key"), &mut macro_value(case)) {
        Ok(it) => json!({"ok": true, "result": it}),
        Err(error) => json!({"ok": false, "error": error.to_string()}),
    })
}

fn host_key(case: &Case<'_>) -> Answer {
    Answer::Out(match key::split_host(case.text("exp")) {
        Some((host, key)) => json!({"ok": true, "exp_host": host, "exp_key": key}),
        None => json!({"ok": false}),
    })
}

fn item_type(name: &str) -> Option<ItemType> {
    Some(match name {
        "zabbix" => ItemType::ZabbixAgent,
        "trapper" => ItemType::Trapper,
        "simple" => ItemType::Simple,
        "internal" => ItemType::Internal,
        "zabbix_active" => ItemType::ZabbixAgentActive,
        "httptest" => ItemType::WebItem,
        "external" => ItemType::External,
        "db_monitor" => ItemType::Odbc,
        "ipmi" => ItemType::Ipmi,
        "ssh" => ItemType::Ssh,
        "telnet" => ItemType::Telnet,
        "calculated" => ItemType::Calculated,
        "jmx" => ItemType::Jmx,
        "snmptrap" => ItemType::SnmpTrap,
        "dependent" => ItemType::Dependent,
        "httpagent" => ItemType::HttpAgent,
        "snmp" | "snmpv1" | "snmpv2c" | "snmpv3" => ItemType::Snmp,
        "script" => ItemType::Script,
        "browser" => ItemType::Browser,
        _ => return None,
    })
}

fn server_side(case: &Case<'_>) -> Answer {
    let kind = item_type(case.text("type"));
    let ok = kind.is_some_and(|it| key::is_server_side(it, case.text("key")));
    Answer::Out(json!({"ok": ok}))
}

fn truncate_for_display(case: &Case<'_>) -> Answer {
    let chars_max = usize::try_from(case.int("key_len")).unwrap();
    let short = lang::text::truncate_key(case.text("key"), chars_max);
    Answer::Out(json!({"key": crate::strings::within_buffer(case, &short)}))
}
