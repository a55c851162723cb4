//! Functions of an agent.

use std::fs;

use agent::{Agent, AgentSettings, KeyRule, KeyRules, ModbusEndpoint, ModbusQuery};
use model::key::ItemKey;
use model::{Now, Time};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::case::{Answer, Case, Topics, from_hex};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("agent/discovery", discovery),
    ("agent/modbus", modbus),
    ("agent/net_if", net_if),
    ("keys/access_rules", access_rules),
    ("net/web_page_get", web_page_get),
];

/// Asks an agent whose root folder holds the case's files.
fn ask(case: &Case<'_>, key: &str) -> Result<String, String> {
    let root = TempDir::new().unwrap();
    for (path, content) in case.get("files").as_object().into_iter().flatten() {
        let path = root.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content.as_str().unwrap()).unwrap();
    }
    let settings = AgentSettings { root: root.path().to_owned(), ..AgentSettings::default() };
    let now = Now { wall: Time::from_clock(0, 0), mono_ns: 0 };
    match Agent::new(settings).get(&ItemKey::parse(key).unwrap(), now) {
        agent::KeyAnswer::Value(it) => Ok(it.to_string()),
        agent::KeyAnswer::NotSupported(why) => Err(why),
    }
}

fn discovery(case: &Case<'_>) -> Answer {
    let about = format!("{} {}", case.name(), case.out());
    let key = if about.contains("/proc/mounts") { "vfs.fs.discovery" } else { "net.if.discovery" };
    Answer::Out(match ask(case, key) {
        Ok(json) => json!({"json": json}),
        Err(error) => json!({"error": error}),
    })
}

fn net_if(case: &Case<'_>) -> Answer {
    Answer::Out(match ask(case, case.text("param")) {
        Ok(value) => json!({"ok": true, "result": value}),
        Err(error) => json!({"ok": false, "result": error}),
    })
}

fn endpoint(endpoint: &ModbusEndpoint) -> Value {
    match endpoint {
        ModbusEndpoint::Tcp { host, port } => {
            json!({"protocol": "tcp", "ip": host, "port": port.to_string()})
        }
        ModbusEndpoint::Rtu { device, baud_rate, data_bits, parity, stop_bits } => json!({
            "protocol": "rtu",
            "port": device,
            "baudrate": baud_rate.to_string(),
            "data_bits": data_bits.to_string(),
            "parity": parity.to_string(),
            "stop_bits": stop_bits.to_string(),
        }),
    }
}

/// Bits are written one by one, registers as hexadecimal digits.
fn modbus_data(text: &str, is_bits: bool) -> Vec<u8> {
    if !is_bits {
        return from_hex(text);
    }
    let bits: Vec<u32> = text.chars().filter_map(|it| it.to_digit(2)).collect();
    let byte = |it: &[u32]| it.iter().rev().fold(0, |byte, bit| byte << 1 | bit);
    bits.chunks(8).map(|it| u8::try_from(byte(it)).unwrap()).collect()
}

fn modbus(case: &Case<'_>) -> Answer {
    let query = ItemKey::parse(case.text("key")).map_err(|it| it.to_string());
    Answer::Out(match query.and_then(|it| ModbusQuery::parse(&it)) {
        Ok(query) => {
            let data = modbus_data(case.text("data"), query.request.function.reads_bits());
            json!({
                "ok": true,
                "endpoint": endpoint(&query.endpoint),
                "slaveid": query.request.unit.to_string(),
                "function": query.request.function.code().to_string(),
                "address": query.request.address.to_string(),
                "total_count": query.request.count.to_string(),
                "result": query.result(&data),
            })
        }
        Err(error) => json!({"ok": false, "msg": error}),
    })
}

fn access_rules(case: &Case<'_>) -> Answer {
    let rule = |it: &Value| {
        let pattern = it["pattern"].as_str().unwrap().to_owned();
        if it["type"] == "allow" { KeyRule::Allow(pattern) } else { KeyRule::Deny(pattern) }
    };
    let Ok(rules) = KeyRules::new(case.list("rules").iter().map(rule)) else {
        return Answer::Out(json!({"exit_code": "failure"}));
    };
    let allows =
        |it: &Value| ItemKey::parse(it.as_str().unwrap()).is_ok_and(|it| rules.allows(&it));
    let allowed: Vec<bool> = case.list("keys").iter().map(allows).collect();
    Answer::Out(json!({
        "allowed": allowed,
        "number_of_rules": rules.rules().len(),
        "exit_code": "success",
    }))
}

fn web_page_get(case: &Case<'_>) -> Answer {
    let Ok(key) = ItemKey::parse(case.text("key")) else {
        return Answer::Out(json!({"ok": false}));
    };
    let param = |idx: usize| key.params.get(idx).map_or("", |it| it.as_str());
    let page = agent::WebPage::of_params(param(0), param(1), param(2));
    let page = match page {
        Ok(it) => it,
        Err(error) => return Answer::Out(json!({"ok": false, "error": error})),
    };
    if case.text("test_type") == "libcurl" {
        return Answer::Out(json!({"ok": true, "url": page.url}));
    }
    // These cases are of an agent built without libcurl, which does not support HTTPS; Saker's
    // fetches such pages.
    let scheme = page.url.split_once("://").map_or("", |it| it.0);
    if scheme.eq_ignore_ascii_case("https") {
        let error = format!("Unsupported scheme: {scheme}.");
        return Answer::Out(json!({"ok": false, "error": error}));
    }
    Answer::Out(match page.request() {
        Ok(request) => json!({"ok": true, "url": page.url, "req": request.text}),
        Err(error) => json!({"ok": false, "error": error}),
    })
}
