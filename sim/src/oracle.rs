//! What must be true, worked out without the code under test.
//!
//! The oracle reads the journal as one more consumer with a cursor (its *archive*), and knows what
//! was sent and acknowledged.

use std::collections::{BTreeMap, BTreeSet};

use model::record::{EventKind, HeldRow, Num, RecordView};
use model::{ItemId, TriggerId};

use crate::config::{Config, Rule};

/// A value as it was sent, numbers and texts alike as text: texts hold the number.
pub(crate) type Sent = (ItemId, i64, u64);

/// What a run was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub sent: usize,
    pub acknowledged: usize,
    pub kills: usize,
    pub power_cuts: usize,
    pub lost_in_power_cuts: usize,
    pub events: usize,
    pub forwarded: usize,
    pub fetches: usize,
    pub checkpoints: usize,
    pub flushes: usize,
    /// Jobs that workers did, and that nobody did in time.
    pub jobs: usize,
    pub lost_jobs: usize,
    pub gathers: usize,
    /// Rows of documents sent to other hosts.
    pub rows: usize,
    /// Shards built anew.
    pub panics: usize,
    /// Events that waited for their names.
    pub held: usize,
}

/// All that was durable, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Archive {
    pub(crate) cursor: u64,
    pub(crate) values: Vec<Sent>,
    /// Event id, trigger, is a problem.
    pub(crate) events: Vec<(u64, TriggerId, bool)>,
    pub(crate) n_held: usize,
}

impl Archive {
    pub(crate) fn take(&mut self, payload: &[u8], next_lsn: u64, first_id: u64) {
        let record = RecordView::parse(payload).expect("a record");
        for row in record.numbers() {
            let row = row.expect("a number");
            let number = match row.value {
                Num::Float(it) => it.to_bits(),
                Num::Unsigned(it) => it,
            };
            self.values.push((row.item, row.ms, number));
        }
        for row in record.texts() {
            let row = row.expect("a text");
            let number = number_of(row.text);
            self.values.push((row.item, row.time.millis(), number));
        }
        for row in record.transitions() {
            let row = row.expect("a transition");
            if let Some(event) = row.event {
                let id = first_id + u64::from(event.number);
                self.events.push((id, row.trigger, event.kind == EventKind::Problem));
            }
        }
        self.n_held += record.held().filter(|it| matches!(it, Ok(HeldRow::Waits(_)))).count();
        self.cursor = next_lsn;
    }

    /// No value twice, event ids ascending.
    pub(crate) fn check(&self) {
        let unique: BTreeSet<&Sent> = self.values.iter().collect();
        assert_eq!(unique.len(), self.values.len(), "a value is in the journal twice");
        assert!(self.events.is_sorted_by(|a, b| a.0 < b.0), "event ids do not ascend");
    }
}

/// Texts are numbers, or documents with one as id.
pub(crate) fn number_of(text: &str) -> u64 {
    let digits = text.strip_prefix("{\"id\":").and_then(|it| it.split(',').next());
    digits.unwrap_or(text).parse().expect("the number that was sent")
}

/// What a document's rows bring: item and number.
pub(crate) type Rows = Vec<(ItemId, u64)>;

/// What is known of items that have work for others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    /// By number of the document.
    pub(crate) documents: BTreeMap<u64, Rows>,
    /// Scripts that nobody ran to their end: item and number.
    pub(crate) excused: BTreeSet<(ItemId, u64)>,
}

/// Judges values that are made of other values, at rest.
pub(crate) fn check_made(
    config: &Config,
    archive: &Archive,
    acknowledged: &BTreeMap<Sent, u64>,
    made: &Made,
) {
    let of = |item: ItemId| -> Vec<(i64, u64)> {
        archive.values.iter().filter(|it| it.0 == item).map(|it| (it.1, it.2)).collect()
    };
    let mut due: BTreeMap<ItemId, BTreeSet<(i64, u64)>> = BTreeMap::new();
    let mut last_sum = None;
    for (_, key, item, _) in &config.items {
        if let Some((_, bits)) = of(*item).into_iter().filter(|_| key == "float").max() {
            *last_sum.get_or_insert(0.0) += f64::from_bits(bits);
        }
    }
    for work in &config.work {
        for script in work.scripts {
            let is_due = |it: &(i64, u64)| !made.excused.contains(&(script, it.1));
            let (want, got) = (of(work.master), of(script));
            let kept: Vec<_> = got.iter().copied().filter(is_due).collect();
            let want: Vec<_> = want.into_iter().filter(is_due).collect();
            assert_eq!(kept, want, "{script}: values of its master, in order");
            assert!(got.is_sorted(), "{script}: {got:?}");
        }
        let sent: Vec<(i64, u64)> =
            acknowledged.keys().filter(|it| it.0 == work.delta).map(|it| (it.1, it.2)).collect();
        let want: Vec<(i64, u64)> =
            sent.windows(2).map(|it| (it[1].0, it[1].1 - it[0].1)).collect();
        assert_eq!(of(work.delta), want, "{}: changes of {sent:?}", work.delta);
        for (ms, document) in of(work.rows) {
            for (taker, number) in &made.documents[&document] {
                due.entry(*taker).or_default().insert((ms, *number));
            }
        }
        if let Some(want) = last_sum {
            let got = of(work.total).last().map(|it| f64::from_bits(it.1));
            assert_eq!(got, Some(want), "{}: the sum of all hosts", work.total);
        }
    }
    for work in &config.work {
        let got = of(work.taker);
        let want = due.remove(&work.taker).unwrap_or_default();
        assert_eq!(got.len(), want.len(), "{}: rows", work.taker);
        assert_eq!(got.iter().copied().collect::<BTreeSet<_>>(), want, "{}: rows", work.taker);
    }
}

/// Judges triggers from all that was stored.
pub(crate) fn check_events(config: &Config, archive: &Archive) {
    let mut by_item: BTreeMap<ItemId, Vec<(i64, u64)>> = BTreeMap::new();
    for (item, ms, number) in &archive.values {
        by_item.entry(*item).or_default().push((*ms, *number));
    }
    let none = Vec::new();
    for (trigger, rule) in &config.rules {
        let got: Vec<bool> =
            archive.events.iter().filter(|it| it.1 == *trigger).map(|it| it.2).collect();
        match rule {
            Rule::Threshold { item, limit } => {
                let values = by_item.get(item).unwrap_or(&none);
                #[expect(clippy::cast_precision_loss, reason = "small numbers")]
                let truths = values.iter().map(|it| it.1 as f64 > *limit);
                assert_eq!(got, changes(truths), "{trigger}: {rule:?}");
            }
            Rule::Window { item, limit } => {
                let values = by_item.get(item).unwrap_or(&none);
                let truths = values.iter().enumerate().map(|(at, (now, _))| {
                    let in_window = |it: &&(i64, u64)| now - 60_000 < it.0;
                    *limit < values[..=at].iter().filter(in_window).count()
                });
                // Moments that waited for a window are judged again after a crash at the last of
                // them only: changes in between may be missing, the outcome may not.
                let want = changes(truths);
                assert!(got.windows(2).all(|it| it[0] != it[1]), "{trigger}: {got:?}");
                assert!(got.len() <= want.len(), "{trigger}: {got:?}, not {want:?}");
                let is_open = |it: &[bool]| it.last().copied().unwrap_or(false);
                assert_eq!(is_open(&got), is_open(&want), "{trigger}: {got:?}, not {want:?}");
            }
            Rule::EachForeign { item } => {
                let n_values = by_item.get(item).map_or(0, Vec::len);
                assert_eq!(got.len(), n_values, "{trigger}: an event for each value of {item}");
            }
            Rule::Sum { items, limit } => {
                let last = |it: &ItemId| by_item.get(it).and_then(|it| it.last());
                let lasts: Option<Vec<f64>> =
                    items.iter().map(|it| last(it).map(|it| f64::from_bits(it.1))).collect();
                // In between other orders are as good; at rest only one answer is.
                if let Some(lasts) = lasts {
                    let want = *limit < lasts.iter().sum::<f64>();
                    let is_problem = got.last().copied().unwrap_or(false);
                    assert_eq!(is_problem, want, "{trigger}: {lasts:?} over {limit}");
                }
            }
        }
    }
}

/// The events of single generation.
fn changes(truths: impl Iterator<Item = bool>) -> Vec<bool> {
    let mut events = Vec::new();
    let mut is_problem = false;
    for truth in truths {
        if truth != is_problem {
            events.push(truth);
            is_problem = truth;
        }
    }
    events
}
