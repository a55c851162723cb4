//! `zabbix[spool,<what>,<reader>]` and `zabbix[health]`: records that wait in the journal for
//! stores and other readers, and the contents of `/health`.
//!
//! The journal is the queue of all of them. A reader is named as in the metrics: `embedded`,
//! `clickhouse`, `postgres`; `events` and `discovery`, which write to the database; kinds of
//! exports. Without a name the value is the worst of all, without the age of records that wait for
//! the embedded store: it has and shows each value at once, and writes files at its own interval.

use collect::ports::{CheckAnswer, not_supported};
use model::batch::OwnedRaw;
use model::key::ItemKey;
use rt::health::{Health, Level};
use rt::metrics::{Family, Gauge, Registry};

pub(super) struct Spool {
    pub(super) registry: Registry,
    pub(super) health: Health,
}

/// Families by reader: bytes and age of waiting records.
const LAGS: [(&str, &str); 2] = [
    ("saker_history_store_lag_bytes", "saker_history_store_lag_seconds"),
    ("saker_export_lag_bytes", "saker_export_lag_seconds"),
];
/// The store that has its values before they are in files: for up to `history.flush_interval_s`, which is no lag.
const LIVE: &str = "embedded";
/// Readers with a metric of their own.
const OF_ONE: [(&str, &str); 2] = [
    ("events", "saker_reader_events_lag_bytes"),
    ("discovery", "saker_reader_discovery_lag_bytes"),
];
/// Data that a reader has lost, by reader.
const DROPPED: [(&str, &str); 3] = [
    ("embedded", "saker_history_embedded_left_out_total"),
    ("clickhouse", "saker_history_clickhouse_left_out_total"),
    ("postgres", "saker_history_postgres_left_out_total"),
];
/// The same of exports, by kind.
const DROPPED_EXPORTS: [&str; 2] =
    ["saker_export_dropped_behind_total", "saker_export_dropped_refused_total"];

impl Spool {
    pub(super) fn value(&self, key: &ItemKey) -> CheckAnswer {
        if !(2..=3).contains(&key.params.len()) {
            return not_supported("Invalid number of parameters.");
        }
        let reader = Some(key.param(2)).filter(|it| !it.is_empty());
        let found = match key.param(1) {
            "bytes" => self.bytes(reader).map(whole),
            "age" => self.age(reader).map(OwnedRaw::Float),
            "dropped" => self.dropped(reader).map(whole),
            "state" => Some(OwnedRaw::Unsigned(self.state(reader))),
            _ => return not_supported("Invalid second parameter."),
        };
        found.unwrap_or_else(|| {
            OwnedRaw::Error("Invalid third parameter: there is no such reader.".to_owned())
        })
    }

    /// `zabbix[health]` and `zabbix[health,troubles]`.
    pub(super) fn health(&self, key: &ItemKey) -> CheckAnswer {
        match (key.params.len(), key.param(1)) {
            (1, _) => OwnedRaw::Unsigned(code(self.health.level())),
            (2, "troubles") => {
                let issues = self.health.issues();
                let line = |it: &rt::health::HealthIssue| {
                    format!("{} ({}): {}", it.part, it.level.as_str(), it.message)
                };
                OwnedRaw::Text(issues.iter().map(line).collect::<Vec<_>>().join("\n"))
            }
            (2, _) => not_supported("Invalid second parameter."),
            _ => not_supported("Invalid number of parameters."),
        }
    }

    /// The largest of a family without some labels, or that of one label.
    fn largest(&self, family: &str, reader: Option<&str>, without: &[&str]) -> Option<f64> {
        if reader.is_some() {
            return self.registry.value(family, reader);
        }
        let labels = self.registry.find::<Family<Gauge>>(family)?.label_values();
        let counted = labels.iter().filter(|it| !without.contains(&&***it));
        let values = counted.filter_map(|it| self.registry.value(family, Some(it)));
        Some(values.fold(0.0, f64::max))
    }

    fn bytes(&self, reader: Option<&str>) -> Option<f64> {
        let families = LAGS.iter().filter_map(|it| self.largest(it.0, reader, &[]));
        let of_one = OF_ONE.iter().filter(|it| reader.is_none_or(|reader| reader == it.0));
        families.chain(of_one.filter_map(|it| self.registry.value(it.1, None))).reduce(f64::max)
    }

    fn age(&self, reader: Option<&str>) -> Option<f64> {
        LAGS.iter().filter_map(|it| self.largest(it.1, reader, &[LIVE])).reduce(f64::max)
    }

    fn dropped(&self, reader: Option<&str>) -> Option<f64> {
        let stores = DROPPED.iter().filter(|it| reader.is_none_or(|reader| reader == it.0));
        let stores = stores.filter_map(|it| self.registry.value(it.1, None));
        let exports = DROPPED_EXPORTS.iter().filter_map(|it| self.registry.value(it, reader));
        stores.chain(exports).reduce(|a, b| a + b)
    }

    /// The state of a reader in `/health`: 0 no issue, 1 degraded, 2 failing.
    fn state(&self, reader: Option<&str>) -> u64 {
        let is_of = |part: &str| {
            let name = part.strip_prefix("history store ").or_else(|| part.strip_prefix("export "));
            let own = part.strip_suffix("-damage").unwrap_or(part);
            match reader {
                Some(reader) => name == Some(reader) || own == reader,
                None => name.is_some() || OF_ONE.iter().any(|it| it.0 == own),
            }
        };
        let issues = self.health.issues();
        let of_readers = issues.iter().filter(|it| is_of(&it.part)).map(|it| it.level);
        code(of_readers.max())
    }
}

fn code(level: Option<Level>) -> u64 {
    match level {
        None => 0,
        Some(Level::Degraded) => 1,
        Some(Level::Failing) => 2,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count, far from the largest integer"
)]
fn whole(value: f64) -> OwnedRaw {
    OwnedRaw::Unsigned(value as u64)
}

#[cfg(test)]
mod tests {
    use rt::metrics::Declaration;

    use super::*;

    /// As the feeder declares it.
    fn by_store(registry: &Registry, name: &'static str) -> Family<Gauge> {
        registry.declare(Declaration { name, former_name: "", help: "Of a test.", label: "store" })
    }

    fn value(spool: &Spool, key: &str) -> OwnedRaw {
        let key = ItemKey::parse(key).expect("a key");
        if key.param(0) == "health" { spool.health(&key) } else { spool.value(&key) }
    }

    #[test]
    fn unfiled_values_are_no_lag() {
        let spool = Spool { registry: Registry::new(), health: Health::default() };
        let age_of = by_store(&spool.registry, LAGS[0].1);
        age_of.of("embedded").set(3_500.0);
        assert_eq!(value(&spool, "zabbix[spool,age]"), OwnedRaw::Float(0.0));
        let exports =
            Declaration { name: LAGS[1].1, former_name: "", help: "Of a test.", label: "target" };
        spool.registry.declare::<Family<Gauge>>(exports).of("kafka").set(20.0);
        assert_eq!(value(&spool, "zabbix[spool,age]"), OwnedRaw::Float(20.0));
    }

    #[test]
    fn the_worst_of_all_or_one_by_name() {
        let spool = Spool { registry: Registry::new(), health: Health::default() };
        let [bytes_of, age_of] = [LAGS[0].0, LAGS[0].1].map(|it| by_store(&spool.registry, it));
        for (store, bytes, seconds) in [("embedded", 7.0, 1.5), ("clickhouse", 900.0, 60.0)] {
            bytes_of.of(store).set(bytes);
            age_of.of(store).set(seconds);
        }
        assert_eq!(value(&spool, "zabbix[spool,bytes]"), OwnedRaw::Unsigned(900));
        assert_eq!(value(&spool, "zabbix[spool,bytes,embedded]"), OwnedRaw::Unsigned(7));
        assert_eq!(value(&spool, "zabbix[spool,age]"), OwnedRaw::Float(60.0));
        age_of.of("embedded").set(3_500.0);
        assert_eq!(value(&spool, "zabbix[spool,age]"), OwnedRaw::Float(60.0));
        assert_eq!(value(&spool, "zabbix[spool,age,embedded]"), OwnedRaw::Float(3_500.0));
        assert!(matches!(value(&spool, "zabbix[spool,age,nobody]"), OwnedRaw::Error(_)));
        assert_eq!(value(&spool, "zabbix[spool,state]"), OwnedRaw::Unsigned(0));
        spool.health.set("history store clickhouse", Level::Failing, "it is away");
        spool.health.set("disk", Level::Degraded, "little is left");
        assert_eq!(value(&spool, "zabbix[spool,state]"), OwnedRaw::Unsigned(2));
        assert_eq!(value(&spool, "zabbix[spool,state,clickhouse]"), OwnedRaw::Unsigned(2));
        assert_eq!(value(&spool, "zabbix[spool,state,embedded]"), OwnedRaw::Unsigned(0));
        assert_eq!(value(&spool, "zabbix[health]"), OwnedRaw::Unsigned(2));
        let expected =
            "disk (degraded): little is left\nhistory store clickhouse (failing): it is away";
        let found = value(&spool, "zabbix[health,troubles]");
        assert_eq!(found, OwnedRaw::Text(expected.to_owned()));
    }
}
