//! Maintenance without data collection: dropped values, skipped evaluations, and the state after a
//! replay.

use model::batch::RawRef;
use model::content::ItemType;
use model::{HostId, MaintenanceId, TriggerId, Value, ValueType};
use pipeline::{HostWithoutData, Input, Interrupted, Shard};
use proptest::prelude::*;

use crate::kit::{Config, World, at, item};

struct Made {
    config: Config,
    world: World,
    host: HostId,
    other: HostId,
    nodata: TriggerId,
    /// Of the other host, over an item of the first.
    foreign: TriggerId,
}

fn made() -> Made {
    let mut config = Config::new();
    let host = config.host("h");
    let other = config.host("other");
    config.item(host, item("k", ValueType::Float));
    config.item(other, item("o", ValueType::Float));
    let mut internal = item("i", ValueType::Float);
    internal.kind = ItemType::Internal;
    config.item(host, internal);
    let mut calculated = item("c", ValueType::Float);
    calculated.kind = ItemType::Calculated;
    calculated.delay = "10s".to_owned();
    calculated.params = "2*last(//k)".to_owned();
    config.item(host, calculated);
    let nodata = config.trigger(host, "nodata(/h/k,60s)=1", |_| {});
    let foreign = config.trigger(other, "nodata(/h/k,60s)=1 and last(/other/o)=1", |_| {});
    let world = World::new(&config);
    let mut made = Made { config, world, host, other, nodata, foreign };
    made.bring_mirrors();
    made
}

impl Made {
    /// The kit's one shard does not forward to itself.
    fn bring_mirrors(&mut self) {
        let batches = std::mem::take(&mut self.world.forwards);
        for batch in &batches {
            self.world.input(Input::Forwarded(batch));
        }
    }

    fn maintain(&mut self, second: i64, hosts: &[(HostId, u64, i64, i64)]) {
        self.world.set_time(second);
        let hosts: Vec<HostWithoutData> = hosts
            .iter()
            .map(|(host, id, since, until)| HostWithoutData {
                host: *host,
                maintenance: MaintenanceId(*id),
                since: at(*since),
                until: at(*until),
            })
            .collect();
        self.world.input(Input::WithoutData(&hosts));
    }

    fn value(&mut self, key: &str, second: i64, value: f64) -> (u32, u32) {
        self.world.set_time(second);
        let host = if key == "o" { "other" } else { "h" };
        let fared = self.world.send(host, &[(key, second, RawRef::Float(value))]);
        self.bring_mirrors();
        fared
    }

    fn last(&self, key: &str) -> Option<Value> {
        self.world.last_value("h", key)
    }
}

#[test]
fn values_are_dropped_and_count_as_processed() {
    let mut made = made();
    let host = made.host;
    made.value("k", 10, 1.0);
    made.maintain(30, &[(host, 7, 20, 3_600)]);
    assert_eq!(made.value("k", 31, 2.0), (1, 0));
    assert_eq!(made.last("k"), Some(Value::Float(1.0)));
    assert_eq!(made.world.shard.counters().in_maintenance, 1);
    // From before it, and of an internal item.
    made.world.send("h", &[("k", 19, RawRef::Float(3.0)), ("i", 31, RawRef::Float(4.0))]);
    assert_eq!(made.last("k"), Some(Value::Float(3.0)));
    assert_eq!(made.last("i"), Some(Value::Float(4.0)));
    assert_eq!(made.world.shard.counters().in_maintenance, 1);
    assert_eq!(made.value("o", 32, 0.0), (1, 0));
    assert_eq!(made.world.last_value("other", "o"), Some(Value::Float(0.0)));
    // Nothing is calculated.
    let calculated = made.world.last("h", "c").last;
    made.world.pass(100);
    assert_eq!(made.world.last("h", "c").last, calculated);
    made.maintain(101, &[]);
    made.value("k", 102, 5.0);
    assert_eq!(made.last("k"), Some(Value::Float(5.0)));
    made.world.pass(120);
    assert_eq!(made.last("c"), Some(Value::Float(10.0)));
    made.world.check_replay();
}

#[test]
fn nodata_neither_fires_in_it_nor_before_its_period_has_passed_behind_it() {
    let mut made = made();
    let host = made.host;
    made.value("k", 10, 1.0);
    made.value("o", 10, 1.0);
    made.maintain(60, &[(host, 7, 60, 3_600)]);
    made.world.pass(1_000);
    // The other host's values have its trigger judged all the same.
    made.value("o", 1_001, 1.0);
    assert_eq!(made.world.events_of(made.nodata), []);
    assert_eq!(made.world.events_of(made.foreign), []);
    assert_eq!(made.world.trigger(made.nodata).error, None, "it was not judged");
    made.maintain(2_000, &[]);
    made.world.pass(2_055);
    made.value("o", 2_056, 1.0);
    assert_eq!(made.world.events_of(made.nodata), []);
    assert_eq!(made.world.events_of(made.foreign), []);
    made.world.pass(2_095);
    made.value("o", 2_096, 1.0);
    for trigger in [made.nodata, made.foreign] {
        let [(second, true)] = made.world.events_of(trigger)[..] else { panic!("one problem") };
        assert!((2_060..=2_096).contains(&second), "{second}");
    }
    made.world.check_replay();
}

#[test]
fn a_problem_that_is_open_stays_and_an_end_that_is_moved_moves_the_period() {
    let mut made = made();
    let host = made.host;
    made.value("k", 10, 1.0);
    made.value("o", 10, 1.0);
    made.world.pass(105);
    made.value("o", 106, 1.0);
    let n_events = made.world.events.len();
    assert_eq!((made.world.events_of(made.nodata).len(), n_events), (1, 2));
    made.maintain(120, &[(host, 7, 120, 3_600)]);
    made.world.pass(3_000);
    made.maintain(3_000, &[(host, 7, 120, 7_200)]);
    made.world.pass(7_000);
    assert_eq!(made.world.events.len(), n_events, "neither recovered nor again");
    // One that follows without a gap is as one.
    made.maintain(7_200, &[(host, 8, 7_200, 9_000)]);
    assert_eq!(made.world.shard.maintenance_of(host).len(), 1);
    made.world.pass(8_900);
    made.maintain(9_000, &[]);
    assert_eq!(made.world.shard.maintenance_of(host), []);
    made.value("k", 9_010, 1.0);
    made.world.pass(9_045);
    assert_eq!(made.world.events_of(made.nodata).len(), 2, "recovered");
    made.world.check_replay();
}

#[test]
fn items_added_during_maintenance_are_in_it() {
    let mut made = made();
    let (host, other) = (made.host, made.other);
    made.maintain(20, &[(host, 7, 20, 3_600)]);
    made.config.item(host, item("new", ValueType::Float));
    let trigger = made.config.trigger(other, "nodata(/h/new,60s)=1", |_| {});
    made.world.set_time(30);
    made.world.reconfigure(&mut made.config);
    made.bring_mirrors();
    assert_eq!(made.value("new", 31, 1.0), (1, 0));
    assert_eq!(made.last("new"), None);
    made.world.pass(3_590);
    assert_eq!(made.world.events_of(trigger), []);
    made.world.check_replay();
}

#[test]
fn rebuilt_shard_goes_on_dropping() {
    let mut made = made();
    let host = made.host;
    made.maintain(20, &[(host, 7, 20, 3_600)]);
    made.world.rebuild(Interrupted::Again);
    made.value("k", 31, 2.0);
    assert_eq!(made.last("k"), None);
    made.world.pass(500);
    assert_eq!(made.world.events_of(made.foreign), []);
}

/// The state that a replay has to restore: the items whose values would be dropped, and since when
/// missing ones count.
fn known(shard: &Shard, host: HostId) -> Vec<pipeline::MaintainedHost> {
    shard.maintenance_of(host).to_vec()
}

#[derive(Clone, Debug)]
enum Act {
    Maintain(bool, bool, u64),
    Value(bool),
    Pass,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (any::<bool>(), any::<bool>(), 1_u64..4).prop_map(|(a, b, id)| Act::Maintain(a, b, id)),
        any::<bool>().prop_map(Act::Value),
        Just(Act::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// After any actions, a shard that replays the journal from any checkpoint has the state of
    /// this one.
    #[test]
    fn a_replay_knows_what_was_dropped(acts in proptest::collection::vec(act(), 1..30)) {
        let mut made = made();
        let (host, other) = (made.host, made.other);
        let mut second = 0;
        for it in acts {
            second += 17;
            match it {
                Act::Maintain(of_host, of_other, id) => {
                    let all = [(host, id, second - 5, second + 100), (other, id, second, second + 50)];
                    let picked: Vec<_> = all.into_iter().zip([of_host, of_other]).filter(|it| it.1).map(|it| it.0).collect();
                    made.maintain(second, &picked);
                }
                Act::Value(of_host) => {
                    made.value(if of_host { "k" } else { "o" }, second, 1.0);
                }
                Act::Pass => made.world.pass(second),
            }
        }
        made.world.check_replay();
        let n = made.world.journal.len();
        for checkpoint_at in [0, n / 2, n] {
            let replayed = made.world.replayed(checkpoint_at);
            for it in [host, other] {
                prop_assert_eq!(known(&replayed, it), known(&made.world.shard, it));
            }
        }
    }
}
