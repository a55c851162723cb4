//! A listener with a directory of two hosts, and a shard that settles everything.

use std::sync::Mutex;

use model::batch::Raw;
use model::content::{HostMacro, ItemType, MacroType};
use model::snapshot::Snapshot;
use model::time::NANOS;
use model::{HostId, ItemId, Time};
use rt::metrics::Registry;
use rt::queue::Receiver;
use wire::sender::Answer;

use super::*;
use crate::fixtures::{host, item, snapshot};
use crate::ingress::run_lengths;
use crate::{Delivery, Directory, Found, PreviousHost, Target};

struct Fixed(Arc<Snapshot>);

impl Directory for Fixed {
    fn epoch(&self) -> u64 {
        7
    }

    fn find(&self, host: &str, key: &str, _: &mut PreviousHost) -> Option<Found> {
        let found = |slot, kind, restricted| Found {
            target: Target { shard: 0, slot },
            item: ItemId(u64::from(slot)),
            host: HostId(1),
            kind,
            enabled: true,
            allow_traps: false,
            restricted,
        };
        match (host, key) {
            ("web", "trap") => Some(found(1, ItemType::Trapper, false)),
            ("web", "mine") => Some(found(2, ItemType::Trapper, true)),
            ("web", "theirs") => Some(found(4, ItemType::Trapper, true)),
            ("web", "active") => Some(found(3, ItemType::ZabbixAgentActive, false)),
            _ => None,
        }
    }

    fn item(&self, item: ItemId) -> Option<Found> {
        if item == ItemId(3) {
            self.find("web", "active", &mut PreviousHost::default())
        } else {
            None
        }
    }
}

impl Configuration for Fixed {
    fn directory(&self) -> Arc<dyn Directory> {
        Arc::new(Self(Arc::clone(&self.0)))
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0)
    }
}

#[derive(Default)]
struct Agents(Mutex<Vec<String>>);

impl ActiveAgents for Agents {
    fn checks(&self, request: &ChecksRequest, _: IpAddr) -> ChecksAnswer<'static> {
        assert_ne!(request.host, "bug", "a bug in the handling of a request");
        ChecksAnswer::Failed { info: format!("host [{}] not found", request.host).into() }
    }

    fn heartbeat(&self, heartbeat: &Heartbeat, _: IpAddr) {
        self.0.lock().expect("no panic").push(heartbeat.host.clone());
    }

    fn seen(&self, host: HostId) {
        self.0.lock().expect("no panic").push(host.to_string());
    }
}

struct Port {
    address: SocketAddr,
    agents: Arc<Agents>,
    registry: Registry,
    received: Arc<Mutex<Vec<(u32, Time, Raw)>>>,
    tasks: Tasks,
}

/// A host with an item that takes values from this machine by name, and one that does from another.
fn web() -> Arc<Snapshot> {
    let mut web = host(1, "web");
    web.macros = vec![HostMacro {
        hostmacroid: model::HostMacroId(1),
        name: "{$SENDERS}".to_owned(),
        value: "no such name, localhost".to_owned(),
        description: String::new(),
        kind: MacroType::Text,
    }];
    let restricted = |id, key, hosts: &str| {
        let mut row = item(id, ItemType::Trapper, key, "0");
        Arc::make_mut(&mut row.content).trapper_hosts = hosts.to_owned();
        row
    };
    web.items = vec![
        restricted(2, "mine", "192.0.2.9,{$SENDERS}"),
        restricted(4, "theirs", "192.0.2.0/24"),
    ];
    snapshot(1, [web])
}

/// What a shard's thread does, without the shard.
async fn settle(queue: Receiver<Delivery>, received: Arc<Mutex<Vec<(u32, Time, Raw)>>>) {
    while let Some(delivery) = queue.receive().await {
        let batch = &delivery.batch;
        let rows = batch.slots.iter().zip(&batch.times).zip(&batch.values);
        let rows = rows.map(|((slot, time), value)| (*slot, *time, *value));
        received.lock().expect("no panic").extend(rows);
        for (ticket, rows) in delivery.tickets.iter().zip(run_lengths(&batch.runs)) {
            ticket.settle(crate::Outcome::processed(rows));
        }
    }
}

async fn open() -> Port {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let clock = Clock::real();
    let (ingress, mut queues) = Ingress::open(1, &clock, &registry, &tasks);
    let received = Arc::new(Mutex::new(Vec::new()));
    let queue = queues.pop().expect("one shard");
    tasks.spawn("shard", settle(queue, Arc::clone(&received)));
    let agents = Arc::new(Agents::default());
    let parts = Parts {
        ingress,
        configuration: Arc::new(Fixed(web())),
        agents: Arc::clone(&agents) as Arc<dyn ActiveAgents>,
        sessions: Arc::default(),
        zone: TimeZone::UTC,
        clock,
    };
    let settings = TrapperSettings {
        connections_max: 10,
        packet_bytes_max: 1 << 20,
        timeout: Duration::from_secs(5),
    };
    let trapper = Arc::new(Trapper::new(settings, parts, &registry));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    tasks.spawn("trapper", trapper.serve(listener, tasks.clone()));
    Port { address, agents, registry, received, tasks }
}

/// Sends bytes, closes the sending side if asked, and reads the answer's payload; empty if there is
/// none.
async fn exchange(port: &Port, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(port.address).await.expect("listening");
    stream.write_all(bytes).await.expect("sent");
    stream.shutdown().await.expect("half closed");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("answered or closed");
    answer.get(13..).unwrap_or_default().to_vec()
}

async fn request(port: &Port, json: &str) -> Answer {
    let mut packet = Vec::new();
    zbxd::encode(json.as_bytes(), &mut packet);
    Answer::parse(&exchange(port, &packet).await).expect("an answer")
}

fn counts(answer: &Answer) -> (u64, u64, u64) {
    let info = answer.counts.expect("counts");
    (info.processed, info.failed, info.total)
}

#[tokio::test]
async fn sender_values_are_counted_as_processed_or_failed() {
    let port = open().await;
    let json = r#"{"request":"sender data","data":[
        {"host":"web","key":"trap","value":"1"},
        {"host":"web","key":"trap","value":"2","clock":1700000000,"ns":5},
        {"host":"web","key":"mine","value":"x"},
        {"host":"web","key":"theirs","value":"x"},
        {"host":"web","key":"theirs","value":"y"},
        {"host":"web","key":"active","value":"x"},
        {"host":"web","key":"unknown","value":"x"},
        {"host":"nobody","key":"trap","value":"x"}]}"#;
    let answer = request(&port, json).await;
    assert!(answer.success);
    assert_eq!(counts(&answer), (3, 5, 8));
    let slots: Vec<u32> = port.received.lock().expect("no panic").iter().map(|it| it.0).collect();
    assert_eq!(slots, [1, 1, 2]);
    port.tasks.shutdown().cancel();
}

#[tokio::test]
async fn rows_without_nanoseconds_are_numbered_through_their_request() {
    let port = open().await;
    let json = r#"{"request":"sender data","data":[
        {"host":"web","key":"trap","value":"1","clock":1700000000},
        {"host":"web","key":"trap","value":"2","clock":1700000000,"ns":5},
        {"host":"web","key":"unknown","value":"x","clock":1700000000},
        {"host":"web","key":"trap","value":"3","clock":1700000000},
        {"host":"web","key":"trap","value":"4","clock":1700000001},
        {"host":"web","key":"trap","value":"5"},
        {"host":"web","key":"trap","value":"6"}]}"#;
    assert_eq!(counts(&request(&port, json).await), (6, 1, 7));
    assert_eq!(counts(&request(&port, json).await), (6, 1, 7));
    let times: Vec<Time> = port.received.lock().expect("no panic").iter().map(|it| it.1).collect();
    // The numbers begin anew with each request: the second packet repeats the first one.
    for times in times.chunks(6) {
        let ns: Vec<i64> = times[..4].iter().map(|it| it.0 - 1_700_000_000 * NANOS).collect();
        assert_eq!(ns, [0, 5, 2, NANOS + 3]);
        assert_eq!(times[5].0 - times[4].0, 1);
    }
    port.tasks.shutdown().cancel();
}

#[tokio::test]
async fn a_value_sent_again_in_its_session_is_taken_once() {
    let port = open().await;
    let data = |id: u32| {
        format!(
            r#"{{"request":"agent data","session":"0123456789abcdef0123456789abcdef",
            "host":"web","version":"7.0.0","variant":1,"data":[
            {{"itemid":3,"value":"a","id":{id},"clock":1700000000,"ns":1}},
            {{"itemid":3,"value":"b","id":{},"clock":1700000001,"ns":1}}]}}"#,
            id + 1
        )
    };
    assert_eq!(counts(&request(&port, &data(1)).await), (2, 0, 2));
    assert_eq!(counts(&request(&port, &data(2)).await), (2, 0, 2));
    assert_eq!(port.received.lock().expect("no panic").len(), 3);
    assert_eq!(port.registry.value("collect_trapper_repeated_total", None), Some(1.0));
    assert_eq!(*port.agents.0.lock().expect("no panic"), ["1", "1"]);
}

#[tokio::test]
async fn a_packet_over_which_the_server_panics_ends_its_connection_alone() {
    let port = open().await;
    let mut stays = TcpStream::connect(port.address).await.expect("listening");
    let mut bug = Vec::new();
    zbxd::encode(br#"{"request":"active checks","host":"bug"}"#, &mut bug);
    for n in 1..=3 {
        assert_eq!(exchange(&port, &bug).await, b"");
        let kind = Some("trapper connection");
        assert_eq!(port.registry.value("rt_contained_panics_total", kind), Some(f64::from(n)));
    }
    // Neither others nor whoever supervises the server notice.
    assert_eq!(port.registry.value("rt_task_panics_total", None).unwrap_or(0.0), 0.0);
    let mut good = Vec::new();
    zbxd::encode(br#"{"request":"active checks","host":"nobody"}"#, &mut good);
    stays.write_all(&good).await.expect("still open");
    let mut header = [0; 13];
    stays.read_exact(&mut header).await.expect("answered");
    assert_eq!(port.registry.value("collect_trapper_connections_open", None), Some(1.0));
    port.tasks.shutdown().cancel();
}

#[tokio::test]
async fn malformed_packets_end_the_connection_and_nothing_else() {
    let port = open().await;
    let mut oversize = b"ZBXD\x01".to_vec();
    oversize.extend_from_slice(&0x7fff_ffff_u32.to_le_bytes());
    oversize.extend_from_slice(&[0; 4]);
    for bytes in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        b"ZBXD\x01",
        b"ZBXD\xff\x00\x00\x00\x00\x00\x00\x00\x00",
        b"",
        &oversize,
    ] {
        assert_eq!(exchange(&port, bytes).await, b"", "{bytes:?}");
    }
    for json in ["", "{", "[]", r#"{"request":"sender data"}"#, r#"{"request":"make coffee"}"#] {
        let answer = request(&port, json).await;
        assert!(!answer.success, "{json}");
    }
    let json = r#"{"request":"sender data","data":[{"host":"web","key":"trap","value":"1"}]}"#;
    assert_eq!(counts(&request(&port, json).await), (1, 0, 1));
}

#[tokio::test]
async fn active_agents_get_their_answers() {
    let port = open().await;
    let answer = request(&port, r#"{"request":"active checks","host":"nobody"}"#).await;
    assert_eq!(answer.info.as_deref(), Some("host [nobody] not found"));
    let beat = r#"{"request":"active check heartbeat","host":"web","heartbeat_freq":60}"#;
    let mut packet = Vec::new();
    zbxd::encode(beat.as_bytes(), &mut packet);
    assert_eq!(exchange(&port, &packet).await, b"");
    assert_eq!(*port.agents.0.lock().expect("no panic"), ["web"]);
}
