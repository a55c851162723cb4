//! The threads around the parts: each gives one part its turns until it has ended.

use std::time::Duration;

use rt::priority::ThreadId;
use rt::shutdown::Shutdown;
use rt::task::{TaskError, Tasks};

use crate::cross_item::CrossItemQueries;
use crate::history_fetch::HistoryFetcher;
use crate::housekeeping::{Housekeeper, JournalSync, LastHousekeeping};
use crate::pause::Pause;
use crate::readers::{self, ReaderWake, ReaderWork};
use crate::recovery::Piece;
use crate::shard::ShardLoop;
use crate::turn::Turn;
use crate::workers::job_queue::Role;
use crate::workers::{JobWorker, NewWorker, WorkerParts, WorkerWatch};

/// The pause until output that finds no room is tried again.
const FULL_PAUSE: Duration = Duration::from_millis(1);
/// The events that a part waits for wake it.
const UNTIL_WOKEN: Duration = Duration::MAX;
/// The pause until a reader of the journal tries refused records again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// A reader of the journal that nobody wakes reads on this often, so that the journal's old files can go.
const READ_ON_EACH: Duration = Duration::from_secs(10);
/// Until a reader looks again that is not woken by what it waits for.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Spare workers end after this time without a job.
const SPARE_WAIT: Duration = Duration::from_millis(200);
/// How long to wait for the answer of a shard; a shutdown is seen after this time.
const ANSWER_WAIT: Duration = Duration::from_millis(100);

/// Runs a shard until external input has ended and everything internal is done.
pub fn run_shard(mut shard: ShardLoop, stop: &dyn Pause) {
    shard.begin();
    loop {
        match shard.turn(UNTIL_WOKEN) {
            Turn::More | Turn::Idle(_) => {}
            Turn::Full if stop.pause(FULL_PAUSE) => shard.give_up_forwarding(),
            Turn::Full => {}
            Turn::Ended => return,
        }
    }
}

/// Answers history fetches of shards about one item each until the process has drained.
pub fn run_history_fetcher(mut reader: HistoryFetcher, stop: &dyn Pause) {
    drive(|| reader.turn(UNTIL_WOKEN), stop);
}

/// Answers queries over many items until the process has drained.
pub fn run_cross_item_queries(mut cross_item_queries: CrossItemQueries, stop: &dyn Pause) {
    drive(|| cross_item_queries.turn(UNTIL_WOKEN), stop);
}

/// Starts the workers and their watch.
///
/// # Errors
/// When the operating system refuses a thread.
pub fn start_workers(parts: &WorkerParts, tasks: &Tasks) -> Result<(), TaskError> {
    for worker in parts.base_workers() {
        start_worker(parts.clone(), worker, tasks)?;
    }
    let (parts, tasks_of_watch) = (parts.clone(), tasks.clone());
    tasks.thread("worker-watch", move || {
        let mut watch = WorkerWatch::new(parts.clone());
        let start = |worker| start_worker(parts.clone(), worker, &tasks_of_watch);
        loop {
            match watch.turn(start) {
                Turn::Ended => return,
                Turn::More => {}
                // The next turn sees the shutdown.
                Turn::Full => _ = parts.shutdown.wait(FULL_PAUSE),
                Turn::Idle(time) => watch.wait(time),
            }
        }
    })
}

fn start_worker(parts: WorkerParts, worker: NewWorker, tasks: &Tasks) -> Result<(), TaskError> {
    tasks.thread(&format!("worker-{}", worker.id), move || {
        let stop = parts.shutdown.clone();
        let wait_max = match worker.role {
            Role::Base => UNTIL_WOKEN,
            Role::Spare => SPARE_WAIT,
        };
        let mut worker = JobWorker::new(parts, worker, Some(ThreadId::own()));
        drive(|| worker.turn(wait_max), &stop);
    })
}

/// Gives a reader of the journal its turns, until shutdown and then to the journal's end.
pub fn run_reader(mut feed: impl ReaderWork, wake: &ReaderWake, shutdown: &Shutdown) {
    use readers::ReaderTurn;

    // Its own: a wake-up is nobody else's.
    let thread = shutdown.child();
    wake.reach(&thread);
    let wait = |time_max| thread.wait_unless(Some(time_max), || wake.is_woken());
    loop {
        let stopping = thread.is_cancelled();
        wake.answer();
        match feed.turn(stopping) {
            ReaderTurn::More => {}
            // The next start reads unfinished records again: the journal keeps them.
            _ if stopping => return,
            ReaderTurn::Idle => wait(READ_ON_EACH),
            ReaderTurn::Poll | ReaderTurn::Halted => wait(POLL_INTERVAL),
            // The next turn sees the request to stop.
            ReaderTurn::Gather => _ = thread.wait(POLL_INTERVAL),
            ReaderTurn::Retry => _ = thread.wait(RETRY_PAUSE),
            ReaderTurn::RetryAfter(pause) => _ = thread.wait(pause),
        }
    }
}

/// Syncs the journal each `interval` until shutdown, and once more then.
pub fn run_sync(sync: &JournalSync, interval: Duration, shutdown: &Shutdown) {
    loop {
        let stopping = shutdown.wait(interval);
        sync.turn();
        if stopping {
            return;
        }
    }
}

/// Does what is due until shutdown.
pub fn run_housekeeper(mut housekeeper: Housekeeper, shutdown: &Shutdown) {
    while !shutdown.is_cancelled() {
        // The next turn sees the shutdown.
        match housekeeper.turn(ANSWER_WAIT) {
            Turn::More => {}
            Turn::Idle(time) => _ = shutdown.wait(time),
            Turn::Full => _ = shutdown.wait(FULL_PAUSE),
            Turn::Ended => return,
        }
    }
    housekeeper.give_up();
}

/// Does the last work of a planned stop; `stop` ends it where the shards do not take its requests.
pub fn run_last_housekeeping(mut last: LastHousekeeping, stop: &dyn Pause) {
    drive(|| last.turn(ANSWER_WAIT), stop);
}

fn drive(mut turn: impl FnMut() -> Turn, stop: &dyn Pause) {
    loop {
        match turn() {
            Turn::More | Turn::Idle(_) => {}
            Turn::Full if stop.pause(FULL_PAUSE) => return,
            Turn::Full => {}
            Turn::Ended => return,
        }
    }
}

/// Does pieces of a recovery, each on a thread of its own.
pub fn side_by_side(pieces: Vec<Piece<'_>>) {
    std::thread::scope(|scope| {
        let threads: Vec<_> = pieces.into_iter().map(|it| scope.spawn(it)).collect();
        threads.into_iter().for_each(|it| it.join().expect("reading back does not panic"));
    });
}
