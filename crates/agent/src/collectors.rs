//! The table of collectors: one file and one line here for each subject.
//!
//! To add keys: write a file with `pub(crate) const KEYS: &[Key]` and functions from [`Ask`] to
//! [`Outcome`], and name it below. Parameter counts are checked here, so that every key words its
//! refusals alike.

use std::sync::Mutex;

use crate::Settings;
use crate::outcome::{Outcome, Refusal};
use crate::params::Params;
use crate::root::Root;
use crate::samples::Samples;

mod agent_info;
pub(crate) mod block_device;
mod cpu;
pub(crate) mod cpu_util;
mod directory;
mod file_checksum;
mod file_content;
mod file_info;
mod file_system;
mod kernel;
mod local_time;
mod memory;
pub(crate) mod modbus;
mod network_interface;
mod os;
mod process;
mod socket;
mod swap;
mod uptime;
mod users;
pub(crate) mod web_page;

const TABLE: &[&[Key]] = &[
    agent_info::KEYS,
    block_device::KEYS,
    cpu::KEYS,
    cpu_util::KEYS,
    directory::KEYS,
    file_checksum::KEYS,
    file_content::KEYS,
    file_info::KEYS,
    file_system::KEYS,
    kernel::KEYS,
    local_time::KEYS,
    memory::KEYS,
    modbus::KEYS,
    network_interface::KEYS,
    os::KEYS,
    process::KEYS,
    socket::KEYS,
    swap::KEYS,
    uptime::KEYS,
    users::KEYS,
    web_page::KEYS,
];

/// How long a key may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Reads a few small files of /proc or /sys: microseconds up to about a millisecond.
    Small,
    /// Touches file systems, walks /proc or asks the user database: may take seconds, or hang for
    /// as long as a dead network file system does. Run it where waiting harms nobody.
    MayBlock,
}

/// One item key that we answer.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// 0 means that even empty brackets are an error, as in Zabbix.
    pub(crate) n_params_max: usize,
    pub(crate) cost: Cost,
    pub(crate) get: fn(&Ask<'_>) -> Outcome,
}

impl Key {
    pub(crate) const fn small(
        name: &'static str,
        n_params_max: usize,
        get: fn(&Ask<'_>) -> Outcome,
    ) -> Self {
        Self { name, n_params_max, cost: Cost::Small, get }
    }

    pub(crate) const fn may_block(
        name: &'static str,
        n_params_max: usize,
        get: fn(&Ask<'_>) -> Outcome,
    ) -> Self {
        Self { name, n_params_max, cost: Cost::MayBlock, get }
    }
}

/// One request, with everything that a collector may use to answer it.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) params: Params<'a>,
    pub(crate) now: model::Now,
    pub(crate) root: &'a Root,
    pub(crate) settings: &'a Settings,
    pub(crate) samples: &'a Mutex<Samples>,
}

pub(crate) fn all() -> impl Iterator<Item = &'static Key> {
    TABLE.iter().copied().flatten()
}

pub(crate) fn find(name: &str) -> Option<&'static Key> {
    all().find(|key| key.name == name)
}

pub(crate) fn answer(key: &Key, ask: &Ask<'_>) -> Outcome {
    match (ask.params.len(), key.n_params_max) {
        (1.., 0) => Err(Refusal::from("Item does not allow parameters.")),
        (n, max) if n > max => Err(Refusal::from("Too many parameters.")),
        _ => (key.get)(ask),
    }
}

/// JSON with members in the order of the struct's fields, which is the order users know.
fn json(value: &impl serde::Serialize) -> Outcome {
    let text = serde_json::to_string(value);
    Ok(text.expect("our own rows have text for keys and finite numbers").into())
}
