//! The surroundings of alerting: receivers of messages, the execution of commands, shards that
//! close problems, and threads for blocking work.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};

use alerting::acknowledge_links::AcknowledgeLinks;
use alerting::ports::{
    AlertingPorts, Background, Command, Commands, FunctionValues, HistoryError, HistoryReads,
    ItemLive, LiveState, Mailer, ProblemClosing, ShardBusy, TrialError, TrialQuery, TriggerLive,
};
use alerting::senders::outbound::{MessageError, Outbound, Sent, Transcript};
use history::{Bucket, BucketQuery, RangeQuery, Trend, TrendQuery};
use lang::expression::Value as Computed;
use model::document::Body;
use model::snapshot::Snapshot;
use model::value::Sample;
use model::{EventId, ItemId, Time, TriggerId};

use crate::outside::lock;
use crate::random::Random;

/// Received messages and executed commands.
#[derive(Debug)]
pub(super) struct Received {
    random: Random,
    /// Whether receivers refuse and lie.
    pub(super) is_flawed: bool,
    /// How often each message arrived, by its alert.
    pub(super) messages: BTreeMap<u64, u32>,
    /// Arrivals that the receiver denied: the message is sent again.
    pub(super) denied: BTreeMap<u64, u32>,
    /// Messages that a receiver took and threw away.
    pub(super) thrown_away: BTreeSet<u64>,
    /// Attempts that were made of each.
    pub(super) attempts: BTreeMap<u64, u32>,
    /// When the first of them was made, in seconds since 1970.
    pub(super) first_attempts: BTreeMap<u64, i64>,
    /// By the clock of the server.
    pub(super) now_s: i64,
    /// How often each command was executed, by its text.
    pub(super) commands: BTreeMap<String, u32>,
}

/// A clone is the same world.
#[derive(Clone, Debug)]
pub(super) struct Outside(Arc<Mutex<Received>>);

impl Outside {
    pub(super) fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(Received {
            random: Random::new(seed),
            is_flawed: true,
            messages: BTreeMap::new(),
            denied: BTreeMap::new(),
            thrown_away: BTreeSet::new(),
            attempts: BTreeMap::new(),
            first_attempts: BTreeMap::new(),
            now_s: 0,
            commands: BTreeMap::new(),
        })))
    }

    pub(super) fn with<T>(&self, f: impl FnOnce(&mut Received) -> T) -> T {
        f(&mut lock(&self.0))
    }

    pub(super) fn ports(&self) -> AlertingPorts {
        AlertingPorts {
            live: Arc::new(Nothing),
            history: Arc::new(Nothing),
            functions: Arc::new(Nothing),
            commands: Arc::new(self.clone()),
            links: Arc::new(AcknowledgeLinks::new([0; 32], 0)),
        }
    }
}

impl Mailer for Outside {
    fn send(&self, _: &Body, message: &Outbound, _: &Transcript) -> Result<Sent, MessageError> {
        self.with(|it| {
            let id = message.alert;
            *it.attempts.entry(id).or_default() += 1;
            let now_s = it.now_s;
            it.first_attempts.entry(id).or_insert(now_s);
            let fate = if it.is_flawed { it.random.below(20) } else { 19 };
            match fate {
                0 => return Err(MessageError::Failed("nobody answers".to_owned())),
                1 => return Err(MessageError::Refused("unknown".to_owned())),
                2 => return Err(MessageError::Deferred("later".to_owned())),
                3 => {
                    it.thrown_away.insert(id);
                    return Ok(Sent::default());
                }
                _ => *it.messages.entry(id).or_default() += 1,
            }
            if fate == 4 {
                *it.denied.entry(id).or_default() += 1;
                return Err(MessageError::Failed("the answer is lost".to_owned()));
            }
            Ok(Sent::default())
        })
    }
}

impl Commands for Outside {
    fn execute(&self, command: &Command) -> Result<String, String> {
        let Command::Server { command } = command else { return Err("another one".to_owned()) };
        self.with(|it| {
            *it.commands.entry(command.clone()).or_default() += 1;
            let is_done = !it.is_flawed || !it.random.once_in(6);
            if is_done { Ok(String::new()) } else { Err("exit code 1".to_owned()) }
        })
    }
}

/// Nothing is known of items and triggers, and nothing is stored.
struct Nothing;

impl LiveState for Nothing {
    fn item(&self, _: ItemId) -> ItemLive {
        ItemLive::default()
    }

    fn unsupported(&self) -> Vec<ItemId> {
        Vec::new()
    }

    fn trigger(&self, _: TriggerId) -> TriggerLive {
        TriggerLive::default()
    }
}

impl HistoryReads for Nothing {
    fn range(&self, _: &RangeQuery) -> Result<Vec<Sample>, HistoryError> {
        Ok(Vec::new())
    }

    fn bucket_series(&self, _: &[BucketQuery]) -> Result<Vec<Vec<Bucket>>, HistoryError> {
        Ok(Vec::new())
    }

    fn trends(&self, _: &[TrendQuery]) -> Result<Vec<Vec<Trend>>, HistoryError> {
        Ok(Vec::new())
    }
}

impl FunctionValues for Nothing {
    fn evaluate(&self, _: &TrialQuery) -> Result<Result<Computed, String>, TrialError> {
        Ok(Err("nothing is stored".to_owned()))
    }
}

type Work = Box<dyn FnOnce() + Send>;

/// Blocking work of one process in the background.
#[derive(Clone, Default)]
pub(super) struct Waiting(Arc<Mutex<WaitingState>>);

#[derive(Default)]
struct WaitingState {
    works: Vec<Work>,
    /// Whether beginning something panics.
    is_broken: bool,
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").finish_non_exhaustive()
    }
}

impl Waiting {
    pub(super) fn set_broken(&self, is_broken: bool) {
        lock(&self.0).is_broken = is_broken;
    }

    pub(super) fn is_empty(&self) -> bool {
        lock(&self.0).works.is_empty()
    }

    /// Brings one piece of work to its end, any of them; false: there is none.
    pub(super) fn end_one(&self, random: &mut Random) -> bool {
        let work = {
            let mut state = lock(&self.0);
            let n = state.works.len();
            (n > 0).then(|| state.works.remove(random.below(n)))
        };
        work.map(|it| it()).is_some()
    }
}

impl Background for Waiting {
    fn begin(&self, _: &'static str, work: Work) {
        let mut state = lock(&self.0);
        if state.is_broken {
            drop(state);
            panic!("nothing can be begun");
        }
        state.works.push(work);
    }
}

/// Shards, as far as they close problems. Requests that are not in the journal are lost with the
/// process.
#[derive(Clone, Debug)]
pub(super) struct Shards(Arc<Mutex<ShardState>>);

#[derive(Debug)]
struct ShardState {
    random: Random,
    asked: BTreeSet<EventId>,
}

impl Shards {
    pub(super) fn new(seed: u64) -> Self {
        let state = ShardState { random: Random::new(seed), asked: BTreeSet::new() };
        Self(Arc::new(Mutex::new(state)))
    }

    /// The events to close.
    pub(super) fn take(&self) -> BTreeSet<EventId> {
        std::mem::take(&mut lock(&self.0).asked)
    }
}

impl ProblemClosing for Shards {
    fn close(
        &self,
        problem: &db::Problem,
        _: &Snapshot,
        _: Time,
    ) -> Result<Option<Receiver<()>>, ShardBusy> {
        let mut state = lock(&self.0);
        if state.random.once_in(5) {
            return Err(ShardBusy);
        }
        let (answer, done) = sync_channel(1);
        if state.random.once_in(5) {
            // It panics over it, and nobody answers.
            return Ok(Some(done));
        }
        state.asked.insert(problem.eventid());
        drop(state);
        answer.send(()).expect("there is room for one");
        Ok(Some(done))
    }
}
