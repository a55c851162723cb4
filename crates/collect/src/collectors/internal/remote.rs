//! Internal items answered by other processes: the figures of another server or proxy
//! (`zabbix[stats,…]`), and the Java gateway about itself (`zabbix[java,,…]`).

use std::io::{Error, ErrorKind};
use std::time::Duration;

use model::batch::OwnedRaw;
use model::key::ItemKey;
use serde_json::{Value as Json, json};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;
use wire::zbxd;

use super::super::context::CollectorContext;
use super::super::jmx;
use super::super::scratch;
use crate::ports::{CheckAnswer, not_supported};
use crate::transcript::LineKind;

/// Default port of a server.
const SERVER_PORT: u16 = 10_051;
const ANSWER_BYTES_MAX: u64 = 16 << 20;

/// Whether another server has to be asked.
pub(super) fn is_remote(key: &ItemKey) -> bool {
    match key.param(0) {
        "stats" => !(key.param(1).is_empty() && key.param(2).is_empty()),
        "java" => true,
        _ => false,
    }
}

pub(super) async fn value(shared: &CollectorContext, key: &ItemKey, time: Duration) -> CheckAnswer {
    let asked = if key.param(0) == "java" {
        java(shared, key, time).await
    } else {
        stats(shared, key, time).await
    };
    asked.unwrap_or_else(not_supported)
}

/// `zabbix[stats,<address>,<port>]` and `zabbix[stats,<address>,<port>,queue,<from>,<to>]`: the
/// unchanged answer.
async fn stats(
    shared: &CollectorContext,
    key: &ItemKey,
    time: Duration,
) -> Result<CheckAnswer, String> {
    let request = match (key.params.len(), key.param(3)) {
        (2..=3, _) => json!({ "request": "zabbix.stats" }),
        (4..=6, "queue") => {
            // Zabbix refuses a request without parameters, even if there are none.
            let mut request = json!({ "request": "zabbix.stats", "type": "queue", "params": {} });
            for (at, name) in [(4, "from"), (5, "to")] {
                if !key.param(at).is_empty() {
                    request["params"][name] = key.param(at).into();
                }
            }
            request
        }
        (4..=6, _) => return Err("Invalid fourth parameter.".to_owned()),
        _ => return Err("Invalid number of parameters.".to_owned()),
    };
    let address = if key.param(1).is_empty() { "127.0.0.1" } else { key.param(1) };
    let port = match key.param(2) {
        "" => SERVER_PORT,
        text => text.parse().map_err(|_wrong| "Invalid third parameter.".to_owned())?,
    };
    let text = ask(shared, (address, port), &request, time).await?;
    let answer: Json = serde_json::from_str(&text)
        .map_err(|_wrong| format!("[[{address}]:{port}] returned no statistics."))?;
    if answer["response"] == "success" {
        return Ok(OwnedRaw::Text(text));
    }
    let info = answer["info"].as_str().unwrap_or("it does not say why");
    Err(format!("Cannot obtain internal statistics: {info}"))
}

/// `zabbix[java,,ping]` and `zabbix[java,,version]`
async fn java(
    shared: &CollectorContext,
    key: &ItemKey,
    time: Duration,
) -> Result<CheckAnswer, String> {
    if key.params.len() != 3 {
        return Err("Invalid number of parameters.".to_owned());
    }
    let what = match (key.param(1), key.param(2)) {
        ("", it @ ("ping" | "version")) => it,
        ("", _) => return Err("Invalid third parameter.".to_owned()),
        _ => return Err("Invalid second parameter.".to_owned()),
    };
    let Some(gateway) = &shared.java_gateway.0 else {
        return Err("The setting collectors.jmx.gateway names no Java gateway.".to_owned());
    };
    let at = jmx::address(gateway)
        .ok_or_else(|| format!("Invalid address of a Java gateway: {gateway}."))?;
    let request = json!({
        "request": "java gateway internal", "keys": [format!("zabbix[java,,{what}]")],
    });
    let text = ask(shared, at, &request, time).await?;
    let answer: Json = serde_json::from_str(&text).unwrap_or_default();
    let value = &answer["data"][0]["value"];
    match (what, value) {
        ("ping", Json::String(it)) => Ok(OwnedRaw::Text(it.clone())),
        ("ping", Json::Number(it)) => Ok(OwnedRaw::Text(it.to_string())),
        ("version", Json::String(it)) => Ok(OwnedRaw::Text(it.clone())),
        _ => {
            let why = answer["data"][0]["error"].as_str().or(answer["error"].as_str());
            Err(why.unwrap_or("The Java gateway returned an invalid answer.").to_owned())
        }
    }
}

/// One request and its answer, within the time in all.
async fn ask(
    shared: &CollectorContext,
    at: (&str, u16),
    request: &Json,
    time: Duration,
) -> Result<String, String> {
    let place = format!("[[{}]:{}]", at.0, at.1);
    match timeout(time, exchange(shared, at, request, time)).await {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(error)) => Err(format!("Cannot obtain internal statistics from {place}: {error}.")),
        Err(_late) => Err(format!(
            "Cannot obtain internal statistics from {place}: timed out after {} s.",
            time.as_secs_f32()
        )),
    }
}

async fn exchange(
    shared: &CollectorContext,
    at: (&str, u16),
    request: &Json,
    time: Duration,
) -> std::io::Result<String> {
    let mut stream = shared.dns.connect(at, time).await?;
    let (request, mut packet) = (request.to_string(), Vec::new());
    if let Some(it) = &shared.transcript {
        it.push(LineKind::Note, &format!("connected to [{}]:{}", at.0, at.1), b"");
        it.push(LineKind::Sent, &request, b"");
    }
    zbxd::encode(request.as_bytes(), &mut packet);
    stream.write_all(&packet).await?;
    let mut decoder = zbxd::Decoder::new(zbxd::FrameLimits::with_max(ANSWER_BYTES_MAX));
    let mut reading = shared.readings.begin(at);
    let invalid = |why: String| Error::new(ErrorKind::InvalidData, why);
    loop {
        let n = scratch::read(&mut stream, &mut decoder, &mut reading).await?;
        let frame = if n == 0 { decoder.close() } else { decoder.poll() };
        match frame.map_err(|it| invalid(it.to_string()))? {
            Some(frame) => {
                if let Some(it) = &shared.transcript {
                    it.push(LineKind::Received, "", frame.payload);
                }
                return Ok(String::from_utf8_lossy(frame.payload).into_owned());
            }
            None if n == 0 => return Err(invalid("it closed the connection".to_owned())),
            None => {}
        }
    }
}
