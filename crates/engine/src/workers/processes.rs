//! Script engines in processes of their own, which can be killed.
//!
//! The program starts itself as another role, which reads frames from its standard input and
//! answers on its standard output; both are one end of a pair of sockets. Requests of a script to
//! the outside are executed here, by the host of the script's caller, within that host's bounds.
//!
//! Invariants:
//!
//! - A process runs one script at a time. One whose script does not come back in time is killed; so
//!   is one that sends an invalid message. Every process is waited for, so that none is left as a
//!   zombie.
//! - No more processes run scripts than there are places; a caller that finds none waits, at most
//!   for the time of its script, and the number of waiting callers is bounded.
//! - Processes that have nothing to do are kept for the next script, a few of them and for a while.

use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rt::clock::{Clock, nanos};
use rt::metrics::{Counter, Gauge};
use script::frames::{FRAME_BYTES_MAX, LENGTH_BYTES};
use script::{Attended, Host, Limits, Script, TIMEOUT, attend, begin, order_run};

use super::outcome::{Outcome, ScriptFailure};

/// The role of a process that runs scripts.
pub const SCRIPT_WORKER_ROLE: &str = "script-worker";
/// A script's engine notices by itself that the time has passed, unless it is in a function that
/// does not look. After this time more its process is killed.
const GRACE: Duration = Duration::from_secs(1);
/// How long a process may take to start, on a very busy machine.
const START_MAX: Duration = Duration::from_secs(10);
/// The longest time of a run beyond that of its script and that of waiting for a place.
pub(super) const AROUND_MAX: Duration = Duration::from_secs(15);
/// The interval between two checks for a stop of the server while a script runs.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Runs after which a process is ended, with whatever its engine has lost.
const RUNS_MAX: u32 = 1_000;
/// A process is ended after this time without a script.
const IDLE_MAX: Duration = Duration::from_secs(60);
/// The most scripts that wait for a place. When it is reached, further ones are refused.
const WAITING_MAX: usize = 1_000;
/// The bytes read from a process at once.
const CHUNK_BYTES: usize = 64 << 10;

rt::metrics! {
    /// Processes that run scripts.
    pub struct ProcessMetrics in "saker_script_process" {
        /// Processes that live.
        pub live: Gauge,
        /// Scripts that wait for a place among them.
        pub waiting: Gauge,
        /// Processes that were started.
        pub started_total: Counter,
        /// Runs of scripts.
        pub runs_total: Counter,
        /// Processes that were killed because their script did not stop in its time.
        pub killed_total: Counter,
        /// Processes that ended by themselves, or from outside, while their script ran.
        pub lost_total: Counter,
        /// Scripts that were not run because no place became free for them.
        pub refused_total: Counter,
        /// Steps of preprocessing that ran in a process because their script is new, or did not
        /// come back before.
        pub steps_total: Counter,
    }
}

/// How many processes there may be.
#[derive(Debug, Clone, Copy)]
pub struct ProcessSettings {
    /// That run scripts at once.
    pub places: usize,
    /// Kept while they have nothing to do.
    pub idle_max: usize,
}

/// The processes; clones share them.
#[derive(Clone)]
pub struct ScriptProcesses(Arc<Shared>);

opaque_debug!(ScriptProcesses);

struct Shared {
    program: PathBuf,
    settings: ProcessSettings,
    clock: Clock,
    metrics: ProcessMetrics,
    state: Mutex<State>,
    /// A place is free.
    freed: Condvar,
}

#[derive(Default)]
struct State {
    n_running: usize,
    n_waiting: usize,
    idle: Vec<Idle>,
}

struct Idle {
    process: Process,
    since_ns: u64,
}

/// Why a process gives no outcome.
enum Lost {
    /// Its script did not stop in time.
    Late,
    /// The server is stopping.
    Stopping,
    /// It ended, or its messages are invalid.
    Ended,
}

impl ScriptProcesses {
    /// Processes of this program, which knows the role [`SCRIPT_WORKER_ROLE`].
    #[must_use]
    pub fn new(
        program: PathBuf,
        settings: ProcessSettings,
        clock: Clock,
        metrics: ProcessMetrics,
    ) -> Self {
        let (state, freed) = (Mutex::default(), Condvar::new());
        Self(Arc::new(Shared { program, settings, clock, metrics, state, freed }))
    }

    /// A runner of scripts, one after the other.
    pub fn runner(&self, limits: &Limits, mut host: Box<dyn Host>) -> ProcessRunner {
        let begin = begin(limits, host.web_driver().is_some());
        ProcessRunner { of: self.clone(), begin, host }
    }

    pub(super) fn metrics(&self) -> &ProcessMetrics {
        &self.0.metrics
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place, at most this long.
    fn place(&self, time: Duration, host: &dyn Host) -> Result<Place<'_>, ScriptFailure> {
        let refused = |why: &str| {
            self.metrics.refused_total.inc();
            Err(ScriptFailure::Environment(format!("the script is not run: {why}")))
        };
        let until_ns = self.clock.mono_ns().saturating_add(nanos(time));
        let mut state = self.lock();
        if self.settings.places <= state.n_running && WAITING_MAX <= state.n_waiting {
            drop(state);
            return refused("too many scripts wait for a process");
        }
        state.n_waiting += 1;
        self.metrics.waiting.add(1.0);
        let is_over = || until_ns <= self.clock.mono_ns() || host.is_stopping();
        while self.settings.places <= state.n_running && !is_over() {
            let woken = self.freed.wait_timeout(state, POLL_INTERVAL);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.n_waiting -= 1;
        self.metrics.waiting.add(-1.0);
        if self.settings.places <= state.n_running {
            drop(state);
            return refused("no process became free in its time");
        }
        state.n_running += 1;
        Ok(Place(self))
    }

    /// A process that waits and may what this one is to; else a new one.
    fn process(&self, begin: &[u8], host: &dyn Host) -> Result<Process, ScriptFailure> {
        let mut state = self.lock();
        let dropped = self.sweep(&mut state);
        let at = state.idle.iter().rposition(|it| it.process.begin == begin);
        let found = at.map(|it| state.idle.remove(it).process);
        drop(state);
        drop(dropped);
        if let Some(process) = found {
            return Ok(process);
        }
        let failed =
            |why: String| ScriptFailure::Environment(format!("no process for scripts: {why}"));
        let mut process = self.start(begin).map_err(|it| failed(it.to_string()))?;
        let until_ns = self.clock.mono_ns().saturating_add(nanos(START_MAX));
        let began = process.send(begin, (&self.clock, until_ns, host));
        let began = began.and_then(|()| process.receive((&self.clock, until_ns, host)));
        began.map_err(|lost| match lost {
            Lost::Late => failed("it does not come up".to_owned()),
            Lost::Stopping => failed("the server is stopping".to_owned()),
            Lost::Ended => failed(process.how_it_ended()),
        })?;
        Ok(process)
    }

    fn start(&self, begin: &[u8]) -> std::io::Result<Process> {
        let (stream, other) = UnixStream::pair()?;
        stream.set_read_timeout(Some(POLL_INTERVAL))?;
        stream.set_write_timeout(Some(POLL_INTERVAL))?;
        let input = OwnedFd::from(other);
        let output = input.try_clone()?;
        let child = Command::new(&self.program)
            .arg(SCRIPT_WORKER_ROLE)
            .env_clear()
            .current_dir("/")
            // Signals of the server's terminal must not reach it.
            .process_group(0)
            .stdin(Stdio::from(input))
            .stdout(Stdio::from(output))
            .stderr(Stdio::null())
            .spawn()?;
        self.metrics.started_total.inc();
        self.metrics.live.add(1.0);
        let live = self.metrics.live.clone();
        Ok(Process { child, stream, begin: begin.to_vec(), n_runs: 0, live })
    }

    fn keep(&self, process: Process) {
        if RUNS_MAX <= process.n_runs {
            return;
        }
        let since_ns = self.clock.mono_ns();
        let mut state = self.lock();
        let mut dropped = self.sweep(&mut state);
        state.idle.push(Idle { process, since_ns });
        if self.settings.idle_max < state.idle.len() {
            // The one that waits longest.
            dropped.push(state.idle.remove(0));
        }
        // Ended without the lock.
        drop(state);
        drop(dropped);
    }

    fn sweep(&self, state: &mut State) -> Vec<Idle> {
        let now_ns = self.clock.mono_ns();
        let is_old = |it: &mut Idle| nanos(IDLE_MAX) <= now_ns.saturating_sub(it.since_ns);
        state.idle.extract_if(.., is_old).collect()
    }
}

/// A place among those that run scripts.
struct Place<'a>(&'a Shared);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.lock().n_running -= 1;
        self.0.freed.notify_one();
    }
}

/// Runs scripts in processes, for one thread.
pub struct ProcessRunner {
    of: ScriptProcesses,
    begin: Vec<u8>,
    host: Box<dyn Host>,
}

opaque_debug!(ProcessRunner);

impl ProcessRunner {
    /// The outcome of a script over a value, within this time.
    ///
    /// # Errors
    /// Why there is none.
    pub fn run(&mut self, script: &Script, value: &str, time: Duration) -> Outcome {
        let shared = Arc::clone(&self.of.0);
        let order = order_run(script, value, time).map_err(ScriptFailure::Execute)?;
        let place = shared.place(time, &*self.host)?;
        let mut process = shared.process(&self.begin, &*self.host)?;
        shared.metrics.runs_total.inc();
        let mut sessions = Vec::new();
        let outcome = self.converse(&mut process, (&order, time), &mut sessions);
        // Its process cannot close them any more.
        if let Some(driver) = self.host.web_driver().filter(|_| !sessions.is_empty()) {
            driver.close(sessions);
        }
        let outcome = match outcome {
            Ok(outcome) => {
                shared.keep(process);
                outcome
            }
            Err(Lost::Late) => {
                shared.metrics.killed_total.inc();
                Err(ScriptFailure::Execute(format!(
                    "{TIMEOUT}: the script did not stop by itself, its process was ended"
                )))
            }
            Err(Lost::Stopping) => Err(ScriptFailure::Execute(TIMEOUT.to_owned())),
            Err(Lost::Ended) => {
                shared.metrics.lost_total.inc();
                Err(ScriptFailure::Execute(format!(
                    "the process that ran the script has ended ({})",
                    process.how_it_ended()
                )))
            }
        };
        drop(place);
        outcome
    }

    fn converse(
        &mut self,
        process: &mut Process,
        (order, time): (&[u8], Duration),
        sessions: &mut Vec<String>,
    ) -> Result<Outcome, Lost> {
        let clock = &self.of.0.clock;
        let mut until_ns = clock.mono_ns().saturating_add(nanos(time.saturating_add(GRACE)));
        process.n_runs += 1;
        process.send(order, (clock, until_ns, &*self.host))?;
        loop {
            let frame = process.receive((clock, until_ns, &*self.host))?;
            let attended = attend(&frame, &mut *self.host, sessions);
            match attended.map_err(|_malformed| Lost::Ended)? {
                Attended::Answer(answer) => {
                    // Closing browsers is waited for beyond the time.
                    until_ns = until_ns.max(clock.mono_ns().saturating_add(nanos(POLL_INTERVAL)));
                    process.send(&answer, (clock, until_ns, &*self.host))?;
                }
                // One that does nothing but write messages is late as well.
                Attended::Noted => look((clock, until_ns, &*self.host))?,
                Attended::Ended(outcome) => return Ok(outcome.map_err(ScriptFailure::from)),
            }
        }
    }
}

struct Process {
    child: Child,
    stream: UnixStream,
    /// The frame that it began with.
    begin: Vec<u8>,
    n_runs: u32,
    live: Gauge,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("id", &self.child.id()).finish_non_exhaustive()
    }
}

/// Until when something is waited for, and what says that the server is stopping.
type Until<'a> = (&'a Clock, u64, &'a dyn Host);

fn look((clock, until_ns, host): Until<'_>) -> Result<(), Lost> {
    if host.is_stopping() {
        return Err(Lost::Stopping);
    }
    if until_ns <= clock.mono_ns() { Err(Lost::Late) } else { Ok(()) }
}

/// Nothing could be sent or received for a while.
fn is_patience(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

impl Process {
    fn send(&mut self, frame: &[u8], until: Until<'_>) -> Result<(), Lost> {
        let length = u32::try_from(frame.len()).map_err(|_long| Lost::Ended)?.to_le_bytes();
        for mut rest in [&length[..], frame] {
            while !rest.is_empty() {
                match self.stream.write(rest) {
                    Ok(n) => rest = rest.get(n..).unwrap_or_default(),
                    Err(error) if is_patience(error.kind()) => look(until)?,
                    Err(_) => return Err(Lost::Ended),
                }
            }
        }
        Ok(())
    }

    fn receive(&mut self, until: Until<'_>) -> Result<Vec<u8>, Lost> {
        let head = self.read(LENGTH_BYTES, until)?;
        let head: [u8; LENGTH_BYTES] = head.try_into().map_err(|_length| Lost::Ended)?;
        let n = usize::try_from(u32::from_le_bytes(head)).unwrap_or(usize::MAX);
        if FRAME_BYTES_MAX < n {
            return Err(Lost::Ended);
        }
        self.read(n, until)
    }

    /// So many bytes. Memory is taken as they come, not as they are announced.
    fn read(&mut self, n: usize, until: Until<'_>) -> Result<Vec<u8>, Lost> {
        let (mut read, mut done) = (Vec::new(), 0);
        while done < n {
            read.resize(n.min(done + CHUNK_BYTES), 0);
            match self.stream.read(read.get_mut(done..).unwrap_or_default()) {
                Ok(0) => return Err(Lost::Ended),
                Ok(n_read) => done += n_read,
                Err(error) if is_patience(error.kind()) => look(until)?,
                Err(_) => return Err(Lost::Ended),
            }
            read.truncate(done);
        }
        Ok(read)
    }

    fn how_it_ended(&mut self) -> String {
        // One that only closed its end, or speaks nonsense, is ended now.
        self.child.kill().ok();
        match self.child.wait() {
            Ok(status) => match status.signal() {
                Some(signal) => format!("signal {signal}"),
                None => format!("exit code {}", status.code().unwrap_or_default()),
            },
            Err(error) => error.to_string(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // In any state. Both fail only if it has been waited for already.
        self.child.kill().ok();
        self.child.wait().ok();
        self.live.add(-1.0);
    }
}
