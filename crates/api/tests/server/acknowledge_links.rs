//! Links in messages that acknowledge a problem: their effect, and their user.

use alerting::acknowledge_links::{AcknowledgeLink, AcknowledgeLinks};
use db::events::{EventRow, object, source};
use model::content::Severity;
use model::{EventId, HostId, UserId};
use serde_json::{Value, json};

use crate::fake::{Server, Session};

/// A problem of a host that the user `duty` may read, and that user.
fn problem(server: &Server, admin: &Session<'_>) -> (String, String) {
    let host = admin.host("db-1");
    admin.trapper(&host, "load");
    let trigger = admin.create(
        "trigger.create",
        json!({"description": "load is high", "expression": "last(/db-1/load)>5"}),
    );
    let event = EventRow {
        eventid: EventId(1),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: trigger.parse().unwrap(),
        time: server.clock.wall(),
        value: 1,
        severity: Severity::High,
        name: "<b>load</b> & \"more\"".to_owned(),
        opdata: String::new(),
        tags: Vec::new(),
        hosts: vec![HostId(host.parse().unwrap())],
        recovers: Vec::new(),
        userid: UserId::NONE,
    };
    server.db.events().apply(vec![event], 1).unwrap();
    let groups = admin.call("host.get", json!({"hostids": host, "selectHostGroups": ["groupid"]}));
    let rights: Value = json!([{"id": groups[0]["hostgroups"][0]["groupid"], "permission": 2}]);
    let group =
        admin.create("usergroup.create", json!({"name": "duty", "hostgroup_rights": rights}));
    let user = admin.create(
        "user.create",
        json!({"username": "duty", "passwd": "for-tests-only-1", "roleid": "1",
            "usrgrps": [{"usrgrpid": group}]}),
    );
    (user, group)
}

/// As the server makes one: it has the same key.
fn path(server: &Server, user: &str, age_s: i64) -> String {
    let links = AcknowledgeLinks::new([7; 32], 3_600);
    let link = AcknowledgeLink { event: EventId(1), user: UserId(user.parse().unwrap()) };
    let url = links.url("https://x", link, server.clock.wall().clock() - age_s);
    let url = url.expect("there are links");
    url.strip_prefix("https://x").expect("below the base").to_owned()
}

fn entries(admin: &Session<'_>) -> Vec<(String, String)> {
    let rows = admin.call(
        "problem.get",
        json!({"selectAcknowledges": ["userid", "action"], "output": ["acknowledged"]}),
    );
    let entries = rows[0]["acknowledges"].as_array().expect("a list").iter();
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    entries.map(|it| (text(&it["userid"]), text(&it["action"]))).collect()
}

#[test]
fn a_look_changes_nothing_and_a_click_acknowledges_once() {
    let server = Server::start();
    let admin = server.login();
    let (user, _) = problem(&server, &admin);
    let path = path(&server, &user, 0);
    for _ in 0..3 {
        let page = server.get(&path, &[]);
        assert_eq!(page.status, 200);
        // Names of devices and users are escaped.
        let text = page.text();
        assert!(text.contains("&lt;b&gt;load&lt;/b&gt; &amp; &quot;more&quot;"), "{text}");
        assert!(text.contains("<form method=\"post\">"), "{text}");
    }
    assert_eq!(entries(&admin), []);
    let done = server.post(&path, &[], b"");
    assert_eq!((done.status, done.text().contains("<h1>Acknowledged</h1>")), (200, true));
    assert_eq!(entries(&admin), [(user, "6".to_owned())]);
    let again = server.post(&path, &[], b"");
    assert_eq!((again.status, again.text().contains("Acknowledged already")), (200, true));
    assert_eq!(entries(&admin).len(), 1);
}

#[test]
fn a_link_is_worth_no_more_than_its_user() {
    let server = Server::start();
    let admin = server.login();
    let (user, group) = problem(&server, &admin);
    let good = path(&server, &user, 0);
    for (path, status) in [
        (path(&server, &user, 3_600), 410),
        (path(&server, "999", 0), 404),
        (good.replace("/1.", "/2."), 404),
        ("/api/v1/acknowledge/x".to_owned(), 404),
    ] {
        assert_eq!(server.get(&path, &[]).status, status, "{path}");
        assert_eq!(server.post(&path, &[], b"").status, status, "{path}");
    }
    admin.call("usergroup.update", json!({"usrgrpid": group, "hostgroup_rights": []}));
    assert_eq!(server.post(&good, &[], b"").status, 404);
    admin.call("usergroup.update", json!({"usrgrpid": group, "users_status": 1}));
    assert_eq!(server.post(&good, &[], b"").status, 404);
    assert_eq!(entries(&admin), []);
    for _ in 0..20 {
        server.get("/api/v1/acknowledge/1.1.1.1", &[]);
    }
    assert_eq!(server.get(&good, &[]).status, 429);
}
