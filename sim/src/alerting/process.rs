//! One life of alerting in the server.

use std::path::Path;
use std::sync::Arc;

use alerting::commands::{self, CommandMetrics, CommandParts, CommandRunner};
use alerting::correlation::{self, CorrelationMetrics, CorrelationParts, CorrelationRunner};
use alerting::delivery::{self, Delivering, DeliveryMetrics, DeliveryParts};
use alerting::escalations::{self, EscalationMetrics, EscalationParts, EscalationRunner};
use alerting::message_facts::FactSources;
use db::{Db, DbSettings, Location};
use model::Time;
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::task::Tasks;
use rt::worker::{GroupContext, Pass, Roster, WorkerGroup, WorkerMetrics};

use super::outside::{Outside, Shards, Waiting};
use crate::faults::Faults;

/// Attempts, and commands, at once.
const SESSIONS_MAX: usize = 4;

/// Workers that are started on a database.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) health: Health,
    pub(super) registry: Registry,
    pub(super) waiting: Waiting,
    pub(super) shards: Shards,
    groups: [WorkerGroup; 3],
}

/// Opens the database.
pub(super) fn open(path: &Path, clock: &Clock, faults: Option<&Faults>) -> Db {
    let settings = DbSettings {
        clock: clock.clone(),
        faults: faults.map(|it| Arc::new(it.clone()) as _),
        ..DbSettings::new(Location::Sqlite(path.to_owned()))
    };
    Db::open(&settings).unwrap_or_else(|error| panic!("the database opens: {error}"))
}

impl Process {
    /// Without threads: nobody but [`Process::pass`] gives the workers their turns.
    pub(super) fn start(
        path: &Path,
        wall: Time,
        seed: u64,
        (faults, outside): (&Faults, &Outside),
    ) -> Self {
        let clock = Clock::manual(wall);
        let db = open(path, &clock, Some(faults));
        let (health, registry) = (Health::default(), Registry::new());
        let tasks = Tasks::new("sim", &registry);
        let context = GroupContext {
            tasks: tasks.clone(),
            clock: clock.clone(),
            health: health.clone(),
            metrics: WorkerMetrics::register(&registry),
            roster: Roster::default(),
        };
        let (waiting, shards) = (Waiting::default(), Shards::new(seed));
        let sources = FactSources { db: db.clone(), ports: outside.ports() };
        let mut of_actions = WorkerGroup::new("escalations", &context);
        let parts = EscalationParts {
            sources: sources.clone(),
            clock: clock.clone(),
            health: health.clone(),
            metrics: EscalationMetrics::register(&registry),
        };
        of_actions.add(escalations::ROW, |wake| EscalationRunner::new(parts, wake));
        let mut of_rules = WorkerGroup::new("correlation", &context);
        let parts = CorrelationParts {
            db: db.clone(),
            closing: Arc::new(shards.clone()),
            clock: clock.clone(),
            metrics: CorrelationMetrics::register(&registry),
        };
        of_rules.add(correlation::ROW, |wake| CorrelationRunner::new(parts, wake));
        let mut of_messages = WorkerGroup::new("alert-delivery", &context);
        let parts = DeliveryParts {
            mailer: Arc::new(outside.clone()),
            background: Arc::new(waiting.clone()),
            sources: sources.clone(),
            clock: clock.clone(),
            health: health.clone(),
            tasks: tasks.clone(),
            metrics: DeliveryMetrics::register(&registry),
            sessions_max: SESSIONS_MAX,
            rate_per_s: 0,
        };
        of_messages.add(delivery::ROW, |wake| Delivering::new(parts, wake));
        let parts = CommandParts {
            sources,
            clock: clock.clone(),
            tasks,
            background: Arc::new(waiting.clone()),
            metrics: CommandMetrics::register(&registry),
            sessions_max: SESSIONS_MAX,
        };
        of_messages.add(commands::ROW, |wake| CommandRunner::new(parts, wake));
        let groups = [of_actions, of_rules, of_messages];
        Self { db, clock, health, registry, waiting, shards, groups }
    }

    /// Gives each group a pass. When one is due next, in monotonic nanoseconds; `None`: when a worker is woken.
    pub(super) fn pass(&mut self) -> Option<u64> {
        let mut due: Option<u64> = None;
        for group in &mut self.groups {
            let at = match group.pass() {
                Pass::Again => Some(0),
                Pass::At(at) => Some(at),
                Pass::WhenWoken => None,
                Pass::Ended => panic!("no worker comes to its end"),
            };
            due = [due, at].into_iter().flatten().min();
        }
        due
    }
}
