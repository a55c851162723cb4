//! The tasks and threads of a process: each with a name, a parent and a request to stop.
//!
//! A [`Tasks`] is one node of a tree: the process, below it its parts. Every task of a node is
//! listed there until it ends, and a node knows the nodes below it. Stopping is `shutdown` from
//! above, then `join` from above with a deadline, which returns the names of tasks that are still
//! running. A task of a connection costs one entry in one list.
//!
//! There are two kinds of them, with one policy for each. A part that the process depends on
//! ([`Tasks::spawn`], [`Tasks::thread`]) reports its panic to the caller that awaits
//! [`Tasks::next_failure`]: the supervisor decides whether to start the part again or to stop. A
//! task that serves one peer or makes one check ([`Tasks::spawn_contained`], [`Tasks::contain`],
//! [`Tasks::contain_sync`]) ends alone: its panic is counted by kind and logged with its owner, and
//! has no other effect, because input of a peer must not end the process. Nothing is restarted
//! here: work that has to go on after a panic is a worker
//! ([`crate::worker`]).

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;
use std::{io, thread};

use thiserror::Error;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tracing::error;

use crate::clock::Clock;
use crate::log::Limit;
use crate::metrics::{Counter, Family, Gauge, Registry};
use crate::shutdown::Shutdown;

mod contain;

use contain::Catching;
pub use contain::Panicked;

/// Failures that wait for a supervisor; with more, the oldest are let go (they are in the log).
const FAILURES_MAX: usize = 64;
/// Contained panics that are logged in a minute; all are counted.
const CONTAINED_LOGGED_MAX: u64 = 20;

crate::metrics! {
    /// Tasks of this process.
    pub(crate) struct TaskMetrics in "saker_runtime", formerly "rt" {
        /// Tasks and threads that run now.
        pub(crate) tasks_running: Gauge,
        /// Tasks and threads that were ended by a panic and that the process cannot do without: each is a bug.
        pub(crate) task_panics_total: Counter,
        /// Panics that ended one connection, one check or one piece of work and nothing else, by kind: each is a bug.
        pub(crate) contained_panics_total: Family<Counter> = "kind",
    }
}

/// A task or thread ended by a panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Path from the root, as in `server/collect/trapper`.
    pub task: String,
    pub message: String,
}

#[derive(Debug, Error)]
pub enum TaskError {
    #[error("cannot start thread {name}: {source}")]
    StartThread { name: String, source: io::Error },
    #[error("cannot start the async runtime: {0}")]
    StartRuntime(io::Error),
    #[error("still running after {deadline:?}: {}", names.join(", "))]
    StillRunning { deadline: Duration, names: Vec<String> },
}

/// The async runtime of a process, with all of tokio's drivers.
///
/// # Errors
/// When the operating system refuses threads or descriptors.
pub fn runtime(n_threads: usize) -> Result<tokio::runtime::Runtime, TaskError> {
    runtime_named("saker-io", n_threads)
}

/// As [`runtime`], with the name of its threads.
///
/// # Errors
/// As there.
pub(crate) fn runtime_named(
    name: &str,
    n_threads: usize,
) -> Result<tokio::runtime::Runtime, TaskError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(n_threads.max(1))
        .thread_name(name)
        .enable_all()
        .build()
        .map_err(TaskError::StartRuntime)
}

/// One node of the tree of running tasks and threads; a clone is the same node.
#[derive(Clone, Debug)]
pub struct Tasks(Arc<Node>);

#[derive(Debug)]
struct Node {
    path: String,
    shutdown: Shutdown,
    /// Running tasks of this node, by the order of starts in the whole tree.
    running: Mutex<BTreeMap<u64, RunningTask>>,
    /// The last of them has ended.
    all_ended: Notify,
    /// The nodes below.
    children: Mutex<Vec<Weak<Node>>>,
    root: Arc<Root>,
}

#[derive(Debug)]
struct RunningTask {
    name: Box<str>,
    /// None for threads and blocking work, which cannot be ended from outside.
    abort: Option<AbortHandle>,
}

#[derive(Debug)]
struct Root {
    next_key: AtomicU64,
    metrics: TaskMetrics,
    failures: Mutex<VecDeque<Failure>>,
    failed: Notify,
    /// Of log lines about contained panics: a peer may cause them at will.
    contained: Limit,
    clock: Clock,
}

impl Tasks {
    /// The root of a process; its name starts every path.
    #[must_use]
    pub fn new(name: &str, registry: &Registry) -> Self {
        let root = Root {
            next_key: AtomicU64::new(0),
            metrics: TaskMetrics::register(registry),
            failures: Mutex::default(),
            failed: Notify::new(),
            contained: Limit::new(CONTAINED_LOGGED_MAX, Duration::from_secs(60)),
            clock: Clock::real(),
        };
        Self::node(name.to_owned(), Shutdown::new(), Arc::new(root))
    }

    /// A node below this one, that stops with it or alone.
    #[must_use]
    pub fn group(&self, name: &str) -> Self {
        let path = format!("{}/{name}", self.0.path);
        let child = Self::node(path, self.0.shutdown.child(), Arc::clone(&self.0.root));
        let mut children = self.0.children.lock().unwrap_or_else(PoisonError::into_inner);
        // Whatever runs in a node keeps it.
        children.retain(|it| 0 < it.strong_count());
        children.push(Arc::downgrade(&child.0));
        child
    }

    fn node(path: String, shutdown: Shutdown, root: Arc<Root>) -> Self {
        let (running, children, all_ended) = (Mutex::default(), Mutex::default(), Notify::new());
        Self(Arc::new(Node { path, shutdown, running, all_ended, children, root }))
    }

    /// The request to stop of this node; tasks take it along as an argument.
    #[must_use]
    pub fn shutdown(&self) -> &Shutdown {
        &self.0.shutdown
    }

    /// Starts a task on the runtime of the caller. It is asked to stop by [`Tasks::shutdown`], and
    /// dropped at its next await if it still runs at the deadline of [`Tasks::join`].
    ///
    /// # Panics
    /// Outside a runtime.
    pub fn spawn<F>(&self, name: &str, future: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.spawn_on(&Handle::current(), name, future);
    }

    fn spawn_on<F>(&self, runtime: &Handle, name: &str, future: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listed = self.enlist(name);
        let (key, future) =
            (listed.key, Catching(Box::pin(future) as Pin<Box<dyn Future<Output = ()> + Send>>));
        let caught = Caught { future, listed };
        let handle = runtime.spawn(caught);
        self.set_abort(key, handle.abort_handle());
    }

    /// As [`Tasks::spawn`], for a task that serves one peer: `whose` is its address, or another
    /// name that identifies it. A panic ends it alone: see the module.
    ///
    /// # Panics
    /// Outside a runtime.
    pub fn spawn_contained<F>(
        &self,
        kind: &'static str,
        whose: impl Display + Send + 'static,
        future: F,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        self.spawn_contained_on(&Handle::current(), kind, whose, future);
    }

    /// As [`Tasks::spawn_contained`], on that runtime.
    pub fn spawn_contained_on<F>(
        &self,
        runtime: &Handle,
        kind: &'static str,
        whose: impl Display + Send + 'static,
        future: F,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let tasks = self.clone();
        // A panic while the future is dropped is for the outer barrier.
        self.spawn_on(runtime, kind, async move {
            let ended = tasks.contain(kind, whose, future).await;
            // Counted and logged already.
            drop(ended);
        });
    }

    /// Runs a part of a task that serves one peer or makes one check. See the module.
    ///
    /// # Errors
    /// If it panicked.
    pub async fn contain<F: Future>(
        &self,
        kind: &'static str,
        whose: impl Display,
        future: F,
    ) -> Result<F::Output, Panicked> {
        let caught = Catching(Box::pin(future)).await;
        caught.map_err(|panic| self.0.root.contained(kind, &whose, &*panic))
    }

    /// As [`Tasks::contain`], for work that does not wait.
    ///
    /// # Errors
    /// If it panicked.
    pub fn contain_sync<T>(
        &self,
        kind: &'static str,
        whose: impl Display,
        work: impl FnOnce() -> T,
    ) -> Result<T, Panicked> {
        // After a panic, nothing of `work` is used but state that its owner restores.
        let caught = catch_unwind(AssertUnwindSafe(work));
        caught.map_err(|panic| self.0.root.contained(kind, &whose, &*panic))
    }

    /// Runs a piece of work that computes for longer than an async thread may on the runtime's
    /// blocking pool, and returns its result. If it panics, so does the caller. Dropping the future
    /// does not end the work.
    ///
    /// # Panics
    /// With the work, and outside a runtime.
    pub async fn offload<T, F>(&self, name: &str, work: F) -> T
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        let listed = self.enlist(name);
        let done = tokio::task::spawn_blocking(move || {
            let done = catch_unwind(AssertUnwindSafe(work));
            drop(listed);
            done
        });
        // The pool takes work as long as the runtime lives, and the caller runs on that runtime.
        match done.await.expect("work in the pool is not aborted") {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Runs a short blocking piece of work on the runtime's pool for that.
    pub fn spawn_blocking<F>(&self, name: &str, work: F)
    where
        F: FnOnce() + Send + 'static,
    {
        let listed = self.enlist(name);
        drop(tokio::task::spawn_blocking(move || listed.run(work)));
    }

    /// Starts an OS thread for work that computes or blocks as long as the process lives.
    ///
    /// # Errors
    /// When the operating system refuses the thread.
    pub fn thread<F>(&self, name: &str, work: F) -> Result<(), TaskError>
    where
        F: FnOnce() + Send + 'static,
    {
        let listed = self.enlist(name);
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || listed.run(work))
            .map(drop)
            .map_err(|source| TaskError::StartThread { name: name.to_owned(), source })
    }

    /// The oldest panic that nobody has taken yet, waiting for one if need be. Cancel-safe.
    pub async fn next_failure(&self) -> Failure {
        loop {
            let failed = self.0.root.failed.notified();
            if let Some(failure) = self.0.root.take_failure() {
                return failure;
            }
            failed.await;
        }
    }

    /// Names of everything that runs in this node and below, as paths, by the order of their starts.
    #[must_use]
    pub fn running(&self) -> Vec<String> {
        let mut paths = BTreeMap::new();
        for node in self.with_all_below() {
            let running = node.lock();
            paths.extend(running.iter().map(|(key, it)| (*key, node.path_of(&it.name))));
        }
        paths.into_values().collect()
    }

    /// Waits until everything in this node and below has ended. It does not ask for it: cancel
    /// [`Tasks::shutdown`] first.
    ///
    /// # Errors
    /// [`TaskError::StillRunning`] at the deadline; tasks among those named are aborted then.
    pub async fn join(&self, deadline: Duration) -> Result<(), TaskError> {
        if tokio::time::timeout(deadline, self.all_ended()).await.is_ok() {
            return Ok(());
        }
        let names = self.running();
        for node in self.with_all_below() {
            for abort in node.lock().values().filter_map(|it| it.abort.as_ref()) {
                abort.abort();
            }
        }
        Err(TaskError::StillRunning { deadline, names })
    }

    /// A task that ends may have started another one in a node that was checked before: the last
    /// pass finds none anywhere.
    async fn all_ended(&self) {
        let mut has_waited = true;
        while has_waited {
            has_waited = false;
            for node in self.with_all_below() {
                has_waited |= node.ended().await;
            }
        }
    }

    /// Waits until nothing runs in this node itself. Whether there was anything.
    async fn ended(&self) -> bool {
        let mut has_waited = false;
        loop {
            let mut ended = pin!(self.0.all_ended.notified());
            // Listed before looking, so that no end falls between looking and waiting.
            ended.as_mut().enable();
            if self.lock().is_empty() {
                return has_waited;
            }
            has_waited = true;
            ended.await;
        }
    }

    /// This node and all below it.
    fn with_all_below(&self) -> Vec<Self> {
        let mut nodes = vec![self.clone()];
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            let children = node.0.children.lock().unwrap_or_else(PoisonError::into_inner);
            let below: Vec<_> = children.iter().filter_map(Weak::upgrade).map(Self).collect();
            drop(children);
            nodes.extend(below);
            at += 1;
        }
        nodes
    }

    fn path_of(&self, name: &str) -> String {
        format!("{}/{name}", self.0.path)
    }

    fn enlist(&self, name: &str) -> Listed {
        let key = self.0.root.next_key.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(key, RunningTask { name: name.into(), abort: None });
        self.0.root.metrics.tasks_running.add(1.0);
        Listed { node: self.clone(), key }
    }

    fn set_abort(&self, key: u64, abort: AbortHandle) {
        // It may have ended meanwhile.
        if let Some(entry) = self.lock().get_mut(&key) {
            entry.abort = Some(abort);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, RunningTask>> {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Root {
    fn take_failure(&self) -> Option<Failure> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    fn contained(
        &self,
        kind: &'static str,
        whose: &dyn Display,
        panic: &(dyn Any + Send),
    ) -> Panicked {
        let message = message_of(panic);
        self.metrics.contained_panics_total.of(kind).inc();
        if let Some(n_left_out) = self.contained.admit(self.clock.mono_ns()) {
            error!(kind, %whose, message, n_left_out, "ended by a panic; all other work continues");
        }
        Panicked
    }

    fn report(&self, failure: Failure) {
        error!(task = %failure.task, message = %failure.message, "a task ended by a panic");
        self.metrics.task_panics_total.inc();
        {
            let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
            if failures.len() == FAILURES_MAX {
                failures.pop_front();
            }
            failures.push_back(failure);
        }
        self.failed.notify_one();
    }
}

/// The entry of something that runs; dropping it takes it from the list.
struct Listed {
    node: Tasks,
    key: u64,
}

impl Listed {
    fn run(self, work: impl FnOnce()) {
        // Nothing of `work` is used after a panic.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            self.report(&*panic);
        }
    }

    fn report(&self, panic: &(dyn Any + Send)) {
        let name = self.node.lock().get(&self.key).map(|it| it.name.clone()).unwrap_or_default();
        let task = self.node.path_of(&name);
        self.node.0.root.report(Failure { task, message: message_of(panic) });
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.node.0.root.metrics.tasks_running.add(-1.0);
        let is_last = {
            let mut running = self.node.lock();
            running.remove(&self.key);
            running.is_empty()
        };
        if is_last {
            self.node.0.all_ended.notify_waiters();
        }
    }
}

/// The message of a panic.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|it| (*it).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic without a text".to_owned())
}

/// A future whose panic is reported instead of thrown.
struct Caught {
    future: Catching<Pin<Box<dyn Future<Output = ()> + Send>>>,
    listed: Listed,
}

impl Future for Caught {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.future).poll(cx).map(|ended| {
            if let Err(panic) = ended {
                self.listed.report(&*panic);
            }
        })
    }
}

#[cfg(test)]
mod tests;
