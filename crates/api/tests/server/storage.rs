//! The disk use of history, as super admins see it.

use std::sync::atomic::Ordering;

use api::ports::{FileStats, Shares, StorageFigures, StoredKind};
use model::{Retention, Time};
use serde_json::json;

use crate::fake::Server;
use crate::live::id;

const DAY: i64 = 86_400;

#[test]
fn super_admins_see_disk_use_of_history_and_others_do_not() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let item = admin.trapper(&host, "k");
    let now = server.now().clock();
    let file = |stored, retention, from: i64, n_bytes, n_values| FileStats {
        stored,
        retention,
        n_bytes,
        n_values,
        oldest: Time::from_clock(from, 0),
        newest: Time::from_clock(now, 0),
    };
    *server.world.storage.lock().unwrap() = StorageFigures {
        keeps_history: true,
        files: vec![
            file(StoredKind::Values, Retention::Month, now - 10 * DAY, 10_000, 5_000),
            file(StoredKind::Values, Retention::Month, now - DAY, 1_000, 500),
            file(StoredKind::Trends, Retention::Year, now - 10 * DAY, 100, 10),
        ],
        journal_bytes: 77,
        database: ("SQLite", Some(4_096)),
        disk: Some((1 << 40, 2 << 40)),
        budget_bytes: 0,
        stores: vec![("clickhouse", false)],
    };
    let bearer = format!("Bearer {}", admin.id);
    let get = |path: &str| server.get(path, &[("Authorization", &bearer)]);
    let storage = get("/api/v1/storage").json();
    assert_eq!(storage["values"], json!({ "bytes": 11_000, "count": 5_500 }));
    assert_eq!(storage["trends"], json!({ "bytes": 100, "count": 10 }));
    assert_eq!((&storage["files"], &storage["journal_bytes"]), (&json!(3), &json!(77)));
    assert_eq!(storage["classes"][0]["days"], 31);
    assert_eq!(storage["classes"][0]["files"], 2);
    assert_eq!(storage["classes"][1]["kind"], "trends");
    assert_eq!(storage["days"].as_array().unwrap().len(), 14);
    assert_eq!(storage["days"][12]["bytes"].as_array().unwrap().len(), 2);
    assert_eq!(storage["forecast"]["state"], "steady", "{storage}");
    assert_eq!(storage["stores"], json!([{ "name": "clickhouse", "is_read": false }]));
    assert_eq!(storage["budget_bytes"], json!(null));
    // A budget that is nearly used up.
    server.world.storage.lock().unwrap().budget_bytes = 12_000;
    let storage = get("/api/v1/storage").json();
    assert_eq!(
        (&storage["forecast"]["state"], &storage["forecast"]["limit"]),
        (&json!("full"), &json!("budget"))
    );
    // Elsewhere: there is no forecast.
    server.world.storage.lock().unwrap().keeps_history = false;
    assert_eq!(get("/api/v1/storage").json()["forecast"], json!({ "state": "unknown" }));

    let bytes = [(id(&item), 900), (999_999, 50)].into_iter().collect();
    *server.world.shares.lock().unwrap() =
        Shares { bytes, seen_bytes: 1_000, all_bytes: 1_000, is_exact: true };
    for _ in 0..3 {
        let largest = get("/api/v1/storage/largest").json();
        assert_eq!(largest["items"][0]["itemid"], json!(item));
        assert_eq!(largest["items"][0]["bytes"], 900);
        let hosts = json!([{ "hostid": host, "name": "h", "bytes": 900, "items": 1 }]);
        assert_eq!((&largest["hosts"], &largest["deleted_bytes"]), (&hosts, &json!(50)));
    }
    assert_eq!(server.world.n_counted.load(Ordering::Relaxed), 1, "it is kept for a while");

    let group = admin.create("usergroup.create", json!({ "name": "readers" }));
    admin.create(
        "user.create",
        json!({ "username": "reader", "passwd": "long-enough-1", "roleid": "2",
            "usrgrps": [{ "usrgrpid": group }] }),
    );
    let reader = server.login_as("reader", "long-enough-1");
    let bearer = format!("Bearer {}", reader.id);
    for path in ["/api/v1/storage", "/api/v1/storage/largest"] {
        assert_eq!(server.get(path, &[("Authorization", &bearer)]).status, 403, "{path}");
        assert_eq!(server.get(path, &[]).status, 401, "{path}");
    }
}
