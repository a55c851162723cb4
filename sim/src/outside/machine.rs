//! The machine: a disk that fails for a while, and time that passes while somebody waits for it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use disk::MemDisk;
use engine::pause::Pause;
use rt::clock::Clock;

use super::lock;
use crate::random::Random;

/// Waits after which a disk is well again.
const WAITS_MAX: usize = 20;

/// A clone is the same machine.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) disk: MemDisk,
    state: Arc<Mutex<MachineState>>,
}

#[derive(Debug)]
struct MachineState {
    /// Of the process that runs.
    clock: Clock,
    random: Random,
    n_waits: usize,
    n_faults: usize,
    is_power_off: bool,
    /// Waiting tasks have to give up: the process ends.
    is_ending: bool,
    /// Nobody is made to give up.
    is_resting: bool,
}

impl Machine {
    pub(crate) fn new(seed: u64) -> Self {
        let state = MachineState {
            clock: Clock::manual(model::Time(0)),
            random: Random::new(seed),
            n_waits: 0,
            n_faults: 0,
            is_power_off: false,
            is_ending: false,
            is_resting: false,
        };
        Self { disk: MemDisk::new(seed), state: Arc::new(Mutex::new(state)) }
    }

    /// Another process runs, or the same one is started again.
    pub(crate) fn begin(&self, clock: &Clock) {
        self.heal();
        let mut state = lock(&self.state);
        state.clock = clock.clone();
        (state.is_power_off, state.is_ending) = (false, false);
    }

    /// The disk begins to fail in one way or another.
    pub(crate) fn fail(&self) {
        let mut state = lock(&self.state);
        state.n_faults += 1;
        let n = 1 + u32::try_from(state.random.below(3)).expect("small");
        match state.random.below(5) {
            0 => {
                let room = state.random.below(2_000) as u64;
                self.disk.set_capacity(self.disk.used_bytes() + room);
            }
            1 => self.disk.fail_writes(n),
            2 => self.disk.fail_syncs(n),
            3 => self.disk.fail_reads(n),
            _ => {
                state.is_power_off = true;
                self.disk.cut_power_after(state.random.below(12) as u64);
            }
        }
    }

    /// The disk is well, but for one without power.
    pub(crate) fn heal(&self) {
        self.disk.set_capacity(u64::MAX);
        self.disk.fail_writes(0);
        self.disk.fail_syncs(0);
        self.disk.fail_reads(0);
    }

    pub(crate) fn set_resting(&self, is_resting: bool) {
        lock(&self.state).is_resting = is_resting;
    }

    /// Whether the power is about to fail, or has.
    pub(crate) fn is_power_off(&self) -> bool {
        lock(&self.state).is_power_off
    }

    /// Whether waiting tasks have to give up.
    pub(crate) fn is_ending(&self) -> bool {
        lock(&self.state).is_ending
    }

    pub(crate) fn n_faults(&self) -> usize {
        lock(&self.state).n_faults
    }

    pub(crate) fn n_waits(&self) -> usize {
        lock(&self.state).n_waits
    }
}

impl Pause for Machine {
    fn pause(&self, time: Duration) -> bool {
        let (heals, clock, gives_up) = {
            let mut state = lock(&self.state);
            state.n_waits += 1;
            let heals = state.is_resting
                || state.random.once_in(3)
                || state.n_waits.is_multiple_of(WAITS_MAX);
            if !state.is_resting && (state.is_power_off || state.random.once_in(12)) {
                state.is_ending = true;
            }
            (heals, state.clock.clone(), state.is_ending)
        };
        clock.advance(time);
        if heals {
            self.heal();
        }
        gives_up
    }
}
