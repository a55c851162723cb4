//! A listener with a directory of two hosts, and a shard that settles everything.

use std::net::IpAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use ingress::{Deliveries, Delivery, Target, run_lengths};
use model::batch::Raw;
use model::content::{HostMacro, ItemStatus, ItemType, MacroType};
use model::snapshot::Snapshot;
use model::time::NANOS;
use model::{HostId, ItemId, Time};
use rt::lanes::Lanes;
use rt::metrics::Registry;
use wire::active::ChecksAnswer;
use wire::sender::SenderAnswer;

use super::*;
use crate::fixtures::{host, item, snapshot};
use crate::{Directory, PreviousHost, ResolvedItem};

mod lists;
mod pushes;

struct Fixed(Arc<Snapshot>);

impl Directory for Fixed {
    fn epoch(&self) -> u64 {
        7
    }

    fn find(&self, host: &str, key: &str, _: &mut PreviousHost) -> Option<ResolvedItem> {
        let found = |slot, kind, restricted| ResolvedItem {
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
            ("web", "page") => Some(found(5, ItemType::HttpAgent, false)),
            ("web", "disabled") => Some(found(6, ItemType::Trapper, false)),
            _ => None,
        }
    }

    fn item(&self, item: ItemId) -> Option<ResolvedItem> {
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

/// Names of hosts, how many lists were made, and a signal that they wait for.
#[derive(Default)]
pub(super) struct Agents(Mutex<Vec<String>>, pub(super) Arc<AtomicU32>, pub(super) Arc<Mutex<()>>);

impl ActiveAgents for Agents {
    fn checks(&self, request: &ChecksRequest, _: &Peer) -> ChecksReply {
        assert_ne!(request.host, "bug", "a bug in the handling of a request");
        if let Some(n_items) = request.host.strip_prefix("large ") {
            let n_items: u64 = n_items.parse().expect("a number");
            let (made, waits) = (Arc::clone(&self.1), Arc::clone(&self.2));
            return ChecksReply::Later(Box::new(move || {
                made.fetch_add(1, Ordering::SeqCst);
                drop(waits.lock());
                lists::large_list(n_items)
            }));
        }
        let info = format!("host [{}] not found", request.host).into();
        ChecksReply::Answer(ChecksAnswer::Failed { info }.encode(request.version))
    }

    fn lists_bytes(&self) -> usize {
        0
    }

    fn command_results(&self, host: HostId, results: Vec<CommandResult>) {
        let mut said = self.0.lock().expect("no panic");
        said.extend(
            results.iter().map(|it| format!("{host} {} {:?} {:?}", it.id, it.value, it.error)),
        );
    }

    fn heartbeat(&self, heartbeat: &Heartbeat, _: &Peer) {
        self.0.lock().expect("no panic").push(heartbeat.host.clone());
    }
}

struct NoRequests;

impl ServerRequests for NoRequests {
    fn answer<'a>(&'a self, kind: RequestKind, _: &'a [u8], _: IpAddr) -> ReplyFuture<'a> {
        Box::pin(async move { encode_failed(kind.name()) })
    }
}

pub(super) struct Port {
    pub(super) address: SocketAddr,
    trapper: Arc<Trapper>,
    pub(super) agents: Arc<Agents>,
    pub(super) registry: Registry,
    received: Arc<Mutex<Vec<(u32, Time, Raw)>>>,
    pub(super) tasks: Tasks,
}

/// A host with an item that takes values from this machine by name, and one that takes them from
/// another.
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
    let mut disabled = item(6, ItemType::Trapper, "disabled", "0");
    Arc::make_mut(&mut disabled.content).status = ItemStatus::Disabled;
    let mut active = item(3, ItemType::ZabbixAgentActive, "active", "1m");
    "yyyy-MM-dd hh:mm".clone_into(&mut Arc::make_mut(&mut active.content).logtimefmt);
    web.items = vec![
        item(1, ItemType::Trapper, "trap", "0"),
        restricted(2, "mine", "192.0.2.9,{$SENDERS}"),
        active,
        restricted(4, "theirs", "192.0.2.0/24"),
        item(5, ItemType::HttpAgent, "page", "1m"),
        disabled,
    ];
    snapshot(1, [web])
}

/// The work of a shard's thread, without the shard.
async fn settle(queue: Deliveries, received: Arc<Mutex<Vec<(u32, Time, Raw)>>>) {
    while let Some(delivery) = queue.receive().await {
        let batch = &delivery.batch;
        let rows = batch.slots.iter().zip(&batch.times).zip(&batch.values);
        let rows = rows.map(|((slot, time), value)| (*slot, *time, *value));
        received.lock().expect("no panic").extend(rows);
        let lengths: Vec<u32> = run_lengths(&batch.runs).collect();
        for (claim, last_id) in delivery.marks_of(0..u32::MAX) {
            claim.written(last_id);
        }
        for (part, rows) in delivery.parts.into_iter().zip(lengths) {
            part.settle(ingress::Outcome::processed(rows));
        }
    }
}

pub(super) async fn open() -> Port {
    let (port, queue) = open_with(SETTINGS).await;
    port.tasks.spawn("shard", settle(queue, Arc::clone(&port.received)));
    port
}

const SETTINGS: TrapperSettings = TrapperSettings {
    connections_max: 50,
    packet_bytes_max: 4 << 20,
    memory_bytes_max: 8 << 20,
    timeout: Duration::from_secs(20),
};

/// With the queue of its shard, which is not read.
async fn open_with(settings: TrapperSettings) -> (Port, Deliveries) {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let clock = Clock::real();
    let (ingress, mut queues) = Ingress::new(1, &clock, &registry);
    let received = Arc::new(Mutex::new(Vec::new()));
    let queue = queues.pop().expect("one shard");
    let agents = Arc::new(Agents::default());
    let parts = Parts {
        ingress,
        configuration: Arc::new(Fixed(web())),
        agents: Arc::clone(&agents) as Arc<dyn ActiveAgents>,
        requests: Arc::new(NoRequests),
        sessions: Arc::default(),
        tls: acceptor(),
        zone: TimeZone::UTC,
        clock,
    };
    let trapper = Arc::new(Trapper::new(settings, parts, &registry));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    tasks.spawn("trapper", Arc::clone(&trapper).serve(listener, (tasks.clone(), Lanes::here())));
    (Port { address, trapper, agents, registry, received, tasks }, queue)
}

/// Knows the key of one identity.
fn acceptor() -> Acceptor {
    let key = vec![7; 32];
    let psk_of = move |identity: &str| (identity == "of web").then(|| key.clone());
    Acceptor::new(&rt::settings::defaults(), Arc::new(psk_of)).expect("no files")
}

/// Sends bytes, closes the sending side if asked, and reads the answer's payload; empty if there is
/// none.
pub(super) async fn exchange(port: &Port, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(port.address).await.expect("listening");
    stream.write_all(bytes).await.expect("sent");
    stream.shutdown().await.expect("half closed");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("answered or closed");
    answer.get(13..).unwrap_or_default().to_vec()
}

pub(super) async fn request(port: &Port, json: &str) -> SenderAnswer {
    let mut packet = Vec::new();
    zbxd::encode(json.as_bytes(), &mut packet);
    SenderAnswer::parse(&exchange(port, &packet).await).expect("an answer")
}

pub(super) fn counts(answer: &SenderAnswer) -> (u64, u64, u64) {
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
    // The numbers restart with each request: the second packet repeats the first one.
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
    assert_eq!(port.registry.value("saker_trapper_repeated_total", None), Some(1.0));
}

#[tokio::test]
async fn panic_over_a_packet_ends_only_its_connection() {
    let port = open().await;
    let mut stays = TcpStream::connect(port.address).await.expect("listening");
    let mut bug = Vec::new();
    zbxd::encode(br#"{"request":"active checks","host":"bug"}"#, &mut bug);
    for n in 1..=3 {
        assert_eq!(exchange(&port, &bug).await, b"");
        let kind = Some("trapper connection");
        assert_eq!(
            port.registry.value("saker_runtime_contained_panics_total", kind),
            Some(f64::from(n))
        );
    }
    // Neither others nor the supervisor of the server notice.
    assert!(port.registry.value("saker_runtime_task_panics_total", None).is_none_or(|it| it < 0.5));
    let mut good = Vec::new();
    zbxd::encode(br#"{"request":"active checks","host":"nobody"}"#, &mut good);
    stays.write_all(&good).await.expect("still open");
    let mut header = [0; 13];
    stays.read_exact(&mut header).await.expect("answered");
    assert_eq!(port.registry.value("saker_trapper_connections_open", None), Some(1.0));
    port.tasks.shutdown().cancel();
}

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// `n` values of one session, from an id on; they have no time, so that each is one more.
fn agent_data(from: u64, n: u64) -> Vec<u8> {
    let rows: Vec<String> =
        (from..from + n).map(|id| format!(r#"{{"itemid":3,"value":"{id}","id":{id}}}"#)).collect();
    let json = format!(
        r#"{{"request":"agent data","session":"{TOKEN}","host":"web","version":"7.0.0",
        "variant":1,"data":[{}]}}"#,
        rows.join(",")
    );
    let mut packet = Vec::new();
    zbxd::encode(json.as_bytes(), &mut packet);
    packet
}

/// A request on a connection of its own.
fn sent(port: &Port, packet: Vec<u8>) -> tokio::task::JoinHandle<Vec<u8>> {
    sent_from("127.0.0.1", port, packet)
}

fn sent_from(from: &str, port: &Port, packet: Vec<u8>) -> tokio::task::JoinHandle<Vec<u8>> {
    let (from, to) = (from.parse().expect("an address"), port.address);
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::new(from, 0)).expect("a free port");
    tokio::spawn(async move {
        let mut stream = socket.connect(to).await.expect("listening");
        stream.write_all(&packet).await.expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("answered or closed");
        answer.get(13..).unwrap_or_default().to_vec()
    })
}

/// Writes a delivery as a shard does.
fn write(delivery: Delivery) -> Vec<u64> {
    let rows = u32::try_from(delivery.batch.len()).expect("few");
    let marks: Vec<u64> = delivery
        .marks_of(0..rows)
        .map(|(claim, last_id)| {
            claim.written(last_id);
            last_id
        })
        .collect();
    let lengths: Vec<u32> = run_lengths(&delivery.batch.runs).collect();
    for (part, rows) in delivery.parts.into_iter().zip(lengths) {
        part.settle(ingress::Outcome::processed(rows));
    }
    marks
}

async fn turns(n: usize) {
    for _ in 0..n {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn values_sent_again_wait_for_the_record_of_the_first_ones() {
    let (port, queue) = open_with(SETTINGS).await;
    let first = sent(&port, agent_data(1, 3));
    let delivery = queue.receive().await.expect("a delivery");
    // The peer timed out, and has two more values by now.
    let again = sent(&port, agent_data(1, 5));
    let requests = || port.registry.value("saker_trapper_requests_total", Some("agent data"));
    while requests() != Some(2.0) {
        tokio::task::yield_now().await;
    }
    turns(1_000).await;
    assert!(!first.is_finished() && !again.is_finished(), "nothing is written");
    assert_eq!(queue.depth(), 0);
    assert_eq!(write(delivery), [3]);
    let answer = SenderAnswer::parse(&first.await.expect("no panic")).expect("an answer");
    assert_eq!(counts(&answer), (3, 0, 3));
    let delivery = queue.receive().await.expect("a delivery");
    assert_eq!((delivery.batch.len(), write(delivery)), (2, vec![5]));
    let answer = SenderAnswer::parse(&again.await.expect("no panic")).expect("an answer");
    assert_eq!(counts(&answer), (5, 0, 5));
    assert_eq!(port.registry.value("saker_trapper_repeated_total", None), Some(3.0));
    port.tasks.shutdown().cancel();
}

#[tokio::test]
async fn values_that_were_given_up_are_taken_when_they_are_sent_again() {
    let (port, queue) = open_with(SETTINGS).await;
    let first = sent(&port, agent_data(1, 3));
    let delivery = queue.receive().await.expect("a delivery");
    let again = sent(&port, agent_data(1, 3));
    turns(1_000).await;
    // As at the hard stop: neither written nor refused.
    drop(delivery);
    assert_eq!(first.await.expect("no panic"), b"", "nobody knows what became of them");
    let delivery = queue.receive().await.expect("a delivery");
    assert_eq!((delivery.batch.len(), write(delivery)), (3, vec![3]));
    let answer = SenderAnswer::parse(&again.await.expect("no panic")).expect("an answer");
    assert_eq!(counts(&answer), (3, 0, 3));
    port.tasks.shutdown().cancel();
}

#[tokio::test]
async fn values_that_are_not_written_in_time_are_not_answered() {
    let timeout = Duration::from_millis(100);
    let (port, queue) = open_with(TrapperSettings { timeout, ..SETTINGS }).await;
    assert_eq!(sent(&port, agent_data(1, 3)).await.expect("no panic"), b"");
    assert_eq!(port.registry.value("saker_trapper_rejected_total", Some("unwritten")), Some(1.0));
    // They are still on their way, and a repeated request waits for them.
    let again = sent(&port, agent_data(1, 3));
    turns(100).await;
    assert_eq!(queue.depth(), 1);
    assert_eq!(write(queue.receive().await.expect("a delivery")), [3]);
    let answer = SenderAnswer::parse(&again.await.expect("no panic")).expect("an answer");
    assert_eq!((counts(&answer), queue.depth()), ((3, 0, 3), 0));
    port.tasks.shutdown().cancel();
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_resends_double_nothing() {
    let port = open().await;
    for round in 0..20 {
        let resends: Vec<_> = (0..8).map(|_| sent(&port, agent_data(1 + round * 10, 10))).collect();
        for resend in resends {
            let answer = SenderAnswer::parse(&resend.await.expect("no panic")).expect("an answer");
            assert_eq!(counts(&answer), (10, 0, 10));
        }
    }
    assert_eq!(port.received.lock().expect("no panic").len(), 200);
    port.tasks.shutdown().cancel();
}

#[tokio::test]
async fn a_packet_has_one_deadline_however_often_a_byte_arrives() {
    let timeout = Duration::from_millis(200);
    let (port, _queue) = open_with(TrapperSettings { timeout, ..SETTINGS }).await;
    let packet = agent_data(1, 100);
    let mut slow = Vec::new();
    for _ in 0..10 {
        let mut stream = TcpStream::connect(port.address).await.expect("listening");
        let packet = packet.clone();
        slow.push(tokio::spawn(async move {
            // It would take a minute and a half, and each byte arrives in time.
            let mut bytes = packet.into_iter();
            while let Some(byte) = bytes.next()
                && stream.write_all(&[byte]).await.is_ok()
            {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            bytes.len() != 0
        }));
    }
    for it in slow {
        assert!(it.await.expect("no panic"), "the server ends it");
    }
    assert_eq!(port.registry.value("saker_trapper_rejected_total", Some("timeout")), Some(10.0));
    assert_eq!(port.registry.value("saker_trapper_packet_bytes", None), Some(0.0));
    port.tasks.shutdown().cancel();
}

/// A header that announces this many bytes, and the first of them.
fn begun(announced: u32, bytes: usize) -> Vec<u8> {
    let mut packet = b"ZBXD\x01".to_vec();
    packet.extend_from_slice(&announced.to_le_bytes());
    packet.extend_from_slice(&[0; 4]);
    packet.resize(packet.len() + bytes, b' ');
    packet
}

/// Connections that sent these bytes and stay.
async fn stopped(port: &Port, n: usize, packet: &[u8]) -> Vec<TcpStream> {
    let mut kept = Vec::new();
    for _ in 0..n {
        let mut stream = TcpStream::connect(port.address).await.expect("listening");
        stream.write_all(packet).await.expect("taken");
        kept.push(stream);
    }
    kept
}

#[tokio::test(flavor = "multi_thread")]
async fn announced_packets_that_never_arrive_delay_no_others() {
    let (port, queue) = open_with(SETTINGS).await;
    port.tasks.spawn("shard", settle(queue, Arc::clone(&port.received)));
    let open = || port.registry.value("saker_trapper_connections_open", None).unwrap_or(0.0);
    let json = r#"{"request":"sender data","data":[{"host":"web","key":"trap","value":"1"}]}"#;
    // 13 bytes each: 1 MiB, and the largest small packet.
    for (announced, n) in [(1 << 20, 20), (65_535, 20)] {
        let kept = stopped(&port, n, &begun(announced, 0)).await;
        while open() < n as f64 {
            tokio::task::yield_now().await;
        }
        assert_eq!(counts(&request(&port, json).await), (1, 0, 1));
        let large = sent(&port, agent_data(1, 5_000)).await.expect("no panic");
        let large = SenderAnswer::parse(&large).expect("an answer");
        assert_eq!(counts(&large), (5_000, 0, 5_000));
        drop(kept);
        while 0.0 < open() {
            tokio::task::yield_now().await;
        }
    }
    port.tasks.shutdown().cancel();
}

#[tokio::test(flavor = "multi_thread")]
async fn stalled_packets_lose_their_room_and_stay_within_the_memory() {
    let (port, queue) = open_with(SETTINGS).await;
    port.tasks.spawn("shard", settle(queue, Arc::clone(&port.received)));
    let value = |name: &str| port.registry.value(name, None).unwrap_or(0.0);
    let most = f64::from(6 << 20);
    let kept = stopped(&port, 20, &begun(1 << 20, 600 << 10)).await;
    while value("saker_trapper_packet_bytes") < f64::from(5 << 20) {
        tokio::task::yield_now().await;
    }
    let json = r#"{"request":"sender data","data":[{"host":"web","key":"trap","value":"1"}]}"#;
    assert_eq!(counts(&request(&port, json).await), (1, 0, 1), "agents do not wait");
    let large = sent_from("127.0.0.2", &port, agent_data(1, 5_000)).await.expect("no panic");
    let large = SenderAnswer::parse(&large).expect("an answer");
    assert_eq!(counts(&large), (5_000, 0, 5_000));
    assert!(value("saker_trapper_packet_bytes") <= most);
    assert!(1.0 <= value("saker_trapper_evicted_total"));
    drop(kept);
    port.tasks.shutdown().cancel();
}

#[tokio::test(flavor = "multi_thread")]
async fn large_packet_reaches_the_shard_in_parts_with_marks() {
    let (port, queue) = open_with(SETTINGS).await;
    let answer = sent(&port, agent_data(1, 25_000));
    let mut parts = Vec::new();
    for _ in 0..3 {
        let delivery = queue.receive().await.expect("a delivery");
        parts.push((delivery.batch.len(), write(delivery)));
    }
    let expected = [(10_000, vec![10_000]), (10_000, vec![20_000]), (5_000, vec![25_000])];
    assert_eq!(parts, expected);
    let answer = SenderAnswer::parse(&answer.await.expect("no panic")).expect("an answer");
    assert_eq!(counts(&answer), (25_000, 0, 25_000));
    // The peer crashes between: the values sent are known.
    let again = sent(&port, agent_data(24_999, 3));
    let delivery = queue.receive().await.expect("a delivery");
    assert_eq!((delivery.batch.len(), write(delivery)), (1, vec![25_001]));
    let answer = SenderAnswer::parse(&again.await.expect("no panic")).expect("an answer");
    assert_eq!(counts(&answer), (3, 0, 3));
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

#[tokio::test]
async fn lines_of_logs_have_the_time_that_their_item_reads_in_them() {
    let (port, queue) = open_with(SETTINGS).await;
    let json = r#"{"request":"agent data","host":"web","version":"7.0.0",
        "session":"0123456789abcdef0123456789abcdef","data":[
        {"itemid":3,"id":1,"value":"2026-11-26 08:05 up","lastlogsize":20,"mtime":1},
        {"itemid":3,"id":2,"value":"2026-11-26 down","lastlogsize":40,"mtime":1},
        {"itemid":3,"id":3,"value":"2026-11-26 08:06 event","lastlogsize":9,"timestamp":7,"source":"s"},
        {"itemid":3,"id":4,"value":"no value of a log"}]}"#;
    let taken = async {
        let delivery = queue.receive().await.expect("values");
        let said = |it: &model::batch::Extra| (it.row, it.log.as_ref().map(|it| it.timestamp));
        let times: Vec<_> = delivery.batch.extras.iter().map(said).collect();
        delivery.marks_of(0..u32::MAX).for_each(|(claim, last_id)| claim.written(last_id));
        let lengths: Vec<u32> = run_lengths(&delivery.batch.runs).collect();
        for (part, rows) in delivery.parts.into_iter().zip(lengths) {
            part.settle(ingress::Outcome::processed(rows));
        }
        times
    };
    let (answer, times) = tokio::join!(request(&port, json), taken);
    assert_eq!(counts(&answer), (4, 0, 4));
    assert_eq!(times, [(0, Some(1_795_680_300)), (1, None), (2, Some(1_795_680_360))]);
}

#[tokio::test]
async fn command_results_are_taken_with_or_without_values() {
    let port = open().await;
    let data = |host: &str, commands: &str| {
        format!(
            r#"{{"request":"agent data","host":"{host}","version":"7.0.0","session":"0123456789abcdef0123456789abcdef","commands":{commands}}}"#
        )
    };
    for (host, commands) in [
        ("web", r#"[{"id":7,"value":"up"},{"id":8,"error":"no"}]"#),
        ("nobody", r#"[{"id":9,"value":"of no host"}]"#),
        ("web", r#"[{"id":{}}]"#),
    ] {
        let answer = request(&port, &data(host, commands)).await;
        assert_eq!(counts(&answer), (0, 0, 0), "{commands}");
    }
    let said = port.agents.0.lock().expect("no panic").clone();
    // An invalid id reads as 0, which no command has.
    assert_eq!(said, [r#"1 7 Some("up") None"#, r#"1 8 None Some("no")"#, "1 0 None None"]);
}

#[tokio::test]
async fn requests_about_the_server_go_to_its_owner() {
    let port = open().await;
    for request in ["queue.get", "zabbix.stats"] {
        let mut packet = Vec::new();
        zbxd::encode(format!(r#"{{"request":"{request}"}}"#).as_bytes(), &mut packet);
        let answer = exchange(&port, &packet).await;
        assert_eq!(
            String::from_utf8_lossy(&answer),
            String::from_utf8_lossy(&encode_failed(request))
        );
    }
}
