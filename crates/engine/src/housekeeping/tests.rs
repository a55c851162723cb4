//! Housekeeping turn by turn, with a stand-in for the shards.

use std::path::Path;

use disk::MemDisk;
use history::Feeder;
use ingress::Ingress;
use model::record::{RecordBuilder, RecordHead};
use model::{ItemId, Time};
use pipeline::Checkpoint;
use rt::health::Health;
use rt::metrics::Registry;
use rt::queue::{self, Receiver, WhenFull};

use super::*;
use crate::checkpoint::Checkpoints;
use crate::health_issues::HealthIssueMetrics;
use crate::mailboxes::{Mailboxes, Reply, ShardMessage};
use crate::recovery::{self, OpenSettings};

const N_SHARDS: u16 = 2;
const QUEUE_MAX: usize = 8;
const FLUSH_INTERVAL: Duration = Duration::from_secs(3_600);

struct Bench {
    disk: MemDisk,
    parts: HousekeeperParts,
    shards: Vec<Receiver<ShardMessage>>,
    clock: Clock,
    health: Health,
}

fn bench() -> Bench {
    let (disk, registry) = (MemDisk::new(1), Registry::new());
    let clock = Clock::manual(Time::from_clock(1_790_000_000, 0));
    let settings = OpenSettings {
        disk: Arc::new(disk.clone()),
        data: Path::new("/data"),
        n_shards: N_SHARDS,
        next_event_id_min: 1,
        journal: journal::JournalSettings::default(),
        store: history::StoreKind::default(),
    };
    let opened = recovery::open(settings, &registry).expect("opens");
    let (ingress, _deliveries) = Ingress::new(N_SHARDS, &clock, &registry);
    let (queues, shards): (Vec<_>, Vec<_>) = (0..N_SHARDS)
        .map(|it| queue::bounded(&format!("{it}"), QUEUE_MAX, WhenFull::Refuse, &clock, &registry))
        .unzip();
    let health = Health::default();
    let feeder = Feeder::new(
        opened.journal.clone(),
        history::FeederSettings::default(),
        (&registry, &health),
    );
    let issues =
        HealthIssues::new(health.clone(), clock.clone(), HealthIssueMetrics::register(&registry));
    let parts = HousekeeperParts {
        journal: opened.journal,
        history: opened.history,
        stores: feeder,
        mailboxes: Mailboxes { queues: queues.into(), ingress },
        sessions: Arc::default(),
        cursors: Arc::default(),
        exports: Arc::new(|_| Lsn(u64::MAX)),
        checkpoints: opened.checkpoints,
        issues: Arc::new(issues),
        progress: Arc::default(),
        jobs: Arc::new(|_| {}),
        flush_interval: FLUSH_INTERVAL,
        clock: clock.clone(),
        metrics: HousekeepingMetrics::register(&registry),
    };
    Bench { disk, parts, shards, clock, health }
}

impl Bench {
    /// The request to a shard, and its answer.
    fn answer(&self, shard: usize) -> Option<String> {
        match self.shards[shard].try_receive().ok()? {
            ShardMessage::Barrier(reply) => {
                reply.send(());
                Some("barrier".to_owned())
            }
            ShardMessage::Checkpoint(partition, reply) => {
                let bytes = vec![partition; 3];
                reply.send(Checkpoint { partition, lsn: 7, bytes });
                Some("partition".to_owned())
            }
            _ => panic!("nothing else is asked"),
        }
    }

    /// Partitions in the newest checkpoint.
    fn n_saved(&self) -> usize {
        let disk = Arc::new(self.disk.clone());
        let (_, loaded) = Checkpoints::open(disk, Path::new("/data"), 0).expect("opens");
        let partitions = loaded.blobs.iter().filter(|it| it.bytes.len() == 3);
        partitions.filter(|it| it.bytes[0] == it.key).count()
    }
}

const NOW: Duration = Duration::ZERO;

#[test]
fn checkpoint_is_written_while_shards_do_other_work() {
    let bench = bench();
    let mut housekeeper = Housekeeper::new(bench.parts.clone());
    assert_eq!(housekeeper.turn(NOW), Turn::Idle(CHECK_INTERVAL));
    housekeeper.begin_checkpoint();
    assert_eq!(housekeeper.turn(NOW), Turn::Idle(Duration::ZERO), "nobody has answered");
    assert_eq!((bench.answer(0).as_deref(), bench.answer(0)), (Some("barrier"), None));
    for _ in 0..5 {
        housekeeper.turn(NOW);
    }
    assert_eq!(bench.answer(0), None, "all pass the barrier before one is asked for its state");
    assert_eq!(bench.answer(1).as_deref(), Some("barrier"));
    let mut n_answered = 0;
    while bench.n_saved() == 0 {
        while let Turn::More = housekeeper.turn(NOW) {}
        for shard in 0..2 {
            assert!(bench.shards[shard].depth() <= 1, "one at a time");
            n_answered += usize::from(bench.answer(shard).is_some());
        }
        assert!(n_answered <= 256);
    }
    assert_eq!((n_answered, bench.n_saved()), (256, 256));
    assert_eq!(bench.parts.progress.load(std::sync::atomic::Ordering::Relaxed), 256);
}

#[test]
fn a_checkpoint_waits_for_room_in_the_mailboxes() {
    let bench = bench();
    let mut replies = crate::mailboxes::Replies::new(QUEUE_MAX);
    let reply: Vec<Reply<()>> = (0..QUEUE_MAX).map(|_| replies.reply()).collect();
    for it in reply {
        bench.parts.mailboxes.try_send(1, ShardMessage::Barrier(it)).ok();
    }
    let mut last = LastHousekeeping::new(bench.parts.clone());
    assert_eq!((last.turn(NOW), last.turn(NOW)), (Turn::More, Turn::Full));
    loop {
        match last.turn(NOW) {
            Turn::Ended => break,
            Turn::More => {}
            Turn::Full | Turn::Idle(_) => drop((bench.answer(0), bench.answer(1))),
        }
    }
    assert_eq!(bench.n_saved(), 256);
}

#[test]
fn a_shard_that_has_stopped_ends_the_checkpoint_and_not_the_housekeeping() {
    let mut bench = bench();
    bench.shards.truncate(1);
    let mut housekeeper = Housekeeper::new(bench.parts.clone());
    housekeeper.begin_checkpoint();
    bench.answer(0);
    while housekeeper.checkpoint.is_some() {
        housekeeper.turn(NOW);
    }
    assert_eq!((bench.n_saved(), bench.health.issues()), (0, vec![]), "no fault of a disk");
    bench.clock.advance(CHECK_INTERVAL);
    assert_eq!(housekeeper.turn(NOW), Turn::More);
    let mut last = LastHousekeeping::new(bench.parts.clone());
    while last.turn(NOW) != Turn::Ended {}
}

#[test]
fn the_last_checkpoint_follows_the_one_that_is_given_up() {
    let bench = bench();
    let mut housekeeper = Housekeeper::new(bench.parts.clone());
    housekeeper.begin_checkpoint();
    let mut last = LastHousekeeping::new(bench.parts.clone());
    assert_eq!((last.turn(NOW), last.turn(NOW)), (Turn::Full, Turn::Full), "one at a time");
    housekeeper.turn(NOW);
    housekeeper.give_up();
    while last.turn(NOW) != Turn::Ended {
        while bench.answer(0).is_some() || bench.answer(1).is_some() {}
    }
    assert_eq!(bench.n_saved(), 256);
}

#[test]
fn values_are_written_to_a_file_after_a_while_however_few_they_are() {
    let bench = bench();
    let mut housekeeper = Housekeeper::new(bench.parts.clone());
    let mut record = RecordBuilder::new();
    record.start(RecordHead::default());
    record.unsigned(ItemId(1), Time::from_clock(1_790_000_000, 0), 1);
    bench.parts.history.writer(0).commit(record.finish(), 0).expect("taken");
    let mut turns = |time: Duration| {
        bench.clock.advance(time);
        while !matches!(housekeeper.turn(NOW), Turn::Idle(_)) {}
        bench.parts.history.n_values_unflushed()
    };
    assert_eq!(turns(FLUSH_INTERVAL - CHECK_INTERVAL), 1);
    assert_eq!(turns(CHECK_INTERVAL), 0);
}

#[test]
fn a_checkpoint_that_waits_for_its_shards_keeps_nothing_else_from_being_done() {
    let bench = bench();
    let mut housekeeper = Housekeeper::new(bench.parts.clone());
    let mut record = RecordBuilder::new();
    record.start(RecordHead::default());
    record.unsigned(ItemId(1), Time::from_clock(1_790_000_000, 0), 1);
    bench.parts.history.writer(0).commit(record.finish(), 0).expect("taken");
    housekeeper.begin_checkpoint();
    // No shard answers: they wait for a disk on which retention is to make room.
    let mut turns = |time: Duration| {
        bench.clock.advance(time);
        while !matches!(housekeeper.turn(NOW), Turn::Idle(_)) {}
        (housekeeper.n_checks, bench.parts.history.n_values_unflushed())
    };
    assert_eq!(turns(CHECK_INTERVAL), (1, 1), "retention is looked at");
    assert_eq!(turns(FLUSH_INTERVAL), (2, 0), "values are written to a file");
    assert!(housekeeper.checkpoint.is_some(), "which still waits");
}

#[test]
fn refusing_disk_is_reported_and_retried_later() {
    let bench = bench();
    let mut housekeeper = Housekeeper::new(bench.parts.clone());
    bench.disk.set_capacity(bench.disk.used_bytes());
    housekeeper.begin_checkpoint();
    for _ in 0..2_000 {
        housekeeper.turn(NOW);
        while bench.answer(0).is_some() || bench.answer(1).is_some() {}
    }
    assert!(housekeeper.checkpoint.is_none());
    let reported: Vec<String> = bench.health.issues().into_iter().map(|it| it.part).collect();
    assert_eq!(reported, ["checkpoint"]);
    bench.disk.set_capacity(u64::MAX);
    housekeeper.begin_checkpoint();
    while housekeeper.checkpoint.is_some() {
        housekeeper.turn(NOW);
        while bench.answer(0).is_some() || bench.answer(1).is_some() {}
    }
    assert_eq!((bench.n_saved(), bench.health.issues()), (256, vec![]));
}
