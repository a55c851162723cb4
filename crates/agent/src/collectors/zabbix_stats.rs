//! Statistics of a Zabbix server or proxy, from its own port, unchanged. It answers only the
//! addresses that its settings allow.

use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};

use serde_json::{Value, json};
use wire::zbxd::{self, Decoder, FrameLimits};

use super::key::{Ask, Key};
use super::stopwatch::Stopwatch;
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;
use crate::root::os_text;

pub(crate) const KEYS: &[Key] = &[Key::may_block("zabbix.stats", 5, get)];

const PORT: u16 = 10_051;
const ANSWER_BYTES_MAX: u64 = 1 << 20;

fn get(ask: &Ask<'_>) -> Outcome {
    let host = ask.params.get_or(0, "127.0.0.1");
    let port = match ask.params.get(1) {
        "" => PORT,
        text => text.parse().map_err(|_source| invalid(1))?,
    };
    let mut request = json!({"request": "zabbix.stats"});
    let is_queue = match (ask.params.get(2), ask.params.len()) {
        ("queue", _) => true,
        ("", ..=3) => false,
        _ => return Err(invalid(2)),
    };
    if is_queue {
        request["type"] = json!("queue");
        let mut params = json!({});
        for (name, idx) in [("from", 3), ("to", 4)] {
            if !ask.params.get(idx).is_empty() {
                params[name] = json!(ask.params.get(idx));
            }
        }
        request["params"] = params;
    }
    let payload = exchange(ask, host, port, request.to_string().as_bytes())
        .map_err(|reason| Refusal::from(format!("Cannot obtain internal statistics: {reason}")))?;
    let answer: Value = serde_json::from_slice(&payload).map_err(|_source| {
        Refusal::from("Cannot obtain internal statistics: the answer is no JSON")
    })?;
    if answer["response"] != "success" {
        let info = answer["info"].as_str().unwrap_or("no reason");
        return Err(Refusal::from(format!("Cannot obtain internal statistics: {info}")));
    }
    Ok(String::from_utf8_lossy(&payload).into_owned().into())
}

fn exchange(ask: &Ask<'_>, host: &str, port: u16, payload: &[u8]) -> Result<Vec<u8>, String> {
    let watch = Stopwatch::start(ask.time);
    let addresses = (host, port).to_socket_addrs();
    let addresses = addresses.map_err(|_source| format!("cannot resolve [{host}]"))?;
    let cannot = |source: &std::io::Error| {
        format!("cannot connect to [[{host}]:{port}]: {}", os_text(source))
    };
    let mut stream = None;
    let mut last = format!("cannot resolve [{host}]");
    for address in addresses.filter(|it| ask.settings.destinations.admit(it.ip())) {
        let left = watch.left().map_err(|source| cannot(&source))?;
        match TcpStream::connect_timeout(&address, left) {
            Ok(it) => {
                stream = Some(it);
                break;
            }
            Err(source) => last = cannot(&source),
        }
    }
    let mut stream = stream.ok_or(last)?;
    let mut speak = || {
        let mut packet = Vec::new();
        zbxd::encode(payload, &mut packet);
        stream.set_write_timeout(Some(watch.left()?))?;
        stream.write_all(&packet)?;
        let mut decoder = Decoder::new(FrameLimits::with_max(ANSWER_BYTES_MAX));
        let mut chunk = [0; 4096];
        loop {
            if let Some(frame) = decoder.poll().map_err(std::io::Error::other)? {
                return Ok(frame.payload.to_vec());
            }
            stream.set_read_timeout(Some(watch.left()?))?;
            match stream.read(&mut chunk)? {
                0 => return Err(std::io::Error::other("the connection was closed")),
                n => decoder.feed(chunk.get(..n).unwrap_or_default()),
            }
        }
    };
    speak().map_err(|source: std::io::Error| os_text(&source))
}
