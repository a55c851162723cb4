//! Secrets of vault macros, read from a HashiCorp vault (KV engine, versions 1 and 2) over HTTP.
//!
//! A worker reads every path that a macro of the configuration names, when it is first named and
//! again each `vault.refresh_s`. Items get the values from memory. They are nowhere else: neither
//! in the database nor in logs, exports or responses. While the vault is unavailable, earlier
//! values stay; a value that the vault refuses or no longer has is removed.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use collect::ports::Secrets;
use http_client::Verify;
use model::Now;
use model::content::MacroType;
use model::map::Map;
use model::snapshot::Snapshot;
use outgoing::Exchanger;
use rt::clock::{Clock, nanos};
use rt::task::TaskError;
use rt::worker::{GroupContext, Next, OnPanic, Wake, Worker, WorkerGroup, WorkerRow};
use script::HostRequest;
use serde_json::Value;
use tracing::{info, warn};

/// A secret is some lines.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// Paths of Vault itself: no secrets engine can be mounted there, and `auth/token/lookup-self`
/// would return the token.
const RESERVED: &[&str] = &["auth", "cubbyhole", "identity", "sys"];

/// In the list of workers.
pub const ROW: WorkerRow = WorkerRow {
    name: "vault",
    job: "reads secrets of macros from the vault",
    woken_by: "changes of the configuration, and the clock, by vault.refresh_s",
    waits: "secrets of the vault stay as they were read last",
    on_panic: OnPanic::Reload,
};

/// A secret, or why there is none.
type Found = Result<Arc<str>, Arc<str>>;

/// Values that were read, by macro value: `secret/web:password`.
pub struct VaultSecrets {
    known: ArcSwap<Map<String, Found>>,
    is_set: bool,
}

impl VaultSecrets {
    fn new(settings: &VaultSettings) -> Self {
        Self { known: ArcSwap::default(), is_set: settings.url.is_some() }
    }
}

impl fmt::Debug for VaultSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VaultSecrets").field("is_set", &self.is_set).finish_non_exhaustive()
    }
}

impl Secrets for VaultSecrets {
    fn secret(&self, named: &str) -> Result<Arc<str>, String> {
        let reason = |it: &str| format!("Cannot get the secret \"{named}\" of the vault: {it}.");
        if !self.is_set {
            return Err(reason("this server has none (setting vault.url)"));
        }
        match self.known.load().get(named) {
            Some(Ok(it)) => Ok(Arc::clone(it)),
            Some(Err(why)) => Err(reason(why)),
            None => Err(reason("it was not read yet")),
        }
    }
}

/// Where the vault is, and how it is asked.
#[derive(Clone, Default)]
pub struct VaultSettings {
    /// `None`: there is no vault.
    pub url: Option<String>,
    /// Read each time.
    pub token_file: Option<PathBuf>,
    /// Counts without a file.
    pub token: String,
    /// Before the path of a macro; empty: the path begins with its mount.
    pub prefix: String,
    /// Between two readings.
    pub refresh: Duration,
    /// For one request.
    pub timeout: Duration,
    /// Whether its certificate is checked.
    pub tls_verify: bool,
}

impl fmt::Debug for VaultSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VaultSettings").field("url", &self.url).finish_non_exhaustive()
    }
}

/// The configuration as it is now.
pub type CurrentSnapshot = Box<dyn Fn() -> Arc<Snapshot> + Send>;
/// Has each change of the configuration wake the worker.
pub type WokenByChanges = Box<dyn FnOnce(Wake)>;

/// Parts of the reader.
pub struct VaultParts {
    pub settings: VaultSettings,
    pub snapshot: CurrentSnapshot,
    pub woken_by_changes: WokenByChanges,
    /// The URL of the vault is set by the operator, so `outgoing.denied` does not apply.
    pub http: Exchanger,
    pub clock: Clock,
}

impl fmt::Debug for VaultParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VaultParts").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Reads the secrets of macros before the first item needs one, and keeps them up to date.
///
/// # Errors
/// The system refuses the thread.
pub fn open(mut parts: VaultParts, context: &GroupContext) -> Result<Arc<VaultSecrets>, TaskError> {
    let secrets = Arc::new(VaultSecrets::new(&parts.settings));
    let nobody: WokenByChanges = Box::new(drop);
    let woken_by_changes = std::mem::replace(&mut parts.woken_by_changes, nobody);
    let open = || VaultReader::new(parts, &secrets);
    if let Some(reader) = tokio::task::block_in_place(open) {
        // A thread of its own: the vault may take its time.
        let mut group = WorkerGroup::new(ROW.name, context);
        group.add(ROW, |wake| {
            woken_by_changes(wake.clone());
            reader
        });
        group.start()?;
    }
    Ok(secrets)
}

/// Reads the paths of the configuration.
struct VaultReader {
    settings: VaultSettings,
    snapshot: CurrentSnapshot,
    clock: Clock,
    http: Exchanger,
    secrets: Arc<VaultSecrets>,
    /// Of the configuration that was checked last.
    epoch: Option<u64>,
    named: BTreeSet<String>,
    /// When all were last read.
    read_ns: Option<u64>,
    /// The vault did not answer last time: logged once.
    is_away: bool,
}

impl VaultReader {
    /// Reads for the first time; `None`: there is no vault. Blocking.
    fn new(parts: VaultParts, secrets: &Arc<VaultSecrets>) -> Option<Self> {
        let VaultParts { settings, snapshot, http, clock, .. } = parts;
        settings.url.as_ref()?;
        let mut reader = Self {
            settings,
            snapshot,
            clock,
            http,
            secrets: Arc::clone(secrets),
            epoch: None,
            named: BTreeSet::new(),
            read_ns: None,
            is_away: false,
        };
        reader.look();
        Some(reader)
    }

    /// Between two readings of everything.
    fn period(&self) -> Duration {
        self.settings.refresh.max(Duration::from_secs(1))
    }

    fn look(&mut self) {
        let snapshot = (self.snapshot)();
        if self.epoch != Some(snapshot.epoch) {
            self.epoch = Some(snapshot.epoch);
            self.named = named_in(&snapshot);
        }
        let now_ns = self.clock.mono_ns();
        let period_ns = nanos(self.period());
        let is_due = self.read_ns.is_none_or(|it| it.saturating_add(period_ns) <= now_ns);
        let known = self.secrets.known.load_full();
        let is_same =
            known.len() == self.named.len() && self.named.iter().all(|it| known.contains_key(it));
        if !is_due && is_same {
            return;
        }
        let wanted = self.named.iter().filter(|it| is_due || !known.contains_key(*it));
        let wanted: Vec<String> = wanted.cloned().collect();
        if is_due {
            self.read_ns = Some(now_ns);
        }
        let found = self.read(&wanted, &known);
        let mut next: Map<String, Found> = Map::default();
        for it in &self.named {
            if let Some(value) = found.get(it).or_else(|| known.get(it)) {
                next.insert(it.clone(), value.clone());
            }
        }
        self.secrets.known.store(Arc::new(next));
    }

    /// One request a path, whatever keys of it are named.
    fn read(&mut self, wanted: &[String], known: &Map<String, Found>) -> Map<String, Found> {
        let mut found: Map<String, Found> = Map::default();
        let mut by_path: Map<&str, Vec<(&str, &str)>> = Map::default();
        for named in wanted {
            match split(named) {
                Some((path, key)) => by_path.entry(path).or_default().push((named, key)),
                None => {
                    found.insert(named.clone(), Err("it is no path of secrets with a key".into()));
                }
            }
        }
        let token = match self.settings.token() {
            Ok(it) => it,
            Err(why) => {
                self.report_absence(Some(&why));
                let kept = |it: &String| known.get(it).cloned().filter(Result::is_ok);
                let values = wanted.iter().map(|it| {
                    (it.clone(), kept(it).unwrap_or_else(|| Err(Arc::from(why.as_str()))))
                });
                return values.collect();
            }
        };
        let mut away = None;
        for (path, keys) in by_path {
            let read = match &away {
                // Each would wait for the time-out.
                Some(why) => Err(Failure::Away(String::clone(why))),
                None => self.fetch(path, &token),
            };
            for (named, key) in keys {
                let value = match &read {
                    Ok(secret) => value_of(secret, key),
                    Err(Failure::Refused(why)) => Err(why.as_str().into()),
                    Err(Failure::Away(why)) => {
                        let kept = known.get(named).filter(|it| it.is_ok());
                        kept.cloned().unwrap_or_else(|| Err(why.as_str().into()))
                    }
                };
                found.insert(named.to_owned(), value);
            }
            if let Err(Failure::Away(why)) = read {
                away = Some(why);
            }
        }
        self.report_absence(away.as_deref());
        found
    }

    /// Says once that the vault is away, and that it is back.
    fn report_absence(&mut self, why: Option<&str>) {
        match why {
            Some(why) if !self.is_away => {
                warn!(error = why, "cannot read secrets of the vault; earlier values stay in use");
            }
            None if self.is_away => info!("the vault is available again"),
            _ => {}
        }
        self.is_away = why.is_some();
    }

    /// The keys at a path.
    fn fetch(&self, path: &str, token: &str) -> Result<Value, Failure> {
        let url = self.settings.url.as_ref().map_or("", |it| it.trim_end_matches('/'));
        let path = encoded(path);
        if !self.settings.prefix.is_empty() {
            let answer = self.get(&format!("{url}{}{path}", self.settings.prefix), token)?;
            return Ok(keys_of(answer));
        }
        // Version 2 of the engine has `data` after the mount; version 1 has nothing there.
        let versioned = path.split_once('/').map(|(mount, rest)| format!("{mount}/data/{rest}"));
        let Some(versioned) = versioned else {
            return Ok(keys_of(self.get(&format!("{url}/v1/{path}"), token)?));
        };
        match self.get(&format!("{url}/v1/{versioned}"), token) {
            Err(Failure::Refused(first)) => match self.get(&format!("{url}/v1/{path}"), token) {
                Ok(it) => Ok(keys_of(it)),
                Err(Failure::Refused(_)) => Err(Failure::Refused(first)),
                Err(away) => Err(away),
            },
            other => Ok(keys_of(other?)),
        }
    }

    fn get(&self, url: &str, token: &str) -> Result<Value, Failure> {
        let headers = [
            ("X-Vault-Token".to_owned(), token.to_owned()),
            ("X-Vault-Request".to_owned(), "true".to_owned()),
        ];
        let asked = HostRequest {
            method: "GET",
            url,
            headers: &headers,
            body: None,
            proxy: "",
            auth: None,
            time: self.settings.timeout,
            body_bytes_max: ANSWER_BYTES_MAX,
        };
        let is_verified = self.settings.tls_verify;
        let verify = Verify { peer: is_verified, host: is_verified };
        let answer = self.http.exchange_verifying(&asked, verify).map_err(Failure::Away)?;
        match answer.status {
            200 => serde_json::from_slice(&answer.body)
                .map_err(|_no_json| Failure::Refused("its answer is no JSON".to_owned())),
            404 => Err(Failure::Refused("there is nothing at this path".to_owned())),
            403 => Err(Failure::Refused("permission denied".to_owned())),
            status @ 500.. => Err(Failure::Away(format!("HTTP status {status}"))),
            status => Err(Failure::Refused(format!("HTTP status {status}"))),
        }
    }
}

impl Worker for VaultReader {
    type Error = Infallible;

    fn turn(&mut self, _: Now) -> Result<Next, Infallible> {
        self.look();
        let period_ns = nanos(self.period());
        Ok(self.read_ns.map_or(Next::WhenWoken, |it| Next::At(it.saturating_add(period_ns))))
    }

    /// Values that were read stay; the list of paths is built again.
    fn reload(&mut self, _: rt::worker::WorkerFailure) -> Result<(), Infallible> {
        self.epoch = None;
        Ok(())
    }
}

/// Why a path was not read. Neither has anything of an answer's body.
#[derive(Debug)]
enum Failure {
    /// It may work later: earlier values stay.
    Away(String),
    Refused(String),
}

/// The values of all vault macros.
fn named_in(snapshot: &Snapshot) -> BTreeSet<String> {
    let holders = snapshot.hosts.values().chain(snapshot.templates.values());
    let macros = holders.flat_map(|it| &it.macros).chain(&snapshot.globals.macros);
    macros.filter(|it| it.kind == MacroType::Vault).map(|it| it.value.clone()).collect()
}

/// Path and key: the key begins behind the first colon. Nothing where a path leads out of the engines of secrets.
fn split(named: &str) -> Option<(&str, &str)> {
    let (path, key) = named.split_once(':')?;
    (is_of_secrets(path) && !key.is_empty()).then_some((path, key))
}

/// Users who edit macros must not read more than secrets from the vault, since the request has the
/// server's token.
fn is_of_secrets(path: &str) -> bool {
    let path = decoded(path).to_ascii_lowercase();
    let mut parts = path.split('/').filter(|it| !it.is_empty());
    let is_plain = parts.clone().all(|it| !matches!(it, "." | ".."));
    is_plain && parts.next().is_some_and(|it| !RESERVED.contains(&it))
}

/// Decoded as by the vault.
fn decoded(path: &str) -> String {
    let mut parts = path.split('%');
    let mut out = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).map(|it| (it, u8::from_str_radix(it, 16))) {
            Some((digits, Ok(byte))) => {
                out.push(byte);
                out.extend_from_slice(part.as_bytes().get(digits.len()..).unwrap_or_default());
            }
            _ => {
                out.push(b'%');
                out.extend_from_slice(part.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Encoded for an address; escapes that are there already stay.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/%!$&'()*+,;=:@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// The keys in an answer of either version: `data.data` of version 2, which has `data.metadata` too, or `data`.
fn keys_of(mut answer: Value) -> Value {
    let mut data = answer["data"].take();
    if data["metadata"].is_object() && (data["data"].is_object() || data["data"].is_null()) {
        return data["data"].take();
    }
    data
}

fn value_of(secret: &Value, key: &str) -> Found {
    match secret.get(key) {
        Some(Value::String(it)) => Ok(it.as_str().into()),
        Some(Value::Number(it)) => Ok(it.to_string().into()),
        Some(Value::Bool(it)) => Ok(it.to_string().into()),
        Some(_) => Err("it is no text".into()),
        None => Err(format!("there is no key \"{key}\" at this path").into()),
    }
}

impl VaultSettings {
    /// Read each time, since an agent of the vault renews the file.
    fn token(&self) -> Result<String, String> {
        let Some(file) = &self.token_file else { return Ok(self.token.clone()) };
        let text = fs::read_to_string(file)
            .map_err(|error| format!("the file of its token cannot be read: {error}"))?;
        Ok(text.trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_macro_names_a_path_and_a_key() {
        for (named, expected) in [
            ("secret/web:password", Some(("secret/web", "password"))),
            ("secret/web:a:b/c", Some(("secret/web", "a:b/c"))),
            ("web:password", Some(("web", "password"))),
            ("secret/web", None),
            ("secret/web:", None),
            (":web", None),
            ("auth/token/lookup-self:id", None),
            ("/auth/token/lookup-self:id", None),
            ("%61uth/token/lookup-self:id", None),
            ("Sys/mounts:x", None),
            ("secret/../sys/mounts:x", None),
            ("secret/%2E%2e%2Fsys/mounts:x", None),
            ("secret/auth/..web:x", Some(("secret/auth/..web", "x"))),
        ] {
            assert_eq!(split(named), expected, "{named}");
        }
    }

    #[test]
    fn answers_of_both_versions_are_read() {
        let version_2 = serde_json::json!({"data": {"data": {"k": "v", "n": 7},
            "metadata": {"version": 1}}});
        let version_1 = serde_json::json!({"data": {"k": "v", "data": {"k": "w"}}});
        let deleted = serde_json::json!({"data": {"data": null, "metadata": {"version": 1}}});
        let k = |it: &Value| value_of(&keys_of(it.clone()), "k").ok();
        assert_eq!(k(&version_2).as_deref(), Some("v"));
        assert_eq!(k(&version_1).as_deref(), Some("v"));
        assert_eq!(k(&deleted), None);
        assert_eq!(value_of(&keys_of(version_2), "n"), Ok("7".into()));
        assert!(value_of(&keys_of(version_1), "data").is_err());
    }

    #[test]
    fn paths_are_encoded_once() {
        assert_eq!(encoded("my mount/%2Fa/ä?#"), "my%20mount/%2Fa/%C3%A4%3F%23");
    }
}
