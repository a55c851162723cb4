//! Answers agent keys on the machine it runs on.
//!
//! Keys, parameters, values and refusals are those of Zabbix agent 7.0 on Linux. Answers come from
//! /proc, /sys, the file systems and the user database; nothing is written, and nothing is executed
//! but the programs that list devices and rpm's packages, without a shell. `system.run` and keys
//! that the settings deny do not exist here.
//!
//! An [`Agent`] has no thread, no clock and no socket. Its owner calls [`Agent::sample`] each
//! second (averages of processors and disks need that) and [`Agent::get`] for each request. A
//! request may block, see [`Cost`]: the owner runs those that may where waiting is harmless, with a
//! time-out of its own. No request holds a lock while it waits, so one that hangs on a dead file
//! system stops no other.
//!
//! The `saker agent` role (sockets, passive and active checks, commands, log files) is `agentd`.

use std::sync::Mutex;
use std::time::Duration;

use model::Now;
use model::key::ItemKey;

mod collectors;
mod encoding;
mod file_kind;
#[doc(hidden)]
pub mod fuzz;
mod key_rules;
mod memory;
mod outcome;
mod params;
mod processes;
mod regex;
mod root;
mod samples;
mod settings;

pub use collectors::key::Cost;
pub use collectors::modbus::{Endpoint as ModbusEndpoint, Query as ModbusQuery};
pub use collectors::web_page::{PageRequest, WebPage};
pub use key_rules::{KeyRule, KeyRules};
pub use memory::{Memory, NO_ROOM, NoRoom, Room};
pub use outcome::Value;
pub use settings::AgentSettings;

use collectors::key::Ask;
use collectors::{block_device, cpu_util, process_cpu};
use outcome::Refusal;
use params::Params;
use root::Root;
use samples::Samples;

/// The default time-out of Zabbix's agent.
const TIME_OUT: Duration = Duration::from_secs(3);

/// The answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyAnswer {
    Value(Value),
    /// The item is not supported; the reason, as a sentence for the user.
    NotSupported(String),
}

impl From<Refusal> for KeyAnswer {
    fn from(refusal: Refusal) -> Self {
        Self::NotSupported(refusal.into_text())
    }
}

/// Answers keys. Share it by reference between threads.
#[derive(Debug)]
pub struct Agent {
    settings: AgentSettings,
    root: Root,
    /// Held for copying numbers only, never while reading a file.
    samples: Mutex<Samples>,
}

impl Agent {
    #[must_use]
    pub fn new(settings: AgentSettings) -> Self {
        let root = Root::new(settings.root.clone());
        Self { settings, root, samples: Mutex::default() }
    }

    /// Every key that an agent knows, allowed or not, with the cost of a request.
    pub fn keys() -> impl Iterator<Item = (&'static str, Cost)> {
        collectors::all().map(|key| (key.name, key.cost))
    }

    /// Whether a request for `key` may take longer than reading a few small files of the kernel.
    #[must_use]
    pub fn may_block(key: &ItemKey) -> bool {
        collectors::find(&key.name).is_some_and(|it| it.cost == Cost::MayBlock)
    }

    /// Records the counters of processors, and of watched disks and processes. Call it each second;
    /// it reads two small files of /proc (20 µs or so), and walks through /proc for each watched
    /// filter of processes. An unreadable file leaves a gap.
    pub fn sample(&self, now: Now) {
        let cpus = self.root.read("/proc/stat").map(|it| cpu_util::parse(&it)).unwrap_or_default();
        let watches_devices = self.lock().has_devices();
        let stats = if watches_devices { block_device::read(&self.root) } else { None };
        let watched = self.lock().processes(now.mono_ns);
        for (name, filter) in watched {
            let times = process_cpu::times(&self.root, &filter);
            self.lock().push_processes(now.mono_ns, &name, times);
        }

        let mut samples = self.lock();
        if !cpus.is_empty() {
            samples.push_cpus(now.mono_ns, &cpus);
        }
        let Some(stats) = stats else { return };
        for name in samples.devices(now.mono_ns) {
            if let Some(counters) = block_device::find(&stats, &name) {
                samples.push_device(now.mono_ns, &name, counters);
            }
        }
    }

    /// Answers one key, with Zabbix's default time-out for network requests.
    #[must_use]
    pub fn get(&self, key: &ItemKey, now: Now) -> KeyAnswer {
        self.get_within(key, now, TIME_OUT)
    }

    /// Answers one key. Network requests (name servers, pages, services) wait for `time` at most;
    /// file systems are waited for without a limit.
    #[must_use]
    pub fn get_within(&self, key: &ItemKey, now: Now, time: Duration) -> KeyAnswer {
        self.get_in(key, now, time, &self.settings.memory.room())
    }

    /// As [`Agent::get_within`]. Data that is read takes room of its request. The room stays until
    /// the caller drops it or states with [`Room::keep`] how large the value is.
    #[must_use]
    pub fn get_in(&self, key: &ItemKey, now: Now, time: Duration, room: &Room) -> KeyAnswer {
        let known = collectors::find(&key.name);
        let Some(known) = known.filter(|_| self.settings.key_rules.allows(key)) else {
            return KeyAnswer::NotSupported("Unsupported item key.".to_owned());
        };
        let ask = Ask {
            params: Params::new(key.params.iter().map(|it| it.as_str()).collect()),
            now,
            root: &self.root,
            settings: &self.settings,
            samples: &self.samples,
            time,
            room,
        };
        match known.answer(&ask) {
            Ok(value) => KeyAnswer::Value(value),
            Err(refusal) => refusal.into(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Samples> {
        self.samples.lock().expect("nobody panics while holding the samples")
    }
}
