//! Properties of the agent itself.

use super::key::{Ask, Key};
use super::os;
use crate::outcome::Outcome;

/// Zabbix: 1 is the agent in C, 2 the one in Go. This agent has the keys of the first.
const VARIANT: u64 = 1;

pub(crate) const KEYS: &[Key] = &[
    Key::small("agent.ping", 0, |_| Ok(1.into())),
    Key::small("agent.version", 0, |ask| Ok(ask.settings.version.as_str().into())),
    Key::small("agent.variant", 0, |_| Ok(VARIANT.into())),
    Key::small("agent.hostname", 0, hostname),
    Key::small("agent.hostmetadata", 0, |ask| Ok(ask.settings.host_metadata.as_str().into())),
];

fn hostname(ask: &Ask<'_>) -> Outcome {
    match ask.settings.hostname.as_str() {
        "" => os::kernel_hostname(ask.root).map(Into::into),
        name => Ok(name.into()),
    }
}
