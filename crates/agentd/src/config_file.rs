//! Reads a file of zabbix_agentd as settings.
//!
//! Lines are `Parameter=value`, comments begin with `#`, `Include` names files, directories or
//! patterns. Parameters without a meaning here (processes, files of its own, plug-ins) are named in
//! a warning; an unknown parameter is an error with its line.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use formats::wildcard;
use rt::settings::{Given, SettingPlace, Value, nearest};
use thiserror::Error;

/// Depth of includes. Files that include each other are an error beyond it.
const DEPTH_MAX: usize = 10;

/// Why a file cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}:{line}: unknown parameter \"{name}\"; the nearest known one is \"{nearest}\"", path.display())]
    Unknown { path: PathBuf, line: usize, name: String, nearest: String },
    #[error("{}:{line}: {message}", path.display())]
    Line { path: PathBuf, line: usize, message: String },
}

/// The content of a file.
#[derive(Debug, Default)]
pub struct Read {
    /// For [`rt::settings::Sources`].
    pub given: Vec<Given>,
    /// Parameters without a meaning here.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Number,
    Flag,
    /// May occur several times; the prefix is put before each.
    List(&'static str),
    /// Converted by [`Lines::finish`].
    Special,
    /// Means nothing here.
    Ignored,
}

/// Zabbix's name, the setting, and the form of its value.
const PARAMETERS: &[(&str, &str, Kind)] = &[
    ("Hostname", "hostname", Kind::Text),
    ("HostnameItem", "hostname_item", Kind::Text),
    ("HostMetadata", "host_metadata", Kind::Text),
    ("HostMetadataItem", "host_metadata_item", Kind::Text),
    ("HostInterface", "host_interface", Kind::Text),
    ("HostInterfaceItem", "host_interface_item", Kind::Text),
    ("Timeout", "timeout_s", Kind::Number),
    ("Server", "passive.servers", Kind::Text),
    ("ServerActive", "active.servers", Kind::Text),
    ("SourceIP", "active.source", Kind::Text),
    ("RefreshActiveChecks", "active.refresh_s", Kind::Number),
    ("HeartbeatFrequency", "active.heartbeat_s", Kind::Number),
    ("BufferSend", "active.send_s", Kind::Number),
    ("BufferSize", "active.buffer_values", Kind::Number),
    ("MaxLinesPerSecond", "active.lines_per_second", Kind::Number),
    ("AllowKey", "keys.rules", Kind::List("allow ")),
    ("DenyKey", "keys.rules", Kind::List("deny ")),
    ("Alias", "keys.aliases", Kind::List("")),
    ("UserParameter", "keys.user_parameters", Kind::List("")),
    ("UserParameterDir", "keys.user_parameters_dir", Kind::Text),
    ("UnsafeUserParameters", "keys.unsafe_user_parameters", Kind::Flag),
    ("LogRemoteCommands", "keys.log_commands", Kind::Flag),
    ("TLSConnect", "encryption.connect", Kind::Text),
    ("TLSAccept", "encryption.accept", Kind::Text),
    ("TLSPSKIdentity", "encryption.psk_identity", Kind::Text),
    ("TLSPSKFile", "encryption.psk_file", Kind::Text),
    ("TLSServerCertIssuer", "encryption.server_cert_issuer", Kind::Text),
    ("TLSServerCertSubject", "encryption.server_cert_subject", Kind::Text),
    ("TLSCAFile", "tls.ca_file", Kind::Text),
    ("TLSCRLFile", "tls.crl_file", Kind::Text),
    ("TLSCertFile", "tls.cert_file", Kind::Text),
    ("TLSKeyFile", "tls.key_file", Kind::Text),
    ("TLSCipherPSK", "tls.cipher_psk", Kind::Text),
    ("TLSCipherCert", "tls.cipher_cert", Kind::Text),
    ("TLSCipherAll13", "tls.cipher_13", Kind::Text),
    ("TLSCipherAll", "", Kind::Ignored),
    ("TLSCipherPSK13", "", Kind::Ignored),
    ("TLSCipherCert13", "", Kind::Ignored),
    ("ListenIP", "", Kind::Special),
    ("ListenPort", "", Kind::Special),
    ("StartAgents", "", Kind::Special),
    ("EnableRemoteCommands", "", Kind::Special),
    ("DebugLevel", "", Kind::Special),
    ("Include", "", Kind::Special),
    ("AllowRoot", "", Kind::Ignored),
    ("ControlSocket", "", Kind::Ignored),
    ("EnablePersistentBuffer", "", Kind::Ignored),
    ("ForceActiveChecksOnStart", "", Kind::Ignored),
    ("ListenBacklog", "", Kind::Ignored),
    ("LoadModule", "", Kind::Ignored),
    ("LoadModulePath", "", Kind::Ignored),
    ("LogFile", "", Kind::Ignored),
    ("LogFileSize", "", Kind::Ignored),
    ("LogType", "", Kind::Ignored),
    ("PersistentBufferFile", "", Kind::Ignored),
    ("PersistentBufferPeriod", "", Kind::Ignored),
    ("PidFile", "", Kind::Ignored),
    ("PluginTimeout", "", Kind::Ignored),
    ("StatusPort", "", Kind::Ignored),
    ("User", "", Kind::Ignored),
];

/// Reads a file and those that it includes.
///
/// # Errors
/// The first error, with its place; the text can be shown to the operator as it is.
pub fn read(path: &Path) -> Result<Read, ConfigError> {
    let mut lines = Lines::default();
    lines.file(path, 0)?;
    Ok(lines.finish())
}

#[derive(Debug, Default)]
struct Lines {
    read: Read,
    lists: BTreeMap<&'static str, (Vec<Value>, SettingPlace)>,
    special: BTreeMap<&'static str, (String, SettingPlace)>,
}

impl Lines {
    fn file(&mut self, path: &Path, depth: usize) -> Result<(), ConfigError> {
        let bytes =
            fs::read(path).map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        let text = String::from_utf8_lossy(&bytes);
        for (line, written) in (1..).zip(text.lines().map(str::trim)) {
            if written.is_empty() || written.starts_with('#') {
                continue;
            }
            let wrong =
                |message: String| ConfigError::Line { path: path.to_owned(), line, message };
            let Some((name, value)) = written.split_once('=') else {
                return Err(wrong("a line is Parameter=value".to_owned()));
            };
            let (name, value) = (name.trim(), value.trim());
            if name == "Include" {
                if DEPTH_MAX <= depth {
                    return Err(wrong("files include each other too deeply".to_owned()));
                }
                let included = included(Path::new(value));
                for it in
                    included.map_err(|error| wrong(format!("cannot read {value}: {error}")))?
                {
                    self.file(&it, depth + 1)?;
                }
                continue;
            }
            let place = SettingPlace::File { path: path.to_owned(), line };
            self.line(name, value, place).map_err(|fault| match fault {
                Fault::Unknown(nearest) => ConfigError::Unknown {
                    path: path.to_owned(),
                    line,
                    name: name.to_owned(),
                    nearest,
                },
                Fault::Value(message) => wrong(message),
            })?;
        }
        Ok(())
    }

    fn line(&mut self, name: &str, value: &str, place: SettingPlace) -> Result<(), Fault> {
        let Some((name, setting, kind)) = PARAMETERS.iter().find(|it| it.0 == name) else {
            let names = PARAMETERS.iter().map(|it| it.0);
            return Err(Fault::Unknown(nearest(name, names).unwrap_or_default().to_owned()));
        };
        let value = match kind {
            Kind::Ignored => {
                self.read.warnings.push(format!("{place}: {name} has no meaning here"));
                return Ok(());
            }
            Kind::Special => {
                self.special.insert(*name, (value.to_owned(), place));
                return Ok(());
            }
            Kind::List(prefix) => {
                let entry = self.lists.entry(*setting).or_insert_with(|| (Vec::new(), place));
                entry.0.push(Value::String(format!("{prefix}{value}")));
                return Ok(());
            }
            // An empty value means the default.
            _ if value.is_empty() => return Ok(()),
            Kind::Text => Value::String(value.to_owned()),
            Kind::Number => match value.parse() {
                Ok(number) => Value::Integer(number),
                Err(_not_a_number) => {
                    return Err(Fault::Value(format!("{name}: \"{value}\" is no whole number")));
                }
            },
            Kind::Flag => match value {
                "0" => Value::Boolean(false),
                "1" => Value::Boolean(true),
                _ => return Err(Fault::Value(format!("{name}: \"{value}\" is neither 0 nor 1"))),
            },
        };
        self.read.given.push(Given { path: (*setting).to_owned(), value, place });
        Ok(())
    }

    fn finish(mut self) -> Read {
        let has_servers = self.read.given.iter().any(|it| it.path == "passive.servers");
        let mut given = |path: &str, value, place| {
            self.read.given.push(Given { path: path.to_owned(), value, place });
        };
        for (path, (values, place)) in self.lists {
            given(path, Value::Array(values), place);
        }
        let ip = self.special.remove("ListenIP");
        let port = self.special.remove("ListenPort");
        if ip.is_some() || port.is_some() {
            let place = ip.as_ref().or(port.as_ref()).map(|it| it.1.clone());
            let ips = ip.map(|it| it.0).filter(|it| !it.is_empty());
            // Without servers only this machine may ask, whatever the port.
            let ip = if has_servers { "0.0.0.0" } else { "127.0.0.1" };
            let ips = ips.unwrap_or_else(|| ip.to_owned());
            let port = port.map_or_else(|| crate::settings::PORT.to_string(), |it| it.0);
            let listen = ips.split(',').map(str::trim).map(|it| match it.contains(':') {
                true => format!("[{it}]:{port}"),
                false => format!("{it}:{port}"),
            });
            let listen = listen.collect::<Vec<_>>().join(",");
            given("passive.listen", Value::String(listen), place.expect("one of them is there"));
        }
        for (name, (value, place)) in self.special {
            match (name, value.as_str()) {
                ("StartAgents", "0") => given("passive.enabled", Value::Boolean(false), place),
                ("DebugLevel", "4" | "5") => {
                    given("log.level", Value::String("debug".to_owned()), place);
                }
                ("DebugLevel", "0" | "1" | "2") => {
                    given("log.level", Value::String("error".to_owned()), place);
                }
                ("EnableRemoteCommands", "1") => self.read.warnings.push(format!(
                    "{place}: EnableRemoteCommands has no meaning here: write AllowKey=system.run[*]"
                )),
                _ => {}
            }
        }
        self.read
    }
}

enum Fault {
    /// With the nearest known name.
    Unknown(String),
    Value(String),
}

/// The included files: one, those of a directory, or those of a directory whose names match.
fn included(path: &Path) -> io::Result<Vec<PathBuf>> {
    let is_pattern = path.file_name().is_some_and(|it| it.to_string_lossy().contains('*'));
    let (folder, pattern) = if is_pattern {
        let name = path.file_name().map(|it| it.to_string_lossy().into_owned());
        (path.parent().unwrap_or(Path::new("/")), name)
    } else if path.is_dir() {
        (path, None)
    } else {
        return Ok(vec![path.to_owned()]);
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let fits = pattern.as_ref().is_none_or(|it| wildcard::matches(it, &name.to_string_lossy()));
        if fits && entry.path().is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use rt::settings::Sources;

    use super::*;
    use crate::Settings;

    fn settings(files: &[(&str, &str)]) -> Result<(Settings, Vec<String>), String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("below the folder")).expect("made");
            let text = text.replace("FOLDER", &folder.path().display().to_string());
            fs::write(path, text).expect("written");
        }
        let plain = |text: String| text.replace(&folder.path().display().to_string(), "FOLDER");
        let read = read(&folder.path().join("main")).map_err(|it| plain(it.to_string()))?;
        let sources = Sources { given: read.given, ..Sources::default() };
        let loaded = Settings::load(&sources).map_err(|it| plain(it.to_string()))?;
        Ok((loaded.settings, read.warnings.into_iter().map(plain).collect()))
    }

    #[test]
    fn parameters_of_zabbix_are_settings() {
        let main = "# a comment\nServer=127.0.0.1, 10.0.0.0/8\nServerActive=a;b,c:5\nHostname=web\n\
            Timeout=7\nListenIP=127.0.0.1,::1\nListenPort=1234\nBufferSize=\nUnsafeUserParameters=1\n\
            AllowKey=system.run[id]\nDenyKey=system.run[*]\nPidFile=/run/x\nStartAgents=3\n\
            TLSConnect=psk\nTLSAccept=psk,unencrypted\nTLSPSKIdentity=id\nTLSPSKFile=/etc/x\n\
            Include=FOLDER/more.d/*.conf\nInclude=FOLDER/one\n";
        let (settings, warnings) = settings(&[
            ("main", main),
            ("more.d/b.conf", "UserParameter=b,echo b\n"),
            ("more.d/a.conf", "UserParameter=a[*],echo $1\nAlias=x:a[1]\n"),
            ("more.d/a.conf.old", "Nonsense=1\n"),
            ("one", "HostMetadataItem=system.uname\n"),
        ])
        .unwrap();
        assert_eq!(settings.hostname, "web");
        assert_eq!((settings.timeout_s, settings.active.buffer_values), (7, 1_000));
        assert_eq!(settings.active.servers.0.len(), 2);
        let listens: Vec<String> = settings.listens().iter().map(ToString::to_string).collect();
        assert_eq!(listens, ["127.0.0.1:1234", "[::1]:1234"]);
        assert_eq!(settings.keys.rules.len(), 2);
        assert_eq!(settings.keys.user_parameters.len(), 2);
        assert!(settings.keys.unsafe_user_parameters && settings.passive.enabled);
        assert_eq!(settings.host_metadata_item, "system.uname");
        assert_eq!(settings.encryption.accept.0.len(), 2);
        assert_eq!(settings.encryption.psk_identity, "id");
        assert_eq!(warnings, ["FOLDER/main:12: PidFile has no meaning here"]);
    }

    #[test]
    fn mistakes_are_reported_with_name_and_line() {
        for (text, expected) in [
            (
                "\nServr=1\n",
                "FOLDER/main:2: unknown parameter \"Servr\"; the nearest known one is \"Server\"",
            ),
            ("Timeout=x", "FOLDER/main:1: Timeout: \"x\" is no whole number"),
            ("Timeout=99", "setting \"timeout_s\": 99 is not in 1 to 30"),
            ("nonsense", "FOLDER/main:1: a line is Parameter=value"),
            ("Include=FOLDER/main", "FOLDER/main:1: files include each other too deeply"),
            (
                "#\nServer=a b",
                "FOLDER/main:2: setting \"passive.servers\": \"a b\" is no address, no network and no name",
            ),
        ] {
            assert_eq!(settings(&[("main", text)]).expect_err("a mistake"), expected, "{text}");
        }
    }
}
