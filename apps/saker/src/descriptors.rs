//! How many files and sockets the process may have open.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tracing::{debug, info, warn};

use crate::settings::Settings;

/// A common limit, for systems that do not report theirs.
const FALLBACK: u64 = 1_024;

/// Raises the limit to the maximum of this process; returns the limit from now on.
pub(crate) fn raise() -> u64 {
    let (soft, hard) = match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok(it) => it,
        Err(error) => {
            warn!(%error, "cannot read the limit of open files");
            return FALLBACK;
        }
    };
    if hard <= soft {
        return soft;
    }
    match setrlimit(Resource::RLIMIT_NOFILE, hard, hard) {
        Ok(()) => hard,
        Err(error) => {
            debug!(%error, soft, hard, "the limit of open files stays");
            soft
        }
    }
}

/// The settings with no more connections than there are descriptors for; logs whether these are
/// fewer than set.
pub(crate) fn fit(settings: &Settings) -> Settings {
    let descriptors_max = raise();
    let fitted = settings.fitted(descriptors_max);
    let pairs = [
        (
            "trapper.connections_max",
            settings.trapper.connections_max.into(),
            fitted.trapper.connections_max.into(),
        ),
        (
            "http.connections_max",
            settings.http.connections_max.into(),
            fitted.http.connections_max.into(),
        ),
        ("http.streams_max", settings.http.streams_max, fitted.http.streams_max),
        ("syslog.connections_max", settings.syslog.connections_max, fitted.syslog.connections_max),
        (
            "collect.discovery_connections_max",
            settings.collect.discovery_connections_max.get() as u64,
            fitted.collect.discovery_connections_max.get() as u64,
        ),
    ];
    report(descriptors_max, "connections", &pairs);
    fitted
}

/// Says which of these settings (as they are set, and as they are) the system grants too few open files for.
pub(crate) fn report(descriptors_max: u64, of: &str, pairs: &[(&str, u64, u64)]) {
    let fewer: Vec<String> = pairs
        .iter()
        .filter(|(_, wanted, has)| has < wanted)
        .map(|(name, wanted, has)| format!("{name} is {has} instead of {wanted}"))
        .collect();
    if fewer.is_empty() {
        info!(descriptors_max, "all {of} that the settings allow fit the limit of open files");
    } else {
        let what = fewer.join(", ");
        warn!(descriptors_max, "fewer {of} than set: the system grants too few open files; {what}");
    }
}
