//! Business services and agreements: trees, status, rights of roles, indicators.

use std::cell::Cell;

use db::events::{EventRow, object, source};
use db::services::{ServiceChanges, ServiceEvent, ServiceEventWriter, ServiceManager};
use model::content::{Severity, Tag};
use model::{EventId, Time, UserId};
use serde_json::{Value, json};

use crate::fake::{Server, Session};

/// The journal: gives ids and brings the events to the database, as the server's does.
struct Journal<'a> {
    server: &'a Server,
    next: Cell<u64>,
}

impl ServiceEventWriter for Journal<'_> {
    fn write(&self, events: &[ServiceEvent]) -> Result<EventId, Box<dyn std::error::Error>> {
        let first = self.next.get();
        let rows = events.iter().map(|it| EventRow {
            eventid: EventId(self.take()),
            source: source::SERVICE,
            object: object::SERVICE,
            objectid: it.service,
            time: it.time,
            value: u8::from(it.severity.is_some()),
            severity: it.severity.unwrap_or(Severity::NotClassified),
            name: it.name.clone(),
            opdata: String::new(),
            tags: it.tags.clone(),
            hosts: Vec::new(),
            recovers: Vec::new(),
            userid: UserId::NONE,
        });
        self.server.db.events().apply(rows.collect(), 1).unwrap();
        Ok(EventId(first))
    }
}

impl Journal<'_> {
    fn take(&self) -> u64 {
        self.next.replace(self.next.get() + 1)
    }

    /// A problem of a trigger, or the end of one.
    fn happens(&self, time: Time, service: &str, severity: Severity, recovers: Option<u64>) -> u64 {
        let id = self.take();
        let row = EventRow {
            eventid: EventId(id),
            source: source::TRIGGER,
            object: object::TRIGGER,
            objectid: 77,
            time,
            value: u8::from(recovers.is_none()),
            severity,
            name: format!("{service} is broken"),
            opdata: String::new(),
            tags: vec![Tag { tag: "service".to_owned(), value: service.to_owned() }],
            hosts: Vec::new(),
            recovers: recovers.into_iter().map(EventId).collect(),
            userid: UserId::NONE,
        };
        self.server.db.events().apply(vec![row], 1).unwrap();
        id
    }
}

fn leaf(name: &str, parents: &[&str]) -> Value {
    let parents: Value = parents.iter().map(|it| json!({"serviceid": it})).collect();
    json!({"name": name, "algorithm": 1, "sortorder": 0, "parents": parents,
        "tags": [{"tag": "sla", "value": "gold"}],
        "problem_tags": [{"tag": "service", "value": name}]})
}

fn names(admin: &Session<'_>, params: Value) -> Vec<String> {
    let mut params = params;
    params["output"] = json!(["name"]);
    params["sortfield"] = json!("name");
    let rows = admin.call("service.get", params);
    let name = |it: &Value| it["name"].as_str().unwrap().to_owned();
    rows.as_array().unwrap().iter().map(name).collect()
}

/// Shop over Web and Database, with Database under Web as well.
fn shop(admin: &Session<'_>) -> [String; 3] {
    let top = json!({"name": "Shop", "algorithm": 2, "sortorder": 1, "weight": 5});
    let shop = admin.create("service.create", top);
    let mut web = json!({"name": "Web", "algorithm": 2, "sortorder": 2});
    web["parents"] = json!([{"serviceid": shop}]);
    let web = admin.create("service.create", web);
    let database = admin.create("service.create", leaf("Database", &[&web, &shop]));
    [shop, web, database]
}

#[test]
fn a_tree_is_found_from_all_sides() {
    let server = Server::start();
    let admin = server.login();
    let [shop, web, database] = shop(&admin);
    let rows = admin.call(
        "service.get",
        json!({"serviceids": web, "output": ["name", "status", "readonly"],
            "selectParents": ["name"], "selectChildren": ["serviceid"], "selectTags": "extend",
            "selectStatusRules": "count", "selectProblemEvents": "extend"}),
    );
    assert_eq!(
        rows,
        json!([{"serviceid": web, "name": "Web", "status": "-1", "readonly": false,
            "parents": [{"serviceid": shop, "name": "Shop"}], "children": [{"serviceid": database}],
            "tags": [], "status_rules": "0", "problem_events": []}])
    );
    for (params, expected) in [
        (json!({"parentids": shop}), &["Database", "Web"][..]),
        (json!({"parentids": 0}), &["Shop"]),
        (json!({"parentids": [web], "deep_parentids": true}), &["Database"]),
        (json!({"parentids": [0], "deep_parentids": true}), &["Database", "Shop", "Web"]),
        (json!({"childids": database}), &["Shop", "Web"]),
        (json!({"tags": [{"tag": "sla", "value": "gold", "operator": 1}]}), &["Database"]),
        (json!({"problem_tags": [{"tag": "service", "value": "data"}]}), &["Database"]),
        (json!({"without_problem_tags": true}), &["Shop", "Web"]),
        (json!({"filter": {"algorithm": 2}}), &["Shop", "Web"]),
        (json!({"slaids": ["999"]}), &[]),
    ] {
        assert_eq!(names(&admin, params.clone()), expected, "{params}");
    }
    // Children by the parent's side, too.
    let other = admin.create(
        "service.create",
        json!({"name": "Other", "algorithm": 0, "sortorder": 0,
            "children": [{"serviceid": web}]}),
    );
    assert_eq!(names(&admin, json!({"childids": web})), ["Other", "Shop"]);
    admin.call("service.update", json!({"serviceid": other, "children": []}));
    assert_eq!(names(&admin, json!({"childids": web})), ["Shop"]);
    admin.call("service.delete", json!([web]));
    assert_eq!(names(&admin, json!({"childids": database})), ["Shop"]);
}

#[test]
fn wrong_services_are_refused_with_zabbix_errors() {
    let server = Server::start();
    let admin = server.login();
    let [shop, web, database] = shop(&admin);
    let update = |fields: Value| admin.error("service.update", fields);
    let create = |change: Value| {
        let mut fields = json!({"name": "New", "algorithm": 0, "sortorder": 0});
        for (name, value) in change.as_object().unwrap() {
            fields[name] = value.clone();
        }
        admin.error("service.create", fields)
    };
    let circle = "Services form a circular dependency.";
    let reference = |id: &str| json!([{"serviceid": id}]);
    assert_eq!(update(json!({"serviceid": shop, "parents": reference(&web)})), circle);
    assert_eq!(update(json!({"serviceid": shop, "parents": reference(&shop)})), circle);
    assert_eq!(update(json!({"serviceid": web, "children": reference(&shop)})), circle);
    assert_eq!(
        update(json!({"serviceid": shop, "problem_tags": [{"tag": "a"}]})),
        "Service \"Shop\" cannot have problem tags and children at the same time."
    );
    assert_eq!(
        create(json!({"parents": reference(&database)})),
        "Service \"Database\" cannot have problem tags and children at the same time."
    );
    let gone = "No permissions to referred object or it does not exist!";
    assert_eq!(create(json!({"children": reference("999999")})), gone);
    assert_eq!(
        create(json!({"propagation_rule": 1})),
        "Cannot specify \"propagation_rule\" parameter without specifying \"propagation_value\" \
         parameter for service \"New\"."
    );
    assert_eq!(
        create(json!({"propagation_rule": 1, "propagation_value": 0})),
        "Incompatible \"propagation_rule\" and \"propagation_value\" parameters for service \"New\"."
    );
    assert_eq!(
        create(json!({"tags": [{"tag": "a"}, {"tag": "a"}]})),
        "Invalid parameter \"/1/tags/2\": value (tag, value)=(a, ) already exists."
    );
    assert_eq!(
        create(json!({"sortorder": 1000})),
        "Invalid parameter \"/1/sortorder\": value must be one of 0-999."
    );
    assert_eq!(
        admin.error("service.get", json!({"selectStatusTimeline": []})),
        "Invalid parameter \"/selectStatusTimeline\": cannot be empty."
    );
}

#[test]
fn problems_become_status_events_and_indicators() {
    let server = Server::start();
    let admin = server.login();
    let [shop, web, database] = shop(&admin);
    let sla = admin.create(
        "sla.create",
        json!({"name": "Gold", "period": 0, "slo": "99.5", "effective_date": 1, "timezone": "UTC",
            "status": 1, "service_tags": [{"tag": "sla", "value": "gold"}]}),
    );
    let journal = Journal { server: &server, next: Cell::new(1) };
    let now = server.now();
    let mut manager =
        ServiceManager::open(&server.db, &ServiceChanges::of(&server.db, || {}), now).unwrap();
    let id = journal.happens(now.plus_secs(10), "Database", Severity::High, None);
    manager.turn(now, &journal).unwrap();
    let status = |id: &str| {
        let rows = admin.call(
            "service.get",
            json!({"serviceids": id, "output": ["status"], "selectProblemEvents": "extend"}),
        );
        (rows[0]["status"].clone(), rows[0]["problem_events"].clone())
    };
    let cause = json!([{"eventid": id.to_string(), "severity": "4", "name": "Database is broken"}]);
    for of in [&database, &web, &shop] {
        assert_eq!(status(of), (json!("4"), cause.clone()));
    }
    assert_eq!(names(&admin, json!({"filter": {"status": [4]}})).len(), 3);
    let events = json!({"source": 4, "object": 6, "output": ["name", "severity", "value"],
        "objectids": database, "selectTags": "extend", "sortfield": "eventid"});
    let found = admin.call("event.get", events.clone());
    assert_eq!(found[0]["name"], "Status of service \"Database\" changed to High");
    assert_eq!(found[0]["tags"], json!([{"tag": "sla", "value": "gold"}]));
    // Worse: the problem of the service becomes worse, and there is no other.
    let worse = journal.happens(now.plus_secs(20), "Database", Severity::Disaster, None);
    manager.turn(now, &journal).unwrap();
    let problems = json!({"source": 4, "object": 6, "output": ["severity"], "objectids": database});
    assert_eq!(admin.call("problem.get", problems.clone())[0]["severity"], "5");
    assert_eq!(admin.call("event.get", events.clone()).as_array().unwrap().len(), 1);
    for (at, id) in [(30, worse), (40, id)] {
        journal.happens(now.plus_secs(at), "Database", Severity::High, Some(id));
    }
    manager.turn(now, &journal).unwrap();
    assert_eq!(status(&shop), (json!("-1"), json!([])));
    assert_eq!(admin.call("problem.get", problems), json!([]));
    let found = admin.call("event.get", events);
    assert_eq!(found[1]["name"], "Status of service \"Database\" changed to OK");
    let (from, to) = (now.clock(), now.clock() + 35);
    let rows = admin.call(
        "service.get",
        json!({"serviceids": database, "output": [],
            "selectStatusTimeline": [{"period_from": from, "period_to": to}]}),
    );
    let alarm = |at: i64, value: &str| json!({"clock": (from + at).to_string(), "value": value});
    assert_eq!(
        rows[0]["status_timeline"],
        json!([{"start_value": "-1", "alarms": [alarm(10, "4"), alarm(20, "5"), alarm(30, "4")]}])
    );
    let answer = admin.call("sla.getsli", json!({"slaid": sla, "periods": 1}));
    assert_eq!(answer["serviceids"], json!([database.parse::<u64>().unwrap()]));
    assert_eq!(answer["periods"].as_array().unwrap().len(), 1);
    let cell = &answer["sli"][0][0];
    // Time ahead of the clock does not count yet.
    assert_eq!(cell["downtime"], 0);
    assert_eq!(
        admin.error("sla.getsli", json!({"slaid": "999"})),
        "No permissions to referred object or it does not exist!"
    );
    assert_eq!(
        admin.error("sla.getsli", json!({"slaid": sla, "periods": 101})),
        "Invalid parameter \"/periods\": value must be one of 1-100."
    );
    assert_eq!(names(&admin, json!({"slaids": [sla]})), ["Database"]);
}

#[test]
fn several_services_are_made_in_one_request() {
    let server = Server::start();
    let admin = server.login();
    let both = json!([leaf("Mail", &[]), leaf("Web", &[])]);
    let made = admin.call("service.create", both);
    assert_eq!(made["serviceids"].as_array().map(Vec::len), Some(2));
    assert_eq!(names(&admin, json!({})), ["Mail", "Web"]);
}

#[test]
fn a_role_names_services_and_means_those_below_them() {
    let server = Server::start();
    let admin = server.login();
    let [shop, web, database] = shop(&admin);
    let mail = admin.create("service.create", leaf("Mail", &[]));
    let role = json!({"name": "Web people", "type": 1, "rules": {
        "services.read.mode": 0, "services.read.list": [{"serviceid": mail}],
        "services.write.mode": 0, "services.write.list": [{"serviceid": web}]}});
    let role = admin.create("role.create", role);
    let rules = admin.call("role.get", json!({"roleids": role, "selectRules": "extend"}));
    assert_eq!(rules[0]["rules"]["services.write.list"], json!([{"serviceid": web}]));
    let user = json!({"username": "webby", "passwd": "secret-12", "roleid": role,
        "usrgrps": [{"usrgrpid": "7"}]});
    admin.create("user.create", user);
    let webby = server.login_as("webby", "secret-12");
    assert_eq!(names(&webby, json!({})), ["Database", "Mail", "Web"]);
    assert_eq!(names(&webby, json!({"editable": true})), ["Database", "Web"]);
    assert_eq!(names(&webby, json!({"parentids": 0})), ["Mail", "Web"]);
    let row = webby.call("service.get", json!({"serviceids": web, "selectParents": "extend"}));
    assert_eq!(row[0]["parents"], json!([]));
    webby.call("service.update", json!({"serviceid": database, "name": "Data"}));
    let gone = "No permissions to referred object or it does not exist!";
    assert_eq!(webby.error("service.update", json!({"serviceid": shop, "name": "x"})), gone);
    let needed = "read-write access to the service is required";
    assert_eq!(
        webby.error("service.update", json!({"serviceid": mail, "name": "x"})),
        format!("Cannot update service \"Mail\": {needed}.")
    );
    assert_eq!(
        webby.error("service.delete", json!([mail])),
        format!("Cannot delete service \"Mail\": {needed}.")
    );
    assert_eq!(
        webby.error("service.create", leaf("New", &[])),
        format!("Cannot create service \"New\": {needed}.")
    );
    webby.create("service.create", leaf("New", &[&web]));
    assert_eq!(
        webby.error("service.update", json!({"serviceid": database, "parents": []})),
        "Cannot update service \"Data\": read-write access to the service must be retained."
    );
}
