//! Workers turn by turn, without threads.

use std::cell::RefCell;

use ingress::Ingress;
use model::batch::OwnedRaw;
use model::content::{OnFail, PreprocStep, Step};
use model::{ItemId, Time, ValueType};
use pipeline::{HeavyTask, JobClass};
use preprocess::{Context, Data};
use rt::queue::{self, Receiver, WhenFull};
use script::Script;

use super::*;

const NOW: Duration = Duration::ZERO;
const QUEUE_MAX: usize = 2;

/// Gives back what it got; some values make it panic.
struct Echo;

impl Scripts for Echo {
    fn run(&mut self, _script: &Script, value: &str) -> Result<Option<String>, String> {
        assert_ne!(value, "panic", "a bug of the engine");
        Ok(Some(value.to_owned()))
    }
}

struct Bench {
    parts: WorkerParts,
    shard: Receiver<ShardMessage>,
    clock: Clock,
    registry: Registry,
}

fn bench() -> Bench {
    let (clock, registry) = (Clock::manual(Time::from_clock(1_790_000_000, 0)), Registry::new());
    let metrics = JobWorkerMetrics::register(&registry);
    let (queue, shard) = queue::bounded("shard", QUEUE_MAX, WhenFull::Refuse, &clock, &registry);
    let (ingress, _deliveries) = Ingress::new(1, &clock, &registry);
    let shutdown = Shutdown::new();
    let parts = WorkerParts {
        jobs: job_queue(1, Limits::default(), (&clock, &metrics), (&registry, &shutdown)),
        mailboxes: Mailboxes { queues: [queue].into(), ingress },
        new_scripts: Arc::new(|| Ok(Box::new(Echo))),
        clock: clock.clone(),
        metrics,
        shutdown,
    };
    Bench { parts, shard, clock, registry }
}

impl Bench {
    fn offer(&self, item: u64, value: &str) {
        let step = PreprocStep {
            kind: Step::JavaScript,
            params: format!("return {item}"),
            error_handler: OnFail::Default,
            error_handler_params: String::new(),
        };
        let steps = [preprocess::Step::compile(&step)].into();
        let context = Context { time: Time::ZERO, value_type: ValueType::Text };
        let tasks = vec![HeavyTask { steps, step: 0, context }];
        let value = Arc::new(OwnedRaw::Text(value.to_owned()));
        let job =
            HeavyJob { ticket: item, item: ItemId(item), class: JobClass::Quick, value, tasks };
        self.parts.jobs.offer(0, job).expect("room");
    }

    fn worker(&self, id: WorkerId, role: Role) -> JobWorker {
        JobWorker::new(self.parts.clone(), NewWorker { id, role }, None)
    }

    /// The next answer to the shard: the job's number, and the text or the error.
    fn answer(&self) -> Option<(u64, String)> {
        let ShardMessage::HeavyDone(done) = self.shard.try_receive().ok()? else {
            panic!("an answer of a worker")
        };
        let text = match &done.results[0] {
            Ok(Some(Data::Text(text))) => text.to_string(),
            Ok(other) => format!("{other:?}"),
            Err(StepError::Value(text)) => text.clone(),
            Err(other) => format!("{other:?}"),
        };
        Some((done.ticket, text))
    }

    fn count(&self, name: &str) -> f64 {
        self.registry.value(&format!("saker_worker_{name}"), None).expect("counted")
    }
}

#[test]
fn a_job_is_taken_run_and_answered() {
    let bench = bench();
    let mut worker = bench.worker(0, Role::Base);
    assert_eq!(worker.turn(NOW), Turn::Idle(NOW));
    bench.offer(1, "one");
    assert_eq!(worker.turn(NOW), Turn::More);
    assert_eq!(bench.answer(), Some((1, "one".to_owned())));
    bench.offer(2, "panic");
    bench.offer(3, "three");
    assert_eq!((worker.turn(NOW), worker.turn(NOW)), (Turn::More, Turn::More));
    let failed = "internal error while processing the value".to_owned();
    assert_eq!(
        (bench.answer(), bench.answer()),
        (Some((2, failed)), Some((3, "three".to_owned())))
    );
    bench.parts.shutdown.cancel();
    assert_eq!(worker.turn(NOW), Turn::Ended);
}

#[test]
fn a_job_that_does_not_end_is_answered_for_once() {
    let bench = bench();
    let started = RefCell::new(Vec::new());
    let start = |it: NewWorker| -> Result<(), String> {
        started.borrow_mut().push(it);
        Ok(())
    };
    let (mut worker, mut watch) =
        (bench.worker(0, Role::Base), WorkerWatch::new(bench.parts.clone()));
    bench.offer(1, "late");
    let job = worker.take(NOW).expect("a job");
    assert_eq!(watch.turn(start), Turn::Idle(WATCH_INTERVAL));
    assert_eq!((bench.answer(), started.borrow().len()), (None, 0));
    bench.clock.advance(Limits::default().time + GRACE + Duration::from_millis(1));
    assert_eq!(watch.turn(start), Turn::Idle(WATCH_INTERVAL));
    let (ticket, text) = bench.answer().expect("the watch answers");
    assert!(ticket == 1 && text.contains(TIMEOUT), "{text}");
    let next = started.borrow_mut().pop().expect("another takes its place");
    assert_eq!((next.role, started.borrow().len()), (Role::Base, 0));
    // The one that was given up comes back after all: nobody wants its answer.
    let done = worker.run(&job);
    assert_eq!((worker.answer(done), bench.answer()), (Turn::Ended, None));
    bench.offer(2, "goes on");
    assert_eq!(bench.worker(next.id, next.role).turn(NOW), Turn::More);
    assert_eq!(bench.answer(), Some((2, "goes on".to_owned())));
    assert_eq!((bench.count("given_up_total"), bench.count("stuck")), (1.0, 0.0));
}

#[test]
fn a_worker_that_nobody_can_start_is_started_later() {
    let bench = bench();
    let mut watch = WorkerWatch::new(bench.parts.clone());
    bench.offer(1, "late");
    bench.worker(0, Role::Base).take(NOW).expect("a job");
    bench.clock.advance(Duration::from_secs(3_600));
    watch.turn(|_| Err("no threads"));
    let n_started = RefCell::new(0);
    watch.turn(|_| -> Result<(), String> {
        *n_started.borrow_mut() += 1;
        Ok(())
    });
    assert_eq!(n_started.into_inner(), 1);
}

#[test]
fn answers_wait_for_room_with_their_worker() {
    let bench = bench();
    let mut worker = bench.worker(0, Role::Base);
    for item in 0..4 {
        bench.offer(item, "x");
    }
    assert_eq!((worker.turn(NOW), worker.turn(NOW)), (Turn::More, Turn::More));
    assert_eq!((worker.turn(NOW), worker.turn(NOW)), (Turn::Full, Turn::Full));
    let mut answered: Vec<u64> = Vec::new();
    while let Some((ticket, _)) = bench.answer() {
        answered.push(ticket);
        worker.turn(NOW);
    }
    assert_eq!(answered, [0, 1, 2, 3]);
}
