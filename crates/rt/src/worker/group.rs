//! Gives workers their turns.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::time::Now;
use tracing::{error, info, warn};

use super::{BACKOFF_MAX, BACKOFF_MIN, FAILURES_UNTIL_PUT_ASIDE};
use super::{Next, OnPanic, Roster, Wake, Worker, WorkerFailure, WorkerRow};
use crate::clock::{Clock, nanos};
use crate::health::{Health, Level};
use crate::log::Limit;
use crate::metrics::{Counter, Family, TimeHistogram};
use crate::shutdown::Shutdown;
use crate::task::{Panicked, TaskError, Tasks};

crate::metrics! {
    /// Workers, which follow the configuration, problems, queues and the clock.
    pub struct WorkerMetrics in "saker_worker" {
        /// Time of a turn, in seconds.
        pub turn_seconds: Family<TimeHistogram> = "worker",
        /// Turns that failed, panics included; their work is done by a later turn.
        pub failures_total: Family<Counter> = "worker",
        /// Turns that ended by a panic: each is a bug.
        pub panics_total: Family<Counter> = "worker",
        /// Time from when a turn was due, or its worker was woken, to its beginning, in seconds.
        pub late_seconds: Family<TimeHistogram> = "worker",
        /// Turns because something that the worker waits for has happened, not because of the clock.
        pub wakeups_total: Family<Counter> = "worker",
        /// Rows that were put aside because each turn with them failed.
        pub put_aside_total: Family<Counter> = "worker",
    }
}

/// When a group has to be passed through next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// At once.
    Again,
    /// At this time in monotonic nanoseconds, or when a worker is woken.
    At(u64),
    /// When a worker is woken.
    WhenWoken,
    /// All workers have ended.
    Ended,
}

/// Shared parts of the groups of a process.
#[derive(Clone, Debug)]
pub struct GroupContext {
    pub tasks: Tasks,
    pub clock: Clock,
    pub health: Health,
    pub metrics: WorkerMetrics,
    pub roster: Roster,
}

/// Workers that share a thread.
#[derive(Debug)]
pub struct WorkerGroup {
    /// The thread is given more of them by its handles.
    handle: GroupHandle,
    members: Vec<Member>,
}

/// Adds workers to a group, also while its thread runs. A clone is of the same group.
#[derive(Clone, Debug)]
pub struct GroupHandle {
    name: Arc<str>,
    context: GroupContext,
    /// Stops with the tasks; the thread waits on its condition variable.
    shutdown: Shutdown,
    joining: Arc<Joining>,
}

/// Workers that the thread has not taken over yet.
#[derive(Debug, Default)]
struct Joining {
    members: Mutex<Vec<Member>>,
    /// Another part may add workers: the thread runs without any.
    is_open: AtomicBool,
    are_there: AtomicBool,
}

impl GroupHandle {
    /// Adds a worker, which is built with its wake handle. Its first turn is at once.
    ///
    /// # Panics
    /// For a second worker of one name.
    pub fn add<W: Worker>(&self, row: WorkerRow, make: impl FnOnce(&Wake) -> W) {
        self.join(self.member(row.name, row, make));
    }

    fn member<W: Worker>(
        &self,
        name: &str,
        row: WorkerRow,
        make: impl FnOnce(&Wake) -> W,
    ) -> Member {
        let wake = Wake::new(self.context.clock.clone(), self.shutdown.clone());
        let worker = Box::new(make(&wake));
        self.context.roster.add(name, row, &self.name);
        let metrics = &self.context.metrics;
        Member {
            name: name.into(),
            row,
            worker,
            wake,
            due: Due::At(self.context.clock.mono_ns()),
            n_failures: 0,
            failure: None,
            limit: Limit::new(1, Duration::from_secs(60)),
            turn_seconds: metrics.turn_seconds.of(name),
            failures_total: metrics.failures_total.of(name),
            panics_total: metrics.panics_total.of(name),
            late_seconds: metrics.late_seconds.of(name),
            wakeups_total: metrics.wakeups_total.of(name),
            put_aside_total: metrics.put_aside_total.of(name),
        }
    }

    fn join(&self, member: Member) {
        self.joining.members.lock().unwrap_or_else(PoisonError::into_inner).push(member);
        self.joining.are_there.store(true, Ordering::Release);
        self.shutdown.nudge();
    }

    /// Workers that were added since the last pass.
    fn joined(&self) -> Vec<Member> {
        if !self.joining.are_there.swap(false, Ordering::AcqRel) {
            return Vec::new();
        }
        std::mem::take(&mut *self.joining.members.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl GroupContext {
    /// A worker has ended: it is removed from all figures of workers.
    fn leave(&self, name: &str) {
        self.roster.remove(name);
        self.health.clear(name);
        self.health.clear(&put_aside_part(name));
        let WorkerMetrics {
            turn_seconds,
            failures_total,
            panics_total,
            late_seconds,
            wakeups_total,
            put_aside_total,
        } = &self.metrics;
        for family in [turn_seconds, late_seconds] {
            family.remove(name);
        }
        for family in [failures_total, panics_total, wakeups_total, put_aside_total] {
            family.remove(name);
        }
    }
}

impl WorkerGroup {
    /// `name` is that of the thread.
    #[must_use]
    pub fn new(name: &str, context: &GroupContext) -> Self {
        let handle = GroupHandle {
            name: name.into(),
            context: context.clone(),
            shutdown: context.tasks.shutdown().child(),
            joining: Arc::default(),
        };
        Self { handle, members: Vec::new() }
    }

    /// A handle that adds workers later. With it the thread starts without any, and continues after
    /// the last one has ended.
    #[must_use]
    pub fn handle(&self) -> GroupHandle {
        self.handle.joining.is_open.store(true, Ordering::Relaxed);
        self.handle.clone()
    }

    /// Adds a worker, which is built with its wake handle. Its first turn is at once.
    ///
    /// # Panics
    /// For a second worker of one name.
    pub fn add<W: Worker>(&mut self, row: WorkerRow, make: impl FnOnce(&Wake) -> W) {
        self.add_named(row.name, row, make);
    }

    /// As [`WorkerGroup::add`], for one of several workers of a row, under a name of its own.
    ///
    /// # Panics
    /// For a second worker of one name.
    pub fn add_named<W: Worker>(
        &mut self,
        name: &str,
        row: WorkerRow,
        make: impl FnOnce(&Wake) -> W,
    ) {
        self.members.push(self.handle.member(name, row, make));
    }

    /// Starts the thread. A group without workers has none.
    ///
    /// # Errors
    /// When the operating system refuses the thread. The workers are gone then.
    pub fn start(self) -> Result<(), TaskError> {
        if self.members.is_empty() && !self.handle.joining.is_open.load(Ordering::Relaxed) {
            return Ok(());
        }
        let GroupHandle { name, context, .. } = self.handle.clone();
        let workers: Vec<_> = self.members.iter().map(|it| Arc::clone(&it.name)).collect();
        let started = context.tasks.thread(&name, move || self.run());
        if started.is_err() {
            workers.iter().for_each(|it| context.leave(it));
        }
        started
    }

    fn run(mut self) {
        let handle = self.handle.clone();
        while !handle.shutdown.is_cancelled() {
            let time_max = match self.pass() {
                Pass::Again => continue,
                Pass::At(at) => {
                    Some(Duration::from_nanos(at.saturating_sub(handle.context.clock.mono_ns())))
                }
                Pass::WhenWoken => None,
                Pass::Ended => break,
            };
            let (members, joining) = (&self.members, &handle.joining);
            let is_called = || {
                joining.are_there.load(Ordering::Acquire) || members.iter().any(Member::is_called)
            };
            handle.shutdown.wait_unless(time_max, is_called);
        }
        self.stop();
    }

    /// Gives each worker that is due or woken one turn. For [`WorkerGroup::start`]'s thread and for simulations.
    ///
    /// # Panics
    /// With a worker whose panics stop the server.
    pub fn pass(&mut self) -> Pass {
        self.members.extend(self.handle.joined());
        for index in 0..self.members.len() {
            if !self.handle.shutdown.is_cancelled() {
                self.give_turn(index);
            }
        }
        for ended in self.members.extract_if(.., |it| matches!(it.due, Due::Ended)) {
            self.handle.context.leave(&ended.name);
        }
        let is_open = self.handle.joining.is_open.load(Ordering::Relaxed);
        let mut next = if is_open { Next::WhenWoken } else { Next::Ended };
        for member in &self.members {
            next = next.or(member.next());
        }
        match next {
            Next::More => Pass::Again,
            Next::At(at) => Pass::At(at),
            Next::WhenWoken => Pass::WhenWoken,
            Next::Ended => Pass::Ended,
        }
    }

    /// Lets each worker that has not ended finish and save its state. Once, after the last pass.
    pub fn stop(&mut self) {
        let tasks = &self.handle.context.tasks;
        for member in &mut self.members {
            let stopped = match member.row.on_panic {
                OnPanic::Reload => {
                    tasks.contain_sync(member.row.name, "its end", || member.worker.stop())
                }
                OnPanic::StopServer => Ok(member.worker.stop()),
            };
            match stopped {
                Ok(Ok(())) => {}
                Ok(Err(error)) => warn!(worker = %member.name, %error, "not saved at the end"),
                Err(Panicked) => member.panics_total.inc(),
            }
        }
    }

    fn give_turn(&mut self, index: usize) {
        let member = &mut self.members[index];
        let begun = self.handle.context.clock.now();
        if !member.take_call(begun.mono_ns) {
            return;
        }
        let (name, row, worker) = (&*member.name, member.row, &mut member.worker);
        let former = member.failure;
        let mut turn = move || {
            if let Some(failure) = former {
                worker.reload(failure)?;
            }
            worker.turn(begun)
        };
        let tasks = &self.handle.context.tasks;
        let done = match row.on_panic {
            OnPanic::Reload => tasks.contain_sync(row.name, format_args!("a turn of {name}"), turn),
            OnPanic::StopServer => Ok(turn()),
        };
        let ended = self.handle.context.clock.now();
        member.turn_seconds.observe_ns(ended.mono_ns.saturating_sub(begun.mono_ns));
        match done {
            Ok(Ok(next)) => self.went_well(index, next, ended),
            Ok(Err(error)) => {
                // State after a panic stays untouched until it is reloaded.
                member.failure = Some(former.unwrap_or(WorkerFailure::Error));
                self.failed(index, &error, ended);
            }
            Err(Panicked) => {
                member.failure = Some(WorkerFailure::Panic);
                member.panics_total.inc();
                self.failed(index, &"a bug, which the log describes", ended);
            }
        }
    }

    fn went_well(&mut self, index: usize, next: Next, ended: Now) {
        let member = &mut self.members[index];
        member.due = match next {
            Next::More => Due::At(ended.mono_ns),
            Next::At(at) => Due::At(at),
            Next::WhenWoken => Due::Never,
            Next::Ended => Due::Ended,
        };
        if 0 < member.n_failures {
            (member.n_failures, member.failure) = (0, None);
            self.handle.context.health.clear(&member.name);
            info!(worker = %member.name, "works again");
        }
        self.handle.context.roster.update(&member.name, |it| {
            it.n_turns += 1;
            it.last_turn = Some(ended.wall);
            it.failing = None;
        });
    }

    fn failed(&mut self, index: usize, cause: &dyn Display, ended: Now) {
        let member = &mut self.members[index];
        let (name, row) = (&*member.name, member.row);
        member.failures_total.inc();
        member.n_failures = member.n_failures.saturating_add(1);
        member.due =
            Due::NotBefore(ended.mono_ns.saturating_add(nanos(backoff(member.n_failures))));
        if let Some(n_left_out) = member.limit.admit(ended.mono_ns) {
            warn!(worker = name, %cause, n_left_out, "{}; tried again", row.waits);
        }
        self.handle.context.health.set(name, Level::Degraded, format!("{}: {cause}", row.waits));
        self.handle.context.roster.update(name, |it| {
            it.n_turns += 1;
            it.n_failures += 1;
            it.last_turn = Some(ended.wall);
            let since = it.failing.take().map_or(ended.wall, |it| it.0);
            it.failing = Some((since, cause.to_string()));
        });
        if member.n_failures.is_multiple_of(FAILURES_UNTIL_PUT_ASIDE) {
            self.put_aside(index, cause);
        }
    }

    fn put_aside(&mut self, index: usize, cause: &dyn Display) {
        let member = &mut self.members[index];
        let name = &*member.name;
        let ask = || member.worker.put_aside();
        let context = &self.handle.context;
        let asked = context.tasks.contain_sync(member.row.name, "a row put aside", ask);
        let what = match asked {
            Ok(Some(what)) => what,
            Ok(None) => return,
            Err(Panicked) => return member.panics_total.inc(),
        };
        member.put_aside_total.inc();
        error!(worker = name, what, %cause, "put aside: each turn with it failed");
        let message = format!("put aside, because each turn with it failed: {what}: {cause}");
        context.health.set(&put_aside_part(name), Level::Failing, message);
        context.roster.update(name, |it| it.n_put_aside += 1);
    }
}

/// The part of `/health` of rows that were put aside.
fn put_aside_part(name: &str) -> String {
    format!("{name}-put-aside")
}

/// The pause after so many failures in a row.
fn backoff(n_failures: u32) -> Duration {
    let doubled = BACKOFF_MIN.saturating_mul(1 << (n_failures.clamp(1, 6) - 1));
    doubled.min(BACKOFF_MAX)
}

/// When a worker gets its next turn.
#[derive(Clone, Copy, Debug)]
enum Due {
    /// Then, or when it is woken.
    At(u64),
    /// Then, whether it is woken or not.
    NotBefore(u64),
    /// When it is woken.
    Never,
    Ended,
}

struct Member {
    name: Arc<str>,
    row: WorkerRow,
    worker: Box<dyn AnyWorker>,
    wake: Wake,
    due: Due,
    /// In a row.
    n_failures: u32,
    /// How the last turn failed, if it did.
    failure: Option<WorkerFailure>,
    limit: Limit,
    turn_seconds: TimeHistogram,
    failures_total: Counter,
    panics_total: Counter,
    late_seconds: TimeHistogram,
    wakeups_total: Counter,
    put_aside_total: Counter,
}

impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Member")
            .field("name", &self.name)
            .field("due", &self.due)
            .finish_non_exhaustive()
    }
}

impl Member {
    /// Whether a wake-up causes a turn now.
    fn is_called(&self) -> bool {
        matches!(self.due, Due::At(_) | Due::Never) && self.wake.is_woken()
    }

    fn next(&self) -> Next {
        match self.due {
            Due::At(_) | Due::Never if self.wake.is_woken() => Next::More,
            Due::At(at) | Due::NotBefore(at) => Next::At(at),
            Due::Never => Next::WhenWoken,
            Due::Ended => Next::Ended,
        }
    }

    /// Whether a turn is to be given now. The call counts as answered from here on.
    fn take_call(&mut self, now_ns: u64) -> bool {
        let due_ns = match self.due {
            Due::At(at) | Due::NotBefore(at) if at <= now_ns => Some(at),
            Due::At(_) | Due::Never => None,
            Due::NotBefore(_) | Due::Ended => return false,
        };
        let woken_ns = self.wake.take();
        if due_ns.is_none() && woken_ns.is_some() {
            self.wakeups_total.inc();
        }
        let Some(since_ns) = [due_ns, woken_ns].into_iter().flatten().min() else { return false };
        self.late_seconds.observe_ns(now_ns.saturating_sub(since_ns));
        true
    }
}

/// A worker whose error is a text.
trait AnyWorker: Send {
    fn turn(&mut self, now: Now) -> Result<Next, String>;
    fn reload(&mut self, after: WorkerFailure) -> Result<(), String>;
    fn put_aside(&mut self) -> Option<String>;
    fn stop(&mut self) -> Result<(), String>;
}

impl<W: Worker> AnyWorker for W {
    fn turn(&mut self, now: Now) -> Result<Next, String> {
        Worker::turn(self, now).map_err(|it| it.to_string())
    }

    fn reload(&mut self, after: WorkerFailure) -> Result<(), String> {
        Worker::reload(self, after).map_err(|it| it.to_string())
    }

    fn put_aside(&mut self) -> Option<String> {
        Worker::put_aside(self)
    }

    fn stop(&mut self) -> Result<(), String> {
        Worker::stop(self).map_err(|it| it.to_string())
    }
}
