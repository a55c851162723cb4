//! Invariants at rest.

use std::collections::{BTreeMap, BTreeSet};

use history::{LiveStore, RangeQuery, Trend, TrendQuery};
use model::record::Hour;
use model::{EventId, ItemId, Time, TriggerId, Value, ValueType};

use super::World;
use super::clients::ids;
use crate::config::{Rule, Work};
use crate::oracle::{Archive, Sent, check_events, check_made};
use crate::outside::lock;

/// Id, subject by its codes, time, whether it is a problem, and the events that it ends.
type EventNow = (EventId, (u8, u8, u64), i64, bool, Vec<u64>);

impl World {
    /// Asserts that nothing was lost or doubled.
    pub(super) fn check(&mut self) {
        let archive = lock(&self.archive).clone();
        archive.check(&self.sessions);
        self.check_values(&archive);
        check_events(&self.config, &archive, &self.closed, self.was_behind);
        let mut made = self.made.clone();
        made.excused = lock(&self.bugs).excused.clone();
        check_made(&self.config, &archive, &self.acknowledged, &made);
        self.check_history(&archive);
        self.summary.trend_hours += self.check_trends(&archive);
        self.check_database(&archive);
        assert_eq!(self.remote.stored(), archive.values, "the store elsewhere");
    }

    fn check_values(&self, archive: &Archive) {
        let archived: BTreeSet<&Sent> = archive.values.iter().collect();
        let is_raw = |it: &&Sent| !self.config.work.iter().any(|of| of.delta == it.0);
        for sent in self.acknowledged.keys().filter(is_raw) {
            assert!(archived.contains(sent), "{sent:?} was acknowledged and is lost");
        }
        let numbers: BTreeSet<u64> = archive.values.iter().map(|it| it.2).collect();
        for number in self.sessions.acknowledged.keys() {
            assert!(
                numbers.contains(number),
                "value {number} of a session was acknowledged and is lost"
            );
        }
        // Nothing is there that nobody has sent.
        let made: BTreeSet<ItemId> =
            self.config.work.iter().flat_map(Work::made).map(|it| it.0).collect();
        for value in &archive.values {
            let is_known = made.contains(&value.0)
                || self.sessions.items.contains(&value.0)
                || self.sent.contains(value);
            assert!(is_known, "{value:?} was never sent");
        }
    }

    fn check_history(&self, archive: &Archive) {
        let process = self.process.as_ref().expect("the process runs");
        let sent = self.config.items.iter().map(|it| (it.2, it.3));
        let made = self.config.work.iter().flat_map(Work::made);
        let agents = self.agents.iter().map(|it| (it.item, ValueType::Text));
        for (item, kind) in sent.chain(made).chain(agents) {
            let got = stored(&*process.history, item, kind);
            let from = self.kept_from(item);
            // The effect of a deletion that failed is unknown.
            let is_known = from.iter().any(|from| {
                let of_item = archive.values.iter().zip(&archive.lsns);
                let of_item = of_item.filter(|(value, lsn)| value.0 == item && from < lsn);
                let mut want: Vec<(i64, u64)> = of_item.map(|it| (it.0.1, it.0.2)).collect();
                want.sort_by_key(|it| it.0);
                got == want
            });
            assert!(is_known, "history of {item}, deleted up to one of {from:?}: {got:?}");
        }
    }

    /// Hours before that of an item's last value have ended: their trends are stored, once. Returns
    /// how many there are.
    fn check_trends(&self, archive: &Archive) -> usize {
        let mut n_hours = 0;
        let process = self.process.as_ref().expect("the process runs");
        let is_cleared = |it: ItemId| self.cleared.contains_key(&it);
        let items = self.config.items.iter().map(|it| (it.2, it.3));
        for (item, kind) in items.filter(|it| it.1.is_numeric() && !is_cleared(it.0)) {
            let mut want: BTreeMap<Hour, Trend> = BTreeMap::new();
            for (_, ms, bits) in archive.values.iter().filter(|it| it.0 == item) {
                let time = Time::from_millis(*ms);
                let part = if kind == ValueType::Float {
                    Trend::of_float(time, f64::from_bits(*bits))
                } else {
                    Trend::of_unsigned(time, *bits)
                };
                let whole = want.entry(part.hour).or_insert(Trend { count: 0, ..part });
                if whole.count == 0 {
                    *whole = part;
                } else {
                    assert!(whole.add(&part), "an item has one type");
                }
            }
            let [from, till] = [-1, 1].map(|it| Hour(it * 1_000_000_000));
            let queries = [TrendQuery { item, kind, from, till }];
            let got = process.history.trends(&queries).expect("readable").concat();
            let got: BTreeMap<Hour, Trend> = got.iter().map(|it| (it.hour, *it)).collect();
            let last = want.last_key_value().map(|it| *it.0);
            for (hour, want) in want.iter().filter(|it| Some(*it.0) != last) {
                assert_eq!(got.get(hour), Some(want), "trend of {item}");
                n_hours += 1;
            }
            for (hour, got) in &got {
                let most = want.get(hour).map_or(0, |it| it.count);
                assert!(got.count <= most, "trend of {item}: {got:?} of {most} values");
            }
        }
        n_hours
    }

    /// Behind which position an item's values may be there: that of the last deletion that is certain, or one of a later one
    /// that is not.
    fn kept_from(&self, item: ItemId) -> Vec<u64> {
        let mut possible = vec![0];
        for (until, is_certain) in self.cleared.get(&item).into_iter().flatten() {
            if *is_certain {
                possible.clear();
            }
            possible.push(*until);
        }
        possible
    }

    fn check_database(&self, archive: &Archive) {
        self.database.with(|tables| {
            let got: Vec<EventNow> = (tables.events.values())
                .map(|it| {
                    let ends = it.recovers.iter().map(|it| it.0).collect();
                    let subject = (it.source, it.object, it.objectid);
                    (it.eventid, subject, it.time.millis(), it.is_problem(), ends)
                })
                .collect();
            let want: Vec<EventNow> = (archive.events.iter())
                .map(|it| {
                    let subject = (it.subject.source(), it.subject.object(), it.subject.id());
                    (EventId(it.id), subject, it.ms, it.is_problem, it.ends.clone())
                })
                .collect();
            assert_eq!(got, want, "events of the database");
            // Of several results that wait only the newest is applied, one that was applied may come again,
            // and one that a power cut took from the journal may have been applied before.
            let newest = |results: &[(ItemId, String)]| -> BTreeMap<ItemId, String> {
                results.iter().cloned().collect()
            };
            let applied = newest(&tables.results);
            for (rule, text) in newest(&archive.results) {
                let got = applied.get(&rule).expect("an applied result");
                let is_archived = archive.results.iter().any(|it| it.0 == rule && it.1 == *got);
                assert!(*got == text || !is_archived, "{rule}: {got} is applied, {text} came last");
            }
        });
        // How triggers stand follows from their events.
        let open = ids(&self.database.open_problems());
        let process = self.process.as_ref().expect("the process runs");
        for (trigger, rule) in &self.config.rules {
            let is_problem = process.states.trigger(*trigger).is_problem;
            let is_multiple = matches!(rule, Rule::EachForeign { .. } | Rule::WindowEach { .. });
            if !is_multiple {
                assert_eq!(is_problem, open.contains(trigger), "{trigger}: {rule:?}");
            }
        }
    }

    /// How triggers stand, and since when.
    pub(super) fn states(&self) -> BTreeMap<TriggerId, (bool, Time)> {
        let process = self.process.as_ref().expect("the process runs");
        let states = self.config.rules.iter().map(|it| {
            let state = process.states.trigger(it.0);
            (it.0, (state.is_problem, state.last_change))
        });
        states.collect()
    }
}

fn stored(history: &dyn LiveStore, item: ItemId, kind: ValueType) -> Vec<(i64, u64)> {
    let query = RangeQuery {
        item,
        kind,
        from: Time(i64::MIN),
        till: Time::MAX,
        limit: usize::MAX,
        newest_first: false,
    };
    let samples = history.range(&query).expect("readable").into_samples();
    let samples = samples.into_iter().map(|it| {
        let bits = match &it.value {
            Value::Float(it) => it.to_bits(),
            Value::Unsigned(it) => *it,
            text => text.as_text().and_then(|it| it.parse().ok()).expect("a number"),
        };
        (it.time.millis(), bits)
    });
    samples.collect()
}
