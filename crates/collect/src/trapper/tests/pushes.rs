//! Values of the API's `history.push`.

use model::batch::Refused;
use model::push::{PushedItem, PushedValue};

use super::super::push::{Judge, PushRefusal, Verdict};
use super::*;

/// Sees all but the host `hidden`; hosts are in maintenance before this time.
struct Sees {
    hidden: bool,
    without_data_until: Time,
}

impl Judge for Sees {
    fn may_read(&self, _: &model::snapshot::Host) -> bool {
        !self.hidden
    }

    fn is_without_data(&self, _: HostId, time: Time) -> bool {
        time < self.without_data_until
    }
}

const ALL: Sees = Sees { hidden: false, without_data_until: Time(0) };

fn pushed<'a>(
    key: &'a str,
    value: &'a str,
    clock: Option<i64>,
    ns: Option<u32>,
) -> PushedValue<'a> {
    PushedValue { item: PushedItem::Key { host: "web", key }, value, clock, ns }
}

#[tokio::test]
async fn each_pushed_value_that_is_not_taken_has_its_reason() {
    let port = open().await;
    let peer = Some(IpAddr::from([127, 0, 0, 1]));
    let values = [
        pushed("trap", "1", Some(1_700_000_000), Some(5)),
        pushed("trap", "2", Some(1_700_000_000), Some(5)),
        pushed("mine", "3", None, None),
        pushed("theirs", "4", None, None),
        pushed("active", "5", None, None),
        pushed("page", "6", None, None),
        pushed("disabled", "7", None, None),
        pushed("none", "8", None, None),
        PushedValue { item: PushedItem::Id(ItemId(3)), value: "9", clock: None, ns: None },
        PushedValue { item: PushedItem::Id(ItemId(99)), value: "10", clock: None, ns: None },
    ];
    let verdicts = port.trapper.push(&values, (peer, &ALL)).await.expect("written");
    let verdicts: Vec<_> = verdicts.iter().map(|it| (it.item.map(|it| it.0), it.refusal)).collect();
    assert_eq!(
        verdicts,
        [
            (Some(1), None),
            (Some(1), Some(PushRefusal::Duplicate)),
            (Some(2), None),
            (Some(4), Some(PushRefusal::NotAllowed)),
            (Some(3), Some(PushRefusal::ItemType)),
            (Some(5), Some(PushRefusal::NoTraps)),
            (Some(6), Some(PushRefusal::Disabled)),
            (None, Some(PushRefusal::Unknown)),
            (Some(3), Some(PushRefusal::ItemType)),
            (None, Some(PushRefusal::Unknown)),
        ]
    );
    let received = port.received.lock().expect("no panic");
    let slots: Vec<u32> = received.iter().map(|it| it.0).collect();
    assert_eq!(slots, [1, 2]);
    assert_eq!(received.first().expect("two").1, Time::from_clock(1_700_000_000, 5));
}

/// A shard that refuses texts that begin with `no`, of all requests.
async fn refuse_some(queue: Deliveries) {
    while let Some(delivery) = queue.receive().await {
        let batch = &delivery.batch;
        let lengths: Vec<u32> = run_lengths(&batch.runs).collect();
        let mut start = 0;
        for (part, rows) in delivery.parts.into_iter().zip(lengths) {
            let is_refused = |row: &u32| {
                let at = usize::try_from(start + row).expect("few");
                matches!(batch.value(at), model::batch::RawRef::Text(it) if it.starts_with("no"))
            };
            let refused: Vec<_> =
                (0..rows).filter(is_refused).map(|it| (it, Refused::Time)).collect();
            let failed = u32::try_from(refused.len()).expect("few");
            let outcome = ingress::Outcome { failed, ..ingress::Outcome::processed(rows - failed) };
            part.settle_rows(outcome, &refused);
            start += rows;
        }
    }
}

#[tokio::test]
async fn refused_pushed_values_have_a_reason_and_are_counted() {
    let (port, queue) = open_with(SETTINGS).await;
    port.tasks.spawn("shard", refuse_some(queue));
    let peer = Some(IpAddr::from([127, 0, 0, 1]));
    // More than a shard takes in one step, with some that are refused before.
    let values: Vec<PushedValue<'_>> = (0..25_000)
        .map(|n| match n % 5 {
            0 => pushed("none", "1", None, None),
            3 => pushed("trap", "no", None, None),
            _ => pushed("trap", "yes", None, None),
        })
        .collect();
    let verdicts = port.trapper.push(&values, (peer, &ALL)).await.expect("written");
    assert_eq!(verdicts.len(), values.len());
    for (n, verdict) in verdicts.iter().enumerate() {
        let expected = match n % 5 {
            0 => Some(PushRefusal::Unknown),
            3 => Some(PushRefusal::Refused(Refused::Time)),
            _ => None,
        };
        assert_eq!(verdict.refusal, expected, "{n}");
        assert_eq!(verdict.item.is_some(), n % 5 != 0, "{n}");
    }
    let counted = |name: &str| port.registry.value(name, None);
    assert_eq!(counted("saker_trapper_pushed_total"), Some(15_000.0));
    assert_eq!(counted("saker_trapper_pushed_refused_total"), Some(10_000.0));
    port.tasks.shutdown().cancel();
}

#[tokio::test]
async fn pushed_values_of_hidden_or_dataless_hosts_are_refused() {
    let port = open().await;
    let peer = Some(IpAddr::from([127, 0, 0, 1]));
    let values = [
        pushed("trap", "1", Some(1_700_000_000), Some(0)),
        pushed("trap", "2", Some(1_700_000_001), Some(0)),
    ];
    let hidden = Sees { hidden: true, without_data_until: Time(0) };
    let verdicts = port.trapper.push(&values, (peer, &hidden)).await.expect("written");
    let unknown = Verdict { item: None, refusal: Some(PushRefusal::Unknown) };
    assert_eq!(verdicts, [unknown, unknown]);
    let until = Time::from_clock(1_700_000_001, 0);
    let maintained = Sees { hidden: false, without_data_until: until };
    let verdicts = port.trapper.push(&values, (peer, &maintained)).await.expect("written");
    let refusals: Vec<_> = verdicts.iter().map(|it| it.refusal).collect();
    assert_eq!(refusals, [Some(PushRefusal::Maintenance), None]);
}

#[tokio::test]
async fn pushed_values_without_nanoseconds_have_times_of_their_own() {
    let port = open().await;
    let values = vec![pushed("trap", "x", Some(1_700_000_000), None); 1_000];
    let verdicts = port.trapper.push(&values, (None, &ALL)).await.expect("written");
    assert!(verdicts.iter().all(|it| it.refusal.is_none()));
    let received = port.received.lock().expect("no panic");
    let mut times: Vec<Time> = received.iter().map(|it| it.1).collect();
    assert!(times.is_sorted());
    times.dedup();
    assert_eq!(times.len(), 1_000);
}

/// Without an address of the peer it cannot be an allowed one.
#[tokio::test]
async fn restricted_items_take_nothing_from_nowhere() {
    let port = open().await;
    let verdicts = port.trapper.push(&[pushed("mine", "3", None, None)], (None, &ALL)).await;
    let verdicts = verdicts.expect("written");
    assert_eq!(verdicts.first().expect("one").refusal, Some(PushRefusal::NotAllowed));
}
