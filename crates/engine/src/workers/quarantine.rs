//! Which scripts of preprocessing may have a thread of the server, and which run in a process that can be killed.
//!
//! A thread is quicker: nothing goes through a pipe. But nothing ends a thread whose script is in a function of the
//! engine that does not look at the clock. So a script, by its text, gets a thread only once it has been quick in a
//! process some times, and loses that right for good when its thread does not come back: its next runs are in
//! processes, and it gets a thread again only after the same proof if it was merely slow.
//!
//! Threads that do not come back are counted. With [`LOST_MAX`] of them all scripts run in processes; they are counted off
//! when they come back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::map::Map;
use rt::clock::{Clock, nanos};

/// A run that is as quick counts as proof.
const QUICK: Duration = Duration::from_millis(10);
/// Quick runs until a script gets threads.
const PROOFS: u8 = 3;
/// Of a script that did not give a thread back.
const NEVER: u8 = u8::MAX;
/// The most threads that may be lost at once. When it is reached, all scripts run in processes.
pub(super) const LOST_MAX: usize = 16;
/// Scripts whose proofs are known; then all are forgotten, and prove themselves again. One takes 16 bytes.
const KNOWN_MAX: usize = 100_000;

/// Shared by all workers.
#[derive(Clone)]
pub struct Quarantine(Arc<Shared>);

opaque_debug!(Quarantine);

struct Shared {
    clock: Clock,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    /// Scripts that have a thread now.
    running: Vec<Running>,
    /// How often each was quick, by the hash of its text.
    proofs: Map<u64, u8>,
}

struct Running {
    ticket: u64,
    script: u64,
    /// Then its thread is lost.
    until_ns: u64,
}

/// Where a script runs.
#[derive(Debug)]
pub(super) enum Where {
    Thread(Ticket),
    Process,
}

/// A script has a thread as long as this is there.
pub(super) struct Ticket {
    of: Quarantine,
    number: u64,
    script: u64,
}

opaque_debug!(Ticket);

impl Quarantine {
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self(Arc::new(Shared { clock, state: Mutex::default() }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where this script runs now, by the hash of its text. One that does not come back within `time` has lost its thread.
    pub(super) fn admit(&self, script: u64, time: Duration) -> Where {
        let now_ns = self.0.clock.mono_ns();
        let mut state = self.lock();
        let n_lost = state.note_lost(now_ns);
        let is_proven = state.proofs.get(&script).is_some_and(|it| (PROOFS..NEVER).contains(it));
        if !is_proven || LOST_MAX <= n_lost {
            return Where::Process;
        }
        Where::Thread(self.ticket(&mut state, script, (now_ns, time)))
    }

    /// A thread for this script where there are no processes, however little is known of it.
    ///
    /// # Errors
    /// Why it must not have one.
    pub(super) fn admit_to_thread(
        &self,
        script: u64,
        time: Duration,
    ) -> Result<Ticket, &'static str> {
        let now_ns = self.0.clock.mono_ns();
        let mut state = self.lock();
        let n_lost = state.note_lost(now_ns);
        if state.proofs.get(&script) == Some(&NEVER) {
            return Err("the script is not run: a former run of it does not end");
        }
        if LOST_MAX <= n_lost {
            return Err("the script is not run: too many scripts do not end");
        }
        Ok(self.ticket(&mut state, script, (now_ns, time)))
    }

    fn ticket(&self, state: &mut State, script: u64, (now_ns, time): (u64, Duration)) -> Ticket {
        state.next += 1;
        let until_ns = now_ns.saturating_add(nanos(time));
        state.running.push(Running { ticket: state.next, script, until_ns });
        Ticket { of: self.clone(), number: state.next, script }
    }

    /// A script took so long in a process.
    pub(super) fn prove(&self, script: u64, spent_ns: u64) {
        let mut state = self.lock();
        if KNOWN_MAX <= state.proofs.len() {
            state.proofs.clear();
        }
        let known = state.proofs.entry(script).or_default();
        if *known != NEVER {
            *known = if spent_ns < nanos(QUICK) { PROOFS.min(*known + 1) } else { 0 };
        }
    }

    pub(super) fn now_ns(&self) -> u64 {
        self.0.clock.mono_ns()
    }

    /// Threads that are lost now.
    #[cfg(test)]
    fn n_lost(&self) -> usize {
        self.lock().note_lost(self.0.clock.mono_ns())
    }
}

impl State {
    /// Scripts whose threads are lost get no other; how many threads these are.
    fn note_lost(&mut self, now_ns: u64) -> usize {
        let Self { running, proofs, .. } = self;
        let lost = running.iter().filter(|it| it.until_ns <= now_ns);
        lost.inspect(|it| {
            proofs.insert(it.script, NEVER);
        })
        .count()
    }
}

impl Ticket {
    /// The script was cut because its time had passed: it has to prove itself again.
    pub(super) fn cut(&self) {
        self.of.prove(self.script, u64::MAX);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = self.of.lock();
        state.note_lost(self.of.0.clock.mono_ns());
        state.running.retain(|it| it.ticket != self.number);
    }
}

#[cfg(test)]
mod tests {
    use model::Time;

    use super::*;

    const TIME: Duration = Duration::from_secs(10);

    fn quarantine() -> (Quarantine, Clock) {
        let clock = Clock::manual(Time::from_clock(1_790_000_000, 0));
        (Quarantine::new(clock.clone()), clock)
    }

    fn proven(of: &Quarantine, script: u64) -> Ticket {
        for _ in 0..PROOFS {
            assert!(matches!(of.admit(script, TIME), Where::Process), "it is new");
            of.prove(script, 1_000);
        }
        match of.admit(script, TIME) {
            Where::Thread(ticket) => ticket,
            Where::Process => panic!("it has proven itself"),
        }
    }

    #[test]
    fn a_script_gets_a_thread_once_it_was_quick() {
        let (of, _) = quarantine();
        drop(proven(&of, 1));
        assert!(matches!(of.admit(1, TIME), Where::Thread(_)));
        assert!(matches!(of.admit(2, TIME), Where::Process));
        for _ in 0..9 {
            of.prove(2, nanos(QUICK));
        }
        assert!(matches!(of.admit(2, TIME), Where::Process), "it is slow");
    }

    #[test]
    fn a_script_whose_thread_is_lost_gets_no_other() {
        let (of, clock) = quarantine();
        let ticket = proven(&of, 1);
        assert!(matches!(of.admit(1, TIME), Where::Thread(_)), "it is not late yet");
        clock.advance(TIME);
        assert!(matches!(of.admit(1, TIME), Where::Process));
        assert_eq!(of.n_lost(), 1);
        of.prove(1, 0);
        // Its thread comes back; the script stays where it can be killed.
        drop(ticket);
        assert_eq!(of.n_lost(), 0);
        for _ in 0..9 {
            of.prove(1, 0);
        }
        assert!(matches!(of.admit(1, TIME), Where::Process));
        assert!(of.admit_to_thread(1, TIME).is_err());
        drop(proven(&of, 2));
    }

    #[test]
    fn a_script_that_came_back_late_counts_as_lost_too() {
        let (of, clock) = quarantine();
        let ticket = proven(&of, 1);
        clock.advance(TIME);
        // Nobody asked meanwhile.
        drop(ticket);
        assert!(matches!(of.admit(1, TIME), Where::Process));
    }

    #[test]
    fn a_script_that_was_cut_proves_itself_again() {
        let (of, _) = quarantine();
        let ticket = proven(&of, 1);
        ticket.cut();
        drop(ticket);
        drop(proven(&of, 1));
    }

    #[test]
    fn with_many_threads_lost_all_scripts_run_in_processes() {
        let (of, clock) = quarantine();
        let n = u64::try_from(LOST_MAX).expect("a few");
        let mut tickets: Vec<_> = (0..n).map(|it| proven(&of, it)).collect();
        drop(proven(&of, 100));
        clock.advance(TIME);
        assert!(matches!(of.admit(100, TIME), Where::Process));
        assert!(of.admit_to_thread(101, TIME).is_err());
        tickets.pop();
        assert!(matches!(of.admit(100, TIME), Where::Thread(_)));
        assert!(of.admit_to_thread(101, TIME).is_ok());
    }

    #[test]
    fn known_scripts_are_bounded() {
        let (of, _) = quarantine();
        for script in 0..u64::try_from(KNOWN_MAX).expect("a few") + 10 {
            of.prove(script, 0);
        }
        assert!(of.lock().proofs.len() <= KNOWN_MAX);
    }
}
