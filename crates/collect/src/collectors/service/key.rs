//! `net.tcp.service`, `net.tcp.service.perf`, `net.udp.service`, `net.udp.service.perf`:
//! parameters, and the value of a check.

use std::time::Duration;

use model::batch::OwnedRaw;
use model::key::ItemKey;
use wire::services::Service;

use crate::ports::CheckAnswer;

const NTP_PORT: u16 = 123;
/// A service that answers has taken some time, so that 0 means no answer. Zabbix's smallest
/// difference between numbers.
const SEC_MIN: f64 = 0.000_001;

/// The check of a service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ServiceCheck {
    pub(super) asked: Asked,
    /// Empty: the interface's address.
    pub(super) target: String,
    pub(super) port: u16,
    /// The value is a time; otherwise whether the service is up.
    is_timed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    Tcp(Service),
    Ntp,
}

/// Whether a configured key is one of these.
pub(super) fn is_service(key: &str) -> bool {
    let name = key.split('[').next().unwrap_or_default();
    kind(name).is_some()
}

/// Whether it uses UDP, and whether it measures time.
fn kind(name: &str) -> Option<(bool, bool)> {
    Some(match name {
        "net.tcp.service" => (false, false),
        "net.tcp.service.perf" => (false, true),
        "net.udp.service" => (true, false),
        "net.udp.service.perf" => (true, true),
        _ => return None,
    })
}

impl ServiceCheck {
    /// # Errors
    /// The error of the item.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let key =
            ItemKey::parse(text).map_err(|_position| "Invalid item key format.".to_owned())?;
        let (is_udp, is_timed) =
            kind(&key.name).ok_or_else(|| "Unsupported item key.".to_owned())?;
        if 3 < key.params.len() {
            return Err("Too many parameters.".to_owned());
        }
        let (asked, default_port) = match (is_udp, key.param(0)) {
            (true, "ntp") => (Asked::Ntp, Some(NTP_PORT)),
            (false, name) if Service::named(name).is_some() => {
                let service = Service::named(name).ok_or("Invalid first parameter.")?;
                (Asked::Tcp(service), service.default_port())
            }
            _ => return Err("Invalid first parameter.".to_owned()),
        };
        let port = match key.param(2) {
            "" => default_port,
            it => it.parse().ok().filter(|_| it.bytes().all(|it| it.is_ascii_digit())),
        };
        let port = port.ok_or("Invalid third parameter.")?;
        Ok(Self { asked, target: key.param(1).trim().to_owned(), port, is_timed })
    }

    /// The value of a service that answered after this time; `None`: no answer.
    pub(super) fn value(&self, time: Option<Duration>) -> CheckAnswer {
        if self.is_timed {
            return OwnedRaw::Float(time.map_or(0.0, |it| it.as_secs_f64().max(SEC_MIN)));
        }
        OwnedRaw::Unsigned(u64::from(time.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_those_of_the_service() {
        for (key, asked, target, port) in [
            ("net.tcp.service[ssh]", Asked::Tcp(Service::Ssh), "", 22),
            ("net.tcp.service[ftp,,155]", Asked::Tcp(Service::Ftp), "", 155),
            ("net.tcp.service.perf[http, h ,8080]", Asked::Tcp(Service::Http), "h", 8080),
            ("net.tcp.service[tcp,::1,993]", Asked::Tcp(Service::Tcp), "::1", 993),
            ("net.udp.service[ntp]", Asked::Ntp, "", 123),
            ("net.udp.service.perf[ntp,h,45]", Asked::Ntp, "h", 45),
        ] {
            let check = ServiceCheck::parse(key).expect("valid");
            assert_eq!((check.asked, &*check.target, check.port), (asked, target, port), "{key}");
        }
    }

    #[test]
    fn bad_parameters_are_reported() {
        for (key, text) in [
            ("net.tcp.service", "Invalid first parameter."),
            ("net.tcp.service[ntp]", "Invalid first parameter."),
            ("net.udp.service[ssh]", "Invalid first parameter."),
            ("net.tcp.service[tcp]", "Invalid third parameter."),
            ("net.tcp.service[ssh,,70000]", "Invalid third parameter."),
            ("net.tcp.service[ssh,,+22]", "Invalid third parameter."),
            ("net.tcp.service[ssh,,22,]", "Too many parameters."),
            ("net.tcp.service[ssh", "Invalid item key format."),
        ] {
            assert_eq!(ServiceCheck::parse(key).expect_err("invalid"), text, "{key}");
        }
    }

    #[test]
    fn values_are_a_state_or_a_time() {
        let state = ServiceCheck::parse("net.tcp.service[ssh]").expect("valid");
        assert_eq!(state.value(None), OwnedRaw::Unsigned(0));
        assert_eq!(state.value(Some(Duration::ZERO)), OwnedRaw::Unsigned(1));
        let timed = ServiceCheck::parse("net.tcp.service.perf[ssh]").expect("valid");
        assert_eq!(timed.value(None), OwnedRaw::Float(0.0));
        assert_eq!(timed.value(Some(Duration::ZERO)), OwnedRaw::Float(0.000_001));
        assert_eq!(timed.value(Some(Duration::from_millis(20))), OwnedRaw::Float(0.02));
    }
}
