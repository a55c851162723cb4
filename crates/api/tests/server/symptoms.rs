//! One rule for counting: a symptom does not count for users for whom its cause counts, and counts itself for
//! others.

use db::EventRow;
use model::content::Severity;
use serde_json::{Value, json};

use crate::fake::{Server, Session};
use crate::live::{problem, recovery, scene};

/// A host `h` with the problems 1 and 4 (Average), and a host `second` in the group Floor with 2 and 3 (Disaster).
struct World<'a> {
    admin: Session<'a>,
    hosts: [String; 2],
    trigger: String,
    floor: String,
}

impl<'a> World<'a> {
    fn new(server: &'a Server) -> Self {
        let admin = server.login();
        let (host, _, trigger) = scene(&admin);
        let floor = admin.create("hostgroup.create", json!({"name": "Floor"}));
        let second =
            admin.create("host.create", json!({"host": "second", "groups": [{"groupid": floor}]}));
        admin.trapper(&second, "k");
        let slow = json!({"description": "slow", "expression": "last(/second/k)>1", "priority": 5});
        let slow = admin.create("trigger.create", slow);
        let now = server.now();
        let event = |id: u64, trigger: &str, host: &str, severity: Severity| EventRow {
            severity,
            ..problem(id, trigger, host, now)
        };
        let rows = vec![
            event(1, &trigger, &host, Severity::Average),
            event(2, &slow, &second, Severity::Disaster),
            event(3, &slow, &second, Severity::Disaster),
            event(4, &trigger, &host, Severity::Average),
        ];
        server.db.events().apply(rows, 1).unwrap();
        Self { admin, hosts: [host, second], trigger, floor }
    }

    /// A user who sees the group Floor only.
    fn bob(&self, server: &'a Server) -> Session<'a> {
        let bob = crate::rights::restricted(server, &self.admin, 1, json!({}));
        let rights = json!({"filter": {"name": "restricted"}});
        let usrgrpid = self.admin.call("usergroup.get", rights)[0]["usrgrpid"].clone();
        let floor = json!([{"id": self.floor, "permission": 2}]);
        let group = json!({"usrgrpid": usrgrpid, "hostgroup_rights": floor});
        self.admin.call("usergroup.update", group);
        bob
    }

    fn acknowledge(&self, ids: &[&str], action: i64, mut more: Value) {
        more["eventids"] = json!(ids);
        more["action"] = json!(action);
        self.admin.call("event.acknowledge", more);
    }

    fn rank(&self, symptoms: &[&str], cause: &str) {
        self.acknowledge(symptoms, 256, json!({"cause_eventid": cause}));
    }
}

/// Problems by severity, the worst problems, hosts and groups with problems.
type Counted = (Vec<u64>, Vec<&'static str>, Value, Value);

/// Asserts what the overview and its two tables count for a user.
fn assert_counted(session: &Session<'_>, (severities, worst, hosts, groups): &Counted) {
    let bearer = format!("Bearer {}", session.id);
    let get = |path: &str| session.server.get(path, &[("Authorization", &bearer)]).json();
    let list = |it: &Value| it.as_array().unwrap().clone();
    let loads = get("/api/v1/overview/loads");
    let of = |name: &str, key: &str| -> Value {
        list(&loads[name]).iter().map(|it| json!([it[key], it["counts"]])).collect()
    };
    assert_eq!(of("hosts", "host"), *hosts);
    assert_eq!(of("groups", "name"), *groups);
    // An overview may be two seconds old.
    let begun_ns = session.server.clock.mono_ns();
    loop {
        let overview = get("/api/v1/overview");
        let found: Vec<u64> = list(&overview["problems_by_severity"])
            .iter()
            .map(|it| it["total"].as_u64().unwrap())
            .collect();
        let first: Vec<Value> =
            list(&overview["worst_problems"]).iter().map(|it| it["eventid"].clone()).collect();
        if (&found, json!(first)) == (severities, json!(worst)) {
            return;
        }
        let waited_ns = session.server.clock.mono_ns() - begun_ns;
        assert!(waited_ns < 60_000_000_000, "{found:?} {first:?}, not {severities:?} {worst:?}");
    }
}

#[test]
fn symptoms_count_only_for_users_without_their_cause() {
    let server = Server::start();
    let world = World::new(&server);
    let bob = world.bob(&server);
    let group = world.admin.call("hostgroup.get", json!({"hostids": world.hosts[0]}));
    let group = &group[0]["name"];
    let counted = |h: u64, second: u64, worst: &[&'static str]| -> Counted {
        let (at_h, at_second) = ([0, 0, 0, h, 0, 0], [0, 0, 0, 0, 0, second]);
        let of = |names: [&Value; 2]| -> Value {
            let all = [(names[1], at_second), (names[0], at_h)].into_iter();
            all.filter(|it| it.1 != [0; 6]).map(|(name, counts)| json!([name, counts])).collect()
        };
        let severities = vec![0, 0, 0, h, 0, second];
        let (hosts, groups) = ([&json!("h"), &json!("second")], [group, &json!("Floor")]);
        (severities, worst.to_vec(), of(hosts), of(groups))
    };
    let alone = counted(0, 2, &["2", "3"]);
    // Worst first, the oldest of a severity first.
    assert_counted(&world.admin, &counted(2, 2, &["2", "3", "1", "4"]));
    assert_counted(&bob, &alone);
    world.rank(&["2", "3"], "1");
    assert_counted(&world.admin, &counted(2, 0, &["1", "4"]));
    // The cause is on a host that bob does not see.
    assert_counted(&bob, &alone);
    // A suppressed cause counts for no user, and its symptoms count themselves; then it counts again.
    world.acknowledge(&["1"], 32, json!({"suppress_until": 0}));
    assert_counted(&world.admin, &counted(1, 2, &["2", "3", "4"]));
    world.acknowledge(&["1"], 64, json!({}));
    assert_counted(&world.admin, &counted(2, 0, &["1", "4"]));
    // A change of a symptom counts nothing twice.
    world.acknowledge(&["2"], 32, json!({"suppress_until": 0}));
    assert_counted(&bob, &counted(0, 1, &["3"]));
    world.acknowledge(&["2"], 64, json!({}));
    assert_counted(&bob, &alone);
    // A symptom that is made a cause counts for everybody again.
    world.acknowledge(&["2"], 128, json!({}));
    assert_counted(&world.admin, &counted(2, 1, &["2", "1", "4"]));
    // A symptom whose cause is resolved counts itself as well.
    let solved = |id: u64, of: u64| {
        let of = problem(of, &world.trigger, &world.hosts[0], server.now());
        recovery(id, &of, server.now())
    };
    server.db.events().apply(vec![solved(5, 1), solved(6, 4)], 2).unwrap();
    assert_counted(&world.admin, &counted(0, 2, &["2", "3"]));
    assert_counted(&bob, &alone);
}

#[test]
fn maps_count_symptoms_by_the_same_rule() {
    let server = Server::start();
    let world = World::new(&server);
    let bob = world.bob(&server);
    let [first, second] = &world.hosts;
    let icon = crate::maps::icon(&world.admin, "icon");
    let element = |host: &str, label: &str| {
        json!({"selementid": label, "elementtype": 0, "elements": [{"hostid": host}],
            "iconid_off": icon, "label": label, "x": 10, "y": 10})
    };
    let map = |name: &str, elements: Vec<Value>| {
        let map = json!({"name": name, "width": 500, "height": 300, "private": 0, "label_type": 0,
            "selements": elements});
        world.admin.create("map.create", map)
    };
    let both = map("both", vec![element(first, "1"), element(second, "2")]);
    let floor = map("floor", vec![element(second, "2")]);
    let n = |session: &Session<'_>, map: &str, label: &str| {
        let answer = crate::maps::drawn(session, map);
        crate::maps::by_label(&answer, label)["state"]["problems"].clone()
    };
    assert_eq!(n(&world.admin, &both, "2"), 2);
    world.rank(&["2", "3"], "1");
    assert_eq!([n(&world.admin, &both, "1"), n(&world.admin, &both, "2")], [2, 0]);
    // The cause counts, though it is not on this map.
    assert_eq!(n(&world.admin, &floor, "2"), 0);
    assert_eq!(n(&bob, &floor, "2"), 2);
    world.acknowledge(&["1"], 32, json!({"suppress_until": 0}));
    assert_eq!([n(&world.admin, &both, "1"), n(&world.admin, &both, "2")], [1, 2]);
}
