//! Sockets and settings of syslog.

use std::sync::Arc;

use collect::Configuration;
use collect::syslog::{SyslogParts, SyslogSettings, SyslogSockets};
use ingress::Ingress;
use rt::clock::Clock;
use rt::lanes::Lanes;
use rt::net::ListenError;

use crate::settings::Syslog;

/// Opens the sockets of the settings; the listener of connections belongs to the lanes.
pub(super) fn listen(settings: &Syslog, lanes: &Lanes) -> Result<SyslogSockets, ListenError> {
    let udp = settings.listen_udp;
    let udp = udp.map(|it| rt::net::listen_udp(it, "syslog", "syslog.listen_udp"));
    let tcp = settings.listen_tcp;
    let accepting = lanes.first();
    let tcp =
        tcp.map(|it| accepting.block_on(rt::net::listen_tcp(it, "syslog", "syslog.listen_tcp")));
    Ok(SyslogSockets { udp: udp.transpose()?, tcp: tcp.transpose()? })
}

/// Parts that receive messages.
pub(super) fn parts(
    settings: &Syslog,
    ingress: Ingress,
    configuration: Arc<dyn Configuration>,
    (clock, lanes): (Clock, Lanes),
) -> SyslogParts {
    let size = |it: u64| usize::try_from(it).unwrap_or(usize::MAX);
    SyslogParts {
        settings: SyslogSettings {
            relays: settings.relays.0.clone(),
            message_bytes_max: size(settings.message_bytes_max),
            queue_max: size(settings.queue_max),
            host_messages_per_second: settings.host_messages_per_second,
            connections_max: size(settings.connections_max),
        },
        ingress,
        configuration,
        zone: jiff::tz::TimeZone::system(),
        clock,
        lanes,
    }
}
