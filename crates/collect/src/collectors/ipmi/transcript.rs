//! Sessions, commands and answers as text for the transcript of an item test. Logins are left out.

use wire::http::codes::hex;
use wire::ipmi::{
    Authentication, CipherSuite, Sensor, SensorReading, SessionKind, completion_text,
};

/// Sensors whose names are shown. More would fill the transcript; their number is shown in any
/// case.
const SENSORS_SHOWN_MAX: usize = 50;

pub(super) fn way(way: SessionKind) -> &'static str {
    match way {
        SessionKind::RmcpPlus(CipherSuite::Sha256) => "RMCP+, cipher suite 17",
        SessionKind::RmcpPlus(CipherSuite::Sha1) => "RMCP+, cipher suite 3",
        SessionKind::Ipmi15(Authentication::None) => "IPMI 1.5, without authentication",
        SessionKind::Ipmi15(Authentication::Md5) => "IPMI 1.5, MD5",
        SessionKind::Ipmi15(Authentication::Straight) => "IPMI 1.5, straight password",
    }
}

/// The name of the packet after the first `n` of a login.
pub(super) fn step(way: SessionKind, n: usize) -> &'static str {
    let names = match way {
        SessionKind::RmcpPlus(_) => ["Open Session Request", "RAKP Message 1", "RAKP Message 3"],
        SessionKind::Ipmi15(_) => {
            ["Get Channel Authentication Capabilities", "Get Session Challenge", "Activate Session"]
        }
    };
    names.get(n).copied().unwrap_or("a packet")
}

pub(super) fn answer(code: u8, data: &[u8]) -> String {
    let text = if code == 0 { "done".to_owned() } else { completion_text(code) };
    let data = if data.is_empty() { String::new() } else { format!(", data {}", hex(data)) };
    format!("completion code 0x{code:02x} ({text}){data}")
}

pub(super) fn sensor(sensor: &Sensor) -> String {
    format!("\"{}\" (number {})", sensor.id, sensor.number)
}

/// The meaning of an answer.
pub(super) fn reading(sensor: &Sensor, reading: SensorReading) -> String {
    match reading {
        SensorReading::Value(value, _) => format!("{value} {}", sensor.units()),
        SensorReading::States(states) => match sensor.states_text(states).as_str() {
            "" => format!("states 0x{states:04x}"),
            text => format!("states 0x{states:04x}: {text}"),
        },
        SensorReading::Unavailable => "the sensor says that it has no reading".to_owned(),
    }
}

pub(super) fn sensors(all: &[Sensor]) -> String {
    let names: Vec<&str> = all.iter().take(SENSORS_SHOWN_MAX).map(|it| it.id.as_str()).collect();
    let more = if names.len() < all.len() { ", …" } else { "" };
    format!("{} sensors by their records: {}{more}", all.len(), names.join(", "))
}
