//! Values that one partition had sent to another when the process was killed are not lost, and
//! count once.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::support::peer::Counts;
use crate::support::{Server, UNSIGNED, now, wait_until};
use journal::Journal;
use model::record::{ForwardRow, RecordBuilder, RecordHead};
use model::{HostId, ItemId, Time, partition_of};
use serde_json::json;

const DEADLINE: Duration = Duration::from_secs(30);

fn partition(host: &str) -> u8 {
    partition_of(HostId(host.parse().unwrap()))
}

/// A host whose partition is another one's.
fn host_elsewhere(server: &Server, than: &str) -> (String, String) {
    (0..)
        .map(|it| format!("far-{it}"))
        .map(|name| (server.host(&name), name))
        .find(|(id, _)| partition(id) != partition(than))
        .unwrap()
}

/// Writes the records of a shard thread before its values go to other partitions: the process dies
/// between the two.
fn write_unsent(data: &Path, item: &str, values: &[(i64, u64)], (from, to): (u8, u8)) {
    let disk = Arc::new(disk::OsDisk);
    let (journal, _) =
        Journal::open(disk, &data.join("journal"), journal::JournalSettings::default()).unwrap();
    let mut record = RecordBuilder::new();
    let now = Time::from_clock(now(), 0);
    record.start(RecordHead { shard: 0, n_shards: 1, epoch: 1, now });
    for (clock, value) in values {
        let item = ItemId(item.parse().unwrap());
        record.unsigned(item, Time::from_clock(*clock, 0), *value);
    }
    record.forward(ForwardRow { from, to, sequence: 0, received: false });
    journal.append(record.finish(), 0).unwrap();
    journal.sync_once().unwrap();
}

/// The events of a trigger.
fn events(server: &Server, trigger: &str) -> Vec<String> {
    let params = json!({"objectids": [trigger], "output": ["value"], "sortfield": ["eventid"]});
    let rows = server.call("event.get", &params);
    rows.as_array().unwrap().iter().map(|it| it["value"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn values_under_way_between_partitions_at_a_kill_reach_the_trigger_once() {
    let mut server = Server::start();
    let near = server.host("near");
    let (far, far_name) = host_elsewhere(&server, &near);
    server.trapper_item(&near, "level", UNSIGNED);
    let flag = server.trapper_item(&far, "flag", UNSIGNED);
    let expression = format!("last(/near/level)>0 and last(/{far_name}/flag)=1");
    let trigger = server.trigger("both", &expression);
    let base = now() - 1_000;
    assert_eq!(server.send("near", "level", "5", base), Counts(1, 0, 1));
    assert_eq!(server.send(&far_name, "flag", "1", base + 1), Counts(1, 0, 1));
    wait_until("the problem opens", DEADLINE, || events(&server, &trigger) == ["1"]);

    server.kill();
    let flips: Vec<_> = (0..6).map(|it| (base + 10 + it, it.cast_unsigned() % 2)).collect();
    write_unsent(&server.data(), &flag, &flips, (partition(&far), partition(&near)));
    server.start_again();
    let expected = ["1", "0", "1", "0", "1", "0", "1"];
    wait_until("each flip is seen", DEADLINE, || events(&server, &trigger) == expected);

    // All was taken now: neither a further kill nor an orderly end brings it again.
    server.kill();
    server.start_again();
    server.stop();
    server.start_again();
    assert_eq!(server.send(&far_name, "flag", "0", base + 100), Counts(1, 0, 1));
    let expected = ["1", "0", "1", "0", "1", "0", "1", "0"];
    wait_until("the problem ends", DEADLINE, || expected.len() <= events(&server, &trigger).len());
    assert_eq!(events(&server, &trigger), expected);
}
