//! The queue, as super admins see it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use api::ports::{CollectorFigures, DeviceFigures, ItemFigures, QueueFigures};
use model::content::ItemType;
use model::{HostId, ItemId, Time};
use serde_json::json;

use crate::fake::Server;
use crate::live::id;

#[test]
fn super_admins_see_late_items_and_the_costliest_ones() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let items = [admin.trapper(&host, "a"), admin.trapper(&host, "b")];
    let now = Time::from_clock(server.now().clock() + 5, 0);
    let late = |at: usize, s: i64| (ItemId(id(&items[at])), Time::from_clock(now.clock() - s, 0));
    *server.world.queue.lock().unwrap() = QueueFigures {
        time: now,
        kinds: vec![(ItemType::Snmp, [0, 1, 0, 0, 1, 0])],
        n_late: 2,
        // One has been deleted since.
        latest: vec![late(1, 400), (ItemId(999_999), now), late(0, 12)],
        collectors: vec![CollectorFigures {
            name: "snmp",
            n_jobs: 3,
            jobs_max: 100,
            n_checks: 50,
            n_timeouts: 2,
            busy: Duration::from_millis(1_500),
            n_failing: 1,
        }],
        devices: vec![DeviceFigures {
            host: HostId(id(&host)),
            collector: "snmp",
            n_jobs: 10,
            n_checks: 50,
            n_timeouts: 2,
            mean: Duration::from_millis(150),
            max: Duration::from_secs(1),
            slowest: ItemId(id(&items[0])),
            share: 1.0,
            ..DeviceFigures::default()
        }],
        items: vec![ItemFigures {
            item: ItemId(id(&items[0])),
            share: 0.75,
            mean: Duration::from_micros(2_500),
            max: Duration::from_secs(1),
        }],
        period: Duration::from_hours(1),
    };
    let bearer = format!("Bearer {}", admin.id);
    let get = |path: &str| server.get(path, &[("Authorization", &bearer)]);
    let queue = get("/api/v1/queue").json();
    assert_eq!(queue["classes_s"], json!([5, 10, 30, 60, 300, 600]));
    assert_eq!(queue["kinds"], json!([{ "type": 20, "counts": [0, 1, 0, 0, 1, 0] }]));
    let latest = queue["latest"].as_array().unwrap();
    assert_eq!(latest.len(), 2, "{queue}");
    assert_eq!(
        latest[0],
        json!({ "itemid": items[1], "name": "b", "key": "b", "type": 2, "hostid": host, "host": "h",
            "due": now.clock() - 400, "delay_s": 400 })
    );
    assert_eq!(queue["collectors"][0]["busy_s"], 1.5);
    assert_eq!(queue["devices"][0]["mean_ms"], 150.0);
    assert_eq!(queue["devices"][0]["slowest"]["itemid"], json!(items[0]));
    assert_eq!(queue["items"][0]["share"], 0.75);
    assert_eq!(queue["items"][0]["mean_ms"], 2.5);
    assert_eq!(get("/api/v1/queue?limit=1").json()["latest"].as_array().unwrap().len(), 1);
    assert_eq!(get("/api/v1/queue?limit=x").status, 400);

    // It is read once in a second, however many watch; a figure from the future is not kept.
    let before = server.world.n_queues.load(Ordering::Relaxed);
    server.world.queue.lock().unwrap().time = server.now();
    get("/api/v1/queue");
    assert!(before < server.world.n_queues.load(Ordering::Relaxed));

    let group = admin.create("usergroup.create", json!({ "name": "readers" }));
    admin.create(
        "user.create",
        json!({ "username": "reader", "passwd": "long-enough-1", "roleid": "2",
            "usrgrps": [{ "usrgrpid": group }] }),
    );
    let reader = server.login_as("reader", "long-enough-1");
    let bearer = format!("Bearer {}", reader.id);
    assert_eq!(server.get("/api/v1/queue", &[("Authorization", &bearer)]).status, 403);
    assert_eq!(server.get("/api/v1/queue", &[]).status, 401);
}
