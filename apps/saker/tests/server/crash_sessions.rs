//! Crashes while agents send in sessions: acknowledged values are there, and none is there twice,
//! although agents repeat values without a response, also while the first request is under way.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::peer;
use crate::support::stores::History;
use crate::support::{Server, UNSIGNED, wait_until};
use model::{Value, ValueType};
use serde_json::json;

const N_AGENTS: u64 = 8;
/// Values of a packet, each with an id of its own and no time: a value that is taken twice has two
/// times and is there twice.
const ROWS: u64 = 20;
const PACKETS_OF_ROUND: u64 = 150;
const ROUND_MAX: Duration = Duration::from_secs(60);

/// Hosts with one active item each; gives the items.
fn configure(server: &Server) -> Vec<String> {
    let group = server.group("Agents");
    let hosts: Vec<_> = (0..N_AGENTS)
        .map(|it| json!({"host": format!("agent-{it}"), "groups": [{"groupid": group}]}))
        .collect();
    let hosts = server.create("host.create", &json!(hosts));
    let items: Vec<_> = hosts
        .iter()
        .map(|host| {
            json!({"hostid": host, "name": "number", "key_": "number", "type": 7,
                "value_type": UNSIGNED, "delay": "1m"})
        })
        .collect();
    server.create("item.create", &json!(items))
}

struct Agent<'a> {
    server: SocketAddr,
    number: u64,
    item: &'a str,
    /// Ids up to this one were answered.
    acknowledged: &'a AtomicU64,
    end: &'a AtomicBool,
}

impl Agent<'_> {
    fn packet(&self, from: u64) -> Vec<u8> {
        let item: u64 = self.item.parse().unwrap();
        let row = |id: u64| json!({"itemid": item, "value": id.to_string(), "id": id});
        let rows: Vec<_> = (from..from + ROWS).map(row).collect();
        let request = json!({
            "request": "agent data", "session": format!("{:032}", self.number),
            "host": format!("agent-{}", self.number), "version": "7.0.0", "variant": 1,
            "data": rows,
        });
        peer::packet(request.to_string().as_bytes())
    }

    /// Sends a packet; whether it was acknowledged.
    fn send(&self, packet: &[u8]) -> bool {
        let Ok(mut stream) = TcpStream::connect(self.server) else { return false };
        stream.set_read_timeout(Some(ROUND_MAX)).unwrap();
        if stream.write_all(packet).is_err() {
            return false;
        }
        let Ok(answer) = peer::read_packet(&mut stream) else { return false };
        let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(answer["response"], "success", "{answer}");
        let info = answer["info"].as_str().unwrap();
        let all = format!("processed: {ROWS}; failed: 0; total: {ROWS}; ");
        assert!(info.starts_with(&all), "{info}");
        true
    }

    /// Sends until the end, the same again as long as it is not answered.
    fn run(&self) {
        while !self.end.load(Ordering::Relaxed) {
            let from = self.acknowledged.load(Ordering::Relaxed) + 1;
            let packet = self.packet(from);
            let is_answered = if (from / ROWS).is_multiple_of(3) {
                // Without waiting for an answer, and then on two connections at once.
                if let Ok(mut stream) = TcpStream::connect(self.server) {
                    stream.write_all(&packet).ok();
                }
                thread::scope(|scope| {
                    let twice =
                        [scope.spawn(|| self.send(&packet)), scope.spawn(|| self.send(&packet))];
                    twice.map(|it| it.join().unwrap()).contains(&true)
                })
            } else {
                self.send(&packet)
            };
            if is_answered {
                self.acknowledged.store(from + ROWS - 1, Ordering::Relaxed);
            }
        }
    }
}

/// Ends the agents also if a round fails.
struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn crashes_lose_no_acknowledged_value_of_a_session_and_double_none() {
    let mut server = Server::start();
    let items = configure(&server);
    let acknowledged: Vec<AtomicU64> = items.iter().map(|_| AtomicU64::new(0)).collect();
    let n_packets = || acknowledged.iter().map(|it| it.load(Ordering::Relaxed) / ROWS).sum::<u64>();
    let end = AtomicBool::new(false);
    thread::scope(|scope| {
        let _ending = EndOnDrop(&end);
        for (number, (item, acknowledged)) in (0..).zip(items.iter().zip(&acknowledged)) {
            let (address, end) = (server.trapper(), &end);
            let agent = Agent { server: address, number, item, acknowledged, end };
            scope.spawn(move || agent.run());
        }
        // The agents live on through the crashes of the server.
        for round in 1..=4 {
            wait_until("the load is acknowledged", ROUND_MAX, || {
                round * PACKETS_OF_ROUND <= n_packets()
            });
            server.kill();
            server.start_again();
        }
        wait_until("the load goes on", ROUND_MAX, || 5 * PACKETS_OF_ROUND <= n_packets());
    });
    server.stop();

    let history = History::open(&server.data());
    let mut n_values = 0;
    for (item, acknowledged) in items.iter().zip(&acknowledged) {
        let mut times: BTreeMap<u64, u32> = BTreeMap::new();
        for sample in history.values(item, ValueType::Unsigned) {
            let Value::Unsigned(id) = sample.value else { panic!("{sample:?}") };
            *times.entry(id).or_default() += 1;
        }
        let twice: Vec<_> = times.iter().filter(|(_, n)| 1 < **n).collect();
        assert!(twice.is_empty(), "item {item} has twice: {twice:?}");
        let acknowledged = acknowledged.load(Ordering::Relaxed);
        let lost: Vec<_> = (1..=acknowledged).filter(|it| !times.contains_key(it)).collect();
        assert!(lost.is_empty(), "item {item} has lost although acknowledged: {lost:?}");
        n_values += times.len();
    }
    assert!(n_values as u64 >= 5 * PACKETS_OF_ROUND * ROWS, "{n_values}");
}
