//! Parents of hosts: permissions to set them, refused ones, and the rest when hosts are deleted.

use serde_json::{Value, json};

use crate::fake::Server;

fn refs(ids: &[&str]) -> Value {
    ids.iter().map(|it| json!({"hostid": it})).collect()
}

#[test]
fn parents_are_written_and_read_and_leave_with_their_host() {
    let server = Server::start();
    let admin = server.login();
    let [core, floor, printer] = ["core", "floor", "printer"].map(|it| admin.host(it));
    for (host, parents) in [(&floor, vec![&*core]), (&printer, vec![&*core, &*floor])] {
        admin.call("host.update", json!({"hostid": host, "parents": refs(&parents)}));
    }
    let twice = json!({"hostid": printer, "parents": refs(&[&core, &core])});
    assert!(admin.error("host.update", twice).contains("already exists"));
    server.db.rank_by_parents(&server.db.snapshot(), server.clock.wall());
    let shown = |host: &str| {
        let get = json!({"hostids": [host], "output": [], "selectParents": ["host"],
            "selectChildren": ["host"]});
        let it = admin.call("host.get", get)[0].clone();
        let names = |of: &str| -> Vec<Value> {
            it[of].as_array().unwrap().iter().map(|it| it["host"].clone()).collect()
        };
        (names("parents"), names("children"))
    };
    assert_eq!(shown(&core), (vec![], vec![json!("floor"), json!("printer")]));
    assert_eq!(shown(&floor), (vec![json!("core")], vec![json!("printer")]));
    assert_eq!(shown(&printer), (vec![json!("core"), json!("floor")], vec![]));
    // Clients send back the fields that they got.
    let get = json!({"hostids": [floor], "output": ["hostid"], "selectParents": ["hostid"]});
    let got = admin.call("host.get", get)[0].clone();
    admin.call("host.update", got);
    admin.call("host.delete", json!([core]));
    server.db.rank_by_parents(&server.db.snapshot(), server.clock.wall());
    assert_eq!(shown(&floor), (vec![], vec![json!("printer")]));
    admin.call("host.update", json!({"hostid": printer, "parents": []}));
    server.db.rank_by_parents(&server.db.snapshot(), server.clock.wall());
    assert_eq!(shown(&floor), (vec![], vec![]));
    let records =
        admin.call("auditlog.get", json!({"sortfield": "auditid", "selectAllDetails": true}));
    let is_logged = |it: &Value| {
        it["resourceid"] == *printer && it["all_details"].to_string().contains("parents")
    };
    assert!(records.as_array().unwrap().iter().any(is_logged), "{records}");
}

#[test]
fn circles_and_hosts_that_are_not_there_are_refused() {
    let server = Server::start();
    let admin = server.login();
    let [a, b, c] = ["a", "b", "c"].map(|it| admin.host(it));
    admin.call("host.update", json!({"hostid": b, "parents": refs(&[&a])}));
    admin.call("host.update", json!({"hostid": c, "parents": refs(&[&b])}));
    let error = |host: &str, parents: &[&str]| {
        admin.error("host.update", json!({"hostid": host, "parents": refs(parents)}))
    };
    assert_eq!(
        error(&a, &[&c]),
        "Invalid parameter \"/1/parents\": a host cannot be behind itself: \"a\" is behind \"c\" is behind \"b\" is behind \"a\"."
    );
    assert!(error(&a, &[&a]).contains("\"a\" is behind \"a\"."));
    assert!(error(&a, &["999"]).contains("No permissions to referred object"));
    // Both halves of a circle in one call.
    let both = json!([{"hostid": b, "parents": []}, {"hostid": a, "parents": refs(&[&b])}]);
    admin.call("host.update", both);
    let back = json!([{"hostid": b, "parents": refs(&[&a])}]);
    assert!(admin.error("host.update", back).contains("a host cannot be behind itself"));
    let get = json!({"hostids": [a], "output": [], "selectParents": ["host"]});
    assert_eq!(admin.call("host.get", get)[0]["parents"][0]["host"], "b");
}
