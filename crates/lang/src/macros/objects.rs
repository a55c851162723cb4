//! Macros of hosts and log entries, which many texts have; dates and ages in texts of the server.

use jiff::tz::TimeZone;
use model::content::{Interface, InterfaceType};
use model::snapshot::{Host, ItemRow};
use model::value::LogEntry;
use model::{Time, Value};

use crate::calendar;

/// A macro of a host: names, and the address of the item's interface, else of the main one.
#[must_use]
pub fn of_host(host: &Host, item: Option<&ItemRow>, name: &str) -> Option<String> {
    let interface = || item.and_then(|it| host.interface_of(it)).or_else(|| main_interface(host));
    match name {
        "HOST.HOST" | "HOSTNAME" => Some(host.host.to_string()),
        "HOST.NAME" => Some(host.name.to_string()),
        "HOST.ID" => Some(host.id.to_string()),
        "HOST.DESCRIPTION" => Some(host.description.clone()),
        "HOST.IP" | "IPADDRESS" => interface().map(|it| it.ip.clone()),
        "HOST.DNS" => interface().map(|it| it.dns.clone()),
        "HOST.CONN" => interface().map(|it| if it.useip { it.ip.clone() } else { it.dns.clone() }),
        "HOST.PORT" => interface().map(|it| it.port.clone()),
        _ => None,
    }
}

/// The main interface of the first of these types that the host has.
#[must_use]
pub fn main_interface(host: &Host) -> Option<&Interface> {
    use InterfaceType::{Agent, Ipmi, Jmx, Snmp};
    let main_of = |kind| host.interfaces.iter().find(|it| it.main && it.kind == kind);
    [Agent, Snmp, Jmx, Ipmi].into_iter().find_map(main_of)
}

/// Whether there is a macro `{ITEM.LOG.<what>}`. Other names of this form stay as they are written.
#[must_use]
pub fn is_of_log(what: &str) -> bool {
    matches!(
        what,
        "DATE" | "TIME" | "TIMESTAMP" | "AGE" | "SOURCE" | "SEVERITY" | "NSEVERITY" | "EVENTID"
    )
}

/// `{ITEM.LOG.<what>}` of an entry.
#[must_use]
pub fn of_log(value: &Value, what: &str, now: Time, zone: &TimeZone) -> Option<String> {
    let Value::Log(entry) = value else { return None };
    let LogEntry { source, timestamp, severity, logeventid, .. } = &**entry;
    match what {
        "DATE" => date(*timestamp, zone),
        "TIME" => time(*timestamp, zone),
        "TIMESTAMP" => Some(timestamp.to_string()),
        "AGE" => Some(age(now.clock().saturating_sub(*timestamp))),
        "SOURCE" => Some(source.clone()),
        "SEVERITY" => Some(log_severity(*severity).to_owned()),
        "NSEVERITY" => Some(severity.to_string()),
        "EVENTID" => Some(logeventid.to_string()),
        _ => None,
    }
}

/// Severities of the Windows event log.
fn log_severity(code: i32) -> &'static str {
    match code {
        1 => "Information",
        2 => "Warning",
        4 => "Error",
        7 => "Failure Audit",
        8 => "Success Audit",
        9 => "Critical",
        10 => "Verbose",
        _ => "unknown",
    }
}

/// `2024.02.29`.
#[must_use]
pub fn date(clock: i64, zone: &TimeZone) -> Option<String> {
    calendar::local(clock, zone).map(|(wall, _)| wall.strftime("%Y.%m.%d").to_string())
}

/// `13:05:00`.
#[must_use]
pub fn time(clock: i64, zone: &TimeZone) -> Option<String> {
    calendar::local(clock, zone).map(|(wall, _)| wall.strftime("%H:%M:%S").to_string())
}

/// `1d 2h 0m 5s`: from the first part that is not 0, down to seconds.
#[must_use]
pub fn age(seconds: i64) -> String {
    let parts = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let mut rest = seconds.unsigned_abs();
    let mut out = String::from(if seconds < 0 { "-" } else { "" });
    let mut is_begun = false;
    for (of, unit) in parts {
        let n = rest / of;
        rest %= of;
        if is_begun || n > 0 || of == 1 {
            if is_begun {
                out.push(' ');
            }
            out.push_str(&format!("{n}{unit}"));
            is_begun = true;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_go_down_to_seconds() {
        let cases = [
            (0, "0s"),
            (59, "59s"),
            (60, "1m 0s"),
            (3_605, "1h 0m 5s"),
            (86_400, "1d 0h 0m 0s"),
            (400 * 86_400 + 61, "400d 0h 1m 1s"),
            (-65, "-1m 5s"),
        ];
        for (seconds, text) in cases {
            assert_eq!(age(seconds), text);
        }
        assert!(age(i64::MIN).starts_with("-106751991167300d"));
    }
}
