//! A world of one or more shards for tests: configuration in a few words, time by hand, and every
//! durable step kept as a record, so that each test can also be replayed.

use std::sync::Arc;

use directory::{BuilderSettings, Directory, DirectoryBuilder};
use jiff::tz::TimeZone;
use model::batch::{Batch, RawRef, Run};
use model::content::{
    FunctionRef, HostMacro, ItemContent, ItemFlags, ItemType, MacroType, PreprocStep, Step,
    TriggerContent,
};
use model::record::{self, RecordBuilder, RecordView, Subject};
use model::snapshot::{Delta, HolderKind, Host, ItemRow, Snapshot, TriggerRow};
use model::time::NANOS;
use model::{EventId, HostId, HostMacroId, ItemId, Now, Time, TriggerId, Value, ValueType};
use pipeline::{
    Effects, Input, Interrupted, LiveTable, Shard, ShardQuery, ShardReply, ShardSettings,
    StateChange, StepEventKind, TriggerEvent, TriggerNow,
};

/// 2026-01-01 00:00:00.
pub(crate) const START: i64 = 1_767_225_600;

pub(crate) fn at(seconds: i64) -> Time {
    Time::from_clock(START + seconds, 0)
}

/// Configuration under construction.
#[derive(Default)]
pub(crate) struct Config {
    pub(crate) snapshot: Snapshot,
    next: u64,
}

pub(crate) fn item(key: &str, value_type: ValueType) -> ItemContent {
    ItemContent {
        key_: key.to_owned(),
        name: key.to_owned(),
        kind: ItemType::Trapper,
        value_type,
        ..ItemContent::default()
    }
}

pub(crate) fn step(kind: Step, params: &str) -> PreprocStep {
    PreprocStep {
        kind,
        params: params.to_owned(),
        error_handler: model::content::OnFail::Default,
        error_handler_params: String::new(),
    }
}

impl Config {
    pub(crate) fn new() -> Self {
        Self { snapshot: Snapshot { epoch: 1, ..Snapshot::default() }, next: 100 }
    }

    pub(crate) fn id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(crate) fn host(&mut self, name: &str) -> HostId {
        let id = HostId(self.id());
        let host = Host::new(id, HolderKind::Host, name.into(), format!("Visible {name}").into());
        self.snapshot.host_by_name.insert(Arc::clone(&host.host), id);
        self.snapshot.hosts.insert(id, Arc::new(host));
        id
    }

    pub(crate) fn edit(&mut self, host: HostId, change: impl FnOnce(&mut Host)) {
        let mut edited = Host::clone(&self.snapshot.hosts[&host]);
        change(&mut edited);
        self.snapshot.hosts.insert(host, Arc::new(edited));
    }

    pub(crate) fn item(&mut self, host: HostId, content: ItemContent) -> ItemId {
        self.item_row(host, content, ItemFlags::Plain)
    }

    pub(crate) fn item_row(
        &mut self,
        host: HostId,
        content: ItemContent,
        flags: ItemFlags,
    ) -> ItemId {
        let id = ItemId(self.id());
        let row =
            ItemRow { id, source: ItemId::NONE, content: Arc::new(content), extra: None, flags };
        self.edit(host, |it| it.items.push(row));
        self.snapshot.item_runs.insert(id, (id, host));
        id
    }

    /// `expression` as users write it; items are looked up in the snapshot.
    pub(crate) fn trigger(
        &mut self,
        host: HostId,
        expression: &str,
        change: impl FnOnce(&mut TriggerContent),
    ) -> TriggerId {
        let mut functions: Vec<FunctionRef> = Vec::new();
        let stored = self.store(expression, &mut functions);
        let mut content = TriggerContent {
            description: format!("trigger on {expression}"),
            expression: stored,
            functions,
            ..TriggerContent::default()
        };
        change(&mut content);
        if !content.recovery_expression.is_empty() {
            let text = content.recovery_expression.clone();
            content.recovery_expression = self.store(&text, &mut content.functions);
        }
        let id = TriggerId(self.id());
        let row = TriggerRow {
            id,
            source: TriggerId::NONE,
            content: Arc::new(content),
            extra: None,
            flags: ItemFlags::Plain,
        };
        self.edit(host, |it| it.triggers.push(row));
        self.snapshot.trigger_runs.insert(id, (id, host));
        id
    }

    fn store(&self, expression: &str, functions: &mut Vec<FunctionRef>) -> String {
        let ast = lang::expression::parse(expression).expect("a good expression");
        lang::expression::bind(&ast, functions, &mut |query| {
            let host = self.snapshot.host_named(query.host)?;
            host.item_by_key(query.key).map(|it| it.id)
        })
        .expect("known items")
    }

    pub(crate) fn user_macro_of_template(&mut self, template: HostId, name: &str, value: &str) {
        let it = HostMacro {
            hostmacroid: HostMacroId(self.id()),
            name: name.to_owned(),
            value: value.to_owned(),
            description: String::new(),
            kind: MacroType::Text,
        };
        let mut edited = Host::clone(&self.snapshot.templates[&template]);
        edited.macros.push(it);
        self.snapshot.templates.insert(template, Arc::new(edited));
    }

    pub(crate) fn user_macro(&mut self, host: HostId, name: &str, value: &str) {
        let it = HostMacro {
            hostmacroid: HostMacroId(self.id()),
            name: name.to_owned(),
            value: value.to_owned(),
            description: String::new(),
            kind: MacroType::Text,
        };
        self.edit(host, |host| {
            host.macros.retain(|it| it.name != name);
            host.macros.push(it);
        });
    }
}

/// One durable step.
pub(crate) struct Written {
    pub(crate) lsn: u64,
    pub(crate) first_event: u64,
    pub(crate) payload: Vec<u8>,
}

/// One shard with its journal.
pub(crate) struct World {
    pub(crate) shard: Shard,
    pub(crate) live: LiveTable,
    pub(crate) directory: Arc<Directory>,
    pub(crate) builder: DirectoryBuilder,
    pub(crate) effects: Effects,
    pub(crate) journal: Vec<Written>,
    pub(crate) now: Now,
    pub(crate) next_event: u64,
    /// All events so far with their ids.
    pub(crate) events: Vec<(u64, TriggerEvent)>,
    pub(crate) states: Vec<StateChange>,
    pub(crate) forwards: Vec<pipeline::ForwardBatch>,
    /// All fetches from history so far.
    pub(crate) fetches: Vec<pipeline::Fetch>,
    /// Queries of many items or trends that nobody has answered.
    pub(crate) cross_item_queries: Vec<pipeline::cross_item::CrossItemQuery>,
    record: RecordBuilder,
    /// Of days and hours.
    pub(crate) zone: TimeZone,
}

fn now_at(seconds: i64) -> Now {
    Now {
        wall: at(seconds),
        mono_ns: u64::try_from((seconds + 1_000_000) * NANOS).expect("small numbers"),
    }
}

fn new_shard(live: &LiveTable, zone: &TimeZone) -> Shard {
    Shard::new(ShardSettings { shard: 0, n_shards: 1, zone: zone.clone() }, live)
}

/// The position after so many records: positions are bytes, and no record of a test is longer than this.
fn lsn_of(n_records: usize) -> u64 {
    n_records as u64 * (1 << 30)
}

impl World {
    /// The position after all records.
    pub(crate) fn lsn(&self) -> u64 {
        lsn_of(self.journal.len())
    }

    /// Starts at second 0.
    pub(crate) fn new(config: &Config) -> Self {
        Self::in_zone(config, TimeZone::UTC)
    }

    /// As [`Self::new`], with days and hours of a zone.
    pub(crate) fn in_zone(config: &Config, zone: TimeZone) -> Self {
        let mut builder = DirectoryBuilder::new(BuilderSettings {
            n_shards: 1,
            hash_seed: 7,
            zone: zone.clone(),
        });
        let (directory, mut plans) =
            builder.apply(&Arc::new(config.snapshot.clone()), &Delta::default());
        let live = LiveTable::new(1);
        let mut shard = new_shard(&live, &zone);
        let mut effects = Effects::default();
        shard.configure(plans.remove(0), now_at(0), &mut effects);
        let mut world = Self {
            shard,
            live,
            directory,
            builder,
            effects,
            journal: Vec::new(),
            now: now_at(0),
            next_event: 1,
            events: Vec::new(),
            states: Vec::new(),
            forwards: Vec::new(),
            fetches: Vec::new(),
            cross_item_queries: Vec::new(),
            record: RecordBuilder::new(),
            zone,
        };
        world.commit();
        world.effects.clear();
        world.shard.start(world.now, &mut world.effects);
        world.commit();
        world
    }

    pub(crate) fn set_time(&mut self, seconds: i64) {
        self.now = now_at(seconds);
    }

    /// Publishes an edited configuration.
    pub(crate) fn reconfigure(&mut self, config: &mut Config) {
        config.snapshot.epoch += 1;
        let delta = Delta {
            epoch: config.snapshot.epoch,
            hosts_changed: config.snapshot.hosts.keys().copied().collect(),
            hosts_removed: self
                .directory
                .hosts()
                .map(|it| it.host().id)
                .filter(|it| !config.snapshot.hosts.contains_key(it))
                .collect(),
            ..Delta::default()
        };
        self.publish(config, &delta);
    }

    /// Goes on with a configuration of which just this changed.
    pub(crate) fn publish(&mut self, config: &Config, delta: &Delta) {
        let (directory, mut plans) = self.builder.apply(&Arc::new(config.snapshot.clone()), delta);
        self.directory = directory;
        self.effects.clear();
        self.shard.configure(plans.remove(0), self.now, &mut self.effects);
        self.commit();
    }

    /// Acts as the owner of the thread does after a step.
    pub(crate) fn commit(&mut self) {
        let first = self.next_event;
        let mut n_ids = 0;
        if self.effects.is_durable() {
            self.shard.encode(&self.effects, &mut self.record);
            n_ids = self.record.n_events();
            let lsn = lsn_of(self.journal.len() + 1);
            let payload = self.record.finish().to_vec();
            self.journal.push(Written { lsn, first_event: first, payload });
            self.shard.committed(lsn, EventId(first), &mut self.effects);
        }
        self.events.extend((first..).zip(self.effects.events.iter().cloned()));
        self.next_event += u64::from(n_ids);
        self.states.extend(self.effects.states.iter().cloned());
        self.forwards.extend(self.effects.forwards.iter().cloned());
        self.fetches.extend(self.effects.fetches.iter().copied());
        self.cross_item_queries.append(&mut self.effects.cross_item_queries);
    }

    pub(crate) fn input(&mut self, input: Input<'_>) {
        self.effects.clear();
        self.shard.step(self.now, input, &mut self.effects);
        self.commit();
    }

    /// Sends values of one host: (key, time in seconds from the start, value).
    pub(crate) fn send(&mut self, host: &str, rows: &[(&str, i64, RawRef<'_>)]) -> (u32, u32) {
        let mut batch = Batch::default();
        batch.epoch = self.directory.epoch();
        for (nth, (key, seconds, raw)) in rows.iter().enumerate() {
            let target = self.directory.lookup(host, key).expect("a known item");
            // As a request's rows without nanoseconds: see the trapper.
            let before = rows[..nth].iter().filter(|it| (it.0, it.1) == (*key, *seconds)).count();
            let time = Time(at(*seconds).0 + i64::try_from(before).expect("few"));
            batch.push(target.slot, time, *raw).expect("room");
        }
        batch.runs.push(Run { end: u32::try_from(rows.len()).expect("small numbers") });
        self.input(Input::Batch(&batch));
        let it = &self.effects.runs[0];
        (it.processed, it.failed)
    }

    /// One value at the given second, which becomes the present.
    pub(crate) fn value(&mut self, host: &str, key: &str, seconds: i64, value: f64) {
        self.set_time(seconds);
        self.send(host, &[(key, seconds, RawRef::Float(value))]);
    }

    pub(crate) fn text(&mut self, host: &str, key: &str, seconds: i64, value: &str) {
        self.set_time(seconds);
        self.send(host, &[(key, seconds, RawRef::Text(value))]);
    }

    /// Lets time pass, with all timers.
    pub(crate) fn pass(&mut self, until: i64) {
        self.pass_until(now_at(until));
    }

    /// Lets time pass by the wall clock as it is, also after it was set back.
    pub(crate) fn pass_seconds(&mut self, seconds: i64) {
        let ns = seconds * NANOS;
        let mono_ns = self.now.mono_ns + u64::try_from(ns).expect("small numbers");
        self.pass_until(Now { wall: Time(self.now.wall.0 + ns), mono_ns });
    }

    /// Somebody sets the wall clock back.
    pub(crate) fn set_clock_back(&mut self, seconds: i64) {
        self.now.wall = Time(self.now.wall.0 - seconds * NANOS);
    }

    fn pass_until(&mut self, end: Now) {
        while let Some(due) = self.shard.next_timer() {
            if end.mono_ns < due {
                break;
            }
            let wait = due.saturating_sub(self.now.mono_ns);
            self.now.mono_ns += wait;
            self.now.wall = Time(self.now.wall.0 + i64::try_from(wait).expect("small numbers"));
            self.input(Input::Timer);
        }
        self.now = end;
        self.input(Input::Timer);
    }

    pub(crate) fn last(&self, host: &str, key: &str) -> pipeline::Last {
        let target = self.directory.lookup(host, key).expect("a known item");
        self.live.last(target.shard, target.slot)
    }

    pub(crate) fn last_value(&self, host: &str, key: &str) -> Option<Value> {
        self.last(host, key).last.map(|it| it.1)
    }

    pub(crate) fn trigger(&self, trigger: TriggerId) -> TriggerNow {
        match self.shard.read(&ShardQuery::Triggers(vec![trigger])) {
            ShardReply::Triggers(mut it) => it.remove(0),
            other => panic!("{other:?}"),
        }
    }

    /// Times (seconds from the start) and kinds of a trigger's events: true is a problem.
    pub(crate) fn events_of(&self, trigger: TriggerId) -> Vec<(i64, bool)> {
        self.events
            .iter()
            .filter(|(_, it)| it.trigger == trigger)
            .map(|(_, it)| (it.time.clock() - START, matches!(it.kind, StepEventKind::Problem)))
            .collect()
    }

    /// Everything durable of all partitions, as bytes.
    /// Subject, kind and name of all events of the journal.
    pub(crate) fn journaled_events(&self) -> Vec<(Subject, record::EventKind, String)> {
        let mut found = Vec::new();
        for it in &self.journal {
            let view = RecordView::parse(&it.payload).expect("a record");
            for row in view.transitions().map(|it| it.expect("a transition")) {
                let event = row.event.map(|event| (row.subject, event.kind, event.name.to_owned()));
                found.extend(event);
            }
        }
        found
    }

    pub(crate) fn state(&self) -> Vec<Vec<u8>> {
        (0..=255).map(|it| self.shard.checkpoint(it, 0).bytes).collect()
    }

    /// A second shard with the same configuration that replays the journal after checkpoints of
    /// `checkpoint_at` records (taken by replaying these), without starting.
    pub(crate) fn replayed(&self, checkpoint_at: usize) -> Shard {
        let before = self.replay_from(&[], 0, checkpoint_at);
        let lsn = lsn_of(checkpoint_at);
        let saved: Vec<Vec<u8>> = (0..=255).map(|it| before.checkpoint(it, lsn).bytes).collect();
        // Records in front of the checkpoints are given again: they must change nothing.
        self.replay_from(&saved, checkpoint_at / 2, self.journal.len())
    }

    /// Ends the process and starts the next one from checkpoints of `checkpoint_at` records.
    pub(crate) fn restart(&mut self, checkpoint_at: usize) {
        self.restart_with(checkpoint_at, |it| it);
    }

    /// As [`Self::restart`], from checkpoints that were changed.
    pub(crate) fn restart_with(
        &mut self,
        checkpoint_at: usize,
        change: impl Fn(Vec<u8>) -> Vec<u8>,
    ) {
        let before = self.replay_from(&[], 0, checkpoint_at);
        let lsn = lsn_of(checkpoint_at);
        let saved: Vec<Vec<u8>> =
            (0..=255).map(|it| change(before.checkpoint(it, lsn).bytes)).collect();
        let live = LiveTable::new(1);
        let mut builder = DirectoryBuilder::new(BuilderSettings {
            n_shards: 1,
            hash_seed: 11,
            zone: self.zone.clone(),
        });
        let snapshot = Arc::clone(self.directory.snapshot());
        let (directory, mut plans) = builder.apply(&snapshot, &Delta::default());
        let mut shard = new_shard(&live, &self.zone);
        for bytes in &saved {
            shard.restore(bytes.as_slice()).expect("a checkpoint");
        }
        shard.configure(plans.remove(0), self.now, &mut Effects::default());
        for it in &self.journal[checkpoint_at..] {
            let view = RecordView::parse(&it.payload).expect("a record");
            shard.apply(&view, it.lsn, it.first_event).expect("a readable record");
        }
        (self.shard, self.live, self.builder, self.directory) = (shard, live, builder, directory);
        self.effects.clear();
        self.shard.start(self.now, &mut self.effects);
        self.commit();
    }

    /// Puts a shard rebuilt in the place of the one that is there, as after a panic.
    pub(crate) fn rebuild(&mut self, interrupted: Interrupted) {
        let mut builder = DirectoryBuilder::new(BuilderSettings {
            n_shards: 1,
            hash_seed: 13,
            zone: self.zone.clone(),
        });
        let snapshot = Arc::clone(self.directory.snapshot());
        let (directory, mut plans) = builder.apply(&snapshot, &Delta::default());
        let mut shard = self.shard.fresh_copy();
        shard.configure(plans.remove(0), self.now, &mut Effects::default());
        for it in &self.journal {
            let view = RecordView::parse(&it.payload).expect("a record");
            shard.apply(&view, it.lsn, it.first_event).expect("a readable record");
        }
        self.effects.clear();
        shard.resume_from(&mut self.shard, interrupted, self.now, &mut self.effects);
        (self.shard, self.builder, self.directory) = (shard, builder, directory);
        self.commit();
    }

    fn replay_from(&self, saved: &[Vec<u8>], first: usize, end: usize) -> Shard {
        let live = LiveTable::new(1);
        let mut shard = new_shard(&live, &self.zone);
        for bytes in saved {
            shard.restore(bytes.as_slice()).expect("a checkpoint");
        }
        let mut builder = DirectoryBuilder::new(BuilderSettings {
            n_shards: 1,
            hash_seed: 9,
            zone: self.zone.clone(),
        });
        let snapshot = Arc::clone(self.directory.snapshot());
        let (_, mut plans) = builder.apply(&snapshot, &Delta::default());
        shard.configure(plans.remove(0), self.now, &mut Effects::default());
        for it in &self.journal[first..end] {
            let view = RecordView::parse(&it.payload).expect("a record");
            shard.apply(&view, it.lsn, it.first_event).expect("a readable record");
        }
        shard
    }

    /// Asserts that replay gives the state that the shard has, from several points on.
    pub(crate) fn check_replay(&self) {
        let n = self.journal.len();
        for checkpoint_at in [0, n / 3, n / 2, n] {
            let replayed = self.replayed(checkpoint_at);
            for partition in 0..=255_u8 {
                let want = strip(&self.shard.checkpoint(partition, 0).bytes);
                let got = strip(&replayed.checkpoint(partition, 0).bytes);
                let differs = got.iter().zip(&want).position(|(a, b)| a != b);
                let differs = differs.or((got.len() != want.len()).then_some(0));
                let Some(at) = differs else { continue };
                let near = |it: &[u8]| {
                    let part = it.get(at.saturating_sub(60)..it.len().min(at + 60));
                    format!("{:?}", String::from_utf8_lossy(part.unwrap_or_default()))
                };
                panic!(
                    "partition {partition}, checkpoint at {checkpoint_at} of {n}, byte {at}:\n \
                     replay {}\n lived  {}",
                    near(&got),
                    near(&want)
                );
            }
        }
    }
}

/// Without the point in time at which a checkpoint was taken: replay stands at the last record, or at no
/// step at all.
fn strip(bytes: &[u8]) -> Vec<u8> {
    let mut at = 4;
    let mut skip = || {
        while 0x80 <= bytes[at] {
            at += 1;
        }
        at += 1;
    };
    skip();
    skip();
    skip();
    bytes[at..].to_vec()
}
