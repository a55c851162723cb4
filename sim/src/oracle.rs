//! Invariants, worked out without the code under test.
//!
//! The oracle reads the journal as one more consumer with a cursor (its *archive*), and knows the
//! sent and acknowledged values.

use std::collections::{BTreeMap, BTreeSet};

use model::record::{
    DeferredEvaluationRow, EventAwaitingNameRow, EventKind, Num, RecordView, Subject, Watermark,
};
use model::{HostId, ItemId, TriggerId};

use crate::config::{Config, Rule};

/// A value as it was sent, numbers and texts alike as text: texts hold the number.
pub(crate) type Sent = (ItemId, i64, u64);

/// Numbers that add up.
macro_rules! counted {
    ($(#[$doc:meta])* pub struct $name:ident { $($(#[$field_doc:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: usize,)*
        }

        impl $name {
            /// Adds another one's.
            pub fn add(&mut self, other: &Self) {
                $(self.$field += other.$field;)*
            }
        }
    };
}

counted! {
    /// The contents of a run.
    pub struct Summary {
        turns,
        sent,
        acknowledged,
        kills,
        power_cuts,
        /// Planned stops.
        stops,
        lost_in_power_cuts,
        events,
        forwarded,
        fetches,
        checkpoints,
        flushes,
        /// Merges of history files.
        merges,
        /// Items whose values were deleted.
        cleared,
        /// Hours of trends that were compared.
        trend_hours,
        /// Files of the journal that were let go of.
        journal_files_gone,
        /// Jobs that workers did, and that nobody did in time.
        jobs,
        lost_jobs,
        cross_item_queries,
        /// Rows of documents sent to other hosts.
        rows,
        /// Steps that panicked.
        panics,
        /// Events that waited for their names.
        awaiting_names,
        /// Evaluations of triggers that were deferred, and those that were when the process ended.
        deferred_evaluations,
        cut_off,
        /// Problems that were closed by hand, and those of them while evaluations were deferred.
        closed,
        closed_waiting,
        /// Questions that history did not answer at first.
        failures,
        /// Faults of the disk, and how often somebody waited for it.
        disk_faults,
        disk_waits,
        /// Times that the database was away when it was asked, and that its answer was lost.
        database_refusals,
        database_unheard,
        /// Times that the store elsewhere was away when it was asked.
        remote_refusals,
        /// Values of sessions that came again, connections that were cut, answers that were lost.
        resends,
        cut_connections,
        lost_answers,
        /// Requests of a session while another one was under way.
        parallel,
        edits,
        clock_steps,
        /// Results of discovery that were applied.
        discoveries,
    }
}

/// An event as the journal has it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) id: u64,
    pub(crate) subject: Subject,
    pub(crate) ms: i64,
    pub(crate) is_problem: bool,
    /// Problems that it ends.
    pub(crate) ends: Vec<u64>,
    pub(crate) is_by_hand: bool,
    /// The record that it is in.
    pub(crate) lsn: u64,
}

/// All that was durable, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Archive {
    pub(crate) cursor: u64,
    pub(crate) values: Vec<Sent>,
    /// The record that each is in.
    pub(crate) lsns: Vec<u64>,
    pub(crate) events: Vec<Seen>,
    pub(crate) n_awaiting_names: usize,
    pub(crate) n_deferred_evaluations: usize,
    /// Results of discovery.
    pub(crate) results: Vec<(ItemId, String)>,
    /// Marks of sessions: host, token, last id, and how many values were in the journal with it.
    pub(crate) marks: Vec<(HostId, String, u64, usize)>,
    /// Values forwarded to other partitions.
    pub(crate) n_forwarded: usize,
    known: BTreeSet<Sent>,
}

/// The values of a record.
pub(crate) fn values_in(record: &RecordView<'_>) -> Vec<Sent> {
    let mut values = Vec::new();
    for row in record.numbers() {
        let row = row.expect("a number");
        let number = match row.value {
            Num::Float(it) => it.to_bits(),
            Num::Unsigned(it) => it,
        };
        values.push((row.item, row.ms, number));
    }
    for row in record.texts() {
        let row = row.expect("a text");
        values.push((row.item, row.time.millis(), number_of(row.text)));
    }
    values
}

impl Archive {
    pub(crate) fn take(&mut self, payload: &[u8], next_lsn: u64, first_id: u64) {
        let record = RecordView::parse(payload).expect("a record");
        for value in values_in(&record) {
            assert!(self.known.insert(value), "{value:?} is in the journal twice");
            self.values.push(value);
        }
        for row in record.watermarks() {
            match row.expect("a mark") {
                Watermark::Session { host, session, last_id } => {
                    self.marks.push((host, session.to_owned(), last_id, self.values.len()));
                }
                Watermark::ProxySession { .. } | Watermark::Log { .. } => {}
            }
        }
        self.n_forwarded += record.forwards().count();
        for row in record.discoveries() {
            let row = row.expect("a result of discovery");
            self.results.push((row.rule, row.text.to_owned()));
        }
        for row in record.transitions() {
            let row = row.expect("a transition");
            if let Some(event) = row.event {
                self.events.push(Seen {
                    id: first_id + u64::from(event.number),
                    subject: row.subject,
                    ms: row.time.millis(),
                    is_problem: event.kind == EventKind::Problem,
                    ends: event.recovered.map(|it| it.id(first_id).0).collect(),
                    is_by_hand: event.closed_by.is_some(),
                    lsn: next_lsn,
                });
            }
        }
        self.lsns.resize(self.values.len(), next_lsn);
        let is_deferral = |it: &Result<DeferredEvaluationRow, _>| {
            matches!(it, Ok(DeferredEvaluationRow::Waits { .. }))
        };
        self.n_deferred_evaluations += record.deferred_evaluations().filter(is_deferral).count();
        self.n_awaiting_names += record
            .events_awaiting_names()
            .filter(|it| matches!(it, Ok(EventAwaitingNameRow::Waits(_))))
            .count();
        self.cursor = next_lsn;
    }

    /// Event ids ascend; no mark of a session stands for more than the journal has with it, and none of
    /// a session's values is there twice or before one with a lower id.
    pub(crate) fn check(&self, sessions: &Sessions) {
        assert!(self.events.is_sorted_by(|a, b| a.id < b.id), "event ids do not ascend");
        // When each number came: values have it once, whatever their time is.
        let mut places = BTreeMap::new();
        for (at, (item, _, number)) in self.values.iter().enumerate() {
            if sessions.items.contains(item) {
                let before = places.insert(*number, at);
                assert!(before.is_none(), "value {number} of a session is in the journal twice");
            }
        }
        for numbers in sessions.numbers.values() {
            let found: Vec<usize> =
                numbers.iter().filter_map(|it| places.get(it)).copied().collect();
            assert!(found.is_sorted(), "values of a session are out of order");
        }
        for (_, token, last_id, n_values) in &self.marks {
            let numbers = &sessions.numbers[token];
            let n = usize::try_from(*last_id).expect("few");
            for number in numbers.iter().take(n).filter(|it| !sessions.lost.contains(it)) {
                let is_there = places.get(number).is_some_and(|it| it < n_values);
                assert!(
                    is_there,
                    "the mark {last_id} of session {token}, with {n_values} values, is ahead of value \
                     {number} of {numbers:?}, which came at {:?}",
                    places.get(number)
                );
            }
        }
    }
}

/// Values that agents have sent: by token, the numbers of a session's values in the order of their
/// ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sessions {
    pub(crate) items: BTreeSet<ItemId>,
    pub(crate) numbers: BTreeMap<String, Vec<u64>>,
    pub(crate) sent: BTreeSet<u64>,
    /// And a position not before the end of the record.
    pub(crate) acknowledged: BTreeMap<u64, u64>,
    /// Acknowledged ones that power cuts may have taken: their agents do not send them again.
    pub(crate) lost: BTreeSet<u64>,
}

/// Texts are numbers, or documents with one as id.
pub(crate) fn number_of(text: &str) -> u64 {
    let digits = text.strip_prefix("{\"id\":").and_then(|it| it.split(',').next());
    digits.unwrap_or(text).parse().expect("the number that was sent")
}

/// The rows of a document: item and number.
pub(crate) type Rows = Vec<(ItemId, u64)>;

/// State of items with work for other threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    /// By number of the document.
    pub(crate) documents: BTreeMap<u64, Rows>,
    /// Numbers whose scripts nobody ran to their end.
    pub(crate) excused: BTreeSet<u64>,
    /// The number that was sent to an item at a time.
    pub(crate) numbers: BTreeMap<(ItemId, i64), u64>,
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
            let is_due = |it: &(i64, u64)| !made.excused.contains(&it.1);
            let (want, got) = (of(work.master), of(script));
            let kept: Vec<_> = got.iter().copied().filter(is_due).collect();
            let want: Vec<_> = want.into_iter().filter(is_due).collect();
            assert_eq!(kept, want, "{script}: values of its master, in order");
            assert!(got.is_sorted(), "{script}: {got:?}");
        }
        check_delta(work.delta, &of(work.delta), acknowledged, made);
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

/// Each value's change against the value before it, of all that were taken.
fn check_delta(item: ItemId, got: &[(i64, u64)], acknowledged: &BTreeMap<Sent, u64>, made: &Made) {
    let mut taken = BTreeSet::new();
    let mut last = None;
    for (ms, change) in got {
        let number = made.numbers[&(item, *ms)];
        let before = number - change;
        assert!(last.is_none_or(|it| it == before), "{item}: {number} against {before}, {last:?}");
        taken.extend([before, number]);
        last = Some(number);
    }
    let sent: Vec<u64> = acknowledged.keys().filter(|it| it.0 == item).map(|it| it.2).collect();
    // Of the first value alone nothing is made.
    let missing = sent.iter().filter(|it| !taken.contains(it)).count();
    assert!(missing == 0 || (got.is_empty() && sent.len() == 1), "{item}: {sent:?} and {taken:?}");
}

/// Judges triggers from all that was stored. `closed`: the problems that were closed by hand;
/// `was_behind`: some values were ahead of the server's clock.
pub(crate) fn check_events(
    config: &Config,
    archive: &Archive,
    closed: &BTreeMap<u64, u64>,
    was_behind: bool,
) {
    check_ends(archive, closed);
    check_states(archive);
    for (trigger, rule) in &config.rules {
        let got: Vec<&Seen> =
            archive.events.iter().filter(|it| it.subject == Subject::Trigger(*trigger)).collect();
        let problems: Vec<i64> = got.iter().filter(|it| it.is_problem).map(|it| it.ms).collect();
        match rule {
            Rule::Threshold { item, limit } => {
                #[expect(clippy::cast_precision_loss, reason = "small numbers")]
                let values = values_of(archive, *item).map(|(_, it)| it as f64 > *limit);
                check_single(*trigger, rule, &got, (archive, *item, values.collect()));
            }
            Rule::Window { item, limit } => {
                let truths = greatest(archive, *item).map(|it| *limit < it);
                check_single(*trigger, rule, &got, (archive, *item, truths.collect()));
            }
            Rule::WindowEach { item, limit } => {
                let truths = greatest(archive, *item).map(|it| *limit < it);
                let times = values_of(archive, *item).map(|it| it.0);
                let want: Vec<i64> = times.zip(truths).filter(|it| it.1).map(|it| it.0).collect();
                assert_eq!(problems, want, "{trigger}: {rule:?}");
            }
            Rule::EachForeign { item } => {
                let mut want: Vec<i64> = values_of(archive, *item).map(|it| it.0).collect();
                // In the order in which they came.
                want.sort_unstable();
                let mut problems = problems;
                problems.sort_unstable();
                assert_eq!(problems, want, "{trigger}: an event for each value of {item}");
            }
            // Of values that come late, and before others that are ahead of the clock, the last word is
            // not theirs: decision 18.
            Rule::Sum { .. } if was_behind => {}
            Rule::Sum { items, limit } => {
                let last = |it: &ItemId| values_of(archive, *it).last();
                let lasts: Option<Vec<f64>> =
                    items.iter().map(|it| last(it).map(|it| f64::from_bits(it.1))).collect();
                // In between other orders are as good; at rest only one answer is.
                if let Some(lasts) = lasts {
                    let want = *limit < lasts.iter().sum::<f64>();
                    let is_problem = got.last().is_some_and(|it| it.is_problem);
                    assert_eq!(is_problem, want, "{trigger}: {lasts:?} over {limit}");
                }
            }
        }
    }
}

/// No problem ends twice; those that were closed by hand do.
fn check_ends(archive: &Archive, closed: &BTreeMap<u64, u64>) {
    let all: Vec<u64> = archive.events.iter().flat_map(|it| it.ends.iter().copied()).collect();
    let ended: BTreeSet<u64> = all.iter().copied().collect();
    assert_eq!(ended.len(), all.len(), "a problem ends twice");
    for event in closed.keys() {
        assert!(ended.contains(event), "{event} was closed by hand and is open");
    }
}

/// Each first event of a state, of an item or a trigger, begins a problem, the next one ends it.
fn check_states(archive: &Archive) {
    let mut is_bad: BTreeMap<(u8, u64), bool> = BTreeMap::new();
    for event in archive.events.iter().filter(|it| it.subject.trigger().is_none()) {
        let subject = event.subject;
        let before = is_bad.insert((subject.object(), subject.id()), event.is_problem);
        assert_eq!(before.unwrap_or(false), !event.is_problem, "{event:?} changes nothing");
    }
}

/// Time and number of an item's values.
fn values_of(archive: &Archive, item: ItemId) -> impl Iterator<Item = (i64, u64)> + '_ {
    archive.values.iter().filter(move |it| it.0 == item).map(|it| (it.1, it.2))
}

/// At each value: the greatest of the ten seconds up to it.
fn greatest(archive: &Archive, item: ItemId) -> impl Iterator<Item = u64> {
    let values: Vec<(i64, u64)> = values_of(archive, item).collect();
    (0..values.len()).map(move |at| {
        let is_in_window = |it: &&(i64, u64)| values[at].0 - 10_000 < it.0;
        values[..=at].iter().filter(is_in_window).map(|it| it.1).max().unwrap_or(0)
    })
}

/// Judges a trigger of single generation: the result of judging each value as it came. `truths`:
/// the value of the expression at each value.
fn check_single(
    trigger: TriggerId,
    rule: &Rule,
    got: &[&Seen],
    (archive, item, truths): (&Archive, ItemId, Vec<bool>),
) {
    let values = archive.values.iter().zip(&archive.lsns).filter(|it| it.0.0 == item);
    let values =
        values.zip(truths).map(|((value, lsn), truth)| (*lsn, Happened::Value(value.1, truth)));
    let problems: Vec<u64> = got.iter().filter(|it| it.is_problem).map(|it| it.id).collect();
    let by_hand = got.iter().filter(|it| it.is_by_hand);
    let closings = by_hand.flat_map(|seen| seen.ends.iter().map(|it| (seen.lsn, *it)));
    let closings = closings.map(|(lsn, event)| {
        let n = problems.iter().position(|it| *it == event).expect("a problem of the trigger");
        (lsn, Happened::Closed(n))
    });
    let mut all: Vec<(u64, Happened)> = values.chain(closings).collect();
    all.sort_by_key(|it| it.0);
    // Problems, with the times of those that began.
    let mut want: Vec<Option<i64>> = Vec::new();
    let mut n_problems = 0;
    for (_, it) in all {
        let is_problem = want.last().is_some_and(Option::is_some);
        match it {
            Happened::Value(ms, true) if !is_problem => {
                n_problems += 1;
                want.push(Some(ms));
            }
            Happened::Value(_, false) if is_problem => want.push(None),
            // One that would have ended before stays as it is.
            Happened::Closed(n) if is_problem && n + 1 == n_problems => want.push(None),
            Happened::Value(..) | Happened::Closed(_) => {}
        }
    }
    let got: Vec<Option<i64>> = got.iter().map(|it| it.is_problem.then_some(it.ms)).collect();
    assert_eq!(got, want, "{trigger}: {rule:?}");
}

/// An input of a trigger's value.
enum Happened {
    /// Its time, and whether the expression is true.
    Value(i64, bool),
    /// The n-th problem is closed by hand.
    Closed(usize),
}
