//! The definition of a key, and the tools that its collector has. Parameter counts are checked
//! here, so that every key words its refusals alike.

use std::sync::Mutex;

use crate::memory::Room;
use crate::outcome::{Outcome, Refusal};
use crate::params::Params;
use crate::root::Root;
use crate::samples::Samples;
use crate::settings::AgentSettings;

/// How long a key may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Reads a few small files of /proc or /sys: microseconds up to about a millisecond.
    Small,
    /// Touches file systems, walks /proc or queries the user database: it may take seconds, or hang
    /// for as long as a dead network file system does. Run it where waiting is harmless.
    MayBlock,
}

/// An item key of the agent.
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

    pub(crate) fn answer(&self, ask: &Ask<'_>) -> Outcome {
        match (ask.params.len(), self.n_params_max) {
            (1.., 0) => Err(Refusal::from("Item does not allow parameters.")),
            (n, max) if n > max => Err(Refusal::from("Too many parameters.")),
            _ => (self.get)(ask),
        }
    }
}

/// One request, with everything that a collector may use to answer it.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) params: Params<'a>,
    pub(crate) now: model::Now,
    pub(crate) root: &'a Root,
    pub(crate) settings: &'a AgentSettings,
    pub(crate) samples: &'a Mutex<Samples>,
    /// Time-out of network requests.
    pub(crate) time: std::time::Duration,
    /// Memory for large values.
    pub(crate) room: &'a Room,
}
