//! The port of the pages and the API, as the operator sets it.

use std::time::Duration;

use api::{ApiSettings, ServeSettings};
use rt::metrics::Registry;

use super::encryption::Encryption;
use crate::settings::Settings;

/// Most connections to the port of metrics.
const METRICS_CONNECTIONS: u32 = 32;

/// How connections and requests are treated.
pub(super) fn settings(
    all: &Settings,
    encryption: &Encryption,
    registry: &Registry,
) -> (ServeSettings, ApiSettings) {
    let settings = &all.http;
    let stall_max = Duration::from_millis(settings.stall_timeout_ms);
    let serving = ServeSettings {
        connections_max: settings.connections_max,
        stall_max,
        tls: encryption.pages.clone(),
        ..ServeSettings::counted(registry)
    };
    let size = |it: u64| usize::try_from(it).unwrap_or(usize::MAX);
    let of_api = ApiSettings {
        body_bytes_max: size(settings.body_bytes_max),
        before_login_bytes_max: size(settings.before_login_bytes_max),
        memory_bytes_max: settings.memory_bytes_max,
        stall_max,
        cors: settings.cors_origins.0.clone(),
        streams_max: size(settings.streams_max),
        streams_user_max: size(settings.streams_user_max),
        trusted_proxies: settings.trusted_proxies.0.clone(),
        zabbix_version: all.api.zabbix_version.0,
        ..ApiSettings::default()
    };
    (serving, of_api)
}

/// The port with nothing but figures.
pub(super) fn for_metrics() -> ServeSettings {
    ServeSettings { connections_max: METRICS_CONNECTIONS, ..ServeSettings::default() }
}
