//! The settings of an agent.

use std::path::PathBuf;

use model::networks::Destinations;

use crate::key_rules::{KeyRule, KeyRules};
use crate::memory::Memory;

/// The default memory for values. A larger value is refused.
const MEMORY_BYTES: u64 = 128 << 20;

/// The names of an agent, and its allowed keys.
#[derive(Debug, Clone)]
pub struct AgentSettings {
    /// The folder that stands for `/`.
    pub root: PathBuf,
    /// `agent.hostname`; empty: the machine's own name.
    pub hostname: String,
    /// `agent.hostmetadata`.
    pub host_metadata: String,
    /// `agent.version`.
    pub version: String,
    /// The allowed keys.
    pub key_rules: KeyRules,
    /// Addresses that pages may be fetched from.
    pub destinations: Destinations,
    /// For `system.localtime[local]`.
    pub time_zone: jiff::tz::TimeZone,
    /// Memory of values.
    pub memory: Memory,
}

impl Default for AgentSettings {
    /// A free-standing agent: everything but `system.run`.
    fn default() -> Self {
        Self {
            root: PathBuf::from("/"),
            hostname: String::new(),
            host_metadata: String::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            key_rules: KeyRules::default(),
            destinations: Destinations::default(),
            time_zone: jiff::tz::TimeZone::system(),
            memory: Memory::new(MEMORY_BYTES),
        }
    }
}

impl AgentSettings {
    /// For the agent inside the server. The server's process can read its own secrets (passwords of
    /// databases, keys), but users who may create items must not: no key shows the content of a
    /// file.
    #[must_use]
    pub fn inside_server(destinations: Destinations) -> Self {
        let mut settings = Self { destinations, ..Self::default() };
        for name in ["contents", "regexp", "regmatch", "md5sum", "cksum"] {
            settings.key_rules.push(KeyRule::Deny(format!("vfs.file.{name}[*]")));
        }
        // Nor does the server start programs for users, or show command lines of other processes.
        for name in
            ["proc.get", "system.hw.devices", "system.sw.packages", "system.sw.packages.get"]
        {
            settings.key_rules.push(KeyRule::Deny(name.to_owned()));
            settings.key_rules.push(KeyRule::Deny(format!("{name}[*]")));
        }
        settings
    }
}
