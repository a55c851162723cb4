//! The state of SNMPv3: keys of passphrases, and engines with their clocks.
//!
//! The first message to an engine asks for its id and time; from then on its time is counted here,
//! and corrected by each signed answer. An answer carries the id of its message, which is not
//! predictable: an old answer is never accepted.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use model::content::SnmpDetails;
use model::map::Map;
use rt::clock::Clock;
use rt::task::Tasks;
use tokio::sync::OnceCell;
use wire::snmp::{AuthProtocol, MasterKey, PASSPHRASE_MIN, PrivProtocol, UserKeys, V3Message};

/// Keys and engines that are kept; with more, all are forgotten and learned again.
const KEYS_MAX: usize = 10_000;
const ENGINES_MAX: usize = 200_000;
/// Ids of engines are 5 to 32 bytes long; some devices have longer ones.
const ENGINE_ID_MAX: usize = 64;
const NS_PER_S: u64 = 1_000_000_000;

type Masters = Map<(AuthProtocol, String), Arc<OnceCell<MasterKey>>>;

#[derive(Debug)]
pub(crate) struct Usm {
    clock: Clock,
    tasks: Tasks,
    masters: Mutex<Masters>,
    engines: Mutex<Map<SocketAddr, KnownEngine>>,
    salt: AtomicU64,
}

/// An engine and its clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct KnownEngine {
    pub(super) id: Arc<[u8]>,
    boots: i32,
    /// Seconds that it had been running at `learned_ns`.
    time: i32,
    learned_ns: u64,
}

impl KnownEngine {
    /// Its boots and time now.
    pub(super) fn clock(&self, now_ns: u64) -> (i32, i32) {
        let passed = now_ns.saturating_sub(self.learned_ns) / NS_PER_S;
        (self.boots, self.time.saturating_add(i32::try_from(passed).unwrap_or(i32::MAX)))
    }
}

/// The user of an interface, with keys for any engine.
#[derive(Clone, Debug)]
pub(crate) struct User<'a> {
    pub(super) name: &'a str,
    pub(super) context: &'a str,
    auth: Option<Arc<OnceCell<MasterKey>>>,
    privacy: Option<(PrivProtocol, Arc<OnceCell<MasterKey>>)>,
}

impl User<'_> {
    /// As RFC 3411 names it.
    pub(super) fn level(&self) -> &'static str {
        match (&self.auth, &self.privacy) {
            (Some(_), Some(_)) => "authPriv",
            (Some(_), None) => "authNoPriv",
            (None, _) => "noAuthNoPriv",
        }
    }

    /// The keys for an engine.
    pub(crate) fn keys(&self, engine_id: &[u8]) -> UserKeys {
        let auth = self.auth.as_ref().and_then(|it| it.get());
        let privacy = self.privacy.as_ref().and_then(|(it, key)| Some((*it, key.get()?)));
        UserKeys::new(auth, privacy, engine_id)
    }

    /// The keys that sign for an engine; they cost little.
    pub(crate) fn auth_keys(&self, engine_id: &[u8]) -> UserKeys {
        UserKeys::new(self.auth.as_ref().and_then(|it| it.get()), None, engine_id)
    }

    /// Without the borrowed names, for other threads.
    pub(crate) fn into_owned_keys(self) -> User<'static> {
        User { name: "", context: "", ..self }
    }
}

impl Usm {
    /// `secret`: random and never shown.
    pub(crate) fn new(clock: Clock, tasks: Tasks, secret: u64) -> Self {
        let salt = AtomicU64::new(secret.rotate_left(29));
        let (masters, engines) = (Mutex::default(), Mutex::default());
        Self { clock, tasks, masters, engines, salt }
    }

    pub(super) fn now_ns(&self) -> u64 {
        self.clock.mono_ns()
    }

    /// Never the same twice.
    pub(crate) fn next_salt(&self) -> u64 {
        self.salt.fetch_add(1, Ordering::Relaxed)
    }

    /// The user of an interface.
    ///
    /// # Errors
    /// The mistake in the interface, for the user.
    pub(crate) async fn user<'a>(&self, details: &'a SnmpDetails) -> Result<User<'a>, String> {
        let (name, context) = (details.securityname.as_str(), details.contextname.as_str());
        let mut user = User { name, context, auth: None, privacy: None };
        if details.securitylevel == 0 {
            return Ok(user);
        }
        let protocol = AuthProtocol::from_code(details.authprotocol);
        let protocol = protocol
            .ok_or_else(|| format!("Unknown authentication protocol {}.", details.authprotocol))?;
        user.auth = Some(self.master(protocol, &details.authpassphrase, "authentication").await?);
        if details.securitylevel == 1 {
            return Ok(user);
        }
        let cipher = PrivProtocol::from_code(details.privprotocol);
        let cipher =
            cipher.ok_or_else(|| format!("Unknown privacy protocol {}.", details.privprotocol))?;
        let key = self.master(protocol, &details.privpassphrase, "privacy").await?;
        user.privacy = Some((cipher, key));
        Ok(user)
    }

    /// The key of a passphrase, computed once for all its users.
    async fn master(
        &self,
        protocol: AuthProtocol,
        passphrase: &str,
        what: &str,
    ) -> Result<Arc<OnceCell<MasterKey>>, String> {
        if passphrase.len() < PASSPHRASE_MIN {
            return Err(format!(
                "The {what} passphrase is shorter than {PASSPHRASE_MIN} characters."
            ));
        }
        let cell = {
            let mut masters = self.masters.lock().unwrap_or_else(PoisonError::into_inner);
            if KEYS_MAX <= masters.len() {
                masters.clear();
            }
            Arc::clone(masters.entry((protocol, passphrase.to_owned())).or_default())
        };
        let text = passphrase.to_owned();
        // It hashes a megabyte.
        let make = self.tasks.offload("SNMPv3 key", move || {
            MasterKey::of_passphrase(protocol, text.as_bytes()).expect("it is long enough")
        });
        cell.get_or_init(|| make).await;
        Ok(cell)
    }

    pub(super) fn engine(&self, address: SocketAddr) -> Option<KnownEngine> {
        self.engines.lock().unwrap_or_else(PoisonError::into_inner).get(&address).cloned()
    }

    /// Takes over the id and time that an engine reports. `None`: it is no engine.
    pub(super) fn learn(&self, address: SocketAddr, said: &V3Message<'_>) -> Option<KnownEngine> {
        if said.engine_id.is_empty() || ENGINE_ID_MAX < said.engine_id.len() {
            return None;
        }
        let learned_ns = self.now_ns();
        let mut engines = self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        if ENGINES_MAX <= engines.len() {
            engines.clear();
        }
        let known = engines.get(&address).filter(|it| *it.id == *said.engine_id);
        let id = known.map_or_else(|| Arc::from(said.engine_id), |it| Arc::clone(&it.id));
        let (boots, time) = (said.boots.max(0), said.time.max(0));
        let engine = KnownEngine { id, boots, time, learned_ns };
        engines.insert(address, engine.clone());
        Some(engine)
    }
}
