//! Maintenances: their objects, permissions on them, and their periods.

use db::events::{EventRow, object, source};
use model::content::Severity;
use model::{EventId, HostId, Time, UserId};
use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn once(name: &str, start: i64, of: &Value) -> Value {
    let mut fields = json!({
        "name": name, "active_since": start - 60, "active_till": start + 86_400,
        "timeperiods": [{"start_date": start, "period": 3_600}],
    });
    for (name, value) in of.as_object().expect("fields") {
        fields[name] = value.clone();
    }
    fields
}

fn minute(of: Time) -> i64 {
    of.clock() - of.clock() % 60
}

fn problem(id: u64, trigger: &str, host: &str, now: Time) -> EventRow {
    EventRow {
        eventid: EventId(id),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: trigger.parse().unwrap(),
        time: now,
        value: 1,
        severity: Severity::High,
        name: "Broken".to_owned(),
        opdata: String::new(),
        tags: Vec::new(),
        hosts: vec![HostId(host.parse().unwrap())],
        recovers: Vec::new(),
        userid: UserId::NONE,
    }
}

fn suppressed(admin: &Session<'_>, id: &str) -> Value {
    let get =
        json!({"eventids": [id], "output": ["suppressed"], "selectSuppressionData": "extend"});
    admin.call("problem.get", get)[0].clone()
}

#[test]
fn a_problem_is_suppressed_until_the_maintenance_ends() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("db-1");
    admin.trapper(&host, "load");
    let trigger = admin.create(
        "trigger.create",
        json!({"description": "load is high", "expression": "last(/db-1/load)>5", "priority": 4}),
    );
    let now = server.clock.wall();
    server.db.events().apply(vec![problem(1, &trigger, &host, now)], 1).unwrap();
    assert_eq!(suppressed(&admin, "1")["suppressed"], "0");
    let start = minute(now);
    let of_host = json!({"hosts": [{"hostid": host}]});
    let id = admin.create("maintenance.create", once("now", start, &of_host));
    // Nothing is suppressed before the first evaluation.
    assert_eq!(suppressed(&admin, "1")["suppressed"], "0");
    let version = server.db.events().version();
    server.db.maintain(now);
    assert!(version < server.db.events().version(), "open pages hear of it");
    let by = json!([{"maintenanceid": id, "suppress_until": (start + 3_600).to_string(),
        "userid": "0"}]);
    assert_eq!(
        suppressed(&admin, "1"),
        json!({"eventid": "1", "suppressed": "1",
        "suppression_data": by})
    );
    // A problem that begins during the maintenance is suppressed at once.
    server.db.events().apply(vec![problem(2, &trigger, &host, now)], 2).unwrap();
    assert_eq!(suppressed(&admin, "2")["suppressed"], "1");
    let fields = json!({"hostids": [host], "output": ["maintenance_status", "maintenanceid",
        "maintenance_type", "maintenance_from"]});
    let shown = |admin: &Session<'_>| admin.call("host.get", fields.clone())[0].clone();
    assert_eq!(
        shown(&admin),
        json!({"hostid": host, "maintenance_status": "1", "maintenanceid": id,
            "maintenance_type": "0", "maintenance_from": start.to_string()})
    );
    let n = |method: &str, params: Value| {
        let mut params = params;
        params["countOutput"] = json!(true);
        admin.call(method, params)
    };
    assert_eq!(n("problem.get", json!({"suppressed": true})), "2");
    assert_eq!(n("event.get", json!({"suppressed": false})), "0");
    assert_eq!(n("trigger.get", json!({"maintenance": true})), "1");
    assert_eq!(n("trigger.get", json!({"maintenance": false})), "0");
    assert_eq!(n("host.get", json!({"maintenanceids": [id]})), "1");
    assert_eq!(n("host.get", json!({"maintenanceids": ["999"]})), "0");
    assert_eq!(n("hostgroup.get", json!({"maintenanceids": [id]})), "0");
    // A user's own suppression of the same problem outlives it.
    let until = now.clock() + 7_200;
    let suppress = json!({"eventids": ["2"], "action": 32, "suppress_until": until});
    admin.call("event.acknowledge", suppress);
    let both = suppressed(&admin, "2")["suppression_data"].as_array().unwrap().len();
    assert_eq!(both, 2);
    admin.call("maintenance.delete", json!([id]));
    server.db.maintain(now);
    assert_eq!(
        suppressed(&admin, "1"),
        json!({"eventid": "1", "suppressed": "0",
        "suppression_data": []})
    );
    let own = &suppressed(&admin, "2")["suppression_data"];
    assert_eq!(
        *own,
        json!([{"maintenanceid": "0", "suppress_until": until.to_string(),
        "userid": "1"}])
    );
    assert_eq!(shown(&admin)["maintenance_status"], "0");
}

#[test]
fn selects_of_a_maintenance_equal_those_of_zabbix() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("db-1");
    let of_both = json!({
        "hosts": [{"hostid": host}], "groups": [{"groupid": "4"}], "tags": [{"tag": "a"}],
        "timeperiods": [{"timeperiod_type": 4, "month": 1, "dayofweek": 64, "every": 5}],
    });
    let id = admin.create("maintenance.create", once("both", 600, &of_both));
    let found = admin.call(
        "maintenance.get",
        json!({
        "selectHosts": ["host"], "selectHostGroups": ["name"], "selectTags": "extend",
        "selectTimeperiods": "extend", "output": ["name", "active_since"]}),
    );
    let period = json!({"timeperiod_type": "4", "every": "5", "month": "1", "dayofweek": "64",
        "day": "0", "start_time": "0", "period": "3600", "start_date": "0"});
    assert_eq!(
        found,
        json!([{"maintenanceid": id, "name": "both", "active_since": "540",
        "hosts": [{"hostid": host, "host": "db-1"}],
        "hostgroups": [{"groupid": "4", "name": "Zabbix servers"}],
        "tags": [{"tag": "a", "operator": "2", "value": ""}], "timeperiods": [period]}])
    );
    for (params, n) in [
        (json!({"hostids": [host]}), "1"),
        (json!({"hostids": ["999"]}), "0"),
        (json!({"groupids": ["4"]}), "1"),
        // The group of its host.
        (json!({"groupids": ["2"]}), "1"),
        (json!({"groupids": ["999"]}), "0"),
        (json!({"filter": {"name": "both"}}), "1"),
    ] {
        let mut count = params.clone();
        count["countOutput"] = json!(true);
        assert_eq!(admin.call("maintenance.get", count), n, "{params}");
    }
    for (change, expected) in [
        (json!({"hosts": [{"hostid": "999"}]}), "No permissions to referred object"),
        (json!({"groups": [], "hosts": []}), "At least one host group or host must be selected."),
        (json!({"active_till": 540}), "\"/1/active_till\": cannot be less than or equal"),
        (json!({"maintenance_type": 1, "tags": []}), "\"/1\": unexpected parameter \"tags\""),
        (json!({"timeperiods": [{"timeperiod_type": 3}]}), "\"dayofweek\" is missing"),
    ] {
        let mut fields = change.clone();
        fields["maintenanceid"] = json!(id);
        let reported = admin.error("maintenance.update", fields);
        assert!(reported.contains(expected), "{change}: {reported}");
    }
}

#[test]
fn without_data_collection_all_problems_are_suppressed() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("db-1");
    admin.trapper(&host, "load");
    let trigger = admin.create(
        "trigger.create",
        json!({"description": "load is high", "expression": "last(/db-1/load)>5", "priority": 4}),
    );
    let now = server.clock.wall();
    server.db.events().apply(vec![problem(1, &trigger, &host, now)], 1).unwrap();
    let of = json!({"hosts": [{"hostid": host}], "tags": [{"tag": "a", "value": "b"}],
        "tags_evaltype": 2});
    let id = admin.create("maintenance.create", once("m", minute(now), &of));
    server.db.maintain(now);
    assert_eq!(suppressed(&admin, "1")["suppressed"], "0", "it has no such tag");
    admin.call("maintenance.update", json!({"maintenanceid": id, "maintenance_type": 1}));
    let get = json!({"output": ["maintenance_type", "tags_evaltype"], "selectTags": "extend"});
    assert_eq!(
        admin.call("maintenance.get", get),
        json!([{"maintenanceid": id, "maintenance_type": "1", "tags_evaltype": "0", "tags": []}])
    );
    server.db.maintain(now);
    assert_eq!(suppressed(&admin, "1")["suppressed"], "1");
    let shown = admin.call("host.get", json!({"output": ["maintenance_type"]}));
    assert_eq!(shown[0]["maintenance_type"], "1");
    let refused = json!({"hosts": [{"hostid": host}], "maintenance_type": 1, "tags": []});
    let reported = admin.error("maintenance.create", once("n", minute(now), &refused));
    assert!(reported.contains("\"/1\": unexpected parameter \"tags\""), "{reported}");
    // Of two the one without data is shown.
    let of_host = json!({"hosts": [{"hostid": host}]});
    admin.create("maintenance.create", once("with data", minute(now), &of_host));
    server.db.maintain(now);
    assert_eq!(
        admin.call("host.get", json!({"output": ["maintenance_type", "maintenanceid"]})),
        json!([{"hostid": host, "maintenance_type": "1", "maintenanceid": id}])
    );
}

#[test]
fn deleted_hosts_and_groups_leave_a_maintenance_except_the_last() {
    let server = Server::start();
    let admin = server.login();
    let [first, second] = ["db-1", "db-2"].map(|it| admin.host(it));
    let group = admin.create("hostgroup.create", json!({"name": "Linux"}));
    let of_all = json!({
        "hosts": [{"hostid": first}, {"hostid": second}], "groups": [{"groupid": group}]});
    let id = admin.create("maintenance.create", once("all", 600, &of_all));
    let of = |admin: &Session<'_>| {
        let get = json!({"maintenanceids": [id], "output": [], "selectHosts": ["hostid"],
            "selectHostGroups": ["groupid"]});
        let found = admin.call("maintenance.get", get);
        [&found[0]["hosts"], &found[0]["hostgroups"]].map(|it| it.as_array().unwrap().len())
    };
    assert_eq!(of(&admin), [2, 1]);
    admin.call("host.delete", json!([first]));
    assert_eq!(of(&admin), [1, 1]);
    admin.call("hostgroup.delete", json!([group]));
    assert_eq!(of(&admin), [1, 0]);
    assert_eq!(
        admin.error("host.delete", json!([second])),
        "Cannot delete host \"db-2\" because maintenance \"all\" must contain at least one host or \
         host group."
    );
    assert_eq!(of(&admin), [1, 0]);
    admin.call("maintenance.delete", json!([id]));
    admin.call("host.delete", json!([second]));
}

#[test]
fn rights_on_its_hosts_and_groups_are_rights_on_it() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("db-1");
    let readers = admin.create(
        "usergroup.create",
        json!({"name": "readers",
        "hostgroup_rights": [{"id": "2", "permission": 2}]}),
    );
    for (username, role) in [("reads", "1"), ("manages", "2")] {
        admin.create(
            "user.create",
            json!({"username": username, "roleid": role,
            "passwd": "correct-horse-9", "usrgrps": [{"usrgrpid": readers}]}),
        );
    }
    let [reads, manages] = ["reads", "manages"].map(|it| server.login_as(it, "correct-horse-9"));
    let of_host = json!({"hosts": [{"hostid": host}]});
    let seen = admin.create("maintenance.create", once("seen", 600, &of_host));
    let of_group = json!({"groups": [{"groupid": "4"}]});
    admin.create("maintenance.create", once("hidden", 600, &of_group));
    let names = |who: &Session<'_>, editable: bool| {
        let get = json!({"output": ["name"], "editable": editable});
        let rows = who.call("maintenance.get", get);
        rows.as_array().unwrap().iter().map(|it| it["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&admin, true), ["seen", "hidden"]);
    assert_eq!(names(&reads, false), ["seen"]);
    assert!(names(&manages, true).is_empty());
    let update = json!({"maintenanceid": seen, "name": "mine"});
    assert!(manages.error("maintenance.update", update.clone()).contains("No permissions"));
    assert!(manages.error("maintenance.create", once("new", 600, &of_host)).contains("No perm"));
    assert!(reads.error("maintenance.create", once("new", 600, &of_host)).contains("No perm"));
    admin.call(
        "usergroup.update",
        json!({"usrgrpid": readers,
        "hostgroup_rights": [{"id": "2", "permission": 3}]}),
    );
    manages.call("maintenance.update", update);
    assert_eq!(names(&manages, true), ["mine"]);
}

fn calendar(session: &Session<'_>, query: &str) -> Value {
    let bearer = format!("Bearer {}", session.id);
    let path = format!("/api/v1/maintenance/calendar?{query}");
    session.server.get(&path, &[("Authorization", &bearer)]).json()
}

#[test]
fn the_calendar_lists_when_maintenances_are_in_effect() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let start = minute(server.clock.wall());
    let of = json!({"hosts": [{"hostid": host}]});
    let id = admin.create("maintenance.create", once("m", start, &of));
    let range = format!("from={}&until={}", start + 60, start + 86_400);
    // The period's begin lies before the range: it is returned unchanged.
    let listed = json!([{"maintenanceid": id, "periods": [[start, start + 3_600]]}]);
    let found = calendar(&admin, &range);
    assert_eq!((&found["maintenances"], &found["complete"]), (&listed, &json!(true)));
    let later = format!("from={}&until={}", start + 3_600, start + 86_400);
    assert_eq!(calendar(&admin, &later)["maintenances"], json!([]));
    for bad in ["from=10&until=10", "from=0&until=8640001", "from=x", "until=1"] {
        assert!(calendar(&admin, bad)["error"]["data"].is_string(), "{bad}");
    }
    let group = admin.create("usergroup.create", json!({"name": "strangers"}));
    admin.create(
        "user.create",
        json!({"username": "stranger", "roleid": "1", "passwd": "correct-horse-9",
            "usrgrps": [{"usrgrpid": group}]}),
    );
    let stranger = server.login_as("stranger", "correct-horse-9");
    // The page is not for users of this type.
    assert_eq!(calendar(&stranger, &range)["maintenances"], Value::Null);
}

#[test]
fn older_clients_name_hosts_and_groups_by_ids_alone() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("db-1");
    let start = minute(server.clock.wall());
    let id = admin.create("maintenance.create", once("m", start, &json!({"hostids": [host]})));
    let of = json!({"maintenanceids": id, "output": [], "selectHosts": ["hostid"],
        "selectHostGroups": ["groupid"]});
    let shown = admin.call("maintenance.get", of.clone());
    assert_eq!(
        (&shown[0]["hosts"], &shown[0]["hostgroups"]),
        (&json!([{"hostid": host}]), &json!([]))
    );
    let change = json!([{"maintenanceid": id, "groupids": "2", "hostids": []}]);
    admin.call("maintenance.update", change);
    let shown = admin.call("maintenance.get", of);
    assert_eq!(
        (&shown[0]["hosts"], &shown[0]["hostgroups"]),
        (&json!([]), &json!([{"groupid": "2"}]))
    );
    let both = once("n", start, &json!({"hostids": [host], "hosts": [{"hostid": host}]}));
    let error = admin.error("maintenance.create", both);
    assert!(error.contains("unexpected parameter \"hostids\""), "{error}");
    let none = once("n", start, &json!({"hostids": [], "groupids": []}));
    assert!(admin.error("maintenance.create", none).contains("At least one host"));
}
