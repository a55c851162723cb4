use ingress::{Delivery, Target};
use model::ItemId;
use model::content::ItemType;
use model::snapshot::Snapshot;

use super::*;
use crate::fixtures::{host, item, snapshot};
use crate::{PreviousHost, ResolvedItem};

/// A host, `web`, with an item that takes all messages.
struct Fixed(Arc<Snapshot>);

impl Directory for Fixed {
    fn epoch(&self) -> u64 {
        1
    }

    fn find(&self, _: &str, _: &str, _: &mut PreviousHost) -> Option<ResolvedItem> {
        None
    }

    fn item(&self, item: ItemId) -> Option<ResolvedItem> {
        Some(ResolvedItem {
            target: Target { shard: 0, slot: 1 },
            item,
            host: HostId(1),
            kind: ItemType::Trapper,
            enabled: true,
            allow_traps: false,
            restricted: false,
        })
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

/// As [`parse`], with a bug.
fn parse_some<'m>(text: &'m str) -> SyslogMessage<'m> {
    assert!(!text.contains("bug"), "no such field");
    parse(text)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_over_which_the_server_panics_is_lost_alone() {
    let (registry, clock) = (Registry::new(), Clock::real());
    let tasks = Tasks::new("test", &registry);
    let (ingress, mut queues) = Ingress::new(1, &clock, &registry);
    let mut web = host(1, "web");
    web.items = vec![item(1, ItemType::Trapper, "syslog", "0")];
    let parts = SyslogParts {
        settings: SyslogSettings {
            relays: "127.0.0.1".parse().expect("an address"),
            message_bytes_max: 1_024,
            queue_max: 100,
            host_messages_per_second: 1_000,
            connections_max: 10,
        },
        ingress,
        configuration: Arc::new(Fixed(snapshot(1, [web]))),
        zone: TimeZone::UTC,
        clock: clock.clone(),
        lanes: Lanes::here(),
    };
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let to = socket.local_addr().expect("bound");
    let sockets = SyslogSockets { udp: Some(socket), tcp: None };
    let context = GroupContext {
        tasks: tasks.clone(),
        clock,
        health: rt::health::Health::default(),
        metrics: rt::worker::WorkerMetrics::register(&registry),
        roster: rt::worker::Roster::default(),
    };
    start_with(parse_some, parts, sockets, (&registry, &context)).expect("a thread");
    let from = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    for text in ["one", "bug", "two", "bug", "three"] {
        let message = format!("<13>Jan  2 03:04:05 web app: {text}");
        from.send_to(message.as_bytes(), to).expect("sent");
    }
    let queue = queues.pop().expect("one shard");
    let mut n_values = 0;
    while n_values < 3 {
        let delivery: Delivery = queue.receive().await.expect("the thread is there");
        n_values += delivery.batch.slots.len();
        for part in delivery.parts {
            part.settle(ingress::Outcome::processed(1));
        }
    }
    assert_eq!(n_values, 3);
    let kind = Some("syslog message");
    assert_eq!(registry.value("saker_runtime_contained_panics_total", kind), Some(2.0));
    // The supervisor of the server does not notice.
    assert!(registry.value("saker_runtime_task_panics_total", None).is_none_or(|it| it < 0.5));
    tasks.shutdown().cancel();
}

#[test]
fn a_time_without_a_year_is_of_the_last_twelve_months() {
    // 2026-01-02T03:04:05Z
    let arrived = Time::from_clock(1_767_323_045, 0);
    let at = |time: &str| time.parse::<jiff::Timestamp>().expect("a time").as_second();
    for (stamp, expected) in [
        (Stamp::Short([1, 2, 3, 4, 5]), Some(at("2026-01-02T03:04:05Z"))),
        (Stamp::Short([1, 3, 0, 0, 0]), Some(at("2026-01-03T00:00:00Z"))),
        (Stamp::Short([12, 31, 23, 59, 60]), Some(at("2025-12-31T23:59:59Z"))),
        (Stamp::Short([2, 30, 0, 0, 0]), None),
        (Stamp::Whole("2026-01-02T03:04:05.5+01:00"), Some(at("2026-01-02T02:04:05Z"))),
        (Stamp::Whole("yesterday"), None),
    ] {
        assert_eq!(seconds(stamp, arrived, &TimeZone::UTC), expected, "{stamp:?}");
    }
}

#[test]
fn address_has_a_share_of_connections_and_is_forgotten_after() {
    let shares = receive::Shares::default();
    let of = |n: u32| std::net::IpAddr::V4((0x0a00_0000 + n).into());
    let taken: Vec<_> = (0..1_000).filter_map(|_| shares.take(of(1), 1_000)).collect();
    assert_eq!(taken.len(), 100);
    let mapped = std::net::Ipv4Addr::from(0x0a00_0001).to_ipv6_mapped();
    assert!(shares.take(mapped.into(), 1_000).is_none(), "the same machine");
    assert!(shares.take(of(2), 1_000).is_some(), "another one");
    drop(taken);
    assert_eq!(shares.n_addresses(), 0);
    let few: Vec<_> = (0..10).filter_map(|_| shares.take(of(1), 5)).collect();
    assert_eq!(few.len(), 4);
}
