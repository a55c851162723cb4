use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use model::Time;
use model::time::Now;

use super::{
    BACKOFF_MAX, GroupContext, Next, OnPanic, Pass, Roster, Wake, Worker, WorkerFailure,
    WorkerGroup, WorkerMetrics, WorkerRow,
};
use crate::clock::Clock;
use crate::health::{Health, Level};
use crate::metrics::Registry;
use crate::queue::{WhenFull, bounded};
use crate::task::Tasks;

const ROW: WorkerRow = WorkerRow {
    name: "ranks",
    job: "ranks problems by the parents of their hosts",
    woken_by: "changes of the configuration",
    waits: "ranks of problems are old",
    on_panic: OnPanic::Reload,
};
const S: u64 = 1_000_000_000;

type Answer = Box<dyn FnMut(Now) -> Result<Next, String> + Send>;

/// Returns the scripted results, and records its calls.
struct Scripted {
    answer: Answer,
    asked: Arc<Mutex<Vec<&'static str>>>,
    poison: Option<&'static str>,
}

impl Scripted {
    fn ask(&self, what: &'static str) {
        self.asked.lock().unwrap().push(what);
    }
}

impl Worker for Scripted {
    type Error = String;

    fn turn(&mut self, now: Now) -> Result<Next, String> {
        self.ask("turn");
        (self.answer)(now)
    }

    fn reload(&mut self, after: WorkerFailure) -> Result<(), String> {
        self.ask(match after {
            WorkerFailure::Error => "reload",
            WorkerFailure::Panic => "reload after a panic",
        });
        Ok(())
    }

    fn put_aside(&mut self) -> Option<String> {
        self.ask("put aside");
        self.poison.take().map(str::to_owned)
    }

    fn stop(&mut self) -> Result<(), String> {
        self.ask("stop");
        Ok(())
    }
}

struct Scene {
    tasks: Tasks,
    clock: Clock,
    health: Health,
    registry: Registry,
    roster: Roster,
    group: WorkerGroup,
    asked: Arc<Mutex<Vec<&'static str>>>,
    wake: Option<Wake>,
}

impl Scene {
    fn new(clock: Clock) -> Self {
        let registry = Registry::new();
        let (tasks, health) = (Tasks::new("test", &registry), Health::default());
        let (metrics, roster) = (WorkerMetrics::register(&registry), Roster::default());
        let group = WorkerGroup::new(
            "followers",
            &GroupContext {
                tasks: tasks.clone(),
                clock: clock.clone(),
                health: health.clone(),
                metrics,
                roster: roster.clone(),
            },
        );
        let asked = Arc::default();
        Self { tasks, clock, health, registry, roster, group, asked, wake: None }
    }

    fn of(answer: impl FnMut(Now) -> Result<Next, String> + Send + 'static) -> Self {
        let mut scene = Self::new(Clock::manual(Time::from_clock(1_000, 0)));
        scene.add(ROW, None, answer);
        scene
    }

    fn add(
        &mut self,
        row: WorkerRow,
        poison: Option<&'static str>,
        answer: impl FnMut(Now) -> Result<Next, String> + Send + 'static,
    ) {
        let asked = Arc::clone(&self.asked);
        let mut wake = None;
        self.group.add(row, |it| {
            wake = Some(it.clone());
            Scripted { answer: Box::new(answer), asked, poison }
        });
        self.wake = wake;
    }

    fn wake(&self) {
        self.wake.as_ref().unwrap().wake();
    }

    fn asked(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    fn count(&self, name: &str) -> String {
        self.registry.value(&format!("saker_worker_{name}"), Some("ranks")).unwrap().to_string()
    }
}

#[test]
fn it_has_turns_when_it_is_due_and_when_it_is_woken() {
    let mut scene = Scene::of(|now| Ok(Next::after(now, Duration::from_secs(60))));
    assert_eq!((scene.group.pass(), scene.asked()), (Pass::At(60 * S), vec!["turn"]));
    scene.clock.advance(Duration::from_secs(59));
    assert_eq!((scene.group.pass(), scene.asked()), (Pass::At(60 * S), vec![]));
    scene.wake();
    scene.wake();
    scene.clock.advance(Duration::from_millis(500));
    assert_eq!((scene.group.pass(), scene.asked()), (Pass::At(119_500_000_000), vec!["turn"]));
    assert_eq!(scene.count("wakeups_total"), "1", "woken twice before one turn");
    scene.clock.advance(Duration::from_secs(60));
    assert_eq!((scene.group.pass(), scene.asked()), (Pass::At(179_500_000_000), vec!["turn"]));
    assert_eq!(scene.count("wakeups_total"), "1", "the clock woke it");
}

#[test]
fn a_wake_up_during_a_turn_causes_another_turn() {
    let mut scene = Scene::new(Clock::manual(Time::from_clock(1_000, 0)));
    let own: Arc<Mutex<Option<Wake>>> = Arc::default();
    let of_worker = Arc::clone(&own);
    let mut n_turns = 0;
    scene.add(ROW, None, move |_| {
        n_turns += 1;
        if n_turns == 1 {
            of_worker.lock().unwrap().as_ref().unwrap().wake();
        }
        Ok(Next::WhenWoken)
    });
    *own.lock().unwrap() = scene.wake.clone();
    assert_eq!(scene.group.pass(), Pass::Again);
    assert_eq!(scene.group.pass(), Pass::WhenWoken);
    assert_eq!(scene.asked(), ["turn", "turn"]);
}

#[test]
fn a_message_wakes_the_worker_that_reads_the_queue() {
    let mut scene = Scene::new(Clock::manual(Time::from_clock(1_000, 0)));
    let (sender, receiver) = bounded("q", 4, WhenFull::Refuse, &scene.clock, &scene.registry);
    let (of_worker, seen) = (receiver.clone(), Arc::new(Mutex::new(Vec::new())));
    let of_turns = Arc::clone(&seen);
    scene.add(ROW, None, move |_| {
        of_worker.drain(4, &mut of_turns.lock().unwrap());
        Ok(Next::WhenWoken)
    });
    receiver.wakes(scene.wake.as_ref().unwrap());
    assert_eq!(scene.group.pass(), Pass::WhenWoken);
    sender.try_send(7).unwrap();
    sender.try_send(8).unwrap();
    assert_eq!(scene.group.pass(), Pass::WhenWoken);
    assert_eq!((&*seen.lock().unwrap(), scene.asked()), (&vec![7, 8], vec!["turn", "turn"]));
}

#[test]
fn after_a_failure_it_reloads_and_pauses_longer_each_time() {
    let mut n_turns = 0;
    let mut scene = Scene::of(move |_| {
        n_turns += 1;
        if n_turns <= 7 {
            Err(format!("the database is away ({n_turns})"))
        } else {
            Ok(Next::WhenWoken)
        }
    });
    let mut pauses = Vec::new();
    for _ in 0..7 {
        let Pass::At(at) = scene.group.pass() else { panic!("a failed worker is tried again") };
        let pause_s = (at - scene.clock.mono_ns()) / S;
        pauses.push(pause_s);
        let before = scene.asked();
        scene.wake();
        assert_eq!(scene.group.pass(), Pass::At(at), "a wake-up does not shorten the pause");
        assert_eq!(scene.asked(), [] as [&str; 0], "after {before:?}");
        scene.clock.advance(Duration::from_secs(pause_s));
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
    assert_eq!(BACKOFF_MAX, Duration::from_secs(30));
    let issues = scene.health.issues();
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0].part, "ranks");
    assert_eq!(issues[0].message, "ranks of problems are old: the database is away (7)");
    let failing = scene.roster.workers()[0].failing.clone().unwrap();
    assert_eq!(failing, (Time::from_clock(1_000, 0), "the database is away (7)".to_owned()));
    assert_eq!(scene.group.pass(), Pass::WhenWoken);
    assert_eq!(scene.asked(), ["reload", "turn"]);
    assert_eq!((scene.health.level(), scene.count("failures_total")), (None, "7".to_owned()));
    assert_eq!(scene.roster.workers()[0].failing, None);
}

#[test]
fn a_panic_is_a_failure_of_this_worker_alone() {
    let mut n_turns = 0;
    let mut scene = Scene::of(move |_| {
        n_turns += 1;
        assert!(n_turns != 1, "index out of range");
        Ok(Next::Ended)
    });
    let others = Arc::new(AtomicUsize::new(0));
    let of_other = Arc::clone(&others);
    scene.add(WorkerRow { name: "services", ..ROW }, None, move |_| {
        of_other.fetch_add(1, Ordering::Relaxed);
        Ok(Next::WhenWoken)
    });
    assert_eq!(scene.group.pass(), Pass::At(S));
    assert_eq!(others.load(Ordering::Relaxed), 1);
    assert_eq!(
        (scene.count("panics_total"), scene.count("failures_total")),
        ("1".to_owned(), "1".to_owned())
    );
    assert_eq!(scene.health.issues()[0].part, "ranks");
    scene.clock.advance(Duration::from_secs(1));
    assert_eq!(scene.group.pass(), Pass::WhenWoken);
    let of_both = ["turn", "turn", "reload after a panic", "turn"];
    assert_eq!(scene.asked(), of_both, "the second turn is of services");
    let left: Vec<_> = scene.roster.workers().iter().map(|it| it.name.to_string()).collect();
    assert_eq!((left, scene.health.level()), (vec!["services".to_owned()], None));
}

#[test]
#[should_panic(expected = "nothing can go on")]
fn a_panic_of_what_the_server_needs_is_passed_on() {
    let mut scene = Scene::new(Clock::manual(Time::from_clock(1_000, 0)));
    let row = WorkerRow { on_panic: OnPanic::StopServer, ..ROW };
    scene.add(row, None, |_| panic!("nothing can go on"));
    scene.group.pass();
}

#[test]
fn the_row_at_which_three_turns_failed_is_put_aside_and_shown() {
    let mut scene = Scene::new(Clock::manual(Time::from_clock(1_000, 0)));
    scene.add(ROW, Some("event 7"), |_| Err("it has no trigger".to_owned()));
    for _ in 0..3 {
        scene.group.pass();
        scene.clock.advance(BACKOFF_MAX);
    }
    assert_eq!(scene.asked(), ["turn", "reload", "turn", "reload", "turn", "put aside"]);
    let part = |name: &str| {
        let issues = scene.health.issues();
        issues.into_iter().find(|it| it.part == name).map(|it| (it.level, it.message))
    };
    let message = "put aside, because each turn with it failed: event 7: it has no trigger";
    assert_eq!(part("ranks-put-aside"), Some((Level::Failing, message.to_owned())));
    assert_eq!(scene.count("put_aside_total"), "1");
    assert_eq!(scene.roster.workers()[0].n_put_aside, 1);
    for _ in 0..3 {
        scene.group.pass();
        scene.clock.advance(BACKOFF_MAX);
    }
    assert_eq!(scene.count("put_aside_total"), "1", "it had no further row to put aside");
}

#[test]
fn a_thread_sleeps_until_it_is_woken_and_saves_at_the_end() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let context = GroupContext {
        tasks: tasks.clone(),
        clock: Clock::real(),
        health: Health::default(),
        metrics: WorkerMetrics::register(&registry),
        roster: Roster::default(),
    };
    let mut group = WorkerGroup::new("followers", &context);
    let (sender, turns) = mpsc::channel();
    let asked: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let of_worker = Arc::clone(&asked);
    let mut wake = None;
    group.add(ROW, |it| {
        wake = Some(it.clone());
        let answer = move |_: Now| {
            sender.send(()).unwrap();
            Ok(Next::WhenWoken)
        };
        Scripted { answer: Box::new(answer), asked: of_worker, poison: None }
    });
    group.start().unwrap();
    for _ in 0..100 {
        turns.recv().unwrap();
        wake.as_ref().unwrap().wake();
    }
    turns.recv().unwrap();
    tasks.shutdown().cancel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(tasks.join(Duration::from_secs(60))).unwrap();
    let asked = asked.lock().unwrap();
    assert_eq!((asked.len(), asked.last()), (102, Some(&"stop")));
}

#[test]
fn a_worker_that_ends_leaves_the_list_the_metrics_and_health() {
    let mut scene = Scene::new(Clock::manual(Time::from_clock(1_000, 0)));
    for name in ["export-7", "export-8"] {
        let mut n_turns = 0;
        scene.group.add_named(name, ROW, |_| Scripted {
            answer: Box::new(move |_| {
                n_turns += 1;
                if n_turns <= 3 { Err("it is away".to_owned()) } else { Ok(Next::Ended) }
            }),
            asked: Arc::default(),
            poison: Some("row 1"),
        });
    }
    for _ in 0..3 {
        scene.group.pass();
        scene.clock.advance(BACKOFF_MAX);
    }
    let names: Vec<_> = scene.roster.workers().iter().map(|it| it.name.to_string()).collect();
    assert_eq!(names, ["export-7", "export-8"]);
    assert!(scene.registry.render().contains("failures_total{worker=\"export-8\"} 3\n"));
    assert_eq!(scene.health.issues().len(), 4, "each fails and has put a row aside");
    assert_eq!(scene.group.pass(), Pass::Ended);
    assert_eq!((scene.roster.workers(), scene.health.issues()), (vec![], vec![]));
    assert!(!scene.registry.render().contains("export-"));
}

#[test]
fn a_worker_may_join_a_group_whose_thread_runs() {
    let scene = Scene::new(Clock::real());
    let (tasks, handle) = (scene.tasks.clone(), scene.group.handle());
    scene.group.start().unwrap();
    let (sender, turns) = mpsc::channel();
    for name in ["ranks", "services"] {
        let (sender, asked) = (sender.clone(), Arc::clone(&scene.asked));
        let answer = move |_: Now| {
            sender.send(name).unwrap();
            Ok(Next::Ended)
        };
        handle.add(WorkerRow { name, ..ROW }, |_| Scripted {
            answer: Box::new(answer),
            asked,
            poison: None,
        });
        assert_eq!(turns.recv(), Ok(name), "also when the last one has ended");
    }
    tasks.shutdown().cancel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(tasks.join(Duration::from_secs(60))).unwrap();
}
