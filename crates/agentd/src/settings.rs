//! The settings of `saker agent`: this file is their manual.
//!
//! `docs/user/agent-settings.md` and `docs/user/saker-agent.sample.toml` are made from it by
//! `cargo xtask docs`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use agent::{KeyRule, KeyRules};
use rt::settings::{LoadedSettings, SettingsError, Sources};
use serde::Deserialize;
use serde::de::{self, Deserializer};

use crate::address::ServerList;
use crate::aliases::{Alias, Aliases};
use crate::allowed::Allowed;
use crate::tls_modes::{TlsMode, TlsModes};
use crate::user_parameters::{UserParameter, UserParameters};

/// Default port of an agent.
pub(crate) const PORT: u16 = 10_050;

rt::settings! {
    /// Settings of `saker agent`.
    pub struct Settings {
        /// Technical name of this machine's host, or several names separated by commas; Zabbix's `Hostname`. If
        /// empty, the value of `hostname_item`.
        pub hostname: String = r#""""#,
        /// Key whose value is the name if `hostname` is empty; `HostnameItem`.
        pub hostname_item: String = r#""system.hostname""#,
        /// Metadata for actions of autoregistration; `HostMetadata`.
        pub host_metadata: String = r#""""#,
        /// Key whose value is the metadata if `host_metadata` is empty; `HostMetadataItem`.
        pub host_metadata_item: String = r#""""#,
        /// Address or name for the interface of an autoregistered host; `HostInterface`.
        pub host_interface: String = r#""""#,
        /// Key whose value is used if `host_interface` is empty; `HostInterfaceItem`.
        pub host_interface_item: String = r#""""#,
        /// Time-out in seconds of a check whose request has none, 1 to 30; `Timeout`.
        pub timeout_s: u64 = "3",
        /// Memory in bytes for all values, from reading until they are sent or in the buffer. A value of the
        /// largest size (16 MiB) needs twice its size. If there is no memory left, the item has an error.
        pub memory_bytes_max: u64 = "134_217_728",
    }

    /// Passive checks: servers connect and request values.
    pub struct Passive in passive {
        /// Whether passive checks are answered. Active checks do not depend on it.
        pub enabled: bool = "true",
        /// Addresses and ports to listen on, separated by commas; `ListenIP` and `ListenPort`. If empty, port
        /// 10050 on all IPv4 addresses if `servers` is set, else on this machine only.
        pub listen: Listens = r#""""#,
        /// Allowed servers: addresses, networks and names separated by commas; `Server`. If empty, this machine
        /// only.
        pub servers: Allowed = r#""""#,
        /// Maximum number of connections; further connections wait to be accepted.
        pub connections_max: u32 = "100",
    }

    /// Active checks: the agent requests its list of checks from servers, and sends them the values.
    pub struct Active in active {
        /// Servers and proxies separated by commas, the nodes of one cluster by semicolons: `a, b:10051`
        /// are two servers, `a;b` is one; `ServerActive`. If empty, there are no active checks.
        pub servers: ServerList = r#""""#,
        /// Address of this machine to connect from; `SourceIP`.
        pub source: Option<IpAddr> = unset r#""192.0.2.10""#,
        /// Seconds between requests for the list of checks; `RefreshActiveChecks`.
        pub refresh_s: u64 = "5",
        /// Seconds between heartbeats; 0: none; `HeartbeatFrequency`.
        pub heartbeat_s: u64 = "60",
        /// Seconds that a value waits in the buffer before it is sent; `BufferSend`.
        pub send_s: u64 = "5",
        /// Size of the buffer in values, for each server and host; `BufferSize`. If it is full, new values replace the
        /// oldest ones, except values of log items; log files are read only as far as the buffer has room.
        pub buffer_values: u64 = "1_000",
        /// Lines per second that a log item sends if its key has no limit, 1 to 1000;
        /// `MaxLinesPerSecond`. Ten times as many lines are read.
        pub lines_per_second: u64 = "20",
    }

    /// Allowed keys, and keys in addition to the built-in ones.
    pub struct Keys in keys {
        /// Rules such as `"allow system.run[uptime]"` or `"deny vfs.file.*[*]"`; the first rule that matches decides;
        /// `AllowKey` and `DenyKey`. Commands run only if a rule allows them.
        pub rules: Vec<Rule> = "[]",
        /// Other names of keys, `"name:key"` or `"name[*]:key[*]"`; `Alias`.
        pub aliases: Vec<Alias> = "[]",
        /// Keys that run commands in a shell, `"key,command"` or `"key[*],command $1"`; `UserParameter`.
        pub user_parameters: Vec<UserParameter> = "[]",
        /// Directory in which these commands run; `UserParameterDir`.
        pub user_parameters_dir: Option<PathBuf> = unset r#""/etc/zabbix/scripts""#,
        /// Whether parameters of such keys may contain characters with a meaning for a shell;
        /// `UnsafeUserParameters`.
        pub unsafe_user_parameters: bool = "false",
        /// Whether each command of `system.run` is logged; `LogRemoteCommands`.
        pub log_commands: bool = "false",
    }

    /// Encryption of connections in both directions, by a pre-shared key or by certificates (their files are set
    /// in `[tls]`).
    pub struct Encryption in encryption {
        /// How the agent connects to servers: `unencrypted`, `psk` or `cert`; `TLSConnect`.
        pub connect: TlsMode = r#""unencrypted""#,
        /// How servers may connect to the agent: the same values, separated by commas; `TLSAccept`.
        pub accept: TlsModes = r#""unencrypted""#,
        /// Identity of the pre-shared key, which is sent unencrypted; `TLSPSKIdentity`.
        pub psk_identity: String = r#""""#,
        /// File with the pre-shared key, 32 to 512 hexadecimal digits; other users must not be able to read it.
        /// `TLSPSKFile`.
        pub psk_file: Option<PathBuf> = unset r#""/etc/saker/agent.psk""#,
        /// Required issuer of a server's certificate; empty: any. `TLSServerCertIssuer`.
        pub server_cert_issuer: String = r#""""#,
        /// Required subject of a server's certificate; empty: any. `TLSServerCertSubject`.
        pub server_cert_subject: String = r#""""#,
    }

    /// Logging to standard error.
    pub struct Log in log {
        /// `error`, `warn`, `info`, `debug` or `trace`, also by part: `info,agentd=debug`.
        pub level: String = r#""info""#,
        /// `human` for readable lines, `json` for one object per line.
        pub format: rt::log::LogFormat = r#""human""#,
    }

    use rt::tls::TlsSettings as tls;
}

impl Settings {
    /// Overlays all sources and checks settings that depend on each other.
    ///
    /// # Errors
    /// The first error and its place, in words for the operator.
    pub fn load(sources: &Sources) -> Result<LoadedSettings<Self>, SettingsError> {
        let loaded: LoadedSettings<Self> = rt::settings::load(sources)?;
        loaded.settings.check()?;
        Ok(loaded)
    }

    fn check(&self) -> Result<(), SettingsError> {
        let fault = |key, message| Err(SettingsError::Inconsistent { key, message });
        for (key, value, range) in [
            ("timeout_s", self.timeout_s, 1..=30),
            ("active.refresh_s", self.active.refresh_s, 1..=86_400),
            ("active.heartbeat_s", self.active.heartbeat_s, 0..=3_600),
            ("active.send_s", self.active.send_s, 1..=3_600),
            ("active.buffer_values", self.active.buffer_values, 2..=1_000_000),
            ("active.lines_per_second", self.active.lines_per_second, 1..=1_000),
            ("passive.connections_max", u64::from(self.passive.connections_max), 1..=100_000),
        ] {
            if !range.contains(&value) {
                let message = format!("{value} is not in {} to {}", range.start(), range.end());
                return fault(key, message);
            }
        }
        if let Err(error) = rt::log::parse_level(&self.log.level) {
            return fault("log.level", error.to_string());
        }
        if let Err(message) = self.key_rules() {
            return fault("keys.rules", message);
        }
        if let Err(message) = self.aliases() {
            return fault("keys.aliases", message);
        }
        if let Err(message) = self.user_parameters() {
            return fault("keys.user_parameters", message);
        }
        Ok(())
    }

    pub(crate) fn key_rules(&self) -> Result<KeyRules, String> {
        KeyRules::new(self.keys.rules.iter().map(|it| it.0.clone()))
    }

    pub(crate) fn aliases(&self) -> Result<Aliases, String> {
        Aliases::new(&self.keys.aliases)
    }

    pub(crate) fn user_parameters(&self) -> Result<UserParameters, String> {
        let (parameters, is_unsafe) =
            (&self.keys.user_parameters, self.keys.unsafe_user_parameters);
        UserParameters::new(parameters, is_unsafe, crate::own_keys::is_own_key)
    }

    /// The addresses to listen on.
    pub(crate) fn listens(&self) -> Vec<SocketAddr> {
        if !self.passive.enabled {
            return Vec::new();
        }
        if !self.passive.listen.0.is_empty() {
            return self.passive.listen.0.clone();
        }
        let ip = if self.passive.servers.is_empty() { [127, 0, 0, 1] } else { [0, 0, 0, 0] };
        vec![(ip, PORT).into()]
    }

    pub(crate) fn allowed(&self) -> Allowed {
        if self.passive.servers.is_empty() {
            Allowed::loopback()
        } else {
            self.passive.servers.clone()
        }
    }
}

/// Addresses with ports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listens(pub Vec<SocketAddr>);

impl<'de> Deserialize<'de> for Listens {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parse = |it: &str| match (it.parse::<SocketAddr>(), it.parse::<IpAddr>()) {
            (Ok(address), _) => Ok(address),
            (_, Ok(ip)) => Ok((ip, PORT).into()),
            _ => Err(de::Error::custom(format!("\"{it}\" is no address such as 127.0.0.1:10050"))),
        };
        let parts = text.split(',').map(str::trim).filter(|it| !it.is_empty());
        Ok(Self(parts.map(parse).collect::<Result<_, _>>()?))
    }
}

/// A rule in the form of the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule(pub KeyRule);

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let rule = match text.trim().split_once(' ') {
            Some(("allow", pattern)) => KeyRule::Allow(pattern.trim().to_owned()),
            Some(("deny", pattern)) => KeyRule::Deny(pattern.trim().to_owned()),
            _ => return Err(de::Error::custom("a rule is \"allow PATTERN\" or \"deny PATTERN\"")),
        };
        Ok(Self(rule))
    }
}
