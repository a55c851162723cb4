//! What leaves the shards as work for others: scripts, documents, functions over many items.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use directory::Target;
use history::{RangeQuery, Store};
use model::batch::{Batch, OwnedRaw, RawRef};
use model::{ItemId, Time, Value, ValueType};
use pipeline::cross_item::{ReadRange, Source};
use pipeline::{FetchFailed, HeavyDone, Input, Live};
use script::Script;
use script::Scripts;
use window::Samples;

use super::{World, samples_of};
use crate::config::Role;
use crate::oracle::{Sent, number_of};

/// A worker's answer, and what it is about.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) done: HeavyDone,
    pub(super) item: ItemId,
    pub(super) number: u64,
}

/// Every script gives back what it got.
struct Same;

impl Scripts for Same {
    fn run(&mut self, _script: &Script, value: &str) -> Result<Option<String>, String> {
        Ok(Some(value.to_owned()))
    }
}

/// What functions over many items read.
struct Stored<'a> {
    history: &'a dyn Store,
    live: &'a Live,
}

impl Source for Stored<'_> {
    fn read(
        &mut self,
        (item, kind): (ItemId, ValueType),
        range: ReadRange,
    ) -> Result<Samples, FetchFailed> {
        let from = Time(range.from.0.saturating_add(1));
        let (till, limit) = (range.until, range.max);
        let query = RangeQuery { item, kind, from, till, limit, newest_first: true };
        let mut rows = self.history.range(&query).expect("readable").into_samples();
        rows.reverse();
        Ok(samples_of(kind, rows))
    }

    fn newest(&mut self, item: &Target) -> Option<Samples> {
        let known = self.live.last(item.shard, item.slot);
        let rows = [known.prev, known.last].into_iter().flatten();
        let rows = rows.filter_map(|it| match it.1 {
            Value::Float(value) => Some((it.0, value)),
            _ => None,
        });
        Some(Samples::Float(rows.collect()))
    }

    fn is_unsupported(&mut self, item: &Target) -> bool {
        self.live.shard(item.shard).is_some_and(|it| it.cell(item.slot).unsupported)
    }
}

impl World {
    /// A value that makes work.
    pub(super) fn give_work(&mut self, batches: &mut BTreeMap<u16, (Batch, Vec<Sent>)>) {
        let at = self.random.below(self.config.work.len());
        let work = self.config.work[at].clone();
        let role = [Role::Master, Role::Delta, Role::Rows][self.random.below(3)];
        let (item, key) = work.target(role);
        self.next_number += 1;
        let number = self.next_number;
        let time = Time::from_millis(self.now_ms);
        self.now_ms += 1;
        let text = if role == Role::Rows { self.document(number) } else { number.to_string() };
        let process = self.process.as_ref().expect("the process runs");
        let target = process.directory.lookup(&work.host, key).expect("configured");
        let (batch, sent) = batches.entry(target.shard).or_default();
        batch.epoch = process.directory.epoch();
        batch.push(target.slot, time, RawRef::Text(&text)).expect("room");
        sent.push((item, time.millis(), number));
    }

    /// A row for some of the hosts, one each.
    fn document(&mut self, number: u64) -> String {
        let mut text = format!("{{\"id\":{number},\"data\":[");
        let mut rows = Vec::new();
        for at in 0..self.config.work.len() {
            if !self.random.once_in(2) {
                continue;
            }
            let work = &self.config.work[at];
            let value = number * 100 + at as u64;
            let comma = if rows.is_empty() { "" } else { "," };
            let host = &work.host;
            write!(text, "{comma}{{\"host\":\"{host}\",\"v\":{value}}}").expect("a text");
            rows.push((work.taker, value));
        }
        self.summary.rows += rows.len();
        self.made.documents.insert(number, rows);
        // Some are too long for a shard to take apart.
        let rest = if self.random.once_in(4) { "x".repeat(70_000) } else { String::new() };
        text + "],\"rest\":\"" + &rest + "\"}"
    }

    /// A worker takes any job; some never come back, and somebody else answers for them.
    pub(super) fn work(&mut self) {
        let n_jobs = self.process().jobs.len();
        if n_jobs == 0 {
            return;
        }
        let at = self.random.below(n_jobs);
        let (thread, job) = self.process().jobs.swap_remove(at);
        let OwnedRaw::Text(text) = job.value.as_ref() else { panic!("a text: {job:?}") };
        let (item, number) = (job.item, number_of(text));
        let is_script = self.config.work.iter().any(|it| it.scripts.contains(&item));
        let answer = |done| Answer { done, item, number };
        let done = answer(job.run(&mut Same));
        self.summary.jobs += 1;
        let mut answers = vec![done];
        if is_script && self.random.once_in(12) {
            self.made.excused.insert((item, number));
            self.summary.lost_jobs += 1;
            // The worker itself may still come back, too late.
            answers.insert(0, answer(job.failed("the worker is lost")));
            if self.random.once_in(2) {
                answers.truncate(1);
            }
        }
        self.process().threads[thread].done.extend(answers);
    }

    /// The reader of many items answers one question.
    pub(super) fn cross_item(&mut self) {
        let process = self.process.as_mut().expect("the process runs");
        let Some((at, cross_item)) = process.cross_item_queries.pop_front() else { return };
        let mut stored = Stored { history: &*process.history, live: &process.live };
        let answer = process.cross_item_reader.answer(&cross_item, &process.directory, &mut stored);
        process.threads[at].cross_item_answers.push(answer);
        self.summary.cross_item_queries += 1;
    }

    /// What workers and readers answered reaches the shard. Says whether there was something.
    pub(super) fn take_answers(&mut self, at: usize) -> bool {
        let thread = &mut self.process().threads[at];
        if let Some(answer) = thread.done.pop_front() {
            self.answered(at, &answer);
            return true;
        }
        let cross_item_answers = std::mem::take(&mut thread.cross_item_answers);
        if cross_item_answers.is_empty() {
            return false;
        }
        self.step(at, Input::CrossItemAnswers(&cross_item_answers), &[]);
        true
    }
}
