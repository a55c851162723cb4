use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use model::record::{RecordBuilder, RecordHead};
use rt::shutdown::Shutdown;
use rt::worker::{GroupContext, Pass, WorkerGroup};

use super::*;
use crate::feed::FeedParts;
use crate::http::DeliveryResponse;
use crate::registry::LagLimits;
use crate::targets::{ConnectorTarget, CurrentSettings};
use crate::testing::{Bench, ITEM, MemPlace, Receiver, answer, connector, values, workers};

const MS: u64 = 1_000_000;
const NAME: &str = "export-connector-7";

/// A connector's worker, without a thread.
struct Scene {
    bench: Bench,
    context: GroupContext,
    group: WorkerGroup,
    switch: Arc<Switch>,
    place: MemPlace,
    receiver: Arc<Receiver>,
}

impl Scene {
    fn new(answer: impl Fn() -> Result<DeliveryResponse, String> + Send + Sync + 'static) -> Self {
        let (bench, place) = (Bench::new(LagLimits::default()), MemPlace::default());
        let (receiver, switch) = (Receiver::new(move |_| answer()), Arc::new(Switch::new()));
        let (exports, clock) = (bench.exports.clone(), bench.clock.clone());
        let configuration = Arc::clone(&bench.configuration) as Arc<dyn crate::ExportConfiguration>;
        let (http, of_feed) = (Arc::clone(&receiver), place.clone());
        let new_feed = move || {
            let parts = FeedParts {
                exports: exports.clone(),
                clock: clock.clone(),
                kind: "connectors",
                name: "connector 7".to_owned(),
            };
            let target = ConnectorTarget::new(
                // Several batches for the rows of the tests.
                CurrentSettings::new(crate::targets::ConnectorSettings {
                    max_records: 1,
                    ..connector()
                }),
                Arc::clone(&configuration),
                Arc::clone(&http) as _,
                Box::new(of_feed.clone()),
                Shutdown::new(),
            );
            ExportFeed::new(parts, Box::new(target))
        };
        let parts = TargetParts {
            switch: Arc::clone(&switch),
            clock: bench.clock.clone(),
            new_feed: Box::new(new_feed),
        };
        let context = workers(&bench);
        let mut group = WorkerGroup::new(NAME, &context);
        group.add_named(NAME, CONNECTORS, |wake| TargetWorker::new(parts, &bench.journal, wake));
        Self { bench, context, group, switch, place, receiver }
    }

    /// A worker that has delivered all synced records, after its pause.
    fn waiting(
        answer: impl Fn() -> Result<DeliveryResponse, String> + Send + Sync + 'static,
    ) -> Self {
        let mut scene = Self::new(answer);
        assert_eq!(scene.group.pass(), Pass::WhenWoken);
        scene.bench.clock.advance(REST);
        scene
    }

    /// Passes until nothing is to do at once.
    fn run(&mut self) -> Pass {
        loop {
            let (pass, now_ns) = (self.group.pass(), self.bench.clock.mono_ns());
            let is_due = matches!(pass, Pass::At(at) if at <= now_ns);
            if pass != Pass::Again && !is_due {
                return pass;
            }
        }
    }

    fn delivered(&self) -> Vec<u64> {
        values(&self.receiver.bodies().concat())
    }

    fn saved(&self) -> Option<u64> {
        self.place.0.lock().unwrap().map(|it| it.lsn)
    }

    fn n_turns(&self) -> u64 {
        self.context.roster.workers()[0].n_turns
    }
}

#[test]
fn a_target_wakes_on_new_records_and_sleeps_without() {
    let mut scene = Scene::waiting(|| answer(200, ""));
    let n_turns = scene.n_turns();
    scene.bench.clock.advance(Duration::from_secs(3_600));
    assert_eq!((scene.run(), scene.n_turns()), (Pass::WhenWoken, n_turns), "nothing was written");
    let mut record = RecordBuilder::new();
    record.start(RecordHead { now: scene.bench.clock.wall(), ..RecordHead::default() });
    record.float(ITEM, scene.bench.clock.wall(), 0.0);
    scene.bench.journal.append(record.finish(), 0).unwrap();
    assert_eq!((scene.run(), scene.n_turns()), (Pass::WhenWoken, n_turns), "it is not synced");
    scene.bench.journal.sync_once().unwrap();
    assert_eq!((scene.run(), scene.delivered()), (Pass::WhenWoken, vec![0]));
}

#[test]
fn rows_that_arrive_during_a_pause_are_sent_together() {
    let mut scene = Scene::waiting(|| answer(200, ""));
    let now_ns = scene.bench.clock.mono_ns();
    scene.bench.append(0..1);
    assert_eq!((scene.run(), scene.delivered()), (Pass::WhenWoken, vec![0]));
    let rested = Pass::At(now_ns + 500 * MS);
    scene.bench.append(1..2);
    assert_eq!((scene.run(), scene.delivered()), (rested, vec![0]));
    scene.bench.clock.advance(Duration::from_millis(499));
    let n_turns = scene.n_turns();
    scene.bench.append(2..5);
    assert_eq!((scene.run(), scene.n_turns()), (rested, n_turns), "it is woken once");
    scene.bench.clock.advance(Duration::from_millis(1));
    // The place was saved at the first delivery, and is again a second later.
    let saved = scene.saved();
    assert_eq!(scene.run(), Pass::At(now_ns + 1_000 * MS));
    assert_eq!((scene.delivered(), scene.saved()), (vec![0, 1, 2, 3, 4], saved));
    scene.bench.clock.advance(Duration::from_millis(500));
    assert_eq!(scene.run(), Pass::WhenWoken);
    assert_eq!(scene.saved(), Some(scene.bench.journal.synced().0));
}

#[test]
fn a_pause_after_a_failure_is_shortened_by_changes_and_not_by_records() {
    let (is_away, n) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicUsize::new(0)));
    let (of_receiver, counted) = (Arc::clone(&is_away), Arc::clone(&n));
    let mut scene = Scene::waiting(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        answer(if of_receiver.load(Ordering::Relaxed) { 503 } else { 200 }, "")
    });
    let now_ns = scene.bench.clock.mono_ns();
    let attempts = || n.load(Ordering::Relaxed);
    scene.bench.append(0..1);
    assert_eq!((scene.run(), attempts()), (Pass::At(now_ns + 1_000 * MS), 1));
    scene.bench.append(1..3);
    assert_eq!((scene.run(), attempts()), (Pass::At(now_ns + 1_000 * MS), 1));
    scene.switch.set(SwitchState::Enabled);
    assert_eq!((scene.run(), attempts()), (Pass::At(now_ns + 2_000 * MS), 2));
    is_away.store(false, Ordering::Relaxed);
    scene.bench.clock.advance(Duration::from_secs(2));
    // Its place is saved a second later.
    assert_eq!(scene.run(), Pass::At(now_ns + 3_000 * MS));
    assert_eq!(scene.delivered(), [0, 1, 2]);
}

#[test]
fn the_last_turn_delivers_all_that_is_synced() {
    let mut scene = Scene::waiting(|| answer(200, ""));
    scene.bench.append(0..100);
    scene.context.tasks.shutdown().cancel();
    assert_eq!((scene.group.pass(), scene.delivered()), (Pass::Again, vec![]), "no more turns");
    scene.group.stop();
    assert_eq!(scene.delivered(), (0..100).collect::<Vec<u64>>());
    assert_eq!(scene.saved(), Some(scene.bench.journal.synced().0));
}

#[test]
fn panic_of_a_target_is_contained_and_loses_no_rows() {
    let has_panicked = AtomicBool::new(false);
    let mut scene = Scene::waiting(move || {
        assert!(has_panicked.swap(true, Ordering::Relaxed), "index out of range");
        answer(200, "")
    });
    let now_ns = scene.bench.clock.mono_ns();
    scene.bench.append(0..3);
    assert_eq!(scene.run(), Pass::At(now_ns + 1_000 * MS));
    let part = |scene: &Scene| scene.bench.health.issues().into_iter().next().map(|it| it.part);
    assert_eq!(part(&scene).as_deref(), Some(NAME));
    let count =
        |name: &str| scene.bench.registry.value(&format!("saker_worker_{name}"), Some(NAME));
    assert_eq!(count("panics_total").map(|it| it.to_string()).as_deref(), Some("1"));
    // The journal is kept for it.
    let saved = scene.saved().unwrap();
    assert!(saved < scene.bench.journal.synced().0);
    assert_eq!(scene.bench.exports.needed(scene.bench.clock.wall()).0, saved);
    scene.bench.append(3..5);
    scene.bench.clock.advance(Duration::from_secs(1));
    assert_eq!(scene.run(), Pass::WhenWoken);
    assert_eq!((scene.delivered(), part(&scene)), (vec![0, 1, 2, 3, 4], None));
}

#[test]
fn a_target_that_stops_after_a_panic_delivers_from_its_saved_place() {
    let has_panicked = AtomicBool::new(false);
    let mut scene = Scene::waiting(move || {
        assert!(has_panicked.swap(true, Ordering::Relaxed), "index out of range");
        answer(200, "")
    });
    scene.bench.append(0..3);
    assert!(matches!(scene.run(), Pass::At(_)));
    scene.group.stop();
    assert_eq!(scene.delivered(), [0, 1, 2]);
}

#[test]
fn a_disabled_target_keeps_no_place_and_gets_what_comes_afterwards() {
    let mut scene = Scene::waiting(|| answer(200, ""));
    scene.switch.set(SwitchState::Disabled);
    assert_eq!((scene.run(), scene.saved()), (Pass::WhenWoken, None));
    assert_eq!(scene.bench.exports.needed(scene.bench.clock.wall()).0, u64::MAX);
    scene.bench.append(0..3);
    assert_eq!(scene.run(), Pass::WhenWoken);
    scene.switch.set(SwitchState::Enabled);
    assert_eq!(scene.run(), Pass::WhenWoken);
    scene.bench.append(3..5);
    scene.bench.clock.advance(REST);
    scene.run();
    assert_eq!(scene.delivered(), [3, 4]);
}
