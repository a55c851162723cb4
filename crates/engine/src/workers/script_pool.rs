//! Scripts of items, run by threads with an engine each, which take them from one queue.
//!
//! As long as scripts are quick, no more threads are awake than the machine has cores: one that has finished a
//! script takes the next, and nobody has to be woken for it. A thread whose script takes longer than
//! [`PATIENCE`], because it computes or waits for a server, is *held* and does not count: another one takes its
//! place, up to the pool's maximum. So a few long scripts leave the others the rest.
//!
//! Invariants:
//!
//! - A thread keeps its engine from one script to the next, or takes one of those in processes
//!   ([`super::processes`]); scripts are isolated by the engine ([`script::Engine`]).
//! - A caller gets an answer even if the script's thread does not return: then the thread is given
//!   up at the lowest priority, as a worker's ([`super`]), and only so many of them may run.
//! - The queue is bounded; with more, scripts are refused.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use model::map::Map;
use rt::clock::{Clock, nanos};
use rt::priority::ThreadId;
use rt::shutdown::Shutdown;
use script::{Script, TIMEOUT};
use tokio::sync::{Notify, oneshot};

use super::isolated::{ScriptIsolation, TOO_MANY_STUCK};
use super::outcome::{Outcome, ScriptFailure};

/// A script that runs longer holds its thread, one that waits longer wants another thread.
const PATIENCE: Duration = Duration::from_millis(5);
/// The interval between two checks for such scripts while there are any.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Checks without a result after which checking ends.
const IDLE_POLLS_MAX: u32 = 100;
/// Scripts that wait; more are refused. The caller bounds items' scripts to the number of threads.
const QUEUE_MAX: usize = 10_000;
/// The most scripts whose texts were searched. When it is reached, all are dropped and searched
/// again.
const KNOWN_MAX: usize = 2_000;

/// Threads that run scripts.
pub struct ScriptPool(Arc<Shared>);

opaque_debug!(ScriptPool);

struct Shared {
    of: ScriptIsolation,
    threads_max: usize,
    awake_max: usize,
    clock: Clock,
    state: Mutex<State>,
    /// There is something to look at.
    watch: Notify,
    /// By their texts.
    known: Mutex<Map<Arc<str>, Script>>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    /// Threads that sleep; the last one that fell asleep is woken first.
    idle: Vec<(u64, Thread)>,
    running: Vec<Running>,
    /// Threads that live and are not given up.
    n_threads: usize,
    /// Threads that did not come back and still run.
    given_up: Vec<u64>,
    next_id: u64,
    is_watched: bool,
    is_stopped: bool,
}

/// A script to be run.
struct Job {
    script: Script,
    value: String,
    time: Duration,
    since_ns: u64,
    answer: oneshot::Sender<Outcome>,
}

/// A script that a thread runs.
struct Running {
    worker: u64,
    thread: ThreadId,
    since_ns: u64,
    /// When its thread is given up.
    until_ns: u64,
    answer: oneshot::Sender<Outcome>,
}

impl ScriptPool {
    /// Threads come with the scripts, at most `threads_max` of them.
    ///
    /// # Panics
    /// Outside a runtime.
    #[must_use]
    pub fn new(of: ScriptIsolation, threads_max: NonZeroUsize, clock: Clock) -> Self {
        let n_cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let shared = Arc::new(Shared {
            threads_max: threads_max.get(),
            awake_max: n_cores.min(threads_max).get(),
            clock,
            state: Mutex::default(),
            watch: Notify::new(),
            known: Mutex::default(),
            of,
        });
        let (watched, shutdown) = (Arc::clone(&shared), shared.of.tasks.shutdown().clone());
        shared.of.tasks.spawn("script pool", async move { watched.watch(&shutdown).await });
        Self(shared)
    }

    /// The result of a script, which may take this long from when it begins.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn run(&self, source: &str, value: String, time: Duration) -> Outcome {
        let (answer, answered) = oneshot::channel();
        let since_ns = self.0.clock.mono_ns();
        let script = self.0.script(source);
        self.0.submit(Job { script, value, time, since_ns, answer })?;
        let ended = || ScriptFailure::Execute("internal error while running the script".to_owned());
        answered.await.map_err(|_ended| ended())?
    }

    /// Threads that live now.
    #[must_use]
    pub fn n_threads(&self) -> usize {
        self.0.lock().n_threads
    }
}

impl Drop for ScriptPool {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl State {
    /// Threads that will take a script soon.
    fn n_awake(&self, now_ns: u64) -> usize {
        let is_held = |it: &&Running| nanos(PATIENCE) <= now_ns.saturating_sub(it.since_ns);
        let n_held = self.running.iter().filter(is_held).count();
        self.n_threads.saturating_sub(self.idle.len()).saturating_sub(n_held)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn script(&self, source: &str) -> Script {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(script) = known.get(source) {
            return script.clone();
        }
        drop(known);
        // Its text is searched: not with the lock.
        let script = Script::new(source);
        known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if KNOWN_MAX <= known.len() {
            known.clear();
        }
        known.insert(Arc::clone(script.source()), script.clone());
        script
    }

    fn submit(self: &Arc<Self>, job: Job) -> Result<(), ScriptFailure> {
        let refused = |why: &str| Err(ScriptFailure::Environment(why.to_owned()));
        let now_ns = job.since_ns;
        let mut state = self.lock();
        if state.is_stopped {
            return refused("the server is stopping");
        }
        if QUEUE_MAX <= state.queue.len() {
            return refused("the script is not run: too many wait");
        }
        if state.n_awake(now_ns) < self.awake_max {
            let woken = self.wake(&mut state);
            if state.n_threads == 0 {
                return woken;
            }
        }
        state.queue.push_back(job);
        let is_watched = std::mem::replace(&mut state.is_watched, true);
        drop(state);
        if !is_watched {
            self.watch.notify_one();
        }
        Ok(())
    }

    /// Has one more thread take scripts, if there may be one.
    fn wake(self: &Arc<Self>, state: &mut State) -> Result<(), ScriptFailure> {
        if let Some((_, thread)) = state.idle.pop() {
            thread.unpark();
            return Ok(());
        }
        if self.threads_max <= state.n_threads {
            return Ok(());
        }
        self.of.admit()?;
        let id = state.next_id;
        state.next_id += 1;
        let shared = Arc::clone(self);
        let begun = self.of.tasks.thread(self.of.name, move || shared.work(id));
        begun.map_err(|it| ScriptFailure::Environment(it.to_string()))?;
        state.n_threads += 1;
        Ok(())
    }

    /// The work of a thread.
    fn work(self: Arc<Self>, id: u64) {
        let left = Left { shared: &self, id };
        let mut runner = self.of.runner();
        let thread = ThreadId::own();
        while let Some((script, value, time)) = self.next(id, thread) {
            if !self.finish(id, runner.run(&script, &value, time)) {
                break;
            }
        }
        drop(left);
    }

    /// The next script, for which it sleeps as long as it takes; `None`: there is none to come.
    fn next(&self, id: u64, thread: ThreadId) -> Option<(Script, String, Duration)> {
        let mut state = self.lock();
        loop {
            if state.is_stopped {
                return None;
            }
            if let Some(Job { script, value, time, answer, .. }) = state.queue.pop_front() {
                let since_ns = self.clock.mono_ns();
                let until_ns = since_ns.saturating_add(nanos(self.of.come_back_within(time)));
                state.running.push(Running { worker: id, thread, since_ns, until_ns, answer });
                return Some((script, value, time));
            }
            state.idle.push((id, thread::current()));
            drop(state);
            loop {
                thread::park();
                state = self.lock();
                if !state.idle.iter().any(|it| it.0 == id) {
                    break;
                }
                drop(state);
            }
        }
    }

    /// Answers for the script that the thread ran. False: it was given up.
    fn finish(&self, id: u64, outcome: Outcome) -> bool {
        let Some(running) = self.lock().take_running(id) else { return false };
        // Nobody waits any more if this took too long.
        drop(running.answer.send(outcome));
        true
    }

    fn stop(&self) {
        let mut state = self.lock();
        state.is_stopped = true;
        // Waiting callers get the error that there will be no answer.
        let waiting = std::mem::take(&mut state.queue);
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        drop(waiting);
        idle.iter().for_each(|(_, thread)| thread.unpark());
    }

    async fn watch(self: Arc<Self>, shutdown: &Shutdown) {
        loop {
            tokio::select! {
                () = self.watch.notified() => {}
                () = shutdown.cancelled() => break,
            }
            let mut n_idle = 0;
            while n_idle < IDLE_POLLS_MAX && !shutdown.is_cancelled() {
                tokio::time::sleep(POLL_INTERVAL).await;
                n_idle = if self.look() { 0 } else { n_idle + 1 };
            }
            let mut state = self.lock();
            state.is_watched = !state.queue.is_empty() || !state.running.is_empty();
            if state.is_watched {
                self.watch.notify_one();
            }
        }
        self.stop();
    }

    /// Wakes another thread if scripts wait too long, and gives up those that do not come back. False: there is
    /// nothing to look at.
    fn look(self: &Arc<Self>) -> bool {
        let now_ns = self.clock.mono_ns();
        let mut state = self.lock();
        if state.queue.is_empty() && state.running.is_empty() {
            return false;
        }
        let is_late = |it: &Job| nanos(PATIENCE) <= now_ns.saturating_sub(it.since_ns);
        let late: Vec<_> = state.running.extract_if(.., |it| it.until_ns <= now_ns).collect();
        state.n_threads = state.n_threads.saturating_sub(late.len());
        state.given_up.extend(late.iter().map(|it| it.worker));
        late.iter().for_each(|it| self.of.give_up(it.thread));
        let mut refused = VecDeque::new();
        if state.queue.front().is_some_and(is_late)
            && self.wake(&mut state).is_err()
            && state.n_threads == 0
        {
            // There is nobody to run them.
            refused = std::mem::take(&mut state.queue);
        }
        drop(state);
        for running in late {
            drop(running.answer.send(Err(ScriptFailure::Execute(TIMEOUT.to_owned()))));
        }
        for job in refused {
            let why = TOO_MANY_STUCK.to_owned();
            drop(job.answer.send(Err(ScriptFailure::Environment(why))));
        }
        true
    }
}

impl State {
    fn take_running(&mut self, worker: u64) -> Option<Running> {
        let at = self.running.iter().position(|it| it.worker == worker)?;
        Some(self.running.swap_remove(at))
    }
}

/// A thread's end, by a panic as well.
struct Left<'a> {
    shared: &'a Shared,
    id: u64,
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if let Some(at) = state.given_up.iter().position(|it| *it == self.id) {
            state.given_up.swap_remove(at);
            drop(state);
            self.shared.of.came_back();
            return;
        }
        state.n_threads = state.n_threads.saturating_sub(1);
        // After a panic: waiting callers get the error that there is no answer.
        let unanswered = state.take_running(self.id);
        drop(state);
        drop(unanswered);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use rt::metrics::Registry;
    use rt::task::Tasks;
    use script::{Host, HostRequest, Limits};
    use tokio::time::timeout;
    use wire::http::Response;

    use super::super::metrics::JobWorkerMetrics;
    use super::*;

    const SOON: Duration = Duration::from_secs(60);
    const TIME: Duration = Duration::from_secs(20);

    /// `Zabbix.sleep` waits until the test says so, whatever the limits are.
    struct Stubborn {
        clock: Clock,
        asleep: Arc<AtomicUsize>,
        wake: Arc<Mutex<mpsc::Receiver<()>>>,
    }

    impl Host for Stubborn {
        fn now_ns(&self) -> u64 {
            self.clock.mono_ns()
        }

        fn sleep(&mut self, _time: Duration) {
            self.asleep.fetch_add(1, Ordering::SeqCst);
            // One message wakes one; at the end of the test all wake.
            let wake = self.wake.lock().unwrap_or_else(PoisonError::into_inner);
            wake.recv().ok();
        }

        fn log(&mut self, _level: i32, _text: &str) {}

        fn exchange(&mut self, _request: &HostRequest<'_>) -> Result<Response, String> {
            Err("nobody is there".to_owned())
        }

        fn sign(&mut self, _key: &[u8], _data: &[u8]) -> Result<Vec<u8>, String> {
            Err("no key".to_owned())
        }
    }

    struct Bench {
        pool: ScriptPool,
        asleep: Arc<AtomicUsize>,
        wake: mpsc::Sender<()>,
        n_stuck: Arc<AtomicUsize>,
        tasks: Tasks,
    }

    fn bench(threads_max: usize) -> Bench {
        let registry = Registry::new();
        let (tasks, asleep) = (Tasks::new("test", &registry), Arc::<AtomicUsize>::default());
        let (wake, woken) = mpsc::channel();
        let (of_hosts, woken) = (Arc::clone(&asleep), Arc::new(Mutex::new(woken)));
        let n_stuck = Arc::<AtomicUsize>::default();
        let isolation = ScriptIsolation {
            name: "script",
            limits: Limits::default(),
            new_host: Arc::new(move |_| {
                let (asleep, wake) = (Arc::clone(&of_hosts), Arc::clone(&woken));
                Box::new(Stubborn { clock: Clock::real(), asleep, wake })
            }),
            metrics: JobWorkerMetrics::register(&registry),
            tasks: tasks.clone(),
            n_stuck: Arc::clone(&n_stuck),
            processes: None,
        };
        let threads_max = NonZeroUsize::new(threads_max).expect("not zero");
        Bench {
            pool: ScriptPool::new(isolation, threads_max, Clock::real()),
            asleep,
            wake,
            n_stuck,
            tasks,
        }
    }

    impl Bench {
        async fn run(&self, source: &str, time: Duration) -> Result<String, String> {
            let outcome = self.pool.run(source, "1".to_owned(), time);
            let outcome = timeout(SOON, outcome).await.expect("an answer");
            outcome.map(Option::unwrap_or_default).map_err(ScriptFailure::into_text)
        }

        async fn until(&self, is_so: impl Fn(&Self) -> bool + Send + Sync) {
            let wait = async {
                while !is_so(self) {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            };
            timeout(SOON, wait).await.expect("it comes so");
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn scripts_that_wait_leave_the_others_a_thread() {
        let bench = bench(64);
        // More than there are cores, which is as many as are awake.
        let n = thread::available_parallelism().expect("a number").get().min(40) + 3;
        let sleeper = || bench.run("Zabbix.sleep(1); return 's' + value", TIME);
        let sleepers = futures_util::future::join_all((0..n).map(|_| sleeper()));
        let others = async {
            bench.until(|it| it.asleep.load(Ordering::SeqCst) == n).await;
            for _ in 0..50 {
                assert_eq!(bench.run("return value", TIME).await, Ok("1".to_owned()));
            }
            assert!(bench.pool.n_threads() <= 64);
            for _ in 0..n {
                bench.wake.send(()).expect("they wait");
            }
        };
        let (slept, ()) = tokio::join!(sleepers, others);
        assert!(slept.iter().all(|it| *it == Ok("s1".to_owned())), "{slept:?}");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_more_threads_than_may_and_all_get_their_turn() {
        let bench = bench(2);
        let quick = || bench.run("return value", TIME);
        let results = futures_util::future::join_all((0..500).map(|_| quick())).await;
        assert!(results.iter().all(|it| *it == Ok("1".to_owned())));
        assert!(bench.pool.n_threads() <= 2);
        // Nothing of one is seen by another, on any thread.
        let leaving = (0..50).map(|_| bench.run("leak = 1; Number = 2; return typeof leak", TIME));
        let looking = (0..50).map(|_| bench.run("return typeof leak + typeof Number", TIME));
        let (left, seen) = tokio::join!(
            futures_util::future::join_all(leaving),
            futures_util::future::join_all(looking)
        );
        assert!(left.iter().all(|it| *it == Ok("number".to_owned())), "{left:?}");
        assert!(seen.iter().all(|it| *it == Ok("undefinedfunction".to_owned())), "{seen:?}");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn threads_that_do_not_come_back_are_given_up_and_counted() {
        // With room for two, a busy machine begins a second one while the first is slow to start.
        let bench = bench(1);
        let time = Duration::from_secs(1);
        for n in 1..=4 {
            let answer = bench.run("Zabbix.sleep(1); return 1", time).await;
            assert_eq!(answer, Err(TIMEOUT.to_owned()));
            assert_eq!((bench.n_stuck.load(Ordering::Relaxed), bench.pool.n_threads()), (n, 0));
        }
        let refused = bench.run("return value", TIME).await;
        assert_eq!(refused, Err(TOO_MANY_STUCK.to_owned()));
        bench.wake.send(()).expect("they wait");
        bench.until(|it| it.n_stuck.load(Ordering::Relaxed) == 3).await;
        assert_eq!(bench.run("return value", TIME).await, Ok("1".to_owned()));
        for _ in 0..3 {
            bench.wake.send(()).expect("they wait");
        }
        bench.until(|it| it.n_stuck.load(Ordering::Relaxed) == 0).await;
        bench.tasks.shutdown().cancel();
        bench.tasks.join(SOON).await.expect("all threads end");
    }
}
